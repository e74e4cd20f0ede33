# SPDX-License-Identifier: Apache-2.0
"""`pleat-openmpi run`, `pleat-mpich run`: results of three ranks beside NumPy's and beside those of
`pleat run`, and what is left behind when something fails."""
import os
import shlex
import shutil
import subprocess
import unittest

import numpy as np

from tool import ToolTest, environment

# With another MPI others are tried: what is sorted how does not depend on it.
FIRST = os.environ["PLEAT_RANKS_MPI"] == "openmpi"
TOOL = os.environ["PLEAT_RANKS_TOOL"]
LAUNCH = shlex.split(os.environ["PLEAT_RANKS_LAUNCH"])


def launch(ranks):
    assert LAUNCH[-2:] == ["-n", "3"]
    return [*LAUNCH[:-1], str(ranks)]


def some(dtype, size):
    """Numbers that meet one another, NaNs, infinities and both zeros among them."""
    rng = np.random.default_rng(71)
    values = rng.integers(-100, 100, size=size)
    if np.dtype(dtype).kind in "bu":
        return np.abs(values).astype(dtype)
    if np.dtype(dtype).kind == "i":
        return values.astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0])
    reals = np.where(rng.random(size) < 0.2, rng.choice(special, size=size), values / 8)
    if np.dtype(dtype).kind == "f":
        return reals.astype(dtype)
    numbers = np.empty(size, dtype)
    numbers.real = reals
    numbers.imag = rng.permutation(reals)
    return numbers


