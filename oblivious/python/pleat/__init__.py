# SPDX-License-Identifier: Apache-2.0
"""Pleat: sorting, Fourier transforms, matrix products and stencils on all cores, for NumPy's arrays.

The functions take what numpy.asarray takes, use its memory as it is where it is aligned and in C
order, work without the interpreter's lock, and write to `out=` if there is one. They run on the
process's own machine, of all cores that this process may use, or on `machine=`.

Raised are ValueError and TypeError for arguments that make no sense, MemoryError, environment_error
for what this machine does not have, and run_error for a run that ended early. Ctrl-C ends a call with
KeyboardInterrupt; what `out=` has then is unspecified, but for stencil's.
"""
from . import _machines
from ._core import costs, environment_error, machine, run_error
from ._core import version as __version__
from ._costs import evaluate, probe, release_memory, topology
from ._everyday import argpartition, cumsum, partition, sum, top_k, unique
from ._fourier import (
    dct, dctn, dst, dstn, fft, fft2, fftn, hfft, hfft2, hfftn, idct, idctn, idst, idstn, ifft, ifft2,
    ifftn, ihfft, ihfft2, ihfftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn)
from ._scipy import backend, install
from ._products import matmul, matmul_argmin, zero_of
from ._sorting import argsort, sort, stable_sort
from ._stencils import stencil
from ._threads import get_num_threads, num_threads, set_num_threads

__all__ = sorted(name for name in globals() if not name.startswith("_"))


def __getattr__(name):
    if name != "distributed":
        raise AttributeError(f"module 'pleat' has no attribute {name!r}")
    import importlib

    try:
        return importlib.import_module("pleat.distributed")
    except ImportError as error:  # without mpi4py, or for another MPI
        raise AttributeError(f"pleat.distributed: {error}") from None
