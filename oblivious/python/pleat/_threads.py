# SPDX-License-Identifier: Apache-2.0
"""How many cores the calls use that name no machine."""
import contextlib
import contextvars
import functools
import operator
import os
import threading

from . import _core

ALL = object()  # in place of a machine: the one that the process shares, whatever was set
_of_process = None  # what set_num_threads says
_of_block = contextvars.ContextVar("pleat.num_threads", default=None)
_of_thread = threading.local()  # .machine: of one core
_machines, _making = {}, threading.Lock()  # of more, by their number


@functools.lru_cache(maxsize=None)
def _most(process):
    """As many as the machine that the process shares has."""
    return len(_core.topology(None)["processors"])


def set_num_threads(n):
    """From now on calls that name no machine use n cores, in all threads; None: all there are.

    >>> pleat.set_num_threads(1)
    >>> pleat.get_num_threads()
    1
    >>> pleat.set_num_threads(None)

    Calls on one core do not take turns: threads that make them work side by side.
    """
    global _of_process
    _of_process = _checked(n)


def get_num_threads():
    """How many cores a call of this thread uses that names no machine."""
    return _asked() or _most(os.getpid())


@contextlib.contextmanager
def num_threads(n):
    """Calls of this thread in a `with` block use n cores; None: as many as without the block.

    >>> with pleat.num_threads(1):
    ...     pleat.sort([3, 1, 2])
    array([1, 2, 3])
    """
    token = _of_block.set(_checked(n) or _of_block.get())
    try:
        yield
    finally:
        _of_block.reset(token)


def _checked(n):
    if n is None:
        return None
    n = whole(n, "a number of threads")
    if not 1 <= n <= _most(os.getpid()):
        raise ValueError(f"{n} threads; this process may use 1 to {_most(os.getpid())} cores "
                         "(pleat.machine makes machines of any number)")
    return n


def whole(value, what):
    """A whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}") from None


def _asked():
    return _of_block.get() or _of_process


def current():
    """The machine of calls that name none; None for the one that the process shares."""
    return _of(_asked())


def machine_of(machine, workers, name):
    """The machine of a call with SciPy's `workers`: of more than there are cores it has all."""
    if workers is None:
        return machine
    if machine is not None:
        raise ValueError(f"{name}: workers= and machine= both say who works; give one of them")
    workers, cores = whole(workers, f"{name}: workers"), os.cpu_count() or 1
    if workers == 0:
        raise ValueError(f"{name}: workers must not be zero")
    if workers < -cores:
        raise ValueError(f"{name}: workers value out of range; got {workers}, must not be less than "
                         f"{-cores}")
    workers += (cores + 1) * (workers < 0)
    return _of(min(workers, _most(os.getpid()))) or ALL


def _of(n):
    if n is None or n == _most(os.getpid()):
        return None
    if n == 1:
        if not hasattr(_of_thread, "machine"):
            _of_thread.machine = _core.machine(1, "unpinned")
        return _of_thread.machine
    with _making:
        if n not in _machines:
            _machines[n] = _core.machine(n)
        return _machines[n]
