# SPDX-License-Identifier: Apache-2.0
"""pleat.distributed against NumPy on the whole arrays, on the first 1, 2, 3 … ranks: blocks of any
sizes, and what one rank's arguments cannot be, on all. All types over ranks are tested by
unit/distributed_numbers_test.cpp."""
import contextlib
import sys
import unittest
from unittest import mock

import numpy as np
import oracles
from mpi4py import MPI
from oracles import lengths, random_numbers, signal, stepped
from pleat import distributed

WORLD = MPI.COMM_WORLD


def cuts(n, ranks, seed):
    """Where blocks of a whole of n rows begin: equal, all in one rank, any."""
    some = np.random.default_rng(seed)
    yield [n * rank // ranks for rank in range(ranks + 1)]
    yield [0] * ranks + [n]
    yield [0, *sorted(int(x) for x in some.integers(0, n + 1, ranks - 1)), n]


class Distributed(unittest.TestCase):
    comm = None

    @classmethod
    def setUpClass(cls):
        cls.machine = distributed.machine(cls.comm, processors=1 + cls.comm.rank % 2)

    @classmethod
    def tearDownClass(cls):
        cls.machine.close()

    def blocks(self, whole, seed=1):
        for cut in cuts(len(whole), self.comm.size, seed):
            yield whole[cut[self.comm.rank]:cut[self.comm.rank + 1]]

    def whole(self, block):
        return np.concatenate(self.comm.allgather(block))

    def same(self, block, expected, close=None):
        first, last = distributed.share(len(expected), self.comm)
        self.assertEqual(block.shape, (last - first, *expected.shape[1:]))
        if close is None:
            np.testing.assert_array_equal(self.whole(block), expected)
        else:
            np.testing.assert_allclose(self.whole(block), expected, rtol=close, atol=close)

    def test_one_case_of_each_kind_of_data(self):
        for dtype, n in ("i4", 0), ("u1", 5), ("c16", 4001):
            keys = random_numbers(dtype, n)
            for block in self.blocks(keys, n):
                self.same(distributed.sort(block, machine=self.machine), np.sort(keys))
                self.same(distributed.argsort(block, machine=self.machine),
                          np.argsort(keys, kind="stable"))
        for dtype, n in ("f8", 1), ("c8", 97), ("c16", 5000):
            x, close = signal(dtype, n), 1e-3 if dtype == "c8" else 1e-9
            for block in self.blocks(x, n):
                to = distributed.fft(block, machine=self.machine)
                self.same(to, np.fft.fft(x), close)
                self.same(distributed.ifft(to, machine=self.machine), x.astype(complex), close)
        for dtype, (m, k, n) in ("i8", (3, 0, 2)), ("f4", (7, 5, 3)), ("c16", (200, 100, 150)):
            a, b = lengths(dtype, (m, k)), lengths(dtype, (k, n), 2)
            for one, two in zip(self.blocks(a, m), self.blocks(b, n)):
                product = distributed.matmul(one, two, machine=self.machine)
                self.assertEqual(product.dtype, np.dtype(dtype))
                self.same(product, a @ b)
        for kernel, grid in (("heat", signal("f8", (50,))), ("wave", signal("f4", (20, 30))),
                             ("life", signal("f8", (30, 40)) < 0)):
            wanted = stepped(grid, 5, getattr(oracles, kernel), ["fixed"] * grid.ndim)
            for block in self.blocks(grid):
                self.same(distributed.stencil(block, 5, kernel, machine=self.machine), wanted, 1e-4)

    def test_what_cannot_be_raises_on_all(self):
        last = self.comm.rank == self.comm.size - 1
        for call in (lambda: distributed.sort(["a"] if last else [1], machine=self.machine),
                     lambda: distributed.fft(np.zeros((2, 2) if last else 2), machine=self.machine),
                     lambda: distributed.fft([], machine=self.machine),
                     lambda: distributed.matmul(np.zeros((2, 9)), np.zeros((1 + last, 3)),
                                                machine=self.machine),
                     lambda: distributed.stencil(np.zeros(5), -1 if last else 2,
                                                 machine=self.machine),
                     lambda: distributed.stencil(np.zeros((4, 4)), 2, "knit", machine=self.machine)):
            with self.assertRaises((TypeError, ValueError)) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))
        if self.comm.size > 1:
            with self.assertRaisesRegex(ValueError, "all give blocks of one type"):
                distributed.sort(np.zeros(3, "f4" if last else "f8"), machine=self.machine)
        self.same(distributed.sort([3, 1], machine=self.machine),
                  np.sort([3, 1] * self.comm.size))

    def test_missing_memory_raises_on_all(self):
        last = self.comm.rank == self.comm.size - 1
        for call in distributed.sort, distributed.argsort, distributed.fft:
            refuse = mock.patch.object(np, "empty", side_effect=MemoryError("none"))
            with refuse if last else contextlib.nullcontext():
                with self.assertRaisesRegex(MemoryError, "none"):
                    call(np.zeros(5), machine=self.machine)
            self.same(distributed.sort([3, 1], machine=self.machine),
                      np.sort([3, 1] * self.comm.size))

    def test_a_closed_machine_says_so(self):
        machine = distributed.machine(self.comm)
        machine.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            distributed.sort([1], machine=machine)


def main():
    failed = 0
    for ranks in sorted({1, 2, 3, WORLD.size}):
        if ranks > WORLD.size:
            continue
        comm = WORLD.Split(0 if WORLD.rank < ranks else MPI.UNDEFINED, WORLD.rank)
        if comm != MPI.COMM_NULL:
            Distributed.comm = comm
            tests = unittest.defaultTestLoader.loadTestsFromTestCase(Distributed)
            result = unittest.TextTestRunner(verbosity=0).run(tests)
            failed += not result.wasSuccessful()
            comm.Free()
        WORLD.Barrier()
    sys.exit(1 if WORLD.allreduce(failed) else 0)


if __name__ == "__main__":
    main()
