# SPDX-License-Identifier: Apache-2.0
"""The files bench/evidence/results/NAME.json: how they are read, condensed and written.

A file is {"machine": …, "figures": {KEY: FIGURE}}. A figure has the command that measured it and
its cases, one for each work, measure, type and n. A case has the median of Pleat's time, `ours_s`,
those of its rivals, and the spreads of all (half the distance between the quartiles, over the
median); `unsteady` lists those whose samples differ too much for a ratio. Quartiles and what the context repeats are left out.

Figures that `all` cannot measure are entered by hand, with the command and the
`section` of the page in which they stand. There a rival is {"s": seconds, "ratio": ratio}, of which
one may be missing, and a range of several rounds is [least, greatest]. A figure with `head` and
`rows` instead of cases is a table as it stands."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
OUR_NAME = "pleat"


def documents():
    """All Markdown of the repository, and none of what is built or fetched in it."""
    for file in sorted(ROOT.rglob("*.md")):
        parts = file.relative_to(ROOT).parts
        if not any(part.startswith((".", "build")) or part == "node_modules" for part in parts):
            yield file


def rounded(value, digits):
    return float(f"{value:.{digits}g}")


def condensed(comparisons):
    """The cases of what `pleat compare --json` calls comparisons: one for each rival."""
    cases = {}
    for one in comparisons:
        key = one["work"], one["measure"], one.get("type") or "", one["n"]
        case = cases.setdefault(key, dict(zip(("work", "measure", "type", "n"), key), ours_s=None,
                                          rivals={}, spread={}))
        for name, whose in (OUR_NAME, "ours"), (one["rival"], "rival"):
            median = one.get(f"{whose}_s")
            if median is None or name is None:
                continue
            if whose == "ours":
                case["ours_s"] = rounded(median, 6)
            else:
                case["rivals"][name] = rounded(median, 6)
            if name in one.get("unsteady", ()) and name not in case.get("unsteady", ()):
                case.setdefault("unsteady", []).append(name)
            quartiles = one.get(f"{whose}_quartiles_s")
            if quartiles:
                half = (quartiles["high"] - quartiles["low"]) / 2
                case["spread"][name] = rounded(half / median, 2)
    return list(cases.values())


def is_unsteady(case, rival):
    """Whether samples of Pleat or of the rival differ too much for a ratio (summary::unsteady)."""
    return bool({OUR_NAME, rival} & set(case.get("unsteady", ())))


def ratio_of(case, rival):
    """The rival's time over Pleat's, or [least, greatest]; None if it was not measured, or if
    samples of one of them differ too much."""
    if is_unsteady(case, rival):
        return None
    measured = case["rivals"].get(rival)
    if not isinstance(measured, dict):
        measured = {"s": measured}
    if measured.get("ratio") is not None:
        return measured["ratio"]
    ours, theirs = case.get("ours_s"), measured.get("s")
    return theirs / ours if ours and theirs else None


def load(file):
    return json.loads(file.read_text())


def text_of(document):
    """JSON with a line for each case and row, so that changes of figures are changes of lines."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    def figure(key, one):
        lists = [name for name in ("cases", "rows") if name in one]
        head = line({name: value for name, value in one.items() if name not in lists})[:-1]
        return f"  {line(key)}: {head}" + "".join(
            f', "{name}": [\n   ' + ",\n   ".join(map(line, one[name])) + "]"
            for name in lists) + "}"

    machine = ",\n".join(f"  {line(key)}: {line(one)}" for key, one in document["machine"].items())
    figures = ",\n".join(figure(*item) for item in document["figures"].items())
    return f'{{"machine": {{\n{machine}}},\n "figures": {{\n{figures}}}}}\n'


def write(file, document):
    unfinished = file.with_name(file.name + ".part")
    unfinished.write_text(text_of(document))
    unfinished.replace(file)


def versions_of(comparisons):
    return {one["rival"]: one["rival_version"] for one in comparisons if one.get("rival_version")}
