"""Selective checkpointing: a policy says which results are kept instead of computed again.

`checkpoint(..., context_fn=partial(create_selective_checkpoint_contexts, policy))` asks the policy
about every op of the forward pass. The result of an op that it wants saved is kept; the
recomputation takes it from there and does not run the op.

In-place ops are computed again in any case, and so are views, which cost nothing.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.dispatch import plain
from ..autograd.modes import no_grad
from ..autograd.state import SELECT, STATE
from ..autograd.value import TensorBase
from ..ops.overloads import OpOverload, OpOverloadPacket, namespace, overload_of

SAC_IGNORED_OPS = {namespace("aten").detach.default, namespace("prim").device.default}


class SelectiveCheckpointContext:
    """What a policy is told besides the op and its arguments; `is_recompute` is always False."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class CheckpointPolicy(enum.Enum):
    """What becomes of an op's result: kept for backward, or computed again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVES = (True, CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)

Policy = Callable[..., CheckpointPolicy | bool]


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | list[OpOverload], allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """The two contexts of a `context_fn` that keeps the results a policy (or list of ops) names.

    The policy is called as `policy(ctx, op, *args, **kwargs)` after each op of the forward pass,
    where `op` is PyTorch's name for it, such as `torch.ops.aten.mm.default`.

    >>> from functools import partial
    >>> import chainrule as torch
    >>> from chainrule.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> keep_products = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> y = checkpoint(lambda t: (t @ t).exp(), x, use_reentrant=False, context_fn=keep_products)
    >>> y.sum().backward()
    >>> x.grad[0]
    tensor([29.5562, 29.5562])
    """
    if isinstance(policy_fn_or_list, list):
        policy = _policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise refusal.wrong_type(
            "policy_fn_or_list must be either a function or a list of ops. Got "
            f"{type(policy_fn_or_list).__name__}"
        )
    kept: Kept = defaultdict(dict)
    return _Keeping(kept, policy), _Recalling(kept, allow_cache_entry_mutation)


def _policy_of(ops: list[Any]) -> Policy:
    for op in ops:
        if not isinstance(op, OpOverload):
            name = op if isinstance(op, OpOverloadPacket) else "aten.mm"
            raise refusal.value(
                f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}.",
                fix=f"name one overload, as in torch.ops.{name}.default.",
            )
    wanted = set(ops)
    return lambda ctx, op, *args, **kwargs: (
        CheckpointPolicy.MUST_SAVE if op in wanted else CheckpointPolicy.PREFER_RECOMPUTE
    )


# ---- the two contexts ----------------------------------------------------------------------------

# By op and its how-manieth call: what was kept, or _AGAIN, or _TAKEN.
Kept = dict[OpOverload, dict[int, Any]]
_AGAIN, _TAKEN = object(), object()


class _Selection:
    """A block in which every op is counted and passes through `run`."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.counts: dict[OpOverload, int] = defaultdict(int)

    def __enter__(self) -> None:
        self.counts.clear()
        STATE.selections.append(self)
        STATE.turn_on(SELECT)

    def __exit__(self, *exc: object) -> None:
        STATE.selections.remove(self)
        if not STATE.selections:
            STATE.turn_off(SELECT)

    def count(self, name: OpOverload) -> int:
        """The number of this call among those of its op."""
        number = self.counts[name]
        self.counts[name] += 1
        return number


class _Keeping(_Selection):
    """The forward pass: results that the policy wants are kept."""

    def __init__(self, kept: Kept, policy: Policy) -> None:
        super().__init__(kept)
        self.policy = policy

    def run(self, op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        result = plain(op, args, params)
        name = overload_of(op.name, args, params)
        number = self.count(name)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        with no_grad():  # what a policy computes is no part of the checkpointed function
            verdict = self.policy(context, name, *_as_in_pytorch(op.name, args), **params)
        saved = verdict in _SAVES and not op.view
        self.kept[name][number] = _Result(result) if saved else _AGAIN
        return result


class _Recalling(_Selection):
    """The recomputation: what was kept is taken, each result once."""

    def __init__(self, kept: Kept, changes_allowed: bool) -> None:
        super().__init__(kept)
        self.changes_allowed = changes_allowed

    def run(self, op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        name = overload_of(op.name, args, params)
        number = self.count(name)
        entry = self.kept[name].get(number)
        if entry is _AGAIN:
            return plain(op, args, params)
        if entry is None:
            raise _unexpected(name, number)
        if entry is _TAKEN:
            raise refusal.runtime(
                "Trying to backward an extra time. You are only allowed to backward once on any "
                "region computed under selective activation checkpoint.",
                f"The kept result of {name} was used by the first pass and is freed",
                fix="call backward once, or checkpoint without selective contexts.",
            )
        self.kept[name][number] = _TAKEN
        return plain(op, args, params, known=entry.get(name, self.changes_allowed))


def _unexpected(name: OpOverload, number: int) -> RuntimeError:
    which = f"{name} invocation index {number}" if number else str(name)
    return refusal.runtime(
        f"{which} encountered during backward but not found in storage.",
        why=f"The forward pass called it {number} times, its repetition once more; the function "
        "must do the same both times.",
        fix="make it depend on its arguments only.",
    )


class _Result:
    """The arrays of an op's result, and how often they had been written to."""

    def __init__(self, result: Any) -> None:
        tensors = (result,) if isinstance(result, TensorBase) else result
        self.single = isinstance(result, TensorBase)
        self.arrays = tuple(t._a for t in tensors)
        self.versions = tuple((t._v, t._v[0]) for t in tensors if t._v is not None)

    def get(self, name: OpOverload, changes_allowed: bool) -> Any:
        if not changes_allowed and any(now[0] != then for now, then in self.versions):
            shapes = ", ".join(str(list(a.shape)) for a in self.arrays)
            raise refusal.runtime(
                "Tensor cached during selective activation checkpoint has been mutated: the "
                f"result of {name}, of shape {shapes}, was written to in place.",
                "computed",
                fix="write to a .clone(), do not save this op, or pass "
                "allow_cache_entry_mutation=True if backward may see the changed values.",
            )
        return self.arrays[0] if self.single else self.arrays


def _as_in_pytorch(op: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments in the order of PyTorch's op, so that a policy can ask for their shapes."""
    if op == "linear2d":
        x, weight, bias = args
        return bias, x, weight.detach().t()
    if op == "linear2d_no_bias":
        return args[0], args[1].detach().t()
    return args


explain_module(globals())
