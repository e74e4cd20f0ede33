# SPDX-License-Identifier: Apache-2.0
"""Every program with the vector instructions of each kind this processor has, forced from the first
call of the process on."""
import re

import numpy as np

from tool import ToolTest

random = np.random.default_rng(3)


class KernelsTest(ToolTest):
    def vectors(self):
        listed = self.succeed("topology", "--kernels").stdout
        names = re.search(r"^ *vectors +\S+ +(?:only one|\S+) +(.*)$", listed, re.M)
        self.assertTrue(names, listed)
        return [name.strip() for name in names[1].split(",")]

    def run_program(self, vectors, program, arrays, *options):
        inputs = []
        for i, array in enumerate(arrays):
            np.save(self.path(f"{i}.npy"), array)
            inputs += ["--input", self.path(f"{i}.npy")]
        self.succeed("run", program, *inputs, "--output", self.path("result.npy"), *options,
                     variables={"PLEAT_KERNELS": f"vectors={vectors}"})
        return np.load(self.path("result.npy"))

    def test_every_program_is_right_with_each(self):
        keys = random.integers(0, 2**64, 50_000, "u8")
        left, right = random.standard_normal((70, 45)), random.standard_normal((45, 83))
        for vectors in self.vectors():
            with self.subTest(vectors=vectors):
                result = self.run_program(vectors, "sort", [keys])
                np.testing.assert_array_equal(result, np.sort(keys))
                result = self.run_program(vectors, "matmul", [left, right])
                np.testing.assert_allclose(result, left @ right, atol=1e-12)
            # Lengths of one pass, of several, side by side, primes by convolution.
            for shape in ((300, 7), (50, 100), (2, 1009), (1, 1 << 16)):
                with self.subTest(vectors=vectors, shape=shape):
                    numbers = random.standard_normal(shape) + 1j * random.standard_normal(shape)
                    result = self.run_program(vectors, "fft", [numbers])
                    np.testing.assert_allclose(result, np.fft.fft(numbers), atol=1e-10)
                    result = self.run_program(vectors, "fft", [numbers.real], "--transform", "rfft")
                    np.testing.assert_allclose(result, np.fft.rfft(numbers.real), atol=1e-10)
