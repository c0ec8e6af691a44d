"""Programs as NumPy code: block by block, so that a block's arrays stay in the cache.

The code is generated: one ufunc call per operation, each writing into a reused block or, where its
old value is no longer needed, straight into the parameter or state it computes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir import Expr
from .program import Program

BLOCK = 16_384  # elements: ten float32 blocks are half of a usual L2 cache
_UFUNC = {
    "neg": "negative", "sqrt": "sqrt", "abs": "absolute", "sign": "sign", "add": "add",
    "sub": "subtract", "mul": "multiply", "div": "divide", "maximum": "maximum",
    "minimum": "minimum", "gt": "greater", "lt": "less", "eq": "equal",
}  # fmt: skip
_COMPARISONS = ("gt", "lt", "eq")


class _Writer:
    """Writes the function's lines and gives each value a place to live."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.place = {id(program.values[name]): name for name in program.arrays}
        self.last_use: dict[int, int] = {}
        for i, symbol in enumerate(program.operations):
            for argument in symbol.args:
                self.last_use[id(argument)] = i
        end = len(program.operations)
        self.last_use.update({id(s): end for s in program.results.values()})
        self.free: list[str] = []
        self.blocks = 0
        self.masks = 0

    def operand(self, value: Expr) -> str:
        if value.op == "const":
            return repr(float(value.value))
        return value.value if value.op == "param" else self.place[id(value)]

    def write(self) -> str:
        for i, symbol in enumerate(self.program.operations):
            arguments = [self.operand(a) for a in symbol.args]
            self._release(symbol, i)
            self._line(symbol, arguments, self._target(symbol, i))
        for name, symbol in self.program.results.items():
            if self.place[id(symbol)] != name:
                self.lines.append(f"copyto({name}, {self.place[id(symbol)]})")
        blocks = [f"t{k}" for k in range(self.blocks)] + [f"b{k}" for k in range(self.masks)]
        names = ", ".join([*self.program.arrays, *self.program.scalars, *blocks])
        body = "\n    ".join(self.lines) or "pass"
        return f"def update({names}):\n    {body}\n"

    def _release(self, symbol: Expr, i: int) -> None:
        for argument in symbol.args:
            spot = self.place.get(id(argument), "")
            if spot[:1] == "t" and spot[1:].isdigit() and self.last_use[id(argument)] == i:
                if spot not in self.free:
                    self.free.append(spot)

    def _target(self, symbol: Expr, i: int) -> str:
        if symbol.op in _COMPARISONS:
            self.masks += 1
            spot = f"b{self.masks - 1}"
        else:
            spot = self._own_array(symbol, i) or self._block()
        self.place[id(symbol)] = spot
        return spot

    def _own_array(self, symbol: Expr, i: int) -> str | None:
        """The array that is to hold this result, if its old value is used no more."""
        for name, result in self.program.results.items():
            if result is symbol:
                taken = name in self.place.values() and any(
                    spot == name and key != id(self.program.values[name])
                    for key, spot in self.place.items()
                )
                if not taken and self.last_use.get(id(self.program.values[name]), -1) <= i:
                    return name
        return None

    def _block(self) -> str:
        if self.free:
            return self.free.pop()
        self.blocks += 1
        return f"t{self.blocks - 1}"

    def _line(self, symbol: Expr, arguments: list[str], target: str) -> None:
        if symbol.op == "select":
            condition, yes, no = arguments
            self.lines.append(f"copyto({target}, where({condition}, {yes}, {no}))")
        else:
            self.lines.append(f"{_UFUNC[symbol.op]}({', '.join(arguments)}, out={target})")


class ArrayForm:
    """A program as a function of flat arrays of one float type."""

    def __init__(self, program: Program) -> None:
        writer = _Writer(program)
        self.text = writer.write()
        space: dict[str, Any] = {name: getattr(np, name) for name in _UFUNC.values()}
        space |= {"copyto": np.copyto, "where": np.where}
        exec(compile(self.text, f"<chainrule {program.name}>", "exec"), space)
        self._update: Callable[..., None] = space["update"]
        self._blocks, self._masks = writer.blocks, writer.masks

    def __call__(self, arrays: list[np.ndarray], scalars: tuple[float, ...]) -> None:
        """Update the arrays (flat, equally long, contiguous) in place, except the gradient."""
        size = arrays[0].size
        scratch = _scratch(arrays[0].dtype, self._blocks, self._masks, min(size, BLOCK))
        if size <= BLOCK:
            self._update(*arrays, *scalars, *scratch)
            return
        for start in range(0, size, BLOCK):
            parts = [a[start : start + BLOCK] for a in arrays]
            if parts[0].size < BLOCK:
                scratch = [block[: parts[0].size] for block in scratch]
            self._update(*parts, *scalars, *scratch)


_memory = threading.local()


def _scratch(dtype: np.dtype, blocks: int, masks: int, size: int) -> list[np.ndarray]:
    """Blocks of this thread that no other call is using."""
    kept = _memory.__dict__.setdefault(dtype.name, [])
    while len(kept) < blocks:
        kept.append(np.empty(BLOCK, dtype))
    marks = _memory.__dict__.setdefault("masks", [])
    while len(marks) < masks:
        marks.append(np.empty(BLOCK, np.bool_))
    return [b[:size] for b in kept[:blocks]] + [m[:size] for m in marks[:masks]]
