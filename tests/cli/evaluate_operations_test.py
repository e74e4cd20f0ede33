# SPDX-License-Identifier: Apache-2.0
"""Costs of collective operations, against the messages of `pleat schedule`, which schedule_test.py
carries out."""
import collections
import itertools
import json

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


def part(rank, level):
    size, place = level
    return (rank + place) // size


def merged(schedules):
    """Rounds of several schedules that are carried out at the same time."""
    return [sum(one, []) for one in itertools.zip_longest(*schedules, fillvalue=[])]


def peers(kind, ranks, group=(0, 0), root=None):
    """Rounds of pairs of ranks that may send to each other, to broadcast from the root or from all."""
    size = len(ranks)
    most = 1 << size.bit_length() - 1
    if group[0] > 1 and part(size - 1, group) > 0:
        groups = [list(one) for _, one in
                  itertools.groupby(ranks, key=lambda rank: part(rank, group))]
    elif most == size:
        distances = [1 << k for k in range(size.bit_length() - 1)]
        if kind == "binomial":
            return [[(ranks[at], ranks[at ^ far]) for at in range(size) if at & far == 0]
                    for far in reversed(distances)]
        far = list(itertools.accumulate((-2) ** k for k in range(len(distances))))
        return [[(ranks[at], ranks[(at + one) % size]) for at in range(0, size, 2)]
                for one in reversed(far)]
    else:
        paired = 2 * (size - most)
        groups = [ranks[at:at + 2] for at in range(0, paired, 2)] + [[r] for r in ranks[paired:]]
    leaders = [root if root in group else group[0] for group in groups]
    first = [] if root is not None else merged(peers(kind, group) for group in groups)
    of_root = None if root is None else next(
        leader for leader, group in zip(leaders, groups) if root in group)
    return (first + peers(kind, leaders, root=of_root)
            + merged(peers(kind, group, root=leader) for group, leader in zip(groups, leaders)))


