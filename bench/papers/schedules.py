# SPDX-License-Identifier: Apache-2.0
"""Times to compute broadcast schedules (Träff, table 4)."""
from tool_json import figure

# Last p of each range, and the published µs a processor: the O(log³ p) method, the O(log p) one.
PUBLISHED = ((17_000, 2.769, 0.334), (33_000, 3.763, 0.370), (73_000, 5.187, 0.454),
             (140_000, 6.226, 0.534), (267_000, 7.242, 0.548), (529_000, 8.196, 0.566),
             (1_050_000, 9.024, 0.516), (2_099_000, 10.656, 0.608))


def add_to(made, tool):
    made.heading("Schedules of round-optimal broadcasts, µs a processor")
    made.text("Source: Träff, Optimal Broadcast Schedules in Logarithmic Time, table 4, on a Xeon "
              "E3-1225, the mean over all p of a range; here for the last p of each. Receivers: the "
              "send schedule from the receive schedules of the ranks that it sends to, as it was "
              "computed before; with the paper's receive schedules this is O(log² p). Paper's: its "
              "algorithms word for word.")
    rows = []
    for p, older, newer in PUBLISHED[:2] if tool.quick else PUBLISHED:
        cases = tool.compared("schedule", "--n", p, "--rivals",
                              "transcription,receivers,single-calls")
        one = next(case for (measure, _), case in cases.items() if "one rank" in measure)
        table = next(case for (measure, _), case in cases.items() if "table" in measure)
        rows.append([f"{p:,}", figure(older), figure(newer), f"{older / newer:.1f}",
                     *(figure(one[name] * 1e6) for name in ("receivers", "transcription", "pleat")),
                     f"{one['receivers'] / one['transcription']:.1f}",
                     figure(table["pleat"] * 1e6)])
    made.table(["p", "published O(log³ p)", "published O(log p)", "ratio", "receivers",
                "paper's", "Pleat, one rank", "receivers / paper's", "Pleat, table of all"], rows)
