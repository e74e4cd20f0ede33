# SPDX-License-Identifier: Apache-2.0
import collections
import json
import math
import os

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

    def rounds(self, schedule, ports=1):
        """The messages of each round; no rank sends or receives more at once than it has ports."""
        rounds = [[] for _ in range(schedule["rounds"])]
        for one in schedule["messages"]:
            rounds[one["round"]].append(one)
        for messages in rounds:
            for end in ("from", "to"):
                busy = collections.Counter(one[end] for one in messages)
                self.assertLessEqual(max(busy.values(), default=0), ports)
        return rounds

    def carried_out(self, schedule, held, ports=1):
        """What each rank has at the end, `held` at the beginning; only what one has is sent."""
        for messages in self.rounds(schedule, ports):
            received = []
            for one in messages:
                for what in map(tuple, one["what"]):
                    self.assertIn(what, held[one["from"]], one)
                    received.append((one["to"], what))
            for rank, what in received:
                held[rank].add(what)
        return held

    def test_every_rank_has_all_blocks_of_a_broadcast(self):
        for p, blocks, root in ((1, 3, 0), (2, 1, 1), (9, 4, 3), (16, 7, 15), (17, 1, 5), (33, 12, 0)):
            schedule = self.schedule("broadcast", p, "--blocks", blocks, "--root", root)
            self.assertEqual(schedule["rounds"],
                             blocks - 1 + math.ceil(math.log2(p)) if p > 1 else 0)
            everything = {(block, root) for block in range(blocks)}
            held = [set(everything) if rank == root else set() for rank in range(p)]
            self.assertEqual(self.carried_out(schedule, held), [everything] * p)
            self.assertEqual(schedule, self.schedule(p, "--blocks", blocks, "--root", root))

    def test_every_block_of_an_index_operation_arrives(self):
        for p, radix, ports in ((1, 2, 1), (2, 2, 1), (5, 2, 1), (9, 3, 2), (12, 3, 2), (16, 16, 3),
                                (13, 4, 1)):
            schedule = self.schedule("index", p, "--radix", radix, "--ports", ports)
            held = [{(to, rank) for to in range(p)} for rank in range(p)]
            for rank, has in enumerate(self.carried_out(schedule, held, ports)):
                self.assertLessEqual({(rank, source) for source in range(p)}, has)
            digits = math.ceil(math.log(p, radix) - 1e-9)
            self.assertLessEqual(schedule["rounds"], math.ceil((radix - 1) / ports) * digits)

    def edges(self, text):
        file = self.path(f"graph{len(os.listdir(self.folder))}.txt")
        with open(file, "w") as made:
            made.write(text)
        return "edges:" + file

    def test_messages_of_one_rank_are_those_from_it_and_to_it(self):
        every = self.schedule("index", 7)["messages"]
        self.assertEqual(self.schedule("index", 7, "--rank", 2)["messages"],
                         [one for one in every if 2 in (one["from"], one["to"])])
        text = self.succeed("schedule", "index", 7, "--rank", 2).stdout
        self.assertIn("3 rounds", text.splitlines()[0])
        self.assertEqual(len(text.splitlines()), 2 + 6)

    def test_messages_that_cannot_be_are_refused(self):
        for wrong, about in ((["index"], "processors"), (["fan", 9], "broadcast"),
                             (["index", 9, "--radix", 12], "radix"),
                             (["index", 9, "--blocks", 2], "--blocks"),
                             ([9, "--ports", 2], "--ports"),
                             (["broadcast", 9, "--root", 9], "--root"),
                             (["index", 5000], "smaller"),
                             (["scatter", "tree:9"], "path:N"), (["scatter", "0,2"], "parent of 2"),
                             (["scatter", "path:9", "--root", 2], "--root"),
                             (["gather", "path:4", "--flits", "1,2"], "--flits"),
                             (["gather", "edges:/nowhere"], "can be read"),
                             (["gather", "edges:" + self.folder], "can be read"),
                             (["gather", "path"], "path:N"), (["gather", "0,0,"], "path:N"),
                             (["scatter", "path:100000"], "smaller tree"),
                             (["gather", self.edges("0 1\n2 3\n")], "no path"),
                             (["gather", self.edges("0 1 2\n")], "line 1"),
                             (["gather", self.edges("0 1\n"), "--root", 2], "--root")):
            self.assertIn(about, self.refuse(2, "schedule", *wrong), wrong)
