# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms, and transforms by cosines and sines, as scipy.fft has them."""
import numpy as np

from . import _core
from ._arguments import addressable, axis_of, chosen, native, new, numbers, placed, target, where, whole
from ._threads import machine_of

KINDS = _core.fft_kind.__members__
NORMS = {name: norm for name, norm in _core.fft_norm.__members__.items() if name != "none"}
OTHER_NORM = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
MOST_DIMENSIONS = 8  # of the extension


class too_many_axes(ValueError):
    """More axes of an array than the extension takes."""


def _one(name, n):
    """The size of a transform along one axis: -1 is none, as it is among those of several."""
    return None if n is None else (_sized(name, whole(n, f"{name}: n")),)


def _precision(name, array):
    """The bytes of a real number in the precision of the transform."""
    complex = array.dtype.kind == "c"
    part = array.dtype.itemsize // (2 if complex else 1)
    if part > 8:
        double = "c16" if complex else "f8"
        raise TypeError(f"{name}: long doubles are not transformed; take a.astype({double!r})")
    return 4 if array.dtype.kind in "fc" and part <= 4 else 8


def _axes(name, array, s, axes):
    """The axes, counted from 0, and the size of each: the array's own for -1, and without `s`."""
    if s is not None:
        s = [whole(n, f"{name}: s") for n in (s if np.iterable(s) else (s,))]
    if axes is None:
        first = 0 if s is None else array.ndim - len(s)
        if first < 0:
            raise ValueError(f"{name}: {len(s)} sizes are more than the array has dimensions")
        axes = range(first, array.ndim)
    axes = [axis_of(axis, array, name) for axis in (axes if np.iterable(axes) else (axes,))]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: an axis is named twice; all axes must be unique")
    if s is None:
        s = [-1] * len(axes)
    if len(s) != len(axes):
        raise ValueError(f"{name}: {len(s)} sizes and {len(axes)} axes have to be of the same length")
    return axes, [array.shape[axis] if n == -1 else n for axis, n in zip(axes, s)]


def _sized(name, n):
    if n < 1:
        raise ValueError(f"{name}: invalid number of data points: {n} numbers have no transform")
    return n


def _shape(name, array, axes, s):
    """The array's shape with the sizes that are asked for."""
    shape = list(array.shape)
    for axis, n in zip(axes, s):
        shape[axis] = _sized(name, n)
    return shape


def _flat(array, axes):
    """An array of more dimensions than the extension takes: those besides the axes become one.

    Returns: a copy, its axes, and what brings a result of it to its shape."""
    if array.ndim <= MOST_DIMENSIONS:
        return array, axes, None
    if len(axes) >= MOST_DIMENSIONS:
        raise too_many_axes(f"an array of {array.ndim} dimensions can have {MOST_DIMENSIONS - 1} of "
                            "them transformed at once; transform the others afterwards")
    last = range(-len(axes), 0)
    moved = np.moveaxis(array, axes, last)
    rest = moved.shape[: array.ndim - len(axes)]
    flat = moved.reshape(-1, *moved.shape[array.ndim - len(axes):])

    def restored(result):
        return np.moveaxis(result.reshape(*rest, *result.shape[1:]), last, axes)

    return flat, list(range(1, len(axes) + 1)), restored


def _run(name, array, dtype, axes, shape, result, out, same, work):
    """Calls work(source, to, axes), with the array in that dtype, and an array for the result."""
    if not axes:  # SciPy keeps the dtype, too
        to = target(out, shape, native(array.dtype), name)
        np.copyto(to.array, array)
        return to.finish()
    flat, flat_axes, restored = _flat(array, axes)
    source = placed(flat, dtype)
    if restored is not None:
        length = [flat.shape[0], *(shape[axis] for axis in axes)]
        made = new(length, result, name)
        work(source, made, flat_axes)
        made = restored(made)
        if out is None:
            return np.ascontiguousarray(made)
        to = target(out, shape, result, name)
        np.copyto(to.array, made)
        return to.finish()
    to = target(out, shape, result, name, fit=addressable,
                **{"same" if same else "inputs": [source]})
    work(source, to.array, flat_axes)
    return to.finish()


def _complex(name, a, s, axes, norm, out, machine, vps):
    array = numbers(a, name)
    part = _precision(name, array)
    axes, s = _axes(name, array, s, axes)
    norm = chosen(NORMS, "backward" if norm is None else norm, f"{name}: norm")
    machine, vps = where(machine, vps, name)
    shape = _shape(name, array, axes, s)
    dtype = np.dtype(f"c{2 * part}")
    kind = KINDS["ifft" if name.startswith("i") else "fft"]
    return _run(name, array, dtype, axes, shape, dtype, out, True,
                lambda source, to, axes: _core.transform(machine, name, kind, norm, source, to, axes,
                                                         None, vps))


