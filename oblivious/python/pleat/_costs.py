# SPDX-License-Identifier: Apache-2.0
from . import _core
from ._arguments import count, where
from ._stretches import told


def evaluate(program, *args, progress=None, **keywords):
    """What a call of pleat's functions costs on machines of any size: program(*args, **keywords).

    The call is made on a machine that counts its supersteps and messages, and must make one run. With
    vps=n for n numbers it is the program of the model, one number a virtual processor.

    >>> costs = pleat.evaluate(pleat.fft, np.ones(64), vps=64)
    >>> costs.v, costs.H(processors=4, sigma=0)
    (64, 12.0)

    progress: a function, called as progress(supersteps, None) a few times a second, with the number of
        supersteps so far; True for a line on stderr.
    Returns: costs, with S, F, H, D, wiseness and fullness for each power of two of processors; they
        can be pickled.
    Raises ValueError if the call makes no run, as with little data and no vps, or several: a
    batch of matrices makes one for each.
    """
    if not callable(program):
        raise TypeError(f"evaluate: a function of pleat's is called, not {type(program).__name__}")
    counting = _core.counting_machine()
    with told("evaluate", progress) as tell:
        counting._tell(tell and (lambda supersteps: tell(supersteps, None)))
        program(*args, machine=counting, **keywords)
    return _core.counted(counting)


def topology(machine=None):
    """The hardware, and where a machine's workers are in it, as `pleat topology --json` has it.

    >>> about = pleat.topology()
    >>> len(about["processors"]) <= about["machine"]["pus"]
    True
    """
    return _core.topology(where(machine, None, "topology")[0])


def release_memory(machine=None):
    """Frees what is kept for later calls: tables of transforms, and the memory of a machine.

    machine: the one whose memory is freed; else that of the process.
    """
    _core.release_memory(where(machine, None, "release_memory")[0])


def probe(machine=None, *, machines=10, rounds=40, seed=1):
    """Measures what a superstep costs: l + g * h seconds for h messages of 8 bytes.

    Returns a list of the levels of the machine, each a dict with `label`, `object` (the hardware
    that its processors share), `processors`, `g` and `l`; these have a `value` and, as `low` and
    `high`, its 95 % confidence interval. Takes a few seconds a level; nothing else should run.

    machine: whose options are probed; else those of the process's own.
    machines: made for it, in memory of their own; rounds: samples on each of them.
    """
    machine, _ = where(machine, None, "probe")
    numbers = [count(value, f"probe: {what}") for value, what in
               ((machines, "machines"), (rounds, "rounds"), (seed, "seed"))]
    if max(numbers[:2]) >= 2**32:
        raise ValueError("probe: so many machines or rounds do not end; take fewer")
    return _core.probe(machine, *numbers)
