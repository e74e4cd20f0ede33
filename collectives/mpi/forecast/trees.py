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


def algorithm(write):
    """Makes a function of (ranks, size, …) that returns the acts of one that writes them."""
    def acts_of(ranks, *arguments, **options):
        acts = Acts(ranks)
        write(acts, ranks, *arguments, **options)
        return acts.of
    return acts_of


def share(size, ranks, rank):
    return size // ranks + (1 if rank < size % ranks else 0)


def powers(limit):
    """The powers of two below a limit."""
    return [1 << k for k in range((limit - 1).bit_length())]


def down_the_tree(acts, ranks, size_of):
    """Each rank receives, then sends to its children; size_of(first, last) of those below."""
    for rank in range(ranks):
        below = [bit for bit in powers(ranks) if not rank & (2 * bit - 1)]
        bit = 2 * below[-1] if below else 1
        if rank:
            acts.receive(rank, rank - bit, size_of(rank, rank + bit))
        for bit in reversed(below):
            if rank + bit < ranks:
                acts.send(rank, rank + bit, size_of(rank + bit, rank + 2 * bit))


@algorithm
def binomial_bcast(acts, ranks, size):
    down_the_tree(acts, ranks, lambda first, last: size)


@algorithm
def binomial_reduce(acts, ranks, size):
    for rank in range(ranks):
        for bit in powers(ranks):
            if rank & bit:
                acts.send(rank, rank - bit, size)
                break
            if rank + bit < ranks:
                acts.receive(rank, rank + bit, size, combined=True)


def chain(most, reduces):
    """A chain of ranks, from the root or to it, in segments of at most so many bytes."""
    @algorithm
    def write(acts, ranks, size):
        before, after = (1, -1) if reduces else (-1, 1)
        for rank in range(ranks):
            for first in range(0, size, most):
                part = min(most, size - first)
                if 0 <= rank + before < ranks:
                    acts.receive(rank, rank + before, part, combined=reduces)
                if 0 <= rank + after < ranks:
                    acts.send(rank, rank + after, part)
    return write


def ring(acts, sizes, combined=False):
    """In turn t each rank passes on part rank − t, so that all have all, or their own combined."""
    ranks = len(sizes)
    for rank in range(ranks):
        for turn in range(ranks - 1):
            acts.exchange(rank, (rank + 1) % ranks, sizes[(rank - turn) % ranks],
                          (rank - 1) % ranks, sizes[(rank - turn - 1) % ranks], combined)


@algorithm
def scatter_ring_bcast(acts, ranks, size):
    sizes = [share(size, ranks, rank) for rank in range(ranks)]
    down_the_tree(acts, ranks, lambda first, last: sum(sizes[first:last]))
    ring(acts, sizes)


@algorithm
def ring_allgatherv(acts, ranks, sizes):
    ring(acts, sizes)


@algorithm
def bruck_allgatherv(acts, ranks, sizes):
    """In round k a rank sends the up to 2^k parts it has to the rank 2^k before it."""
    for rank in range(ranks):
        for bit in powers(ranks):
            some = min(bit, ranks - bit)
            sent = sum(sizes[(rank + i) % ranks] for i in range(some))
            received = sum(sizes[(rank + bit + i) % ranks] for i in range(some))
            acts.exchange(rank, (rank - bit) % ranks, sent, (rank + bit) % ranks, received)


@algorithm
def ring_allreduce(acts, ranks, size):
    sizes = [share(size, ranks, rank) for rank in range(ranks)]
    ring(acts, sizes, combined=True)
    ring(acts, sizes)


@algorithm
def doubling_allreduce(acts, ranks, size):
    """Ranks beyond a power of two give to a partner first and get the sum last."""
    power = 1 << (ranks.bit_length() - 1)
    for rank in range(ranks):
        if rank >= power:
            acts.send(rank, rank - power, size)
            acts.receive(rank, rank - power, size)
            continue
        if rank + power < ranks:
            acts.receive(rank, rank + power, size, combined=True)
        for bit in powers(power):
            acts.exchange(rank, rank ^ bit, size, rank ^ bit, size, combined=True)
        if rank + power < ranks:
            acts.send(rank, rank + power, size)


def straight(acts, sizes):
    """Each rank sends sizes[from][to] to the others one by one."""
    ranks = len(sizes)
    for rank in range(ranks):
        for step in range(1, ranks):
            to, source = (rank + step) % ranks, (rank - step) % ranks
            acts.exchange(rank, to, sizes[rank][to], source, sizes[source][rank])


@algorithm
def straight_alltoall(acts, ranks, size):
    straight(acts, [[share(size, ranks, 0)] * ranks] * ranks)


@algorithm
def straight_alltoallv(acts, ranks, size):
    """Every second pair of ranks has nothing, as in tune/tuned_calls.cpp."""
    each = share(size, ranks, 0)
    straight(acts, [[0 if (r + d) % 2 else 2 * each for d in range(ranks)] for r in range(ranks)])


@algorithm
def bruck_alltoall(acts, ranks, size):
    """In round k a rank sends the blocks whose distance has bit k."""
    for rank in range(ranks):
        for bit in powers(ranks):
            some = sum(1 for j in range(ranks) if j & bit) * share(size, ranks, 0)
            acts.exchange(rank, (rank + bit) % ranks, some, (rank - bit) % ranks, some)


@algorithm
def doubling_scan(acts, ranks, size, exclusive=False):
    """In round k a rank sends its sum of 2^k ranks to the rank 2^k after it; the exclusive scan
    has a second sum, without its own."""
    for rank in range(ranks):
        for bit in powers(ranks):
            acts.exchange(rank, rank + bit, size if rank + bit < ranks else 0, rank - bit,
                          size if rank >= bit else 0, combined=True)
            if exclusive and bit > 1 and rank >= bit:
                acts.of[rank].append(("combine", size))


def doubling_exscan(ranks, size):
    return doubling_scan(ranks, size, exclusive=True)


def with_the_root(gathers):
    """Each rank sends to the root, or the root to each."""
    @algorithm
    def write(acts, ranks, sizes):
        for rank in range(1, ranks):
            source, to = (rank, 0) if gathers else (0, rank)
            if sizes[rank]:
                acts.send(source, to, sizes[rank])
                acts.receive(to, source, sizes[rank])
    return write


SEGMENTS = (8 << 10, 32 << 10, 128 << 10)
RIVALS = {
    "bcast": {"binomial tree": binomial_bcast, "scatter and ring": scatter_ring_bcast,
              **{f"chain, {s >> 10} KiB": chain(s, reduces=False) for s in SEGMENTS}},
    "reduce": {"binomial tree": binomial_reduce,
               **{f"chain, {s >> 10} KiB": chain(s, reduces=True) for s in SEGMENTS}},
    "allreduce": {"recursive doubling": doubling_allreduce, "ring": ring_allreduce},
    "allgatherv": {"ring": ring_allgatherv, "Bruck": bruck_allgatherv},
    "scan": {"recursive doubling": doubling_scan},
    "exscan": {"recursive doubling": doubling_exscan},
    "alltoall": {"each to each": straight_alltoall, "Bruck": bruck_alltoall},
    "alltoallv": {"each to each": straight_alltoallv},
    "gatherv": {"each to the root": with_the_root(gathers=True)},
    "scatterv": {"the root to each": with_the_root(gathers=False)},
}
