# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pleat
from cases import case, states
from oracles import signal, transformed


def tolerance(wanted):
    return 1e-5 if wanted.dtype.itemsize <= (8 if wanted.dtype.kind == "c" else 4) else 1e-13


class fourier(case):
    def check(self, name, a, *args, **keywords):
        wanted = transformed(name, a, *args, **keywords)
        got = getattr(pleat, name)(a, *args, **keywords)
        self.close(got, wanted, tolerance(wanted), (name, args, keywords))

    def test_every_dtype_and_size(self):
        for n in (1, 3, 60, 101, 1000):
            for dtype in ("f4", "f8", "c8", "c16", "i4", "f2", "?"):
                with self.subTest(n=n, dtype=dtype):
                    a = signal(dtype, n)
                    self.check("fft", a)
                    self.check("ifft", a)
                    if a.dtype.kind != "c":
                        self.check("rfft", a)
                    if n > 1:
                        self.check("irfft", a)

    def test_batches_axes_lengths_and_norms(self):
        for shape in ((4, 6), (3, 5, 8), (2, 1, 16)):
            a = signal("c16", shape)
            for axis in range(-len(shape), len(shape)):
                for norm in ("backward", "forward", "ortho"):
                    for n in (None, 3):
                        for name in ("fft", "ifft", "irfft"):
                            if name == "irfft" and n is None and shape[axis] == 1:
                                continue
                            self.check(name, a, n=n, axis=axis, norm=norm)
                        self.check("rfft", a.real, n=n, axis=axis, norm=norm)

    def test_planes(self):
        for shape in ((1, 1), (3, 4), (16, 16), (2, 5, 7), (3, 4, 2)):
            a = signal("c16", shape)
            for axes in ((-2, -1), (0, 1), (1, 0)):
                self.check("fft2", a, axes=axes)
                self.check("ifft2", a, axes=axes, norm="ortho")
        self.check("fft2", signal("f4", (32, 20)))

    def test_arrays(self):
        for shape in ((6,), (4, 6), (3, 5, 8), (2, 3, 4, 5), (2,) * 10):
            a = signal("c16", shape)
            every = [None, (0,), (-1, 0), tuple(range(len(shape) - 1, 0, -1))]
            for axes in every:
                if axes and (len(set(x % len(shape) for x in axes)) < len(axes) or len(axes) > 7):
                    continue
                if axes is None and len(shape) > 8:
                    axes = (1, 3, 5)
                count = len(shape) if axes is None else len(axes)
                for s in (None, tuple(range(3, 3 + count))):
                    for norm in ("backward", "ortho"):
                        for name in ("fftn", "ifftn", "rfftn", "irfftn"):
                            if name == "irfftn" and s is None and shape[(axes or (-1,))[-1]] == 1:
                                continue
                            if count:
                                self.check(name, a.real if name == "rfftn" else a, s=s, axes=axes,
                                           norm=norm)
        self.check("rfft2", signal("f4", (12, 9)))
        self.check("irfft2", signal("c8", (12, 9)), s=(12, 17))

    def test_hermitian_ones(self):
        a = signal("c16", (3, 9))
        for name in ("hfft", "ihfft"):
            for norm in ("backward", "forward", "ortho"):
                self.check(name, a if name == "hfft" else a.real, n=14, norm=norm)
        b = signal("f8", (4, 6))
        self.close(pleat.hfftn(pleat.ihfftn(b), s=b.shape), b, 1e-13)

    def test_cosines_and_sines(self):
        for n in (2, 3, 8, 13):
            x = signal("f8", (2, n))
            j, k = np.meshgrid(np.arange(n), np.arange(n))
            twice = np.full(n, 2.0)
            ends, first, last = twice.copy(), twice.copy(), twice.copy()
            ends[[0, -1]] = first[0] = last[-1] = 1
            matrices = {
                ("dct", 1): ends * np.cos(np.pi * j * k / (n - 1)),
                ("dct", 2): 2 * np.cos(np.pi * (2 * j + 1) * k / (2 * n)),
                ("dct", 3): first * np.cos(np.pi * j * (2 * k + 1) / (2 * n)),
                ("dct", 4): 2 * np.cos(np.pi * (2 * j + 1) * (2 * k + 1) / (4 * n)),
                ("dst", 1): 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1)),
                ("dst", 2): 2 * np.sin(np.pi * (2 * j + 1) * (k + 1) / (2 * n)),
                ("dst", 3): last * np.sin(np.pi * (j + 1) * (2 * k + 1) / (2 * n)),
                ("dst", 4): 2 * np.sin(np.pi * (2 * j + 1) * (2 * k + 1) / (4 * n)),
            }
            for (name, type), matrix in matrices.items():
                with self.subTest(name=name, type=type, n=n):
                    transform, inverse = getattr(pleat, name), getattr(pleat, "i" + name)
                    self.close(transform(x, type), x @ matrix.T, 1e-13)
                    self.close(transform(x.T, type, axis=0), matrix @ x.T, 1e-13)
                    self.close(inverse(transform(x, type), type), x, 1e-13)
                    if (name, type) != ("dct", 1):
                        several = getattr(pleat, name + "n")(x + 1j * x, type, axes=1)
                        self.close(several, (1 + 1j) * (x @ matrix.T), 1e-13)

    def test_memory_of_every_kind(self):
        for dtype in ("c16", "c8", "f8"):
            for what, a in states(signal(dtype, (6, 20))):
                with self.subTest(dtype=dtype, what=what):
                    before = a.copy()
                    plain = np.ascontiguousarray(a, dtype)
                    for name in ("fft", "fft2", "irfft"):
                        wanted = transformed(name, plain)
                        self.close(getattr(pleat, name)(a), wanted, tolerance(wanted))
                    self.same(a, before)

    def test_in_place_and_into_memory_of_every_kind(self):
        a = signal("c16", (6, 20))
        for what, out in states(np.zeros((6, 20), "c16")):
            if what == "read-only":
                self.refused(ValueError, "read-only", pleat.fft, a, out=out)
                continue
            self.assertIs(pleat.fft(a, out=out), out)
            self.close(out.astype("c16"), np.fft.fft(a), 1e-13, what)
            self.assertIs(pleat.ifft(out, out=out), out)
            self.close(out.astype("c16"), a, 1e-13, what)
        for axis in (0, 1):
            b = a.copy()
            pleat.fft(b, axis=axis, out=b)
            self.close(b, np.fft.fft(a, axis=axis), 1e-13)

    def test_out_that_overlaps(self):
        for shift in (1, 7):
            memory = signal("c16", 100)
            wanted = np.fft.fft(memory[:64])
            self.close(pleat.fft(memory[:64], out=memory[shift : shift + 64]), wanted, 1e-13)
        memory = signal("f8", 66)
        wanted = np.fft.rfft(memory[:64])
        self.close(pleat.rfft(memory[:64], out=memory.view("c16")), wanted, 1e-13)

    def test_nothing_to_transform(self):
        self.assertEqual(pleat.fft(np.empty((0, 8))).shape, (0, 8))
        self.assertEqual(pleat.rfft(np.empty((3, 0, 8))).shape, (3, 0, 5))
        self.assertEqual(pleat.fft2(np.empty((0, 8, 4))).shape, (0, 8, 4))
        for name in ("fft", "rfft", "irfft"):
            self.refused(ValueError, "0 numbers", getattr(pleat, name), [1.0, 2.0], n=0)
            self.assertRaises(ValueError, getattr(pleat, name), [])
        self.refused(ValueError, "0 numbers", pleat.fft2, np.empty((4, 0)))

    def test_what_cannot_be_transformed_is_said_in_a_line(self):
        self.refused(TypeError, "complex", pleat.rfft, [1j, 2j])
        self.refused(TypeError, "long double", pleat.fft, np.ones(4, np.longdouble))
        self.refused(TypeError, "dtype", pleat.fft, ["a"])
        self.refused(ValueError, "norm", pleat.fft, [1.0], norm="both")
        self.refused(ValueError, "axis 2", pleat.fft, [1.0], axis=2)
        self.refused(ValueError, "axis -2", pleat.fft2, [1.0])
        self.refused(ValueError, "unique", pleat.fft2, np.ones((2, 2)), axes=(1, -1))
        self.refused(ValueError, "same length", pleat.fftn, np.ones((2, 2)), s=(2,), axes=(0, 1))
        self.refused(ValueError, "type 5", pleat.dct, [1.0], type=5)
        self.refused(ValueError, "idct: type 1", pleat.idct, [1.0], type=1)
        self.refused(ValueError, "hfft: there is no axis", pleat.hfft, [1.0], axis=1)
        self.refused(ValueError, "-1 numbers", pleat.fft, [1.0], n=-1)
        self.refused(ValueError, "7 of them", pleat.fftn, np.ones((1,) * 9))
        self.refused(ValueError, "dtype", pleat.fft, [1.0], out=np.empty(1))
        self.refused(ValueError, "shape", pleat.rfft, [1.0, 2.0], out=np.empty(1, complex))
