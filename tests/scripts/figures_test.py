# SPDX-License-Identifier: Apache-2.0
"""figures/all with a tool that measures nothing, and the tables made of its results."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
FIGURES = SOURCE / "bench/evidence/figures"
sys.path.insert(0, str(FIGURES))
import results  # noqa: E402
from figures import SECTIONS, SUMMARIES  # noqa: E402
from processor import generation  # noqa: E402

# Takes twice as long as its rival does; notes what it is called with; fails for what it is told.
TOOL = """#!{python}
import json, os, sys
with open({calls!r}, "a") as file:
    print(" ".join(sys.argv[1:]), os.environ.get("PLEAT_KERNELS", ""), file=file)
if os.environ.get("FAILS") and os.environ["FAILS"] in sys.argv:
    sys.exit("pleat: it cannot be measured")
work = sys.argv[2]
print(json.dumps({{
    "context": {{"date": "now", "commit": "c0", "compiler": "c++", "compiler_flags": "-O3",
                 "pleat": "0", "kernels": {kernels}, "state": {{"load_average": [0]}},
                 "machine": {{"cores": 2}}}},
    "comparisons": [{{"work": work, "measure": "all", "n": 2048, "type": "u64", "processors": 2,
                      "repetitions": 1, "ours_s": 2e-3, "rival": rival, "rival_s": 1e-3,
                      "ratio": 0.5, "secret": 1}} for rival in ("ips4o", "radix")]}}))
