# SPDX-License-Identifier: Apache-2.0
"""Scatter and gather on trees against their bounds (Bhatt and others)."""

COUNTED = True  # the same on every machine
TREES = ("path", "star", "binary", "binomial")


def lengths(kind, n):
    return {"equal": [4] * (n - 1), "near ones long": [8 if i < n // 2 else 1 for i in range(1, n)],
            "far ones long": [1 if i < n // 2 else 8 for i in range(1, n)]}[kind]


def depths(messages, root=0):
    """Edges from the root to each processor, by the messages of a scatter."""
    parents = {one["to"]: one["from"] for one in messages}

    def depth(i):
        return 0 if i == root else 1 + depth(parents[i])

    return {i: depth(i) for i in parents}


def add_to(made, tool):
    made.heading("Scatter and gather on trees")
    made.text("Source: Bhatt, Pucci, Ranade, Rosenberg, Scattering and Gathering Messages in Networks "
              "of Processors: farthest first is an optimal scatter on any tree (theorem 1), shoulder "
              "tapping an optimal gather on a path (theorem 2), certificates gather on any tree "
              "(section 3.2). Bound: all flits pass the root one by one, and none arrives sooner than "
              "its message and its way are long. A gather on a path waits for a call besides, one on "
              "another tree for orders; steps of flits, counted.")
    rows = []
    for tree in TREES:
        for n in (8,) if tool.quick else (8, 31, 100):
            for kind in ("equal", "near ones long", "far ones long"):
                flits = lengths(kind, n)
                options = f"{tree}:{n}", "--flits", ",".join(map(str, flits))
                scatter = tool.json("schedule", "scatter", *options)
                gather = tool.json("schedule", "gather", *options)
                far = depths(scatter["messages"])
                bound = max(sum(flits), *(far[i + 1] + flits[i] - 1 for i in range(n - 1)))
                rows.append([tree, n, kind, bound, scatter["rounds"], gather["rounds"],
                             f"{scatter['rounds'] / bound:.2f}", f"{gather['rounds'] / bound:.2f}"])
    made.table(["tree", "p", "messages", "bound", "scatter", "gather", "scatter / bound",
                "gather / bound"], rows)
