# SPDX-License-Identifier: Apache-2.0
"""What the functions have in common: arrays that come in, arrays that results go to.

The extension takes arrays of this machine's numbers that are aligned and in C order. Whatever is
that already is used as it is; all else is copied, here alone.
"""
import reprlib

import numpy as np

from . import _core, _threads
from ._threads import whole

NUMBERS = "biufc"  # the kinds of dtypes that are numbers


def numbers(a, name, kinds=NUMBERS):
    """`a` as an array of numbers: itself, a view of its buffer, or what NumPy makes of it."""
    if type(a) is np.ndarray:
        array = a
    elif isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not taken; give it a.filled(…) or a.compressed()")
    else:
        try:
            array = np.asarray(a)
        except ValueError as error:
            raise ValueError(f"{name}: this is no array: {error}") from None
    if array.dtype.kind not in kinds or array.dtype.kind == "V" and not array.dtype.names:
        advice = _ADVICE.get(array.dtype.kind, "give it an array of numbers")
        if array.dtype.names:
            advice = f"give it one field: a[{array.dtype.names[0]!r}]"
        raise TypeError(f"{name}: no numbers of dtype {reprlib.repr(array.dtype)}; {advice}")
    return array


_ADVICE = {
    "O": "Python's objects become numbers by a.astype(float), if they are some",
    "S": "np.unique(a, return_inverse=True)[1] numbers texts in their order",
    "U": "np.unique(a, return_inverse=True)[1] numbers texts in their order",
    "M": "a.view('i8') has dates as numbers", "m": "a.view('i8') has times as numbers",
}


def text(value, what, example):
    """A word of an option, or None."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{what} is a text such as {example!r}, not {type(value).__name__}")


def native(dtype):
    """The dtype in this machine's byte order."""
    return dtype if dtype.byteorder in "=|" else dtype.newbyteorder("=")


def fits(array):
    """Can the extension use this memory?"""
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.dtype.isnative


def packed(array, dtype=None):
    """The array as the extension takes it: itself, or a copy."""
    dtype = native(array.dtype if dtype is None else dtype)
    if array.dtype == dtype and fits(array):
        return array
    return np.array(array, dtype=dtype, order="C")


def addressable(array):
    """Can the transforms use this memory? Its elements may lie anywhere."""
    return array.flags.aligned and array.dtype.isnative and all(
        step % array.itemsize == 0 for step, n in zip(array.strides, array.shape) if n > 1)


def placed(array, dtype):
    """The array as the transforms take it: itself, or a copy."""
    if array.dtype == dtype and addressable(array):
        return array
    return np.array(array, dtype=dtype)


def axis_of(axis, array, name):
    """The axis, counted from 0."""
    axis, dimensions = whole(axis, f"{name}: axis"), array.ndim
    if not -dimensions <= axis < dimensions:
        raise ValueError(f"{name}: there is no axis {axis} in an array of shape {array.shape}")
    return axis % dimensions


def count(value, what):
    """A number of steps, of rounds."""
    value = whole(value, what)
    if not 0 <= value < 2**63:
        raise ValueError(f"{what} = {value} makes no sense")
    return value


def where(machine, vps, name):
    """The machine and the number of virtual processors of a call; both may be None.

    A call that cannot be made ends here: before anything is written to `out`.
    """
    if machine is _threads.ALL:
        machine = None
    elif machine is not None:
        if not isinstance(machine, _core.machine):
            raise TypeError(f"{name}: machine= is a pleat.machine, not {type(machine).__name__}")
        machine._check()
    else:
        machine = _threads.current()
    if vps is None:
        return machine, None
    vps = whole(vps, f"{name}: vps")
    if not 1 <= vps < 2**32:
        raise ValueError(f"{name}: vps = {vps}; there are 1 to 2**32 - 1 virtual processors, or "
                         "leave it out for as many as pay")
    return machine, vps


def chosen(names, name, what):
    """The member of an enumeration of the extension that has this name."""
    try:
        return names[name]
    except (KeyError, TypeError):
        raise ValueError(f"{what} {reprlib.repr(name)} is unknown; known: {', '.join(names)}") from None


class target:
    """Where a result goes: `array` is for the extension to write, `finish()` what the caller gets.

    Both are `out`, where the extension can write there and nothing is read from that memory
    meanwhile. `inputs` are the arrays that are read; those that are `same` may be `out` itself.
    """

    def __init__(self, out, shape, dtype, name, inputs=(), same=(), fit=fits):
        self.out = out
        if out is None:
            self.array = new(shape, dtype, name)
            return
        self.place = writable(out, shape, dtype, name)
        apart = not any(np.may_share_memory(self.place, one) for one in inputs) and not any(
            np.may_share_memory(self.place, one) and not in_place(self.place, one) for one in same)
        self.array = self.place if apart and fit(self.place) else new(shape, dtype, name)

    def finish(self):
        if self.out is None:
            return self.array
        if self.array is not self.place:
            np.copyto(self.place, self.array)
        return self.out


def new(shape, dtype, name):
    """An array of numbers that are not set."""
    try:
        return np.empty(shape, dtype)
    except ValueError:
        raise MemoryError(f"{name}: a result of shape {tuple(shape)} fits in no memory") from None


def in_place(a, b):
    """Are they the same memory, element for element?"""
    return (a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
            and a.strides == b.strides and a.shape == b.shape and a.itemsize == b.itemsize)


def writable(out, shape, dtype, name):
    """`out` as an array, if results of that shape and dtype can be written to it."""
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{name}: out= is a masked array, whose mask would stay; give it out.data")
    try:
        place = out if isinstance(out, np.ndarray) else np.asarray(memoryview(out))
    except TypeError:
        raise TypeError(f"{name}: out= is an array or a buffer, not {type(out).__name__}") from None
    if native(place.dtype) != dtype or place.shape != tuple(shape):
        raise ValueError(f"{name}: out= has shape {place.shape} and dtype {place.dtype}; "
                         f"the result has shape {tuple(shape)} and dtype {dtype}")
    if not place.flags.writeable:
        raise ValueError(f"{name}: out= is read-only")
    return place
