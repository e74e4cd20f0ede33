# SPDX-License-Identifier: Apache-2.0
import csv
import json
import os
import signal
import subprocess
import tempfile
import unittest

from tool import TOOL, ToolTest, environment

SMALL = ["--n", "1000,2^12", "--processors", "1,2", "--repetitions", "3", "--min-time", "0.001"]


class Sweep(ToolTest):
    def test_the_table_has_a_row_for_every_case(self):
        lines = self.succeed("sweep", *SMALL).stdout.splitlines()
        self.assertEqual(len(lines), 1 + 4 + 1)
        self.assertEqual(lines[-1].strip(), "sort: times are of a sort of n keys; million/s of keys")
        self.assertIn("speed-up", lines[0])
        self.assertIn("efficiency", lines[0])
        self.assertIn("predicted", lines[0])
        self.assertEqual(sum(" 2^12 " in line for line in lines), 2)

    def check_report(self, report):
        self.assertIn("caches", report["context"])  # Google Benchmark's own
        self.assertEqual(report["context"]["pleat"]["placement"]["processors"], 2)
        self.assertEqual(len(report["context"]["pleat"]["binding"]), 2)
        self.assertIn("kernel", report["context"]["pleat"]["state"])
        self.assertGreater(report["context"]["pleat"]["during"]["seconds"], 0)
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
                      "organ-pipe", "zipf", "exponential"):
            self.assertIn(shape, self.succeed("sweep", *tiny, "--distribution", shape).stdout)

    def test_the_time_is_that_of_one_transform_where_many_are_in_a_call(self):
        report = json.loads(self.succeed("sweep", "--programs", "fft", "--n", "2^8,2^17", "--processors",
                                         "1", "--repetitions", 1, "--min-time", "0.0001",
                                         "--json").stdout)
        small, large = [one for one in report["benchmarks"] if one.get("aggregate_name") == "median"]
        self.assertEqual((small["batch"], large["batch"]), (2 ** 12, 1))
        self.assertIn("/batch:4096", small["run_name"])
        self.assertNotIn("batch", large["run_name"])
        self.assertLess(small["real_time"], large["real_time"])  # of the calls the former is longer
        self.assertAlmostEqual(small["items_per_second"] * small["real_time"] / 1e3, 5 * 2 ** 8 * 8)
        self.assertIn("a transform", report["context"]["pleat"]["operations"]["fft"]["time_of"])

    def test_figures_that_mean_nothing_are_left_out(self):
        tiny = ["--n", "64", "--min-time", "0.0001", "--processors", "1,2"]
        self.assertNotIn("±", self.succeed("sweep", *tiny, "--repetitions", "1").stdout)
        self.assertNotIn("±", self.succeed("sweep", *tiny, "--repetitions", "5").stdout)
        path = self.path("s.json")
        out = self.succeed("sweep", *tiny, "--repetitions", "6", "--json", path).stdout
        self.assertEqual(out.count("±"), 2)  # six samples enclose their median often enough
        with open(path, encoding="utf-8") as file:  # 64 keys are one virtual processor's
            for one in json.load(file)["benchmarks"]:
                self.assertFalse("predicted_s" in one and "/processors:2/" in one["name"], one["name"])

    def test_nothing_is_predicted_or_probed_for_processors_that_share_cores(self):
        p = 2 * len(os.sched_getaffinity(0))
        done = self.succeed("sweep", "--programs", "fft", "--n", "2^12", "--processors", f"1,{p}",
                            "--repetitions", 1, "--min-time", 0.001, "--json")
        self.assertNotIn("probing", done.stderr)
        for one in json.loads(done.stdout)["benchmarks"]:
            if one.get("aggregate_name") not in ("stddev", "cv"):
                self.assertEqual("predicted_s" in one, "/processors:1/" in one["name"], one["name"])

    def test_a_place_that_cannot_be_written_is_found_out_first(self):
        said = self.refuse(1, "sweep", "--n", "2^40", "--json", self.path("missing/sweep.json"))
        self.assertIn("missing/sweep.json", said)

    def cases(self, *arguments):
        """The medians of a sweep, and what failed, by the names of their cases."""
        done = self.run_tool("sweep", "--repetitions", "1", "--min-time", "0.0001", *arguments,
                             "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {one["run_name"]: one for one in json.loads(done.stdout)["benchmarks"]
                if one.get("aggregate_name") == "median" or "error_occurred" in one}

    def test_sizes_of_each_program(self):
        cases = self.cases("--n", "100,sort=64,2^7..2^8,matmul=20", "--programs", "matmul,sort,fft",
                           "--processors", "1")
        self.assertEqual([(one["program"], one["n"]) for one in cases.values()],
                         [("matmul", 20), ("sort", 64), ("sort", 128), ("sort", 256), ("fft", 100)])
        cases = self.cases("--n", "fft=64", "--processors", "1")  # those named are those swept
        self.assertEqual([one["program"] for one in cases.values()], ["fft"])

    def test_weak_scaling_gives_every_processor_as_many_elements(self):
        cases = self.cases("--per-processor", "sort=1000,matmul=50,stencil3=20", "--processors",
                           "1,2")
        self.assertEqual([(one["program"], one["processors"], one["n"]) for one in cases.values()],
                         [("sort", 1, 1000), ("sort", 2, 2000), ("matmul", 1, 50), ("matmul", 2, 71),
                          ("stencil3", 1, 20), ("stencil3", 2, 25)])
        self.assertEqual({one["scaling"] for one in cases.values()}, {"weak"})
        one, two = list(cases.values())[:2]
        self.assertAlmostEqual(two["speedup"], 2 * one["real_time"] / two["real_time"])
        self.assertAlmostEqual(two["efficiency"], one["real_time"] / two["real_time"])

    def test_axes_of_place_memory_and_waiting(self):
        cases = self.cases("--n", "64", "--processors", "1", "--memory", "first-touch,interleave",
                           "--memory", "bind:0", "--pages", "thp,4k", "--wait", "auto,park",
                           "--hardware-threads", "one,all", "--place", "compact", "--place", "spread")
        self.assertEqual(len(cases), 3 * 2 * 2 * 2 * 2)
        seen = {(one["memory"], one["pages"], one["wait"], one["hardware_threads"], one["place"])
                for one in cases.values()}
        self.assertEqual(len(seen), len(cases))
        self.assertIn(("bind:0", "4k", "park", "all", "spread/pu"), seen)

    def test_axes_that_make_no_sense(self):
        for said, arguments in (
                ("is no program", ["--n", "bubble=64"]),
                ("many at a time", ["--per-processor", "fft=1024"]),
                ("--programs", ["--n", "fft=8", "--programs", "sort"]),
                ("given twice", ["--n", "sort=8,sort=9"]), ("--n", ["--n", "sort="]),
                ("names no program", ["--n", "=8"]),
                ("leave --n out", ["--n", "8", "--per-processor", "8"]),
                ("first-touch", ["--memory", "far"]), ("--pages", ["--memory", "local/4k"]),
                ("hugetlb", ["--pages", "1g"]), ("park", ["--wait", "sleep"]),
                ("one (of each core), all", ["--hardware-threads", "2"]),
                ("leave the option out", ["--hardware-threads", "all", "--place", "list:0"]),
                ("write 2% or 0.02", ["--precision", "150%"]), ("--precision", ["--precision", "0"]),
                ("--time-limit", ["--time-limit", "-1"]),
                ("100,000 cases", ["--n", "1..4000+1", "--processors", "1..100+1"]),
                ("--csv", ["--json", self.path("a"), "--csv", self.path("a")]),
                ("empty place", ["--memory", "local,"])):
            self.assertIn(said, self.refuse(2, "sweep", *arguments), arguments)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_case_without_memory_is_a_row_and_the_others_go_on(self):
        path = self.path("s.json")
        done = self.run_tool("sweep", "--n", "sort=64,matmul=2^40,fft=64", "--processors", "1",
                             "--repetitions", "2", "--min-time", "0.0001", "--json", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed", done.stdout)
        self.assertIn("use a smaller n", done.stdout)
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["benchmarks"]
        failed = [one for one in entries if one.get("error_occurred")]
        self.assertEqual([one["program"] for one in failed], ["matmul"])
        self.assertIn("memory", failed[0]["error_message"])
        self.assertEqual({one["program"] for one in entries}, {"sort", "matmul", "fft"})

    def test_a_place_that_is_not_there_is_a_row(self):
        cases = self.cases("--n", "64", "--place", "compact", "--place", "numa:999", "--processors",
                           "1..max")
        missing = [one for one in cases.values() if one["place"] == "numa:999"]
        self.assertIn("999", missing[0]["error_message"])
        self.assertEqual(len(missing), 1)
        self.assertTrue(all("error_occurred" not in one for one in cases.values()
                            if one["place"] == "compact"))

    def test_no_output_is_named_like_the_journal(self):
        self.assertIn("--csv", self.refuse(2, "sweep", "--n", "64", "--json", self.path("x"),
                                           "--csv", self.path("x.part")))

    def test_a_journal_without_its_header_is_begun_anew(self):
        for text in ("", '{"pleat_sweep":{"ver'):
            with open(self.path("s.json.part"), "w", encoding="utf-8") as file:
                file.write(text)
            self.succeed("sweep", "--n", "64", "--processors", "1", "--repetitions", "1",
                         "--min-time", "0.0001", "--resume", self.path("s.json"))
            self.assertEqual(os.listdir(self.folder), ["s.json"])
            os.remove(self.path("s.json"))

    def test_the_same_figures_in_every_form(self):
        done = self.succeed("sweep", *SMALL, "--json", self.path("s.json"), "--csv",
                            self.path("s.csv"), "--markdown", self.path("s.md"), "--extra-p",
                            self.path("s.jsonl"))
        with open(self.path("s.json"), encoding="utf-8") as file:
            entries = json.load(file)["benchmarks"]
        medians = [one for one in entries if one.get("aggregate_name") == "median"]
        with open(self.path("s.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(medians))
        for row, one in zip(rows, medians):
            self.assertEqual(row["stopped"], one["stopped"])
            self.assertEqual((row["program"], int(row["n"]), int(row["processors"])),
                             (one["program"], one["n"], one["processors"]))
            self.assertAlmostEqual(float(row["median_s"]) * 1e3, one["real_time"])
            samples = [each["real_time"] for each in entries
                       if each["run_name"] == one["run_name"] and each["run_type"] == "iteration"]
            self.assertAlmostEqual(sorted(samples)[1], one["real_time"])
        with open(self.path("s.jsonl"), encoding="utf-8") as file:
            points = [json.loads(line) for line in file]
        self.assertEqual([(one["params"]["p"], one["params"]["n"]) for one in points],
                         [(one["processors"], one["n"]) for one in medians])
        self.assertEqual(len({one["callpath"] for one in points}), 1)
        with open(self.path("s.md"), encoding="utf-8") as file:
            table = file.read().splitlines()
        self.assertEqual(len(table), 2 + len(medians) + 2)
        for line, row in zip(table[2:-2], done.stdout.splitlines()[1:]):
            self.assertEqual("".join(line.strip("|").replace("|", "").split()), "".join(row.split()))
            self.assertEqual(line.count("|"), table[1].count("|"))

    @unittest.skipUnless(os.environ.get("PLEAT_BENCHMARK_COMPARE"), "Google Benchmark's tools")
    def test_google_benchmarks_compare_reads_it(self):
        path = self.path("s.json")
        self.succeed("sweep", *SMALL, "--json", path)
        done = subprocess.run(["/usr/bin/python3", os.environ["PLEAT_BENCHMARK_COMPARE"],
                               "--no-color", "benchmarks", path, path], stdout=subprocess.PIPE,
                              text=True, check=True)
        self.assertIn("sort/u64/random/n:4096/processors:2/place:compact_median", done.stdout)

    def measuring(self, *arguments):
        """A sweep in a process group of its own whose journal has some samples."""
        part = self.path("s.json.part")
        tool = subprocess.Popen([TOOL, "sweep", *arguments, "--json", "s.json"], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment(), start_new_session=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.stdout.close)
        self.addCleanup(tool.stderr.close)
        while tool.poll() is None:
            if os.path.exists(part):
                with open(part, encoding="utf-8") as file:
                    if file.read().count('"round"') >= 5:
                        return tool
        self.fail("it ended by itself: " + tool.stderr.read())

    def test_killed_it_goes_on_where_it_was(self):
        sizes = ["--n", "64,2^10,2^12", "--processors", "1,2"]
        whole = self.cases(*sizes)
        part, path = self.path("s.json.part"), self.path("s.json")
        tool = self.measuring(*sizes, "--repetitions", "40", "--min-time", "0.001", "--csv", "s.csv")
        busy = self.refuse(2, "sweep", "--resume", path)  # by two at once it is not written
        self.assertIn("another sweep", busy)
        tool.kill()
        tool.wait()
        self.assertEqual(os.listdir(self.folder), ["s.json.part"])
        with open(part, "a", encoding="utf-8") as file:
            file.write('{"case":0,"round":[["pl')  # a line that was being written
        with open(part, encoding="utf-8") as file:
            kept = [json.loads(line) for line in file if line.endswith("\n")]
        self.assertIn("go on with --resume", self.refuse(2, "sweep", *sizes, "--json", path))
        self.assertIn("other cases", self.refuse(2, "sweep", "--n", "65", "--resume", path))
        # From another folder, where files have the same names.
        with tempfile.TemporaryDirectory() as other:
            for name in ("s.json", "s.csv"):
                with open(os.path.join(other, name), "w", encoding="utf-8") as file:
                    file.write("precious")
            self.succeed("sweep", "--resume", path, "--markdown", self.path("s.md"), cwd=other)
            for name in ("s.json", "s.csv"):
                with open(os.path.join(other, name), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["s.csv", "s.json", "s.md"])
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["benchmarks"]
        runs = {}
        for one in entries:
            if one["run_type"] == "iteration":
                runs.setdefault(one["run_name"], []).append(one["real_time"])
        self.assertEqual(set(runs), set(whole))
        self.assertEqual({len(times) for times in runs.values()}, {40})
        for line in kept[1:]:  # nothing that was measured is lost
            if "round" in line:
                case = kept[0]["pleat_sweep"]["cases"][line["case"]]
                name = (f"sort/u64/random/n:{case['n']}/processors:{case['processors']}"
                        "/place:compact")
                self.assertTrue(any(abs(line["round"][0][1] * 1e3 - time) < 1e-12
                                    for time in runs[name]), line)
        before = self.contents()
        for name in (path, part):
            done = self.succeed("sweep", "--resume", name, "--csv", self.path("again.csv"))
            self.assertIn("nothing left to measure", done.stderr)
            now = self.contents()
            self.assertEqual(now.pop("again.csv"), before["s.csv"])
            self.assertEqual(now, before)
        os.remove(self.path("again.csv"))
        self.succeed("sweep", "--resume", path, "--repetitions", 41)
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["benchmarks"]
        self.assertEqual(sum(one["run_type"] == "iteration" for one in entries), 41 * len(whole))
        self.assertEqual(sorted(os.listdir(self.folder)), ["s.csv", "s.json", "s.md"])
        self.assertIn("s.csv", self.refuse(2, "sweep", "--resume", self.path("s.csv")))

    def test_interrupted_it_prints_what_there_is(self):
        for signal_ in (signal.SIGINT, signal.SIGTERM):
            tool = self.measuring("--n", "64,2^10", "--processors", "1", "--repetitions", "10000",
                                  "--min-time", "0.001")
            os.killpg(tool.pid, signal_)
            out, err = tool.communicate()
            self.assertEqual(tool.returncode, 128 + signal_, err)
            self.assertIn("median", out)
            self.assertIn(" sort ", out)
            self.assertIn("--resume", err)
            self.assertEqual(os.listdir(self.folder), ["s.json.part"])
            os.remove(self.path("s.json.part"))
