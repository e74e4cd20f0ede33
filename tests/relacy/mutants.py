#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py SOURCE PROGRAM…   every explicit ordering of the library, each weakened by one step.

Lists the orderings in the sources, runs the searches, each of which weakens those that it reaches one
at a time, and says of each file how many of its weakened orderings some search has noticed. Exit
status 1 if one is noticed by none, or is reached by none and has no reason in ELSEWHERE."""
import collections
import pathlib
import re
import subprocess
import sys

PARTS = ["channels", "runtime", "ranks", "collectives", "oblivious"]

# Orderings that no search reaches: a proof, or what else shows that they are needed. By the file and
# the call.
MESSAGE = "one store, whose loads take what was written before it: the pair of made_once"
ELSEWHERE = {
    "runtime/include/pleat/runtime/detail/vp_host.hpp": {
        "poisoned_.load": "the load of run_state::poisoned"},
    "runtime/src/engine/run_state.hpp": {
        "poisoned_.flag.load": "stores and then loads of two threads, as those of retire and enter"},
    "runtime/src/engine/run_state.cpp": {
        "poisoned_.flag.store": "stores and then loads of two threads, as those of retire and enter"},
    "ranks/src/processes/process_group.hpp": {"idle_in_.store": MESSAGE},
    "ranks/src/processes/process_group.cpp": {"idle_in_.load": MESSAGE},
    "ranks/src/processes/process_group_end.cpp": {"idle_in_.load": MESSAGE},
    "ranks/mpi/src/node_rings.hpp": {
        "own_->loan.fetch_add": "what comes later stays behind it; reads by another process"},
    "ranks/mpi/src/node_rings.cpp": {
        "shows->loan.fetch_add": "reads by process_vm_readv stay before it"},
    "collectives/mpi/src/communicator/agreement.hpp": {"known_.store": MESSAGE,
                                                       "known_.load": MESSAGE},
    "oblivious/include/pleat/oblivious/detail/program/kernels_ready.hpp": {
        "kernels_ready.load": MESSAGE},
    "oblivious/src/kernels/choice.hpp": {"made_.load": MESSAGE},
    "oblivious/src/kernels/choice.cpp": {"made_.store": MESSAGE, "kernels_ready.store": MESSAGE},
}


def orderings(source):
    """Yields file, line and call of each explicit ordering: the line is that of the call's name."""
    for part in PARTS:
        for path in sorted((source / part).rglob("*.[hc]pp")):
            if {"examples", "build"} & set(path.parts):
                continue
            text = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), path.read_text(encoding="utf-8"))
            for match in re.finditer(r"memory_order_(acquire|release|acq_rel|seq_cst)", text):
                at, depth = match.start(), 0
                while depth <= 0:  # back to the parenthesis that opens the call
                    at -= 1
                    depth += {"(": 1, ")": -1}.get(text[at], 0)
                call = re.search(r"[\w.>-]*$", text[:at])[0]
                yield str(path.relative_to(source)), text.count("\n", 0, at) + 1, call


def searched(programs, paths):
    """Returns what was found, by file (of paths) and line and by step, and the failures."""
    found, failed = collections.defaultdict(dict), []
    for program in programs:
        run = subprocess.run([program], text=True, capture_output=True)
        if run.returncode != 0:
            failed.append(f"{program}: status {run.returncode}\n{run.stdout}{run.stderr}")
        for line in run.stdout.splitlines():
            if match := re.fullmatch(r"(.*):(\d+): (\w+ as \w+): (.*)", line):
                # The compiler's name of the file may be relative to the build.
                name = next((path for path in paths if match[1].endswith("/" + path)), None)
                steps = found[name, int(match[2])]
                if steps.get(match[3], "ALIVE") == "ALIVE":
                    steps[match[3]] = f"{pathlib.Path(program).name}: {match[4]}"
                    if match[4] == "ALIVE":
                        steps[match[3]] = "ALIVE"
    return found, failed


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    there = list(orderings(source))
    found, errors = searched(sys.argv[2:], {path for path, line, call in there})
    rows = collections.defaultdict(collections.Counter)
    unused = {(path, call) for path, calls in ELSEWHERE.items() for call in calls}
    for path, line, call in there:
        row = rows[path]
        row["orderings"] += 1
        steps = found.get((path, line), {})
        row["weakened"] += len(steps)
        for step, what in steps.items():
            row["noticed"] += what != "ALIVE"
            print(f"{path}:{line}: {call}: {step}: {what}")
            if what == "ALIVE":
                errors.append(f"{path}:{line}: {call}: {step}: no search notices")
        if steps:
            continue
        reasons = [key for key in ELSEWHERE.get(path, {}) if call.endswith(key)]
        row["elsewhere"] += bool(reasons)
        unused -= {(path, key) for key in reasons}
        if not reasons:
            errors.append(f"{path}:{line}: {call}: no search weakens it; extend one, or give a reason")
    errors += [f"{path}: {call}: is searched or not there: no reason is needed" for path, call in unused]
    columns = ["orderings", "weakened", "noticed", "elsewhere"]
    total = collections.Counter()
    print("\n| file | " + " | ".join(columns) + " |\n" + "| --- " * 5 + "|")
    for path, row in rows.items():
        total += row
        print(f"| {path} | " + " | ".join(str(row[name]) for name in columns) + " |")
    print("| all | " + " | ".join(str(total[name]) for name in columns) + " |")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
