# SPDX-License-Identifier: Apache-2.0
"""The LogGP machine (Alexandrov, Ionescu, Schauser, Scheiman 1995, doi:10.1145/215399.215427):
when each rank has carried out its list of acts. One act of a rank is one of

    ("send", id, to, bytes)   ("recv", id, source, bytes)   ("wait", id)   ("combine", bytes)

in its order; a receive is begun where it stands and ends at its wait. Messages between two ranks
arrive in the order they were sent. A rank sends one message at a time and receives one at a time."""
import collections
import dataclasses


@dataclasses.dataclass(frozen=True)
class Machine:
    """Seconds: latency, processor's overhead of a message, gap between messages, gap for each byte,
    combining a byte."""
    L: float = 1.2e-6
    o: float = 0.4e-6
    g: float = 0.4e-6
    G: float = 1e-10
    combining: float = 1e-10

    def __str__(self):
        return (f"L = {self.L * 1e6:g} µs, o = {self.o * 1e6:g} µs, g = {self.g * 1e6:g} µs, "
                f"G = {self.G * 1e9:g} ns a byte, combining {self.combining * 1e9:g} ns a byte")


def finished(acts, machine):
    """Seconds until the last rank is done. acts[r] are those of rank r."""
    ranks = len(acts)
    now = [0.0] * ranks
    place = [0] * ranks
    sending = [0.0] * ranks    # when the rank can send again
    receiving = [0.0] * ranks  # and receive
    arrivals = collections.defaultdict(collections.deque)  # (from, to): when the last byte can be there
    begun = [{} for _ in range(ranks)]    # id: what a wait is for
    posted = collections.defaultdict(collections.deque)    # (from, to): ids of receives
    ready = collections.deque(range(ranks))
    waiting = {}  # (from, to): the rank that waits for it
    while ready:
        rank = ready.popleft()
        while place[rank] < len(acts[rank]):
            act = acts[rank][place[rank]]
            if act[0] == "send":
                _, name, to, size = act
                start = max(now[rank], sending[rank])
                now[rank] = start + machine.o
                left = start + machine.o + max(size - 1, 0) * machine.G
                sending[rank] = max(start + machine.g, left)
                begun[rank][name] = ("sent", left)
                arrivals[rank, to].append((left + machine.L, size))
                if waiting.pop((rank, to), None) is not None:
                    ready.append(to)
            elif act[0] == "recv":
                _, name, source, _ = act
                posted[source, rank].append(name)
                begun[rank][name] = ("coming", source)
            elif act[0] == "combine":
                now[rank] += act[1] * machine.combining
            else:
                kind, what = begun[rank][act[1]]
                if kind == "sent":
                    now[rank] = max(now[rank], what)
                else:
                    # Posted receives of a pair are waited for in their order.
                    assert posted[what, rank][0] == act[1], "waits out of order"
                    if not arrivals[what, rank]:
                        waiting[what, rank] = rank
                        break
                    posted[what, rank].popleft()
                    arrival, size = arrivals[what, rank].popleft()
                    done = max(arrival, receiving[rank] + size * machine.G)
                    receiving[rank] = done
                    now[rank] = max(now[rank], done) + machine.o
            place[rank] += 1
    stuck = [rank for rank in range(ranks) if place[rank] < len(acts[rank])]
    if stuck:
        raise ValueError(f"ranks {stuck} wait for messages that nobody sends")
    return max(now)


def rounds_and_bytes(acts):
    """The most messages and the most bytes that a rank sends."""
    sent = [[act[3] for act in of_rank if act[0] == "send"] for of_rank in acts]
    return max(map(len, sent)), max(map(sum, sent))
