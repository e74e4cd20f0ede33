# SPDX-License-Identifier: Apache-2.0
"""programs.py PLEAT MODEL VECTORS: runs every program on an emulated processor MODEL, whose best
vector instructions are VECTORS, and on this one with the same kernels forced: equal bit for bit."""
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

TOOL, MODEL, VECTORS = sys.argv[1:]
STENCIL = "avx2" if VECTORS == "avx2" else "baseline"  # which has no kernels between the two
EMULATED = ["qemu-x86_64", "-cpu", MODEL, TOOL]
WORDS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
random = np.random.default_rng(20)


def tool(command, arguments, kernels):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLEAT_")}
    done = subprocess.run([*command, *arguments], stdin=subprocess.DEVNULL, text=True, timeout=120,
                          capture_output=True, env={**kept, "PLEAT_KERNELS": kernels})
    if done.returncode != 0:
        sys.exit(f"{MODEL}: {' '.join(command)} {' '.join(arguments)}: {done.returncode}: {done.stderr}")
    return done.stdout


def values(kind, shape):
    """Numbers of every magnitude, zeros of both signs among them."""
    kind = np.dtype(kind)
    if kind.kind == "c":
        real = np.dtype(f"f{kind.itemsize // 2}")
        return (values(real, shape) + 1j * values(real, shape)).astype(kind)
    if kind.kind == "f":
        numbers = random.standard_normal(shape) * 10.0 ** random.integers(-3, 4, shape)
        return np.where(random.random(shape) < 0.01, -0.0, numbers).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, kind, endpoint=True)


def programs():
    """(arguments, input arrays, kernels to force)"""
    for kind, n in itertools.product(WORDS, (1, 100, 40_000)):
        yield ["sort"], [values(kind, n)], ""
    for kind, kernel in itertools.product(("i4", "u8", "f4", "f8"), ("vector", "digits")):
        yield ["sort"], [values(kind, 40_000)], f"sort={kernel}"
        yield ["sort", "--argsort"], [values(kind, 10_000) // 1000], f"sort={kernel}"
    for kind in ("c8", "c16"):
        # Codelets, side by side, mixed radices, a prime, columns that no longer fit in the caches.
        for shape in ((300, 7), (50, 100), (4, 1536), (2, 1009), (1, 1 << 16)):
            yield ["fft", "--transform", "fft"], [values(kind, shape)], ""
        yield ["fft", "--transform", "fft2"], [values(kind, (96, 80))], ""
    for kind, n in itertools.product(("f4", "f8"), (9, 1000, 1 << 15)):
        yield ["fft", "--transform", "rfft"], [values(kind, (3, n))], ""
    for kind in ("f4", "f8", "c8", "c16"):
        yield ["matmul"], [values(kind, (130, 97)), values(kind, (97, 71))], ""
    for kind, semiring in itertools.product(("i4", "f8"), ("min_plus", "max_plus")):
        pair = [random.integers(0, 1000, (90, 90)).astype(kind) for _ in range(2)]
        yield ["matmul", "--semiring", semiring], pair, ""
    for kind, shape in itertools.product(("f4", "f8"), ((3000,), (120, 130), (30, 40, 50))):
        for kernel in ("heat", "wave"):
            yield ["stencil", "--steps", "7", "--kernel", kernel], [values(kind, shape)], ""
    cells = random.integers(0, 2, (150, 170)).astype("u1")
    yield ["stencil", "--steps", "9", "--kernel", "life", "--boundary", "periodic"], [cells], ""


def run(command, kernels, arguments, inputs, output):
    named = [word for path in inputs for word in ("--input", path)]
    tool(command, ["run", *arguments, *named, "--output", output], kernels)
    with open(output, "rb") as file:
        return file.read()


def main():
    vectors = json.loads(tool(EMULATED, ["topology", "--kernels", "--json"], ""))["kernels"][0]
    if vectors["chosen"] != VECTORS or "avx512" not in vectors["missing"]:
        sys.exit(f"{MODEL}: its vectors are {vectors}, expected {VECTORS} and no avx512")
    different = tried = 0
    with tempfile.TemporaryDirectory(prefix="pleat_processors_") as folder:
        for arguments, arrays, kernels in programs():
            inputs = [os.path.join(folder, f"{i}.npy") for i in range(len(arrays))]
            for path, array in zip(inputs, arrays):
                np.save(path, array)
            output = os.path.join(folder, "result.npy")
            there = run(EMULATED, kernels, arguments, inputs, output)
            forced = [f"vectors={VECTORS}", f"stencil={STENCIL}", kernels]
            here = run([TOOL], ",".join(filter(None, forced)), arguments, inputs, output)
            tried += 1
            if there != here:
                different += 1
                print(f"FAILED {MODEL}: {' '.join(arguments)} of {arrays[0].dtype} {arrays[0].shape} "
                      f"{kernels}: not the same as with {VECTORS} forced on this processor")
    print(f"{MODEL}: {tried - different} of {tried} programs the same, with {VECTORS}")
    sys.exit(different > 0)


main()
