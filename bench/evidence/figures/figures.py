# SPDX-License-Identifier: Apache-2.0
"""The figures that a processor's results file has: which comparisons are run, and what is wanted.

A figure is one `pleat compare` with everything that is not a default. What is wanted of it is a
ratio (the rival's time over Pleat's) for some of the rivals; `best` is the fastest of them."""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Figure:
    command: str              # the arguments of `pleat compare`
    wanted: dict = dataclasses.field(default_factory=dict)  # rival, or `best`: least ratio
    kernels: str = ""         # PLEAT_KERNELS

    def key(self):
        """Tells figures apart, also as the name of a file."""
        words = self.command + (f" kernels {self.kernels}" if self.kernels else "")
        return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-")


# What stands among the rivals and does less than the work: no library can beat it.
BOUNDS = ("registers", "memcpy", "bandwidth")

# Rivals that no package brings, which a build has where it is given a checkout.
CHECKOUTS = ("ips2ra", "dovetail", "x86-simd-sort", "ducc")


def sizes(*logarithms):
    return [f"2^{one}" for one in logarithms]


WORDS = "u64", "f64", "u32", "i32", "f32"
ELEMENTARY = {"ips4o": 2.0, "radix": 1.15}

FFT = "--rivals fftw-measure"


def transforms(work, least, numbers):
    return [Figure(f"{work} --n {n} {FFT}", {"fftw-measure": least}) for n in numbers]


def products(work, kinds, numbers, least=1.0, rival="best"):
    return [Figure(f"{work} --type {kind} --n {n}", {rival: least})
            for kind in kinds for n in numbers]


# By the names in the marks of a document.
SECTIONS = {
    "sort": [Figure(f"sort --type {word} --n {n}", ELEMENTARY)
             for word in WORDS for n in sizes(20, 22, 25)],
    "sort-orders": [
        Figure(f"sort --type {word} --n 2^22 --distribution {order}", {"best": 1.0})
        for word in ("u64", "u32")
        for order in ("few-distinct", "almost-sorted", "equal", "sorted", "zipf", "exponential")],
    "sort-skewed": [
        Figure(f"sort --type {word} --n 2^23 --distribution {shape} --repetitions 5 "
               "--rivals ips4o,radix,tbb", {"best": 1.1})
        for word in ("u64", "u32", "pairs32", "pairs")
        for shape in ("random", "zipf:0.8", "zipf:1.2", "bit-exponential:30",
                      "bit-exponential:100", "few-distinct:10", "times", "degrees")],
    "sort-kernels": [
        Figure(f"sort --type {word} --n 2^22 --rivals ips4o,radix", ELEMENTARY, kernels)
        for kernels in ("vectors=avx2", "sort=digits", "vectors=avx2,sort=digits")
        for word in ("u64", "u32")],
    "sort-small": [
        *(Figure(f"sort --n {n} --repetitions 31", {"best": 1.0}) for n in (10, 100, 1000, 10_000)),
        Figure("sort --n 100000 --repetitions 31", {"best": 1.6})],
    "argsort": products("argsort", ("u64", "u32"), sizes(20, 22))
    + products("sort-by-key", ("u64", "u32"), sizes(20, 22)),
    "records": [Figure(f"sort --type {record} --n {n}", {"ips4o": 1.5, "tbb": 1.5})
                for record in ("pairs32", "edge", "pairs", "record64") for n in sizes(20, 22)],
    "fft": transforms("fft", 1.4, sizes(10, 12, 14, 16))
    + transforms("fft", 1.8, sizes(17, 18, 20, 22, 24))
    + transforms("rfft", 1.6, sizes(16, 18, 20, 22))
    + transforms("fft2", 1.5, (512, 1024, 2048)),
    "fft-small": transforms("fft", 1.0, (2, 3, 5, 8, 16, 32, 100, 128, 360, 512)),
    "fft-boxes": transforms("fftn", 1.0, (64, 256)) + transforms("rfftn", 1.0, (64, 256))
    + transforms("dct", 1.0, sizes(10, 20)),
    "stencil": [
        Figure("stencil1 --n 65536", {"openmp": 1.3}),
        Figure("stencil1 --n 2^24 --repetitions 3", {"openmp": 5.0}),
        Figure("stencil2 --n 1024", {"openmp": 1.5}),
        Figure("stencil2 --n 4096 --repetitions 5", {"openmp": 4.0, "registers": 0.5}),
        Figure("stencil3 --n 384 --repetitions 3", {"openmp": 2.0, "registers": 0.5}),
        Figure("stencil3 --shape planes --n 512", {"openmp": 1.5})],
    "matmul": [
        *products("matmul", ("f64", "f32"), (128, 256, 512, 1024, 2048)),
        *products("matmul", ("c64", "c128"), (128, 1024)),
        *(Figure(f"matmul --type {number} --n 2048 --shape {shape}", {"best": 1.0})
          for number in ("f64", "f32")
          for shape in ("panel-panel", "matrix-panel", "panel-matrix")),
        *products("min-plus", ("f64", "f32", "i64", "i32"), (1024,), 0.9, "registers"),
        *products("max-min", ("f64", "f32", "i64", "i32"), (1024,), 0.9, "registers")],
    "dense": products("transpose", ("f64", "f32"), (4096,))
    + products("closure", ("f32", "i32", "u8"), (1024,))
    + products("cholesky", ("f64", "f32"), (2048,))
    + products("solve-triangular", ("f64", "f32"), (2048,))
    + [Figure("solve-triangular --n 2048 --shape matrix-panel", {"best": 1.0})],
    "graphs": [Figure(f"{work} --type u32 --n 10000000 --repetitions 5", {"serial": 1.0})
               for work in ("connected-components", "list-rank")],
    "everyday": [
        *(Figure(f"everyday --n {n}", {"best": 1.0}) for n in sizes(10, 16, 20)),
        Figure("everyday --n 2^26 --repetitions 3", {"best": 1.0, "bandwidth": 0.9})],
    "runtime": [
        Figure("sync", {"flags": 1 / 1.2}),
        Figure("run", {"libgomp": 1.0}),
        Figure("channel", {"cached-ring": 1.0}),
        Figure("vp"),
        Figure("trace"),
        Figure("schedule")],
    "collectives": [
        *(Figure(f"collectives --n {n}", {"best": 1.2}) for n in (8, 256, 4096)),
        *(Figure(f"collectives --n {n} --repetitions 5", {"best": 1.0})
          for n in ("64Ki", "1Mi", "8Mi"))],
}

