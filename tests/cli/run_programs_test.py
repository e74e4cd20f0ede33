# SPDX-License-Identifier: Apache-2.0
"""`pleat run PROGRAM` beside NumPy, a case of each type and kind of data, and what it refuses. All
sizes, boundaries and axes are tested through the Python module, which has the same functions."""
import collections
import os

import numpy as np

import oracles
from oracles import lengths, random_numbers, signal
from tool import ToolTest

SIZES = (0, 1, 2, 1000, 5003)
# Transform, dtype and shape.
TRANSFORMS = (("fft", "c8", (1000,)), ("fft", "c16", (7, 100)), ("ifft", "c16", (77,)),
              ("ifft", "c8", (3, 64)), ("rfft", "f4", (1,)), ("rfft", "f8", (5, 60)),
              ("irfft", "c8", (2,)), ("irfft", "c16", (5, 31)), ("fft2", "c16", (30, 101)),
              ("ifft2", "c8", (17, 128)), ("fft", "c16", (4096,)))
# Kernel, boundary, dtype and shape.
STENCILS = (("heat", "fixed", "f4", (50,)), ("heat", "periodic", "f8", (40, 33)),
            ("heat", "reflecting", "f8", (6, 7, 8)), ("heat", "fixed", "f8", (2,)),
            ("wave", "fixed", "f8", (2, 20, 3)), ("wave", "periodic", "f4", (3, 1)),
            ("wave", "reflecting", "f8", (1,)), ("life", "fixed", "u1", (50, 70)),
            ("life", "periodic", "?", (9, 9)), ("life", "reflecting", "u1", (1, 1)))
