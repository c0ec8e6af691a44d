"""Converters that users register, written as PyTorch's: `g.op("Name", x, alpha_f=1.0)`."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module
from .graph import Graph

_registered: dict[tuple[str, int], Any] = {}
_KINDS = {"i": int, "f": float, "s": str}


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Any, opset_version: int) -> None:
    """Say how an operator is written: `symbolic_fn(g, *args)` returns the value of `g.op(...)`."""
    if "::" not in symbolic_name:
        raise ValueError(
            f"Failed to register operator {symbolic_name}. The symbolic name must match the "
            "format domain::name, e.g. 'aten::cumprod'."
        )
    _registered[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forget what was registered."""
    _registered.pop((symbolic_name, opset_version), None)


def custom_converters() -> dict[str, Any]:
    """What users registered, by the names of functions."""
    return {
        name.rpartition("::")[2]: _converter(function)
        for (name, _), function in _registered.items()
    }


def _converter(function: Any) -> Any:
    def convert(g: Graph, *args: Any, **kwargs: Any) -> Any:
        wrapped = SymbolicGraph(g)
        given = [g.of(a) if isinstance(a, torch.Tensor) else a for a in args]
        return function(wrapped, *given, **kwargs)

    return convert


class SymbolicGraph:
    """The graph as symbolic functions see it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def op(self, name: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """A node; attributes end in their kind: `axis_i`, `alpha_f`, `mode_s`."""
        plain = name.rpartition("::")[2]
        if plain == "Constant":
            return self._graph.of(attributes["value_t"])
        given = [i if isinstance(i, str) else self._graph.of(i) for i in inputs]
        return self._graph.add(plain, *given, count=outputs, **_attributes(attributes))


def _attributes(given: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in given.items():
        name, _, kind = key.rpartition("_")
        if not name or kind not in _KINDS:
            raise TypeError(f"attribute {key}: its name must end in _i, _f or _s")
        make = _KINDS[kind]
        found[name] = [make(v) for v in value] if isinstance(value, list | tuple) else make(value)
    return found


explain_module(globals())
