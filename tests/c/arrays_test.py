# SPDX-License-Identifier: Apache-2.0
"""The functions of pleat.h on arrays beside NumPy, through ctypes: every type once in each function, and
what is refused. All else is tested through the Python module, which has the same functions."""
import ctypes
import itertools
import os
import re
import types
import unittest

import numpy as np

import oracles
from oracles import lengths, random_numbers, signal

LIBRARY = ctypes.CDLL(os.environ["PLEAT_C_LIBRARY"])
LIBRARY.pleat_error.restype = ctypes.c_char_p
with open(os.environ["PLEAT_C_HEADER"], encoding="utf-8") as file:
    C = types.SimpleNamespace(**{name: int(value) for name, value in
                                 re.findall(r"PLEAT_(\w+) = (\d+)", file.read())})
TYPES = {np.dtype(t): getattr(C, f"{'C' if t[0] == 'c' else t[0].upper()}{8 * int(t[1:])}")
         for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")}
VISIT = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_void_p)
EDGES = {"fixed": C.FIXED, "periodic": C.PERIODIC, "reflecting": C.REFLECTING}


def passed(argument):
    """What pleat.h takes for it: a type, memory, a number, or a list of sizes."""
    if isinstance(argument, np.dtype):
        return TYPES[argument]
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, (tuple, list)):
        return (ctypes.c_size_t * len(argument))(*argument)
    return ctypes.c_size_t(argument) if isinstance(argument, int) else argument


def status(name, *arguments):
    return getattr(LIBRARY, "pleat_" + name)(*map(passed, arguments))


