# SPDX-License-Identifier: Apache-2.0
import numpy as np

from . import _core
from ._arguments import axis_of, chosen, native, numbers, packed, target, where


# NumPy's names, and whether what they name is stable.
KINDS = {"quicksort": False, "heapsort": False, "mergesort": True, "stable": True}


def sort(a, axis=-1, kind=None, *, stable=None, descending=False, out=None, machine=None,
         vps=None):
    """The numbers of an array in ascending order, along an axis, as numpy.sort has them.

    NaNs come last, complex numbers are ordered by their real parts, then by their imaginary parts.
    Of real numbers -0.0 comes before 0.0.

    >>> pleat.sort([3, 1, 2])
    array([1, 2, 3])
    >>> keys = np.array([2.5, np.nan, -1.0])
    >>> pleat.sort(keys, out=keys)                  # in place: nothing is copied
    array([-1. ,  2.5,  nan])

    a: an array of any numeric dtype, or what numpy.asarray makes one of.
    axis: the last one is sorted where it lies, another one in a copy; None: of the flattened array.
    kind, stable: NumPy's; 'stable', 'mergesort' or stable=True: as stable_sort.
    descending: the greatest first, NaNs before them.
    out: where the result goes; may be `a` itself.
    machine: the machine that sorts; else the process's own.
    vps: the number of virtual processors, for one row of numbers; see evaluate.
    """
    if _is_stable(kind, stable, "sort"):
        return stable_sort(a, axis, descending=descending, out=out, machine=machine, vps=vps)
    array, axis = _flat(numbers(a, "sort"), axis, "sort")
    machine, vps = where(machine, vps, "sort")
    _check_single(array, axis, vps, "sort")
    return _sorted(array, axis, out, machine, vps, "sort", descending)


def stable_sort(a, axis=-1, *, descending=False, out=None, machine=None, vps=None):
    """As sort; equal complex numbers and long doubles keep their order, by the signs of zeros too.

    Equal numbers of the other dtypes cannot be told apart, but for zeros: -0.0 comes before 0.0.

    >>> pleat.stable_sort(np.array([complex(-0.0, 1), 2j, 1j]))
    array([-0.+1.j,  0.+1.j,  0.+2.j])
    """
    array, axis = _flat(numbers(a, "stable_sort"), axis, "stable_sort")
    machine, vps = where(machine, vps, "stable_sort")
    _check_single(array, axis, vps, "stable_sort")
    if array.dtype.kind != "c" and array.dtype.itemsize <= 8:
        return _sorted(array, axis, out, machine, vps, "stable_sort", descending)
    to = target(out, array.shape, native(array.dtype), "stable_sort", inputs=[array])
    order = _order(array, axis, machine, vps, descending)
    np.copyto(to.array, np.take_along_axis(array, order, axis))
    return to.finish()


def argsort(a, axis=-1, kind=None, *, stable=None, descending=False, out=None, machine=None,
            vps=None):
    """Where each number of the sorted array comes from, as numpy.argsort(kind='stable') has it.

    >>> pleat.argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0])

    The arguments are those of sort; `out` is of numpy.intp and no memory of `a`. It is stable
    whatever is asked for, also where it is descending.
    """
    _is_stable(kind, stable, "argsort")
    array, axis = _flat(numbers(a, "argsort"), axis, "argsort")
    machine, vps = where(machine, vps, "argsort")
    _check_single(array, axis, vps, "argsort")
    last = axis == array.ndim - 1
    to = target(out, array.shape, np.dtype(np.int64), "argsort", inputs=[array])
    if last and not descending:
        _core.argsort(machine, packed(array), to.array, vps)
    else:
        np.copyto(to.array, _order(array, axis, machine, vps, descending))
    return to.finish()


def _flat(array, axis, name):
    if axis is None:
        return array.reshape(-1), 0
    return array, axis_of(axis, array, name)


def _check_single(array, axis, vps, name):
    """vps is of one row."""
    rows = array.size // array.shape[axis] if vps is not None and array.size else 1
    if rows > 1:
        raise ValueError(f"{name}: vps is of a single row, and there are {rows}; leave it out")


def _is_stable(kind, stable, name):
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: kind= and stable= say the same; give one of them")
    return bool(stable) or kind is not None and chosen(KINDS, kind, f"{name}: kind")


def _sorted(array, axis, out, machine, vps, name, descending):
    to = target(out, array.shape, native(array.dtype), name, same=[array])
    if axis == array.ndim - 1:
        if to.array is not array:
            np.copyto(to.array, array)
        _core.sort(machine, to.array, vps)
    else:
        rows = np.array(np.moveaxis(array, axis, -1), dtype=native(array.dtype), order="C")
        _core.sort(machine, rows, vps)
        np.copyto(to.array, np.moveaxis(rows, -1, axis))
    if descending:
        to.array[...] = np.flip(to.array, axis)
    return to.finish()


def _order(array, axis, machine, vps, descending=False):
    """argsort, as a view whose axes are those of the array."""
    rows = np.moveaxis(array, axis, -1)
    # Backwards in the array that is read backwards, so that equal ones are in their order.
    rows = packed(rows[..., ::-1] if descending else rows)
    order = np.empty(rows.shape, np.int64)
    _core.argsort(machine, rows, order, vps)
    if descending:
        order = rows.shape[-1] - 1 - order[..., ::-1]
    return np.moveaxis(order, -1, axis)
