# SPDX-License-Identifier: Apache-2.0
"""`pleat run matmul` beside NumPy, and what it does with input it cannot use."""
import os
import unittest

import numpy as np

from tool import ToolTest


def small(rng, dtype, shape):
    if np.dtype(dtype).kind == "b":
        return rng.integers(0, 2, size=shape).astype(dtype)
    values = rng.integers(0, 9, size=shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + (1j * rng.integers(-4, 5, size=shape)).astype(dtype)
    return values


class RunMatmul(ToolTest):
    def save(self, a, b):
        np.save(self.path("a.npy"), a)
        np.save(self.path("b.npy"), b)

    def command(self, *options):
        return ("run", "matmul", "--input", self.path("a.npy"), "--input", self.path("b.npy"),
                "--output", self.path("c.npy"), *options)

    def multiply(self, a, b, *options):
        self.save(a, b)
        self.succeed(*self.command(*options))
        result = np.load(self.path("c.npy"))
        self.assertEqual(result.dtype, a.dtype)
        return result

    def test_every_type_beside_numpy(self):
        rng = np.random.default_rng(30)
        for dtype in ("f4", "f8", "g", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            for m, k, n in ((0, 3, 2), (3, 0, 2), (1, 1, 1), (5, 7, 3), (90, 101, 77)):
                with self.subTest(dtype=dtype, shape=(m, k, n)):
                    a, b = small(rng, dtype, (m, k)), small(rng, dtype, (k, n))
                    np.testing.assert_array_equal(self.multiply(a, b), a @ b)

    def test_the_other_semirings_beside_numpy(self):
        rng = np.random.default_rng(31)
        for dtype in ("f4", "f8", "i2", "i4", "i8"):
            a, b = small(rng, dtype, (40, 50)), small(rng, dtype, (50, 60))
            sums = a[:, :, None] + b[None, :, :]
            np.testing.assert_array_equal(self.multiply(a, b, "--semiring", "min_plus"),
                                          sums.min(axis=1))
            np.testing.assert_array_equal(self.multiply(a, b, "--semiring", "max_plus"),
                                          sums.max(axis=1))
        a, b = small(rng, "?", (40, 50)), small(rng, "?", (50, 60))
        np.testing.assert_array_equal(self.multiply(a, b, "--semiring", "or_and"), a @ b)

    def test_any_number_of_processors(self):
        rng = np.random.default_rng(32)
        a, b = small(rng, "f8", (300, 200)), small(rng, "f8", (200, 250))
        for processors in (1, 2, 3, 5):
            np.testing.assert_array_equal(self.multiply(a, b, "--processors", processors), a @ b)

    def test_rounding_is_what_arithmetic_allows(self):
        rng = np.random.default_rng(33)
        a, b = rng.normal(size=(200, 300)), rng.normal(size=(300, 100))
        np.testing.assert_allclose(self.multiply(a, b), a @ b, rtol=0, atol=1e-12)

    def refuse_pair(self, a, b, *options, code=1):
        self.save(a, b)
        said = self.refuse(code, *self.command(*options))
        self.assertFalse(os.path.exists(self.path("c.npy")))
        return said

    def test_what_cannot_be_multiplied(self):
        a, b = np.ones((3, 4)), np.ones((4, 5))
        self.assertIn("(3, 4)", self.refuse_pair(a, a))
        self.assertIn("known: plus_times", self.refuse_pair(a, b, "--semiring", "times", code=2))
        self.assertIn("over or_and", self.refuse_pair(a, b, "--semiring", "or_and"))
        self.assertIn("over plus_times", self.refuse_pair(a.astype("?"), b.astype("?")))
        self.assertIn("over max_plus", self.refuse_pair(a.astype("u4"), b.astype("u4"),
                                                        "--semiring", "max_plus"))
        self.refuse(2, "run", "matmul", "--input", self.path("a.npy"), "--output",
                    self.path("c.npy"))

    def test_the_call_an_error_advises_makes_matrices_that_work(self):
        a, b = np.ones((3, 4)), np.arange(20.0).reshape(4, 5)
        for wrong, word in ((np.asfortranarray(b), "Fortran"), (b.astype("f4"), "one type"),
                            (b.astype(">f8"), "byte order")):
            said = self.refuse_pair(a, wrong)
            self.assertIn(word, said)
            exec(said[said.index("np.save("):].strip(), {"np": np})
            self.succeed(*self.command())
            np.testing.assert_array_equal(np.load(self.path("c.npy")), a @ b)
            os.remove(self.path("c.npy"))
        self.assertIn("not two dimensions", self.refuse_pair(np.ones((2, 2, 1)), b))
        self.assertIn("not two dimensions", self.refuse_pair(np.ones(4), b))


if __name__ == "__main__":
    unittest.main()
