# SPDX-License-Identifier: Apache-2.0
import array
import ctypes

import numpy as np
import pleat
from cases import case, states
from oracles import ALL, COMPLEX, random_numbers


class sorting(case):
    def test_every_dtype_is_sorted_as_numpy_sorts_it(self):
        for dtype in ALL:
            for n in (0, 1, 17, 1000):
                keys = random_numbers(dtype, n)
                with self.subTest(dtype=dtype, n=n):
                    self.same(pleat.sort(keys), np.sort(keys))
                    self.same(pleat.stable_sort(keys), np.sort(keys, kind="stable"))
                    self.same(pleat.argsort(keys), np.argsort(keys, kind="stable"))

    def test_any_axis(self):
        for shape in ((5, 7), (3, 4, 5), (2, 0, 3), (1, 1, 1, 1), (3, 20_000)):
            keys = random_numbers("f8", shape)
            for axis in (*range(-len(shape), len(shape)), None):
                with self.subTest(shape=shape, axis=axis):
                    self.same(pleat.sort(keys, axis), np.sort(keys, axis))
                    self.same(pleat.argsort(keys, axis), np.argsort(keys, axis, kind="stable"))
                    self.same(pleat.stable_sort(keys, axis), np.sort(keys, axis, kind="stable"))

    def test_memory_of_every_kind(self):
        for dtype in ("f8", "f4", "i2", "c8"):
            for what, keys in states(random_numbers(dtype, (6, 50))):
                with self.subTest(dtype=dtype, what=what):
                    before = keys.copy()
                    self.same(pleat.sort(keys), np.sort(before).astype(dtype))
                    self.same(pleat.argsort(keys), np.argsort(before, kind="stable"))
                    self.same(keys, before)

    def test_in_place(self):
        for what, keys in states(random_numbers("f8", (4, 100))):
            if what == "read-only":
                self.refused(ValueError, "read-only", pleat.sort, keys, out=keys)
                continue
            wanted = np.sort(keys).astype("f8")
            self.assertIs(pleat.sort(keys, out=keys), keys)
            np.testing.assert_array_equal(keys, wanted, what)

    def test_out_that_overlaps_the_keys(self):
        for shift in (1, 3, 99):
            memory = random_numbers("i8", 300)
            wanted = np.sort(memory[:200])
            self.same(pleat.sort(memory[:200], out=memory[shift : shift + 200]), wanted)
            memory = random_numbers("i8", 300)
            wanted = np.argsort(memory[:200], kind="stable")
            self.same(pleat.argsort(memory[:200], out=memory[shift : shift + 200]), wanted)

    def test_buffers_that_are_no_arrays(self):
        numbers = array.array("d", [3.0, 1.0, 2.0])
        self.same(pleat.sort(numbers), [1.0, 2.0, 3.0])
        self.assertIs(pleat.sort(numbers, out=numbers), numbers)
        self.assertEqual(list(numbers), [1.0, 2.0, 3.0])
        self.same(pleat.sort(memoryview(numbers)), [1.0, 2.0, 3.0])

    def test_memory_of_ctypes(self):
        memory = (ctypes.c_double * 3)(3, 1, 2)
        self.same(pleat.sort(memory), [1.0, 2.0, 3.0])
        self.same(pleat.argsort(memory), [1, 2, 0])
        self.assertIs(pleat.sort(memory, out=memory), memory)
        self.assertEqual(list(memory), [1.0, 2.0, 3.0])

    def test_what_is_refused_leaves_out_as_it_is(self):
        closed = pleat.machine(processors=1)
        closed.close()
        for dtype in ALL:
            keys, kept = np.array([[3, 1, 2, 0]], dtype), np.array([[1, 1, 0, 1]], dtype)
            for function in (pleat.sort, pleat.stable_sort, pleat.argsort):
                for a, out in ((keys, keys.copy()), (keys, kept.copy()), (keys, None)):
                    if out is None:
                        out = a = keys.copy()
                    elif function is pleat.argsort:
                        out = np.array([[9, 9, 9, 9]], np.intp)
                    before = out.copy()
                    for wrong in ({"vps": 0}, {"vps": 2**32}, {"machine": closed}):
                        self.assertRaises(ValueError, function, a, out=out, **wrong)
                        self.same(out, before, (dtype, wrong))
            rows = np.array([[3, 1], [2, 0]], dtype)
            before = rows.copy()
            self.refused(ValueError, "single row", pleat.sort, rows, out=rows, vps=2)
            self.same(rows, before)

    def test_an_extension_that_refuses_leaves_float16_as_it_is(self):
        rows = random_numbers("f2", (3, 100))
        before = rows.copy()
        self.refused(ValueError, "vps", pleat._core.sort, None, rows, 2)
        self.same(rows.view("u2"), before.view("u2"))

    def test_stable_sort_keeps_equal_complex_numbers_as_they_stand(self):
        signs = np.where(np.arange(100) % 3 == 0, -0.0, 0.0)
        for dtype in COMPLEX:
            keys = np.zeros(100, dtype)
            keys.real = signs
            self.same(np.signbit(pleat.stable_sort(keys).real), np.signbit(signs))

    def test_what_cannot_be_sorted_is_said_in_a_line(self):
        self.refused(TypeError, "dtype", pleat.sort, np.array([None]))
        self.refused(TypeError, "dtype", pleat.cumsum, np.array(["2020-01-01"], "M8[D]"))
        self.refused(TypeError, "masked", pleat.sort, np.ma.masked_array([1, 2], [0, 1]))
        self.refused(ValueError, "axis 1", pleat.sort, [1, 2], axis=1)
        self.refused(ValueError, "axis -1", pleat.sort, np.float64(3))
        self.refused(ValueError, "shape", pleat.sort, [1, 2], out=np.empty(3, int))
        self.refused(ValueError, "dtype", pleat.sort, [1, 2], out=np.empty(2, np.int32))
        self.refused(TypeError, "out=", pleat.sort, [1, 2], out=[1, 2])
        self.refused(TypeError, "mask", pleat.sort, [1, 2], out=np.ma.masked_array([1, 2], [0, 1]))
        self.refused(TypeError, "machine=", pleat.sort, [1, 2], machine=2)
        self.refused(ValueError, "vps", pleat.sort, [1, 2], vps=0)
        self.refused(ValueError, "vps", pleat.sort, [1, 2], vps=-1)
        self.refused(ValueError, "vps", pleat.sort, np.ones((2, 4)), vps=2)
        self.assertRaises(TypeError, pleat.sort, [1, 2], vps="two")

    def test_any_number_of_virtual_processors(self):
        keys = random_numbers("u4", 1000)
        for vps in (1, 2, 3, 16):
            self.same(pleat.sort(keys, vps=vps), np.sort(keys))
            self.same(pleat.argsort(keys, vps=vps), np.argsort(keys, kind="stable"))
