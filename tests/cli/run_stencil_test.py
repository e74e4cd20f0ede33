# SPDX-License-Identifier: Apache-2.0
"""`pleat run stencil` beside NumPy, and what it does with input it cannot use."""
import itertools
import unittest

import numpy as np

from tool import ToolTest

MODES = {"fixed": "edge", "periodic": "wrap", "reflecting": "edge"}


def around(u, mode):
    """The sum of each cell's neighbours along the axes, in the tool's order of summation."""
    padded = np.pad(u, 1, mode=MODES[mode])
    total = None
    for axis in range(u.ndim):
        for shift in (0, 2):
            window = [slice(1, -1)] * u.ndim
            window[axis] = slice(shift, shift + u.shape[axis])
            part = padded[tuple(window)]
            total = part if total is None else total + part
    return total


def keep_faces(new, old, mode):
    if mode == "fixed":
        for axis in range(old.ndim):
            for end in (0, -1):
                face = [slice(None)] * old.ndim
                face[axis] = end
                new[tuple(face)] = old[tuple(face)]
    return new


def heat(u, before, mode):
    T, d = u.dtype.type, u.ndim
    return T(0.5) * u + T(0.25) / T(d) * around(u, mode)


def wave(u, before, mode):
    T, d = u.dtype.type, u.ndim
    return T(2) * u - before + T(0.5) / T(d) * (around(u, mode) - T(2 * d) * u)


def life(u, before, mode):
    padded = np.pad(u, 1, mode=MODES[mode])
    rows, columns = u.shape
    alive = sum(padded[i:i + rows, j:j + columns] for i in range(3) for j in range(3)) - u
    return ((alive == 3) | ((alive == 2) & (u != 0))).astype(u.dtype)


def swept(step, u, steps, mode):
    before = u
    for _ in range(steps):
        u, before = keep_faces(step(u, before, mode), u, mode), u
    return u


class RunStencil(ToolTest):

    def command(self, steps, *options):
        return ("run", "stencil", "--input", self.path("x.npy"), "--output", self.path("y.npy"),
                "--steps", steps, *options)

    def check(self, step, u, steps, mode, *options):
        np.save(self.path("x.npy"), u)
        self.succeed(*self.command(steps, "--kernel", step.__name__, "--boundary", mode, *options))
        result = np.load(self.path("y.npy"))
        self.assertEqual(result.dtype, u.dtype)
        np.testing.assert_array_equal(result, swept(step, u, steps, mode))

    def test_heat_and_waves_of_any_dimension_beside_numpy(self):
        rng = np.random.default_rng(5)
        shapes = ((1,), (2,), (50,), (5, 7), (40, 33), (3, 1), (6, 7, 8), (2, 20, 3))
        for step, mode, shape in itertools.product((heat, wave), MODES, shapes):
            with self.subTest(kernel=step.__name__, boundary=mode, shape=shape):
                for dtype in ("f4", "f8"):
                    self.check(step, rng.standard_normal(shape).astype(dtype), 9, mode)

    def test_life_beside_numpy(self):
        rng = np.random.default_rng(6)
        for mode in MODES:
            for shape in ((1, 1), (3, 4), (50, 70)):
                self.check(life, rng.integers(0, 2, shape).astype("u1"), 12, mode)
        self.check(life, rng.integers(0, 2, (9, 9)) != 0, 3, "periodic")

    def test_no_steps_and_no_cells(self):
        self.check(heat, np.arange(5.0), 0, "fixed")
        np.save(self.path("x.npy"), np.zeros((0, 4)))
        self.succeed(*self.command(3))
        self.assertEqual(np.load(self.path("y.npy")).shape, (0, 4))

    def refused(self, u, *options):
        np.save(self.path("x.npy"), u)
        return self.refuse(1, *self.command(1, *options))

    def test_grids_that_cannot_be_stepped_are_refused(self):
        self.assertIn("astype('f8')", self.refused(np.zeros((4, 4), "i4")))
        self.assertIn("!= 0", self.refused(np.zeros((4, 4)), "--kernel", "life"))
        self.assertIn("not two dimensions", self.refused(np.zeros(4, "u1"), "--kernel", "life"))
        self.assertIn("not one to three dimensions", self.refused(np.zeros((2, 2, 2, 2))))

    def test_unknown_names_are_usage_errors(self):
        np.save(self.path("x.npy"), np.zeros(4))
        self.assertIn("known: heat", self.refuse(2, *self.command(1, "--kernel", "fire")))
        self.assertIn("known: fixed", self.refuse(2, *self.command(1, "--boundary", "open")))
        self.assertIn("--steps", self.refuse(2, *self.command("many")))


if __name__ == "__main__":
    unittest.main()
