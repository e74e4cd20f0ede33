# SPDX-License-Identifier: Apache-2.0
"""The algorithms that Open MPI 4.1 and MPICH 4.0 have for the same calls, as lists of acts
(loggp.py): Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in
MPICH, 2005, doi:10.1177/1094342005051521; Open MPI's coll/base. Root is rank 0."""


class Acts:
    """Writes the acts of all ranks. Calls appear in an order in which each rank could do them."""

    def __init__(self, ranks):
        self.of = [[] for _ in range(ranks)]
        self.names = 0

    def send(self, rank, to, size):
        self.names += 1
        self.of[rank].append(("send", self.names, to, size))
        return self.names

    def receive(self, rank, source, size, combined=False):
        self.names += 1
        self.of[rank] += [("recv", self.names, source, size), ("wait", self.names)]
        if combined:
            self.of[rank].append(("combine", size))

    def exchange(self, rank, to, sent, source, received, combined=False):
        if sent:
            self.send(rank, to, sent)
        if received:
            self.receive(rank, source, received, combined)


def share(size, ranks, rank):
    return size // ranks + (1 if rank < size % ranks else 0)


def segments(size, most):
    return [most] * (size // most) + ([size % most] if size % most else [])


def binomial_bcast(ranks, size):
    acts = Acts(ranks)
    for rank in range(ranks):
        bit = 1
        while bit < ranks and not rank & bit:
            bit *= 2
        if rank:
            acts.receive(rank, rank - bit, size)
        while bit > 1:
            bit //= 2
            if rank + bit < ranks:
                acts.send(rank, rank + bit, size)
    return acts.of


def binomial_reduce(ranks, size):
    acts = Acts(ranks)
    for rank in range(ranks):
        bit = 1
        while bit < ranks:
            if rank & bit:
                acts.send(rank, rank - bit, size)
                break
            if rank + bit < ranks:
                acts.receive(rank, rank + bit, size, combined=True)
            bit *= 2
    return acts.of


def chain_bcast(most):
    def acts_of(ranks, size):
        acts = Acts(ranks)
        for rank in range(ranks):
            for part in segments(size, most):
                if rank:
                    acts.receive(rank, rank - 1, part)
                if rank + 1 < ranks:
                    acts.send(rank, rank + 1, part)
        return acts.of
    return acts_of


def chain_reduce(most):
    def acts_of(ranks, size):
        acts = Acts(ranks)
        for rank in range(ranks):
            for part in segments(size, most):
                if rank + 1 < ranks:
                    acts.receive(rank, rank + 1, part, combined=True)
                if rank:
                    acts.send(rank, rank - 1, part)
        return acts.of
    return acts_of


def ring(acts, sizes, combined=False):
    """In turn t each rank passes on part rank − t, so that all have all, or their own combined."""
    ranks = len(sizes)
    for rank in range(ranks):
        for turn in range(ranks - 1):
            acts.exchange(rank, (rank + 1) % ranks, sizes[(rank - turn) % ranks],
                          (rank - 1) % ranks, sizes[(rank - turn - 1) % ranks], combined)


def scatter_ring_bcast(ranks, size):
    acts = Acts(ranks)
    sizes = [share(size, ranks, rank) for rank in range(ranks)]
    for rank in range(ranks):
        bit = 1
        while bit < ranks and not rank & bit:
            bit *= 2
        if rank:
            acts.receive(rank, rank - bit, sum(sizes[rank:rank + bit]))
        while bit > 1:
            bit //= 2
            if rank + bit < ranks:
                acts.send(rank, rank + bit, sum(sizes[rank + bit:rank + 2 * bit]))
    ring(acts, sizes)
    return acts.of


def ring_allgatherv(ranks, sizes):
    acts = Acts(ranks)
    ring(acts, sizes)
    return acts.of


def bruck_allgatherv(ranks, sizes):
    """In round k a rank sends the up to 2^k parts it has to the rank 2^k before it."""
    acts = Acts(ranks)
    for rank in range(ranks):
        bit = 1
        while bit < ranks:
            some = min(bit, ranks - bit)
            sent = sum(sizes[(rank + i) % ranks] for i in range(some))
            received = sum(sizes[(rank + bit + i) % ranks] for i in range(some))
            acts.exchange(rank, (rank - bit) % ranks, sent, (rank + bit) % ranks, received)
            bit *= 2
    return acts.of


def ring_allreduce(ranks, size):
    acts = Acts(ranks)
    sizes = [share(size, ranks, rank) for rank in range(ranks)]
    ring(acts, sizes, combined=True)
    ring(acts, sizes)
    return acts.of


def doubling_allreduce(ranks, size):
    """Ranks beyond a power of two give to a partner first and get the sum last."""
    acts = Acts(ranks)
    power = 1 << (ranks.bit_length() - 1)
    for rank in range(ranks):
        if rank >= power:
            acts.send(rank, rank - power, size)
            acts.receive(rank, rank - power, size)
            continue
        if rank + power < ranks:
            acts.receive(rank, rank + power, size, combined=True)
        bit = 1
        while bit < power:
            acts.exchange(rank, rank ^ bit, size, rank ^ bit, size, combined=True)
            bit *= 2
        if rank + power < ranks:
            acts.send(rank, rank + power, size)
    return acts.of


def straight(acts, sizes):
    """Each rank sends sizes[from][to] to the others one by one."""
    ranks = len(sizes)
    for rank in range(ranks):
        for step in range(1, ranks):
            to, source = (rank + step) % ranks, (rank - step) % ranks
            acts.exchange(rank, to, sizes[rank][to], source, sizes[source][rank])
    return acts.of


def straight_alltoall(ranks, size):
    return straight(Acts(ranks), [[share(size, ranks, 0)] * ranks] * ranks)


def straight_alltoallv(ranks, size):
    """Every second pair of ranks has nothing, as in tune/tuned_calls.cpp."""
    each = share(size, ranks, 0)
    return straight(Acts(ranks), [[0 if (r + d) % 2 else 2 * each for d in range(ranks)]
                                  for r in range(ranks)])


def bruck_alltoall(ranks, size):
    """In round k a rank sends the blocks whose distance has bit k."""
    acts = Acts(ranks)
    for rank in range(ranks):
        bit = 1
        while bit < ranks:
            some = sum(1 for j in range(ranks) if j & bit) * share(size, ranks, 0)
            acts.exchange(rank, (rank + bit) % ranks, some, (rank - bit) % ranks, some)
            bit *= 2
    return acts.of


def doubling_scan(ranks, size, exclusive=False):
    """In round k a rank sends its sum of 2^k ranks to the rank 2^k after it; the exclusive scan
    has a second sum, without its own."""
    acts = Acts(ranks)
    for rank in range(ranks):
        bit = 1
        while bit < ranks:
            acts.exchange(rank, rank + bit, size if rank + bit < ranks else 0, rank - bit,
                          size if rank >= bit else 0, combined=True)
            if exclusive and bit > 1 and rank >= bit:
                acts.of[rank].append(("combine", size))
            bit *= 2
    return acts.of


def doubling_exscan(ranks, size):
    return doubling_scan(ranks, size, exclusive=True)


def straight_gatherv(ranks, sizes):
    acts = Acts(ranks)
    for rank in range(1, ranks):
        if sizes[rank]:
            acts.send(rank, 0, sizes[rank])
            acts.receive(0, rank, sizes[rank])
    return acts.of


def straight_scatterv(ranks, sizes):
    acts = Acts(ranks)
    for rank in range(1, ranks):
        if sizes[rank]:
            acts.send(0, rank, sizes[rank])
            acts.receive(rank, 0, sizes[rank])
    return acts.of


SEGMENTS = (8 << 10, 32 << 10, 128 << 10)
RIVALS = {
    "bcast": {"binomial tree": binomial_bcast, "scatter and ring": scatter_ring_bcast,
              **{f"chain, {s >> 10} KiB": chain_bcast(s) for s in SEGMENTS}},
    "reduce": {"binomial tree": binomial_reduce,
               **{f"chain, {s >> 10} KiB": chain_reduce(s) for s in SEGMENTS}},
    "allreduce": {"recursive doubling": doubling_allreduce, "ring": ring_allreduce},
    "allgatherv": {"ring": ring_allgatherv, "Bruck": bruck_allgatherv},
    "scan": {"recursive doubling": doubling_scan},
    "exscan": {"recursive doubling": doubling_exscan},
    "alltoall": {"each to each": straight_alltoall, "Bruck": bruck_alltoall},
    "alltoallv": {"each to each": straight_alltoallv},
    "gatherv": {"each to the root": straight_gatherv},
    "scatterv": {"the root to each": straight_scatterv},
}
