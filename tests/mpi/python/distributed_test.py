# SPDX-License-Identifier: Apache-2.0
"""pleat.distributed against NumPy on the whole arrays, on the first 1, 2, 3 … ranks: blocks of any
sizes, and what one rank's arguments cannot be, on all."""
import contextlib
import sys
import unittest
from unittest import mock

import numpy as np
from mpi4py import MPI
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

    def test_sorts_as_numpy(self):
        some = np.random.default_rng(7)
        for dtype in "u1", "i4", "f8", "?", "c16":
            for n in 0, 5, 4001:
                keys = (some.random(n) * 100).astype(dtype)
                for block in self.blocks(keys, n):
                    self.same(distributed.sort(block, machine=self.machine), np.sort(keys))
                    self.same(distributed.argsort(block, machine=self.machine),
                              np.argsort(keys, kind="stable"))

    def test_transforms_as_numpy(self):
        some = np.random.default_rng(8)
        for n in 1, 2, 97, 4096, 5000:
            x = some.random(n) + 1j * some.random(n)
            for given in x, x.real, x.astype("c8"):
                close = 1e-3 if given.dtype == np.complex64 else 1e-9
                for block in self.blocks(given, n):
                    to = distributed.fft(block, machine=self.machine)
                    self.same(to, np.fft.fft(given), close)
                    self.same(distributed.ifft(to, machine=self.machine), given.astype(complex),
                              close)

    def test_multiplies_as_numpy(self):
        some = np.random.default_rng(9)
        for m, k, n in (1, 1, 1), (7, 5, 3), (64, 33, 70), (3, 0, 2), (200, 100, 150):
            for dtype in "f8", "f4", "i8", "c16":
                a, b = (some.random(s).round(2).astype(dtype) for s in ((m, k), (k, n)))
                for one, two in zip(self.blocks(a, m), self.blocks(b, n)):
                    product = distributed.matmul(one, two, machine=self.machine)
                    self.assertEqual(product.dtype, np.dtype(dtype))
                    self.same(product, a @ b, 1e-3 if dtype == "f4" else 1e-9)

    def test_steps_as_pleat_on_one(self):
        import pleat
        some = np.random.default_rng(10)
        for shape in (50,), (20, 30), (9, 10, 11):
            grid = some.random(shape)
            for kernel in "heat", "wave":
                for block in self.blocks(grid):
                    self.same(distributed.stencil(block, 5, kernel, machine=self.machine),
                              pleat.stencil(grid, 5, kernel), 1e-12)
        board = some.random((30, 40)) < 0.4
        for block in self.blocks(board):
            self.same(distributed.stencil(block, 4, "life", machine=self.machine),
                      pleat.stencil(board, 4, "life"))

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
