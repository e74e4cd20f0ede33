# SPDX-License-Identifier: Apache-2.0
"""Forms of a broadcast and of an all-gather on D-BSPs: which is cheapest, and from which p on."""
from document import Chart
from tool_json import figure

COUNTED = True  # the same on every machine
# g and l of a cluster of m processors are m^x, as in runtime/machine_model.hpp; an array has x = 1.
NETWORKS = {"an array": 1, "a mesh": 1 / 2, "a fat tree": 1 / 3}

# Arguments of `pleat evaluate` for w words on p processors, and how many words a counted message
# stands for: that of a tree is one value, and w values would go the same way.
FORMS = {
    "broadcast": {
        "circulant, 1 block": lambda w, p: (("broadcast-circulant", "--words", w), 1),
        "circulant, 8 blocks": lambda w, p: (("broadcast-circulant", "--words", w, "--blocks", 8), 1),
        "binomial": lambda w, p: (("broadcast", "--kappa", 2), w),
        "direct": lambda w, p: (("broadcast", "--kappa", p), w)},
    "all-gather": {
        "circulant": lambda w, p: (("all-gather", "--words", w), 1),
        "butterfly": lambda w, p: (("all-gather", "--words", w, "--schedule", "binomial"), 1),
        "direct": lambda w, p: (("all-gather", "--words", w, "--ports", p - 1), 1)}}


def counted(tool, arguments, words, p):
    """S and F, by label, on p processors."""
    report = tool.json("evaluate", arguments[0], "--n", p, *arguments[1:], "--models", "uniform",
                       "--sigma", 0)
    last = report["foldings"][-1]
    return last["S"], [words * degree for degree in last["F"]]


def complexity(costs, sigma):
    supersteps, degrees = costs
    return sum(degrees) + sigma * sum(supersteps)


def time(costs, exponent):
    supersteps, degrees = costs
    clusters = [2 ** (len(degrees) - label) for label in range(len(degrees))]
    return sum((f + s) * m ** exponent for s, f, m in zip(supersteps, degrees, clusters))


def ranking(values):
    """Forms from the cheapest on; equal ones have one place."""
    places = {}
    for form, value in values.items():
        places.setdefault(round(value, 6), []).append(form)
    return [places[value] for value in sorted(places)]


def changes(by_p):
    """The p at which the ranking differs from that of the p before."""
    sizes = list(by_p)
    return [p for before, p in zip(sizes, sizes[1:]) if ranking(by_p[before]) != ranking(by_p[p])]


def add_figures(made, name, by_p):
    forms = list(next(iter(by_p.values())))
    made.table([f"{name}, p =", *(f"{p:,}" for p in by_p)],
               [[form, *(figure(by_p[p][form]) for p in by_p)] for form in forms]
               + [["cheapest", *(" = ".join(ranking(values)[0]) for values in by_p.values())]])
    where = ", ".join(f"{p:,}" for p in changes(by_p))
    made.text(f"{name}: the order changes at p = {where}." if where else
              f"{name}: the order is the same for all p.")


def add_to(made, tool):
    made.heading("Round-optimal is not D-BSP-optimal")
    made.text("The circulant schedules (Träff) take the fewest rounds of one port, and their messages "
              "keep to no cluster. On the D-BSP (Bilardi and others) a message costs what "
              "its cluster costs, so forms with longer messages, but fewer in large clusters, may be "
              "cheaper. Binomial: the tree of degree 2 of clusters; butterfly: with the partners "
              "rank xor 2^k, the far ones first; direct: one superstep, from source to destination. Counted in the rounds that the "
              "library carries out; g and l of a cluster of m processors are m on an array, m^(1/2) on "
              "a mesh and m^(1/3) on a fat tree. Forms that cost the same have one place in the order.")
    sizes = [2 ** k for k in range(2, 5 if tool.quick else 11)]
    for operation, words in (("broadcast", 8), ("broadcast", 64), ("all-gather", 8)):
        made.heading(f"{operation} of {words} words", 3)
        forms = FORMS[operation]
        costs = {p: {form: counted(tool, *of(words, p), p) for form, of in forms.items()}
                 for p in sizes}
        for sigma in (0, words):
            add_figures(made, f"H(p, {sigma})", {
                p: {form: complexity(one, sigma) for form, one in costs[p].items()} for p in sizes})
        for network, exponent in NETWORKS.items():
            by_p = {p: {form: time(one, exponent) for form, one in costs[p].items()} for p in sizes}
            add_figures(made, f"D on {network}", by_p)
            name = f"{operation} of {words} words on {network}"
            made.chart(Chart(name.replace(" ", "_").replace("-", "_"), name, "p", "time",
                             {form: [(p, by_p[p][form]) for p in sizes] for form in forms}))
