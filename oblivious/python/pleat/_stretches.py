# SPDX-License-Identifier: Apache-2.0
"""Work of many steps, in stretches between which Python's interpreter looks for signals."""
import contextlib
import sys
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


@contextlib.contextmanager
def told(name, progress):
    """The function of `progress=`: called as tell(done, total); None if nobody asks for it."""
    if progress is True:
        begin = time.perf_counter()

        def bar(done, total):
            seconds = time.perf_counter() - begin
            bar = f"{done} supersteps" if total is None else (
                f"[{'#' * (24 * done // total):.<24}] {100 * done // total} %")
            print(f"\r{name}: {bar}, {seconds:.0f} s", end="", file=sys.stderr, flush=True)
            bar_shown.append(True)

        bar_shown = []
        try:
            yield bar
        finally:
            if bar_shown:
                print(file=sys.stderr)
    elif progress is None or progress is False or callable(progress):
        yield progress or None
    else:
        raise TypeError(f"{name}: progress= is a function of (done, total), or True for a bar, not "
                        f"{type(progress).__name__}")
