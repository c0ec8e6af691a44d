"""Einstein summation as sums, permutes, products and at most one matrix product a step.

An equation is planned once per set of shapes; the plan is a short list of steps on tensors:
which labels each operand has, which pair to contract next, and how its result is labelled.
Labels are single letters; the dimensions an ellipsis stands for are labelled ".0", ".1", ...
counted from the right, so that they align as in broadcasting.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..api import public
from .common import P, TensorBase
from .products import complaint

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

Labels = tuple[str, ...]


@public(method=False, out=False)
def einsum(*args: Any) -> Any:
    """Sum products of elements as an equation says.

    >>> import chainrule as torch
    >>> torch.einsum("ij,j->i", torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    equation, operands = _arguments(args)
    if not operands:
        raise complaint("einsum(): must provide at least one operand")
    inputs, output = parse(equation, tuple(len(x.shape) for x in operands))
    labelled = [
        _prepared(x, labels, k) for k, (x, labels) in enumerate(zip(operands, inputs, strict=True))
    ]
    _check_sizes(labelled)
    while len(labelled) > 1:
        shapes = tuple((labels, tuple(x.shape)) for x, labels in labelled)
        i, j = _next_pair(shapes, output)
        right, left = labelled.pop(j), labelled.pop(i)
        others = frozenset(n for _, labels in labelled for n in labels)
        labelled.append(_contract(left, right, others.union(output)))
    x, labels = _summed(*labelled[0], frozenset(output))
    return _ordered(x, labels, output)


def _arguments(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and operands of either calling form."""
    if not args:
        raise complaint(
            "einsum(): must specify the equation string and at least one operand", depth=4
        )
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
            raise complaint(
                f"einsum(): subscript {k} in the sublist is not within the valid range [0, 52)",
                depth=5,
            )
    return "".join(found)


# ---- the equation --------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def parse(equation: str, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """The labels of every operand's dimensions and of the result's."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        more = "more" if len(ndims) > len(terms) else "fewer"
        raise complaint(
            f"einsum(): {more} operands were provided than specified in the equation: "
            f"{len(ndims)} for {equation!r}",
            depth=4,
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
            raise complaint(
                f"einsum(): invalid subscript given at index {at} in the equation string, "
                "subscripts must be in [a-zA-Z]",
                depth=5,
            )
    named = len(before) + len(after)
    if named > ndim or (not dots and named != ndim):
        end = "more than" if dots else "does not match"
        hint = "" if dots else " and no ellipsis was given"
        raise complaint(
            f"einsum(): the number of subscripts in the equation ({named}) {end} the number of "
            f"dimensions ({ndim}) for operand {operand}{hint}",
            depth=5,
        )
    hidden = tuple(f".{k}" for k in reversed(range(ndim - named)))
    return (*before, *hidden, *after)


def _output(right: str, inputs: tuple[Labels, ...], ellipsis: Labels, equation: str) -> Labels:
    known = {n for labels in inputs for n in labels}
    found: list[str] = []
    before, dots, after = right.partition("...")
    for c in before + after:
        if c not in _LETTERS:
            raise complaint(
                f"einsum(): invalid subscript given at index {equation.rindex(c)} in the equation "
                "string, subscripts must be in [a-zA-Z]",
                depth=5,
            )
        if c not in known:
            raise complaint(
                f"einsum(): output subscript {c} does not appear in the equation for any input "
                "operand",
                depth=5,
            )
        if c in found:
            raise complaint(
                f"einsum(): output subscript {c} appears more than once in the output", depth=5
            )
        found.append(c)
    return (*before, *(ellipsis if dots else ()), *after)


def _check_sizes(labelled: list[tuple[Any, Labels]]) -> None:
    seen: dict[str, int] = {}
    for k, (x, labels) in enumerate(labelled):
        for n, size in zip(labels, x.shape, strict=True):
            have = seen.get(n, 1)
            if 1 not in (have, size) and have != size:
                raise complaint(
                    f"einsum(): subscript {n} has size {size} for operand {k} which does not "
                    f"broadcast with previously seen size {have}",
                    depth=4,
                )
            seen[n] = max(have, size) if have == 1 or size == 1 else size


# ---- the steps -----------------------------------------------------------------------------------


def _prepared(x: Any, labels: Labels, operand: int) -> tuple[Any, Labels]:
    """An operand without repeated labels: those become diagonals."""
    while len(set(labels)) < len(labels):
        n = next(n for n in labels if labels.count(n) > 1)
        i = labels.index(n)
        j = labels.index(n, i + 1)
        if x.shape[i] != x.shape[j]:
            raise complaint(
                f"einsum(): subscript {n} is repeated for operand {operand} but the sizes don't "
                f"match, {x.shape[j]} != {x.shape[i]}",
                depth=4,
            )
        x = x.diagonal(0, i, j)
        labels = (*(m for k, m in enumerate(labels) if k not in (i, j)), n)
    return x, labels


@functools.lru_cache(maxsize=512)
def _next_pair(
    shapes: tuple[tuple[Labels, tuple[int, ...]], ...], output: Labels
) -> tuple[int, int]:
    """The two operands whose contraction grows the data the least."""
    if len(shapes) == 2:
        return 0, 1
    sizes: dict[str, int] = {}
    for labels, shape in shapes:
        for n, size in zip(labels, shape, strict=True):
            sizes[n] = max(size, sizes.get(n, 1))

    def growth(i: int, j: int) -> int:
        others = {n for k, (labels, _) in enumerate(shapes) if k not in (i, j) for n in labels}
        kept = (set(shapes[i][0]) | set(shapes[j][0])) & (others | set(output))
        return _volume(kept, sizes) - _volume(shapes[i][0], sizes) - _volume(shapes[j][0], sizes)

    pairs = [(i, j) for j in range(len(shapes)) for i in range(j)]
    return min(pairs, key=lambda pair: growth(*pair))


def _volume(labels: Any, sizes: dict[str, int]) -> int:
    total = 1
    for n in labels:
        total *= sizes[n]
    return total


def _contract(
    left: tuple[Any, Labels], right: tuple[Any, Labels], keep: frozenset[str]
) -> tuple[Any, Labels]:
    """The product of two operands, summed over the labels nobody else needs."""
    x, a = _summed(*left, keep.union(right[1]))
    y, b = _summed(*right, keep.union(left[1]))
    x, a = _without_ones(x, a, y, b)
    y, b = _without_ones(y, b, x, a)
    x, a = _summed(x, a, keep.union(b))
    y, b = _summed(y, b, keep.union(a))
    shared = tuple(n for n in a if n in b and n in keep)
    inner = tuple(n for n in a if n in b and n not in keep)
    mine = tuple(n for n in a if n not in b)
    yours = tuple(n for n in b if n not in a)
    labels = (*shared, *mine, *yours)
    if not inner:
        return _ordered(x, a, (*shared, *mine), after=len(yours)) * _ordered(
            y, b, (*shared, *yours), between=(len(shared), len(mine))
        ), labels
    x, y = _ordered(x, a, (*shared, *mine, *inner)), _ordered(y, b, (*shared, *inner, *yours))
    s, m = len(shared), len(mine)
    shape = (*x.shape[: s + m], *y.shape[s + len(inner) :])
    x = _grouped(x, s, m, len(inner))
    y = _grouped(y, s, len(inner), len(yours))
    return _shaped((P.bmm if s else P.mm)(x, y), shape), labels


def _without_ones(x: Any, a: Labels, y: Any, b: Labels) -> tuple[Any, Labels]:
    """x without those length-1 dimensions that broadcast against y."""
    drop = [k for k, n in enumerate(a) if x.shape[k] == 1 and n in b and y.shape[b.index(n)] != 1]
    if not drop:
        return x, a
    return x.squeeze(tuple(drop)), tuple(n for k, n in enumerate(a) if k not in drop)


def _summed(x: Any, labels: Labels, keep: frozenset[str]) -> tuple[Any, Labels]:
    drop = tuple(k for k, n in enumerate(labels) if n not in keep)
    if not drop:
        return x, labels
    return x.sum(drop), tuple(n for n in labels if n in keep)


def _ordered(
    x: Any, labels: Labels, order: Labels, after: int = 0, between: tuple[int, int] = (0, 0)
) -> Any:
    """x with its dimensions in an order; extra length-1 dimensions where asked for."""
    if labels != order:
        x = P.transpose(x, perm=tuple(labels.index(n) for n in order))
    at, count = between
    if after or count:
        shape = tuple(x.shape)
        x = x.reshape((*shape[:at], *((1,) * count), *shape[at:], *((1,) * after)))
    return x


def _grouped(x: Any, *counts: int) -> Any:
    """x with runs of dimensions merged; a leading run of none is left out."""
    shape, at = [], 0
    for k, count in enumerate(counts):
        size = 1
        for n in x.shape[at : at + count]:
            size *= n
        at += count
        if k or count:
            shape.append(size)
    return _shaped(x, tuple(shape))


def _shaped(x: Any, shape: tuple[int, ...]) -> Any:
    return x if tuple(x.shape) == shape else x.reshape(shape)