class Arrays(unittest.TestCase):
    on = None  # the default machine

    def call(self, name, *arguments):
        self.assertEqual(status(name, self.on, *arguments), C.OK, LIBRARY.pleat_error())

    def refused(self, name, *cases):
        for words, *arguments in cases:
            with self.subTest(name=name, words=words):
                self.assertEqual(status(name, self.on, *arguments), C.USAGE)
                said = LIBRARY.pleat_error().decode()
                self.assertIn(words, said)
                self.assertNotIn("\n", said)

    def made(self, like, name, *arguments):
        """Memory like this, which the last argument is for."""
        out = np.empty_like(like)
        self.call(name, *arguments, out)
        return out

    def close(self, got, wanted):
        single = np.dtype(got.dtype).itemsize <= (8 if got.dtype.kind == "c" else 4)
        np.testing.assert_allclose(got, wanted, atol=1e-3 if single else 1e-9)

    def test_sorts(self):
        for dtype in TYPES:
            keys = random_numbers(dtype, 9000)
            order = np.argsort(keys, kind="stable")
            np.testing.assert_array_equal(
                self.made(order, "argsort", dtype, keys, 9000), order)
            got = keys.copy()
            self.call("sort", dtype, got, 9000)
            np.testing.assert_array_equal(got, np.sort(keys))
            for width in range(1, 17) if dtype == "f8" else (1, 8, 13):
                got, values = keys.copy(), random_numbers("u1", (9000, width))
                wanted = values[order]
                self.call("sort_by_key", dtype, got, width, values, 9000)
                np.testing.assert_array_equal(got, keys[order])
                np.testing.assert_array_equal(values, wanted)
        f = np.dtype("f4")
        self.call("sort", f, None, 0)
        self.call("argsort", f, None, 0, None)
        self.call("sort_by_key", f, None, 4, None, 0)
        x = np.zeros(5, "f4")
        self.refused("sort", ("numbers is NULL", f, None, 5), ("no type 0", 0, x, 5))
        self.refused("argsort", ("indices is NULL", f, x, 5, None))
        self.refused("sort_by_key", ("0 bytes", f, x, 0, x, 5), ("share memory", f, x, 4, x, 5),
                     ("memory", f, x, 2**63 - 1, x, 5))

    def test_complex_and_real_transforms(self):
        norms = {"backward": C.NORM_BACKWARD, "forward": C.NORM_FORWARD, "ortho": C.NORM_ORTHOGONAL}
        shape, half = (3, 10), (3, 6)
        for one, of_real in (("c16", "f8"), ("c8", "f4")):
            one, of_real = np.dtype(one), np.dtype(of_real)
            z, x = signal(one, shape), signal(of_real, shape)
            for name, norm in norms.items():
                self.close(self.made(z, "fft", one, C.FORWARD, norm, *shape, z), np.fft.fft(z, norm=name))
                back = z.copy()  # in place
                self.call("fftn", one, C.INVERSE, norm, 2, shape, 0, None, back, back)
                self.close(back, np.fft.ifftn(z, norm=name))
            self.close(self.made(z, "fft", one, C.INVERSE, C.NORM_NONE, *shape, z), 10 * np.fft.ifft(z))
            self.close(self.made(z, "fftn", one, C.FORWARD, 0, 2, shape, 1, [0], z), np.fft.fft(z, axis=0))
            spectrum = np.empty(half, one)
            for (name, norm), (there, back, of, axes) in itertools.product(
                    norms.items(), (("rfft", "irfft", np.fft.rfft, None),
                                    ("rfftn", "irfftn", np.fft.rfftn, (0, None)))):
                wanted = of(x, norm=name)
                sizes = shape if axes is None else (2, shape, *axes)
                self.close(self.made(spectrum, there, of_real, norm, *sizes, x), wanted)
                self.close(self.made(x, back, of_real, norm, *sizes, np.ascontiguousarray(wanted, one)), x)
        c, d = np.dtype("c16"), np.dtype("f8")
        self.call("fft", c, 0, 0, 0, 5, None, None)
        self.call("rfft", d, 0, 5, 0, None, None)
        self.call("fftn", c, 0, 0, 2, (3, 0), 0, None, None, None)
        self.call("rfftn", d, 0, 2, (3, 0), 0, None, None, None)
        z, out = np.zeros(30, c), np.zeros(30, c)
        self.refused("fft", ("PLEAT_C64 or PLEAT_C128", d, 0, 0, 1, 5, z, out),
                     ("direction is 2", c, 2, 0, 1, 5, z, out), ("norm is -1", c, 0, -1, 1, 5, z, out),
                     ("pleat_fft: the arrays overlap", c, 0, 0, 1, 5, z, z[1:]),
                     ("memory", c, 0, 0, 2**63 - 1, 5, z, out), ("in is NULL", c, 0, 0, 1, 5, None, out))
        self.refused("irfft", ("pleat_irfft: the arrays overlap", d, 0, 1, 5, z, z),
                     ("PLEAT_F32 or PLEAT_F64", c, 0, 1, 5, z, out))
        self.refused("fftn", ("1 to 8", c, 0, 0, 9, shape, 0, None, z, out),
                     ("no axis 2", c, 0, 0, 2, shape, 1, [2], z, out),
                     ("shape is NULL", c, 0, 0, 2, None, 0, None, z, out))

    def test_transforms_by_cosines_and_sines(self):
        f8, shape = np.dtype("f8"), (3, 10)
        x = signal(f8, shape)
        k, j = np.mgrid[:10, :10]
        for name, matrix in (("dct", 2 * np.cos(np.pi * (2 * j + 1) * k / 20)),
                             ("dst", 2 * np.sin(np.pi * (2 * j + 1) * (k + 1) / 20))):
            self.close(self.made(x, name, f8, 2, 0, 0, 2, shape, 1, [1], x), x @ matrix.T)
            for kind in range(1, 5):
                there = self.made(x, name, f8, kind, C.FORWARD, 0, 2, shape, 0, None, x)
                self.close(self.made(x, name, f8, kind, C.INVERSE, 0, 2, shape, 0, None, there), x)
        self.refused("dct", ("kind is 5", f8, 5, 0, 0, 2, shape, 0, None, x, x))
        self.refused("dst", ("kind is 0", f8, 0, 0, 0, 2, shape, 0, None, x, x),
                     ("pleat_dst: the arrays overlap", f8, 2, 0, 0, 2, shape, 0, None, x, x.ravel()[1:]))

    def test_plans(self):
        def executed(dtype, direction, given, out):
            plan = ctypes.c_void_p()
            self.assertEqual(status("plan_create", dtype, direction, 0, 3, 10, ctypes.byref(plan)), C.OK)
            for _ in range(2):
                self.assertEqual(status("plan_execute", plan, given, out), C.OK)
            for words, *wrong in (("overlap", given, given.ravel()[1:]), ("in is NULL", None, out)):
                self.assertEqual(status("plan_execute", plan, *wrong), C.USAGE)
                self.assertIn(words, LIBRARY.pleat_error().decode())
            LIBRARY.pleat_plan_destroy(plan)
            return out
        for one, of_real in (("c16", "f8"), ("c8", "f4")):
            z, x, half = signal(one, (3, 10)), signal(of_real, (3, 10)), np.empty((3, 6), one)
            self.close(executed(z.dtype, C.FORWARD, z, np.empty_like(z)), np.fft.fft(z))
            self.close(executed(x.dtype, C.FORWARD, x, half), np.fft.rfft(x))
            self.close(executed(x.dtype, C.INVERSE, half, np.empty_like(x)), x)
        plan = ctypes.c_void_p()
        for words, *wrong in (("at least 1", C.C64, 0, 0, 0, 1, ctypes.byref(plan)),
                              ("PLEAT_C128", C.I8, 0, 0, 1, 1, ctypes.byref(plan)),
                              ("plan is NULL", C.C64, 0, 0, 1, 1, None)):
            self.assertEqual(status("plan_create", *wrong), C.USAGE)
            self.assertIn(words, LIBRARY.pleat_error().decode())
            self.assertIsNone(plan.value)
        self.assertEqual(status("plan_execute", None, plan, plan), C.USAGE)
        LIBRARY.pleat_plan_destroy(None)

    def test_products(self):
        f8, m, k, n, ld = np.dtype("f8"), 7, 5, 6, 9
        a, b, before = lengths(f8, (m, ld)), lengths(f8, (k, ld), 2), lengths(f8, (m, ld), 3)
        for name, plus in (("plus_times", np.add), ("min_plus", np.minimum), ("max_plus", np.maximum),
                           ("max_min", np.maximum)):
            c, wanted = before.copy(), before.copy()
            wanted[:, :n] = plus(oracles.product(name, a[:, :k], b[:, :n]), before[:, :n])
            self.call("matmul", f8, getattr(C, name.upper()), m, k, n, 0, a, ld, 0, b, ld, 1, c, ld)
            np.testing.assert_array_equal(c, wanted)
        for dtype in TYPES:
            x, y, c = lengths(dtype, (m, k)), lengths(dtype, (k, n), 2), np.empty((m, n), dtype)
            if dtype.kind == "c":
                x += 1j * lengths("f4", (m, k), 3)
            for form, given in ((C.AS_IT_IS, x), (C.TRANSPOSED, x.T.copy()), (C.ADJOINT, x.T.conj().copy())):
                self.call("matmul", dtype, C.PLUS_TIMES, m, k, n, form, given, given.shape[1], 0, y, n, 0, c, n)
                np.testing.assert_array_equal(c, x @ y)
        bits, reached = np.array([[1, 0], [1, 0]], "u1"), np.empty((2, 2), "u1")
        self.call("matmul", bits.dtype, C.OR_AND, 2, 2, 2, 0, bits, 2, 0, bits, 2, 0, reached, 2)
        np.testing.assert_array_equal(reached, bits)
        self.call("matmul", f8, 0, 0, 3, 0, 0, None, 3, 0, None, 0, 0, None, 0)
        c = before.copy()
        self.refused("matmul", ("semiring is 5", f8, 5, m, k, n, 0, a, ld, 0, b, ld, 0, c, ld),
                     ("no products", C.C64, 1, 1, 1, 1, 0, a, 1, 0, b, 1, 0, c, 1),
                     ("lda", f8, 0, m, k, n, 0, a, k - 1, 0, b, ld, 0, c, ld),
                     ("form", f8, 0, m, k, n, 3, a, ld, 0, b, ld, 0, c, ld),
                     ("b is NULL", f8, 0, m, k, n, 0, a, ld, 0, None, ld, 0, c, ld),
                     ("overlaps", f8, 0, m, k, n, 0, a, ld, 0, b, ld, 0, a, ld))

    def test_stencils(self):
        for dtype, dimensions in itertools.product(("f4", "f8"), (1, 2, 3)):
            weights = signal(dtype, (3,) * dimensions) / 30
            for edges in (("periodic", "fixed", "reflecting")[:dimensions], ("fixed",) * dimensions):
                cells = signal(dtype, (6, 5, 7)[:dimensions])
                wanted = oracles.stepped(cells, 4, oracles.weighted(weights), edges)
                numbers = np.array([EDGES[edge] for edge in edges], "i4")
                self.call("stencil", cells.dtype, dimensions, cells.shape, weights,
                          None if edges[0] == "fixed" else numbers, 4, cells)
                self.close(cells, wanted)
        f4, third, cells = np.dtype("f4"), np.ones(3, "f4"), np.ones(5, "f4")
        self.refused("stencil", ("1 to 3", f4, 4, (1,) * 4, third, None, 1, cells),
                     ("PLEAT_F32", C.I32, 1, [5], third, None, 1, cells),
                     ("coefficients", f4, 1, [5], None, None, 1, cells),
                     ("cells", f4, 1, [5], third, None, 1, None),
                     ("boundary", f4, 1, [5], third, np.array([3], "i4"), 1, cells))

    def test_everyday_algorithms(self):
        wide = {"i": "i8", "u": "u8", "f": "f8", "c": "c16"}
        index, counts = np.empty(1, np.uintp), np.empty(100, "u8")
        for dtype in TYPES:
            x = np.random.default_rng(1).integers(0, 100, 20_000).astype(dtype)
            sums, total = x.cumsum(dtype=dtype), np.empty(1, wide[dtype.kind])
            self.call("sum", dtype, x, len(x), total)
            self.assertEqual(total[0], x.sum(dtype=total.dtype))
            np.testing.assert_array_equal(self.made(x, "inclusive_scan", dtype, x, len(x)), sums)
            got = x.copy()
            self.call("exclusive_scan", dtype, got, len(x), got)
            np.testing.assert_array_equal(got, np.concatenate([np.zeros(1, dtype), sums[:-1]]))
            if dtype.kind == "c":
                continue
            for name in ("argmin", "argmax"):
                self.call(name, dtype, x, len(x), index)
                self.assertEqual(index[0], getattr(np, name)(x))
            if dtype.kind in "iu":
                self.call("histogram", dtype, x, len(x), 100, counts)
                np.testing.assert_array_equal(counts, np.bincount(x.astype("i8"), minlength=100))
                x[5] = 100
                self.refused("histogram", ("100", dtype, x, len(x), 100, counts))
        f8, x = np.dtype("f8"), np.array([2, np.nan, 1])
        for name, place in (("argmin", 2), ("argmax", 1)):
            self.call(name, f8, x, 3, index)
            self.assertEqual(index[0], place)
        total, below = np.ones(1, "i8"), np.array([-100, -100], "i1")
        self.call("sum", below.dtype, below, 2, total)
        self.assertEqual(total[0], -200)
        self.call("sum", np.dtype("i8"), None, 0, total)
        self.assertEqual(total[0], 0)
        for dtype in ("f4", "f8"):
            self.call("exact_sum", np.dtype(dtype), np.array([2.0**60, 1, -(2.0**60)], dtype), 3, exact := np.empty(1))
            self.assertEqual(exact[0], 1)
        self.refused("exact_sum", ("PLEAT_F32 or PLEAT_F64", below.dtype, below, 2, exact))
        self.refused("histogram", ("-100", below.dtype, below, 2, 2, counts),
                     ("not integers", f8, x, 3, 2, counts))
        self.refused("sum", ("sum is NULL", f8, x, 3, None))
        self.refused("argmin", ("no numbers", f8, x, 0, index))
        self.refused("argmax", ("complex", C.C128, x, 1, index))
        self.refused("inclusive_scan", ("overlap", f8, x, 2, x[1:]))
        self.refused("exclusive_scan", ("no type 13", 13, x, 2, x))

    def test_callbacks_may_call_the_library(self):
        visits, wrong = np.zeros(2000, int), []

        def visit(i, _):
            visits[i] += 1
            if i % 100 == 0:
                x, c, spectrum, total = np.array([3.0, 1, 2]), np.empty(1), np.empty(2, complex), np.empty(1)
                ends = [status("sort", self.on, x.dtype, x, 3), status("sum", self.on, x.dtype, x, 3, total),
                        status("rfft", self.on, x.dtype, 0, 1, 3, x, spectrum),
                        status("matmul", self.on, x.dtype, 0, 1, 3, 1, 0, x, 3, 0, x, 1, 0, c, 1),
                        status("stencil", self.on, x.dtype, 1, [3], x.copy(), None, 1, x)]
                if any(ends) or [*x, *c, *total] != [1, 14, 3, 14, 6] or abs(spectrum[0] - 6) > 1e-12:
                    wrong.append(i)
        f = VISIT(visit)
        self.call("for_each_index", 5, 2000, f, None)
        np.testing.assert_array_equal(visits, np.arange(2000) >= 5)
        self.assertEqual(wrong, [])
        self.call("for_each_index", 5, 5, f, None)
        self.call("for_each_index", 5, 4, f, None)
        self.assertEqual(visits.sum(), 1995)
        self.refused("for_each_index", ("f is NULL", 0, 1, None, None))


class ArraysOnAMachine(Arrays):
    @classmethod
    def setUpClass(cls):
        cls.on = ctypes.c_void_p()
        status("machine_create", 3, b"unpinned", b"first-touch", ctypes.byref(cls.on))

    @classmethod
    def tearDownClass(cls):
        LIBRARY.pleat_machine_destroy(cls.on)
