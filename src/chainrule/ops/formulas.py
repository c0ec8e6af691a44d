"""Kernels of eager mode from what an op says of itself: one formula, written once.

A lowering says what one element is, a rule what its gradient is. Run on the scalar expressions of
`ir` both become a `Formula`; the compiler makes machine code of it under its name, and where there
is none (no LLVM, half precision, memory with gaps) the same expressions run in NumPy.

    SILU = Formula("silu", "forward")
    done = fast.silu(x)
    return SILU.by_numpy(x) if done is None else done
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..ir import Expr, Pointwise, common, operations
from .kernels import fast
from .later import Later
from .layout import memory_order
from .schema import TABLE, Op, rule_names
from .worlds import World

interrupts = Later(".interrupts", __package__)

MANY = 1 << 10  # elements for which a copy in another order is soon worth its time
BLOCK = 1 << 15  # elements of a block whose temporaries fit the cache

FORMULAS: dict[str, Any] = {}  # by the names of their kernels, also those of `row_formulas`


def _in_scalars(op: Op) -> Callable[..., Any]:
    def call(*operands: Any, **params: Any) -> Any:
        if not isinstance(op.lower, Pointwise):
            raise TypeError(f"{op.name} is no function of single elements")
        return op.lower.of(operands, params)

    return call


SCALARS = World("scalars", _in_scalars)  # rules compute with one element of each array


class Formula:
    """An op's values, or its gradient by one input, as an expression of elements and numbers.

    `fixed` are parameters that choose the formula; a `body` is one that is not the lowering.
    `numbers` are inputs for which it takes numbers, not arrays. `single`: of doubles NumPy is as
    fast. `quick` says whether machine code is made even for a single call.
    """

    def __init__(
        self,
        op: str,
        part: str,
        by: str = "x",
        body: Callable[..., Any] | None = None,
        numbers: tuple[str, ...] = (),
        single: bool = False,
        quick: bool = True,
        **fixed: Any,
    ) -> None:
        self.op, self.part, self.by, self.fixed = op, part, by, fixed
        self.body, self.numbers, self.single, self.quick = body, numbers, single, quick
        chosen = [str(value) for value in fixed.values() if value != "none"]
        stem = "_".join([*chosen, op])
        self.name = stem if part == "forward" else f"{stem}_gradient"
        FORMULAS[self.name] = self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What it needs: the arrays it reads, then the numbers."""
        op = TABLE[self.op]
        asked = op.inputs if self.part == "forward" else ("g", *self._asked())
        wanted = op.params if self.part == "forward" else self._asked()
        return (
            *self._arrays(asked),
            *self.numbers,
            *(n for n in wanted if n in op.params and n not in self.fixed),
        )

    def _asked(self) -> tuple[str, ...]:
        return tuple(name for name in rule_names(self._rule()) if name != "g")

    def _arrays(self, asked: tuple[str, ...]) -> tuple[str, ...]:
        numbers = (*TABLE[self.op].params, *self.numbers)
        return tuple(name for name in asked if name not in numbers)

    def _rule(self) -> Any:
        op = TABLE[self.op]
        return op.vjps.get(self.by) or op.partials[self.by]

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The arrays it reads."""
        return self._arrays(self.names)

    @cached_property
    def result(self) -> Expr:
        """What one element of the result is."""
        op = TABLE[self.op]
        leaves = {n: Expr("arg" if n in self.arrays else "param", (), n) for n in self.names}
        known = {**leaves, **self.fixed}
        if self.part == "forward":
            params = {name: known[name] for name in op.params}
            lower = op.lower if self.body is None else Pointwise(self.body)
            return common(lower.of([known[name] for name in op.inputs], params))
        rule = self._rule()
        value = SCALARS.bind(rule)(*(known[name] for name in rule_names(rule)))
        return common(value if self.by in op.vjps else known["g"] * value)

    # ---- on arrays -----------------------------------------------------------------------------

    def by_numpy(self, *arguments: Any) -> np.ndarray:
        """The result for arrays of one shape and numbers, in the order of `names`, where the kernel
        has declined: for another layout or type, or because there is none.

        NumPy goes block by block, and half precision is rounded once.
        """
        count = len(self.arrays)
        arrays, numbers = arguments[:count], arguments[count:]
        dtype = arrays[-1].dtype
        if dtype.itemsize == 2:
            wide = [a.astype(np.float32) for a in arrays]
            return self.by_numpy(*wide, *numbers).astype(dtype)
        if arrays[0].size >= MANY and not all(a.flags.c_contiguous for a in arrays):
            done = self._in_memory_order(arrays, numbers)
            if done is not None:
                return done
        with np.errstate(all="ignore"):
            if arrays[0].size <= BLOCK:
                return np.asarray(self._numpy_form(*arguments)).astype(dtype, copy=False)
            result = np.empty(arrays[0].shape, dtype)
            flat = [a.reshape(-1) for a in (result, *arrays)]
            for k in range(0, result.size, BLOCK):
                into, *blocks = [a[k : k + BLOCK] for a in flat]
                into[...] = self._numpy_form(*blocks, *numbers)
        return result

    def _in_memory_order(self, arrays: tuple[Any, ...], numbers: tuple[Any, ...]) -> Any:
        """The kernel's result for arrays without gaps, whose dimensions lie in another order."""
        order = memory_order(arrays[0])
        lying = [np.ascontiguousarray(a.transpose(order)) for a in arrays]
        done = getattr(fast, self.name)(*lying, *numbers)
        return None if done is None else done.transpose(np.argsort(order))

    @cached_property
    def _numpy_form(self) -> Callable[..., Any]:
        place: dict[int, str] = {}
        lines = [f"def form({', '.join(self.names)}):"]
        for k, e in enumerate(operations(self.result)):
            operands = [_operand(a, place) for a in e.args]
            place[id(e)] = f"t{k}"
            lines.append(f"    t{k} = {_in_numpy(e.op, operands)}")
        lines.append(f"    return {_operand(self.result, place)}")
        space: dict[str, Any] = {"np": np, "upper_tail": upper_tail}
        exec(compile("\n".join(lines), f"<chainrule {self.name}>", "exec"), space)
        return space["form"]


