# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy besides sorts, transforms and products that are worth all cores."""
import math

import numpy as np

from . import _core
from ._arguments import axis_of, chosen, fits, native, numbers, packed, target, where, whole
from ._keys import SORTED, argsort_rows, sortable
from ._sorting import argsort_for, sort_for


def partition(a, kth, axis=-1, kind="introselect", order=None, *, out=None, machine=None):
    """As numpy.partition: the kth number, or each of several, is where it would be in the sorted array.

    The whole is sorted, which on several cores takes no longer than to select on one.

    >>> pleat.partition([30, 10, 20], 1)
    array([10, 20, 30])
    """
    _check_partition(kth, axis, kind, numbers(a, "partition", SORTED), "partition")
    return sort_for("partition", a, axis, False, order, False, out, machine, None)


def argpartition(a, kth, axis=-1, kind="introselect", order=None, *, out=None, machine=None):
    """As numpy.argpartition: the order in which partition has the numbers."""
    _check_partition(kth, axis, kind, numbers(a, "argpartition", SORTED), "argpartition")
    return argsort_for("argpartition", a, axis, order, False, out, machine, None)


def unique(a, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, machine=None):
    """The different elements of an array in ascending order, as numpy.unique has them.

    >>> pleat.unique([2, 1, 2, 2], return_counts=True)
    (array([1, 2]), array([1, 3]))
    >>> pleat.unique([[2, 1], [0, 7], [2, 1]], axis=0)
    array([[0, 7],
           [2, 1]])

    return_index: also where each of them is first; return_inverse: also which of them each number
        is, in the shape of `a`; return_counts: also how many there are of each.
    axis: the different rows, or other subarrays, along it; the inverse has one dimension then.
    equal_nan: all NaNs are one, but those of subarrays.
    """
    array = numbers(a, "unique", SORTED)
    machine, _ = where(machine, None, "unique")
    if axis is None:
        shape, elements = array.shape, array.reshape(-1)
        columns = sortable(elements, "unique")[1]
    else:
        array = np.moveaxis(array, axis_of(axis, array, "unique"), 0)
        shape, elements = array.shape[:1], array.reshape(len(array), math.prod(array.shape[1:]))
        columns = [column for i in range(elements.shape[1])
                   for column in sortable(elements[:, i], "unique")[1]]
    if axis is not None or return_index or return_inverse:
        order = argsort_rows(columns, machine) if columns else np.arange(len(elements))
        ordered = elements[order].astype(native(elements.dtype), copy=False)
    else:
        ordered = sort_for("unique", elements, -1, False, None, False, None, machine, None)
    first = np.ones(len(elements), bool)
    differ = ordered[1:] != ordered[:-1]
    first[1:] = differ if axis is None else differ.any(axis=1)
    if axis is None and equal_nan and ordered.size and _is_nan(ordered[-1]):
        first[_first_nan(ordered) + 1:] = False
    distinct = ordered[first]
    if axis is not None:
        distinct = np.moveaxis(distinct.reshape(len(distinct), *array.shape[1:]), 0, axis)
    found = [distinct]
    if return_index:
        found.append(order[first])
    if return_inverse:
        inverse = np.empty(len(elements), np.intp)
        inverse[order] = np.cumsum(first) - 1
        found.append(inverse.reshape(shape))
    if return_counts:
        found.append(np.diff(np.append(np.flatnonzero(first), len(elements))))
    return found[0] if len(found) == 1 else tuple(found)


def cumsum(a, axis=None, dtype=None, out=None, *, machine=None):
    """The sums of all numbers up to each, along an axis, as numpy.cumsum has them.

    Sums of floating-point numbers are rounded otherwise: each core adds its own first.

    >>> pleat.cumsum([1, 2, 3])
    array([1, 3, 6])

    axis: None: of the flattened array. dtype: of the sums: integers, float32 and float64 (what is
    shorter is added in 8 bytes, and bool counts), or complex64 and complex128.
    """
    array = numbers(a, "cumsum")
    machine, _ = where(machine, None, "cumsum")
    if axis is None or array.ndim == 0:
        array, axis = array.reshape(-1), -1 if axis is None else axis
    axis = axis_of(axis, array, "cumsum")
    dtype = _dtype_of_sums(array.dtype if dtype is None else dtype, dtype is None)
    to = target(out, array.shape, dtype, "cumsum", same=[array])
    rows, sums = np.moveaxis(array, axis, -1), np.moveaxis(to.array, axis, -1)
    if rows.size:
        added = np.dtype({"i": np.int64, "u": np.uint64}.get(dtype.kind, dtype))
        direct = added == dtype and fits(sums)
        made = sums if direct else np.empty(sums.shape, added)
        _core.cumsum(machine, packed(rows, added), made)
        if not direct:
            sums[...] = made
    return to.finish()