# Semiring, dtype, and rows, inner and columns.
PRODUCTS = (*(("plus_times", dtype, (5, 7, 3)) for dtype in
              ("f4", "f8", "g", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")),
            *(("plus_times", "f8", shape) for shape in ((0, 3, 2), (3, 0, 2), (1, 1, 1), (90, 101, 77))),
            ("min_plus", "f4", (40, 50, 60)), ("min_plus", "i4", (40, 50, 60)),
            ("max_plus", "f8", (40, 50, 60)), ("max_plus", "i2", (40, 50, 60)),
            ("max_min", "g", (40, 50, 60)), ("max_min", "u1", (40, 50, 60)),
            ("or_and", "?", (40, 50, 60)))
ONES, CELLS = np.ones((3, 4)), np.zeros((4, 4))


class RunPrograms(ToolTest):
    def command(self, program, arrays, options):
        inputs = []
        for i, array in enumerate(arrays):
            np.save(self.path(f"{i}.npy"), array)
            inputs += ["--input", self.path(f"{i}.npy")]
        return ("run", program, *inputs, "--output", self.path("result.npy"), *options)

    def result(self, program, *arrays, options=()):
        self.succeed(*self.command(program, arrays, options))
        inputs = [f"{i}.npy" for i in range(len(arrays))]
        self.assertEqual(sorted(os.listdir(self.folder)), [*inputs, "result.npy"])
        return np.load(self.path("result.npy"))

    def same(self, got, wanted, error=0):
        self.assertEqual((got.shape, got.dtype), (wanted.shape, wanted.dtype))
        if error == 0:
            np.testing.assert_array_equal(got, wanted)
        elif wanted.size:
            self.assertLess(np.linalg.norm(got - wanted), error * np.linalg.norm(wanted) + 1e-300)

    def test_every_type_is_sorted_as_numpy_sorts_it(self):
        for i, dtype in enumerate(oracles.ALL):
            for size in (SIZES[i % 5], SIZES[(i + 3) % 5]):
                with self.subTest(dtype=dtype, size=size):
                    keys = random_numbers(dtype, size)
                    got = self.result("sort", keys)
                    self.same(got, np.sort(keys))
                    if dtype.char not in "gG":  # long doubles have bits that mean nothing
                        self.assertEqual(*(collections.Counter(x.tobytes() for x in one)
                                           for one in (keys, got)))
                    self.same(self.result("sort", keys, options=("--argsort", "--processors", "2")),
                              np.argsort(keys, kind="stable").astype("<i8"))

    def test_transforms(self):
        for name, dtype, shape in TRANSFORMS:
            with self.subTest(name=name, dtype=dtype, shape=shape):
                x = signal(dtype, shape)
                wanted = oracles.transformed(name, x)
                self.same(self.result("fft", x, options=("--transform", name)), wanted,
                          8 * np.log2(x.size + 2) * np.finfo(wanted.dtype).eps)
        for name, dtype, shape in (("fft", "c16", (0,)), ("fft2", "c16", (0, 4)), ("rfft", "f8", (3, 0))):
            self.assertEqual(self.result("fft", np.zeros(shape, dtype),
                                         options=("--transform", name)).shape, shape)

    def test_along_an_axis(self):
        keys, x = random_numbers("f8", (5, 7, 3)), signal("c16", (6, 20))
        for axis in (0, 1, -1):
            with self.subTest(axis=axis):
                along = f"--axis={axis}"
                self.same(self.result("sort", keys, options=(along,)), np.sort(keys, axis))
                self.same(self.result("sort", keys, options=(along, "--argsort")),
                          np.argsort(keys, axis, kind="stable").astype("<i8"))
                self.same(self.result("fft", x, options=(along,)), np.fft.fft(x, axis=axis), 1e-13)

    def test_stencils(self):
        for kernel, edge, dtype, shape in STENCILS:
            with self.subTest(kernel=kernel, edge=edge, shape=shape):
                grid = signal(dtype, shape) if dtype[0] == "f" else (signal("f8", shape) < 0).astype(dtype)
                wanted = oracles.stepped(grid, 9, getattr(oracles, kernel), [edge] * grid.ndim)
                self.same(self.result("stencil", grid, options=("--steps", 9, "--kernel", kernel,
                                                                "--boundary", edge)),
                          wanted, {"f4": 1e-5, "f8": 1e-13}.get(dtype, 0))
        for grid, steps in ((np.arange(5.0), 0), (np.zeros((0, 4)), 3)):
            self.same(self.result("stencil", grid, options=("--steps", steps)), grid)

    def test_products_over_every_semiring(self):
        for semiring, dtype, (rows, inner, columns) in PRODUCTS:
            with self.subTest(semiring=semiring, dtype=dtype, shape=(rows, inner, columns)):
                a, b = lengths(dtype, (rows, inner)), lengths(dtype, (inner, columns), 2)
                self.same(self.result("matmul", a, b, options=("--semiring", semiring)),
                          oracles.product(semiring, a, b))

    def test_what_cannot_be_is_refused_in_a_line(self):
        for code, said, program, arrays, *options in (
                (1, "astype('c16')", "fft", [np.zeros(4, "g")]),
                (1, "astype('f8')", "fft", [np.zeros(4, "c16")], "--transform", "rfft"),
                (1, "dimensions", "fft", [np.zeros(4, "c16")], "--transform", "fft2"),
                (1, "no even number", "fft", [np.zeros(1, "c16")], "--transform", "irfft"),
                (2, "--axis", "fft", [ONES], "--axis", 2),
                (2, "--axis", "fft", [ONES], "--axis", "x", "--transform", "rfft"),
                (2, "--axis", "fft", [ONES], "--axis", 0, "--transform", "fft2"),
                (2, "known: fft, ifft", "fft", [np.zeros(4, "c16")], "--transform", "dct"),
                (1, "astype('f8')", "stencil", [np.zeros((4, 4), "i4")], "--steps", 1),
                (1, "!= 0", "stencil", [CELLS], "--steps", 1, "--kernel", "life"),
                (1, "not two dimensions", "stencil", [np.zeros(4, "u1")], "--steps", 1, "--kernel", "life"),
                (1, "not one to three dimensions", "stencil", [np.zeros((2,) * 4)], "--steps", 1),
                (2, "known: heat", "stencil", [CELLS], "--steps", 1, "--kernel", "fire"),
                (2, "known: fixed", "stencil", [CELLS], "--steps", 1, "--boundary", "open"),
                (2, "--steps", "stencil", [CELLS], "--steps", "many"),
                (1, "(3, 4)", "matmul", [ONES, ONES]),
                (2, "known: plus_times", "matmul", [ONES, ONES.T], "--semiring", "times"),
                (1, "over or_and", "matmul", [ONES, ONES.T], "--semiring", "or_and"),
                (1, "over plus_times", "matmul", [ONES > 0, ONES.T > 0]),
                (1, "over max_plus", "matmul", [ONES.astype("u4"), ONES.T.astype("u4")],
                 "--semiring", "max_plus"),
                (1, "over max_min", "matmul", [ONES * 1j, ONES.T * 1j], "--semiring", "max_min"),
                (1, "not two dimensions", "matmul", [np.ones((2, 2, 1)), ONES]),
                (1, "not two dimensions", "matmul", [np.ones(4), ONES]),
                (2, "twice", "matmul", [ONES])):
            with self.subTest(program=program, said=said, options=options):
                self.assertIn(said, self.refuse(code, *self.command(program, arrays, options)))
                self.assertFalse(os.path.exists(self.path("result.npy")))
