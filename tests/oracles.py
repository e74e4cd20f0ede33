# SPDX-License-Identifier: Apache-2.0
"""Numbers of every type, and what NumPy makes of them: for the Python module, the tool and ranks."""
import itertools

import numpy as np

INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(f"f{size}") for size in (2, 4, 8)] + [np.dtype(np.longdouble)]
COMPLEX = [np.dtype("c8"), np.dtype("c16"), np.dtype(np.clongdouble)]
ALL = [np.dtype(bool), *INTEGERS, *FLOATS, *COMPLEX]


def random_numbers(dtype, shape, seed=1):
    """Numbers of a dtype, many of them equal, and those that have an order of their own."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        about = np.iinfo(dtype)
        wide = random.integers(about.min, about.max, shape, dtype, endpoint=True)
        return np.where(random.random(shape) < 0.5, wide, wide % 7).astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    def real():
        plain = random.standard_normal(shape)
        return np.where(random.random(shape) < 0.7, plain, random.choice(special, shape))
    if dtype.kind == "f":
        return real().astype(dtype)
    values = np.empty(shape, dtype)
    values.real, values.imag = real(), real()
    return values


def signal(dtype, shape, seed=1):
    """Numbers to transform, without those that have no order."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def transformed(name, a, *args, **keywords):
    """NumPy's transform, in the precision that a float32 has."""
    wanted = getattr(np.fft, name)(a, *args, **keywords)
    if np.asarray(a).dtype.str[1:] in ("f2", "f4", "c8"):
        return wanted.astype("c8" if wanted.dtype.kind == "c" else "f4")
    return wanted


def lengths(dtype, shape, seed=1):
    """Small whole numbers, whose products and sums are exact."""
    return np.random.default_rng(seed).integers(0, 15, shape).astype(dtype)


SEMIRINGS = {"min_plus": (np.add, np.minimum), "max_plus": (np.add, np.maximum),
             "max_min": (np.minimum, np.maximum)}


def product(semiring, a, b):
    if semiring not in SEMIRINGS:
        return a @ b
    times, plus = SEMIRINGS[semiring]
    return plus.reduce(times(a[:, :, np.newaxis], b[np.newaxis, :, :]), axis=1)


MODES = {"fixed": "edge", "periodic": "wrap", "reflecting": "symmetric"}


def neighbourhood(grid, edges):
    """The grid shifted by each of (−1, 0, 1)^d: {shift: array}."""
    for axis, edge in enumerate(edges):
        widths = [(1, 1) if i == axis else (0, 0) for i in range(grid.ndim)]
        grid = np.pad(grid, widths, mode=MODES[edge])
    inner = tuple(slice(1, n - 1) for n in grid.shape)
    return {shift: grid[tuple(slice(s.start + d, s.stop + d) for s, d in zip(inner, shift))]
            for shift in itertools.product((-1, 0, 1), repeat=grid.ndim)}


def stepped(grid, steps, rule, edges):
    """Whole sweeps; `rule` makes a new grid of a neighbourhood and the grid before."""
    before = grid
    for _ in range(steps):
        new = rule(neighbourhood(grid, edges), before).astype(grid.dtype)
        for axis, edge in enumerate(edges):
            if edge == "fixed":
                for end in (0, -1):
                    at = [slice(None)] * grid.ndim
                    at[axis] = end
                    new[tuple(at)] = grid[tuple(at)]
        before, grid = grid, new
    return grid


def axes_sum(near):
    return sum(near[shift] for shift in near if sum(map(abs, shift)) == 1)


def heat(near, _):
    d = len(next(iter(near)))
    return near[(0,) * d] / 2 + axes_sum(near) / (4 * d)


def wave(near, before):
    d = len(next(iter(near)))
    here = near[(0,) * d]
    return 2 * here - before + (axes_sum(near) - 2 * d * here) / (2 * d)


def life(near, _):
    here = near[(0, 0)] != 0
    alive = sum((near[shift] != 0).astype(int) for shift in near if shift != (0, 0))
    return (alive == 3) | ((alive == 2) & here)


def weighted(weights):
    """A rule that sums all neighbours and the cell, each times its weight."""
    return lambda near, _: sum(weights[tuple(d + 1 for d in shift)] * near[shift] for shift in near)
