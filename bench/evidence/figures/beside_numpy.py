#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of the Python module beside NumPy's and SciPy's, as JSON for `tables`.

    PYTHONPATH=build/release/python bench/evidence/figures/beside_numpy.py [WORK…] [--seconds S] > F

WORK is one of sort, fft, matmul, stencil; F of all is bench/evidence/results/python.json. Results
are compared before anything is timed. Then the functions take turns, S seconds for each case; the table
has the medians, and the median of the ratios of neighbours: above 1 pleat is faster. Results are
new arrays for all, but where `out` is said.
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import pleat
import scipy
import scipy.fft

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import results  # noqa: E402
from ratios import readable  # noqa: E402

ROWS = []
RANDOM = np.random.default_rng(1)
CORES = len(os.sched_getaffinity(0))


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def row(work, ours, rivals, seconds, tolerance=0.0):
    """One line of the table for each rival, {name: call}."""
    wanted = ours()
    scale = float(np.abs(wanted).max())
    for name, call in rivals.items():
        apart = float(np.abs(np.asarray(call()) - wanted).max())
        if apart > tolerance * scale:
            sys.exit(f"{work}: {name} has another result, {apart} apart")
    calls = {"pleat": ours, **rivals}
    once = max(seconds_of(call) for call in calls.values())
    batch = max(1, int(2e-3 / max(once, 1e-7)))  # calls for one stamp
    times = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["pleat"]) < 5:
        for name, call in calls.items():
            def repeated():
                for _ in range(batch):
                    call()
            times[name].append(seconds_of(repeated) / batch)
    for name in rivals:
        ratio = statistics.median(b / a for a, b in zip(times["pleat"], times[name]))
        ours_s, theirs_s = (statistics.median(times[of]) for of in ("pleat", name))
        ROWS.append([work, readable(ours_s), name, readable(theirs_s), f"{ratio:.2f}"])
        print(*ROWS[-1], sep=", ", file=sys.stderr, flush=True)


def sort(seconds):
    for dtype in ("f8", "i4"):
        for power in (8, 14, 20, 24):
            keys = (RANDOM.random(1 << power) * 2**30).astype(dtype)
            row(f"sort of 2^{power} {dtype}", lambda: pleat.sort(keys),
                {"numpy.sort": lambda: np.sort(keys)}, seconds)
    keys = RANDOM.random((4096, 512))
    row("sort of 4096 rows of 512 f8", lambda: pleat.sort(keys),
        {"numpy.sort": lambda: np.sort(keys)}, seconds)
    for power in (14, 20):
        keys = RANDOM.random(1 << power)
        row(f"argsort of 2^{power} f8", lambda: pleat.argsort(keys),
            {"numpy.argsort, stable": lambda: np.argsort(keys, kind="stable")}, seconds)


def fft(seconds):
    def rivals(name, a):
        of_numpy, of_scipy = getattr(np.fft, name), getattr(scipy.fft, name)
        return {f"numpy.fft.{name}": lambda: of_numpy(a),
                f"scipy.fft.{name}, {CORES} workers": lambda: of_scipy(a, workers=CORES)}
    def complex_numbers(*shape):
        return RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)
    for power in (8, 14, 20):
        a = complex_numbers(1 << power)
        row(f"fft of 2^{power}", lambda: pleat.fft(a), rivals("fft", a), seconds, 1e-12)
    a = complex_numbers(1021 * 100)
    row("fft of 102,100", lambda: pleat.fft(a), rivals("fft", a), seconds, 1e-12)
    a = complex_numbers(1024, 1024)
    row("fft of 1024 rows of 1024", lambda: pleat.fft(a), rivals("fft", a), seconds, 1e-12)
    row("fft2 of 1024 × 1024", lambda: pleat.fft2(a), rivals("fft2", a), seconds, 1e-12)
    a = RANDOM.standard_normal(1 << 20)
    row("rfft of 2^20", lambda: pleat.rfft(a), rivals("rfft", a), seconds, 1e-12)


def matmul(seconds):
    for n in (32, 256, 1024):
        a, b = RANDOM.standard_normal((2, n, n))
        row(f"product of {n} × {n} f8", lambda: pleat.matmul(a, b),
            {"numpy.matmul": lambda: np.matmul(a, b)}, seconds, 1e-12)
    a, b = RANDOM.integers(0, 99, (2, 512, 512))
    row("product of 512 × 512 i8", lambda: pleat.matmul(a, b),
        {"numpy.matmul": lambda: np.matmul(a, b)}, seconds)
    a, b = RANDOM.standard_normal((2, 512, 512))

    def tropical():
        return np.stack([(line[:, None] + b).min(axis=0) for line in a])
    row("min_plus of 512 × 512 f8", lambda: pleat.matmul(a, b, "min_plus"),
        {"numpy, row by row": tropical}, seconds)


def stencil(seconds):
    for n, steps in ((128, 100), (1024, 100)):
        grid = RANDOM.random((n, n))

        def sweeps():
            u, new = grid.copy(), grid.copy()
            inner, work = new[1:-1, 1:-1], np.empty((n - 2, n - 2))
            for _ in range(steps):
                np.add(u[:-2, 1:-1], u[2:, 1:-1], out=inner)
                np.add(inner, u[1:-1, :-2], out=inner)
                np.add(inner, u[1:-1, 2:], out=inner)
                np.multiply(inner, 0.125, out=inner)
                np.multiply(u[1:-1, 1:-1], 0.5, out=work)
                np.add(inner, work, out=inner)
                u, new = new, u
                inner = new[1:-1, 1:-1]
            return u
        row(f"{steps} steps of heat on {n} × {n} f8", lambda: pleat.stencil(grid, steps),
            {"numpy, slices with out": sweeps}, seconds, 1e-12)


def blas():
    """The library that NumPy multiplies with, as the process has it in memory."""
    np.ones((2, 2)) @ np.ones((2, 2))
    with open("/proc/self/maps") as maps:
        names = {line.split("/")[-1].strip() for line in maps if "blas" in line}
    return ", ".join(sorted(name for name in names if "umath" not in name)) or "built in"


def main():
    works = {"sort": sort, "fft": fft, "matmul": matmul, "stencil": stencil}
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    arguments.add_argument("work", nargs="*", choices=[*works, []])
    arguments.add_argument("--seconds", type=float, default=0.5)
    given = arguments.parse_args()
    for name in given.work or works:
        works[name](given.seconds)
    versions = {"Python": sys.version.split()[0], "NumPy": f"{np.__version__} ({blas()})",
                "SciPy": scipy.__version__}
    print(results.text_of({
        "machine": {"cores": pleat.topology()["machine"]["allowed_cores"], "rivals": versions},
        "figures": {"beside-numpy": {
            "section": "beside NumPy and SciPy", "command": " ".join(sys.argv),
            "head": ["work", "pleat", "beside", "its time", "ratio"], "rows": ROWS}}}), end="")


main()
