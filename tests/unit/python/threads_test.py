# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import io
import os
import signal
import subprocess
import sys
import threading
import unittest
import unittest.mock

import numpy as np
import pleat
from cases import case

KEYS = np.random.default_rng(1).random(1 << 16)


def works(seed, machine=None):
    keys = np.random.default_rng(seed).permutation(1 << 15)
    if not (pleat.sort(keys, machine=machine) == np.arange(1 << 15)).all():
        return False
    back = pleat.ifft(pleat.fft(keys, machine=machine), machine=machine)
    return bool(np.abs(back - keys).max() < 1e-6)


class threads(case):
    def test_threads_take_turns(self):
        with pleat.machine(processors=2) as m, concurrent.futures.ThreadPoolExecutor(4) as pool:
            for machine in (None, m):
                done = [pool.submit(works, seed, machine) for seed in range(6)]
                self.assertTrue(all(one.result() for one in done))

    def test_a_machine_may_be_closed_while_others_use_it(self):
        for _ in range(2):
            m = pleat.machine(processors=2)
            failures = []
            def use():
                try:
                    for _ in range(50):
                        pleat.sort(KEYS, machine=m)
                except ValueError as error:
                    failures.append("closed" in str(error))
            users = [threading.Thread(target=use) for _ in range(2)]
            for user in users:
                user.start()
            pleat.sort(KEYS, machine=m)
            m.close()
            for user in users:
                user.join()
            self.assertTrue(all(failures))

    def test_a_machine_may_be_closed_between_the_calls_of_others(self):
        calls = (lambda m: pleat.sort([2, 1], machine=m), lambda m: m.processors, lambda m: m.wait)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)  # turns at the interpreter's lock
        try:
            for _ in range(50):
                self.close_while_others(calls)
        finally:
            sys.setswitchinterval(interval)

    def close_while_others(self, calls):
        m = pleat.machine(processors=1)
        ready = threading.Barrier(len(calls) + 1)
        ends = []
        def use(call):
            ready.wait()
            try:
                while True:
                    call(m)
            except ValueError as error:
                ends.append("closed" in str(error))
        users = [threading.Thread(target=use, args=[call]) for call in calls]
        for user in users:
            user.start()
        ready.wait()
        m.close()
        for user in users:
            user.join()
        self.assertEqual(ends, [True] * len(calls))

    def test_a_process_ends_while_daemon_threads_work(self):
        program = (
            "import threading, numpy as np, pleat\n"
            "keys, grid, m = np.arange(1 << 12)[::-1], np.ones((64, 64)), pleat.machine()\n"
            "begun = threading.Barrier(4)\n"
            "def go_on(call):\n"
            "    call()\n"
            "    begun.wait()\n"
            "    while True: call()\n"
            "for call in (lambda: pleat.sort(keys), lambda: pleat.sort(keys, machine=m),\n"
            "             lambda: pleat.stencil(grid, 100, machine=m)):\n"
            "    threading.Thread(target=go_on, args=[call], daemon=True).start()\n"
            "begun.wait()\n")
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


INTERRUPTED = """
import os, signal, sys, threading, numpy as np, pleat
keys = np.random.default_rng(1).random(1 << 14)
grid = np.zeros((256, 256))
pleat.stencil(grid, 1)
done = 0
try:
    print("ready", flush=True)
    while True:
        {call}
        done += 1
except KeyboardInterrupt:
    print("interrupted", pleat.sort([2, 1]), flush=True)
"""


class signals(case):
    def interrupted(self, call):
        """Ctrl-C, as often as it takes: it may come before the first call."""
        program = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)],
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "ready\n")
        program.send_signal(signal.SIGINT)
        said, _ = program.communicate(timeout=200)
        self.assertEqual(said, "interrupted [1 2]\n")
        self.assertEqual(program.returncode, 0)

    def test_ctrl_c_behind_a_call_is_not_lost(self):
        self.interrupted("pleat.sort(keys)")

    def test_ctrl_c_ends_long_calls(self):
        def costs(n, keys=np.random.default_rng(1).random(1 << 17)):
            return pleat.evaluate(pleat.sort, keys[: 1 << n], vps=1 << n)
        def product(n, ones=np.ones((1 << 13, 1 << 13))):
            return pleat.matmul(*2 * [ones[: 1 << n - 4, : 1 << n - 4]], "min_plus")
        def transform(n, ones=np.ones((1 << 23) + 17)):
            return pleat.fft(ones[: (1 << n + 6) + 17])
        for call in (costs, product, transform):
            self.assertTrue(any(self.handles_signals(call, n) for n in range(13, 18)), call)
            self.same(pleat.sort([2, 1]), [1, 2])

    def handles_signals(self, call, n):
        """Does the call end at the second signal? One may be handled behind it."""
        seen = []
        def handler(number, frame):
            seen.append(number)
            if len(seen) == 2:
                raise TimeoutError
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        try:
            call(n)
        except TimeoutError:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return False

    def test_progress_is_told(self):
        for call in (lambda n, tell: pleat.evaluate(pleat.sort, KEYS[: 1 << n], vps=1 << n, progress=tell),
                     lambda n, tell: pleat.stencil(np.ones((64, 64)), 1 << n, progress=tell)):
            told = []
            for n in range(10, 17):
                if not told:
                    call(n, lambda *now: told.append(now))
            self.assertGreater(len(told), 0)
            self.assertTrue(all(total is None or 0 < done <= total for done, total in told))
        self.refused(TypeError, "progress=", pleat.stencil, np.ones(4), 1, progress=3)
        with unittest.mock.patch("sys.stderr", io.StringIO()) as shown:
            pleat.stencil(np.ones(4), 1, progress=True)
        self.assertIn("[########################] 100 %", shown.getvalue())

    def test_ctrl_c_ends_steps_that_go_on_for_hours(self):
        self.interrupted("pleat.stencil(grid, 10**10, out=grid)")

    def test_what_out_has_behind_a_signal_is_the_grid_between_two_steps(self):
        def five_steps_and_a_signal(*_):
            yield 5
            os.kill(os.getpid(), signal.SIGUSR1)
            yield 5
        for out in (np.empty((8, 9)), np.empty((8, 18))[:, ::2], np.empty((9, 8)).T):
            grid = np.random.default_rng(1).random((8, 9))
            for kernel in ("heat", "wave", np.full((3, 3), 0.1)):
                out[...] = grid
                with unittest.mock.patch("pleat._stencils.stretches", five_steps_and_a_signal):
                    self.ended_by_a_signal(lambda: pleat.stencil(out, 10, kernel, out=out), False)
                self.same(out, pleat.stencil(grid, 5, kernel))

    def test_ctrl_c_ends_a_probe(self):
        self.interrupted("pleat.probe(pleat.machine(processors=2))")

    def test_other_threads_go_on_meanwhile_and_a_handler_that_raises_ends_the_steps(self):
        self.ended_by_a_signal(lambda: pleat.stencil(np.zeros((256, 256)), 10**10))

    def ended_by_a_signal(self, call, of_another_thread=True):
        def handler(number, frame):
            raise TimeoutError("enough")
        before = signal.signal(signal.SIGUSR1, handler)
        other = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGUSR1))
        try:
            with self.assertRaises(TimeoutError):
                if of_another_thread:
                    other.start()
                call()  # for hours, if nobody else had the lock
        finally:
            if of_another_thread:
                other.join()
            signal.signal(signal.SIGUSR1, before)
