# SPDX-License-Identifier: Apache-2.0
import numpy as np

from . import _core
from ._arguments import axis_of, native, packed, target, where
from ._keys import argsort_rows, dates, sortable

KINDS = {"q": False, "h": False, "m": True, "s": True}  # NumPy's first letters: is it stable?


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False, out=None, machine=None,
         vps=None):
    """The elements of an array in ascending order, along an axis, as numpy.sort has them.

    NaNs and NaTs come last, complex numbers are ordered by their real parts, then by their imaginary
    parts. Of real numbers -0.0 comes before 0.0.

    >>> pleat.sort([3, 1, 2])
    array([1, 2, 3])
    >>> keys = np.array([2.5, np.nan, -1.0])
    >>> pleat.sort(keys, out=keys)                  # in place: nothing is copied
    array([-1. ,  2.5,  nan])
    >>> people = np.array([(b"Bo", 31), (b"Al", 42)], dtype=[("name", "S8"), ("age", "i4")])
    >>> pleat.sort(people, order="age")["name"]
    array([b'Bo', b'Al'], dtype='|S8')

    a: an array of any numeric dtype, of dates or spans of time, of texts of fixed width (S, U) or of
        structures of these, or what numpy.asarray makes one of.
    axis: the last one is sorted where it lies, another one in a copy; None: of the flattened array.
    kind, stable: NumPy's; 'stable', 'merge' or stable=True: as stable_sort.
    order: the fields that structures are sorted by, the others after them.
    descending: the greatest first, NaNs before them.
    out: where the result goes; may be `a` itself.
    machine: the machine that sorts; else the process's own.
    vps: the number of virtual processors, for one row of numbers; see evaluate.
    """
    return sort_for("sort", a, axis, _is_stable(kind, stable, "sort"), order, descending, out, machine,
                    vps)


def stable_sort(a, axis=-1, *, order=None, descending=False, out=None, machine=None, vps=None):
    """As sort; equal complex numbers and long doubles keep their order, by the signs of zeros too.

    Equal numbers of the other dtypes cannot be told apart, but for zeros: -0.0 comes before 0.0.

    >>> pleat.stable_sort(np.array([complex(-0.0, 1), 2j, 1j]))
    array([-0.+1.j,  0.+1.j,  0.+2.j])
    """
    return sort_for("stable_sort", a, axis, True, order, descending, out, machine, vps)


def sort_for(name, a, axis, stable, order, descending, out, machine, vps):
    """sort, called by that name."""
    array, columns, axis = _flat(*sortable(a, name, order), axis, name)
    machine, vps = where(machine, vps, name)
    _check_single(array, axis, vps, name)
    kind = array.dtype.kind
    if kind in "mM":
        to = target(out, array.shape, native(array.dtype), name, same=[array])
        np.copyto(to.array, dates(_sorted(columns[0], axis, columns[0], machine, vps, name, descending),
                                  to.array.dtype))
        return to.finish()
    if kind in "biuf" and array.dtype.itemsize <= 8 or kind in "fc" and not stable:
        return _sorted(array, axis, out, machine, vps, name, descending)
    to = target(out, array.shape, native(array.dtype), name, inputs=[array])
    places = _order(columns, axis, machine, vps, descending)
    to.array[...] = np.take_along_axis(array, places, axis)
    return to.finish()


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False, out=None,
            machine=None, vps=None):
    """Where each element of the sorted array comes from, as numpy.argsort(kind='stable') has it.

    >>> pleat.argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0])

    The arguments are those of sort; `out` is of numpy.intp and no memory of `a`. It is stable
    whatever is asked for, also where it is descending, but -0.0 comes before 0.0, as it does in sort.
    """
    _is_stable(kind, stable, "argsort")
    return argsort_for("argsort", a, axis, order, descending, out, machine, vps)


def argsort_for(name, a, axis, order, descending, out, machine, vps):
    """argsort, called by that name."""
    array, columns, axis = _flat(*sortable(a, name, order), axis, name)
    machine, vps = where(machine, vps, name)
    _check_single(array, axis, vps, name)
    last = axis == array.ndim - 1
    to = target(out, array.shape, np.dtype(np.int64), name, inputs=[array])
    if last and not descending and len(columns) == 1:
        _core.argsort(machine, packed(columns[0]), to.array, vps)
    else:
        np.copyto(to.array, _order(columns, axis, machine, vps, descending))
    return to.finish()


def _flat(array, columns, axis, name):
    if axis is None:
        return array.reshape(-1), [column.reshape(-1) for column in columns], 0
    return array, columns, axis_of(axis, array, name)


def _check_single(array, axis, vps, name):
    """vps is of one row."""
    rows = array.size // array.shape[axis] if vps is not None and array.size else 1
    if rows > 1:
        raise ValueError(f"{name}: vps is of a single row, and there are {rows}; leave it out")


def _is_stable(kind, stable, name):
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: kind= and stable= say the same; give one of them")
    if kind is None:
        return bool(stable)
    if not isinstance(kind, str) or kind[:1].lower() not in KINDS:
        raise ValueError(f"{name}: kind {kind!r} is unknown; known: quick, heap, merge, stable")
    return KINDS[kind[:1].lower()]


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


def _order(columns, axis, machine, vps, descending=False):
    """argsort, as a view whose axes are those of the array."""
    rows = [np.moveaxis(column, axis, -1) for column in columns]
    if descending:  # backwards in the array that is read backwards: equal ones are in their order
        rows = [one[..., ::-1] for one in rows]
    order = argsort_rows(rows, machine, vps)
    if descending:
        order = order.shape[-1] - 1 - order[..., ::-1]
    return np.moveaxis(order, -1, axis)