def _operand(e: Expr, place: dict[int, str]) -> str:
    if e.op == "const":
        return f'float("{e.value}")' if e.value in (float("inf"), float("-inf")) else repr(e.value)
    return place[id(e)] if e.args else e.value


_NUMPY = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
    "and": "{} & {}", "or": "{} | {}", "not": "~{}", "lt": "{} < {}", "le": "{} <= {}",
    "gt": "{} > {}", "ge": "{} >= {}", "eq": "{} == {}", "ne": "{} != {}", "abs": "np.abs({})",
    "select": "np.where({}, {}, {})", "relu": "np.maximum({}, 0)", "square": "{0} * {0}",
    "sigmoid": "np.reciprocal(1 + np.exp(-{}))", "upper_tail": "upper_tail({}, {})",
    "sign": "np.nan_to_num(np.sign({}))", "rsqrt": "np.reciprocal(np.sqrt({}))",
}  # fmt: skip


def _in_numpy(function: str, operands: list[str]) -> str:
    pattern = _NUMPY.get(function)
    if pattern is None:
        return f"np.{function}({', '.join(operands)})"
    return pattern.format(*(f"({o})" if re.match("-", o) else o for o in operands))


# exp(z * z) * erfc(z) / t as a polynomial in t = 1 / (1 + NORMAL_STEP * z), highest power first: a
# least squares fit on z in [0, 10] with a relative error below 2e-7, as float32 can hold. Machine
# code has it from here.
NORMAL_STEP = 0.44
NORMAL_TAIL = (
    0.0712253655109909, -0.27795595718167626, 0.29670118254141614, -0.02019324425886168,
    0.21581882389077225, 0.21731159158726746, 0.24887148499061046, 0.2482209346318423,
)  # fmt: skip


def upper_tail(x: Any, bell: Any) -> Any:
    """The probability of a standard normal value above |x|, given exp(-x * x / 2)."""
    if x.dtype != np.float32:
        interrupts.load("scipy.special")
        from scipy.special import ndtr  # pyright: ignore[reportMissingTypeStubs]

        return ndtr(-np.abs(x))
    t = np.reciprocal(np.abs(x) * (0.7071067811865476 * NORMAL_STEP) + 1)
    tail = t * NORMAL_TAIL[0]
    for c in NORMAL_TAIL[1:]:
        tail += c
        tail *= t
    return tail * bell * 0.5
