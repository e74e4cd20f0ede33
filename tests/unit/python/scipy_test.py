# SPDX-License-Identifier: Apache-2.0
"""scipy.fft as users of pleat.install() see it: judged by SciPy's own tests."""
import pathlib
import unittest

import numpy as np
import pleat

try:
    import pytest
    import scipy.fft
except ImportError as missing:
    raise SystemExit(f"{missing}: apt-get install python3-scipy python3-pytest") from None

# Tests of what a backend is: they install others.
LEFT_OUT = {"test_backend.py"}


class counted(pleat.backend):
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

    def test_scipys_own_tests(self):
        pleat.install()
        try:
            folder = pathlib.Path(scipy.fft.__file__).parent / "tests"
            files = [str(file) for file in folder.glob("test_*.py") if file.name not in LEFT_OUT]
            self.assertGreater(len(files), 3)
            self.assertEqual(pytest.main(["-q", "-p", "no:cacheprovider", *files]), 0)
        finally:
            scipy.fft.set_global_backend("scipy")


if __name__ == "__main__":
    unittest.main()
