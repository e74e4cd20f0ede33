# SPDX-License-Identifier: Apache-2.0
"""Functions on arrays of which each rank of MPI has a block, over mpi4py.

    from mpi4py import MPI
    from pleat import distributed

    with distributed.machine(MPI.COMM_WORLD) as m:
        mine = distributed.sort(np.random.rand(10_000_000), machine=m)

The blocks of all ranks, one behind the other in the order of the communicator's ranks, are the whole
array; of a matrix or a grid they are blocks of whole rows. Blocks that come in may have any sizes,
those that come back are equal: `share` says which part a rank has. Calls are collective: all ranks
make the same ones in the same order, and where one rank's arguments cannot be, or it has no memory
for its part of the result, all raise.
"""
import atexit
import math
import weakref

import numpy as np
from mpi4py import MPI

from . import _core
from ._arguments import native, numbers, text
from ._stencils import dtype_of_cells

_library = MPI.Get_library_version()
try:
    if _library.startswith("Open MPI"):
        from . import _over_openmpi as _over
    elif "MPICH" in _library:
        from . import _over_mpich as _over
    else:
        raise ImportError
except ImportError:
    raise ImportError("pleat.distributed: this pleat was built without the MPI that mpi4py uses, "
                      + _library.splitlines()[0]) from None

_open = weakref.WeakSet()


class machine:
    """Workers of all ranks of a communicator; the arguments are as of pleat.machine, for each rank.

    Collective. Closed at the latest when Python ends; `with machine() as m:` closes it before.
    """

    def __init__(self, comm=None, processors=None, place=None, wait=None, memory=None):
        self.comm = MPI.COMM_WORLD if comm is None else comm
        if not isinstance(self.comm, MPI.Intracomm):
            raise TypeError("pleat.distributed.machine: comm is a communicator of one group, such as "
                            f"MPI.COMM_WORLD, not {type(self.comm).__name__}")
        if processors is not None:
            processors = str(processors)
        given = [text(value, f"pleat.distributed.machine: {name}", example) for value, name, example
                 in ((place, "place", "spread"), (wait, "wait", "yield"), (memory, "memory", "local"))]
        self._held = _over.machine(self.comm.py2f(), processors, *given)
        _open.add(self)

    @property
    def processors(self):
        """How many workers all ranks have."""
        return self._held.processors

    def close(self):
        self._held.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@atexit.register  # before mpi4py ends MPI
def _close_all():
    for one in list(_open):
        one.close()


def share(n, comm):
    """The first and, one behind it, the last of n elements, or rows, that this rank has."""
    return n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size


def sort(block, *, machine):
    """The sorted array, in the order of pleat.sort."""
    whole = _Whole(block, "sort", machine, (1,))
    out = whole.result(whole.dtype)
    _over.sort(whole.held, whole.dtype, whole.size, whole.read, out.write)
    return out.array


def argsort(block, *, machine):
    """The indices, in the whole array, that would sort it; equal elements keep their order."""
    whole = _Whole(block, "argsort", machine, (1,))
    out = whole.result(np.dtype(np.int64))
    _over.argsort(whole.held, whole.dtype, whole.size, whole.read, out.array.dtype, out.write)
    return out.array


def fft(block, *, machine):
    """The Fourier transform of the whole array."""
    return _transform(block, "fft", machine, False)


def ifft(block, *, machine):
    """The inverse of fft, divided by n."""
    return _transform(block, "ifft", machine, True)


def _transform(block, name, machine, inverse):
    whole = _Whole(block, name, machine, (1,), _complex)
    if whole.size == 0:
        raise ValueError(f"{name}: no elements; give it one at least")
    out = whole.result(whole.dtype)
    _over.transform(whole.held, inverse, whole.dtype, whole.size, whole.read, out.write)
    return out.array


