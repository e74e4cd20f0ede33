# SPDX-License-Identifier: Apache-2.0
"""Collectives beside two MPIs (Träff, figures 1 and 2)."""
from document import Chart
from tool_json import seconds

NAMES = ("broadcast", "reduce", "all_gather_v")


def add_to(made, tool):
    made.heading("Collectives by circulant schedules")
    made.text("Source: Träff, Optimal Broadcast Schedules in Logarithmic Time, figure 1 (broadcast "
              "and reduction, up to 25,600 ranks) and figure 2 (all-gather of 1,152 ranks, regular, "
              "irregular and degenerate). Published: broadcast on full nodes 3 times as fast as Open MPI "
              "4.1.5's, the degenerate all-gather close to 100 times as fast as 4.0.5's, and about "
              "as fast as the others. Here: a virtual processor, or a rank of an MPI, on each core. "
              "Over ranks: bench/evidence/results/ranks.md.")
    cases = {}
    for n in (1 << 10, 1 << 16) if tool.quick else [1 << k for k in range(3, 25, 3)]:
        cases.update(tool.compared("collectives", "--operations", ",".join(NAMES), "--n", n))
    rivals = sorted({name for case in cases.values() for name in case} - {"pleat", "memcpy"})
    if not rivals:
        made.text("No MPI is here (apt-get install libopenmpi-dev openmpi-bin libmpich-dev mpich).")
    for measure in dict.fromkeys(measure for measure, _ in cases):
        sizes = sorted(n for name, n in cases if name == measure)
        made.heading(measure, 3)
        made.table(["bytes", "Pleat", *(name for name in rivals), "best MPI / Pleat"],
                   [row(cases[measure, n], n, rivals) for n in sizes])
        made.chart(Chart("collective_" + measure.replace(", ", "_"), measure, "bytes", "seconds",
                         {name: [(n, cases[measure, n][name]) for n in sizes
                                 if name in cases[measure, n]] for name in ["pleat", *rivals]}))


def row(case, n, rivals):
    best = min((case[name] for name in rivals if name in case), default=None)
    return [f"{n:,}", seconds(case["pleat"]),
            *(seconds(case[name]) if name in case else "" for name in rivals),
            f"{best / case['pleat']:.2f}" if best else ""]
