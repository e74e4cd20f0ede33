# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

__version__: str

_Array = np.ndarray[Any, np.dtype[Any]]
_Norm = Literal["backward", "forward", "ortho"] | None
_Semiring = Literal["plus_times", "min_plus", "max_plus", "max_min", "or_and"]
_Boundary = Literal["fixed", "periodic", "reflecting"]
_Memory = str  # 'interleave', 'bind:1/4k', 'hbm'
_Kind = Literal["quick", "quicksort", "heap", "heapsort", "merge", "mergesort", "stable"]
_Order = str | Sequence[str]
_Wait = Literal["auto", "spin", "yield", "park"]

class environment_error(RuntimeError): ...
class run_error(RuntimeError): ...

class machine:
    def __init__(self, processors: int | None = None, place: str | None = None,
                 wait: _Wait | None = None, memory: _Memory | None = None, *,
                 pages: str | None = None) -> None: ...
    @property
    def processors(self) -> int: ...
    @property
    def wait(self) -> _Wait: ...
    @property
    def memory(self) -> str: ...
    @property
    def oversubscribed(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> machine: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None: ...

class costs:
    @property
    def v(self) -> int: ...
    @property
    def labels(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def supersteps(self) -> list[tuple[int, list[int]]]: ...
    def S(self, label: int) -> int: ...
    def F(self, label: int, processors: int) -> int: ...
    def H(self, processors: int, sigma: float = 0.0) -> float: ...
    def D(self, processors: int, g: Sequence[float], l: Sequence[float]) -> float: ...
    def wiseness(self, processors: int) -> float: ...
    def fullness(self, processors: int) -> float: ...

class _Estimate(TypedDict):
    value: float
    low: float
    high: float

class _Level(TypedDict):
    label: int
    object: str
    processors: int
    g: _Estimate
    l: _Estimate

def sort(a: npt.ArrayLike, axis: int | None = -1, kind: _Kind | None = None,
         order: _Order | None = None, *, stable: bool | None = None, descending: bool = False,
         out: Any = None, machine: machine | None = None, vps: int | None = None) -> _Array: ...
def stable_sort(a: npt.ArrayLike, axis: int | None = -1, *, order: _Order | None = None,
                descending: bool = False, out: Any = None, machine: machine | None = None,
                vps: int | None = None) -> _Array: ...
def argsort(a: npt.ArrayLike, axis: int | None = -1, kind: _Kind | None = None,
            order: _Order | None = None, *, stable: bool | None = None, descending: bool = False,
            out: Any = None, machine: machine | None = None, vps: int | None = None) -> _Array: ...
def partition(a: npt.ArrayLike, kth: int | Sequence[int], axis: int | None = -1,
              kind: Literal["introselect"] = "introselect", order: _Order | None = None, *,
              out: Any = None, machine: machine | None = None) -> _Array: ...
def argpartition(a: npt.ArrayLike, kth: int | Sequence[int], axis: int | None = -1,
                 kind: Literal["introselect"] = "introselect", order: _Order | None = None, *,
                 out: Any = None, machine: machine | None = None) -> _Array: ...
def unique(a: npt.ArrayLike, return_index: bool = False, return_inverse: bool = False,
           return_counts: bool = False, axis: int | None = None, *, equal_nan: bool = True,
           machine: machine | None = None) -> Any: ...
def cumsum(a: npt.ArrayLike, axis: int | None = None, dtype: npt.DTypeLike = None,
           out: Any = None, *, machine: machine | None = None) -> _Array: ...
def sum(a: npt.ArrayLike, axis: int | None = None, *, exact: bool = False, out: Any = None,
        machine: machine | None = None) -> Any: ...
def top_k(a: npt.ArrayLike, k: int, axis: int | None = -1, *, largest: bool = True,
          machine: machine | None = None) -> tuple[_Array, _Array]: ...

class _AlongOne(Protocol):
    def __call__(self, x: npt.ArrayLike, n: int | None = None, axis: int = -1,
                 norm: _Norm = "backward", overwrite_x: bool = False,
                 workers: int | None = None, *, out: Any = None, machine: machine | None = None,
                 vps: int | None = None) -> _Array: ...

class _AlongSeveral(Protocol):
    def __call__(self, x: npt.ArrayLike, s: Sequence[int] | None = None,
                 axes: Sequence[int] | None = ..., norm: _Norm = "backward",
                 overwrite_x: bool = False, workers: int | None = None, *, out: Any = None,
                 machine: machine | None = None, vps: int | None = None) -> _Array: ...

class _CosinesAlongOne(Protocol):
    def __call__(self, x: npt.ArrayLike, type: int = 2, n: int | None = None, axis: int = -1,
                 norm: _Norm = "backward", overwrite_x: bool = False, workers: int | None = None, *,
                 orthogonalize: bool | None = None, out: Any = None,
                 machine: machine | None = None, vps: int | None = None) -> _Array: ...

class _CosinesAlongSeveral(Protocol):
    def __call__(self, x: npt.ArrayLike, type: int = 2, s: Sequence[int] | None = None,
                 axes: Sequence[int] | None = None, norm: _Norm = "backward",
                 overwrite_x: bool = False, workers: int | None = None, *,
                 orthogonalize: bool | None = None, out: Any = None,
                 machine: machine | None = None, vps: int | None = None) -> _Array: ...

fft: _AlongOne
ifft: _AlongOne
rfft: _AlongOne
irfft: _AlongOne
hfft: _AlongOne
ihfft: _AlongOne
fft2: _AlongSeveral
ifft2: _AlongSeveral
rfft2: _AlongSeveral
irfft2: _AlongSeveral
hfft2: _AlongSeveral
ihfft2: _AlongSeveral
fftn: _AlongSeveral
ifftn: _AlongSeveral
rfftn: _AlongSeveral
irfftn: _AlongSeveral
hfftn: _AlongSeveral
ihfftn: _AlongSeveral
dct: _CosinesAlongOne
idct: _CosinesAlongOne
dst: _CosinesAlongOne
idst: _CosinesAlongOne
dctn: _CosinesAlongSeveral
idctn: _CosinesAlongSeveral
dstn: _CosinesAlongSeveral
idstn: _CosinesAlongSeveral

class backend:
    __ua_domain__: str
    @staticmethod
    def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any: ...
def install() -> None: ...
def set_num_threads(n: int | None) -> None: ...
def get_num_threads() -> int: ...
def num_threads(n: int | None) -> AbstractContextManager[None]: ...
def matmul(a: npt.ArrayLike, b: npt.ArrayLike, semiring: _Semiring = "plus_times", *,
           out: Any = None, machine: machine | None = None, vps: int | None = None) -> Any: ...
def matmul_argmin(a: npt.ArrayLike, b: npt.ArrayLike, *, out: Any = None,
                  machine: machine | None = None,
                  vps: int | None = None) -> tuple[_Array, _Array]: ...
def zero_of(semiring: _Semiring, dtype: npt.DTypeLike = float) -> Any: ...
def stencil(grid: npt.ArrayLike, steps: int,
            kernel: Literal["heat", "wave", "life"] | npt.ArrayLike = "heat",
            boundary: _Boundary | Sequence[_Boundary] = "fixed", *,
            progress: bool | Callable[[int, int], object] | None = None, out: Any = None,
            machine: machine | None = None, vps: int | None = None) -> _Array: ...
def evaluate(program: Callable[..., Any], *args: Any,
             progress: bool | Callable[[int, None], object] | None = None,
             **keywords: Any) -> costs: ...
def release_memory(machine: machine | None = None) -> None: ...
def topology(machine: machine | None = None) -> dict[str, Any]: ...
def probe(machine: machine | None = None, *, machines: int = 10, rounds: int = 40,
          seed: int = 1) -> list[_Level]: ...