PICTURED = "sort --type u64 --n 2^25"  # bench/evidence/figures/sort.svg, on the first page


@dataclasses.dataclass(frozen=True)
class Row:
    key: str                  # of the figure in the results
    rival: str                # or `best`, the fastest of them; "" shows Pleat's time alone
    work: str                 # the words of the document
    rival_name: str
    measure: str = ""         # the case whose work and measure begin with this; else the first


def row(command, *words):
    return Row(Figure(command).key(), *words)


@dataclasses.dataclass(frozen=True)
class Summary:
    """The one table of a document. Of one processor, Pleat's time and the ratio; of several, the
    ratios. It has at most ten figures, and those that are lost are among them."""
    results: tuple
    rows: tuple


ONE_PROCESSOR = ("zen5",)

SUMMARIES = {
    "headlines": Summary(("zen5", "emeraldrapids"), (
        row("sort --type u64 --n 2^25", "ips4o", "sort of 2^25 `u64`", "IPS⁴o"),
        row("fft --n 2^14 " + FFT, "fftw-measure", "Fourier transforms, 64 of 2^14 numbers",
            "FFTW"),
        row("rfft --n 2^20 " + FFT, "fftw-measure", "Fourier transform of 2^20 real numbers",
            "FFTW"),
        row("matmul --type f32 --n 2048", "best", "product of 2048 × 2048 `float`",
            "best of OpenBLAS, BLIS"),
        row("stencil2 --n 4096 --repetitions 5", "openmp", "stencil, 4096 × 4096 `double`",
            "plain OpenMP loops"))),
    "channels": Summary(ONE_PROCESSOR, (
        row("channel", "cached-ring", "round trip of 8 bytes", "cached ring", "channel, round"),
        row("channel", "cached-ring", "one of 1,024 elements pushed and popped at once",
            "cached ring", "channel, an 8-byte item"))),
    "runtime": Summary(ONE_PROCESSOR, (
        row("sync", "flags", "`sync(0)`, one VP on each of 2 processors", "flags by hand"),
        row("run", "libomp", "a run of 2 VPs, one `sync(0)`", "libomp"),
        row("vp", "", "a superstep of one of 2^20 VPs, on a core", ""),
        row("vp", "", "an 8-byte message, random permutation of 2^16 VPs", "",
            "messages, a message, random"),
        row("vp", "memcpy", "8 MiB lent and copied out, both ways at once",
            "`memcpy` by two threads", "lend"))),
    "collectives": Summary(ONE_PROCESSOR, (
        row("collectives --n 256", "openmpi", "reduce of 256 bytes", "Open MPI",
            "collectives, reduce"),
        row("collectives --n 4096", "mpich", "broadcast of 4 KiB", "MPICH",
            "collectives, broadcast"),
        row("collectives --n 1Mi --repetitions 5", "openmpi", "all-reduce of 1 MiB", "Open MPI",
            "collectives, all_reduce"),
        row("collectives --n 8Mi --repetitions 5", "openmpi", "all-gather of 8 MiB", "Open MPI",
            "collectives, all_gather"))),
    "oblivious": Summary(ONE_PROCESSOR, (
        row("sort --type u64 --n 2^25", "ips4o", "sort of 2^25 random `u64`", "IPS⁴o"),
        row("sort-by-key --type u32 --n 2^22", "radix", "`sort_by_key` of 2^22 `u32`",
            "radix sort of pairs"),
        row("fft --n 2^14 " + FFT, "fftw-measure", "64 transforms of 2^14 complex doubles", "FFTW"),
        row("matmul --type f32 --n 2048", "openblas", "product of 2048 × 2048 `float`", "OpenBLAS"),
        row("stencil2 --n 4096 --repetitions 5", "openmp", "256 steps on 4096 × 4096 `double`",
            "plain OpenMP loops"))),
    "mpi": Summary(("ranks",), (
        row("mpi openmpi", "openmpi", "`MPI_Bcast` of 2^22 bytes", "Open MPI", "bcast, 4 MiB"),
        row("mpi openmpi", "openmpi", "`MPI_Allreduce` of 2^20 bytes", "Open MPI",
            "allreduce, 1 MiB"),
        row("mpi openmpi", "openmpi", "`MPI_Reduce_scatter_block` of 2^20 bytes", "Open MPI",
            "reduce_scatter_block, 1 MiB"),
        row("mpi mpich", "mpich", "`MPI_Allgatherv` of 2^22 bytes, all with one rank", "MPICH",
            "allgatherv, 4 MiB"),
        row("mpi mpich", "mpich", "`MPI_Reduce_scatter_block` of 2^20 bytes", "MPICH",
            "reduce_scatter_block, 1 MiB"))),
}
