#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counterexamples of where_papers_err.md, each by the papers' definitions and without Pleat."""
import collections
import itertools
import math


def columnsort(columns, diagonal=False, alternate=False):
    """The keys after phases 1 to 8 of Columnsort. Phase 4 lays down by columns what it reads by rows
    (untransposition), or `diagonal`, by diagonals. `alternate`: phase 5 sorts every other column in
    reverse order."""
    r, s = len(columns[0]), len(columns)

    def sort(keys, alternates=False):
        return [key for j in range(s)
                for key in sorted(keys[j * r:(j + 1) * r], reverse=alternates and j % 2 == 1)]

    keys = sort([key for column in columns for key in column])               # phase 1
    keys = sort([keys[i * s + j] for j in range(s) for i in range(r)])       # phases 2 and 3
    cells = [(i, j) for i in range(r) for j in range(s)]
    if diagonal:
        cells.sort(key=sum)
    keys = sort([keys[j * r + i] for i, j in cells], alternate)              # phases 4 and 5
    borders = [0, *range(r // 2, r * s, r), r * s]                           # phases 6 to 8
    return [key for first, last in zip(borders, borders[1:]) for key in sorted(keys[first:last])]


def missorted(r, s, **how):
    """How many of the (r + 1)^s inputs of sorted columns of zeros and ones are not sorted, and the
    first numbers of zeros for which that is so. The order of columns has no influence."""
    count, first = 0, None
    for zeros in itertools.combinations_with_replacement(range(r + 1), s):
        result = columnsort([[0] * z + [1] * (r - z) for z in zeros], **how)
        if result != sorted(result):
            repeated = collections.Counter(zeros).values()
            count += math.factorial(s) // math.prod(map(math.factorial, repeated))
            first = first or zeros
    return count, first


def stripes(k, w=2):
    """The numbers of tiles of side w in each stripe of an octahedron of side k·w, by its points: a
    tile is ⌊(t + x)/w⌋, ⌊(t − x)/w⌋, ⌊(t + y)/w⌋, ⌊(t − y)/w⌋, each from 0 to k − 1. Stripes of
    octahedra and of tetrahedra alternate, and begin with octahedra."""
    tiles = set()
    for t in range(k * w):
        coordinates = [((t + x) // w, (t - x) // w) for x in range(-k * w, k * w + 1)]
        inside = [one for one in coordinates if all(0 <= c < k for c in one)]
        tiles |= set(itertools.product(inside, inside))
    found = collections.Counter(sum(x) + sum(y) for x, y in tiles)
    return [found[one] for one in sorted(found)]


def volume(n, r, k):
    """C2 of the index operation for blocks of one unit, and the paper's bound."""
    place, sent, subphases = 1, 0, 0
    while place < n:
        blocks = [sum(j // place % r == digit for j in range(n)) for digit in range(1, r)]
        sent += sum(max(blocks[i:i + k]) for i in range(0, r - 1, k))
        place, subphases = place * r, subphases + 1
    return sent, -(-(r - 1) // k) * -(-n // r) * subphases


def above_the_bound(most):
    """All (n, r, k), n ≤ most, 2 ≤ r ≤ n, k < r, and those whose C2 is above the bound."""
    every = [(n, r, k) for n in range(2, most + 1) for r in range(2, n + 1) for k in range(1, r)]
    return every, [case for case in every if volume(*case)[0] > volume(*case)[1]]


if __name__ == "__main__":
    print("phases as printed, 0 … 7:", columnsort([[0, 1, 2, 3], [4, 5, 6, 7]], True, True))
    for shape in ((4, 2), (9, 3), (16, 4), (20, 4)):
        print(shape, "untransposition:", missorted(*shape), "diagonals:",
              missorted(*shape, diagonal=True))
    for sides in (2, 4, 8):
        print("k =", sides, "stripes:", stripes(sides))
    every, above = above_the_bound(16)
    print(f"C2 above the bound: {len(above)} of {len(every)}, first {above[0]}:", volume(*above[0]),
          "ports:", sorted({k for _, _, k in above}))
