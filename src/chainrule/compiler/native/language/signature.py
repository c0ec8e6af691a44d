"""Declarations of native kernels: what each argument is, and how shapes tie them together.

    "T x[*rows, n], T? w[n], out T y[like x], wanted T gw[n], list T p[*size], f64 eps, i64 k"

- `T x[*rows, n]`: a C-contiguous array whose last dimension is n; rows is the product of the rest.
  A name that appears again must have the same value; a number stands for itself; `[]` is 0-dim.
- `T?`: None is allowed (the kernel asks `w is not None`).
- `out`: made by the call and returned; `like x` gives x's shape. Not an argument of the call.
  A number that is declared too may be a dimension.
- `wanted`: as `out`, but the call has an argument there that says whether it is wanted.
- `list`: a list of arrays; the kernel runs once for each position of the lists.
- Without brackets: a number (`f64`, `T`, `i64`, ...) or `bool`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .slots import NUMPY

_ITEM = re.compile(
    r"\s*(?:(?P<role>out|wanted|list)\s+)?(?P<type>\w+)(?P<optional>\?)?\s+(?P<name>\w+)"
    r"\s*(?P<array>\[(?P<dims>[^\]]*)\])?\s*(?:,|$)"
)


@dataclass(frozen=True)
class Parameter:
    """One parameter; dims is None for a number."""

    name: str
    type: str
    role: str  # "in", "out", "wanted", "list"
    optional: bool
    dims: tuple[str, ...] | None
    like: str | None

    @property
    def given(self) -> bool:
        """Whether the call has an argument for it."""
        return self.role != "out"

    @property
    def made(self) -> bool:
        """Whether the call returns it."""
        return self.role in ("out", "wanted")


class Signature:
    """The parameters, and the names of dimensions in the order of their first appearance."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self.parameters = parameters
        numbers = {p.name for p in parameters if p.dims is None}
        found: dict[str, None] = {}
        for parameter in parameters:
            for dim in parameter.dims or ():
                if not dim.isdigit() and dim.lstrip("*") not in numbers:
                    found[dim.lstrip("*")] = None
        self.dims = tuple(found)
        self.names = (*(p.name for p in parameters), *self.dims)
        self.per_item = any(p.role == "list" for p in parameters)
        self.generic = any(p.type == "T" for p in parameters)

    def interpret(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a kernel's Python form as its machine code would be called."""
        if self.per_item:
            count = max(len(a) for a in arguments if isinstance(a, list))
            for k in range(count):
                self._call(function, [a[k] if isinstance(a, list) else a for a in arguments])
            return True
        return self._call(function, list(arguments))

    def _call(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        given = iter(arguments)
        dims: dict[str, int] = {}
        values: dict[str, Any] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        generic = None
        for p in self.parameters:
            values[p.name] = next(given) if p.given else None
        numbers = {p.name: values[p.name] for p in self.parameters if p.dims is None}
        for p in self.parameters:
            value = values[p.name]
            if p.dims is not None and not p.made and value is not None:
                shapes[p.name] = value.shape
                _bind(dims, numbers, p, value.shape)
                if p.type == "T" and generic is None:
                    generic = value.dtype
        flat = {}
        for p in self.parameters:
            value = values[p.name]
            dtype = generic if p.type == "T" else NUMPY[p.type]
            if p.made:
                wanted = p.role == "out" or value
                sizes = (_size({**numbers, **dims}, d) for d in p.dims or ())
                shape = shapes[p.like] if p.like else tuple(sizes)
                values[p.name] = value = np.empty(shape, dtype) if wanted else None
            elif p.dims is None:
                value = dtype.type(value) if dtype is not None else value
            flat[p.name] = value.reshape(-1) if isinstance(value, np.ndarray) else value
        done = function(*flat.values(), *(dims[d] for d in self.dims))
        results = [values[p.name] for p in self.parameters if p.made]
        if done is False:
            return None
        return True if not results else results[0] if len(results) == 1 else tuple(results)


def _size(dims: dict[str, int], dim: str) -> int:
    return int(dim) if dim.isdigit() else dims[dim.lstrip("*")]


def _bind(
    dims: dict[str, int], numbers: dict[str, Any], parameter: Parameter, shape: tuple[int, ...]
) -> None:
    pattern = parameter.dims or ()
    if pattern and pattern[0].startswith("*"):
        keep = len(pattern) - 1
        shape = (math.prod(shape[: len(shape) - keep]), *shape[len(shape) - keep :])
    if len(shape) != len(pattern):
        raise TypeError(f"{parameter.name} has {len(shape)} dimensions, not {len(pattern)}")
    for dim, size in zip(pattern, shape, strict=True):
        name = dim.lstrip("*")
        table = numbers if name in numbers else dims
        known = int(dim) if dim.isdigit() else table.setdefault(name, size)
        if known != size:
            raise TypeError(f"{parameter.name}: {dim} is {size}, elsewhere {known}")


def parse(declaration: str) -> Signature:
    """The signature a declaration says."""
    parameters, at = [], 0
    text = " ".join(declaration.split())
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None:
            raise SyntaxError(f"cannot read the declaration from {text[at:]!r} on")
        parameters.append(_parameter(match))
        at = match.end()
    return Signature(tuple(parameters))


def _parameter(match: re.Match[str]) -> Parameter:
    dims: tuple[str, ...] | None = None
    like = None
    if match["array"] is not None:
        parts = match["dims"].split()
        if parts[:1] == ["like"]:
            like, dims = parts[1], ()
        else:
            dims = tuple(d.strip() for d in match["dims"].split(",") if d.strip())
    role = match["role"] or "in"
    return Parameter(match["name"], match["type"], role, bool(match["optional"]), dims, like)