def sum(a, axis=None, *, exact=False, out=None, machine=None):  # noqa: A001
    """The sum of all numbers, or of those along an axis: the same on any number of cores.

    The order of additions depends on the number of elements alone; with exact=True the sum is as if
    rounded once, to float64. Sums of float32 are float64, of integers int64 or uint64, and wrap.

    >>> pleat.sum([1e16, 1, -1e16], exact=True)
    1.0

    axis: None: of the flattened array.
    """
    array = numbers(a, "sum")
    if array.dtype.char in "gG":
        raise TypeError(f"sum: no sums of {array.dtype}; give it a.astype(float)")
    machine, _ = where(machine, None, "sum")
    if axis is None or array.ndim == 0:
        array, axis = array.reshape(-1), -1 if axis is None else axis
    rows = np.moveaxis(array, axis_of(axis, array, "sum"), -1)
    dtype = np.dtype({"b": np.int64, "i": np.int64, "u": np.uint64, "f": np.float64,
                      "c": np.complex128}[array.dtype.kind])
    to = target(out, rows.shape[:-1], dtype, "sum", same=[array])
    if exact and dtype.kind == "c":
        to.array.real[...] = sum(rows.real, -1, exact=True, machine=machine)
        to.array.imag[...] = sum(rows.imag, -1, exact=True, machine=machine)
    elif rows.size == 0:
        to.array[...] = 0
    else:
        made = np.empty((rows.size // rows.shape[-1], 1), dtype)
        _core.sum(machine, packed(rows, dtype), bool(exact) and dtype.kind == "f", made)
        to.array[...] = made.reshape(to.array.shape)
    result = to.finish()
    return result[()] if out is None else result


def top_k(a, k, axis=-1, *, largest=True, machine=None):
    """The k greatest numbers along an axis, the greatest first, and where they are.

    Equal ones are in their order; NaN counts as the greatest.

    >>> pleat.top_k([3, 9, 5, 9], 3)
    (array([9, 9, 5]), array([1, 3, 2]))

    axis: None: of the flattened array. largest: False: the least, the least first.
    """
    array = numbers(a, "top_k", SORTED)
    machine, _ = where(machine, None, "top_k")
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis = axis_of(axis, array, "top_k")
    k, length = whole(k, "top_k: k"), array.shape[axis]
    if not 0 <= k <= length:
        raise ValueError(f"top_k: k = {k}, and there are {length} numbers along axis {axis}")
    rows = packed(np.moveaxis(array, axis, -1))
    places = _best(rows, k, bool(largest), machine)
    values = np.take_along_axis(rows, places, -1)
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


def _best(rows, k, largest, machine):
    """Where the k best numbers of each row are."""
    dtype = rows.dtype
    if 64 * k > rows.shape[-1] or dtype.kind not in "biuf" or dtype.char == "g":  # by a sort
        return argsort_for("top_k", rows, -1, None, largest, None, machine, None)[..., :k]
    if dtype.kind in "biu" and dtype.itemsize < 8:
        rows = rows.astype(np.uint64 if dtype.kind in "bu" else np.int64)
    elif dtype.char == "e":
        rows = rows.astype(np.float32)
    places = np.empty((*rows.shape[:-1], k), np.int64)
    if places.size:
        _core.top_k(machine, rows, largest, places)
    return places


def _dtype_of_sums(asked, widen):
    try:
        dtype = native(np.dtype(asked))
    except TypeError:
        raise TypeError(f"cumsum: dtype {asked!r} is none of NumPy's") from None
    if widen and (dtype.kind == "b" or dtype.kind in "iu" and dtype.itemsize < np.dtype(int).itemsize):
        return np.dtype(np.uint if dtype.kind == "u" else int)
    if dtype.kind not in "iufc" or dtype.char in "egG":
        other = {"b": "int", "c": "complex"}.get(dtype.kind, "float")
        raise TypeError(f"cumsum: no sums of {dtype}; give it dtype={other}")
    return dtype


def _is_nan(element):
    return element.dtype.kind in "fcmM" and np.isnan(element)


def _first_nan(ordered):
    """Where the NaNs begin, which are the last ones."""
    low, high = 0, ordered.size - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_nan(ordered[middle]) else (middle + 1, high)
    return low


def _check_partition(kth, axis, kind, array, name):
    chosen({"introselect": None}, kind, f"{name}: kind")
    length = array.size if axis is None else array.shape[axis_of(axis, array, name)]
    for one in kth if np.iterable(kth) and not isinstance(kth, str) else [kth]:
        one = whole(one, f"{name}: kth")
        if array.size and not -length <= one < length:
            raise ValueError(f"{name}: kth = {one}, and there are {length} numbers")