def matmul(a, b, *, machine):
    """The product of two matrices, of each of which a block is some rows."""
    one = _Whole(a, "matmul", machine, (2,), _factor)
    two = _Whole(b, "matmul", machine, (2,), _factor)
    (m, k), (rows, n) = one.shape, two.shape
    if rows != k:
        raise ValueError(f"matmul: {m} × {k} by {rows} × {n}; the second takes as many rows as the "
                         "first has columns")
    dtype = np.result_type(one.dtype, two.dtype)
    for factor in (one, two):
        factor.cast(dtype)
    out = one.result(dtype, (m, n))
    _over.multiply(one.held, dtype, m, k, n, one.read_rectangle, two.read_rectangle,
                   out.write_rectangle)
    return out.array


def stencil(block, steps, kernel="heat", *, machine):
    """Steps of a stencil, as pleat.stencil with fixed edges: kernel is 'heat', 'wave' or 'life'."""
    life = kernel == "life"
    whole = _Whole(block, "stencil", machine, (2,) if life else (1, 2, 3),
                   lambda dtype, _: dtype_of_cells(dtype, life, "block"), agreed=(steps, kernel),
                   fault=_steps_fault(steps, kernel))
    out = whole.result(whole.dtype)
    _over.step(whole.held, kernel, steps, np.dtype(np.uint8) if life else whole.dtype,
               list(whole.shape), whole.read, out.write)
    return out.array


def _steps_fault(steps, kernel):
    if kernel not in ("heat", "wave", "life"):
        return f"stencil: no kernel {kernel!r}; there are heat, wave and life"
    if not isinstance(steps, int) or steps < 0:
        return f"stencil: steps is a number of them, not {steps!r}"
    return None


# What numbers become before they are worked on.

def _same(dtype, _):
    return native(dtype)


def _complex(dtype, name):
    if dtype.itemsize > 16:
        raise TypeError(f"{name}: no transforms of {dtype}; take block.astype(complex)")
    return np.dtype(np.complex64 if dtype in (np.float32, np.complex64) else np.complex128)


def _factor(dtype, name):
    if dtype.kind == "f" and dtype.itemsize == 2 or dtype.itemsize > 16:
        raise TypeError(f"{name}: no products of {dtype}; take block.astype(float)")
    return native(dtype)


