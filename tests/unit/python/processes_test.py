# SPDX-License-Identifier: Apache-2.0
import multiprocessing
import os
import threading

import numpy as np
import pleat
from cases import case

N = 1 << 15
MACHINE = None  # of the parent, which forked children inherit


def works(seed, machine=None):
    keys = np.random.default_rng(seed).permutation(N)
    ours = machine if machine is not None else MACHINE
    return bool((pleat.sort(keys) == np.arange(N)).all()
                and (pleat.sort(keys, machine=ours) == np.arange(N)).all()
                and abs(pleat.fft(keys)[0] - keys.sum()) < 1e-3)


class processes(case):
    def pool(self, method, **arguments):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            return pool.starmap(works, [(seed, *arguments.values()) for seed in range(6)])

    def test_forked_children_have_machines_of_their_own(self):
        global MACHINE
        self.assertTrue(works(1))
        with pleat.machine(processors=2) as MACHINE:
            self.assertTrue(works(2))
            self.assertTrue(all(self.pool("fork")))
            self.assertTrue(works(3))
        MACHINE = None

    def test_spawned_children_are_sent_machines(self):
        with pleat.machine(processors=1) as m:
            self.assertTrue(works(1, m))
            self.assertTrue(all(self.pool("spawn", machine=m)))

    def test_a_fork_while_another_thread_sorts(self):
        stop = threading.Event()
        with pleat.machine(processors=2) as m:
            def sort():
                while not stop.is_set():
                    pleat.sort(np.arange(N)[::-1], machine=m)
                    pleat.sort(np.arange(N)[::-1])
            sorter = threading.Thread(target=sort)
            sorter.start()
            try:
                for seed in range(5):
                    child = os.fork()
                    if child == 0:
                        os._exit(0 if works(seed, m) else 1)
                    self.assertEqual(os.waitpid(child, 0)[1], 0)
            finally:
                stop.set()
                sorter.join()
