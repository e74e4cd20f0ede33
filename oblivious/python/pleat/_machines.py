# SPDX-License-Identifier: Apache-2.0
"""What the extension's classes are called with, in Python: a call that makes no sense is refused in
one line, and not by a list of the extension's C++ types."""
import operator

from . import _core
from ._arguments import chosen, text, whole

PAGES = {"4k": None, "thp": None, "hugetlb": None}

_make = _core.machine.__init__


def _machine(self, processors=None, place=None, wait=None, memory=None, *, pages=None):
    memory = text(memory, "machine: memory", "interleave")
    if pages is not None:
        chosen(PAGES, pages, "machine: pages")
        if "/" in (memory or ""):
            raise ValueError(f"machine: memory {memory!r} says pages too; give them once")
        memory = f"{memory or ''}/{pages}"
    if processors is not None:
        processors = str(whole(processors, "machine: processors"))
    _make(self, processors, text(place, "machine: place", "compact"),
          text(wait, "machine: wait", "park"), memory)


_machine.__name__, _machine.__qualname__ = "__init__", "machine.__init__"
_core.machine.__init__ = _machine


def _method(name, of):
    """Replaces a method of _core.costs by one that hands it numbers of the types it takes."""
    inner = getattr(_core.costs, name)
    of.__name__, of.__qualname__, of.__doc__ = name, f"costs.{name}", inner.__doc__.split("\n\n")[-1]
    of.inner = inner
    setattr(_core.costs, name, of)


def _count(value, what):
    value = operator.index(value)
    if not 0 <= value < 2**64:
        raise ValueError(f"costs: {what} = {value} makes no sense")
    return value


def S(self, label):
    return S.inner(self, _label(label))


def F(self, label, processors):
    return F.inner(self, _label(label), _count(processors, "processors"))


def H(self, processors, sigma=0.0):
    return H.inner(self, _count(processors, "processors"), float(sigma))


def D(self, processors, g, l):
    return D.inner(self, _count(processors, "processors"), [float(x) for x in g],
                   [float(x) for x in l])


def wiseness(self, processors):
    return wiseness.inner(self, _count(processors, "processors"))


def fullness(self, processors):
    return fullness.inner(self, _count(processors, "processors"))


def _label(label):
    return min(_count(label, "label"), 2**32 - 1)


for one in (S, F, H, D, wiseness, fullness):
    _method(one.__name__, one)