"""

KERNELS = [{"work": "vectors", "chosen": "wide", "why": "known", "missing": ["wider"],
            "candidates": [{"name": name, "ns": None} for name in ("wide", "avx2", "narrow")]}]


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tool = self.folder / "pleat"
        self.calls = self.folder / "calls"
        self.calls.touch()
        self.tool.write_text(TOOL.format(python=sys.executable, calls=str(self.calls),
                                         kernels=json.dumps(KERNELS).replace("null", "None")))
        self.tool.chmod(0o755)

    def run_all(self, *arguments, fails=""):
        return subprocess.run(
            [FIGURES / "all", "--tool", self.tool, "--results", self.folder, "--name", "zen9",
             *arguments], env=dict(os.environ, FAILS=fails), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=100)

    def results(self):
        return json.loads((self.folder / "zen9.json").read_text())

    def tables(self, text, *arguments):
        document = self.folder / "document.md"
        document.write_text(text)
        done = subprocess.run([FIGURES / "tables", "--results", self.folder, *arguments, document],
                              capture_output=True, text=True, timeout=100)
        return done, document.read_text()

    def test_no_two_figures_have_one_name(self):
        keys = [figure.key() for figures in SECTIONS.values() for figure in figures]
        self.assertEqual(len(keys), len(set(keys)))
        for name, summary in SUMMARIES.items():
            if "zen5" in summary.results:
                self.assertLessEqual({row.key for row in summary.rows}, set(keys), name)

    def test_kernels_are_told_that_were_run_and_that_only_compiled(self):
        self.assertEqual(self.run_all("--only", "sort-kernels").returncode, 0)
        done, text = self.tables("<!-- figures: kernels zen9 -->\n<!-- end of figures -->\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| vectors | wide, avx2 | narrow | wider |", text)

    def test_what_is_there_is_not_measured_again(self):
        self.assertEqual(self.run_all("--only", "argsort").returncode, 0)
        first = self.calls.read_text().splitlines()
        argsorts = SECTIONS["argsort"]
        self.assertEqual(len(first), len(argsorts))
        self.assertEqual(set(self.results()["figures"]), {one.key() for one in argsorts})
        self.run_all("--only", "argsort")
        self.assertEqual(self.calls.read_text().splitlines(), first)
        self.run_all("--only", "argsort", "--again")
        self.assertEqual(self.calls.read_text().splitlines(), first * 2)
        self.assertNotIn("secret", (self.folder / "zen9.json").read_text())

    def test_a_figure_that_fails_is_told_and_the_others_go_on(self):
        done = self.run_all("--only", "runtime", fails="channel")
        self.assertEqual(done.returncode, 1)
        self.assertIn("channel: pleat: it cannot be measured", done.stderr)
        self.assertNotIn("channel", self.results()["figures"])
        self.assertIn("schedule", self.results()["figures"])
        self.assertEqual(self.run_all("--only", "runtime").returncode, 0)  # what is left
        self.assertEqual(self.calls.read_text().split().count("channel"), 2)
        self.assertEqual(self.calls.read_text().split().count("schedule"), 1)

    def test_without_time_nothing_is_begun(self):
        done = self.run_all("--minutes", "0")
        self.assertIn("are left", done.stderr)
        self.assertEqual(self.calls.read_text(), "")

    def test_a_missing_tool_is_named(self):
        self.tool.unlink()
        done = self.run_all()
        self.assertEqual(done.returncode, 1)
        self.assertIn("bench/run --with-rivals", done.stderr)

    def test_tables_say_what_was_wanted_and_missed(self):
        self.run_all("--only", "sort")
        marked = "before\n<!-- figures: sort zen9 -->\nold\n<!-- end of figures -->\nafter\n"
        done, text = self.tables(marked, "--check")
        self.assertEqual((done.returncode, text), (1, marked))
        done, text = self.tables(marked)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertIn("| what | n | Pleat | ips4o | radix |", text)
        self.assertIn("| sort, all, u64 | 2^11 | 2 ms | 0.50 × (wanted 2.00) | 0.50 × (wanted 1.15) |",
                      text)
        done, again = self.tables(text, "--check")
        self.assertEqual((done.returncode, again), (0, text))

    def test_rivals_whose_samples_differ_have_no_ratio(self):
        self.tool.write_text(self.tool.read_text().replace(
            '"secret": 1', '"unsteady": [rival] if rival == "radix" else []'))
        self.run_all("--only", "argsort")
        _, text = self.tables("<!-- figures: argsort zen9 -->\n<!-- end of figures -->\n")
        self.assertIn("| what | n | Pleat | ips4o | radix |", text)
        self.assertRegex(text, r"\| 0\.50 ×[^|]* \| samples differ \|")

    def test_a_bound_is_no_rival(self):
        self.tool.write_text(self.tool.read_text().replace('"radix"', '"registers"'))
        self.run_all("--only", "argsort")
        _, text = self.tables("<!-- figures: argsort zen9 -->\n<!-- end of figures -->\n")
        self.assertIn("| 2 ms | 0.50 × (wanted 1.00) | 0.50 × |", text)

    def test_results_are_written_a_case_a_line_and_read_again(self):
        self.run_all("--only", "argsort")
        text = (self.folder / "zen9.json").read_text()
        self.assertEqual(results.text_of(json.loads(text)), text)
        self.assertEqual(text.count('\n   {"work": "argsort"'), 4)
        first = next(iter(self.results()["figures"].values()))
        self.assertEqual(results.ratio_of(first["cases"][0], "radix"), 0.5)

    def test_figures_entered_by_hand_have_their_command_and_ranges(self):
        results.write(self.folder / "ranks.json", {"machine": {}, "figures": {
            "by-hand": {"section": "rings", "command": "mpirun ring", "cases": [
                {"work": "ring", "measure": "", "type": "", "n": 2048, "ours_s": [1e-3, 2e-3],
                 "rivals": {"theirs": {"ratio": [0.9, 1.25]}, "others": {"s": None}}}]}}})
        _, text = self.tables("<!-- figures: page ranks -->\n<!-- end of figures -->\n")
        self.assertIn("## rings\n\n`mpirun ring`:\n\n| what | n | Pleat | theirs |", text)
        self.assertIn("| ring | 2^11 | 1 ms to 2 ms | 0.90 to 1.25 × |", text)

    def test_an_unknown_table_is_refused(self):
        self.run_all("--only", "argsort")
        for wrong in ("argsort zen1", "bubbles zen9", "argsort"):
            done, _ = self.tables(f"<!-- figures: {wrong} -->\n<!-- end of figures -->\n")
            self.assertIn(wrong, done.stderr)
            self.assertEqual(done.returncode, 1)

    def test_the_tables_of_the_documents_are_those_of_the_results(self):
        done = subprocess.run([FIGURES / "tables", "--check"], capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)

    def test_processors_by_family_and_model(self):
        file = self.folder / "cpuinfo"
        for expected, vendor, family, model in (
                ("zen3", "AuthenticAMD", 25, 1), ("zen4", "AuthenticAMD", 25, 17),
                ("zen3", "AuthenticAMD", 25, 33), ("zen4", "AuthenticAMD", 25, 97),
                ("zen5", "AuthenticAMD", 26, 2), (None, "GenuineIntel", 6, 85),
                ("emeraldrapids", "GenuineIntel", 6, 207), ("graniterapids", "GenuineIntel", 6, 173),
                (None, "AuthenticAMD", 99, 1)):
            file.write_text(f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n")
            self.assertEqual(generation(file), expected)
        file.write_text("processor : 0\n")
        self.assertIsNone(generation(file))
