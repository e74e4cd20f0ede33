# SPDX-License-Identifier: Apache-2.0
"""What is no number and sorted all the same: dates, texts of fixed width, structures; subarrays."""
import numpy as np
import pleat
from cases import case

random = np.random.default_rng(1)


def times(shape, dtype):
    """Some of them NaT, and the extreme ones."""
    about = np.iinfo("i8")
    special = [about.min, about.min + 1, about.max]
    plain = random.integers(-50, 50, shape)
    return np.where(random.random(shape) < 0.7, plain, random.choice(special, shape)).astype(
        "i8").view(dtype)


def texts(n, dtype):
    dtype = np.dtype(dtype)
    letters = list("ab\u00e9\U0001F600" if dtype.kind == "U" else "ab~")
    longest = dtype.itemsize // (4 if dtype.kind == "U" else 1)
    return np.array(["".join(random.choice(letters, random.integers(0, longest + 1)))
                     for _ in range(n)], dtype)


def structures(n):
    all_ = np.empty(n, [("t", "M8[D]"), ("n", "U4"), ("f", "f8"), ("c", "c16"), ("b", "?")])
    all_["t"], all_["n"] = times(n, "M8[D]"), texts(n, "U4")
    all_["f"] = random.choice([np.nan, 1.0, 2.0, 0.0, -0.0], n)
    all_["c"] = random.integers(0, 3, n) + 1j * random.integers(0, 3, n)
    all_["b"] = random.random(n) < 0.5
    return all_


class kinds(case):
    def every(self, n):
        for dtype in ("M8[s]", "m8[ms]", ">M8[s]"):
            yield times(n, dtype)
        for dtype in ("S3", "S8", "S20", "U2", "U9", ">U9"):
            yield texts(n, dtype)

    def same(self, got, wanted, message=None):
        """As numpy has it, in this machine's byte order."""
        wanted = np.asarray(wanted)
        super().same(got, wanted.astype(wanted.dtype.newbyteorder("=")), message)

    def test_dates_and_texts_are_sorted_as_numpy_sorts_them(self):
        for n in (0, 1, 17, 1000):
            for a in self.every(n):
                with self.subTest(dtype=a.dtype, n=n):
                    self.same(pleat.sort(a), np.sort(a))
                    self.same(pleat.argsort(a), np.argsort(a, kind="stable"))
                    self.same(pleat.sort(a, descending=True), np.sort(a)[::-1])
                    self.same(pleat.unique(a), np.unique(a))
                    for got, wanted in zip(pleat.unique(a, True, True, True),
                                           np.unique(a, True, True, True)):
                        self.same(got, wanted)

    def test_rows_and_memory_of_them(self):
        for a in self.every(600):
            a = a.reshape(20, 30)
            for axis in (0, 1, None):
                self.same(pleat.sort(a, axis), np.sort(a, axis))
                self.same(pleat.argsort(a, axis), np.argsort(a, axis, kind="stable"))
            wanted = np.sort(a)
            self.assertIs(pleat.sort(a, out=a), a)
            np.testing.assert_array_equal(a, wanted)

    def test_structures_in_the_order_of_fields(self):
        for shape, axes in (((1500,), (0,)), ((30, 50), (0, 1))):
            a = structures(1500).reshape(shape)
            for order in (None, "b", ["f", "n"], ("b", "c", "t"), []):
                for axis in axes:
                    with self.subTest(order=order, axis=axis):
                        places = np.argsort(a, axis, order=order, kind="stable")
                        self.same(pleat.argsort(a, axis, order=order), places)
                        got = pleat.sort(a, axis, order=order)
                        wanted = np.take_along_axis(a, places, axis)
                        for field in a.dtype.names:
                            self.same(got[field], wanted[field])

    def test_different_subarrays(self):
        for shape in ((50, 3), (10, 2, 2), (5, 0), (0, 5), (1, 4)):
            for dtype in ("i4", "f8", "c16", "?", "M8[D]", "S3"):
                a = random.integers(0, 2, shape).astype("i8").astype(dtype)
                for axis in range(-1, len(shape)):
                    if shape == (5, 0) and axis == 0:  # numpy has no such thing
                        continue
                    with self.subTest(shape=shape, dtype=dtype, axis=axis):
                        for got, wanted in zip(pleat.unique(a, True, True, True, axis),
                                               np.unique(a, True, True, True, axis)):
                            self.same(got, wanted)
        a = np.array([[np.nan, 1], [np.nan, 1], [0.0, 1], [-0.0, 1]])
        self.same(pleat.unique(a, axis=0), np.unique(a, axis=0))

    def test_parts_at_several_places(self):
        a = random.permutation(100)
        for kth in ((3, -1), range(0, 100, 7), np.array([50]), 99):
            there = list(kth) if np.iterable(kth) else kth
            got, places = pleat.partition(a, kth), pleat.argpartition(a, kth)
            np.testing.assert_array_equal(got[there], np.partition(a, there)[there])
            np.testing.assert_array_equal(a[places][there], got[there])
        dates = np.array(["2021", "NaT", "2020"], "M8[Y]")
        self.same(pleat.partition(dates, 2), np.partition(dates, 2))
        self.same(pleat.top_k(dates, 2)[1], [1, 0])

    def test_what_cannot_be_is_said_in_a_line(self):
        a = structures(3)
        self.refused(ValueError, "kind 'fast'", pleat.sort, [1], kind="fast")
        self.refused(ValueError, "have none", pleat.sort, [1], order="x")
        self.refused(ValueError, "no field: 'x'", pleat.argsort, a, order=["f", "x"])
        self.refused(ValueError, "twice", pleat.sort, a, order=["f", "f"])
        self.refused(TypeError, "field 'a' is an array", pleat.sort, np.zeros(3, [("a", "i4", 2)]))
        self.refused(TypeError, "V8", pleat.sort, np.zeros(3, "V8"))
        self.refused(ValueError, "partition: out=", pleat.partition, [1, 2], 1, out=np.empty(3, int))