class Operations(ToolTest):
    def trees(self, kind, p, group, parts, root=None):
        """Rounds of (from, to, words); parts[rank]: words that it broadcasts, or the root."""
        rounds = peers(kind, list(range(p)), group, root)
        held = [{rank} if root is None else {root} & {rank} for rank in range(p)]
        sent = []
        for pairs in rounds:
            before = [set(one) for one in held]
            sent.append([])
            for one, other in pairs:
                for source, to in ((one, other), (other, one)):
                    new = before[source] - before[to]
                    held[to] |= new
                    if sum(parts[of] for of in new):
                        sent[-1].append((source, to, sum(parts[of] for of in new)))
        for one in held:
            self.assertEqual(len(one), p if root is None else 1, (kind, p, group))
        least = (p - 1).bit_length()
        if not group[0]:
            self.assertEqual(len(rounds), least + (root is None and p & (p - 1) != 0), (kind, p))
        return sent

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

    def operation(self, name, p, words, blocks, radix, schedule=None, group=(0, 0)):
        ranks = range(p)
        if schedule:
            rooted = name in ("broadcast-circulant", "reduce")
            parts = block_sizes(words, p) if name == "all-reduce" else [words] * p
            rounds = self.trees(schedule, p, group, parts, 0 if rooted else None)
            if name == "all-reduce":
                return backwards(rounds) + rounds
            return backwards(rounds) if name.startswith("reduce") else rounds
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
        scatter = [[(0, r, words) for r in range(1, p)]]
        return backwards(scatter) if name == "gather" else scatter

    def check_levels(self, found, levels, rounds, where):
        sends, messages, supersteps, degrees = ([0] * len(levels) for _ in range(4))
        for one in rounds:
            outermost = len(levels)
            out, into = collections.Counter(), collections.Counter()
            for a, b, count in one:
                for i, level in enumerate(levels):
                    if count and part(a, level) != part(b, level):
                        sends[i] += 1
                        messages[i] += count
                        outermost = min(outermost, i)
                if count and part(a, levels[-1]) != part(b, levels[-1]):
                    out[part(a, levels[-1])] += count
                    into[part(b, levels[-1])] += count
            if out:
                supersteps[outermost] += 1
                degrees[outermost] += max([*out.values(), *into.values()])
        for key, values in (("sends", sends), ("messages", messages), ("supersteps", supersteps),
                            ("degree", degrees), ("bytes", [8 * count for count in messages])):
            self.assertEqual([one[key] for one in found], values, (key, *where))

    def check(self, name, p, words=1, blocks=None, radix=None, schedule=None, group=(0, 0)):
        options = ["--words", words]
        options += ["--schedule", schedule] if schedule else []
        options += ["--group", f"{group[0]}+{group[1]}"] if group[0] else []
        machines = [[(12, 2), (6, 2), (2, 0)], [(8, 0), (1, 0)]]
        for levels in machines:
            options += ["--levels", ",".join(f"level={size}+{place}" for size, place in levels)]
        options += ["--blocks", blocks] if blocks else []
        options += ["--radix", radix] if radix else []
        report = json.loads(self.succeed("evaluate", name, "--n", p, *options, "--p", f"1,{p}",
                                         "--models", "uniform", "--json").stdout)
        rounds = self.operation(name, p, words, blocks or 1, radix or 2, schedule, group)
        where = (name, p, words, blocks, radix, schedule, group)
        for found, levels in zip(report["machines"], machines):
            self.check_levels(found, levels, rounds, where)
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

    def test_operations_along_trees_cost_what_their_peers_say(self):
        for p in (2, 3, 5, 8, 13, 16, 24, 31):
            for schedule in ("binomial", "negabinary"):
                for group in ((0, 0), (4, 0), (6, 5), (6, 2)):
                    for name in ("broadcast-circulant", "reduce", "all-gather", "reduce-scatter",
                                 "all-reduce"):
                        self.check(name, p, 7, schedule=schedule, group=group)

    def test_schedules_of_trees_are_what_is_carried_out(self):
        for kind, p, group in itertools.product(("binomial", "negabinary"), (2, 5, 16, 27),
                                                ((0, 0), (6, 5))):
            options = ["--schedule", kind] + (["--group", f"{group[0]}+{group[1]}"] if group[0] else [])
            for name, root in (("all-gather", None), ("broadcast", p - 1), ("broadcast", 0)):
                of_root = [] if root is None else ["--root", root]
                found = self.rounds_of(name, p, *options, *of_root)
                self.assertEqual([sorted((a, b, len(what)) for a, b, what in one) for one in found],
                                 [sorted(one) for one in self.trees(kind, p, group, [1] * p, root)])

    def test_few_bytes_leave_a_part(self):
        """Circulant graph, binomial and negabinary trees and groups, where parts begin with rank 0
        and where they do not."""
        def crossing(name, p, level, *options):
            report = json.loads(self.succeed("evaluate", name, "--n", p, "--levels", level,
                                             *options, "--json").stdout)
            return report["machines"][0][0]["bytes"]

        for name, p in (("all-gather", 64), ("reduce-scatter", 96), ("all-gather", 256)):
            for level in ("24", "24+5"):
                circulant, binomial, negabinary, groups = (
                    crossing(name, p, "switch=" + level, *options)
                    for options in ((), ("--schedule", "binomial"), ("--schedule", "negabinary"),
                                    ("--schedule", "binomial", "--group", level)))
                near, far = sorted((binomial, negabinary))
                self.assertEqual(near, binomial if level == "24" else negabinary, (name, p))
                self.assertLess(groups, near, (name, p, level))
                self.assertLess(far, circulant, (name, p, level))

    def test_as_many_ports_as_others_send_directly(self):
        for p in (3, 8, 13):
            report = json.loads(self.succeed("evaluate", "all-gather", "--n", p, "--words", 4,
                                             "--ports", p - 1, "--p", p, "--json").stdout)
            self.assertEqual([report["folded"][0][key] for key in ("supersteps", "degree")],
                             [1, 4 * (p - 1)])

    def test_options_of_other_operations_are_refused(self):
        for option, of in (("--words", "prefix"), ("--blocks", "scan"), ("--radix", "all-gather"),
                           ("--ports", "scatter"), ("--schedule", "scan"), ("--group", "reduce")):
            self.assertIn(option, self.refuse(2, "evaluate", of, "--n", 8, option, 2))
        for levels in ("node", "node=0", "=3", "node=2,switch=4", "node=2+", "node=2+2"):
            self.assertIn("--levels",
                          self.refuse(2, "evaluate", "scan", "--n", 8, "--levels", levels))
        for option, command in (("--blocks", ("evaluate", "reduce", "--n")),
                                ("--ports", ("evaluate", "all-gather", "--n")),
                                ("--blocks", ("schedule", "broadcast"))):
            self.assertIn(option + ": trees",
                          self.refuse(2, *command, 8, "--schedule", "binomial", option, 2))
        self.assertIn("known: circulant, binomial, negabinary",
                      self.refuse(2, "evaluate", "reduce", "--n", 8, "--schedule", "ternary"))
