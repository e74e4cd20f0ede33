# SPDX-License-Identifier: Apache-2.0
import json
import os
import unittest

from tool import ToolTest

TABLES = os.path.join(os.path.dirname(__file__), "..", "data", "circulant-schedules.json")


class Schedule(ToolTest):
    def schedule(self, *arguments):
        return json.loads(self.succeed("schedule", *arguments, "--json").stdout)

    def test_json_is_the_table_of_the_paper(self):
        with open(TABLES, encoding="utf-8") as file:
            tables = json.load(file)
        for processors, table in tables.items():
            printed = self.schedule(processors)
            self.assertEqual({key: printed[key] for key in table}, table, processors)

    def test_one_rank_is_a_column_of_the_table(self):
        table = self.schedule(100)
        for rank in (0, 1, 57, 99):
            one = self.schedule(100, "--rank", rank)
            self.assertEqual(one["rank"], rank)
            self.assertEqual(one["baseblock"], [table["baseblock"][rank]])
            for key in ("recv", "send"):
                self.assertEqual(one[key], [[row[rank]] for row in table[key]])

    def test_text_has_a_line_for_each_rank(self):
        lines = self.succeed("schedule", 9).stdout.splitlines()
        self.assertIn("skips 1 2 3 5 9", lines[0])
        self.assertEqual([line.split()[0] for line in lines[2:]], [str(r) for r in range(9)])
        self.assertEqual(lines[3].split(), "1 0 0 -2 -3 -1 -4 -4 0 0".split())

    def test_a_rank_of_the_largest_graph(self):
        self.assertEqual(self.schedule("2^31", "--rank", 2**31 - 1)["rounds"], 31)

    def test_one_processor_has_no_rounds(self):
        self.assertEqual(self.schedule(1)["recv"], [])
        self.succeed("schedule", 1)

    def test_what_cannot_be_shown_is_refused(self):
        self.assertIn("--rank", self.refuse(2, "schedule", 1001))
        self.assertIn("--rank", self.refuse(2, "schedule", "2^21", "--json"))
        self.assertIn("0 to 8", self.refuse(2, "schedule", 9, "--rank", 9))
        self.assertIn("2^31", self.refuse(2, "schedule", "2^32", "--rank", 0))
        self.refuse(2, "schedule", 0)
        self.refuse(2, "schedule", "nine")
        self.refuse(2, "schedule")


if __name__ == "__main__":
    unittest.main()
