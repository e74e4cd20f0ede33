# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pleat
from cases import case
from oracles import ALL, INTEGERS, random_numbers

SHAPES = ((0,), (1,), (7,), (3, 0, 2), (5, 7), (3, 4, 5))
LARGE = (2, 70_000)  # enough for several processors


class everyday(case):
    def axes(self, shape):
        return (*range(-len(shape), len(shape)), None)

    def test_sums_are_those_of_numpy(self):
        for dtype in ("?", "i1", "u2", "i4", "u8", "i8", "c16", "f8", ">f8"):
            for shape in (*SHAPES, LARGE) if dtype in ("i8", "f8") else SHAPES:
                a = random_numbers(dtype, shape)
                if a.dtype.kind in "fc":
                    a = np.round(8 * np.clip(np.nan_to_num(a.real, nan=1), -3, 3)).astype(dtype)
                    a *= 1 - 3j if a.dtype.kind == "c" else 1  # all sums are exact
                for axis in self.axes(shape):
                    with self.subTest(dtype=dtype, shape=shape, axis=axis):
                        self.same(pleat.cumsum(a, axis), np.cumsum(a, axis))
        for dtype in ("i2", "u4", "f4", "f8", "c8"):
            a = random_numbers("i1", 1000)
            self.same(pleat.cumsum(a, dtype=dtype), np.cumsum(a, dtype=dtype))
        a = np.arange(10)
        self.assertIs(pleat.cumsum(a, out=a), a)
        self.same(a, np.arange(10).cumsum())
        self.same(pleat.cumsum(5, 0), np.cumsum(5, 0))
        for dtype, other in (("f2", "float"), ("g", "float"), ("G", "complex"), ("?", "int"),
                             ("foo", "foo")):
            with self.assertRaisesRegex(TypeError, f"cumsum: .*{other}"):
                pleat.cumsum(np.ones(3), dtype=dtype)

    def test_sums_of_all_are_those_of_numpy(self):
        for dtype in ("?", "i1", "u2", "i8", "f2", "f4", "f8", ">f8", "c8"):
            for shape in SHAPES:
                a = random_numbers(dtype, shape)
                if a.dtype.kind in "fc":
                    a = np.round(8 * np.clip(np.nan_to_num(a.real, nan=1), -3, 3)).astype(dtype)
                    a *= 1 - 3j if a.dtype.kind == "c" else 1  # all sums are exact
                wide = a.astype({"f": "f8", "c": "c16"}.get(a.dtype.kind, a.dtype))
                for axis in (None, *self.axes(shape)):
                    for exact in (False, True):
                        with self.subTest(dtype=dtype, shape=shape, axis=axis, exact=exact):
                            self.same(pleat.sum(a, axis, exact=exact), np.sum(wide, axis))
        out = np.empty(2)
        self.assertIs(pleat.sum(np.ones((2, 3)), 1, out=out), out)
        self.same(out, np.array([3.0, 3.0]))
        self.assertRaisesRegex(TypeError, "sum: no sums of", pleat.sum, np.ones(3, "g"))

    def test_exact_sums_are_rounded_once(self):
        random = np.random.default_rng(7)
        for spread in (1, 60, 600):
            for n in (1, 15, 511, 5000):
                a = random.standard_normal(n) * 2.0 ** random.integers(-spread, spread, n)
                a = np.concatenate([a, -a[: n // 2] * (1 + 2.0**-40), -a[n // 3:]])
                random.shuffle(a)
                with self.subTest(spread=spread, n=n):
                    self.assertEqual(pleat.sum(a, exact=True), math.fsum(a))
                    if spread < 100:
                        short = a.astype("f4")
                        self.assertEqual(pleat.sum(short, exact=True), math.fsum(short))

    def test_partitions_are_in_order_at_kth(self):
        for dtype in ALL:
            a = random_numbers(dtype, 1000)
            k = [3, -10]
            self.same(pleat.partition(a, k)[k], np.partition(a, k)[k])
            self.same(a[pleat.argpartition(a, 3)[3:4]], np.partition(a, 3)[3:4])
        for shape in ((0,), (3, 0), (0, 3)):
            empty = np.empty(shape)
            self.same(pleat.partition(empty, 0), np.partition(empty, 0))
        self.same(pleat.partition([3, 1, 2], 1, -1, "introselect"), np.array([1, 2, 3]))
        for kth in (1.0, "x", None, [[1]]):
            with self.assertRaisesRegex(TypeError, "partition: kth"):
                pleat.partition([1, 2, 3], kth)
        for kth in (3, -4, [0, 3]):
            with self.assertRaisesRegex(ValueError, "kth"):
                pleat.partition([1, 2, 3], kth)

    def test_unique_is_that_of_numpy(self):
        for dtype in ALL:
            for n in (0, 1, 2, 1000):
                a = random_numbers(dtype, n)
                a = a[np.arange(2 * n) % (n // 2 + 1)] if n else a
                with self.subTest(dtype=dtype, n=n):
                    found = pleat.unique(a, True, True, True)
                    expected = np.unique(a, True, True, True)
                    np.testing.assert_array_equal(found[0], expected[0])
                    for one, other in zip(found[1:], expected[1:]):
                        np.testing.assert_array_equal(one, other.reshape(one.shape))
                    np.testing.assert_array_equal(pleat.unique(a), expected[0])
        foreign = np.arange(3, dtype=">i4")
        for one in (pleat.unique(foreign), pleat.unique(foreign, True)[0]):
            self.assertEqual(one.dtype, np.dtype("i4"))
        a = np.array([[3.0, np.nan], [np.nan, 3.0]])
        self.assertEqual(pleat.unique(a, equal_nan=False).size, 3)
        self.assertEqual(pleat.unique(a, return_inverse=True)[1].tolist(), [[0, 1], [1, 0]])

    def test_the_greatest_and_the_least(self):
        for dtype in ("?", *INTEGERS, "f2", "f4", "f8", ">f8", "c16", "g"):
            for shape in (*SHAPES, LARGE) if dtype in ("f4", "f8") else SHAPES:
                a = random_numbers(dtype, shape)
                for axis in self.axes(shape):
                    length = a.size if axis is None else shape[axis]
                    for k in {0, min(3, length), min(length, 40), length}:
                        for largest in (True, False):
                            self.check_top(a, k, axis, largest)
        with self.assertRaisesRegex(ValueError, "k = 4"):
            pleat.top_k([1, 2, 3], 4)

    def check_top(self, a, k, axis, largest):
        values, places = pleat.top_k(a, k, axis, largest=largest)
        flat, along = (a.reshape(-1), 0) if axis is None else (a, axis)
        order = pleat.argsort(flat, along, descending=largest)  # which has its own tests
        expected = np.take(order, range(k), along)
        self.same(values, np.take_along_axis(flat, places, along).astype(
            a.dtype.newbyteorder("=")))
        np.testing.assert_array_equal(places, expected, f"{a.dtype} {a.shape} {axis} {largest}")

    def test_descending_is_ascending_backwards(self):
        for dtype in ALL:
            for shape in ((1000,), (3, 4, 5), (2, 3000)):
                a = random_numbers(dtype, shape)
                for axis in self.axes(shape):
                    self.same(pleat.sort(a, axis, descending=True),
                              np.flip(pleat.sort(a, axis), -1 if axis is None else axis))
                    order = pleat.argsort(a, axis, descending=True)
                    flat, along = (a.reshape(-1), 0) if axis is None else (a, axis)
                    n = flat.shape[along]
                    backwards = n - 1 - np.flip(
                        np.argsort(np.flip(flat, along), along, kind="stable"), along)
                    np.testing.assert_array_equal(order, backwards)
        a = np.array([3.0, 1.0, 2.0])
        self.assertIs(pleat.sort(a, descending=True, out=a), a)
        self.same(a, np.array([3.0, 2.0, 1.0]))

    def test_numpys_words_for_stable_are_known(self):
        a = random_numbers("c16", 1000)
        for words in ({"kind": "stable"}, {"kind": "mergesort"}, {"stable": True}):
            self.same(pleat.sort(a, **words), pleat.stable_sort(a))
            self.same(pleat.argsort(a, **words), pleat.argsort(a))
        self.same(pleat.sort(a, -1, "quicksort"), pleat.sort(a))
        for wrong in ({"kind": "fast"}, {"kind": "stable", "stable": True}):
            with self.assertRaisesRegex(ValueError, "kind"):
                pleat.sort(a, **wrong)

    def test_places_of_minima(self):
        for dtype in ("i4", "u4", "i8", "u8", "f4", "f8"):
            random = np.random.default_rng(3)
            a = random.integers(0, 9, (40, 30)).astype(dtype)
            b = random.integers(0, 9, (30, 50)).astype(dtype).T.copy().T
            product, places = pleat.matmul_argmin(a, b)
            sums = a[:, :, None] + b[None]
            self.same(product, sums.min(1))
            self.same(places, sums.argmin(1).astype(f"i{a.itemsize}"))
        product, places = pleat.matmul_argmin([[np.inf]], [[1.0]])
        self.assertEqual((product[0, 0], places[0, 0]), (np.inf, -1))
        with self.assertRaisesRegex(TypeError, "int64"):
            pleat.matmul_argmin(np.ones((2, 2), "i2"), np.ones((2, 2), "i2"))
        with self.assertRaisesRegex(ValueError, "fit"):
            pleat.matmul_argmin(np.ones((2, 3)), np.ones((2, 3)))

    def test_pages_of_a_machine_are_said_apart(self):
        with pleat.machine(memory="interleave", pages="4k") as machine:
            self.assertEqual(machine.memory, "interleave/4k")
            self.same(pleat.sort([2, 1], machine=machine), np.array([1, 2]))
        with pleat.machine(pages="4k") as machine:
            self.assertTrue(machine.memory.endswith("/4k"), machine.memory)
        with self.assertRaisesRegex(ValueError, "pages 'huge' is unknown; known: 4k, thp, hugetlb"):
            pleat.machine(pages="huge")
        with self.assertRaisesRegex(ValueError, "once"):
            pleat.machine(memory="interleave/thp", pages="4k")
