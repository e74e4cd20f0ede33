# SPDX-License-Identifier: Apache-2.0
import json
import os
import re

import numpy

from tool import ToolTest

CRASHING = os.path.join(os.path.dirname(__file__), "../fuzz/corpus/xml/attribute")

class Topology(ToolTest):
    def test_json_has_processors_and_clusters(self):
        report = json.loads(self.succeed("topology", "--synthetic", "numa:2 core:4 pu:2",
                                         "--json").stdout)
        processors = report["topology"]["processors"]
        self.assertEqual([p["rank"] for p in processors], list(range(8)))
        self.assertEqual([p["numa"] for p in processors], [0] * 4 + [1] * 4)
        for key in ("rank", "core", "pu", "numa", "package"):
            self.assertIn(key, processors[0])
        clusters = report["topology"]["clusters"]
        self.assertEqual(sum(c["size"] for c in clusters if c["level"] == 1), 8)
        for key in ("level", "index", "first", "size", "object"):
            self.assertIn(key, clusters[0])
        self.assertIn("context", report)

    def test_nodes_are_all_listed_with_what_is_told_of_them(self):
        file = os.path.join(os.path.dirname(__file__), "../data/memory_kinds.xml")
        machine = json.loads(self.succeed("topology", "--xml", file, "--json").stdout)["context"]["machine"]
        self.assertEqual(machine["numa_nodes"], [0, 3])
        self.assertEqual([(node["node"], node["kind"], node["memory_only"], node["local_pus"])
                          for node in machine["memory_nodes"]],
                         [(0, "dram", False, [0, 1]), (1, "hbm", True, [2, 3]), (2, "hbm", True, [0, 1]),
                          (3, "dram", False, [2, 3]), (4, "cxl", True, [])])
        self.assertRegex(self.succeed("topology", "--xml", file).stdout,
                         r"(?m)^ +2 +hbm +yes +yes +4.* 0-1 +734 GB/s +110 ns +13, 23$")

    def test_the_environment_is_heeded_and_options_win(self):
        def processors(*arguments):
            done = self.succeed("topology", "--synthetic", "core:8", "--json", *arguments,
                                variables={"PLEAT_NUM_PROCESSORS": "3"})
            return len(json.loads(done.stdout)["topology"]["processors"])

        self.assertEqual(processors(), 3)
        self.assertEqual(processors("--processors", 5), 5)

    def test_too_many_processors_are_warned_of(self):
        done = self.succeed("topology", "--synthetic", "core:2", "--processors", 5)
        self.assertIn("warning", done.stderr)

    def test_kernels_can_be_read(self):
        choices = json.loads(self.succeed("topology", "--kernels", "--json").stdout)["kernels"]
        self.assertEqual(choices[0]["work"], "vectors")
        table = self.succeed("topology", "--kernels").stdout
        for choice in choices:
            names = [candidate["name"] for candidate in choice["candidates"]]
            self.assertIn(choice["chosen"], names)
            self.assertTrue(set(names).isdisjoint(choice["missing"]), choice)
            self.assertIn(choice["why"], ("measured", "known", "forced", "only one"))
            for candidate in choice["candidates"]:
                self.assertEqual(candidate["ns"] is not None, choice["why"] == "measured")
            self.assertRegex(table, rf"(?m)^  {re.escape(choice['work'])} .*{choice['chosen']}")
        self.refuse(2, "topology", "--kernels", "--synthetic", "core:2")

    def test_kernels_that_cannot_be_forced_are_refused_before_anything_is_written(self):
        keys = self.path("keys.npy")
        numpy.save(keys, numpy.arange(1000, dtype="u4"))
        for wrong in ("avx2", "vectors=mmx", "sorts=digits"):
            for command in (("topology", "--kernels"),
                            ("run", "sort", "--input", keys, "--output", self.path("none.npy"))):
                said = self.refuse(2, *command, variables={"PLEAT_KERNELS": wrong})
                self.assertRegex(said, r"\Apleat: PLEAT_KERNELS: [^\n]*\n\Z")
                self.assertFalse(os.path.exists(self.path("none.npy")))

    def test_no_escape_sequences_where_there_is_no_terminal(self):
        self.assertNotIn("\x1b", self.succeed("topology").stdout)

    def test_names_from_files_do_not_act_on_the_terminal(self):
        with open(os.path.join(os.path.dirname(__file__), "../data/restricted.xml")) as file:
            text = file.read()
        wild = "\u202e\u009b31m"
        # Every name and value an object may be called by.
        text = re.sub(r'(<object type="[^"]*")', rf'\1 name="{wild}" subtype="{wild}"', text)
        text = re.sub(r'(<info name=")[^"]*(" value=")[^"]*', rf'\1{wild}\2{wild}', text)
        named = self.path("wild\x1b[31m\u202e.xml")
        with open(named, "w") as file:
            file.write(text)
        done = self.succeed("topology", "--xml", named)
        for said in (done.stdout, done.stderr):
            self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        self.assertIn("\\x1b[31m", done.stdout)

    def test_a_file_on_which_hwloc_crashes_is_refused(self):
        self.assertIn("crashes", self.refuse(1, "topology", "--xml", CRASHING))

    def test_variables_that_describe_another_machine_to_hwloc_do_not_matter(self):
        here = self.succeed("topology").stdout
        for name, value in (("HWLOC_XMLFILE", CRASHING), ("HWLOC_SYNTHETIC", "numa:2 core:8 pu:1"),
                            ("HWLOC_THISSYSTEM", "0"), ("HWLOC_COMPONENTS", "synthetic,stop")):
            self.assertEqual(self.succeed("topology", variables={name: value}).stdout, here, name)
