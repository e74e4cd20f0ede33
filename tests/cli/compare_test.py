# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tool import TOOL, ToolTest, environment

KEYS = {"work", "measure", "n", "type", "processors", "repetitions", "ours_s", "rival",
        "rival_version", "rival_s", "ratio"}
# Two workers whatever the machine has: what is checked is the form, not the figures.
TWO = ["--processors", "2", "--repetitions", "2"]


RATIOS = os.path.join(os.path.dirname(__file__), "../../bench/evidence/figures/ratios.py")


class Figure(ToolTest):
    def test_every_measure_is_drawn_with_the_rivals_it_has(self):
        ours = {"work": "vp", "n": 8, "type": "", "processors": 2, "ours_s": 1e-3}
        none = {"rival": None, "rival_s": None, "ratio": None}
        with open(self.path("vp.json"), "w") as file:
            json.dump({"comparisons": [
                dict(ours, measure="fork", rival="tbb", rival_s=2e-3, ratio=2.0),
                dict(ours, measure="fork", rival="omp", rival_s=9.0, ratio=None, unsteady=["omp"]),
                dict(ours, measure="fork", **dict(none, rival="absent")),
                dict(ours, measure="alone", **none)]}, file)
        drawn = subprocess.run([sys.executable, RATIOS, self.path("vp.json")], text=True, check=True,
                               stdout=subprocess.PIPE).stdout
        self.assertEqual(drawn.count('class="ours"'), 2)
        self.assertEqual(drawn.count('class="rival"'), 2)
        self.assertEqual(drawn.count("samples differ"), 1)
        self.assertNotIn("None", drawn)


