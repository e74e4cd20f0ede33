# SPDX-License-Identifier: Apache-2.0
"""What is sorted in place of dates, texts and structures: numbers in the same order."""
import numpy as np

from . import _core
from ._arguments import NUMBERS, numbers, packed

SORTED = NUMBERS + "mMSUV"
_LEAST = np.uint64(2**63 - 1)  # from the least date to 0; NaT, below it, comes to be the greatest


def sortable(a, name, order=None):
    """`a` as an array that can be sorted, and the columns of numbers that say how: those of the first
    decide, among equal ones those of the next."""
    array = numbers(a, name, SORTED)
    return array, _columns(array, name, order)


def _columns(array, name, order=None):
    if array.dtype.names:
        return [column for field in _fields(array.dtype, name, order)
                for column in _columns(_numbers_of_field(array, field, name), name)]
    if order is not None:
        raise ValueError(f"{name}: order= names fields, and numbers of {array.dtype} have none")
    if array.dtype.kind in "mM":
        return [array.astype(np.int64).view(np.uint64) + _LEAST]
    if array.dtype.kind in "SU":
        return _words(array)
    return [array]


def dates(keys, dtype):
    """The dates or spans of time of that dtype whose column this is."""
    return (keys - _LEAST).view(np.int64).astype(dtype)


def _words(array):
    """8 bytes, or 2 characters, in a number: shorter texts are filled with zeros."""
    kind, per_word = array.dtype.kind, 8 if array.dtype.kind == "S" else 2
    length = array.dtype.itemsize // (1 if kind == "S" else 4)
    count = max(1, -(-length // per_word))
    text = np.array(array, f"{kind}{count * per_word}", order="C")
    if kind == "S":
        words = text.view(">u8").reshape(*array.shape, count)
    else:
        pairs = text.view(np.uint32).reshape(*array.shape, count, 2).astype(np.uint64)
        words = pairs[..., 0] << np.uint64(32) | pairs[..., 1]
    return [words[..., i] for i in range(count)]


def _fields(dtype, name, order):
    first = list(order or ()) if isinstance(order, (list, tuple, type(None))) else [order]
    for field in first:
        if field not in dtype.names:
            raise ValueError(f"{name}: order= names no field: {field!r}; there are "
                             f"{', '.join(dtype.names)}")
        if first.count(field) > 1:
            raise ValueError(f"{name}: order= names the field {field!r} twice")
    return first + [field for field in dtype.names if field not in first]


def _numbers_of_field(array, field, name):
    of_field = array.dtype[field]
    if of_field.subdtype is not None:
        raise TypeError(f"{name}: the field {field!r} is an array, by which nothing is sorted; name "
                        "others in order= and leave it out: a[['x', 'y']]")
    return numbers(array[field], name, SORTED)


def argsort_rows(columns, machine, vps=None):
    """Where the elements of each sorted row come from; columns are of one shape, rows the last axis."""
    order = np.empty(columns[0].shape, np.int64)
    _core.argsort(machine, packed(columns[0]), order, vps)
    if len(columns) == 1 or not order.size:
        return order
    length = order.shape[-1]
    begin = np.arange(0, order.size, length).repeat(length)
    order = order.reshape(-1) + begin
    # Elements that are equal so far, in groups, are sorted by one column after the other. `at`:
    # their places; `group`: the least place of its members.
    at, group = np.arange(order.size), begin
    for i, column in enumerate(columns):
        column = column.reshape(-1)
        if i > 0:
            by = _argsort(column[order[at]], machine)
            by = by[_argsort(group[by], machine)]
            order[at] = order[at][by]
        first = np.ones(at.shape, bool)
        first[1:] = (group[1:] != group[:-1]) | _differ(column[order[at]])
        alone = first & np.append(first[1:], True)
        group = at[np.maximum.accumulate(np.where(first, np.arange(at.size), 0))]
        at, group = at[~alone], group[~alone]
        if not at.size:
            break
    return (order - begin).reshape(columns[0].shape)


def _argsort(keys, machine):
    order = np.empty(keys.shape, np.int64)
    _core.argsort(machine, packed(keys), order, None)
    return order


def _differ(values):
    """Which numbers differ from the ones before them; NaN is NaN."""
    if values.dtype.kind == "c":
        return _differ(values.real) | _differ(values.imag)
    a, b = values[1:], values[:-1]
    return (a != b) & ((a == a) | (b == b))
