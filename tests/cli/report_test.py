# SPDX-License-Identifier: Apache-2.0
"""pleat report: comparisons against what NumPy says of the same samples, and what is refused."""
import json
import os
import re
import shutil
import subprocess
import sys

import numpy

from tool import TOOL, ToolTest, environment

SAMPLE = os.path.join(os.environ["PLEAT_TEST_DATA"], "sample_sweep.py")


def sample():
    made = subprocess.run([sys.executable, "-B", SAMPLE], stdout=subprocess.PIPE, check=True)
    return json.loads(made.stdout)


def repetitions(sweep):
    """The times of every case in seconds, by its name."""
    times = {}
    for one in sweep["benchmarks"]:
        if one["run_type"] == "iteration" and "error_occurred" not in one:
            times.setdefault(one["run_name"], []).append(one["real_time"] / 1e3)
    return times


class Report(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.text = json.dumps(sample())

    def write(self, name, sweep):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(sweep if isinstance(sweep, str) else json.dumps(sweep))
        return self.path(name)

    def changed(self, factors):
        """The sample with each repetition's time multiplied by a factor of its case, and noise."""
        sweep = json.loads(self.text)
        noise = numpy.random.default_rng(1)
        for one in sweep["benchmarks"]:
            if one["run_type"] == "iteration":
                one["real_time"] *= factors(one) * noise.normal(1, 0.002)
        return sweep

    def compare(self, before, after, *options):
        return json.loads(self.succeed("report", self.write("a.json", before),
                                       self.write("b.json", after), *options, "--json").stdout)

    def test_a_journal_is_named_as_what_it_is(self):
        name = self.write("s.json.part", '{"pleat_sweep":{}}\n')
        self.assertIn("pleat sweep --resume", self.refuse(2, "report", name))

    def test_a_slowdown_of_5_percent_is_found_where_it_is_and_nowhere_else(self):
        after = self.changed(lambda one: 1.05 if one["program"] == "fft" else 1)
        for case in self.compare(self.text, after)["cases"]:
            expected = ("slower",) if case["name"].startswith("fft") else ("same", "undecided")
            self.assertIn(case["verdict"], expected, case)

    def test_cases_without_a_partner_and_failed_ones_are_listed(self):
        before, after = json.loads(self.text), json.loads(self.text)
        first = before["benchmarks"][0]["run_name"]
        after["benchmarks"] = [one for one in after["benchmarks"] if one["run_name"] != first]
        compared = self.compare(before, after)
        self.assertEqual(compared["only_before"], [first])
        self.assertEqual(len(compared["failed"]), 2)
        self.assertIn("out of memory", compared["failed"][0]["message"])
        self.assertNotIn(first, [case["name"] for case in compared["cases"]])
        out = self.succeed("report", self.path("a.json"), self.path("b.json")).stdout
        self.assertIn("Only in " + self.path("a.json"), out)
        self.assertIn("out of memory", out)

    def test_different_machines_and_too_few_repetitions_are_warned_of(self):
        after = json.loads(self.text)
        after["context"]["host_name"] = "another"
        after["benchmarks"] = [one for one in after["benchmarks"]
                               if one.get("repetition_index", 9) < 3]
        done = self.succeed("report", self.write("a.json", self.text), self.write("b.json", after))
        self.assertIn("different machines (sample and another)", done.stderr)
        self.assertIn("too few repetitions", done.stderr)

    def test_what_spoiled_a_sweep_is_said_again(self):
        spoiled = json.loads(self.text)
        spoiled["context"]["pleat"]["during"] = {"seconds": 100.0, "stolen_s": 24.0, "others_s": None,
                                                 "throttled_s": 0.0}  # of 8 processors
        done = self.succeed("report", self.write("a.json", self.text), self.write("b.json", spoiled))
        self.assertIn(self.path("b.json") + ": when it was measured, the hypervisor took 3.00 %",
                      done.stderr)
        self.assertNotIn("a.json: when", done.stderr)

    def test_units_of_time_are_heeded(self):
        after = json.loads(self.text)
        for one in after["benchmarks"]:
            one["real_time"] *= 1e6
            one["time_unit"] = "ns"
        compared = self.compare(self.text, after)
        self.assertEqual({case["verdict"] for case in compared["cases"]}, {"same"})

    def test_one_sweep_is_shown_as_tables_and_bars(self):
        out = self.succeed("report", self.write("s.json", self.text)).stdout
        for text in ("Speed-up by processors, n = 2^24", "Time by n, 8 processors", "█", "openblas",
                     "memory master", "weak scaling, 2^18 for each processor", "out of memory"):
            self.assertIn(text, out)
        sweep = json.loads(self.text)
        for one in sweep["benchmarks"]:
            if one.get("aggregate_name") == "median" and one["library"] == "pleat":
                self.assertIn(f" {one['speedup']:.2f}", out)

    def test_files_that_are_no_sweep_are_refused(self):
        good = json.loads(self.text)
        foreign = json.loads(self.text)
        del foreign["context"]["pleat"]
        broken = json.loads(self.text)
        broken["benchmarks"][3]["real_time"] = -1
        nameless = json.loads(self.text)
        del nameless["benchmarks"][5]["run_name"]
        for bad, said in (("", "empty"), (self.text[:3000], "cut short after 3000 bytes"),
                          ("hello", "no JSON"), ("[]", "none of pleat's"), ("null", "none of pleat's"),
                          ('{"benchmarks": 1}', "none of pleat's"), (foreign, 'context has no "pleat"'),
                          (broken, "benchmarks[3].real_time is no number"),
                          (nameless, 'benchmarks[5] has no "run_name"'),
                          ({"context": {"pleat": {}}, "benchmarks": [7]}, "benchmarks[0]")):
            self.assertIn(said, self.refuse(2, "report", self.write("bad.json", bad)))
            self.assertIn(said, self.refuse(2, "report", self.write("good.json", good),
                                            self.path("bad.json")))
        self.assertIn("No such file", self.refuse(2, "report", self.path("missing.json")))
        self.assertIn("folder", self.refuse(2, "report", self.folder))

    def test_what_a_page_cannot_show_is_refused(self):
        foreign = json.loads(self.text)
        foreign["context"]["pleat"] = None
        for bad, said in (({"matrices": [1, None]}, "matrices[0] is no object"),
                          ({"matrices": []}, "matrices is empty"), (foreign, "context.pleat"),
                          ({"topology": {}, "context": {}}, 'topology has no "processors"')):
            refused = self.refuse(2, "report", self.write("bad.json", bad), "--html",
                                  self.path("bad.html"))
            self.assertIn(self.path("bad.json"), refused)
            self.assertIn(said, refused)
            self.assertFalse(os.path.exists(self.path("bad.html")))

    def test_an_entry_twice_and_too_many_processors_are_refused(self):
        twice = json.loads(self.text)
        twice["benchmarks"] += twice["benchmarks"]
        self.assertIn("a second repetition 0", self.refuse(2, "report", self.write("a.json", twice)))
        large = json.loads(self.text)
        for one in large["benchmarks"]:
            one["processors"] = 2 ** 32 + 1
        self.assertIn("processors is no count up to 4294967295",
                      self.refuse(2, "report", self.write("a.json", large)))

    def test_only_files_and_pipes_of_a_size_that_results_have_are_read(self):
        for name in ("/dev/zero", "/dev/urandom", "/dev/null"):
            self.assertIn("neither a file nor a pipe", self.refuse(2, "report", name))
        with open(self.path("huge.json"), "wb") as file:
            file.truncate(2 ** 30 + 1)
        self.assertIn("more than 1 GiB", self.refuse(2, "report", self.path("huge.json")))
        os.remove(self.path("huge.json"))
        shown = subprocess.run([TOOL, "report", "/dev/stdin"], input=self.text, text=True,
                               stdout=subprocess.PIPE, check=True, env=environment())
        self.assertIn("Speed-up by processors", shown.stdout)

    def test_sweeps_without_a_common_case_are_refused(self):
        other = json.loads(self.text)
        for one in other["benchmarks"]:
            one["run_name"] = "other/" + one["run_name"]
        self.assertIn("no measured case in common",
                      self.refuse(2, "report", self.write("a.json", self.text),
                                  self.write("b.json", other)))

    def test_options_that_do_not_fit_are_refused(self):
        name = self.write("a.json", self.text)
        self.assertIn("two sweeps", self.refuse(2, "report", name, "--json"))
        self.assertIn("two to compare", self.refuse(2, "report", name, name, name))
        for band in ("-1%", "100%", "x", "", "2", "%", "nan"):
            self.assertIn("--band", self.refuse(2, "report", name, name, "--band", band))
        self.refuse(2, "report")
        self.refuse(2, "report", name, name, "--json", "--html", self.path("x.html"))
        trace = self.write("t.json", {"traceEvents": [
            {"name": "process_name", "ph": "M", "args": {"name": "pleat: sort"}},
            {"name": "thread_name", "ph": "M", "tid": 0, "args": {"name": "processor 0"}}]})
        self.assertIn("--html", self.refuse(2, "report", trace))

    def test_the_script_that_calibrates_runs(self):
        script = os.path.join(os.environ["PLEAT_TEST_DATA"], "../../bench/report/calibrate")
        done = subprocess.run([sys.executable, "-B", script, "--tool", TOOL, "--pairs", "2", "--keep",
                               self.path("kept"), "--n", "64", "--processors", "1", "--repetitions",
                               "3", "--min-time", "0.0001"], stdout=subprocess.PIPE, text=True,
                              env=environment())
        self.assertIn(done.returncode, (0, 1))  # what it found depends on the machine
        self.assertEqual(sorted(os.listdir(self.path("kept"))), ["0.json", "1.json", "2.json"])
        self.assertRegex(done.stdout, r"long sweeps, 1 repetitions: false alarm in \d of 2 pairs")
        self.assertRegex(done.stdout, r"5 % slower found in \d of 2 pairs, \d of 2 cases")

    def page(self, *arguments):
        """Asks for a page of the sample; nothing, if the tool finds none and says what to run."""
        name = self.write("sweep.json", self.text)
        done = self.run_tool("report", name, *arguments)
        if done.returncode == 0:
            self.assertEqual(done.stdout, "")
            return True
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"is not there: run \S+/bench/report/page/build$")
        self.assertEqual([name for name in os.listdir(self.folder) if "html" in name], [])
        return False

    def test_the_command_that_makes_the_page_is_all_that_a_tool_without_it_needs(self):
        os.mkdir(self.path("bin"))
        tool = shutil.copy(TOOL, self.path("bin"))
        shutil.copy(TOOL + "-studies", self.path("bin"))
        name = self.write("sweep.json", self.text)

        def refused(*arguments):
            said = self.refuse(1, *arguments, "--html", self.path("a.html"), tool=tool)
            self.assertFalse(os.path.exists(self.path("a.html")))
            return re.search(r" (is not there|is damaged): run bench/report/page/build (\S+) in the"
                             r" source of Pleat$", said).groups()

        state, page = refused("report", name)
        self.assertEqual((state, page), ("is not there", self.path("share/pleat/report.html")))
        self.assertEqual(refused("sweep", "--n", "2^40"), (state, page))  # and measures nothing
        os.makedirs(os.path.dirname(page))
        whole = '<html>"the data of the report"<script>draw()</script>\n</html>\n'
        for wrong in ("", whole[:-20], "<html></html>\n"):
            with open(page, "w", encoding="utf-8") as file:
                file.write(wrong)
            self.assertEqual(refused("report", name), ("is damaged", page), wrong)
        with open(page, "w", encoding="utf-8") as file:
            file.write(whole)
        self.succeed("report", name, "--html", self.path("a.html"), tool=tool)
        with open(self.path("a.html"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'^<html>{.*"documents":.*}<script>draw\(\)</script>')

    def test_a_page_holds_its_data_and_asks_for_nothing(self):
        if not self.page("--html", self.path("a.html")):
            return
        with open(self.path("a.html"), encoding="utf-8") as file:
            page = file.read()
        begin = page.index('id="report-data">') + len('id="report-data">')
        data = json.loads(page[begin:page.index("</script>", begin)])
        self.assertEqual(data["documents"][0]["content"], json.loads(self.text))
        self.assertNotIn("comparison", data)
        self.assertIn("default-src 'none'", page)
        for asking in ("<script src", "@import", 'href="http'):
            self.assertFalse(asking in page, asking)

    def test_a_folder_gets_the_page_as_its_index(self):
        if self.page("--html", self.path("new/folder")):
            self.assertEqual(os.listdir(self.path("new/folder")), ["index.html"])

    def test_two_sweeps_on_a_page_are_compared_if_they_can_be(self):
        other = json.loads(self.text)
        for one in other["benchmarks"]:
            one["run_name"] = "other/" + one["run_name"]
        for second, compared in ((self.text, True), (other, False)):
            if not self.page(self.write("second.json", second), "--html", self.path("b.html")):
                return
            with open(self.path("b.html"), encoding="utf-8") as file:
                self.assertEqual('"comparison":{"context"' in file.read(), compared)

    def test_what_other_commands_write_is_read(self):
        numpy.save(self.path("keys.npy"), numpy.arange(1 << 16)[::-1].copy())
        self.succeed("run", "sort", "--input", self.path("keys.npy"), "--output",
                     self.path("sorted.npy"), "--trace", self.path("trace.json"))
        os.remove(self.path("keys.npy"))
        os.remove(self.path("sorted.npy"))
        self.succeed("sweep", "--n", "2^10", "--processors", "1", "--repetitions", "2",
                     "--min-time", "0.0001", "--json", self.path("real.json"))
        self.write("topology.json", self.succeed("topology", "--json").stdout)
        self.write("matrix.json", self.succeed("matrix", "--time-limit", "2", "--json").stdout)
        for name in ("trace.json", "topology.json", "matrix.json"):
            self.page(self.path(name), "--html", self.path(name + ".html"))
        compared = json.loads(self.succeed("report", self.path("real.json"), self.path("real.json"),
                                           "--json").stdout)
        self.assertEqual(compared["cases"][0]["before_samples"], 2)

    def test_a_page_never_replaces_what_it_is_made_from(self):
        if not self.page("--html", self.path("a.html")):
            return
        name = self.path("sweep.html")
        os.rename(self.path("sweep.json"), name)
        self.assertIn("--html", self.refuse(2, "report", name, "--html", name))
        with open(name, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.text)
