"""PyTorch's own operators, `torch.ops.aten.add.Tensor`, as calls of the public functions.

`aten_schemas.txt` holds their signatures, one per line, as recorded from PyTorch 2.13; the
functions are those of the public table, which have the same parameters. What PyTorch does in an
operator that has no public function is written in `_OWN`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module, resources
from typing import Any

from ..ops.overloads import OpOverload, OpOverloadPacket
from ..tensor import Tensor
from .schema import FunctionSchema

_PREFIXES = {"linalg_": "linalg", "fft_": "fft", "special_": "special"}


@functools.cache
def _lines() -> dict[str, dict[str, str]]:
    """The text of every signature, by name and overload."""
    found: dict[str, dict[str, str]] = {}
    text = (resources.files("chainrule.library") / "aten_schemas.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        name, _, overload = line[: line.index("(")].partition(".")
        found.setdefault(name, {})[overload or "default"] = line
    return found


@functools.cache
def _composites() -> frozenset[str]:
    text = resources.files("chainrule.library") / "aten_composites.txt"
    return frozenset(text.read_text(encoding="utf-8").split())


def is_composite(overload: OpOverload) -> bool:
    """Whether PyTorch puts an operator together of others, which handlers see in its place."""
    return overload.name().removeprefix("aten::") in _composites()


def overloads_of(name: str) -> list[str]:
    """The overloads of an operator."""
    return list(_lines().get(name, ()))


@functools.cache
def _schema(name: str, overload: str) -> FunctionSchema | None:
    line = _lines().get(name, {}).get(overload)
    return FunctionSchema(f"aten::{line}") if line else None


def schema_of(overload: OpOverload) -> FunctionSchema:
    """The signature of an operator."""
    found = _schema(overload.overloadpacket.__name__, overload._overloadname)
    if found is None:
        raise NotImplementedError(f"the signature of {overload} is not known to chainrule")
    return found


@functools.cache
def function_of(name: str) -> Callable[..., Any] | None:
    """What computes an operator: ours for it, a method or a public function."""
    if name in _OWN:
        return _OWN[name]
    kernels = import_module(".aten_backward", __package__).KERNELS
    if name in kernels:
        return kernels[name]
    package = import_module("chainrule")
    for prefix, space in _PREFIXES.items():
        if name.startswith(prefix):
            found = getattr(getattr(package, space), name.removeprefix(prefix), None)
            if found is not None:
                return found
    functional = import_module(f"{package.__name__}.nn.functional")
    for home in (package, functional, Tensor):
        found = getattr(home, name, None)
        if callable(found) and not isinstance(found, type):
            return found
    return None


def _refused(name: Any) -> NotImplementedError:
    return NotImplementedError(
        f"{name} cannot be called: chainrule has no function for this operator of PyTorch's core.\n"
        "  Fix: call a public function of torch, or write it in these."
    )


def call_any(packet: OpOverloadPacket, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operator whose signature the arguments choose, as they do for the public function."""
    function = function_of(packet.__name__) if packet.namespace == "aten" else None
    if function is None:
        raise _refused(packet)
    if "self" in kwargs:
        args, kwargs = (kwargs["self"], *args), {k: v for k, v in kwargs.items() if k != "self"}
    return function(*args, **kwargs)


def call(overload: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operator with the arguments of its signature."""
    name = overload.overloadpacket.__name__
    function = function_of(name)
    schema = _schema(name, overload._overloadname)
    if function is None:
        raise _refused(overload)
    if schema is None:
        return call_any(overload.overloadpacket, args, kwargs)
    return _returned(schema, _called(schema, function, args, kwargs))


def _returned(schema: FunctionSchema, made: Any) -> Any:
    """Results in the containers of the core: several as a tuple, a list of tensors as a list."""
    if not isinstance(made, tuple | list):
        return made
    if len(schema.returns) == 1 and schema.returns[0].type == "Tensor[]":
        return list(made)
    return tuple(made) if len(schema.returns) > 1 else made


def _called(
    schema: FunctionSchema, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    values = schema.bind(args, kwargs)
    given = len(args)
    positional, named = [], {}
    last = max((k for k, a in enumerate(schema.arguments) if not a.kwarg_only and (
        k < given or a.name in kwargs)), default=-1)  # fmt: skip
    for k, a in enumerate(schema.arguments):
        if not a.kwarg_only and k <= last:
            positional.append(values[a.name])
        elif a.kwarg_only and a.name in kwargs:
            named[a.name] = values[a.name]
    return function(*positional, **named)


# ---- operators without a public function of their name -------------------------------------------


def _softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    return _package().softmax(x, dim)


def _log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    return _package().log_softmax(x, dim)


def _to_copy(x: Any, **options: Any) -> Any:
    known = {k: v for k, v in options.items() if k in ("dtype", "device") and v is not None}
    return x.to(copy=True, **known) if known else x.clone()


def _index(x: Any, indices: Any) -> Any:
    return x[tuple(slice(None) if i is None else i for i in indices)]


def _slice(x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    place = [slice(None)] * x.ndim
    place[dim] = slice(start, None if end is not None and end >= 2**62 else end, step)
    return x[tuple(place)]


def _max_pool2d_with_indices(x: Any, *args: Any, **kwargs: Any) -> Any:
    return _functional().max_pool2d(x, *args, **kwargs, return_indices=True)


def _embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:  # fmt: skip
    return _functional().embedding(
        indices, weight, None if padding_idx < 0 else padding_idx,
        scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
    )  # fmt: skip


def _nll_loss_forward(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    kind = ("none", "mean", "sum")[reduction]
    loss = _functional().nll_loss(x, target, weight, ignore_index=ignore_index, reduction=kind)
    kept = target != ignore_index
    total = kept.sum().to(x.dtype) if weight is None else weight[target[kept]].sum()
    return loss, total


def _nll_loss2d_forward(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    return _nll_loss_forward(x, target, weight, reduction, ignore_index)


def _sym_size(x: Any, dim: int | None = None) -> Any:
    return x.shape if dim is None else x.shape[dim]


def _package() -> Any:
    return import_module("chainrule")


def _functional() -> Any:
    return import_module(f"{_package().__name__}.nn.functional")


_OWN: dict[str, Callable[..., Any]] = {
    "_log_softmax": _log_softmax,
    "_softmax": _softmax,
    "_to_copy": _to_copy,
    "_unsafe_view": lambda x, size: x.reshape(size),
    "alias": lambda x: x.view_as(x),
    "copy": lambda x, source, non_blocking=False: x.clone().copy_(source),
    "embedding": _embedding,
    "expand": lambda x, size, **implicit: x.expand(size),
    "index": _index,
    "lift_fresh_copy": lambda x: x.clone(),
    "max_pool2d_with_indices": _max_pool2d_with_indices,
    "nll_loss_forward": _nll_loss_forward,
    "nll_loss2d_forward": _nll_loss2d_forward,
    "slice": _slice,
    "sym_numel": lambda x: x.numel(),
    "sym_size": _sym_size,
    "sym_stride": lambda x, dim=None: x.stride() if dim is None else x.stride(dim),
    "view": lambda x, size: x.view(size),
}
