# SPDX-License-Identifier: Apache-2.0
"""Measured figures stand in READMEs and guides only between the marks of figures/tables,
which writes them: a table written by hand goes stale while its results are measured again.

A table is taken for measured if a cell, but for the first of its row, begins with a number and a
unit of time, rate or ratio, or is nothing but a number: a fraction, or one of two digits and more.
Numbers alone are allowed in columns whose heads name a quantity that is counted, such as
supersteps or bytes."""
import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
sys.path.insert(0, str(SOURCE / "bench/evidence/figures"))
import results  # noqa: E402

NUMBER = r"[~±<>≤≥]?\s*\d[\d,]*(\.\d+)?"
UNIT = (r"(ns|µs|us|ms|s|min|h|[×x](?!\s*\d)|%|[kKMGT]?(i?B|bit|FLOP|flop)?(/s| per second)"
        r"|[MG] .*/s)")
WITH_UNIT = re.compile(rf"(about )?{NUMBER}(\s*(to|/|–|-|and)\s*{NUMBER})*\s*{UNIT}(?![\w/])")
ALONE = re.compile(r"(\d[\d,]*\.\d+|\d[\d,]*\d)")
COUNTED = re.compile(r"superstep|round|message|byte|call|memory|version|\b[np]\b|size|limit",
                     re.IGNORECASE)
TIMED = re.compile(r"/s\b|\b(ns|µs|ms|s|seconds?|per second)\b")
MARK = re.compile(r"<!-- (figures: .*|end of figures) -->")
FENCE = re.compile(r"\s*(```|~~~)")
MOST_FIGURES = 10


def cells(line):
    return [re.sub(r"[*_]{2}|`", "", cell).strip()
            for cell in line.strip().strip("|").replace("\\|", "").split("|")]


def is_figure(cell, head=""):
    return bool(WITH_UNIT.match(cell)
                or ALONE.fullmatch(cell) and (TIMED.search(head) or not COUNTED.search(head)))


def tables(text):
    """(line, its mark or None, head, rows) of each table outside of code."""
    mark, fenced, found, open_table = None, False, [], False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        marked = MARK.match(line)
        if marked:
            mark = None if marked[1].startswith("end") else marked[1]
        if fenced or not line.lstrip().startswith("|"):
            open_table = False
        elif not open_table:
            open_table = True
            found.append((number, mark, cells(line), []))
        elif not re.fullmatch(r"[|\s:-]+", line):
            found[-1][3].append(cells(line))
    return found


def figures_of(head, rows):
    heads = head + [""] * max((len(row) for row in rows), default=0)
    return [cell for row in rows for cell, over in list(zip(row, heads))[1:]
            if is_figure(cell, over)]


def by_hand(text):
    """The lines at which tables of figures begin that nothing has written."""
    return [line for line, mark, head, rows in tables(text)
            if mark is None and figures_of(head, rows)]


def table(head, *rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + " --- |" * len(head),
                      *("| " + " | ".join(row) + " |" for row in rows)])


class Figures(unittest.TestCase):
    documents = [file for file in results.documents()
                 if SOURCE / "bench/evidence/results" not in file.parents]

    def test_documents_have_no_figures_written_by_hand(self):
        self.assertGreater(len(self.documents), 30)
        wrong = [f"{file.relative_to(SOURCE)}:{line}" for file in self.documents
                 for line in by_hand(file.read_text())]
        self.assertEqual(wrong, [], "move the figures to bench/evidence/results/*.json, and see "
                         "SUMMARIES of bench/evidence/figures/figures.py")

    def test_documents_have_at_most_one_table_of_ten_figures(self):
        for file in self.documents:
            marked = [one for one in tables(file.read_text()) if one[1]]
            self.assertLessEqual(len(marked), 1, file)
            for _, _, head, rows in marked:
                self.assertLessEqual(len(figures_of(head, rows)), MOST_FIGURES, file)

    def test_a_table_written_by_hand_is_found(self):
        for cell in ("87.5 ms", "1.74", "1.74 ×", "**0.99**", "315", "3,390", "2,650 M elements/s",
                     "0.61 / 1.8 µs", "IPS⁴o", "37 GB/s", "≤ 5 %", "0.48 to 0.53 s", "4.22x"):
            text = "before\n\n" + table(("work", "Pleat"), ("sort", cell)) + "\n"
            self.assertEqual(by_hand(text), [] if cell == "IPS⁴o" else [3], cell)

    def test_generated_tables_are_not_by_hand_and_what_follows_them_is(self):
        shown = table(("work", "Pleat"), ("sort", "87.5 ms"))
        marked = f"<!-- figures: headlines -->\n{shown}\n<!-- end of figures -->\n"
        self.assertEqual(by_hand(marked), [])
        self.assertEqual(by_hand(f"{marked}\n{shown}\n"), [7])
        self.assertEqual(by_hand(f"```\n{shown}\n```\n"), [])

    def test_quantities_of_the_model_are_no_figures(self):
        for head, cell in (("cost", "O(n log n)"), ("supersteps", "10"), ("cells", "512 x 512"),
                           ("words", "88 for each VP"), ("memory", "32 bytes and its frames"),
                           ("rounds", "n − 1 + q"), ("source", "Träff 2024"), ("limit", "256"),
                           ("cost", "2 supersteps"), ("what", "4 nodes of 2 processors")):
            self.assertEqual(by_hand(table(("call", head), ("sort", cell))), [], cell)
