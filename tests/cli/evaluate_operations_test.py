# SPDX-License-Identifier: Apache-2.0
"""Costs of collective operations, against the messages of `pleat schedule`, which schedule_test.py
carries out."""
import collections
import json
import unittest

from tool import ToolTest


def block_sizes(words, blocks):
    return [words // blocks + (i < words % blocks) for i in range(blocks)]


def backwards(rounds):
    return [[(to, source, words) for source, to, words in one] for one in reversed(rounds)]


def doubling(p, words):
    """Träff's 123-doubling."""
    rounds, known, skip = [], 0, 1
    while known < p - 1:
        first = 0 if len(rounds) < 2 else 1
        rounds.append([(r, r + skip, words) for r in range(first, p - skip)])
        known += skip if rounds[1:] else 1
        skip = known if rounds[1:] else 2
    return rounds


class Operations(ToolTest):
    def rounds_of(self, *arguments):
        """Rounds of (from, to, what) of a schedule."""
        schedule = json.loads(self.succeed("schedule", *arguments, "--json").stdout)
        rounds = [[] for _ in range(schedule["rounds"])]
        for one in schedule["messages"]:
            rounds[one["round"]].append((one["from"], one["to"], one["what"]))
        return rounds

    def circulant(self, p, parts, empty):
        """Rounds of (from, to, words) of broadcasts from the first ranks at once; parts[root]: sizes of
        blocks. Empty blocks are sent if `empty`."""
        rounds = []
        for messages in self.rounds_of("broadcast", p, "--blocks", len(parts[0])):
            sent, joined = collections.Counter(), set()
            for root, sizes in enumerate(parts):
                for source, to, what in messages:  # of root 0: those of others are turned
                    pair = (source + root) % p, (to + root) % p
                    words = sum(sizes[block] for block, _ in what)
                    sent[pair] += words
                    if words or empty:
                        joined.add(pair)
            rounds.append([(*pair, sent[pair]) for pair in joined])
        return rounds

    def operation(self, name, p, words, blocks, radix):
        ranks = range(p)
        if name in ("broadcast-circulant", "reduce"):
            rounds = self.circulant(p, [block_sizes(words, blocks)], True)
            return backwards(rounds) if name == "reduce" else rounds
        if name in ("all-gather", "reduce-scatter"):
            rounds = self.circulant(p, [block_sizes(words, blocks)] * p, False)
            return backwards(rounds) if name == "reduce-scatter" else rounds
        if name == "all-reduce":
            parts = [block_sizes(part, blocks) for part in block_sizes(words, p)]
            rounds = self.circulant(p, parts, False)
            return backwards(rounds) + rounds
        if name == "all-to-all":
            return [[(source, to, words * len(what)) for source, to, what in one]
                    for one in self.rounds_of("index", p, "--radix", min(radix, p))]
        if name == "scan":
            return doubling(p, words)
        if name == "all-gather-butterfly":
            return [[(r, r ^ 1 << i, words << i) for r in ranks] for i in range(p.bit_length() - 1)]
        scatter = [[(0, r, words) for r in range(1, p)]]
        return backwards(scatter) if name == "gather" else scatter

    def check(self, name, p, words=1, blocks=None, radix=None):
        options = ["--words", words]
        options += ["--blocks", blocks] if blocks else []
        options += ["--radix", radix] if radix else []
        report = json.loads(self.succeed("evaluate", name, "--n", p, *options, "--p", f"1,{p}",
                                         "--models", "uniform", "--json").stdout)
        rounds = self.operation(name, p, words, blocks or 1, radix or 2)
        where = (name, p, words, blocks, radix)
        labels = (p - 1).bit_length()
        supersteps = [0] * labels
        degrees = [[0] * (labels + 1) for _ in range(labels)]
        of_all = 0
        for one in rounds:
            label = min((labels - (a ^ b).bit_length() for a, b, _ in one), default=labels - 1)
            supersteps[label] += 1
            for j in range(1, labels + 1):
                out, into = collections.Counter(), collections.Counter()
                for a, b, count in one:
                    if a >> labels - j != b >> labels - j:
                        out[a >> labels - j] += count
                        into[b >> labels - j] += count
                degrees[label][j] += max([*out.values(), *into.values()], default=0)
            of_all = sum(degrees[label][labels] for label in range(labels))
        self.assertEqual([one["supersteps"] for one in report["labels"]], supersteps, where)
        for j, folding in enumerate(report["foldings"], 1):
            self.assertEqual(folding["F"], [degrees[label][j] for label in range(j)], where)
        self.assertEqual(report["messages"], sum(count for one in rounds for *_, count in one), where)
        self.assertEqual([(one["supersteps"], one["degree"]) for one in report["folded"]],
                         [(0, 0), (len(rounds), of_all)], where)
        self.assertTrue(report["static"], where)

    def test_operations_on_the_circulant_graph_cost_what_their_schedules_say(self):
        for p in (2, 3, 5, 8, 13, 17):
            for words, blocks in ((1, 1), (6, 3), (5, 8), (40, 5)):  # 5 in 8: some are empty
                for name in ("broadcast-circulant", "reduce", "all-gather", "reduce-scatter",
                             "all-reduce"):
                    self.check(name, p, words, blocks)

    def test_other_operations_cost_what_their_schedules_say(self):
        for p in (2, 3, 5, 8, 13, 17):
            for name in ("scan", "scatter", "gather"):
                self.check(name, p, 3)
            for radix in {2, 3, max(2, p - 1), p}:
                self.check("all-to-all", p, 2, radix=radix)
        for p in (2, 4, 8, 16):
            self.check("all-gather-butterfly", p, 3)

    def test_as_many_ports_as_others_send_directly(self):
        for p in (3, 8, 13):
            report = json.loads(self.succeed("evaluate", "all-gather", "--n", p, "--words", 4,
                                             "--ports", p - 1, "--p", p, "--json").stdout)
            self.assertEqual([report["folded"][0][key] for key in ("supersteps", "degree")],
                             [1, 4 * (p - 1)])

    def test_options_of_other_operations_are_refused(self):
        for option, of in (("--words", "prefix"), ("--blocks", "scan"), ("--radix", "all-gather"),
                           ("--ports", "scatter")):
            self.assertIn(option, self.refuse(2, "evaluate", of, "--n", 8, option, 2))


if __name__ == "__main__":
    unittest.main()
