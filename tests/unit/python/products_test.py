# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pleat
from cases import case, states
from oracles import FLOATS, INTEGERS, SEMIRINGS, lengths, product, random_numbers

class products(case):
    def test_sums_of_products_of_every_dtype(self):
        for dtype in (*INTEGERS, *FLOATS[1:], "c8", "c16"):
            dtype = np.dtype(dtype)
            for rows, inner, columns in ((1, 1, 1), (3, 5, 2), (40, 17, 33), (4, 0, 3), (0, 2, 2)):
                a, b = lengths(dtype, (rows, inner)), lengths(dtype, (inner, columns), 2)
                self.same(pleat.matmul(a, b), a @ b, dtype)

    def test_other_semirings(self):
        for semiring in SEMIRINGS:
            for dtype in ("i2", "i4", "i8", "f4", "f8", np.longdouble):
                a, b = lengths(dtype, (20, 9)), lengths(dtype, (9, 31), 2)
                self.same(pleat.matmul(a, b, semiring), product(semiring, a, b), semiring)
        a, b = lengths("u1", (70, 50)) > 7, lengths("u1", (50, 60)) > 7
        self.same(pleat.matmul(a, b, "or_and"), a @ b)
        bits = random_numbers("u8", (9, 9))
        wanted = np.bitwise_or.reduce(bits[:, :, None] & bits[None, :, :], axis=1)
        self.same(pleat.matmul(bits, bits, "or_and"), wanted)

    def test_any_byte_but_0_is_true(self):
        bytes_ = np.random.default_rng(1).integers(0, 4, (9, 11)).astype("u1")
        truths = bytes_.view(bool)
        wanted = ((bytes_ != 0) @ (bytes_ != 0).T)
        for left, right in ((truths, truths.T), (np.asfortranarray(truths), truths.T.copy())):
            self.same(pleat.matmul(left, right, "or_and").view("u1"), wanted.view("u1"))

    def test_no_path_is_the_zero_of_a_semiring(self):
        self.assertEqual(pleat.zero_of("min_plus"), np.inf)
        self.assertEqual(pleat.zero_of("max_min", "i4"), np.iinfo("i4").min)
        self.assertEqual(pleat.zero_of("plus_times", "c16"), 0)
        far = pleat.zero_of("min_plus", "i8")
        roads = np.array([[0, 1, far], [far, 0, 1], [far, far, 0]])
        self.same(pleat.matmul(roads, roads, "min_plus"), [[0, 1, 2], [far, 0, 1], [far, far, 0]])

    def test_mixed_dtypes(self):
        for left, right in (("i4", "f4"), ("u1", "i1"), ("f4", "c8"), ("?", "f8"), (">f8", "i2")):
            a, b = lengths(left, (5, 6)), lengths(right, (6, 7))
            self.same(pleat.matmul(a, b), np.matmul(a, b))

    def test_vectors_and_stacks(self):
        for left, right in (((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)),
                            ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (6, 4, 2)), ((0, 3, 4), (4, 5)),
                            ((2, 3, 4), (4,))):
            a, b = lengths("f8", left), lengths("f8", right, 2)
            self.same(pleat.matmul(a, b), np.matmul(a, b), (left, right))

    def test_memory_of_every_kind(self):
        for dtype in ("f8", "i2"):
            b = lengths(dtype, (20, 20), 2)
            for what, a in states(lengths(dtype, (20, 20))):
                wanted = np.asarray(a @ b, dtype)
                self.same(pleat.matmul(a, b), wanted, what)
                self.same(pleat.matmul(b, a.T), np.asarray(b @ a.T, dtype), what)
                self.same(pleat.matmul(a[::2, 3:9], b[3:9, ::-1]),
                          np.asarray(a[::2, 3:9] @ b[3:9, ::-1], dtype), what)
                self.same(pleat.matmul(a[::-2, :], b), np.asarray(a[::-2, :] @ b, dtype), what)

    def test_broadcast_factors(self):
        row = np.broadcast_to(np.arange(5.0), (5, 5))
        column = np.broadcast_to(np.arange(5.0)[:, None], (5, 5))
        self.same(pleat.matmul(row, column), row @ column)
        self.same(pleat.matmul(column, row), column @ row)

    def test_out(self):
        a, b = lengths("f8", (8, 8)), lengths("f8", (8, 8), 2)
        wanted = a @ b
        for what, out in states(np.zeros((8, 8))):
            if what == "read-only":
                self.refused(ValueError, "read-only", pleat.matmul, a, b, out=out)
                continue
            self.assertIs(pleat.matmul(a, b, out=out), out)
            np.testing.assert_array_equal(out, wanted, what)
        for out in (a.copy(), b.copy()):
            left, right = (out, b) if out[0, 0] == a[0, 0] and (out == a).all() else (a, out)
            pleat.matmul(left, right, out=out)
            self.same(out, wanted)
        memory = np.zeros(100)
        left = memory[:64].reshape(8, 8)
        left[...] = a
        out = memory[36:].reshape(8, 8)
        pleat.matmul(left, b, out=out)
        self.same(out, wanted)

    def test_what_cannot_be_multiplied_is_said_in_a_line(self):
        square = np.ones((2, 2))
        self.refused(ValueError, "known: plus_times", pleat.matmul, square, square, "min_max")
        self.refused(ValueError, "columns", pleat.matmul, square, np.ones((3, 2)))
        self.refused(ValueError, "dimensions", pleat.matmul, 2.0, square)
        self.refused(ValueError, "stacks", pleat.matmul, np.ones((2, 2, 2)), np.ones((3, 2, 2)))
        self.refused(TypeError, "or_and", pleat.matmul, square > 0, square > 0)
        self.refused(TypeError, "float64", pleat.matmul, square.astype("f2"), square.astype("f2"))
        self.refused(TypeError, "float64", pleat.matmul, square * 1j, square, "min_plus")
        self.refused(TypeError, "integers", pleat.matmul, square, square, "or_and")
        self.refused(TypeError, "float64", pleat.matmul, square.astype("u1"), square.astype("u1"),
                     "max_plus")
        self.refused(ValueError, "shape", pleat.matmul, square, square, out=np.empty((2, 3)))
