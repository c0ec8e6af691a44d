"""Einstein summation as sums, permutes, products and at most one matrix product a step.

An equation is planned once per set of shapes; the plan is a short list of steps on tensors.
Labels are single letters; the dimensions an ellipsis stands for are labelled ".0", ".1", ...
counted from the right, so that they align as in broadcasting.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from .common import P, TensorBase

if TYPE_CHECKING:
    from ..annotations import Tensor

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

Labels = tuple[str, ...]
Step = tuple[str, Any, dict[str, Any]]  # op, operand number(s), static parameters


@public(method=False, out=False, autocast="contracted")
def einsum(*args: Any) -> Tensor:
    """Sum products of elements as an equation says.

    >>> import chainrule as torch
    >>> torch.einsum("ij,j->i", torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    equation, operands = _arguments(args)
    if not operands:
        raise refusal.runtime("einsum(): must provide at least one operand")
    steps = plan(equation, tuple(tuple(x.shape) for x in operands))
    values = list(operands)
    for name, which, params in steps:
        if name == "reduce_sum" and values[which].dtype.category < dtypes.FLOAT:
            values.append(values[which].sum(params["axis"]))  # integers add up as int64
        elif params:
            values.append(getattr(P, name)(values[which], **params))
        else:
            values.append(getattr(P, name)(*(values[k] for k in which)))
    summed = len(operands) == 1 and any(name == "reduce_sum" for name, _, _ in steps)
    return values[-1].contiguous() if summed else values[-1]


def _arguments(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and operands of either calling form."""
    if not args:
        raise refusal.runtime("einsum(): must specify the equation string and at least one operand")
    if isinstance(args[0], str):
        rest = args[1:]
        return args[0], list(rest[0] if len(rest) == 1 and not _is_tensor(rest[0]) else rest)
    operands = list(args[0::2]) if len(args) % 2 == 0 else list(args[0:-1:2])
    equation = ",".join(_letters(labels) for labels in args[1::2][: len(operands)])
    if len(args) % 2:
        equation += "->" + _letters(args[-1])
    return equation, operands


def _is_tensor(x: Any) -> bool:
    return isinstance(x, TensorBase)


def _letters(sublist: Sequence[Any]) -> str:
    found = []
    for k in sublist:
        if k is Ellipsis:
            found.append("...")
        elif 0 <= k < len(_LETTERS):
            found.append(_LETTERS[k])
        else:
            raise refusal.runtime(
                f"einsum(): subscript {k} in the sublist is not within the valid range [0, 52)",
            )
    return "".join(found)


# ---- the equation --------------------------------------------------------------------------------


def parse(equation: str, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """The labels of every operand's dimensions and of the result's."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        more = "more" if len(ndims) > len(terms) else "fewer"
        raise refusal.runtime(
            f"einsum(): {more} operands were provided than specified in the equation: "
            f"{len(ndims)} for {equation!r}",
        )
    inputs = tuple(
        _labels(t, n, k, equation) for k, (t, n) in enumerate(zip(terms, ndims, strict=True))
    )
    dots = max((sum(n[0] == "." for n in labels) for labels in inputs), default=0)
    ellipsis = tuple(f".{k}" for k in reversed(range(dots)))
    if not arrow:
        every = [n for labels in inputs for n in labels if n[0] != "."]
        once = sorted(n for n in set(every) if every.count(n) == 1)
        return inputs, (*ellipsis, *once)
    return inputs, _output(right, inputs, ellipsis, equation)


def _labels(term: str, ndim: int, operand: int, equation: str) -> Labels:
    before, dots, after = term.partition("...")
    for c in before + after:
        if c not in _LETTERS:
            at = equation.index(c)
            raise refusal.runtime(
                f"einsum(): invalid subscript given at index {at} in the equation string, "
                "subscripts must be in [a-zA-Z]",
            )
    named = len(before) + len(after)
    if named > ndim or (not dots and named != ndim):
        end = "is more than" if dots else "does not match"
        hint = "" if dots else " and no ellipsis was given"
        raise refusal.runtime(
            f"einsum(): the number of subscripts in the equation ({named}) {end} the number of "
            f"dimensions ({ndim}) for operand {operand}{hint}",
        )
    hidden = tuple(f".{k}" for k in reversed(range(ndim - named)))
    return (*before, *hidden, *after)


def _output(right: str, inputs: tuple[Labels, ...], ellipsis: Labels, equation: str) -> Labels:
    known = {n for labels in inputs for n in labels}
    before, dots, after = right.partition("...")
    found: list[str] = []
    for c in before + after:
        if c not in _LETTERS:
            raise refusal.runtime(
                f"einsum(): invalid subscript given at index {equation.rindex(c)} in the equation "
                "string, subscripts must be in [a-zA-Z]",
            )
        if c not in known:
            raise refusal.runtime(
                f"einsum(): output subscript {c} does not appear in the equation for any input "
                "operand",
            )
        if c in found:
            raise refusal.runtime(
                f"einsum(): output subscript {c} appears more than once in the output"
            )
        found.append(c)
    return (*before, *(ellipsis if dots else ()), *after)


# ---- planning ------------------------------------------------------------------------------------


class _Operand:
    """A value of the plan: its number, its labels and its shape."""

    __slots__ = ("labels", "number", "shape")

    def __init__(self, number: int, labels: Labels, shape: tuple[int, ...]) -> None:
        self.number = number
        self.labels = labels
        self.shape = shape

    def size(self, label: str) -> int:
        return self.shape[self.labels.index(label)]


class _Planner:
    """Writes down the steps while it follows labels and shapes."""

    def __init__(self, shapes: tuple[tuple[int, ...], ...], inputs: tuple[Labels, ...]) -> None:
        self.steps: list[Step] = []
        self.count = len(shapes)
        self.operands = [
            _Operand(k, labels, shape)
            for k, (labels, shape) in enumerate(zip(inputs, shapes, strict=True))
        ]

    def step(
        self, name: str, x: _Operand, labels: Labels, size: tuple[int, ...], /, **params: Any
    ) -> _Operand:
        """A step on one operand."""
        self.steps.append((name, x.number, params))
        self.count += 1
        return _Operand(self.count - 1, labels, size)

    def pair(
        self, name: str, x: _Operand, y: _Operand, labels: Labels, shape: tuple[int, ...]
    ) -> _Operand:
        """A step on two operands."""
        self.steps.append((name, (x.number, y.number), {}))
        self.count += 1
        return _Operand(self.count - 1, labels, shape)

    def prepared(self, x: _Operand) -> _Operand:
        """An operand without repeated labels: those become diagonals."""
        position = x.number
        while len(set(x.labels)) < len(x.labels):
            n = next(n for n in x.labels if x.labels.count(n) > 1)
            i = x.labels.index(n)
            j = x.labels.index(n, i + 1)
            if x.shape[i] != x.shape[j]:
                raise refusal.runtime(
                    f"einsum(): subscript {n} is repeated for operand {position} but the sizes "
                    f"don't match, {x.shape[j]} != {x.shape[i]}",
                )
            rest = [k for k in range(len(x.labels)) if k not in (i, j)]
            labels = (*(x.labels[k] for k in rest), n)
            shape = (*(x.shape[k] for k in rest), x.shape[i])
            x = self.step("diagonal", x, labels, shape, offset=0, axis1=i, axis2=j)
        return x

    def summed(self, x: _Operand, keep: frozenset[str]) -> _Operand:
        """x summed over the labels nobody needs."""
        drop = tuple(k for k, n in enumerate(x.labels) if n not in keep)
        if not drop:
            return x
        rest = [k for k in range(len(x.labels)) if k not in drop]
        labels, shape = tuple(x.labels[k] for k in rest), tuple(x.shape[k] for k in rest)
        return self.step("reduce_sum", x, labels, shape, axis=drop, keepdims=False)

    def ordered(self, x: _Operand, order: Labels) -> _Operand:
        """x with its dimensions in an order."""
        if x.labels == order:
            return x
        perm = tuple(x.labels.index(n) for n in order)
        return self.step("transpose", x, order, tuple(x.shape[p] for p in perm), perm=perm)

    def shaped(self, x: _Operand, shape: tuple[int, ...], labels: Labels = ()) -> _Operand:
        """x with another shape."""
        if x.shape == shape:
            return _Operand(x.number, labels or x.labels, shape)
        return self.step("reshape", x, labels, shape, shape=shape)

    def without_ones(self, x: _Operand, y: _Operand) -> _Operand:
        """x without those length-1 dimensions that broadcast against y."""
        keep = [
            k for k, n in enumerate(x.labels)
            if not (x.shape[k] == 1 and n in y.labels and y.size(n) != 1)
        ]  # fmt: skip
        if len(keep) == len(x.labels):
            return x
        labels = tuple(x.labels[k] for k in keep)
        return self.shaped(x, tuple(x.shape[k] for k in keep), labels)

    def contract(self, x: _Operand, y: _Operand, keep: frozenset[str]) -> _Operand:
        """The product of two operands, summed over the labels nobody else needs."""
        x = self.summed(x, keep.union(y.labels))
        y = self.summed(y, keep.union(x.labels))
        x = self.without_ones(x, y)
        y = self.without_ones(y, x)
        x = self.summed(x, keep.union(y.labels))
        y = self.summed(y, keep.union(x.labels))
        shared = tuple(n for n in x.labels if n in y.labels and n in keep)
        inner = tuple(n for n in x.labels if n in y.labels and n not in keep)
        mine = tuple(n for n in x.labels if n not in y.labels)
        yours = tuple(n for n in y.labels if n not in x.labels)
        x = self.ordered(x, (*shared, *mine, *inner))
        y = self.ordered(y, (*shared, *inner, *yours))
        return self.multiplied(x, y, (shared, mine, inner, yours))

    def multiplied(self, x: _Operand, y: _Operand, groups: tuple[Labels, ...]) -> _Operand:
        """Operands in the order of the groups, multiplied element by element or as matrices."""
        shared, mine, inner, yours = groups
        s, m, k = len(shared), len(mine), len(inner)
        lead, rows, columns = x.shape[:s], x.shape[s : s + m], y.shape[s + k :]
        labels, shape = (*shared, *mine, *yours), (*lead, *rows, *columns)
        if not inner:
            x = self.shaped(x, (*lead, *rows, *(1 for _ in yours)))
            y = self.shaped(y, (*lead, *(1 for _ in mine), *columns))
            return self.pair("mul", x, y, labels, shape)
        batch = (_volume(lead),) if shared else ()
        size = _volume(x.shape[s + m :])
        x = self.shaped(x, (*batch, _volume(rows), size))
        y = self.shaped(y, (*batch, size, _volume(columns)))
        made = self.pair(
            "bmm" if shared else "mm", x, y, (), (*batch, _volume(rows), _volume(columns))
        )
        return self.shaped(made, shape, labels)


def _volume(sizes: Sequence[int]) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


@functools.lru_cache(maxsize=512)
def plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[Step, ...]:
    """The steps from operands of these shapes to the result, which is the last value made."""
    inputs, output = parse(equation, tuple(len(s) for s in shapes))
    planner = _Planner(shapes, inputs)
    left = [planner.prepared(x) for x in planner.operands]
    sizes = _sizes(left)
    while len(left) > 1:
        i, j = _next_pair([x.labels for x in left], sizes, output)
        y, x = left.pop(j), left.pop(i)
        others = frozenset(n for z in left for n in z.labels)
        left.append(planner.contract(x, y, others.union(output)))
    result = planner.ordered(planner.summed(left[0], frozenset(output)), output)
    if result.number < len(shapes):  # nothing to do: still a tensor of its own, as a view
        planner.step("transpose", result, output, result.shape, perm=tuple(range(len(output))))
    return tuple(planner.steps)


def _sizes(operands: list[_Operand]) -> dict[str, int]:
    """The length of every label; lengths that do not broadcast are an error."""
    seen: dict[str, int] = {}
    for k, x in enumerate(operands):
        for n, size in zip(x.labels, x.shape, strict=True):
            have = seen.get(n, 1)
            if 1 not in (have, size) and have != size:
                raise refusal.runtime(
                    f"einsum(): subscript {n} has size {size} for operand {k} which does not "
                    f"broadcast with previously seen size {have}",
                )
            seen[n] = size if have == 1 else have
    return seen


def _next_pair(terms: list[Labels], sizes: dict[str, int], output: Labels) -> tuple[int, int]:
    """The two operands whose contraction grows the data the least."""
    if len(terms) == 2:
        return 0, 1

    def growth(i: int, j: int) -> int:
        others = {n for k, labels in enumerate(terms) if k not in (i, j) for n in labels}
        kept = (set(terms[i]) | set(terms[j])) & (others | set(output))
        before = [_volume([sizes[n] for n in terms[k]]) for k in (i, j)]
        return _volume([sizes[n] for n in kept]) - sum(before)

    pairs = [(i, j) for j in range(len(terms)) for i in range(j)]
    return min(pairs, key=lambda pair: growth(*pair))