class Files(ToolTest):
    def over_ranks(self, *arguments, ranks=3, tool=(TOOL,)):
        done = subprocess.run([*launch(ranks), *tool, *map(str, arguments)], text=True,
                              cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment(), timeout=60)
        self.said = [line for line in done.stderr.splitlines() if line.startswith("pleat")
                     and not line.startswith("pleat: warning: ")]
        return done

    def succeed_over_ranks(self, *arguments, **options):
        done = self.over_ranks(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        self.assertEqual(len(self.said), 1, done.stderr)

    def refuse_over_ranks(self, exit_code, words, *arguments, **options):
        """That exit code, one line that says so, and nothing new in the folder."""
        before = self.contents()
        done = self.over_ranks(*arguments, **options)
        self.assertEqual(done.returncode, exit_code, f"{arguments}: {done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        self.assertEqual(len(self.said), 1, f"{arguments}: {done.stderr}")
        self.assertIn(words, self.said[0])
        self.assertEqual(self.contents(), before, f"{arguments} changes files")

    def sort(self, array, *options, ranks=3):
        np.save(self.path("in.npy"), array)
        self.succeed_over_ranks("run", "sort", "--input", "in.npy", "--output", "out.npy", *options,
                                ranks=ranks)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "out.npy"])
        return np.load(self.path("out.npy"))

    def test_numbers_of_all_kinds_end_up_in_numpys_order(self):
        for dtype in ("f2", "u8", "c8") if FIRST else ("?", "f4", "g"):
            with self.subTest(dtype=dtype):
                array = some(dtype, 5003)
                result = self.sort(array)
                self.assertEqual((result.dtype, result.shape), (array.dtype, array.shape))
                np.testing.assert_array_equal(result, np.sort(array))
                if dtype not in "gG":  # long doubles have bits that mean nothing
                    self.assertEqual(*(sorted(x.tobytes() for x in one) for one in (array, result)))

    def test_argsort_is_numpys_stable_one(self):
        for dtype in ("f2", "g") if FIRST else ("i8", "c8"):
            with self.subTest(dtype=dtype):
                array = some(dtype, 5003)
                result = self.sort(array, "--argsort")
                self.assertEqual(result.dtype, np.dtype("<i8"))
                np.testing.assert_array_equal(result, np.argsort(array, kind="stable"))

    def test_no_elements_fewer_than_ranks_and_one_rank(self):
        self.assertEqual(self.sort(np.zeros(0)).shape, (0,))
        np.testing.assert_array_equal(self.sort(np.array([2.0, 1.0])), [1.0, 2.0])
        np.testing.assert_array_equal(self.sort(np.array([3, 2, 1]), ranks=1), [1, 2, 3])

    def test_the_result_may_replace_its_input_and_keeps_its_permissions(self):
        name = self.path("keys.npy")
        np.save(name, np.arange(4096)[::-1])
        os.chmod(name, 0o640)
        self.succeed_over_ranks("run", "sort", "--input", "keys.npy", "--output", "keys.npy")
        np.testing.assert_array_equal(np.load(name), np.arange(4096))
        self.assertEqual(os.stat(name).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.folder), ["keys.npy"])

    def test_stencils_are_bit_for_bit_those_of_one_machine(self):
        rng = np.random.default_rng(72)
        for grid, *options in (
            ((rng.random((31, 17)), "--steps", 40),
             (rng.random(1000).astype("f4"), "--steps", 100, "--kernel", "wave"),
             (np.zeros((0, 4)), "--steps", 3)) if FIRST else
            ((rng.integers(0, 3, (20, 30), dtype="u1"), "--steps", 9, "--kernel", "life",
              "--boundary", "periodic"),
             (rng.random((2, 9, 8)).astype("f4"), "--steps", 7, "--boundary", "reflecting"))):
            with self.subTest(options=options):
                np.save(self.path("in.npy"), grid)
                run = ["run", "stencil", "--input", "in.npy", *options, "--output"]
                self.succeed(*run, "one.npy", cwd=self.folder)
                self.succeed_over_ranks(*run, "many.npy")
                files = self.contents()
                self.assertEqual(files["one.npy"], files["many.npy"])

    def test_transforms_beside_numpy(self):
        rng = np.random.default_rng(73)
        for kind, shape in (("fft", (5000,)), ("ifft2", (12, 35))) if FIRST else (("ifft", (7, 60)),):
            with self.subTest(kind=kind):
                x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
                np.save(self.path("x.npy"), x)
                self.succeed_over_ranks("run", "fft", "--input", "x.npy", "--output", "y.npy",
                                        "--transform", kind)
                y, expected = np.load(self.path("y.npy")), getattr(np.fft, kind)(x)
                self.assertEqual((y.dtype, y.shape), (expected.dtype, expected.shape))
                self.assertLess(np.linalg.norm(y - expected), 1e-13 * np.linalg.norm(expected))

    def products(self, a, b, *options, ranks=3):
        """Of one machine and over ranks."""
        np.save(self.path("a.npy"), a)
        np.save(self.path("b.npy"), b)
        run = ["run", "matmul", "--input", "a.npy", "--input", "b.npy", *options, "--output"]
        self.succeed(*run, "one.npy", cwd=self.folder)
        self.succeed_over_ranks(*run, "many.npy", ranks=ranks)
        return self.contents()["one.npy"], self.contents()["many.npy"]

    def test_products_are_those_of_one_machine(self):
        rng = np.random.default_rng(74)
        far = np.iinfo("i4").max
        for a, b, *options in (
            ((rng.integers(-9, 9, (40, 33)).astype("f8"), rng.integers(-9, 9, (33, 57)).astype("f8")),
             (np.where(rng.random((9, 31)) < 0.5, far, rng.integers(0, 99, (9, 31))).astype("i4"),
              np.where(rng.random((31, 20)) < 0.5, far, rng.integers(0, 99, (31, 20))).astype("i4"),
              "--semiring", "min_plus", "--infinity", "max")) if FIRST else
            ((rng.random((4, 90)) < 0.1, rng.random((90, 300)) < 0.1, "--semiring", "or_and"),
             (np.zeros((3, 0), "c8"), np.zeros((0, 5), "c8")))):
            with self.subTest(options=options):
                one, many = self.products(a, b, *options)
                self.assertEqual(one, many)
        numbers = rng.integers(-9, 9, (50, 50)).astype("f4")
        self.assertEqual(*self.products(numbers, numbers, ranks=4 if FIRST else 2))

    def test_a_product_may_replace_its_factor(self):
        d = np.random.default_rng(75).integers(0, 9, (30, 30))
        np.save(self.path("d.npy"), d)
        self.succeed_over_ranks("run", "matmul", "--input", "d.npy", "--input", "d.npy",
                                "--output", "d.npy")
        np.testing.assert_array_equal(np.load(self.path("d.npy")), d @ d)
        self.assertEqual(os.listdir(self.folder), ["d.npy"])

    def test_matrices_that_have_no_product_are_refused_once(self):
        np.save(self.path("a.npy"), np.ones((4, 3)))
        np.save(self.path("i.npy"), np.full((4, 4), 2**27, dtype="i4"))
        run = ["run", "matmul", "--output", "c.npy"]
        lengths = np.ones((4, 4), dtype="i4")
        lengths[3, 2] = 2**30
        np.save(self.path("far.npy"), lengths)
        for status, words, *options in (
            ((2, "give --input twice", "--input", "a.npy"),
             (1, "far.npy holds 1073741824 at [3, 2]", "--input", "i.npy", "--input", "far.npy",
              "--semiring", "max_plus")) if FIRST else
            ((1, "the first needs as many columns", "--input", "a.npy", "--input", "a.npy"),
             (1, "make them one type", "--input", "a.npy", "--input", "i.npy"),
             (2, "'plus' is unknown", "--input", "a.npy", "--input", "a.npy", "--semiring", "plus"))):
            self.refuse_over_ranks(status, words, *run, *options)

    def test_input_that_cannot_be_used_is_refused_once(self):
        with open(self.path("short.npy"), "wb") as file:
            np.save(file, np.arange(1000))
            file.truncate(5000)
        np.save(self.path("square.npy"), np.ones((5, 5), order="F"))
        np.save(self.path("foreign.npy"), np.arange(5, dtype=">i4"))
        for program, name, words in (
            (("sort", "missing.npy", "cannot read missing.npy: "),
             ("stencil", "square.npy", "in Fortran order")) if FIRST else
            (("sort", "short.npy", "short.npy is truncated: "),
             ("sort", "square.npy", ", not one dimension"),
             ("sort", "foreign.npy", "foreign byte order"))):
            steps = ["--steps", 2] if program == "stencil" else []
            self.refuse_over_ranks(1, words, "run", program, "--input", name, "--output", "out.npy",
                                   *steps)

    def test_an_output_that_cannot_be_written_is_refused_once(self):
        np.save(self.path("in.npy"), np.arange(9))
        for words, name in (("create the folder first", "no/out.npy"), ("it is a folder", ".")):
            self.refuse_over_ranks(1, words, "run", "sort", "--input", "in.npy", "--output", name)
        self.refuse_over_ranks(1, "not a regular file; give the name of a file", "run", "sort",
                               "--input", "in.npy", "--output", "/dev/full")
        self.assertNotIn("standard output", self.said[0])

    def test_wrong_usage_is_refused_once(self):
        self.refuse_over_ranks(2, "'prefix' is no command; known: sort, fft, matmul, stencil", "run",
                               "prefix")
        self.refuse_over_ranks(2, "no 'rfft' over ranks; known: fft, ifft, fft2, ifft2", "run", "fft",
                               "--input", "x.npy", "--output", "y.npy", "--transform", "rfft")
        self.refuse_over_ranks(2, "cannot share a standard stream", "run", "sort", "--input", "-",
                               "--output", "out.npy")

    def test_processes_of_another_mpis_launcher_are_refused(self):
        np.save(self.path("in.npy"), np.arange(9))
        other = "PMI_SIZE" if FIRST else "OMPI_COMM_WORLD_SIZE"
        self.refuse_over_ranks(2, f"has started 3 processes ({other}), but each is alone", "run", "sort",
                               "--input", "in.npy", "--output", "out.npy", ranks=1,
                               tool=("env", f"{other}=3", TOOL))

    def test_ranks_that_see_other_files_are_told_of(self):
        os.mkdir(self.path("elsewhere"))
        np.save(self.path("in.npy"), np.arange(9))
        on_the_last = ("sh", "-c", '[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" != 2 ] || cd elsewhere; '
                       'exec "$@"', "sh", TOOL)
        words = ["run", "sort", "--input", "in.npy", "--output", "out.npy"]
        self.refuse_over_ranks(1, "rank 2: cannot read in.npy", *words, tool=on_the_last)
        np.save(self.path("elsewhere/in.npy"), np.arange(8))
        self.refuse_over_ranks(1, "rank 2: in.npy is not the same file", *words, tool=on_the_last)
        shutil.copy(self.path("in.npy"), self.path("elsewhere/in.npy"))
        self.succeed_over_ranks(*words, tool=on_the_last)
        self.assertEqual(os.listdir(self.path("elsewhere")), ["in.npy"])


if __name__ == "__main__":
    unittest.main()
