"""How public functions learn that autocast is on, without asking every time.

While autocast is on in some thread, the functions that say `autocast=` in the public table run a
detour: their code object is replaced by one that hands the call to a `Route`, and is put back when
the last thread has left. Users keep references to functions (`from torch.nn.functional import
linear`), so the function objects must stay; and a test in each of them would cost all those who do
not use autocast.

The column holds what PyTorch does on a CPU, function by function: what runs in the lower precision,
what runs in float32, and what promotes its inputs to the widest of them. Everything else takes
what it gets. Such a function runs with autocast off inside: its parts are its own business.
In-place and `out=` forms are other functions: they take what they get, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from ..autograd.late import Copies, bearers, code_with, copy_of
from ..autograd.state import STATE
from ..autograd.value import TensorBase
from ..ops.dtypes import bfloat16, float16, float32, float64
from ..tensor.api import API
from .settings import THREAD, Settings


class Route:
    """Runs one such function: cast what comes in, then the function itself."""

    def __init__(self, function: FunctionType, cast: Callable[..., Any]) -> None:
        self.function = function
        self.cast = cast
        self.own = function.__code__
        self.original = copy_of(function)
        self.detour = _detour_to(self)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        settings = STATE.autocast
        if settings is None or "cpu" not in settings.enabled:
            return self.original(*args, **kwargs)
        args, kwargs = self.cast(args, kwargs, settings)
        STATE.autocast = Settings()
        try:
            return self.original(*args, **kwargs)
        finally:
            STATE.autocast = settings


_DETOUR = """
def outside({cells}):
    def call(*args, **kwargs):
        route = ...  # the route takes the place of `...`
        return route(args, kwargs)
        {used}
    return call
"""


def _detour_to(route: Route) -> CodeType:
    code = code_with(len(route.function.__closure__ or ()), _DETOUR)
    constants = tuple(route if c is ... else c for c in code.co_consts)
    return code.replace(co_consts=constants, co_name=route.own.co_name)


# ---- casting -------------------------------------------------------------------------------------


def lower(args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> Any:
    """Everything floating (but float64) in the lower precision; weights are cast once."""
    target = settings.dtype("cpu")
    return _mapped(args, kwargs, lambda t: _cast_lower(t, target, settings.cache_enabled))


def single(args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> Any:
    """Everything floating (but float64) in float32."""
    return _mapped(args, kwargs, lambda t: t.to(float32) if _casts(t, float32) else t)


def widest(args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> Any:
    """Everything in float32 if anything is, else in the lower precision."""
    found = settings.dtype("cpu")
    for t in _tensors((args, *kwargs.values())):
        if t.dtype is float32:
            found = float32
        elif t.dtype in (float16, bfloat16) and t.dtype not in (found, settings.dtype("cpu")):
            if found is not float32:
                raise RuntimeError(
                    "Unexpected floating ScalarType in at::autocast::prioritize: a tensor of "
                    f"{t.dtype!r} under autocast to {settings.dtype('cpu')!r}.\n"
                    "  Fix: convert it to float32 or to autocast's type first."
                )
    return _mapped(args, kwargs, lambda t: t.to(found) if _casts(t, found) else t)


def contracted(args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> Any:
    """einsum: as a matrix product when two operands share an index that is summed over."""
    if isinstance(args[0], str):
        given, _, result = args[0].replace(" ", "").partition("->")
        terms = [set(term) for term in given.split(",")]
        kept = set(result) if "->" in args[0] else {x for x in given if given.count(x) == 1}
        shared = [x for term in terms for x in term if sum(x in other for other in terms) > 1]
        if not any(x not in kept for x in shared):
            return args, kwargs
    return lower(args, kwargs, settings)


def mirrored(args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> Any:
    """pad: float32 for the modes whose gradients add up."""
    mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
    return single(args, kwargs, settings) if mode in ("reflect", "replicate") else (args, kwargs)


CASTS: dict[str, Callable[..., Any]] = {
    "lower": lower,
    "float32": single,
    "widest": widest,
    "contracted": contracted,
    "mirrored": mirrored,
}


def _casts(t: Any, target: Any) -> bool:
    have = t.dtype
    return have is not target and have.is_floating_point and have is not float64


def _cast_lower(t: Any, target: Any, keep: bool) -> Any:
    if not _casts(t, target):
        return t
    is_weight = t._rg and t._node is None and t._view is None and t._level is None
    if not keep or not is_weight or not STATE.grad_enabled or t.dtype is not float32:
        return t.to(target)
    # Kept with the weight itself, so that its number cannot come to stand for another tensor.
    found = THREAD.casts.get((id(t), target))
    if found is None or found[1] != t._v[0]:
        found = THREAD.casts[id(t), target] = (t.to(target), t._v[0], t)
    return found[0]


def _tensors(value: Any) -> Any:
    if isinstance(value, TensorBase):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)


def _mapped(args: tuple[Any, ...], kwargs: dict[str, Any], change: Callable[[Any], Any]) -> Any:
    def over(value: Any) -> Any:
        if isinstance(value, TensorBase):
            return change(value)
        if value.__class__ in (list, tuple):
            return value.__class__(over(v) for v in value)
        return value

    return tuple(over(a) for a in args), {k: over(v) for k, v in kwargs.items()}


# ---- putting the detours in place ----------------------------------------------------------------


class _Detours:
    """All routes, and in how many threads autocast is on."""

    routes: list[Route] | None = None
    # What runs their functions' code, as long as no more copies were made than so many.
    bearers: list[tuple[Route, FunctionType]]
    copies = -1
    users = 0
    lock = threading.Lock()


def all_routes() -> list[Route]:
    """A route for every function that says how it casts."""
    return [
        Route(record.function, CASTS[record.autocast])  # type: ignore[arg-type]
        for record in API.values()
        if record.autocast
    ]


def count_users(change: int) -> None:
    """One more thread, or one less, in which autocast is on."""
    with _Detours.lock:
        before = _Detours.users
        _Detours.users += change
        if _Detours.routes is None:
            _Detours.routes = all_routes()
        if (before > 0) is not (_Detours.users > 0):
            if _Detours.copies != Copies.made:
                _Detours.copies = Copies.made
                _Detours.bearers = [(r, f) for r in _Detours.routes for f in bearers(r.function)]
            for route, function in _Detours.bearers:
                function.__code__ = route.detour if _Detours.users else route.own
