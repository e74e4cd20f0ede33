# SPDX-License-Identifier: Apache-2.0
import json

from tool import ToolTest


class Predict(ToolTest):
    def predictions(self, *words):
        return json.loads(self.succeed("predict", *words, "--json").stdout)["predictions"]

    def test_all_programs_on_both_machines(self):
        lines = self.succeed("predict").stdout.splitlines()
        self.assertIn("predicted", lines[0])
        self.assertEqual(sum(" 2^10 " in line for line in lines), 12)
        self.assertTrue(any("assumed" in line for line in lines))

    def test_the_time_is_that_of_the_model(self):
        for machine, latency, overhead, rate in (("ethernet", 25e-6, 3e-6, 3.125e9),
                                                 ("infiniband", 1.5e-6, 0.3e-6, 25e9)):
            [one] = self.predictions("--machine", machine, "--programs", "sort", "--n", "2^26",
                                     "--nodes", "64")
            self.assertEqual((one["program"], one["n"], one["nodes"]), ("sort", 2 ** 26, 64))
            communication = (one["F_bytes"] / rate + one["times"] * latency
                             + 2 * one["messages"] * overhead)
            self.assertAlmostEqual(one["communication_s"] / communication, 1)
            self.assertAlmostEqual(one["predicted_s"], one["work_s"] + communication)

    def test_a_reduction_of_all_takes_logarithmic_rounds_and_twice_the_bytes(self):
        for nodes in (2, 16, 4096):
            [one] = self.predictions("--machine", "infiniband", "--programs", "all_reduce", "--n",
                                     "2^20", "--nodes", nodes)
            rounds = 2 * (nodes.bit_length() - 1)
            self.assertEqual(one["times"], rounds + 2)
            heads = 130 * (rounds + 2 * (nodes - 1))
            self.assertAlmostEqual(one["F_bytes"], 2 * 2 ** 23 * (nodes - 1) / nodes + heads)
            terms = {"work": one["work_s"], "bytes": one["bytes_s"],
                     "latency": one["latency_s"], "overheads": one["messages_s"]}
            self.assertEqual(one["longest"], max(terms, key=terms.get))

    def test_a_machine_of_ones_own(self):
        with open(self.path("mine.json"), "w", encoding="utf-8") as file:
            file.write('{"name": "mine", "g": [2, 1], "l": [60, 20]}')
        two, four = self.predictions("--model", self.path("mine.json"), "--programs", "stencil2",
                                     "--nodes", "2,4", "--n", "1024")
        self.assertAlmostEqual(two["communication_s"], two["F_bytes"] / 8 + 20 * (two["S"] + two["runs"]))
        self.assertEqual(four["cores"], 1)
        self.assertIn("more levels", self.refuse(2, "predict", "--model", self.path("mine.json"),
                                                 "--programs", "sort", "--n", "1024", "--nodes", 8))

    def test_what_makes_no_sense_is_refused(self):
        for words, said in ((("--machine", "abacus"), "known: infiniband, ethernet"),
                            (("--programs", "knit"), "known: sort, fft"),
                            (("--nodes", "48"), "power of two"),
                            (("--nodes", "0"), "--nodes"),
                            (("--programs", "fft", "--n", "1e6"), "power of two"),
                            (("--cores", "none"), "--cores")):
            self.assertIn(said, self.refuse(2, "predict", *words))
