# SPDX-License-Identifier: Apache-2.0
"""spectrum.py N LIBRARY   transforms N complex numbers by numpy.fft, or by pleat."""
import importlib
import sys
import time

import numpy as np

n, library = int(sys.argv[1]), sys.argv[2]
fft = np.fft.fft if library == "numpy" else importlib.import_module(library).fft
signal = np.random.default_rng(1).standard_normal((n, 2)).view(complex)[:, 0]
fft(signal)
start = time.perf_counter()
fft(signal)
print(f"Time: {1e3 * (time.perf_counter() - start):.4f} ms")
