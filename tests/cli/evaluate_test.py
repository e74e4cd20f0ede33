# SPDX-License-Identifier: Apache-2.0
import json
import math
import re

from tool import ToolTest

MODELS = ["mesh", "hypercube", "fat-tree", "uniform"]


class Evaluate(ToolTest):
    def report(self, *arguments):
        return json.loads(self.succeed("evaluate", *arguments, "--json").stdout)

    def model(self, text, name="model.json"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def test_json_has_what_it_promises(self):
        report = self.report("sort", "--n", 64, "--sigma", "0,2.5,1e3")
        for key in ("context", "program", "n", "v", "labels", "foldings", "wiseness", "fullness",
                    "static", "models"):
            self.assertIn(key, report)
        self.assertEqual((report["program"], report["n"], report["v"]), ("sort", 64, 64))
        self.assertEqual([one["label"] for one in report["labels"]], list(range(6)))
        self.assertEqual([one["p"] for one in report["foldings"]], [2, 4, 8, 16, 32, 64])
        for folding in report["foldings"]:
            for key in ("H", "lower_bound", "ratio"):
                self.assertEqual(list(folding[key]), ["0", "2.5", "1000"])
        self.assertEqual([one["name"] for one in report["models"]], MODELS)

    def test_figures_follow_from_the_supersteps_and_degrees(self):
        for program in ("sort", "fft", "broadcast", "prefix", "bitonic", "matmul", "matmul4",
                        "stencil1", "stencil2", "unbalanced"):
            report = self.report(program, "--n", 256, "--sigma", "0,3")
            supersteps = [one["supersteps"] for one in report["labels"]]
            self.assertEqual(sum(supersteps), report["supersteps"])
            for j, folding in enumerate(report["foldings"], 1):
                self.assertEqual(folding["S"], supersteps[:j], program)
                for sigma in ("0", "3"):
                    self.assertAlmostEqual(folding["H"][sigma],
                                           sum(folding["F"]) + float(sigma) * sum(folding["S"]))
                    self.assertAlmostEqual(folding["ratio"][sigma],
                                           folding["H"][sigma] / folding["lower_bound"][sigma])
            mesh = report["models"][0]
            for j, time in enumerate(mesh["times"], 1):
                folding = report["foldings"][j - 1]
                g = [math.sqrt(2 ** (j - i)) for i in range(j)]  # and l the same
                self.assertEqual(time["p"], 2 ** j)
                self.assertAlmostEqual(time["D"], sum(
                    (f + s) * x for f, s, x in zip(folding["F"], folding["S"], g)))

    def test_lower_bounds_are_those_of_the_papers(self):
        def steps(n, p, sigma):
            return n / p * math.log2(n) / max(1, math.log2(n / p)) + sigma

        def rounds(n, p, sigma):
            return max(2, sigma) * math.log2(p) / math.log2(max(2, sigma))

        for program, bound in (("sort", steps), ("fft", steps),
                               ("broadcast", rounds), ("prefix", rounds),
                               ("matmul", lambda n, p, sigma: n / p ** (2 / 3) + sigma),
                               ("matmul4", lambda n, p, sigma: n / p ** (1 / 2) + sigma),
                               ("stencil1", lambda n, p, sigma: n + sigma),
                               ("stencil2", lambda n, p, sigma: n / p ** (1 / 2) + sigma)):
            for folding in self.report(program, "--n", 256, "--sigma", "0,8")["foldings"]:
                for sigma in (0, 8):
                    self.assertAlmostEqual(folding["lower_bound"][str(sigma)],
                                           bound(256, folding["p"], sigma), msg=program)

    def test_every_program_is_static(self):
        for program, n in (("sort", 256), ("fft", 128), ("broadcast", 37), ("prefix", 37),
                           ("bitonic", 64), ("matmul", 64), ("matmul4", 64), ("stencil1", 64),
                           ("stencil2", 64), ("stencil3", 64), ("unbalanced", 10), ("transpose", 37),
                           ("closure", 37), ("cholesky", 37), ("solve-triangular", 37)):
            report = self.report(program, "--n", n)
            self.assertIs(report["static"], True, program)
            self.assertIsNone(report["difference"])

    def test_any_number_of_processors_can_be_asked_for(self):
        report = self.report("fft", "--n", 256, "--p", "96,2,256,6,16,6,1", "--sigma", "0,3")
        self.assertEqual([one["p"] for one in report["folded"]], [1, 2, 6, 16, 96, 256])
        powers = {one["p"]: one for one in report["foldings"]}
        for one in report["folded"]:
            for sigma in ("0", "3"):
                self.assertEqual(one["H"][sigma], one["degree"] + int(sigma) * one["supersteps"])
            if one["p"] in powers:
                self.assertEqual(one["H"], powers[one["p"]]["H"])
                self.assertEqual(one["ratio"], powers[one["p"]]["ratio"])
        self.assertIsNone(report["folded"][0]["ratio"]["0"])
        # A root that sends to all; the first of five processors has eight VPs.
        for one in self.report("broadcast", "--n", 37, "--kappa", 64, "--p", "5,37")["folded"]:
            self.assertEqual((one["supersteps"], one["degree"]),
                             (1, 36 if one["p"] == 37 else 37 - 8))
        for wrong in ("0", "6,257", "six"):
            self.assertIn("--p", self.refuse(2, "evaluate", "fft", "--n", 256, "--p", wrong))
        self.assertIn("--routing", self.refuse(2, "evaluate", "fft", "--n", 256, "--p", 6,
                                               "--routing", "ascend-descend"))

    def test_the_gap_is_what_a_degree_costs_for_another_sigma(self):
        gap = self.report("broadcast", "--n", 4096, "--kappa", 2, "--sigma", "1,1000",
                          "--gap")["gap"]
        best = min((kappa - 1 + 1000) * math.ceil(12 / math.log2(kappa))
                   for kappa in (2 ** i for i in range(1, 13)))
        self.assertEqual((gap["sigma"], gap["at_sigma"]), ([1, 1000], 1000))
        self.assertAlmostEqual(gap["gap"], 12 * 1001 / best)
        self.assertGreater(gap["gap"], gap["lower_bound"])
        # A tree for a large σ loses where there is none.
        gap = self.report("broadcast", "--n", 64, "--kappa", 64, "--sigma", "0,4", "--gap")["gap"]
        self.assertEqual((gap["at_sigma"], gap["gap"]), (0, 63 / 6))
        self.assertNotIn("gap", self.report("broadcast", "--n", 64))
        for wrong in (["prefix", "--n", 64, "--gap"],
                      ["broadcast", "--n", 64, "--gap", "--sigma", 4],
                      ["broadcast", "--n", 64, "--gap", "--routing", "ascend-descend"]):
            self.assertIn("--gap", self.refuse(2, "evaluate", *wrong))

    def test_broadcast_can_know_sigma(self):
        report = self.report("broadcast", "--n", 4096, "--sigma", 10, "--kappa", "sigma")
        self.assertEqual(report["kappa"], 16)
        self.assertEqual(report["foldings"][-1]["H"]["10"], 3 * (15 + 10))
        self.assertIn("--sigma", self.refuse(2, "evaluate", "broadcast", "--n", 16, "--kappa",
                                             "sigma", "--sigma", "1,2"))

    def test_dummies_are_counted_when_asked_for(self):
        plain = self.report("sort", "--n", 4096)
        dummied = self.report("sort", "--n", 4096, "--dummies")
        self.assertGreater(dummied["messages"], plain["messages"])
        self.assertGreater(dummied["wiseness"], plain["wiseness"])
        for report in (plain, dummied):
            self.assertEqual(report["without_dummies"]["wiseness"], plain["wiseness"])
            self.assertEqual(report["with_dummies"]["wiseness"], dummied["wiseness"])
        self.assertEqual(plain["labels"], dummied["labels"])

    def test_a_machine_of_ones_own(self):
        file = self.model('{"name": "mine", "g": [4, 2, 1], "l": [10000, 40, 10]}')
        models = self.report("prefix", "--n", 64, "--model", file)["models"]
        self.assertEqual([one["name"] for one in models], ["mine"])
        # 1 + 2 + 2 supersteps of degree 1; the bound is σ·log_σ 8.
        ratio = 5 * 2501 * math.log2(2500) / (2500 * 3)
        self.assertAlmostEqual(models[0]["beta"], 1 / ratio)
        self.assertIn(f"H is {ratio:.1f} times the bound on M(8) for σ = 2.5e+03",
                      models[0]["violated_condition"])
        self.assertEqual(models[0]["times"],  # and those of its clusters
                         [{"p": 2, "D": 1 + 10},
                          {"p": 4, "D": (2 + 40) + 2 * (1 + 10)},
                          {"p": 8, "D": (4 + 10000) + 2 * (2 + 40) + 2 * (1 + 10)}])
        both = self.report("prefix", "--n", 64, "--models", "mesh", "--model", file)["models"]
        self.assertEqual([one["name"] for one in both], ["mesh", "mine"])

    def test_conditions_of_the_theorem_are_said(self):
        file = self.model('{"name": "odd", "g": [1, 2], "l": [9, 9]}')
        self.assertIn("g_0 = 1", self.report("prefix", "--n", 8, "--model",
                                             file)["models"][0]["violated_condition"])
        text = self.succeed("evaluate", "matmul4", "--n", 2 ** 10, "--models", "mesh", "--model",
                            file).stdout
        self.assertRegex(text, r"odd: violated, g_0 = 1 is less than g_1 = 2")
        report = self.report("matmul4", "--n", 2 ** 10, "--models", "mesh")
        alpha, (mesh,) = report["wiseness"], report["models"]
        self.assertAlmostEqual(mesh["promised_share"], alpha * mesh["beta"] / (1 + alpha))
        said = re.search(r"\(α, p\)-wise with α = ([0-9.]+);", text)
        self.assertAlmostEqual(float(said[1]), alpha, delta=0.01 * alpha)
        said = re.search(r"mesh: met, with β = (\S+) and αβ/\(1 \+ α\) = (\S+) of", text)
        self.assertAlmostEqual(float(said[1]), mesh["beta"], delta=0.01)
        self.assertAlmostEqual(float(said[2]), mesh["promised_share"], delta=0.001)

    def test_beta_is_that_of_all_the_machines_that_the_theorem_names(self):
        # On these p processors l/g is 1, so that σ = p/2^k on M(2^k).
        model = self.model(json.dumps({"name": "mine", "g": [1] * 8, "l": [1] * 8}))
        sigmas = ",".join(str(2 ** k) for k in range(8))
        for program, n, optimal in (("closure", 256, False), ("stencil2", 256, False),
                                    ("bitonic", 256, True), ("transpose", 256, True)):
            report = self.report(program, "--n", n, "--model", model, "--sigma", sigmas)
            worst = max(one["ratio"][str(256 // one["p"])] for one in report["foldings"])
            (mine,) = report["models"]
            self.assertAlmostEqual(mine["beta"], min(1, 1 / worst), msg=program)
            self.assertEqual(worst <= report["optimal_up_to"], optimal, program)
            self.assertEqual(mine["violated_condition"] is None, optimal, program)
            self.assertEqual(mine["promised_share"] is None, not optimal, program)
            if not optimal:
                self.assertRegex(mine["violated_condition"], r"^not optimal: H is [0-9,.]+ times")

    def test_latencies_for_which_a_program_is_not_optimal_violate_the_theorem(self):
        # H = F + S·σ of matmul4 is √p supersteps' latency, the bound one's. The largest σ is that
        # of two processors: l/g · p/2.
        for latency, met in ((0.01, True), (0.5, True), (1e9, False)):
            file = self.model(json.dumps({"name": "mine", "g": [1] * 10, "l": [latency] * 10}))
            violated = self.report("matmul4", "--n", 2 ** 10, "--model",
                                   file)["models"][0]["violated_condition"]
            self.assertEqual(violated is None, met, (latency, violated))

    def test_the_text_has_a_row_for_every_folding(self):
        done = self.succeed("evaluate", "bitonic", "--n", 64, "--sigma", "0,5")
        self.assertIn("σ = 5", done.stdout)
        self.assertIn("static", done.stdout)
        rows = [line.split() for line in done.stdout.splitlines()]
        for p in ("2", "4", "8", "16", "32", "64"):
            self.assertGreaterEqual(sum(row[:1] == [p] for row in rows), 3, p)
        self.assertNotIn("\x1b", done.stdout)

    def test_wrong_usage_exits_2_and_is_named(self):
        for named, arguments in [
            ("known: unbalanced, broadcast", ["quicksort", "--n", "16"]),
            ("power of two", ["sort", "--n", "37"]),
            ("power of four", ["matmul", "--n", "32"]),
            ("power of four", ["matmul4", "--n", "2"]),
            ("power of two", ["stencil1", "--n", "100"]),
            ("power of four", ["stencil2", "--n", "32"]),
            ("power of two", ["bitonic", "--n", "100"]),
            ("from 2 to 4,096", ["closure", "--n", "2^13"]),
            ("'1' is no size", ["prefix", "--n", "1"]),
            ("--n", ["prefix"]),
            ("'lots'", ["prefix", "--n", "lots"]),
            ("'-1'", ["prefix", "--n", "16", "--sigma=-1"]),
            ("'nan'", ["prefix", "--n", "16", "--sigma", "nan"]),
            ("'inf'", ["prefix", "--n", "16", "--sigma", "1,inf"]),
            ("--sigma: ''", ["prefix", "--n", "16", "--sigma", "1,"]),
            ("--kappa", ["prefix", "--n", "16", "--kappa", "4"]),
            ("no power of two; the next is 8", ["broadcast", "--n", "16", "--kappa", "6"]),
            ("the least is 2", ["broadcast", "--n", "16", "--kappa", "1"]),
            ("known: mesh, hypercube", ["prefix", "--n", "16", "--models", "torus"]),
        ]:
            self.assertIn(named, self.refuse(2, "evaluate", *arguments), arguments)

    def test_wrong_models_are_named(self):
        wrong = self.model('{"name": "x", "g": [1, 2], "l": [1]}', "wrong.json")
        said = self.refuse(2, "evaluate", "prefix", "--n", 16, "--model", wrong)
        self.assertIn("wrong.json", said)
        self.assertIn("has 2 levels of g and 1 of l", said)
        self.assertIn("missing.json", self.refuse(2, "evaluate", "prefix", "--n", 16, "--model",
                                                  self.path("missing.json")))

    def test_this_machine_is_a_model_too(self):
        variables = {"XDG_CACHE_HOME": self.path("cache"), "PLEAT_NUM_PROCESSORS": "2"}
        arguments = ("evaluate", "prefix", "--n", 64, "--models", "machine", "--json")
        report, again = (json.loads(self.succeed(*arguments, variables=variables).stdout)
                         for _ in range(2))
        (model,) = report["models"]
        self.assertEqual(model["name"], "machine")
        self.assertEqual([one["p"] for one in model["times"]], [2])
        g, l = model["g"][0], model["l"][0]
        self.assertAlmostEqual(model["times"][0]["D"] / (g + l), 1)
        self.assertEqual(again["models"], report["models"])  # measured once
        self.refuse(2, *arguments, variables=variables | {"PLEAT_NUM_PROCESSORS": "1"})