class _Whole:
    """The array of all ranks' blocks, its shape, and this rank's rows of it."""

    def __init__(self, block, name, machine, dimensions, dtype_for=_same, agreed=(), fault=None):
        self.comm, self.held = machine.comm, machine._held

        def examined():
            if fault:
                raise ValueError(fault)
            array = numbers(block, name)
            if array.ndim not in dimensions:
                raise ValueError(f"{name}: a block of {array.ndim} dimensions; it takes "
                                 + " or ".join(map(str, dimensions)))
            array = np.ascontiguousarray(array, dtype_for(array.dtype, name))
            return array, ((name, array.dtype.str, array.shape[1:], agreed), array.shape[0])

        array, all_ranks = _on_all(self.comm, examined)
        for rank, (given, _) in enumerate(all_ranks):
            if given != all_ranks[0][0]:
                raise ValueError(f"{name}: rank {rank} gives {given}, rank 0 {all_ranks[0][0]}; all "
                                 "give blocks of one type and the same arguments")
        rows = [one[1] for one in all_ranks]
        self.array, self.dtype = array, array.dtype
        self.shape = (sum(rows), *array.shape[1:])
        self.row = math.prod(self.shape[1:])
        self.first = sum(rows[:self.comm.rank])
        self.size = math.prod(self.shape)

    def cast(self, dtype):
        self.array, _ = _on_all(self.comm, lambda: (self.array.astype(dtype, copy=False), None))
        self.dtype = dtype

    def result(self, dtype, shape=None):
        """Room for a result: this rank's share of its rows."""
        out = _Whole.__new__(_Whole)
        out.comm, out.held, out.dtype = self.comm, self.held, dtype
        out.shape = self.shape if shape is None else shape
        out.row = math.prod(out.shape[1:])
        out.first, last = share(out.shape[0], self.comm)
        mine = (last - out.first, *out.shape[1:])
        out.array, _ = _on_all(self.comm, lambda: (np.empty(mine, dtype), None))
        return out

    # Called by programs, on all ranks at once: elements `first` … of the whole are those of `to`.

    def read(self, to, first):
        _move(self.comm, self.array.reshape(-1), self.first * self.row, to, first)

    def write(self, block, first):
        block = block.view(self.dtype) if block.dtype != self.dtype else block
        _move(self.comm, block, first, self.array.reshape(-1), self.first * self.row)

    def read_rectangle(self, to, first_row, last_row, first_column, last_column):
        mine = (self.first, self.first + len(self.array))
        wanted = self.comm.allgather((first_row, last_row, first_column, last_column))
        held = self.comm.allgather(mine)
        pieces = [self.array[slice(*_common(mine, one[:2], mine[0])), one[2]:one[3]]
                  for one in wanted]
        width = last_column - first_column
        sizes = [width * _length(_common(one, (first_row, last_row))) for one in held]
        _exchange(self.comm, pieces, to, sizes)

    def write_rectangle(self, block, first_row, last_row, first_column, last_column):
        mine = (self.first, self.first + len(self.array))
        width = last_column - first_column
        block = block.reshape(-1, width) if width else block.reshape(last_row - first_row, 0)
        given = self.comm.allgather((first_row, last_row, first_column, last_column))
        held = self.comm.allgather(mine)
        pieces = [block[slice(*_common((first_row, last_row), one, first_row))] for one in held]
        parts = [(_common(one[:2], mine, mine[0]), one[2:]) for one in given]
        sizes = [_length(rows) * (columns[1] - columns[0]) for rows, columns in parts]
        received, _ = _on_all(self.comm, lambda: (np.empty(sum(sizes), self.dtype), None))
        _exchange(self.comm, pieces, received, sizes)
        at = 0
        for (rows, columns), size in zip(parts, sizes):
            to = self.array[slice(*rows), slice(*columns)]
            to[...] = received[at:at + size].reshape(to.shape)
            at += size


def _on_all(comm, make):
    """What make() returns: first this rank's alone, then of all ranks the second. If it raises on a
    rank, all raise an error of that type."""
    try:
        mine, told = make()
        error = None
    except Exception as raised:
        mine, error = None, raised
        kinds = (MemoryError, TypeError, ValueError)
        told = next((kind for kind in kinds if isinstance(raised, kind)), ValueError), f"{raised}"
    all_ranks = comm.allgather((error is None, told))
    if error is not None:
        raise error
    for rank, (made, words) in enumerate(all_ranks):
        if not made:
            raise words[0](f"{words[1]} (rank {rank})")
    return mine, [one for _, one in all_ranks]


def _common(a, b, origin=0):
    """The common part of two intervals, seen from `origin`."""
    first = max(a[0], b[0])
    return first - origin, max(first, min(a[1], b[1])) - origin


def _length(one):
    return one[1] - one[0]


def _move(comm, have, have_first, want, want_first):
    """Copies elements of a whole array from where each rank has them to where each wants them."""
    mine, wanted = ((first, first + len(part)) for first, part in
                    ((have_first, have), (want_first, want)))
    spans = comm.allgather((mine, wanted))
    if all(one == other for one, other in spans):
        want[...] = have
        return
    pieces = [have[slice(*_common(mine, other, have_first))] for _, other in spans]
    _exchange(comm, pieces, want, [_length(_common(one, wanted)) for one, _ in spans])


def _exchange(comm, pieces, to, sizes):
    """Sends piece q to rank q; `to` gets those of all ranks, `sizes` elements of each."""
    sent, _ = _on_all(comm, lambda: (np.concatenate([one.reshape(-1) for one in pieces]), None))
    element = MPI.BYTE.Create_contiguous(to.itemsize).Commit()
    try:
        comm.Alltoallv([sent.view(np.uint8), [piece.size for piece in pieces], element],
                       [to.view(np.uint8), sizes, element])
    finally:
        element.Free()
