# SPDX-License-Identifier: Apache-2.0
import json
import unittest

from tool import ToolTest

KEYS = {"work", "measure", "n", "type", "processors", "repetitions", "ours_s", "rival",
        "rival_version", "rival_s", "ratio"}
# Two workers whatever the machine has: what is checked is the form, not the figures.
TWO = ["--processors", "2", "--repetitions", "2"]


class Compare(ToolTest):
    def compare(self, *arguments):
        report = json.loads(self.succeed("compare", *arguments, *TWO, "--json").stdout)
        for one in report["comparisons"]:
            self.assertLessEqual(KEYS, one.keys())
            self.assertGreater(one["ours_s"], 0)
            if one["rival_s"] is None:
                self.assertIsNone(one["ratio"])
            else:
                self.assertAlmostEqual(one["ratio"], one["rival_s"] / one["ours_s"])
        self.assertIn("binding", report["context"])
        return report["comparisons"]

    def rivals(self, comparisons):
        return [one["rival"] for one in comparisons]

    def test_sort_and_argsort_of_every_type(self):
        for work in ("sort", "argsort"):
            for type_ in ("u64", "f64", "u32", "i32", "f32", "pairs", "u64_pair", "string"):
                found = self.compare(work, "--n", "3000", "--type", type_)
                self.assertEqual({one["type"] for one in found}, {type_})
                self.assertEqual({one["n"] for one in found}, {3000})
                self.assertIn("serial", self.rivals(found))

    def test_stable_sort_of_what_can_tell_it(self):
        for work, type_ in (("stable-sort", "pairs"), ("stable-sort", "string"), ("argsort", "u64")):
            found = self.compare(work, "--n", "3000", "--type", type_,
                                 "--distribution", "few-distinct")
            self.assertEqual({one["type"] for one in found}, {type_})
            self.assertIn("serial", self.rivals(found))

    def test_matrices_of_every_type(self):
        for work, types in (("matmul", ("f64", "f32")), ("min-plus", ("f32", "f64", "i32", "i64"))):
            for type_ in types:
                found = self.compare(work, "--n", "150", "--type", type_)
                mine = [one for one in found if one["work"] == work]
                self.assertEqual({one["type"] for one in mine}, {type_})
                self.assertEqual({one["n"] for one in mine}, {150})
                for one in mine:
                    self.assertAlmostEqual(one["operations_per_second"] * one["ours_s"], 2 * 150 ** 3,
                                           delta=1)
        for work in ("matmul", "min-plus"):
            self.assertIn("choose f64", self.refuse(2, "compare", work, "--type", "u64"))

    def test_transforms_and_stencils_of_both_precisions(self):
        for work, n in (("fft", 96), ("rfft", 96), ("rfft", 97), ("fft2", 40), ("fft2", 33),
                        ("stencil1", 300), ("stencil2", 40), ("stencil3", 12)):
            for type_ in ("f64", "f32"):
                mine = [one for one in self.compare(work, "--n", n, "--type", type_)
                        if one["work"] == work]
                self.assertEqual({one["n"] for one in mine}, {n})
                if work.endswith(("fft", "fft2")):
                    self.assertEqual(set(self.rivals(mine)), {"fftw-measure", "fftw-estimate"})
            self.assertIn("f64", self.refuse(2, "compare", work, "--type", "u64"))

    def test_more_than_any_machine_holds_is_refused(self):
        for work, n in (("fft", "2^62"), ("fft2", "2^32"), ("sort", "2^61"), ("matmul", "2^32"),
                        ("stencil3", "2^22")):
            self.assertIn("no memory for", self.refuse(1, "compare", work, "--n", n))
        self.assertIn("2^32", self.refuse(2, "compare", "argsort", "--n", "2^33"))

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

    def test_verification_covers_every_distribution(self):
        for shape in ("sorted", "reversed", "equal"):
            self.compare("sort", "--n", "2000", "--distribution", shape, "--rivals", "serial")

    def test_the_child_s_wrong_usage_is_ours(self):
        for work in ("sort", "argsort"):
            self.assertIn("choose u64", self.refuse(2, "compare", work, "--type", "u65"))
        self.assertIn("at least", self.refuse(2, "compare", "messages", "--n", "1"))


if __name__ == "__main__":
    unittest.main()
