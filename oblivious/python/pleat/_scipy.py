# SPDX-License-Identifier: Apache-2.0
"""The module as a backend of scipy.fft: programs that call scipy.fft are carried out by pleat."""
import numpy as np

from . import _fourier, _threads
from ._arguments import NUMBERS

# The functions of scipy.fft that this module has.
NAMES = {f"{name}{many}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
         for many in ("", "2", "n")} | {
             f"{name}{many}" for name in ("dct", "idct", "dst", "idst") for many in ("", "n")}


def _takes(x):
    """Are these numbers that pleat transforms?"""
    if isinstance(x, np.ma.MaskedArray):
        return False
    dtype = np.asarray(x).dtype
    return dtype.kind in NUMBERS and dtype.itemsize <= (16 if dtype.kind == "c" else 8)


class backend:
    """What scipy.fft.set_backend, set_global_backend and skip_backend take.

    Calls that pleat does not carry out go to SciPy's own functions: of long doubles, with a plan, or
    of more axes than pleat transforms at once. `workers` and scipy.fft.set_workers say how many
    cores work, but the default of SciPy, which is 1, leaves it to set_num_threads. `overwrite_x` is a
    permission that is not used.
    """
    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method, args, kwargs):
        import scipy.fft

        if method.__name__ not in NAMES:
            return NotImplemented
        given = dict(kwargs)
        x = args[:1] or [given[name] for name in ("x",) if name in given]
        if given.pop("plan", None) is not None or x and not _takes(x[0]):
            return NotImplemented
        most = _threads.get_num_threads()
        workers = scipy.fft.get_workers()
        try:
            with _threads.num_threads(min(workers, most) if workers > 1 else None):
                return getattr(_fourier, method.__name__)(*args, **given)
        except _fourier.too_many_axes:
            return NotImplemented


def install():
    """Makes pleat carry out what is called of scipy.fft from now on, in all threads.

    What pleat does not carry out is left to SciPy. Raises ImportError without SciPy.
    `scipy.fft.set_global_backend("scipy")` undoes it.
    """
    import scipy.fft

    scipy.fft.register_backend("scipy")
    scipy.fft.set_global_backend(backend)
