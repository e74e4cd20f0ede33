# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import subprocess
import unittest

from tool import TOOL, ToolTest, environment

SMALL = ["--n", "1000,2^12", "--processors", "1,2", "--repetitions", "3", "--min-time", "0.001"]


class Sweep(ToolTest):
    def test_the_table_has_a_row_for_every_case(self):
        lines = self.succeed("sweep", *SMALL).stdout.splitlines()
        self.assertEqual(len(lines), 1 + 4)
        self.assertIn("speed-up", lines[0])
        self.assertIn("efficiency", lines[0])
        self.assertIn("predicted", lines[0])
        self.assertEqual(sum(" 2^12 " in line for line in lines), 2)

    def check_report(self, report):
        self.assertIn("caches", report["context"])  # Google Benchmark's own
        self.assertEqual(report["context"]["pleat"]["placement"]["processors"], 2)
        self.assertEqual(len(report["context"]["pleat"]["binding"]), 2)
        cases = {}
        for one in report["benchmarks"]:
            self.assertIn("real_time", one)
            if one["run_type"] == "iteration":
                cases.setdefault(one["run_name"], []).append(one)
        self.assertEqual(len(cases), 4)
        for name, runs in cases.items():
            self.assertEqual(len(runs), 3, name)
            for run in runs:
                processors = 1 if "processors:1/" in name else 2
                self.assertAlmostEqual(run["efficiency"], run["speedup"] / processors)
                if processors == 1:
                    self.assertGreater(run["predicted_s"], 0)
        ones = sorted(r["speedup"] for r in cases[next(n for n in cases if "processors:1/" in n)])
        self.assertAlmostEqual(ones[1], 1, places=6)  # the median run beside itself

    def test_json_is_google_benchmarks_with_speedups(self):
        self.check_report(json.loads(self.succeed("sweep", *SMALL, "--json").stdout))

    def test_json_to_a_file_beside_the_table(self):
        done = self.succeed("sweep", *SMALL, "--json", self.path("sweep.json"))
        self.assertIn("speed-up", done.stdout)
        with open(self.path("sweep.json")) as file:
            self.check_report(json.load(file))
        self.assertEqual(os.listdir(self.folder), ["sweep.json"])

    def test_every_type_and_distribution(self):
        tiny = ["--n", "500", "--processors", "2", "--repetitions", "1", "--min-time", "0.0001"]
        for type_ in ("u64", "f64", "u32", "i32", "f32", "pairs", "u64_pair", "string"):
            self.assertIn(type_, self.succeed("sweep", *tiny, "--type", type_).stdout)
        for shape in ("random", "sorted", "reversed", "almost-sorted", "few-distinct", "equal",
                      "organ-pipe"):
            self.assertIn(shape, self.succeed("sweep", *tiny, "--distribution", shape).stdout)

    def test_matrices_beside_keys(self):
        done = self.succeed("sweep", "--programs", "sort,matmul", "--n", "80", "--processors", "1,2",
                            "--repetitions", "1", "--min-time", "0.0001")
        self.assertEqual(sum(" matmul " in line and " f64 " in line
                             for line in done.stdout.splitlines()), 2)
        self.assertEqual(sum(" u64 " in line for line in done.stdout.splitlines()), 2)
        self.assertIn("choose f64", self.refuse(2, "sweep", "--programs", "matmul", "--type", "u8"))

    def test_transforms_and_stencils(self):
        done = self.succeed("sweep", "--programs", "fft,stencil1,stencil2,stencil3", "--n", "30",
                            "--processors", "1,2", "--repetitions", "1", "--min-time", "0.0001")
        lines = done.stdout.splitlines()
        for program in ("fft", "stencil1", "stencil2", "stencil3"):
            self.assertEqual(sum(program in line for line in lines), 2, program)

    def test_figures_that_mean_nothing_are_left_out(self):
        tiny = ["--n", "64", "--min-time", "0.0001", "--processors", "1,2"]
        out = self.succeed("sweep", *tiny, "--repetitions", "1").stdout
        self.assertNotIn("±", out)
        path = self.path("s.json")
        out = self.succeed("sweep", *tiny, "--repetitions", "2", "--json", path).stdout
        self.assertIn("±", out)
        with open(path, encoding="utf-8") as file:  # 64 keys are one virtual processor's
            for one in json.load(file)["benchmarks"]:
                self.assertFalse("predicted_s" in one and "/processors:2/" in one["name"], one["name"])

    def test_nothing_is_predicted_or_probed_for_processors_that_share_cores(self):
        p = 2 * len(os.sched_getaffinity(0))
        done = self.succeed("sweep", "--programs", "fft", "--n", "2^12", "--processors", f"1,{p}",
                            "--repetitions", 1, "--min-time", 0.001, "--json")
        self.assertNotIn("probing", done.stderr)
        for one in json.loads(done.stdout)["benchmarks"]:
            self.assertEqual("predicted_s" in one, "/processors:1/" in one["name"], one["name"])

    def test_what_all_processors_share_is_predicted(self):
        report = json.loads(self.succeed("sweep", "--n", "2^20", "--processors", "1,2", "--min-time",
                                         "0.0001", "--repetitions", "1", "--json").stdout)
        for one in report["benchmarks"]:
            self.assertGreater(one["predicted_s"], 0, one["name"])

    def test_one_placement_given_twice_is_measured_once(self):
        out = self.succeed("sweep", "--n", "64", "--min-time", "0.0001", "--processors", "1",
                           "--repetitions", "1", "--place", "compact", "--place", "compact").stdout
        self.assertEqual(out.count("compact"), 1)

    def test_several_placements(self):
        out = self.succeed("sweep", "--n", "500", "--processors", "1", "--repetitions", "1",
                           "--min-time", "0.0001", "--place", "compact", "--place", "spread").stdout
        self.assertIn("compact", out)
        self.assertIn("spread", out)

    def test_more_processors_than_there_are_is_warned_of(self):
        done = self.succeed("sweep", "--n", "500", "--processors", "64", "--repetitions", "1",
                            "--min-time", "0.0001")
        self.assertIn("warning", done.stderr)

    def test_a_place_that_cannot_be_written_is_found_out_first(self):
        said = self.refuse(1, "sweep", "--n", "2^40", "--json", self.path("missing/sweep.json"))
        self.assertIn("missing/sweep.json", said)

    def test_interrupting_it_leaves_no_file(self):
        endless = [TOOL, "sweep", "--n", "2^16", "--repetitions", "10000", "--json",
                   self.path("sweep.json")]
        with subprocess.Popen(endless, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment()) as tool:
            while not os.listdir(self.folder) and tool.poll() is None:
                pass
            tool.send_signal(signal.SIGINT)
            self.assertEqual(tool.wait(), -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
