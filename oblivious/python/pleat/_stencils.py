# SPDX-License-Identifier: Apache-2.0
import numpy as np

from . import _core
from ._arguments import chosen, count, native, numbers, packed, target, where
from ._stretches import stretches, told

KERNELS = _core.kernel.__members__
BOUNDARIES = _core.boundary.__members__


def stencil(grid, steps, kernel="heat", boundary="fixed", *, progress=None, out=None, machine=None,
            vps=None):
    """Steps of a stencil: each cell becomes what the kernel makes of it and its neighbours.

    >>> plate = np.zeros((3, 3)); plate[1, 1] = 8
    >>> pleat.stencil(plate, 1, boundary="periodic")
    array([[0., 1., 0.],
           [1., 4., 1.],
           [0., 1., 0.]])
    >>> pleat.stencil(plate, 1, kernel=np.full((3, 3), 1 / 9), boundary="periodic").sum()
    8.0

    grid: of one to three dimensions, float32 or float64; of integers, bool and float16 it is made
        float64. For life of two, of bool or bytes, where 0 is dead.
    steps: how many; as many as take some tenths of a second are one piece of work.
    kernel: 'heat' halves a cell and adds half the mean of its neighbours along the axes; 'wave' is
        the wave equation from rest; 'life' is Conway's game. Or weights, 3 in each dimension: a cell
        becomes the sum of the 3, 9 or 27 cells around it, each times its weight, as
        scipy.ndimage.correlate has it.
    boundary: 'fixed' (the outermost cells stay as they are), 'periodic' or 'reflecting'; or a tuple
        of one for each dimension.
    progress: a function, called as progress(done, steps) some times a second; True for a bar on stderr.
    out: where the result goes; may be `grid` itself. After Ctrl-C it is between two steps.
    machine, vps: as of sort.
    """
    array = numbers(grid, "stencil")
    machine, vps = where(machine, vps, "stencil")
    steps = count(steps, "stencil: steps")
    weights = None if isinstance(kernel, str) else numbers(kernel, "stencil: kernel")
    life = kernel == "life" if weights is None else False
    if weights is None:
        kernel = chosen(KERNELS, kernel, "stencil: kernel")
    _check_shape(array, weights, life)
    edges = _edges(boundary, array.ndim)
    dtype = dtype_of_cells(array.dtype, life)
    inputs = [] if weights is None else [weights]
    to = target(out, array.shape, dtype, "stencil", inputs=inputs, same=[array])
    weights = None if weights is None else packed(weights, dtype)
    if to.array is not array:
        np.copyto(to.array, array, casting="unsafe")
    before = to.array.copy() if weights is None and kernel == KERNELS["wave"] else None
    cells = to.array.view(np.uint8) if life else to.array
    counted = machine is not None and machine._counts
    done = 0
    try:
        with told("stencil", progress) as tell:
            for some in [steps] if counted else stretches(steps, cells.size, vps):
                if weights is not None:
                    _core.weighted_stencil(machine, weights, edges, some, cells, vps)
                else:
                    _core.stencil(machine, kernel, edges, some, cells, before, vps)
                done += some
                if tell and steps:
                    tell(done, steps)
    finally:
        result = to.finish()
    return result


def _check_shape(array, weights, life):
    if array.ndim not in ((2,) if life else (1, 2, 3)):
        raise ValueError(f"stencil: a grid of {array.ndim} dimensions; it takes "
                         + ("two for life" if life else "one to three"))
    if weights is not None and weights.shape != (3,) * array.ndim:
        raise ValueError(f"stencil: weights of shape {weights.shape}; "
                         f"a grid of {array.ndim} dimensions has weights of shape {(3,) * array.ndim}")
    if weights is not None and weights.dtype.kind == "c":
        raise TypeError("stencil: the weights are complex; take their real parts: kernel.real")


def dtype_of_cells(dtype, life, grid="grid"):
    """The dtype in which the steps of a grid of that dtype are done; `grid` is what it is called."""
    if life:
        if dtype.itemsize != 1:
            raise TypeError(f"stencil: life takes bool or bytes, not {dtype}; give it {grid} != 0")
        return dtype
    if dtype.kind == "c" or dtype.itemsize > 8:
        advice = (f"{grid}.real and {grid}.imag one by one" if dtype.kind == "c" else
                  f"{grid}.astype('f8')")
        raise TypeError(f"stencil: no grids of {dtype}; take {advice}")
    return native(dtype) if dtype.kind == "f" and dtype.itemsize >= 4 else np.dtype(np.float64)


def _edges(boundary, dimensions):
    names = list(boundary) if isinstance(boundary, (list, tuple)) else [boundary]
    if isinstance(boundary, (list, tuple)) and len(names) != dimensions:
        raise ValueError(f"stencil: {len(names)} boundaries for a grid of {dimensions} dimensions; "
                         "give one name, or one for each")
    return [chosen(BOUNDARIES, name, "stencil: boundary") for name in names]
