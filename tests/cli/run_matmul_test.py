# SPDX-License-Identifier: Apache-2.0
"""Matrices whose types differ, and lengths that are too long for their type, in `pleat run matmul`."""
import os

import numpy as np

from tool import ToolTest


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

    def refuse_pair(self, a, b, *options, code=1):
        self.save(a, b)
        said = self.refuse(code, *self.command(*options))
        self.assertFalse(os.path.exists(self.path("c.npy")))
        return said

    def test_the_calls_an_error_advises_make_matrices_that_work(self):
        a, b = np.ones((3, 4)), np.arange(20.0).reshape(4, 5)
        said = self.refuse_pair(a, b.astype("f4"))
        self.assertIn("one type", said)
        [converted] = self.follow(said, {"np": np})
        np.save(self.path("fortran.npy"), np.asfortranarray(b))
        np.save(self.path("foreign.npy"), b.astype(">f8"))
        for other in (converted, self.path("fortran.npy"), self.path("foreign.npy")):
            self.succeed("run", "matmul", "--input", self.path("a.npy"), "--input", other,
                         "--output", self.path("c.npy"))
            np.testing.assert_array_equal(np.load(self.path("c.npy")), a @ b)

    def test_matrices_of_two_types_are_made_one_that_holds_both(self):
        types = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
        for left in types:
            for right in types:
                if left == right:
                    continue
                with self.subTest(left=left, right=right):
                    said = self.refuse_pair(np.ones((2, 2), left), np.ones((2, 2), right))
                    common = np.promote_types(left, right)
                    if "one type" in said:
                        fresh = self.follow(said, {"np": np})
                        self.assertEqual(len(fresh), (common != np.dtype(left)) +
                                         (common != np.dtype(right)))
                        for name in fresh:
                            self.assertEqual(np.load(name).dtype, common)
                            os.remove(name)

    def lengths(self, dtype, semiring):
        """The least and greatest length the type holds, and what says "no path"."""
        most = int(np.iinfo(dtype).max)
        low = -(most // 8) if np.dtype(dtype).kind == "i" else 0
        if semiring == "min_plus":
            return low, most // 4, most // 2
        return -(most // 4), most // 8, -(most // 2)

    def test_lengths_of_integers_are_right_or_refused(self):
        rng = np.random.default_rng(34)
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            for semiring in ("min_plus", "max_plus"):
                if dtype[0] == "u" and semiring == "max_plus":
                    continue
                least, greatest, none = self.lengths(dtype, semiring)
                limits = np.iinfo(dtype)
                edges = {limits.min, limits.max, least, greatest, none, 0}
                edges |= {x + d for x in edges for d in (-1, 1)}
                for x in sorted(x for x in edges if limits.min <= x <= limits.max):
                    with self.subTest(dtype=dtype, semiring=semiring, x=x):
                        a = np.array([[x]], dtype)
                        zero = np.array([[0]], dtype)
                        if x == none or least <= x <= greatest:
                            self.assertEqual(int(self.multiply(a, zero, "--semiring", semiring)[0, 0]),
                                             x)
                            os.remove(self.path("c.npy"))
                        else:
                            said = self.refuse_pair(a, zero, "--semiring", semiring)
                            self.assertIn(f"--infinity {x}", said)
                            [converted] = self.follow(said, {"np": np})
                            self.assertEqual(int(np.load(converted)[0, 0]), x if dtype[1] != "8"
                                             else int(float(x)))
                            os.remove(converted)
                            result = self.multiply(a, zero, "--semiring", semiring, "--infinity", x)
                            self.assertEqual(int(result[0, 0]), x)
                            os.remove(self.path("c.npy"))
                # Beside arithmetic without bounds, where no length leaves the range.
                part = greatest // 2 if semiring == "min_plus" else least // 2
                low, high = sorted((part, 0))
                big = rng.integers(low, high, size=(2, 9, 9), endpoint=True).astype(dtype)
                missing = rng.random((2, 9, 9)) < 0.6
                for infinity in (None, limits.max, limits.min):
                    spelt = none if infinity is None else infinity
                    if not missing.any() or (infinity == 0):
                        continue
                    a, b = np.where(missing, np.array(spelt, dtype), big)
                    options = [] if infinity is None else ["--infinity", infinity]
                    result = self.multiply(a, b, "--semiring", semiring, *options)
                    os.remove(self.path("c.npy"))
                    for i in range(9):
                        for j in range(9):
                            sums = [int(big[0, i, k]) + int(big[1, k, j]) for k in range(9)
                                    if not missing[0, i, k] and not missing[1, k, j]]
                            best = min if semiring == "min_plus" else max
                            self.assertEqual(int(result[i, j]), best(sums) if sums else spelt)

    def test_lengths_that_became_too_long_are_warned_of(self):
        a = np.array([[20]], "i1")
        self.save(a, a)
        done = self.succeed(*self.command("--semiring", "min_plus"))
        self.assertIn("'i2'", done.stderr)
        self.assertIn("above 31", done.stderr)
        path = np.array([[0, 20], [20, 0]], "i1")
        self.save(path, path)
        self.assertNotIn("warning", self.succeed(*self.command("--semiring", "min_plus")).stderr)

    def test_infinity_is_refused_where_it_says_nothing(self):
        i, f = np.ones((2, 2), "i4"), np.ones((2, 2))
        self.assertIn("--infinity", self.refuse_pair(i, i, "--infinity", "5", code=2))
        self.assertIn("np.inf", self.refuse_pair(f, f, "--infinity", "5", "--semiring", "min_plus",
                                                 code=2))
        self.assertIn("leave the option out", self.refuse_pair(
            i, i, "--infinity", "5", "--semiring", "max_min", code=2))
        for text in ("many", "2147483648", "", "1.5"):
            self.assertIn("--infinity", self.refuse_pair(i, i, "--infinity", text, "--semiring",
                                                         "min_plus", code=2))
        self.assertIn("ends at", self.refuse_pair(i, i, "--infinity", "2", "--semiring", "min_plus"))
