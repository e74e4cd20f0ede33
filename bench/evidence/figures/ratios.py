#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `pleat compare … --json` printed as bars: how many times as long each rival takes.

    pleat compare sort --json > sort.json && bench/evidence/figures/ratios.py sort.json > sort.svg
"""
import json
import sys
from html import escape

WIDTH, LEFT, ROW, BAR = 720, 190, 26, 16
UNSTEADY = "samples differ"  # too much for a ratio


def measured(one):
    """Whether a rival took part: a work may have none, or only such that are not here."""
    return one["rival"] is not None and one["rival_s"] is not None


def rows_of(results):
    """(label, seconds, ratio) of ours and its rivals, fastest first, last those without a ratio."""
    first = results[0]
    rows = [("pleat", first["ours_s"], 1.0)]
    rows += [(one["rival"], one["rival_s"], one["ratio"]) for one in results if measured(one)]
    return sorted(rows, key=lambda row: row[2] or float("inf"))


def readable(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def panel(results, top, most):
    first = results[0]
    title = (f"{first['work']}, {first['measure']}: {first['n']:,} {first['type']}, "
             f"{first['processors']} processors")
    yield f'<text x="8" y="{top + 14}" class="title">{escape(title)}</text>'
    for index, (name, seconds, ratio) in enumerate(rows_of(results)):
        y = top + 26 + index * ROW
        length = max(2, (WIDTH - LEFT - 150) * (ratio or 0) / most)
        beside = UNSTEADY if ratio is None else f"{ratio:.2f} ×"
        kind = "ours" if name == "pleat" else "rival"
        yield f'<text x="{LEFT - 8}" y="{y + 13}" class="name">{escape(name)}</text>'
        yield f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" class="{kind}"/>'
        yield (f'<text x="{LEFT + length + 6:.1f}" y="{y + 13}">{readable(seconds)}'
               f'{"" if kind == "ours" else f", {beside}"}</text>')


def drawing(comparisons):
    panels = {}
    for one in comparisons:
        panels.setdefault((one["work"], one["measure"], one["type"], one["n"]), []).append(one)
    most = max([1.0] + [one["ratio"] or 0 for one in comparisons if measured(one)])
    top, drawn = 8, []
    for results in panels.values():
        drawn += panel(results, top, most)
        top += 26 + ROW * len(rows_of(results)) + 14
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" '
        f'viewBox="0 0 {WIDTH} {top}">',
        "<style>text{font:13px sans-serif;fill:#222}.title{font-weight:bold}"
        ".name{text-anchor:end}.ours{fill:#1b7f5c}.rival{fill:#b9bfc6}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        print(drawing(json.load(file)["comparisons"]), end="")
