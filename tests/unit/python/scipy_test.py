# SPDX-License-Identifier: Apache-2.0
"""scipy.fft as users of pleat.install() see it: judged by SciPy's own tests."""
import inspect
import itertools
import pathlib
import unittest
import unittest.mock

import numpy as np
import pleat
from pleat._scipy import NAMES

try:
    import pytest
    import scipy.fft
except ImportError as missing:
    raise SystemExit(f"{missing}: apt-get install python3-scipy python3-pytest") from None

# Tests of what a backend is: they install others.
LEFT_OUT = {"test_backend.py"}


class counted(pleat.backend):  # of whose base scipy would keep what it makes of it, for both
    """The backend, and how often it did something."""
    calls = 0

    @staticmethod
    def __ua_function__(method, args, kwargs):
        result = pleat.backend.__ua_function__(method, args, kwargs)
        counted.calls += result is not NotImplemented
        return result


class backend(unittest.TestCase):
    def test_programs_that_call_scipy_are_carried_out_by_pleat(self):
        a = np.arange(12.0).reshape(3, 4)
        with scipy.fft.set_backend(counted):
            before = counted.calls
            np.testing.assert_allclose(scipy.fft.rfft2(a), np.fft.rfft2(a), atol=1e-12)
            np.testing.assert_allclose(scipy.fft.fft(a, 6, 0, None, True, 2), np.fft.fft(a, 6, 0),
                                       atol=1e-12)
            self.assertEqual(counted.calls, before + 2)
            scipy.fft.fft(np.ones(4, np.longdouble))  # SciPy's own
            self.assertEqual(counted.calls, before + 2)

    def test_workers_of_a_call_and_of_a_block(self):
        with scipy.fft.set_backend(counted), unittest.mock.patch("pleat._core.transform") as done:
            for workers, set_workers, n in ((1, 1, 1), (None, 1, None), (1, 2, 1)):
                with scipy.fft.set_workers(set_workers):
                    scipy.fft.fft(np.ones(4), workers=workers)
                machine = done.call_args[0][0]
                self.assertEqual(machine and machine.processors, n)
            with scipy.fft.set_workers(2), unittest.mock.patch("pleat._threads.num_threads") as block:
                scipy.fft.fft(np.ones(4))
                self.assertEqual(block.call_args[0][0], min(2, pleat.get_num_threads()))

    def test_calls_that_cannot_be_are_refused_as_scipy_refuses_them(self):
        for backend in ("scipy", counted):
            with scipy.fft.set_backend(backend):
                self.assertRaisesRegex(TypeError, "x", scipy.fft.fft)
                self.assertRaises(TypeError, scipy.fft.fft, [1.0], None, -1, None, False, None, 7)
                self.assertRaises(TypeError, scipy.fft.fft, [1.0], wrong=1)

    def same_as_scipy(self, name, x, **keywords):
        """Both have the same result, or refuse the call."""
        results = []
        for backend in ("scipy", counted):
            with scipy.fft.set_backend(backend):
                try:
                    results.append(np.asarray(getattr(scipy.fft, name)(x, **keywords)))
                except (TypeError, ValueError):
                    results.append("refused")
        wanted, got = results
        with self.subTest(name=name, shape=x.shape, dtype=x.dtype, **keywords):
            if isinstance(wanted, str) or isinstance(got, str):
                self.assertIs(wanted, got)
            else:
                self.assertEqual((got.shape, got.dtype), (wanted.shape, wanted.dtype))
                np.testing.assert_allclose(got, wanted, atol=1e-4)

    def test_sizes_and_axes_mean_what_scipy_makes_of_them(self):
        pairs = (-2, -1, 0, 1, 2, 5)
        sizes = [None, -1, 4, [-1], [4], *itertools.product(pairs, pairs), [None, 3]]
        for name in sorted(NAMES):
            for dtype in ("f4", "i4", "c16"):
                for shape in ((4, 3), (3, 1)):
                    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
                    if "n" in inspect.signature(getattr(pleat, name)).parameters:
                        # pocketfft takes 0 of irfft for another size, which is not documented.
                        for n, axis in itertools.product((None, -2, -1, 1, 2, 5), (0, -1)):
                            self.same_as_scipy(name, x, n=n, axis=axis)
                        continue
                    for s, axes in itertools.product(sizes, (None, 0, (1, 0))):
                        self.same_as_scipy(name, x, s=s, axes=axes)
                    self.same_as_scipy(name, x, axes=())

    def test_more_axes_than_pleat_transforms_at_once_are_left_to_scipy(self):
        x = np.arange(512.0).reshape((2,) * 9)
        for name in sorted(NAMES):
            if "s" in inspect.signature(getattr(pleat, name)).parameters:
                for axes, ours in ((None, 0), (range(8), 0), (range(7), 1), (4, 1)):
                    before = counted.calls
                    self.same_as_scipy(name, x, axes=axes)
                    self.assertEqual(counted.calls, before + ours, (name, axes))

    def test_scipys_own_tests(self):
        pleat.install()
        try:
            folder = pathlib.Path(scipy.fft.__file__).parent / "tests"
            files = [str(file) for file in folder.glob("test_*.py") if file.name not in LEFT_OUT]
            self.assertGreater(len(files), 3)
            self.assertEqual(pytest.main(["-q", "-p", "no:cacheprovider", *files]), 0)
        finally:
            scipy.fft.set_global_backend("scipy")
