#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes sweep.json, which tests of `pleat report` read: what `pleat sweep --json` would write on a
machine of two nodes with four cores each. The times come from a formula with noise, not from a
measurement; the same in every run.

    tests/data/sample_sweep.py > tests/data/sweep.json
"""
import json
import math
import random
import statistics
import sys

CORES = 4  # of a node
REPETITIONS = 8
# One operation on one core in seconds; how many operations; share of the time that is memory's;
# (rival, its time over Pleat's on one processor, on eight).
PROGRAMS = {
    "sort": (3.1e-10, lambda n: n * math.log2(n), 0.55, [("ips4o", 1.9, 1.35), ("tbb", 3.4, 4.6)]),
    "fft": (1.4e-10, lambda n: n * math.log2(n), 0.70, [("fftw-measure", 1.45, 1.2)]),
    "matmul": (1.95e-11, lambda n: 2 * n ** 3, 0.08, [("openblas", 0.97, 1.04)]),
}
SIZES = {"sort": [2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24], "fft": [2 ** 18, 2 ** 20, 2 ** 22],
         "matmul": [512, 1024, 2048]}
TYPES = {"sort": ("u64", "random"), "fft": ("c64", "random"), "matmul": ("f64", "random")}
# Bytes over bytes from the nearer node that go through the link between the nodes.
MEMORY = {"first-touch": 0.0, "interleave": 0.5, "master": 0.5, "remote": 1.0}

random_ = random.Random(20)


def nodes_of(processors, place):
    return 2 if processors > CORES or (place == "spread" and processors > 1) else 1


def prediction(program, n, processors):
    second, operations, _, _ = PROGRAMS[program]
    alone = second * operations(n)
    communication = 0 if processors == 1 else (
        2.2e-6 * math.log2(processors) * math.sqrt(n) / 64 + 1.1e-9 * n / processors)
    return alone / processors + (communication if program != "matmul" else communication * n / 40)


def seconds(program, n, processors, place, memory):
    """The median time of the case, by the formula."""
    second, operations, share, _ = PROGRAMS[program]
    alone = second * operations(n)
    share *= 1 - 3 / math.log2(operations(n))  # more of it is in caches where n is small
    per_node = processors / nodes_of(processors, place)
    crowded = 1 + 0.28 * (per_node - 1)  # the cores of a node share its memory's bandwidth
    bandwidth = share * alone / processors * crowded
    far = MEMORY[memory] if nodes_of(processors, place) == 2 or memory == "remote" else 0
    if memory == "master" and nodes_of(processors, place) == 2:
        bandwidth *= 1.6  # all of it from one node
    bandwidth *= 1 + 0.8 * far
    return (1 - share) * alone / processors + bandwidth + 1.2e-5 * math.log2(processors)


def median_interval(samples):
    """Of the median, at 95 %: for 8 samples the smallest and the largest (7 / 128 lie outside the
    second ones)."""
    return min(samples), max(samples)


def pages_of(bytes_, memory, nodes):
    pages = math.ceil(bytes_ / 4096)
    far = pages // 2
    if memory == "master" or nodes == 1:
        far = pages if memory == "remote" else 0
    return {"page_bytes": 4096, "on_node": {"0": pages - far, "1": far}, "absent": 0, "astray": 0}


class Sweep:
    def __init__(self):
        self.entries = []
        self.families = 0
        self.medians = {}

    def keys(self, program, n, processors, place, memory, library, scaling):
        kind, distribution = TYPES[program]
        name = f"{program}/{kind}/{distribution}/n:{n}/processors:{processors}/place:{place}"
        name += "" if memory == "first-touch" else f"/memory:{memory}"
        name += "" if scaling == "strong" else f"/per-processor:{n // processors}"
        name += "" if library == "pleat" else f"/library:{library}"
        self.families += 1
        return {"name": name, "family_index": self.families - 1, "per_family_instance_index": 0,
                "run_name": name, "library": library, "program": program, "type": kind,
                "distribution": distribution, "n": n, "processors": processors, "place": place,
                "memory": memory, "pages": "thp", "wait": "auto", "hardware_threads": "one",
                "scaling": scaling,
                "per_processor": n // processors if scaling == "weak" else 0}

    def add(self, program, n, processors, place="compact", memory="first-touch", library="pleat",
            scaling="strong", factor=1.0):
        keys = self.keys(program, n, processors, place, memory, library, scaling)
        middle = seconds(program, n, processors, place, memory) * factor
        samples = [middle * (1 + random_.gammavariate(2, 0.003)) for _ in range(REPETITIONS)]
        base_n = n // processors if scaling == "weak" else n
        base = self.medians.get((program, base_n, place, library))
        median = statistics.median(samples)
        if processors == 1 and memory == "first-touch":
            base = self.medians[(program, n, place, library)] = median
        if base is None:
            base = self.medians[(program, base_n, "compact", library)]
        operations = PROGRAMS[program][1]
        for index, time in enumerate(samples):
            self.entries.append({**keys, "run_type": "iteration", "repetitions": REPETITIONS,
                                 "repetition_index": index, "threads": 1,
                                 "iterations": max(1, round(0.05 / time)),
                                 "real_time": time * 1e3, "cpu_time": time * 1e3 * processors,
                                 "time_unit": "ms"})
        low, high = median_interval(samples)
        speedup = base / median * operations(n) / operations(base_n)
        entry = {**keys, "name": keys["name"] + "_median", "run_type": "aggregate",
                 "repetitions": REPETITIONS, "threads": 1, "aggregate_name": "median",
                 "aggregate_unit": "time", "iterations": REPETITIONS, "real_time": median * 1e3,
                 "cpu_time": median * 1e3 * processors, "time_unit": "ms", "speedup": speedup,
                 "efficiency": speedup / processors, "confidence": 0.95, "interval_low_s": low,
                 "interval_high_s": high, "stopped": "precision"}
        if library == "pleat":
            entry["predicted_s"] = prediction(program, n, processors)
            width = 2 * 8 * n * n if program == "matmul" else 16 * n
            entry["memory_pages"] = pages_of(width, memory, nodes_of(processors, place))
            self.medians[(program, n, processors, place, memory)] = median
        else:
            entry["ratio"] = median / self.medians[(program, n, processors, place, memory)]
        self.entries.append(entry)

    def fail(self, program, n, processors, message):
        keys = self.keys(program, n, processors, "compact", "first-touch", "pleat", "strong")
        self.entries.append({**keys, "run_type": "iteration", "repetitions": 0,
                             "repetition_index": 0, "threads": 1, "error_occurred": True,
                             "error_message": message, "iterations": 0, "real_time": 0.0,
                             "cpu_time": 0.0, "time_unit": "ms"})


def cluster(level, index, size, kind):
    return {"level": level, "index": index, "first": index * size, "size": size, "object": kind}


def context():
    cores = 2 * CORES
    clusters = [cluster(0, 0, cores, "Machine")]
    clusters += [cluster(1, i, CORES, f"Package L#{i}") for i in range(2)]
    clusters += [cluster(2, i, 2, f"Package L#{i // 2}") for i in range(4)]
    clusters += [cluster(3, i, 1, f"PU L#{i}") for i in range(cores)]
    pleat = {
        "date": "2026-01-20T10:00:00+0000", "host_name": "sample", "build_type": "release",
        "compiler": "g++ 12.2.0",
        "machine": {"origin": "synthetic package:2 numa:1 core:4 pu:1", "bindable": False,
                    "cores": cores, "pus": cores, "packages": 2, "numa_nodes": [0, 1],
                    "core_kinds": 1, "allowed_cores": cores, "allowed_pus": cores, "quota": None,
                    "restrictions": []},
        "placement": {"policy": "compact", "processors": cores, "oversubscribed": False,
                      "warning": ""},
        "pleat": "0.1.0", "topology_library": "hwloc API 2.8",
        "binding": [{"processor": i, "pu": i, "allowed": [i]} for i in range(cores)],
        "processors": [{"rank": i, "core": i, "pu": i, "numa": i // CORES, "package": i // CORES}
                       for i in range(cores)],
        "clusters": clusters}
    return {"date": "2026-01-20T10:00:00+00:00", "host_name": "sample", "executable": "pleat",
            "num_cpus": cores, "mhz_per_cpu": 3000, "cpu_scaling_enabled": False, "caches": [],
            "load_avg": [0.1, 0.1, 0.1], "library_build_type": "release", "pleat": pleat}


def main():
    sweep = Sweep()
    for program, sizes in SIZES.items():
        for n in sizes:
            for processors in (1, 2, 4, 8):
                sweep.add(program, n, processors)
            for name, alone, together in PROGRAMS[program][3]:
                sweep.add(program, n, 1, library=name, factor=alone)
                sweep.add(program, n, 8, library=name, factor=together)
    for place in ("compact", "spread"):
        for memory in MEMORY:
            for processors in (2, 8):
                if (place, memory) != ("compact", "first-touch"):
                    sweep.add("sort", 2 ** 24, processors, place, memory)
    for processors in (1, 2, 4, 8):
        sweep.add("sort", 2 ** 18 * processors, processors, scaling="weak")
    sweep.fail("matmul", 65536, 8, "out of memory; use a smaller n or a machine with more memory")
    out = sys.stdout
    out.write('{"context": ' + json.dumps(context()) + ',\n"benchmarks": [\n')
    out.write(",\n".join(json.dumps(entry) for entry in sweep.entries))
    out.write("\n]}\n")


main()
