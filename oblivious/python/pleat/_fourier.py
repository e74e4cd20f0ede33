# SPDX-License-Identifier: Apache-2.0
import operator

import numpy as np

from . import _core
from ._arguments import axis_of, chosen, numbers, packed, target, where

KINDS = _core.fft_kind.__members__
NORMS = {name: norm for name, norm in _core.fft_norm.__members__.items() if name != "none"}


def fft(a, n=None, axis=-1, norm="backward", *, out=None, machine=None, vps=None):
    """The discrete Fourier transform along an axis, as scipy.fft.fft has it; of any size.

    float16, float32 and complex64 are transformed in single precision, all others in double. The
    other dimensions are a batch, whose transforms are one piece of work.

    >>> pleat.fft([1, 0, 0, 0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

    a: an array of numbers but long doubles; complex ones in C order are read where they lie.
    n: transform so many numbers along the axis: of more only the first, fewer are filled with zeros.
    axis: the last one is transformed where it lies, another one in a copy.
    norm: which transforms are divided: 'backward' or None the inverse ones by n, 'forward' the
        others, or 'ortho' both by the square root.
    out: where the result goes; for fft, ifft, fft2 and ifft2 it may be `a` itself.
    machine, vps: as of sort.
    """
    return _along_axis("fft", a, n, axis, norm, out, machine, vps)


def ifft(a, n=None, axis=-1, norm="backward", *, out=None, machine=None, vps=None):
    """Undoes fft.

    >>> pleat.ifft(pleat.fft([1.0, 2.0, 3.0])).real
    array([1., 2., 3.])
    """
    return _along_axis("ifft", a, n, axis, norm, out, machine, vps)


def rfft(a, n=None, axis=-1, norm="backward", *, out=None, machine=None, vps=None):
    """The first n/2 + 1 results of fft for n real numbers: the others are their conjugates.

    >>> pleat.rfft(np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32))
    array([1.+0.j, 1.+0.j, 1.-0.j], dtype=complex64)
    """
    return _along_axis("rfft", a, n, axis, norm, out, machine, vps)


def irfft(a, n=None, axis=-1, norm="backward", *, out=None, machine=None, vps=None):
    """Undoes rfft: n real numbers, 2 * (m - 1) unless given, from the m = n/2 + 1 of rfft.

    >>> pleat.irfft(pleat.rfft([1.0, 2.0, 3.0]), n=3)
    array([1., 2., 3.])
    """
    return _along_axis("irfft", a, n, axis, norm, out, machine, vps)


def fft2(a, axes=(-2, -1), norm="backward", *, out=None, machine=None, vps=None):
    """The two-dimensional transform of each matrix that two axes span, one matrix after the other.

    >>> pleat.fft2(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _planes("fft2", a, axes, norm, out, machine, vps)


def ifft2(a, axes=(-2, -1), norm="backward", *, out=None, machine=None, vps=None):
    """Undoes fft2."""
    return _planes("ifft2", a, axes, norm, out, machine, vps)


def _numbers(kind, a):
    """The array, and its dtype in the precision of the transform."""
    array = numbers(a, kind)
    if array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
        double = "c16" if array.dtype.kind == "c" else "f8"
        raise TypeError(f"{kind}: long doubles are not transformed; take a.astype({double!r})")
    single = array.dtype.kind in "fc" and array.dtype.itemsize <= (
        8 if array.dtype.kind == "c" else 4)
    if kind != "rfft":
        return array, np.dtype(np.complex64 if single else np.complex128)
    if array.dtype.kind == "c":
        raise TypeError("rfft: the numbers are complex; take fft, or their real parts: a.real")
    return array, np.dtype(np.float32 if single else np.float64)


def _resized(array, n):
    """The first n numbers of each row, and zeros where it has fewer."""
    if array.shape[-1] >= n:
        return array[..., :n]
    longer = np.zeros((*array.shape[:-1], n), array.dtype)
    longer[..., : array.shape[-1]] = array
    return longer


def _result(kind, dtype):
    part = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    return np.dtype(f"f{part}" if kind == "irfft" else f"c{2 * part}")


def _along_axis(kind, a, n, axis, norm, out, machine, vps):
    array, dtype = _numbers(kind, a)
    axis = axis_of(axis, array, kind)
    norm = chosen(NORMS, "backward" if norm is None else norm, f"{kind}: norm")
    machine, vps = where(machine, vps, kind)
    rows = array if axis == array.ndim - 1 else np.moveaxis(array, axis, -1)
    if n is None:
        n = rows.shape[-1] if kind != "irfft" else 2 * (rows.shape[-1] - 1)
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"{kind}: there is no transform of {n} numbers")
    given = n // 2 + 1 if kind == "irfft" else n
    if rows.shape[-1] != given:
        rows = _resized(rows, given)
    length = n // 2 + 1 if kind == "rfft" else n
    shape = (*array.shape[:axis], length, *array.shape[axis + 1 :])
    source = packed(rows, dtype)
    if axis == array.ndim - 1:
        apart = {"inputs": [source]} if kind in ("rfft", "irfft") else {"same": [source]}
        to = target(out, shape, _result(kind, dtype), kind, **apart)
        _core.transform(machine, KINDS[kind], norm, source, to.array, vps)
    else:
        result = np.empty((*rows.shape[:-1], length), _result(kind, dtype))
        to = target(out, shape, result.dtype, kind)
        _core.transform(machine, KINDS[kind], norm, source, result, vps)
        np.copyto(to.array, np.moveaxis(result, -1, axis))
    return to.finish()


def _planes(kind, a, axes, norm, out, machine, vps):
    array, dtype = _numbers(kind, a)
    norm = chosen(NORMS, "backward" if norm is None else norm, f"{kind}: norm")
    machine, vps = where(machine, vps, kind)
    if len(axes) != 2 or array.ndim < 2:
        raise ValueError(f"{kind}: it takes two axes, of an array that has them")
    axes = tuple(axis_of(axis, array, kind) for axis in axes)
    if axes[0] == axes[1]:
        raise ValueError(f"{kind}: the axes are the same; give it two")
    if 0 in (array.shape[axes[0]], array.shape[axes[1]]):
        raise ValueError(f"{kind}: there is no transform of 0 numbers")
    if axes == (array.ndim - 2, array.ndim - 1):
        source = packed(array, dtype)
        to = target(out, array.shape, dtype, kind, same=[source])
        _core.transform(machine, KINDS[kind], norm, source, to.array, vps)
        return to.finish()
    to = target(out, array.shape, dtype, kind)
    planes = np.array(np.moveaxis(array, axes, (-2, -1)), dtype=dtype, order="C")
    _core.transform(machine, KINDS[kind], norm, planes, planes, vps)
    np.copyto(to.array, np.moveaxis(planes, (-2, -1), axes))
    return to.finish()
