# SPDX-License-Identifier: Apache-2.0
"""How many cores a call uses that names no machine: set_num_threads, num_threads, workers=."""
import os
import threading
import unittest
import unittest.mock

import numpy as np
import pleat
from cases import case

ALL = len(pleat.topology()["processors"])


def used(call):
    """The cores of the machine that the call's transform is made on; those of all are None."""
    with unittest.mock.patch("pleat._core.transform") as transform:
        call()
    machine = transform.call_args[0][0]
    return ALL if machine is None else machine.processors


class cores(case):
    def tearDown(self):
        pleat.set_num_threads(None)

    def test_of_the_process_and_of_a_block(self):
        self.assertEqual((pleat.get_num_threads(), used(lambda: pleat.fft([1.0]))), (ALL, ALL))
        for n in range(1, ALL + 1):
            pleat.set_num_threads(n)
            self.assertEqual((pleat.get_num_threads(), used(lambda: pleat.fft([1.0]))), (n, n))
            with pleat.num_threads(1):
                self.assertEqual(len(pleat.topology()["processors"]), 1)
                with pleat.num_threads(None):
                    self.assertEqual(pleat.get_num_threads(), 1)
            self.assertEqual(pleat.get_num_threads(), n)
        with pleat.machine(processors=ALL) as m, pleat.num_threads(1):
            self.assertEqual(used(lambda: pleat.fft([1.0], machine=m)), ALL)

    def test_a_block_is_of_its_thread(self):
        seen = []
        with pleat.num_threads(1):
            other = threading.Thread(target=lambda: seen.append(pleat.get_num_threads()))
            other.start()
            other.join()
        self.assertEqual(seen, [ALL])

    def test_calls_on_one_core_do_not_take_turns(self):
        machines = set()
        def use():
            with pleat.num_threads(1):
                for _ in range(50):
                    self.same(pleat.sort([3, 1, 2]), [1, 2, 3])
                with unittest.mock.patch("pleat._core.sort") as sort:
                    pleat.sort([1])
                machines.add(sort.call_args[0][0])
        lock = threading.Lock()
        def one_by_one():
            with lock:
                use()
        users = [threading.Thread(target=one_by_one) for _ in range(3)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        self.assertEqual(len(machines), 3)

    def test_numbers_that_cannot_be(self):
        for function in (pleat.set_num_threads, lambda n: pleat.num_threads(n).__enter__()):
            self.refused(ValueError, "0 threads", function, 0)
            self.refused(ValueError, f"1 to {ALL}", function, ALL + 1)
            self.refused(TypeError, "whole", function, 1.5)

    def test_workers_are_scipys(self):
        count = os.cpu_count()
        for workers, n in ((1, 1), (ALL, ALL), (1000, ALL), (-1, min(count, ALL)), (-count, 1)):
            self.assertEqual(used(lambda: pleat.fft([1.0], workers=workers)), n)
            self.assertEqual(used(lambda: pleat.irfftn(x=[1.0, 2.0], overwrite_x=True,
                                                       workers=workers)), n)
        with pleat.num_threads(1):
            self.assertEqual(used(lambda: pleat.fft([1.0], workers=ALL)), ALL)
        self.refused(ValueError, "fft: workers", pleat.fft, [1.0], workers=0)
        self.refused(ValueError, "dct: workers", pleat.dct, [1.0], workers=-count - 1)
        with pleat.machine(processors=1) as m:
            self.refused(ValueError, "machine=", pleat.fft, [1.0], workers=1, machine=m)

    def test_arguments_in_scipys_order(self):
        a = np.arange(12.0).reshape(3, 4)
        self.close(pleat.fft(a, 6, 0, None, True, 1), np.fft.fft(a, 6, 0), 1e-13)
