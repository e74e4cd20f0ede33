# SPDX-License-Identifier: Apache-2.0
"""Tests of `pleat sweep -- COMMAND`, which measures a command of the user."""
import csv
import json
import os
import signal
import subprocess
import sys
import time

from tool import TOOL, ToolTest, environment

# Program that prints its arguments, COUNT, the processors it may run on, and numbers to measure.
PROGRAM = """
import os, sys
print("given", *sys.argv[1:], os.environ.get("COUNT"), sorted(os.sched_getaffinity(0)))
print("Time: 999"); print("Time: %g" % (float(sys.argv[1]) / 1000)); print("Rate: %s MB/s" % sys.argv[1])
"""


class SweepCommand(ToolTest):
    def setUp(self):
        super().setUp()
        self.program = self.path("program.py")
        with open(self.program, "w") as file:
            file.write(PROGRAM)
        self.command = [sys.executable, "-S", self.program]

    def rows(self, *arguments):
        done = self.succeed("sweep", "--csv", "-", *arguments)
        return list(csv.DictReader(done.stdout.splitlines()))

    def test_words_in_braces_are_replaced(self):
        log = self.path("log")
        self.succeed("sweep", "--n", "5,2^4", "--axis", "tile=a,b", "--axis", "flag=x=1", "--processors",
                     "2,1", "--repetitions", "1", "--env", "COUNT={processors}", "--", "sh", "-c",
                     f'"$@" >> {log}', "sh", *self.command, "{n}", "{tile}", "{flag}", "{{n}}", "{pus}",
                     "{place}", "{", "{ n }")
        with open(log) as file:
            seen = {line.strip() for line in file if line.startswith("given")}
        self.assertEqual(len(seen), 8, seen)
        for n in (5, 16):
            for tile in "ab":
                for count in (1, 2):
                    self.assertTrue(any(line.startswith(f"given {n} {tile} x=1 {{n}} ") and
                                        f" {{ {{ n }} {count} [" in line for line in seen), seen)

    def test_bound_to_as_many_processors_as_the_case_has(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor")
        report = json.loads(self.succeed("sweep", "--processors", "1,2", "--repetitions", "2", "--json",
                                         "-", "--", *self.command, "1").stdout)
        allowed = {}
        for entry in report["benchmarks"]:
            if entry.get("aggregate_name") == "median":
                allowed[entry["processors"]] = entry["ran"]["pus"]
                self.assertGreaterEqual(entry["ran"]["threads"], 1)
                self.assertGreater(sum(entry["memory_pages"]["on_node"].values()), 100)
        self.assertNotRegex(allowed[1], "[-,]")
        self.assertRegex(allowed[2], "[-,]")

    def test_what_is_measured(self):
        def median(*options):
            row, = self.rows("--n", "250", "--processors", "1", "--repetitions", "2", *options, "--",
                             *self.command, "{n}")
            self.assertEqual(row["library"], "command")
            return float(row["median_s"])
        self.assertAlmostEqual(median("--measure", "Time: ([0-9.]+)"), 0.25)
        self.assertAlmostEqual(median("--measure", "Time: ([0-9.]+)", "--unit", "ms"), 0.25e-3)
        self.assertAlmostEqual(median("--measure", "Rate: ([0-9.]+)", "--unit", "MB/s", "--better",
                                      "more"), 1 / 250)
        self.assertGreater(median("--measure", "memory"), 1e6)
        self.assertTrue(0 < median("--measure", "cpu") < 10)
        self.assertTrue(0 < median() < 10)
        table = self.succeed("sweep", "--n", "250", "--processors", "1", "--repetitions", "1", "--measure",
                             "Rate: ([0-9.]+)", "--unit", "MB/s", "--better", "more", "--",
                             *self.command, "{n}").stdout
        self.assertIn(" 250 MB/s ", table)

    def test_rivals_speed_up_and_reports(self):
        file = self.path("sweep.json")
        self.succeed("sweep", "--n", "100,200", "--processors", "1", "--repetitions", "2", "--measure",
                     "Time: ([0-9.]+)", "--name", "mine", "--rival",
                     f"other='{sys.executable}' -S \"{self.program}\" 300", "--json", file, "--",
                     *self.command, "{n}")
        text = self.succeed("report", file).stdout
        self.assertRegex(text, r"other +300 ms +3\.00")
        self.assertRegex(text, r"other +300 ms +1\.50")
        self.succeed("sweep", "--resume", file, "--repetitions", "3")
        with open(file) as done:
            report = json.load(done)
        runs = [one for one in report["benchmarks"] if one["run_type"] == "iteration"]
        self.assertEqual(len(runs), 2 * 2 * 3)
        self.refuse(2, "sweep", "--resume", file, "--", "true")

    def test_weak_scaling_multiplies_the_size(self):
        rows = self.rows("--per-processor", "10", "--processors", "1,2", "--repetitions", "1", "--measure",
                         "Time: ([0-9.]+)", "--", *self.command, "{n}")
        self.assertEqual(sorted(row["n"] for row in rows), ["10", "20"])
        self.assertEqual([float(row["efficiency"]) for row in rows], [1.0, 0.5])

    def test_commands_that_fail_are_rows_that_say_why(self):
        def failed(*command):
            done = self.run_tool("sweep", "--processors", "1", "--repetitions", "2", "--", *command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("failed", done.stdout)
            return done.stdout
        self.assertIn("cannot start nowhere/here", failed("nowhere/here"))
        self.assertIn("exit code 3: bad news", failed("sh", "-c", "echo; echo bad news >&2; exit 3"))
        self.assertIn("signal 11", failed("sh", "-c", "kill -SEGV $$"))
        done = self.run_tool("sweep", "--processors", "1", "--measure", "x ([0-9]+)", "--", "echo", "y")
        self.assertIn("nothing that the command prints matches", done.stdout)

    def test_what_makes_no_sense_is_refused(self):
        for arguments in (["--"], ["--axis", "n=1", "--", "true"], ["--axis", "tile", "--", "true"],
                          ["--axis", "tile=1,,2", "--", "true"], ["--", "echo", "{n}"],
                          ["--measure", "(", "--", "true"], ["--measure", "x", "--", "true"],
                          ["--better", "more", "--", "true"], ["--unit", "s", "--", "true"],
                          ["--rival", "a", "--", "true"], ["--rival", "a='", "--", "true"],
                          ["--rival", "command=true", "--", "true"], ["--rivals", "--", "true"],
                          ["--programs", "sort", "--", "true"], ["--type", "f64", "--", "true"],
                          ["--wait", "spin", "--", "true"], ["--ranks", "2", "--", "true"],
                          ["--pages", "hugetlb", "--", "true"], ["--axis", "tile=1"], ["--name", "x"],
                          ["--env", "=1", "--", "true"], ["--axis", "a=1", "--axis", "a=2", "--", "true"],
                          ["--html", self.path("x.html"), "--measure", "memory", "--", "true"]):
            self.refuse(2, "sweep", *arguments)
        self.refuse(2, "topology", "--", "true")

    def test_a_number_that_is_none_fails_its_case_alone(self):
        file = self.path("sweep.json")
        command = ["--axis", "a=1,inf,3", "--processors", "1", "--repetitions", "2", "--measure", "T: (\\S+)",
                   "--json", file, "--", "echo", "T: {a}"]
        done = self.run_tool("sweep", *command)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("'inf' that the command prints is no number", done.stdout)
        with open(file) as report:
            runs = [one for one in json.load(report)["benchmarks"] if one["run_type"] == "iteration"]
        self.assertEqual(sum("error_occurred" in one for one in runs), 1)
        self.assertEqual(len(runs), 5)
        self.assertIn("nothing left to measure", self.run_tool("sweep", "--resume", file).stderr)

    def test_a_command_and_what_it_started_end_with_the_sweep(self):
        for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            self.ends_with_the_sweep(how)

    def ends_with_the_sweep(self, how):
        mark = self.path(f"process{how}")
        sweep = subprocess.Popen([TOOL, "sweep", "--processors", "1", "--", "sh", "-c",
                                  f"sh -c 'echo $$ > {mark}; exec sleep 600' & wait"], env=environment(),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(mark) or os.path.getsize(mark) == 0:
            self.assertIsNone(sweep.poll())
            time.sleep(0.01)
        with open(mark) as file:
            child = int(file.read())
        sweep.send_signal(how)
        sweep.wait()
        for _ in range(500):
            try:
                with open(f"/proc/{child}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return
            except FileNotFoundError:
                return
            time.sleep(0.01)
        self.fail("it outlives the sweep")
