# SPDX-License-Identifier: Apache-2.0
import json
import os

from tool import ToolTest

KINDS = ["--xml", os.path.join(os.path.dirname(__file__), "../data/memory_kinds.xml")]
XML = os.path.join(os.path.dirname(__file__), "../data/restricted.xml")
FOUR = ["--synthetic", "package:2 numa:2 core:2 pu:2"]


class Place(ToolTest):
    def place(self, *arguments, **options):
        return json.loads(self.succeed("place", *arguments, "--json", **options).stdout)

    def test_this_machine_and_described_ones(self):
        for machine in ([], FOUR, ["--xml", XML]):
            report = self.place(*machine)
            self.assertEqual(report["context"]["memory"], "first-touch")
            for one in report["place"]["processors"]:
                self.assertEqual(one["pages"], {str(one["numa"]): 1})
                self.assertEqual((one["local"], one["distance"]), (1, 10))
            self.assertEqual(report["place"]["traffic"], [])
            self.assertIn("sync(0)", self.succeed("place", *machine).stdout)

    def test_memory_goes_where_the_policy_says(self):
        def local(*arguments, **options):
            return [one["local"] for one in self.place(*FOUR, *arguments, **options)["place"]["processors"]]

        self.assertEqual(local("--memory", "interleave"), [0.25] * 8)
        self.assertEqual(local("--memory", "bind:1"), [0, 0, 1, 1, 0, 0, 0, 0])
        self.assertEqual(local(variables={"PLEAT_MEMORY": "remote"}), [0] * 8)
        self.assertEqual(local("--memory", "local", variables={"PLEAT_MEMORY": "remote"}), [1] * 8)

    def test_memory_only_nodes_are_counted_named_and_local_to_their_processors(self):
        hbm, dram = (self.place(*KINDS, "--memory", kind)["place"]["processors"]
                     for kind in ("hbm", "dram"))
        self.assertEqual([one["pages"] for one in hbm], [{"2": 1}] * 2 + [{"1": 1}] * 2)
        self.assertEqual([(one["local"], one["distance"]) for one in hbm], [(1, 13)] * 4)
        self.assertEqual([(one["local"], one["distance"]) for one in dram], [(1, 10)] * 4)
        for command in ("place", "topology"):
            self.assertIn("5 NUMA nodes, 3 of them memory only",
                          self.succeed(command, *KINDS).stdout)
        self.assertIn("node 4 (cxl)", self.succeed("place", *KINDS, "--memory", "bind:4").stdout)
        far, = {one["distance"] for one in
                self.place(*FOUR, "--memory", "remote")["place"]["processors"]}
        self.assertIsNone(far)  # nobody has told it

    def test_all_programs_that_take_the_size(self):
        done = self.succeed("place", *FOUR, "all", "--n", 12, "--json")
        programs = [one["program"] for one in json.loads(done.stdout)["place"]["traffic"]]
        self.assertIn("unbalanced", programs)
        self.assertNotIn("sort", programs)
        self.assertIn("sort is left out", done.stderr)
        self.assertIn("unbalanced", self.succeed("place", *FOUR, "all", "--n", 12).stdout)

    def test_bytes_between_parts_are_those_of_evaluate_on_the_same_levels(self):
        where = ("--synthetic", "package:2 numa:2 core:2")
        for program in ("prefix", "sort", "unbalanced"):
            found, = self.place(*where, program, "--n", 64)["place"]["traffic"]
            report = json.loads(self.succeed("evaluate", program, "--n", 64, "--levels",
                                             "packages=32,nodes=16,cores=8", "--json").stdout)
            levels, = report["machines"]
            self.assertEqual(found["bytes_between"],
                             {one["level"]: one["bytes"] for one in levels}, program)
            self.assertGreater(found["bytes_between"]["packages"], 0, program)
        self.assertIn("Bytes between cores: ", self.succeed("place", *where, "sort", "--n", 64).stdout)

    def test_what_makes_no_sense_is_refused_in_a_line(self):
        for said, *arguments in (("no program to evaluate; known: ", "quicksort", "--n", 4),
                                 ("power of two", "sort", "--n", 12),
                                 ("give its size with --n", "sort"),
                                 ("of which program", "--n", 4),
                                 ("no such NUMA node; this machine has 0-3", "--memory", "bind:4"),
                                 ("excludes", "--xml", XML),
                                 ("known: 4k", "--pages", "1G")):
            self.assertIn(said, self.refuse(2, "place", *FOUR, *arguments))
        self.assertIn("this machine has 0 (dram), 1-2 (hbm), 3 (dram), 4 (cxl)",
                      self.refuse(2, "place", *KINDS, "--memory", "nvm"))
        self.assertIn("no such NUMA node",
                      self.refuse(2, "place", "--synthetic", "core:2", "--memory", "remote"))
        self.refuse(2, "place", "--synthetic", "gizmo:2")