def _real(name, a, s, axes, norm, out, machine, vps):
    back = name.startswith(("ir", "h"))
    array = numbers(a, name)
    part = _precision(name, array)
    if not back and array.dtype.kind == "c":
        raise TypeError(f"{name}: the numbers are complex; take fft, or their real parts: a.real")
    axes, sizes = _axes(name, array, s, axes)
    if not axes:
        raise ValueError(f"{name}: at least 1 axis must be transformed")
    norm = chosen(NORMS, "backward" if norm is None else norm, f"{name}: norm")
    machine, vps = where(machine, vps, name)
    last = axes[-1]
    if back and s is None:
        # SciPy makes one number of one, but not along the one axis of irfft and hfft.
        sizes[-1] = 2 * (array.shape[last] - 1) or int(name not in ("irfft", "hfft"))
    shape = _shape(name, array, axes, sizes)
    n = shape[last]
    if not back:
        shape[last] = n // 2 + 1
    types = np.dtype(f"f{part}"), np.dtype(f"c{2 * part}")
    dtype, result = types[::-1] if back else types
    kind = KINDS["irfft" if back else "rfft"]
    return _run(name, array, dtype, axes, shape, result, out, False,
                lambda source, to, axes: _core.transform(machine, name, kind, norm, source, to, axes,
                                                         n, vps))


def _hermitian(name, a, s, axes, norm, out, machine, vps):
    norm = OTHER_NORM.get("backward" if norm is None else norm, norm)
    if name.startswith("h"):
        return _real(name, np.conj(numbers(a, name)), s, axes, norm, out, machine, vps)
    result = _real(name, a, s, axes, norm, out, machine, vps)
    np.conj(np.asarray(result), out=np.asarray(result))
    return result


def _scale_first(array, axes, factor):
    """Multiplies the numbers that come first along an axis, once for each axis."""
    for axis in axes:
        array[(slice(None),) * axis + (slice(0, 1),)] *= factor


def _trigonometric(name, a, type, s, axes, norm, orthogonalize, out, machine, vps):
    sines, inverse = "s" in name, name.startswith("i")
    array = numbers(a, name)
    part = _precision(name, array)
    type = whole(type, f"{name}: type")
    if not 1 <= type <= 4:
        raise ValueError(f"{name}: invalid type {type}; there are 1, 2, 3 and 4")
    axes, s = _axes(name, array, s, axes)
    norm = chosen(NORMS, "backward" if norm is None else norm, f"{name}: norm")
    machine, vps = where(machine, vps, name)
    shape = _shape(name, array, axes, s)
    if orthogonalize is None:
        orthogonalize = norm == NORMS["ortho"]
    # SciPy scales the first number also of sines, though it is the last one that makes their matrix
    # orthogonal, and its users have spectra of that kind.
    ends = axes and sines and orthogonalize and (5 - type if inverse and type in (2, 3) else type)
    if ends == 3:
        array = np.array(array, dtype=f"c{2 * part}" if array.dtype.kind == "c" else f"f{part}")
        _scale_first(array, axes, np.sqrt(2))

    def work(source, to, axes):
        _core.trigonometric(machine, name, sines, type, inverse, norm,
                            bool(orthogonalize and not sines), source, to, axes, vps)
        if ends == 2:
            _scale_first(to, axes, np.sqrt(0.5))

    real = np.dtype(f"f{part}")
    if array.dtype.kind != "c":
        return _run(name, array, real, axes, shape, real, out, True, work)
    dtype = np.dtype(f"c{2 * part}")
    parts = [_run(name, one, real, axes, shape, real, None, True, work)
             for one in (array.real, array.imag)]
    to = target(out, shape, dtype, name)
    to.array.real, to.array.imag = parts
    return to.finish()

# The functions: their arguments are SciPy's, in its order, and then the module's own.


def _along_one(name, work, about):
    """A transform along one axis."""
    def transform(x, n=None, axis=-1, norm="backward", overwrite_x=False, workers=None, *, out=None,
                  machine=None, vps=None):
        return work(name, x, _one(name, n), (axis,), norm, out, machine_of(machine, workers, name),
                    vps)
    return _named(transform, name, about)


def _along_several(name, work, about, along=None):
    """A transform along several axes, by default those."""
    def transform(x, s=None, axes=along, norm="backward", overwrite_x=False, workers=None, *,
                  out=None, machine=None, vps=None):
        return work(name, x, s, axes, norm, out, machine_of(machine, workers, name), vps)
    return _named(transform, name, about)


def _cosines_along_one(name, about):
    def transform(x, type=2, n=None, axis=-1, norm="backward", overwrite_x=False, workers=None, *,
                  orthogonalize=None, out=None, machine=None, vps=None):
        return _trigonometric(name, x, type, _one(name, n), (axis,), norm, orthogonalize, out,
                              machine_of(machine, workers, name), vps)
    return _named(transform, name, about)


def _cosines_along_several(name, about):
    def transform(x, type=2, s=None, axes=None, norm="backward", overwrite_x=False, workers=None, *,
                  orthogonalize=None, out=None, machine=None, vps=None):
        return _trigonometric(name, x, type, s, axes, norm, orthogonalize, out,
                              machine_of(machine, workers, name), vps)
    return _named(transform, name, about)


