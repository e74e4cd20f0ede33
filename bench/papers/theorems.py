# SPDX-License-Identifier: Apache-2.0
"""H and D of programs against the lower bounds, and what the optimality theorem makes of them
(Bilardi and others)."""
import math

from tool_json import figure

COUNTED = True  # the same on every machine

# Program, log2 n, log2 n of --quick; n is a power of 2 to the `step`.
PROGRAMS = (("matmul", 12, 6, 2), ("matmul4", 12, 6, 2), ("fft", 14, 8, 1), ("sort", 12, 8, 1),
            ("stencil1", 9, 6, 1), ("stencil2", 10, 6, 2), ("stencil3", 9, 6, 3),
            ("bitonic", 12, 6, 1), ("transpose", 9, 5, 1), ("closure", 8, 5, 1),
            ("cholesky", 8, 5, 1), ("solve-triangular", 8, 5, 1))
DIMENSIONS = {"stencil1": 1, "stencil2": 2, "stencil3": 3}
NETWORKS = ("mesh", "hypercube", "fat-tree", "uniform")


def proved(name, log_n):
    """The factor that the upper bounds of section 4.4 have besides the lower bound; 1 where there
    is none."""
    d = DIMENSIONS.get(name)
    return 2 ** ((d + 1) * math.sqrt(log_n / d)) if d else 1


def greatest(tool, name, logs, dummies):
    """Of all n and p: the greatest ratios of H(p, 0) to the lower and to the upper bound, both up
    to constants, and the least α."""
    to_lower, to_upper, alpha = 0, 0, 1
    for log_n in logs:
        report = tool.json("evaluate", name, "--n", 2 ** log_n, "--sigma", 0,
                           *(["--dummies"] if dummies else []))
        for one in report["foldings"]:
            ratio = one["H"]["0"] / one["lower_bound"]["0"]
            to_lower, to_upper = max(to_lower, ratio), max(to_upper, ratio / proved(name, log_n))
            alpha = min(alpha, one["wiseness"])
    return to_lower, to_upper, alpha


def add_constants(made, tool):
    made.heading("The constants of the bounds")
    made.text("The greatest ratio of H(p, 0) to the lower bound, over all p and all n up to the given "
              "one, from 4, or 4 a side; of stencils also to the upper bound, which has the factor "
              "(2^(d + 1))^√log m besides, for m points a side in d dimensions; and the least α. Each "
              "is counted without dummies, which a run does not send, and with those that make a "
              "program wise.")
    rows = []
    for name, log_n, small, step in PROGRAMS:
        logs = [small] if tool.quick else range(2 * step, log_n + 1, step)
        counts = [greatest(tool, name, logs, dummies) for dummies in (False, True)]
        rows.append([name, f"2^{logs[-1]}", *(figure(lower) for lower, _, _ in counts),
                     *(figure(upper) if name in DIMENSIONS else "" for _, upper, _ in counts),
                     *(figure(alpha) for _, _, alpha in counts)])
    made.table(["program", "n up to", "to the lower bound", "with dummies", "to the upper bound",
                "with dummies", "least α", "with dummies"], rows)


def latency_allowed(foldings, most):
    """The largest ℓ/g for which H is up to `most` times its bound on all M(2^k, σ), σ = 2^j/2^k·ℓ/g,
    of 2^j processors. None if no ℓ/g is small enough, infinite where none is too large; `foldings`:
    those of p = 2 … 2^j."""
    p = foldings[-1]["p"]
    allowed = float("inf")
    for one in foldings:
        # degree + supersteps·σ ≤ most·(bound + σ)
        spare = most * one["lower_bound"]["0"] - sum(one["F"])
        if spare < 0:
            return None
        if sum(one["S"]) > most:
            allowed = min(allowed, spare / (sum(one["S"]) - most) * one["p"] / p)
    return allowed


def latency_text(allowed):
    return "none" if allowed is None else "any" if allowed == float("inf") else figure(allowed)


def betas(foldings):
    """β on 2, 4, … processors without latency: the least bound over H on as many or fewer, 1 at most."""
    least = 1.0
    for one in foldings:
        least = min(least, one["lower_bound"]["0"] / one["H"]["0"])
        yield least


def add_gap(made, tool):
    made.heading("Broadcast: what it costs not to know σ")
    made.text("Source: as above, theorem 8. GAP: the largest ratio, over σ from 0 to the given one, "
              "of H of a tree of degree κ to that of the best degree. No program that does not know "
              "σ is below the bound, up to a constant.")
    n = 2 ** (6 if tool.quick else 14)
    rows = []
    for sigma in (4, 16, 64, 256, 1024):
        gaps = [tool.json("evaluate", "broadcast", "--n", n, "--sigma", f"0,{sigma}", "--kappa",
                          kappa, "--gap")["gap"] for kappa in (2, 16, 128)]
        rows.append([f"{sigma:,}", *(f"{gap['gap']:.2f}" for gap in gaps),
                     f"{gaps[0]['lower_bound']:.2f}"])
    made.table(["σ up to", "κ = 2", "κ = 16", "κ = 128", "bound"], rows)


def add_to(made, tool):
    made.heading("Programs against the lower bounds")
    made.text("Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious "
              "Algorithms, section 4 (bounds, up to constants) and theorem 1: a static program that "
              "is (α, p)-wise, and β-optimal on M(2^k, σ) for all k, is αβ/(1 + α)-optimal in time on "
              "every machine whose g and ℓ/g fall towards the leaves and whose ℓ/g are not larger "
              "than allowed. Here β is the least bound over H(2^k, 0) of all 2^k ≤ p, 1 at most, α is "
              "counted with dummies, and allowed are the ℓ/g for which H is up to 16 times the bound "
              "on all M(2^k, σ): what is above does not count as optimal. "
              "Counted, so the same on every machine. Of transpose and the programs behind it n "
              "are rows; their bounds are of Chowdhury and others.")
    for name, log_n, small, _ in PROGRAMS:
        size = 2 ** (small if tool.quick else log_n)
        report = tool.json("evaluate", name, "--n", size, "--dummies", "--sigma", 0)
        foldings = report["foldings"]
        made.heading(f"{name}, n = {size:,}", 3)
        rows = []
        for i, (one, beta) in enumerate(zip(foldings, betas(foldings))):
            alpha, bound = one["wiseness"], one["lower_bound"]["0"]
            allowed = latency_allowed(foldings[:i + 1], report["optimal_up_to"])
            rows.append([f"{one['p']:,}", figure(one["H"]["0"]), figure(bound),
                         figure(one["H"]["0"] / bound), f"{sum(one['S']):,}", figure(alpha),
                         figure(beta), figure(alpha * beta / (1 + alpha)), latency_text(allowed)])
        made.table(["p", "H(p, 0)", "bound", "ratio", "supersteps", "α", "β", "αβ/(1 + α)",
                    "ℓ/g allowed"], rows)
        times = {model["name"]: {one["p"]: one["D"] for one in model["times"]}
                 for model in report["models"]}
        made.table(["D on p =", *(f"{one['p']:,}" for one in foldings)],
                   [[network, *(figure(times[network][one["p"]]) if one["p"] in times[network] else ""
                                for one in foldings)] for network in NETWORKS])
        verdicts = [f"{model['name']}: {model['violated_condition'] or 'conditions met'}"
                    for model in report["models"]]
        made.text("Conditions: " + "; ".join(verdicts) + ".")
    add_constants(made, tool)
    add_gap(made, tool)