class Compare(ToolTest):
    def compare(self, *arguments):
        report = json.loads(self.succeed("compare", *arguments, *TWO, "--json").stdout)
        for one in report["comparisons"]:
            self.assertLessEqual(KEYS, one.keys())
            self.assertGreater(one["ours_s"], 0)
            if one["rival_s"] is None or "unsteady" in one:
                self.assertIsNone(one["ratio"])
            else:
                self.assertAlmostEqual(one["ratio"], one["rival_s"] / one["ours_s"])
        self.assertIn("binding", report["context"])
        self.assertIn("kernel", report["context"]["state"])
        for work in {one["work"] for one in report["comparisons"]}:
            self.assertGreater(report["context"]["during"][work]["seconds"], 0)
        return report["comparisons"]

    def compared(self, cases):
        """Each case with what `compare` finds of it; several at once, since samples have pauses."""
        with ThreadPoolExecutor(4) as pool:
            return list(zip(cases, pool.map(lambda case: self.compare(*case), cases)))

    def rivals(self, comparisons):
        return [one["rival"] for one in comparisons]

    def test_sort_and_argsort_of_every_type(self):
        types = ("u64", "f64", "u32", "i32", "f32", "pairs", "u64_pair", "string")
        for (*_, type_), found in self.compared([
                (work, "--n", "3000", "--type", type_)
                for work, some in (("sort", types), ("argsort", types[::3])) for type_ in some]):
            self.assertEqual({one["type"] for one in found}, {type_})
            self.assertEqual({one["n"] for one in found}, {3000})
            self.assertIn("serial", self.rivals(found))

    def test_matrices_of_every_type(self):
        for (work, *_, type_), found in self.compared([
                (work, "--n", "150", "--type", type_) for work, types in
                (("matmul", ("f64", "f32", "c64", "c128")), ("min-plus", ("f32", "f64", "i32", "i64")),
                 ("max-min", ("f32", "f64", "i32", "i64"))) for type_ in types]):
            mine = [one for one in found if one["work"] == work]
            self.assertEqual({(one["type"], one["n"]) for one in mine}, {(type_, 150)})
            for one in mine:
                self.assertAlmostEqual(one["operations_per_second"] * one["ours_s"],
                                       2 * 150 ** 3 * (4 if type_[0] == "c" else 1), delta=1)
        for work in ("matmul", "min-plus", "max-min"):
            self.assertIn("choose f64", self.refuse(2, "compare", work, "--type", "u64"))

    def test_transforms_and_stencils_of_both_precisions(self):
        sizes = (("fft", 96), ("rfft", 96), ("rfft", 97), ("fft2", 40), ("fft2", 33), ("fftn", 7),
                 ("rfftn", 6), ("fft-plan", 12), ("rfft-plan", 9), ("stencil1", 300), ("stencil2", 40),
                 ("stencil3", 12))
        for (work, _, n, *_), found in self.compared([(work, "--n", n, "--type", type_) for (work, n), type_
                                                      in zip(sizes, ("f64", "f32", "f32") * 4)]):
            mine = [one for one in found if one["work"] == work]
            self.assertEqual({one["n"] for one in mine}, {n})
            if "fft" in work:
                self.assertEqual(set(self.rivals(mine)),
                                 {"fftw-measure", "fftw-estimate", "registers", "bandwidth"})
        for work in {work for work, _ in sizes}:
            self.assertIn("f64", self.refuse(2, "compare", work, "--type", "u64"))

    def test_everyday_algorithms_beside_those_of_others_and_the_bound(self):
        done = self.succeed("compare", "everyday", "--n", "3001", "--processors", "2",
                            "--repetitions", "1", "--json")  # all are verified however few
        found = json.loads(done.stdout)["comparisons"]
        works = list(dict.fromkeys(one["work"] for one in found))
        self.assertIn("for-each", works)
        self.assertIn("nth-element", works)
        for work in works:
            mine = [one for one in found if one["work"] == work]
            self.assertEqual({(one["n"], one["type"]) for one in mine}, {(3001, "f64")})
            self.assertLessEqual({"serial", "bandwidth"}, set(self.rivals(mine)))
            self.assertLessEqual(set(self.rivals(mine)), {"tbb", "std-par", "openmp", "serial", "bandwidth"})

    def test_memory_is_placed_as_asked_for_and_looked_at(self):
        for arguments, memory, pages in ((["--memory", "interleave"], "interleave", "thp"),
                                         (["--memory", "bind:0", "--pages", "4k"], "bind:0", "4k"),
                                         ([], "first-touch", "thp")):
            done = self.run_tool("compare", "sort", "--n", 2 ** 16, "--rivals", "serial", *arguments,
                                 *TWO, "--json")
            if "mempolicy: Operation not permitted" in done.stderr:
                continue  # a container that forbids it: said with the way out
            report = json.loads(done.stdout)
            context = report["context"]
            self.assertEqual((context["memory"], context["pages"]), (memory, pages))
            for one in report["comparisons"]:
                bytes_of_key = 8 if one["work"] == "sort" else 16  # of stable-sort, its group
                placed = one["memory_pages"]
                if placed is None:
                    continue
                self.assertEqual(sum(placed["on_node"].values()) * placed["page_bytes"], 2 * 2 ** 16 * bytes_of_key)
                self.assertEqual((placed["absent"], placed["astray"]), (0, 0))
        self.assertIn("no such NUMA node", self.refuse(2, "compare", "sort", "--memory", "bind:1000"))

    def test_only_the_rivals_asked_for(self):
        found = self.compare("sort", "--n", "1000", "--rivals", "serial")  # and stable-sort, its group
        self.assertEqual(set(self.rivals(found)), {"serial"})

    def test_missing_rivals_are_named_with_their_package(self):
        for one in self.compare("sort", "--n", "1000"):
            if one["rival_s"] is None:
                self.assertTrue(one["missing_package"])

    def test_figures_without_a_rival_have_null_ones(self):
        found = self.compare("vp", "--n", "1000")
        virtual = next(one for one in found if one["work"] == "vp")
        self.assertEqual((virtual["rival"], virtual["ratio"]), (None, None))
        self.assertGreaterEqual(virtual["bytes_per_vp"], 0)

    def test_sync_names_how_openmp_waits(self):
        done = self.run_tool("compare", "sync", "--n", "1000", *TWO)
        if done.returncode == 0:
            self.assertIn("OMP_WAIT_POLICY=active", done.stdout)
        else:  # a machine of one processor: it says what it needs
            self.assertIn("two processors", done.stderr)

    def test_collectives_beside_the_mpis_and_copies(self):
        only = ["--operations", "all_gather_v,reduce_scatter", "--n", "100"]
        done = self.run_tool("compare", "collectives", *only, *TWO, "--json")
        if done.returncode != 0:  # a machine of one processor: it says what it needs
            self.assertIn("processor", done.stderr)
            return
        found = json.loads(done.stdout)["comparisons"]
        measures = ["all_gather_v, " + how for how in ("regular", "irregular", "degenerate", "spike")]
        self.assertEqual(list(dict.fromkeys(one["measure"] for one in found)),
                         [*measures, "reduce_scatter"])
        self.assertEqual({one["n"] for one in found}, {100, 112})  # whole doubles, equal shares
        self.assertEqual(set(self.rivals(found)), {"openmpi", "mpich", "memcpy"})
        for one in found:
            self.assertTrue(one["rival_s"] or one.get("missing_package") or one["missing_reason"])

    def test_an_unknown_collective_is_answered_with_the_known_ones(self):
        done = self.run_tool("compare", "collectives", "--operations", "all_scatter", *TWO)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "all_gather_v|two processors")

    def test_what_counting_and_accounts_add_to_a_run(self):
        for work, rivals in (("trace", ["untraced", "untraced-strict"]), ("report", ["unreported"])):
            found = self.compare(work, "--n", "64")
            self.assertEqual({one["work"] for one in found}, {work})
            self.assertEqual(self.rivals(found), rivals * (len(found) // len(rivals)))
            for one in found:
                quartiles = one["surcharge_quartiles_s"]
                self.assertLessEqual(quartiles["low"], one["surcharge_s"])
                self.assertLessEqual(one["surcharge_s"], quartiles["high"])
        text = self.succeed("compare", "trace", "--n", "64", *TWO).stdout
        self.assertRegex(text, r"(more|less) than untraced, .* %")
        self.assertIn("at least", self.refuse(2, "compare", "trace", "--n", "1"))

    def test_the_child_s_wrong_usage_is_ours(self):
        for work in ("sort", "argsort"):
            self.assertIn("choose u64", self.refuse(2, "compare", work, "--type", "u65"))
        self.assertIn("at least", self.refuse(2, "compare", "messages", "--n", "1"))

    def test_options_that_mean_nothing_are_refused_before_anything_is_measured(self):
        for option, works in (("--type", ["sync", "vp", "lend", "schedule"]),
                              ("--distribution", ["sync", "matmul", "fft", "stencil1"]),
                              ("--operations", ["sync", "sort"]),
                              ("--rivals", ["messages", "sync", "min-plus"])):
            value = {"--type": "f64", "--distribution": "random", "--operations": "broadcast",
                     "--rivals": "ips4o"}[option]
            for work in works:
                said = self.refuse(2, "compare", work, option, value)
                self.assertIn(f"{option}: {work}", said)
                # Also behind a benchmark that it means something to.
                said = self.refuse(2, "compare", "argsort", "collectives", work, option, value)
                self.assertIn(option, said)
        for option in ("--n", "--type", "--distribution", "--operations", "--rivals", "--seed",
                       "--repetitions"):
            self.assertIn("empty", self.refuse(2, "compare", "sort", option, ""))
        for option in ("--n", "--seed", "--repetitions"):
            self.assertIn(f"{option}: 'abc'", self.refuse(2, "compare", "sort", option, "abc"))
        # Nothing of sync is measured, whatever channel says to this size.
        self.assertIn("channel", self.refuse(2, "compare", "sync", "channel", "--n", "100", "--json"))

    def test_benchmarks_of_a_group_without_the_rivals_asked_for_are_left_out(self):
        done = self.succeed("compare", "sort", "--n", "500", "--rivals", "ips4o", "--json", *TWO)
        self.assertIn("stable-sort is left out", done.stderr)
        self.assertEqual({one["work"] for one in json.loads(done.stdout)["comparisons"]}, {"sort"})

    def test_every_benchmark_says_which_options_it_takes(self):
        known = self.run_tool("compare", "nothing").stderr
        names = known[known.index("known: ") + 7:].strip().split(", ")[:-1]
        self.assertIn("stencil3", names)
        for name in names:  # refused for its size, hence found
            self.assertIn("--n: ", self.refuse(2, "compare", name, "--n", "0"))

    def test_what_was_measured_is_kept_when_a_benchmark_fails(self):
        done = self.run_tool("compare", "channel", "trace", "--n", "1024", "--processors", "1",
                             "--repetitions", "2", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("two processors", done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["failed"], ["channel"])
        self.assertEqual({one["work"] for one in report["comparisons"]}, {"trace"})

    def test_what_was_measured_is_kept_when_it_is_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [TOOL, "compare", "trace", "min-plus", "--n", "1024", "--repetitions", "10",
                       "--json"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=environment()) as tool:
                for line in tool.stderr:
                    if "measuring min-plus" in line:
                        tool.send_signal(number)
                        break
                output, _ = tool.communicate()
            self.assertEqual(tool.returncode, 128 + number)
            report = json.loads(output)
            self.assertEqual({one["work"] for one in report["comparisons"]}, {"trace"})
            self.assertEqual(report["failed"], ["min-plus"])
