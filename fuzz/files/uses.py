"""Work with what a file gave, as a program would."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import chainrule as torch

from .watch import outside

_MANY = 20_000  # values of one result that are looked at
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, KeyError,
            AttributeError, OverflowError, RecursionError, EOFError)  # fmt: skip


def tensors_in(value: Any) -> Iterator[Any]:
    """Every tensor in nested containers, and the parts of sparse ones."""
    waiting, seen = [value], set()
    while waiting and len(seen) < _MANY:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, torch.Tensor):
            yield one
            if one.is_sparse:
                waiting += list(vars(one)["_coo"][:2])
            waiting += list(vars(one).values())
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values(), *vars(one).values()] if hasattr(
                one, "__dict__") else [*one.keys(), *one.values()]  # fmt: skip
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += list(one)


def is_small(value: Any) -> bool:
    """Whether printing takes few steps: every path counts."""
    waiting, steps = [value], 0
    while waiting:
        one = waiting.pop()
        steps += 1
        if steps > 2000:
            return False
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += list(one)
        elif isinstance(one, torch.Tensor) and one.numel() > 100_000:
            return False
    return True


def exercise(value: Any, chance: Random) -> str | None:
    """Use a result; what is wrong with it, or None. Refusals are right, crashes are not."""
    for number, t in enumerate(tensors_in(value)):
        problem = _placed(t)
        if problem is not None:
            return problem
        # A tensor of shape (2**32, 0) is small, but a list of its rows is not.
        small = max((t.numel(), *t.shape)) <= 100_000
        if number < 10 and small and not t.is_meta:
            problem = _worked(t, chance)
            if problem is not None:
                return problem
    if is_small(value):
        _tried(lambda: repr(value))
        _tried(lambda: value == value)
        _tried(lambda: torch.save(value, io.BytesIO()))
    return None


def _placed(t: Any) -> str | None:
    if t.is_meta or t.is_sparse:
        return None
    problem = outside(t._a)
    return problem and f"tensor of shape {tuple(t.shape)}, strides {t._a.strides}: {problem}"


def _tried(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except REFUSALS:
        return None


def _worked(t: Any, chance: Random) -> str | None:
    """A dozen things one does with a tensor, hostile ones among them."""
    plain = t.detach() if t.requires_grad else t
    far = chance.choice([1, 4, 2**31, 2**60, 2**62, 2**63])
    made = [_tried(action) for action in (
        lambda: repr(t), lambda: t.sum(), lambda: t.clone(), lambda: t + 1, lambda: t[0],
        lambda: t.reshape(-1)[:3], lambda: t.to(torch.float64), lambda: t.to_dense(),
        lambda: plain.add_(1), lambda: plain.coalesce(), lambda: t.tolist(),
        lambda: plain.untyped_storage()[0], lambda: plain.storage().tolist(),
        lambda: plain.as_strided((5,), (far,)), lambda: plain.as_strided((far,), (1,)),
        lambda: plain.as_strided((4,), (1,), 0), lambda: plain.view(torch.uint8),
        lambda: torch.empty(0, dtype=t.dtype).set_(plain.untyped_storage(), 0, (3,), (far,)),
        lambda: plain.resize_(7), lambda: plain.fill_(1), lambda: plain[:0].as_strided((2,), (1,)),
    )]  # fmt: skip
    for result in made:
        if isinstance(result, torch.Tensor):
            problem = _placed(result)
            if problem is not None:
                return f"what came of it: {problem}"
    return _saved_again(t)


def _saved_again(t: Any) -> str | None:
    if t.is_sparse or t.is_meta or t.numel() > 1000:
        return None
    file = io.BytesIO()
    torch.save(t.detach().clone(), file)
    file.seek(0)
    again = torch.load(file)
    same = again.shape == t.shape and again.dtype is t.dtype
    return None if same else f"saved and loaded again it is {again.dtype} {tuple(again.shape)}"
