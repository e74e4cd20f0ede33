# SPDX-License-Identifier: Apache-2.0
"""Work of many steps, in stretches between which Python's interpreter looks for signals."""
import time

SECONDS = 0.2  # that a stretch is to last
UPDATES = 2**27  # of cells, in the first stretch: at most some tenths of a second
SMALL = 2**12  # cells, fewer of which take no less time
LEAST = 32  # steps: in fewer a cache cannot keep a part of a large grid for several of them
GROWTH = 4  # at most, from one stretch to the next: a measured time may be an exception


def stretches(steps, cells, vps, clock=time.perf_counter):
    """How many steps to do, again and again: those that measured by the last ones take SECONDS.

    With vps the time of a step is anybody's guess: it begins with one, and there is no least.
    """
    some = 1 if vps else max(UPDATES // max(cells, SMALL), LEAST)
    least = 1 if vps else LEAST
    while True:
        some = min(some, steps)
        begin = clock()
        yield some
        steps -= some
        if steps == 0:
            return
        fitting = int(some * SECONDS / max(clock() - begin, 1e-9))
        some = max(least, min(fitting, GROWTH * some))
