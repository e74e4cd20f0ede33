# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

from tool import TOOL, ToolTest

PAPERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "papers")
sys.path.insert(0, PAPERS)
import index  # noqa: E402
import round_optimal  # noqa: E402
import theorems  # noqa: E402


class Papers(ToolTest):
    def papers(self, *arguments, tool=TOOL):
        return subprocess.run([sys.executable, "-B", os.path.join(PAPERS, "run"), "--tool", tool,
                               "--output", self.path("made"), "--quick", *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_tables_charts_and_page_are_made(self):
        done = self.papers("--only", "schedules", "index", "trees", "theorems",
                           "round-optimal")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = self.path("made")
        with open(os.path.join(made, "papers.md")) as file:
            text = file.read()
        for line in text.splitlines():
            if line.startswith("!["):
                xml.parse(os.path.join(made, line.split("](")[1][:-1]))
        for heading in ("schedules", "Index operation", "trees", "matmul, n = 64", "stencil3",
                        "closure, n = 32", "The constants", "Broadcast: what it costs",
                        "Round-optimal is not", "all-gather of 8"):
            self.assertRegex(text, f"(?i)#+ .*{heading}")
        with open(os.path.join(made, "papers.html")) as file:
            page = file.read()
        self.assertEqual(page.count("<table>"), text.count("\n| --- "))
        self.assertEqual(page.count("<svg"), text.count("!["))

    def test_a_tool_that_is_not_there_is_told_in_one_line(self):
        done = self.papers(tool=self.path("nothing"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)  # and what it began with
        self.assertIn("--tool", done.stderr)
        done = self.papers("--only", "trees", tool="/bin/true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is it pleat?", done.stderr.splitlines()[-1])

    def test_a_folder_that_cannot_be_written_is_told_at_once(self):
        os.makedirs(self.path("made/papers.md"))
        done = self.papers()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("--output", done.stderr)

    def test_the_model_of_the_index_operation_is_found_in_exact_times(self):
        for radix, digits in ((2, 6), (4, 3), (8, 2), (64, 1)):
            self.assertEqual(index.rounds_and_volume(radix),
                             ((radix - 1) * digits, (radix - 1) * digits * 64 // radix))
        times = {}
        for radix in index.RADICES:
            rounds, volume = index.rounds_and_volume(radix)
            for size in (8, 100, 5000):
                times[radix, size] = 3e-6 * rounds + 2e-10 * volume * size + 7e-6
        for found, expected in zip(index.fitted(times), (3e-6, 2e-10, 7e-6)):
            self.assertAlmostEqual(found / expected, 1, 6)

    def test_the_latency_allowed_is_the_largest(self):
        foldings = [{"p": 2, "F": [40], "S": [4], "lower_bound": {"0": 20}},
                    {"p": 4, "F": [20, 16], "S": [4, 6], "lower_bound": {"0": 18}}]

        def holds(latency, most):
            for one in foldings:
                sigma = latency * 4 / one["p"]
                degree, supersteps = sum(one["F"]), sum(one["S"])
                if (degree + supersteps * sigma) / (one["lower_bound"]["0"] + sigma) > most:
                    return False
            return True

        for most in (2.5, 3, 6):
            allowed = theorems.latency_allowed(foldings, most)
            self.assertTrue(holds(allowed * 0.999, most))
            self.assertFalse(holds(allowed * 1.001, most))
        self.assertEqual(theorems.latency_allowed(foldings, 10), float("inf"))
        self.assertIsNone(theorems.latency_allowed(foldings, 1.9))

    def test_an_order_changes_where_forms_overtake_each_other_or_become_equal(self):
        by_p = {2: {"a": 1, "b": 1}, 4: {"a": 1, "b": 2}, 8: {"a": 3, "b": 4}, 16: {"a": 4, "b": 3}}
        self.assertEqual(round_optimal.changes(by_p), [4, 16])
        # Two 0-supersteps of 3 words on a mesh of 4, and a 1-superstep of 5.
        costs = ([2, 1], [6, 5])
        self.assertEqual(round_optimal.complexity(costs, 10), 41)
        self.assertAlmostEqual(round_optimal.time(costs, 1 / 2), 8 * 2 + 6 * 2 ** 0.5)

    def test_beta_is_that_of_the_worst_number_of_processors(self):
        # The theorem wants a program to be β-optimal on every M(2^k) up to p.
        foldings = [{"H": {"0": h}, "lower_bound": {"0": 6}} for h in (5, 12, 8, 24, 6)]
        self.assertEqual(list(theorems.betas(foldings)), [1, 0.5, 0.5, 0.25, 0.25])