def _named(function, name, about):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = about
    return function


fft = _along_one("fft", _complex, """\
    The discrete Fourier transform along an axis, as scipy.fft.fft has it; of any size.

    float16, float32 and complex64 are transformed in single precision, all others in double. The
    other dimensions are a batch, whose transforms are one piece of work.

    >>> pleat.fft([1, 0, 0, 0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

    x: an array of numbers but long doubles; complex ones are read where they lie.
    n: transform so many numbers along the axis: of more only the first, fewer are filled with zeros.
    norm: which transforms are divided: 'backward' or None the inverse ones by n, 'forward' the
        others, or 'ortho' both by the square root.
    out: where the result goes; if numbers of one kind become as many of it, it may be `x` itself.
    overwrite_x: is not used. workers: SciPy's, how many cores; else see set_num_threads.
    machine, vps: as of sort.
    """)
ifft = _along_one("ifft", _complex, """Undoes fft.

    >>> pleat.ifft(pleat.fft([1.0, 2.0, 3.0])).real
    array([1., 2., 3.])
    """)
rfft = _along_one("rfft", _real, """\
    The first n/2 + 1 results of fft for n real numbers: the others are their conjugates.

    >>> pleat.rfft(np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32))
    array([1.+0.j, 1.+0.j, 1.-0.j], dtype=complex64)
    """)
irfft = _along_one("irfft", _real, """\
    Undoes rfft: n real numbers, 2 * (m - 1) unless given, from the m = n/2 + 1 of rfft.

    >>> pleat.irfft(pleat.rfft([1.0, 2.0, 3.0]), n=3)
    array([1., 2., 3.])
    """)
hfft = _along_one("hfft", _hermitian, """\
    The transform, which is real, of numbers whose other half are their conjugates.

    >>> pleat.hfft([1.0, 2.0, 1.0]) + 0.0
    array([ 6.,  0., -2.,  0.])
    """)
ihfft = _along_one("ihfft", _hermitian, """Undoes hfft: the first n/2 + 1 numbers.""")
fftn = _along_several("fftn", _complex, """\
    The transform along several axes, as scipy.fft.fftn has it.

    >>> pleat.fftn(np.ones((2, 2, 2)))[0, 0, 0]
    (8+0j)

    s: numbers to transform along each of the axes, -1 for as many as the array has; without `axes`
        these are the last ones.
    axes: unless given, all of them; of none, (), the result is a copy of `x`.
    """)
ifftn = _along_several("ifftn", _complex, """Undoes fftn.""")
rfftn = _along_several("rfftn", _real, """\
    rfft along the last of the axes, then fft along the others.""")
irfftn = _along_several("irfftn", _real, """\
    Undoes rfftn: 2 * (m - 1) real numbers from m along the last axis without `s`; m for its -1.""")
hfftn = _along_several("hfftn", _hermitian, """\
    hfft along the last of the axes, fft along the others.""")
ihfftn = _along_several("ihfftn", _hermitian, """Undoes hfftn.""")
fft2 = _along_several("fft2", _complex, """fftn of two axes.

    >>> pleat.fft2(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """, (-2, -1))
ifft2 = _along_several("ifft2", _complex, """Undoes fft2.""", (-2, -1))
rfft2 = _along_several("rfft2", _real, """rfftn of two axes.""", (-2, -1))
irfft2 = _along_several("irfft2", _real, """Undoes rfft2.""", (-2, -1))
hfft2 = _along_several("hfft2", _hermitian, """hfftn of two axes.""", (-2, -1))
ihfft2 = _along_several("ihfft2", _hermitian, """Undoes hfft2.""", (-2, -1))
dct = _cosines_along_one("dct", """\
    The discrete cosine transform of type 1, 2, 3 or 4, as scipy.fft.dct has it.

    >>> pleat.dct([1.0, 1.0], norm="ortho").round(6)
    array([1.414214, 0.      ])

    orthogonalize: scale the first number so that the matrix is orthogonal; unless given, for
        norm='ortho'. Complex numbers are transformed as real and imaginary parts.
    """)
idct = _cosines_along_one("idct", """Undoes dct of the same type.""")
dst = _cosines_along_one("dst", """The discrete sine transform, as scipy.fft.dst has it.

    orthogonalize: as of dct; it is the first number that is scaled, with which SciPy's matrix of
        types 2 and 3 is not orthogonal. pleat::dst of the C++ library scales the last one.
    """)
idst = _cosines_along_one("idst", """Undoes dst of the same type.""")
dctn = _cosines_along_several("dctn", """dct along several axes.""")
idctn = _cosines_along_several("idctn", """Undoes dctn.""")
dstn = _cosines_along_several("dstn", """dst along several axes.""")
idstn = _cosines_along_several("idstn", """Undoes dstn.""")
