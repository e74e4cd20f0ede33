# SPDX-License-Identifier: Apache-2.0
"""Arrays in every state that memory can be in, and how results are compared."""
import unittest

import numpy as np

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
