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


SEGMENTS = (8 << 10, 32 << 10, 128 << 10)
RIVALS = {
    "bcast": {"binomial tree": binomial_bcast, "scatter and ring": scatter_ring_bcast,
              **{f"chain, {s >> 10} KiB": chain_bcast(s) for s in SEGMENTS}},
    "reduce": {"binomial tree": binomial_reduce,
               **{f"chain, {s >> 10} KiB": chain_reduce(s) for s in SEGMENTS}},
    "allreduce": {"recursive doubling": doubling_allreduce, "ring": ring_allreduce},
    "allgatherv": {"ring": ring_allgatherv, "Bruck": bruck_allgatherv},
}
