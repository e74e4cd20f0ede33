# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy as np
import pleat
from cases import case, states
from oracles import MODES, heat, life, stepped, wave, weighted
from pleat._stretches import stretches

SHAPES = ((1,), (2,), (50,), (1, 1), (7, 5), (30, 41), (3, 4, 5), (9, 1, 12))


def cells(dtype, shape):
    return np.random.default_rng(1).random(shape).astype(dtype)


class stencils(case):
    def test_heat_and_wave(self):
        for shape in SHAPES:
            for edge in MODES:
                for dtype, tolerance in (("f4", 1e-4), ("f8", 1e-12)):
                    for kernel, rule in (("heat", heat), ("wave", wave)):
                        grid = cells(dtype, shape)
                        got = pleat.stencil(grid, 5, kernel, edge)
                        wanted = stepped(grid, 5, rule, [edge] * grid.ndim)
                        self.close(got, wanted, tolerance, (shape, edge, kernel))

    def test_life(self):
        for edge in MODES:
            for dtype in (bool, "u1", "i1"):
                grid = (cells("f8", (20, 30)) < 0.4).astype(dtype)
                wanted = stepped(grid, 4, life, [edge] * 2)
                self.same(pleat.stencil(grid, 4, "life", edge), wanted, edge)

    def test_weights(self):
        for shape in SHAPES:
            weights = np.random.default_rng(2).random((3,) * len(shape))
            weights /= weights.sum()
            rule = weighted(weights)
            for edge in MODES:
                grid = cells("f8", shape)
                self.close(pleat.stencil(grid, 4, weights, edge),
                           stepped(grid, 4, rule, [edge] * grid.ndim), 1e-12, (shape, edge))

    def test_a_boundary_for_each_dimension(self):
        grid = cells("f8", (9, 11, 6))
        for edges in itertools.product(MODES, repeat=3):
            self.close(pleat.stencil(grid, 3, boundary=edges), stepped(grid, 3, heat, edges), 1e-12)

    def test_other_numbers_become_float64(self):
        grid = np.arange(12).reshape(3, 4) ** 2
        self.close(pleat.stencil(grid, 2), stepped(grid * 1.0, 2, heat, ["fixed"] * 2), 1e-12)
        self.assertEqual(pleat.stencil(grid.astype("f2"), 1).dtype, np.float64)

    def test_memory_of_every_kind(self):
        for dtype in ("f8", "f4"):
            for what, grid in states(cells(dtype, (8, 9))):
                before = grid.copy()
                wanted = stepped(np.ascontiguousarray(grid, dtype), 3, heat, ["fixed"] * 2)
                self.close(pleat.stencil(grid, 3), wanted, 1e-5, what)
                self.same(grid, before)
                if what != "read-only":
                    self.assertIs(pleat.stencil(grid, 3, out=grid), grid)
                    self.close(np.asarray(grid, dtype), wanted, 1e-5, what)

    def test_out_that_is_memory_of_the_weights(self):
        weights = np.arange(9.0).reshape(3, 3) / 36
        grid = cells("f8", (3, 3))
        wanted = pleat.stencil(grid, 2, weights, "periodic")
        self.same(pleat.stencil(grid, 2, weights, "periodic", out=weights), wanted)
        grid = np.arange(1.0, 10).reshape(3, 3) / 45
        wanted = pleat.stencil(grid.copy(), 2, grid.copy(), "periodic")
        self.same(pleat.stencil(grid, 2, grid, "periodic", out=grid), wanted)

    def test_what_is_refused_leaves_out_as_it_is(self):
        for kernel, dtype in (("heat", "f8"), ("wave", "f4"), ("life", "u1")):
            grid = np.full((4, 4), 7, dtype)
            for out in (grid, np.full((4, 4), 3, dtype)):
                before = out.copy()
                for vps in (0, 2**32):
                    self.refused(ValueError, "vps", pleat.stencil, grid, 1, kernel, out=out,
                                 vps=vps)
                    self.same(out, before)
        grid = np.full((4, 4), 7, "u1")
        kind, edge = pleat._core.kernel.life, [pleat._core.boundary.fixed]
        self.assertRaises(ValueError, pleat._core.stencil, None, kind, edge, 1, grid, None, 0)
        self.assertTrue((grid == 7).all())

    def test_steps_in_stretches_are_the_same_steps(self):
        for times in (0.0, 1e-3, 0.05, 0.2, 9.0):  # of each look at the clock
            for vps in (None, 7):
                for steps in (0, 1, 31, 10**6):
                    ticks = itertools.count()
                    done = list(stretches(steps, 2**18, vps, lambda: next(ticks) * times))
                    self.assertEqual(sum(done), steps)
                    self.assertTrue(all(n > 0 for n in done[1:]))
                    if times == 9.0 and steps > 1000:  # as few as it takes at least
                        self.assertEqual(done[2], 1 if vps else 32)
        for kernel in ("heat", "wave", np.full((3, 3), 0.1)):
            grid = cells("f8", (20, 20))
            whole = pleat.stencil(grid, 40, kernel)
            self.close(pleat.stencil(grid, 40, kernel, vps=3), whole, 1e-14)

    def test_no_steps_and_no_cells(self):
        grid = cells("f8", (4, 4))
        self.same(pleat.stencil(grid, 0), grid)
        self.same(pleat.stencil(np.empty((0, 4)), 3), np.empty((0, 4)))

    def test_what_cannot_be_done_is_said_in_a_line(self):
        grid = np.ones((4, 4))
        self.refused(ValueError, "known: heat", pleat.stencil, grid, 1, "cold")
        self.refused(ValueError, "known: fixed", pleat.stencil, grid, 1, boundary="open")
        self.refused(ValueError, "2 dimensions", pleat.stencil, grid, 1, boundary=("fixed",) * 3)
        self.refused(ValueError, "4 dimensions", pleat.stencil, np.ones((1, 1, 1, 1)), 1)
        self.refused(ValueError, "two for life", pleat.stencil, np.ones(4, bool), 1, "life")
        self.refused(TypeError, "bool or bytes", pleat.stencil, grid, 1, "life")
        self.refused(TypeError, "complex", pleat.stencil, grid * 1j, 1)
        self.refused(ValueError, "weights", pleat.stencil, grid, 1, np.ones((5, 5)))
        self.refused(TypeError, "complex", pleat.stencil, grid, 1, np.ones((3, 3)) * 1j)
        self.refused(ValueError, "steps", pleat.stencil, grid, -1)
        self.assertRaises(TypeError, pleat.stencil, grid, 1.5)
