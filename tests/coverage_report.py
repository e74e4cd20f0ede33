#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage_report.py TRACE FOLDER   reads a trace in lcov's format and prints which share of the lines
and branches of the library below FOLDER was carried out: a row a component, then every file below the
goal with the lines that were not."""
import collections
import pathlib
import sys

COMPONENTS = ("channels", "runtime", "ranks", "collectives", "oblivious")
GOAL = 0.95


def read(trace, folder):
    """{file: ({line: count}, {branch: count})} of the library's files, paths relative to folder."""
    files = collections.defaultdict(lambda: ({}, {}))
    lines = branches = None
    for row in pathlib.Path(trace).read_text().splitlines():
        kind, _, rest = row.partition(":")
        if kind == "SF":
            path = pathlib.Path(rest)
            inside = path.is_relative_to(folder) and path.relative_to(folder).parts[0] in COMPONENTS
            lines, branches = files[str(path.relative_to(folder))] if inside else (None, None)
        elif kind == "DA" and lines is not None:
            line, count = map(int, rest.split(",")[:2])
            lines[line] = max(lines.get(line, 0), count)
        elif kind == "BRDA" and branches is not None:
            line, block, branch, count = rest.split(",")
            place = (int(line), block, branch)
            branches[place] = max(branches.get(place, 0), 0 if count == "-" else int(count))
    return {name: content for name, content in files.items() if "/examples/" not in name}


def share(counts):
    return sum(1 for count in counts if count) / len(counts) if counts else 1.0


def ranges(numbers):
    """[3, 4, 5, 9] as '3-5, 9'."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    files = read(sys.argv[1], sys.argv[2])
    if not files:
        sys.exit("coverage_report.py: the trace names no file of the library")
    rows = [(name, [file for path, file in files.items() if path.startswith(name + "/")])
            for name in COMPONENTS]
    rows.append(("all", list(files.values())))
    print(f"{'component':<12} {'lines':>7} {'covered':>8} {'branches':>9} {'covered':>8}")
    for name, content in rows:
        lines = [count for file in content for count in file[0].values()]
        branches = [count for file in content for count in file[1].values()]
        print(f"{name:<12} {len(lines):>7} {share(lines):>8.1%} {len(branches):>9} "
              f"{share(branches):>8.1%}")
    below = {path: file for path, file in files.items() if share(file[0].values()) < GOAL}
    if below:
        print(f"\nbelow {GOAL:.0%} of lines, and the lines no test reached:")
    for path, (lines, _) in sorted(below.items(), key=lambda item: share(item[1][0].values())):
        missed = ranges(line for line, count in lines.items() if not count)
        print(f"{share(lines.values()):>7.1%} {path}: {missed}")


main()
