# SPDX-License-Identifier: Apache-2.0
"""The module as a backend of scipy.fft: programs that call scipy.fft are carried out by pleat."""
import operator
import os

import numpy as np

from . import _fourier
from ._arguments import NUMBERS

_TAIL = ("overwrite_x", "workers")
_LINES, _ARRAYS = ("x", "n", "axis", "norm", *_TAIL), ("x", "s", "axes", "norm", *_TAIL)
# The functions of scipy.fft that this module has, with their arguments in SciPy's order.
ARGUMENTS = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), _LINES),
    **dict.fromkeys(("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2", "fftn", "ifftn", "rfftn",
                     "irfftn", "hfftn", "ihfftn"), _ARRAYS),
    **dict.fromkeys(("dct", "idct", "dst", "idst"),
                    ("x", "type", *_LINES[1:], "orthogonalize")),
    **dict.fromkeys(("dctn", "idctn", "dstn", "idstn"),
                    ("x", "type", *_ARRAYS[1:], "orthogonalize")),
}


def _takes(x):
    """Are these numbers that pleat transforms?"""
    if isinstance(x, np.ma.MaskedArray):
        return False
    dtype = np.asarray(x).dtype
    return dtype.kind in NUMBERS and dtype.itemsize <= (16 if dtype.kind == "c" else 8)


def _check_workers(workers):
    """Refuses what SciPy refuses."""
    if workers is None:
        return
    workers = operator.index(workers)
    if workers == 0:
        raise ValueError("workers must not be zero")
    if workers < -(os.cpu_count() or 1):
        raise ValueError(f"workers value out of range; got {workers}, must not be less than "
                         f"{-(os.cpu_count() or 1)}")


class backend:
    """What scipy.fft.set_backend, set_global_backend and skip_backend take.

    Calls that pleat does not carry out go to SciPy's own functions: of long doubles, with a plan, or
    of more axes than pleat transforms at once. `workers` does not matter: calls run on the machine
    that the process shares. `overwrite_x` is a permission that is not used.
    """
    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method, args, kwargs):
        names = ARGUMENTS.get(method.__name__)
        if names is None:
            return NotImplemented
        given = {**dict(zip(names, args)), **kwargs}
        if given.pop("plan", None) is not None or not _takes(given["x"]):
            return NotImplemented
        given.pop("overwrite_x", None)
        _check_workers(given.pop("workers", None))
        try:
            return getattr(_fourier, method.__name__)(given.pop("x"), **given)
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
