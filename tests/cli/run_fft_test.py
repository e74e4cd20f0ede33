# SPDX-License-Identifier: Apache-2.0
"""`pleat run fft` beside NumPy, and what it does with input it cannot use."""
import os
import unittest

import numpy as np

from tool import ToolTest

EPSILON = {"c8": 2.0**-23, "c16": 2.0**-52, "f4": 2.0**-23, "f8": 2.0**-52}


def numbers(seed, dtype, shape):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


class RunFft(ToolTest):
    def command(self, *options):
        return ("run", "fft", "--input", self.path("x.npy"), "--output", self.path("y.npy"),
                *options)

    def transformed(self, x, *options):
        np.save(self.path("x.npy"), x)
        self.succeed(*self.command(*options))
        return np.load(self.path("y.npy"))

    def check(self, name, dtype, shape, *options):
        x = numbers(sum(shape), dtype, shape)
        y = self.transformed(x, "--transform", name, *options)
        # NumPy's own error is that of doubles: nothing beside a float's, as large as ours otherwise.
        expected = getattr(np.fft, name)(x)
        self.assertEqual(y.shape, expected.shape)
        self.assertEqual(y.dtype.itemsize * (1 if np.dtype(dtype).kind == "c" else 0.5)
                         if name != "irfft" else 2 * y.dtype.itemsize, x.dtype.itemsize)
        error = np.linalg.norm(y - expected) / max(np.linalg.norm(expected), 1e-300)
        self.assertLess(error, 8 * np.log2(x.size + 2) * EPSILON[dtype])

    def test_lines_beside_numpy(self):
        for name in ("fft", "ifft", "irfft"):
            for dtype in ("c8", "c16"):
                for n in (2, 3, 64, 77, 1000, 4096):
                    with self.subTest(name=name, dtype=dtype, n=n):
                        self.check(name, dtype, (n,))
        for dtype in ("f4", "f8"):
            for n in (1, 2, 3, 64, 77, 1000, 4096):
                with self.subTest(dtype=dtype, n=n):
                    self.check("rfft", dtype, (n,))

    def test_every_row_by_itself(self):
        self.check("fft", "c16", (7, 100))
        self.check("ifft", "c8", (3, 64))
        self.check("rfft", "f8", (5, 60))
        self.check("irfft", "c16", (5, 31))

    def test_matrices_as_a_whole(self):
        for shape in ((1, 1), (1, 12), (12, 1), (64, 64), (30, 101), (17, 128)):
            self.check("fft2", "c16", shape)
            self.check("ifft2", "c8", shape)

    def test_nothing_is_transformed_to_nothing(self):
        self.assertEqual(self.transformed(np.zeros(0, "c16")).shape, (0,))
        self.assertEqual(self.transformed(np.zeros((0, 4), "c16"), "--transform", "fft2").shape,
                         (0, 4))
        self.assertEqual(self.transformed(np.zeros((3, 0), "f8"), "--transform", "rfft").shape,
                         (3, 0))

    def refused(self, x, *options):
        np.save(self.path("x.npy"), x)
        message = self.refuse(1, *self.command(*options))
        self.assertFalse(os.path.exists(self.path("y.npy")))
        return message

    def test_what_cannot_be_transformed_is_refused(self):
        self.assertIn("astype('c16')", self.refused(np.zeros(4, "g")))
        self.assertIn("astype('f8')", self.refused(np.zeros(4, "c16"), "--transform", "rfft"))
        self.assertIn("dimensions", self.refused(np.zeros(4, "c16"), "--transform", "fft2"))
        self.assertIn("no even number", self.refused(np.zeros(1, "c16"), "--transform", "irfft"))

    def test_an_axis_that_is_not_there_is_a_usage_error(self):
        np.save(self.path("x.npy"), np.zeros((3, 4)))
        for axis, transform in ((2, "fft"), ("x", "rfft"), (0, "fft2")):
            self.assertIn("--axis", self.refuse(2, *self.command("--axis", axis, "--transform",
                                                                 transform)))

    def test_an_unknown_transform_is_a_usage_error(self):
        np.save(self.path("x.npy"), np.zeros(4, "c16"))
        self.assertIn("known: fft, ifft", self.refuse(2, *self.command("--transform", "dct")))


if __name__ == "__main__":
    unittest.main()
