# SPDX-License-Identifier: Apache-2.0
import functools

import numpy as np

from . import _core
from ._arguments import chosen, native, numbers, target, where

SEMIRINGS = _core.semiring.__members__


def matmul(a, b, semiring="plus_times", *, out=None, machine=None, vps=None):
    """The product of two matrices over a semiring, as numpy.matmul has it over plus_times.

    plus_times: numbers; integers wrap around, as NumPy's do.
    min_plus, max_plus: lengths of shortest and of longest paths; a float that is infinite (of
        max_plus negative) says that there is no path; for integers see zero_of.
    max_min: widths of widest paths. or_and: reachability, of bool, or the bits of integers.

    >>> roads = np.array([[0.0, 3.0, np.inf], [np.inf, 0.0, 4.0], [np.inf, np.inf, 0.0]])
    >>> pleat.matmul(roads, roads, "min_plus")
    array([[ 0.,  3.,  7.],
           [inf,  0.,  4.],
           [inf, inf,  0.]])

    a, b: matrices, whose rows or columns lie one behind the other; others are copied. Vectors and
        stacks of matrices are taken as numpy.matmul takes them; a stack is multiplied one by one.
    out: where the product goes; matrices that a or b share memory with are copied.
    machine, vps: as of sort.
    """
    left, right = numbers(a, "matmul"), numbers(b, "matmul")
    kind = chosen(SEMIRINGS, semiring, "matmul: semiring")
    machine, vps = where(machine, vps, "matmul")
    dtype = left.dtype if left.dtype is right.dtype else np.result_type(left.dtype, right.dtype)
    dtype = native(dtype)
    _check_type(kind, dtype, semiring)
    if left.ndim == 0 or right.ndim == 0:
        raise ValueError("matmul: a factor has no dimensions; take a * b")
    # A vector is a row on the left, a column on the right, and the result has no such dimension.
    rows = left if left.ndim > 1 else left[np.newaxis, :]
    columns = right if right.ndim > 1 else right[:, np.newaxis]
    if rows.shape[-1] != columns.shape[-2]:
        raise ValueError(f"matmul: a of shape {left.shape} does not fit b of shape {right.shape}: "
                         "a has as many columns as b has rows")
    stack = _stack(left, right) if max(left.ndim, right.ndim) > 2 else ()
    full = (*stack, rows.shape[-2], columns.shape[-1])
    shape = stack + full[-2:][left.ndim == 1 : 2 - (right.ndim == 1)]
    to = target(out, shape, dtype, "matmul", inputs=[left, right])
    product = to.array.reshape(full)
    if not stack:
        _core.matmul(machine, kind, _factor(rows, dtype), _factor(columns, dtype), product, vps)
        return to.finish() if shape or out is not None else to.finish()[()]
    rows = np.broadcast_to(rows, (*stack, *rows.shape[-2:]))
    columns = np.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    for at in np.ndindex(*stack):
        _core.matmul(machine, kind, _factor(rows[at], dtype), _factor(columns[at], dtype),
                     product[at], vps)
    return to.finish()


def matmul_argmin(a, b, *, out=None, machine=None, vps=None):
    """The product of two matrices over min_plus, and where its minima are.

    The second result has, for each element (i, j), the least k with a[i, k] + b[k, j] equal to it,
    or -1 if there is no path, as NaN says too. If a has the lengths of paths and b those of edges, k is the last
    place but one of a shortest path.

    >>> roads = np.array([[0.0, 3.0, np.inf], [np.inf, 0.0, 4.0], [np.inf, np.inf, 0.0]])
    >>> pleat.matmul_argmin(roads, roads)[1]
    array([[ 0,  0,  1],
           [-1,  1,  1],
           [-1, -1,  2]])

    a, b: matrices of integers, float32 or float64 of 4 or 8 bytes. out: where the product goes.
    The places are integers as wide as the numbers.
    """
    left, right = numbers(a, "matmul_argmin"), numbers(b, "matmul_argmin")
    machine, vps = where(machine, vps, "matmul_argmin")
    dtype = native(np.result_type(left.dtype, right.dtype))
    if not _core.has_places(dtype):
        raise TypeError(f"matmul_argmin: there are no places of minima of {dtype}; convert them to "
                        "float64 or int64")
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise ValueError(f"matmul_argmin: a of shape {left.shape} does not fit b of shape "
                         f"{right.shape}: two matrices, a with as many columns as b has rows")
    shape = left.shape[0], right.shape[1]
    to = target(out, shape, dtype, "matmul_argmin", inputs=[left, right])
    places = np.empty(shape, f"i{dtype.itemsize}")
    _core.matmul_argmin(machine, _factor(left, dtype), _factor(right, dtype), to.array, places, vps)
    return to.finish(), places


def zero_of(semiring, dtype=float):
    """The number that says "no path" in matrices of a dtype: the sum of nothing.

    Integers above a quarter of the dtype's greatest one count as it over min_plus, below minus a
    quarter over max_plus; other lengths are at least minus, at most an eighth of the greatest.

    >>> int(pleat.zero_of("min_plus", np.int32)), float(pleat.zero_of("max_plus"))
    (1073741823, -inf)
    """
    try:
        nothing = np.empty((1, 0), dtype)
    except TypeError:
        raise TypeError(f"zero_of: dtype {dtype!r} is none of NumPy's") from None
    return matmul(nothing, nothing.T, semiring)[0, 0]


def _stack(left, right):
    """The dimensions before the last two of the product."""
    try:
        return np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise ValueError(f"matmul: stacks of shapes {left.shape} and {right.shape} do not fit "
                         "each other") from None


@functools.lru_cache(maxsize=256)
def _check_type(kind, dtype, semiring):
    if _core.has_products(kind, dtype):
        return
    advice = "bool or integers" if semiring == "or_and" else "float64"
    if dtype == bool:
        advice = "integers, or take the semiring or_and"
    elif dtype.kind == "c" and semiring == "plus_times":
        advice = "complex128"
    raise TypeError(f"matmul: there are no products of {dtype} over {semiring}; "
                    f"convert them to {advice}")


def _factor(matrix, dtype):
    """The matrix as the extension takes it: itself, or a copy."""
    if matrix.dtype == bool and matrix.view(np.uint8).max(initial=0) > 1:
        matrix = matrix.view(np.uint8) != 0  # or_and is of bits; any byte but 0 is true
    usable = matrix.dtype == dtype and matrix.flags.aligned and matrix.size != 0
    if usable and any(_steps(one, dtype.itemsize) for one in (matrix, matrix.T)):
        return matrix
    return np.array(matrix, dtype=dtype, order="C")


def _steps(matrix, itemsize):
    """Do its rows lie apart by so many whole numbers, and the numbers of each one behind the other?"""
    rows, columns = matrix.shape
    step, next_one = matrix.strides
    return (columns == 1 or next_one == itemsize) and (
        rows == 1 or (step % itemsize == 0 and step // itemsize >= columns))
