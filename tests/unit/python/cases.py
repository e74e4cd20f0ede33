# SPDX-License-Identifier: Apache-2.0
"""Arrays in every state that memory can be in, and what all tests of the module share."""
import unittest

import numpy as np

INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(f"f{size}") for size in (2, 4, 8)] + [np.dtype(np.longdouble)]
COMPLEX = [np.dtype("c8"), np.dtype("c16"), np.dtype(np.clongdouble)]
ALL = [np.dtype(bool), *INTEGERS, *FLOATS, *COMPLEX]


def random_numbers(dtype, shape, seed=1):
    """Numbers of a dtype, many of them equal, and those that have an order of their own."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        about = np.iinfo(dtype)
        wide = random.integers(about.min, about.max, shape, dtype, endpoint=True)
        return np.where(random.random(shape) < 0.5, wide, wide % 7).astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    def real():
        plain = random.standard_normal(shape)
        return np.where(random.random(shape) < 0.7, plain, random.choice(special, shape))
    if dtype.kind == "f":
        return real().astype(dtype)
    values = np.empty(shape, dtype)
    values.real, values.imag = real(), real()
    return values


def states(array):
    """The same numbers in memory of every kind: (what, array)."""
    yield "plain", array.copy()
    yield "Fortran", np.asfortranarray(array)
    apart = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2]
    apart[...] = array
    yield "strided", apart
    yield "backwards", np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    raw[...] = array
    yield "misaligned", raw
    yield "foreign", array.astype(array.dtype.newbyteorder("S"))
    # Native, of a dtype that says so by its letter, as that of ctypes' memory does.
    yield "lettered", array.view(array.dtype.newbyteorder("S").newbyteorder("S"))
    locked = array.copy()
    locked.flags.writeable = False
    yield "read-only", locked


class case(unittest.TestCase):
    def same(self, got, wanted, message=None):
        """The same numbers, dtype and shape; NaN is NaN."""
        got, wanted = np.asarray(got), np.asarray(wanted)
        self.assertEqual(got.dtype, wanted.dtype, message)
        np.testing.assert_array_equal(got, wanted, message)

    def close(self, got, wanted, tolerance, message=None):
        got, wanted = np.asarray(got), np.asarray(wanted)
        self.assertEqual(got.dtype, wanted.dtype, message)
        self.assertEqual(got.shape, wanted.shape, message)
        scale = max(float(np.abs(wanted).max(initial=0)), 1e-300)
        self.assertLessEqual(float(np.abs(got - wanted).max(initial=0)) / scale, tolerance, message)

    def refused(self, error, word, function, *args, **keywords):
        """An error of one line that has the word in it."""
        with self.assertRaises(error) as caught:
            function(*args, **keywords)
        self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
