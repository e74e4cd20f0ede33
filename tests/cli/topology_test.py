# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import unittest

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

    def test_descriptions_that_cannot_be_read(self):
        self.refuse(2, "topology", "--synthetic", "gizmo:2")
        self.refuse(1, "topology", "--xml", self.path("missing.xml"))

    def test_a_file_on_which_hwloc_crashes_is_refused_wherever_it_is_named(self):
        self.assertIn("crashes", self.refuse(1, "topology", "--xml", CRASHING))
        for command in (["topology"], ["probe"], ["sweep", "--n", "16"], ["evaluate", "sort", "--n", 4]):
            said = self.refuse(1, *command, variables={"HWLOC_XMLFILE": CRASHING})
            self.assertIn("HWLOC_XMLFILE=", said, command)
        self.succeed("--version", variables={"HWLOC_XMLFILE": CRASHING})
        self.succeed("topology", "--help", variables={"HWLOC_XMLFILE": CRASHING})


if __name__ == "__main__":
    unittest.main()
