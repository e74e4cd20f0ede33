# SPDX-License-Identifier: Apache-2.0
"""Times of the index operation by radix and size (Bruck and others, figures 4 to 6)."""
from document import Chart
from tool_json import seconds

RANKS = 64
RADICES = (2, 4, 8, 16, 32, 64)
SIZES = (8, 32, 64, 128, 512, 2048, 8192)


def rounds_and_volume(radix):
    """C1 and C2, the latter in blocks, of n = 64 with one port."""
    rounds = volume = 0
    place = 1
    while place < RANKS:
        for digit in range(1, radix):
            moved = sum(1 for block in range(RANKS) if block // place % radix == digit)
            if moved:
                rounds += 1
                volume += moved
        place *= radix
    return rounds, volume


def solved(matrix, right):
    """The solution of a small system, by Gauss's elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def fitted(times):
    """a, b, c for which a·C1 + b·C2 + c is nearest to the times, by the squares of relative
    errors; `times`: {(radix, bytes): seconds}."""
    lines = []
    for (radix, size), time in times.items():
        rounds, volume = rounds_and_volume(radix)
        lines.append([rounds / time, volume * size / time, 1 / time])
    normal = [[sum(x[i] * x[j] for x in lines) for j in range(3)] for i in range(3)]
    return solved(normal, [sum(x[i] for x in lines) for i in range(3)])


def add_to(made, tool):
    made.heading("Index operation (all-to-all) by radix")
    made.text(f"Source: Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient Algorithms for All-to-All "
              f"Communications in Multiport Message-Passing Systems, figures 4 to 6, on 64 nodes of "
              f"an SP-1; here {RANKS} virtual processors on this machine's cores. Published: small "
              f"radices are faster for small messages and large ones for large messages, radix 64 "
              f"overtakes radix 2 at 100 to 200 bytes, and the best radix grows with the size. "
              f"Pleat's own choice where processors are shared is no radix at all: each copies from "
              f"all between two barriers.")
    times, own = {}, {}
    for size in SIZES[::3] if tool.quick else SIZES:
        [case] = tool.compared("index", "--n", size).values()
        own[size] = case["pleat"]
        for radix in RADICES:
            times[radix, size] = case[f"radix-{radix}"]
    sizes = list(own)
    made.table(["bytes of a block", *(f"r = {radix}" for radix in RADICES), "best r", "Pleat's"],
               [[size, *(seconds(times[radix, size]) for radix in RADICES),
                 min(RADICES, key=lambda radix: times[radix, size]), seconds(own[size])]
                for size in sizes])
    made.chart(Chart("index_by_size", "Index operation by size of a block, for each radix",
                     "bytes", "seconds",
                     {f"r = {radix}": [(size, times[radix, size]) for size in sizes]
                      for radix in RADICES}))
    made.chart(Chart("index_by_radix", "Index operation by radix, for each size", "radix",
                     "seconds", {f"{size} B": [(radix, times[radix, size]) for radix in RADICES]
                                 for size in sizes}))
    start, byte, rest = fitted(times)
    errors = []
    for (radix, size), time in times.items():
        rounds, volume = rounds_and_volume(radix)
        errors.append(abs(start * rounds + byte * volume * size + rest - time) / time)
    errors.sort()
    made.text(f"Model: T = γ1·C1·t_s + γ2·C2·t_c + γ3 with γ1·t_s = {start * 1e6:.3g} µs a round, "
              f"γ2·t_c = {byte * 1e9:.3g} ns a byte and γ3 = {rest * 1e6:.3g} µs is nearest to these "
              f"times; its error is {errors[len(errors) // 2]:.0%} in the median and "
              f"{errors[-1]:.0%} at most. The paper, too, found its model right in kind and wrong in "
              f"quantity.")
