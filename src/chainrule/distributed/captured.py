"""Collectives inside of compiled functions: steps of a plan that speak to other processes.

While a call is traced a collective runs for real and leaves an instruction behind. A plan runs such
instructions in the order of the trace, like draws of random numbers, and never drops one: all ranks
send the same messages in the same order, whether a rank runs eagerly, traces, or runs its plan.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import ir
from ..autograd import source
from ..autograd.plain_write import bump
from ..autograd.state import STATE, TRACE
from ..autograd.value import make

_FORWARD_ALONE = (
    "DistributedDataParallel averages gradients in a backward pass, which is not part of the "
    "function; compile the whole step, or the module inside of the wrapper"
)


class _Unrecorded:
    """How many blocks are open whose collectives a trace need not know."""

    depth = 0


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Collectives inside are no part of what is captured: a plan does them in another way."""
    _Unrecorded.depth += 1
    try:
        yield
    finally:
        _Unrecorded.depth -= 1


def trace() -> Any:
    """The trace of the call that is being captured; None outside of one, or when it failed."""
    if not STATE.unusual & TRACE or _Unrecorded.depth:
        return None
    found = STATE.trace
    return None if found is None or found.reason is not None else found


def refuse(name: str) -> None:
    """A collective is called that cannot be part of a plan: who calls it runs eagerly."""
    found = trace()
    if found is not None:
        found.fail(f"{name} speaks to other processes, at {source.here()}")


def _record(
    found: Any, op: GroupStep, read: Sequence[Any], params: dict[str, Any], written: Sequence[Any],
    action: Callable[[], Any],
) -> None:  # fmt: skip
    with unrecorded():
        found.rewrites(op, list(read), params, list(written), action)


class GroupStep:
    """An instruction that speaks to other processes, as the compiler's table knows ops."""

    lower = ir.extern
    n_out = None
    random = True  # in order, and never dropped
    acts = True  # once it has run, the call cannot be run again instead

    def __init__(self, name: str, forward: Callable[..., Any], lends: bool = False) -> None:
        self.name, self.forward = name, forward
        self.lends = lends  # whether its results are memory that later calls write to


def on_copies(collective: Callable[..., Any]) -> Callable[..., tuple[np.ndarray, ...]]:
    """The arrays that a collective, which writes to a list of tensors, makes of others."""

    def forward(*arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        copies = [make(np.array(array, order="C")) for array in arrays]
        collective(copies, **params)
        return tuple(t._a for t in copies)

    return forward


def in_place(
    found: Any, step: GroupStep, tensors: Sequence[Any], /, **params: Any
) -> None:  # fmt: skip
    """Trace a collective that writes to tensors and is waited for."""

    def action() -> None:
        results = step.forward(*(t._a for t in tensors), **params)
        for t, array in zip(tensors, results, strict=True):
            t._a[...] = array
            bump(t, step.name)

    _record(found, step, tensors, params, tensors, action)


# ---- reductions of DistributedDataParallel -------------------------------------------------------


def _start(*gradients: np.ndarray, reducer: Any, bucket: Any) -> tuple[()]:
    reducer.start_with(bucket, gradients)
    return ()


def _wait(*, reducer: Any, bucket: Any) -> tuple[np.ndarray, ...]:
    reducer.wait_for(bucket)
    return tuple(bucket.views)


START = GroupStep("group.start", _start)
WAIT = GroupStep("group.wait", _wait, lends=True)


def begin(found: Any, reducer: Any) -> None:
    """A forward pass is traced whose backward pass is to be reduced: in the same call, or not."""
    reason = None
    if reducer.hook is not None:
        reason = "a communication hook reduces the gradients"
    elif reducer.find_unused and not reducer.static:
        reason = "find_unused_parameters=True lets every call reduce other gradients"
    if reason is not None:
        found.fail(f"DistributedDataParallel: {reason}")
    found.owed[reducer] = _FORWARD_ALONE


def start(found: Any, reducer: Any, bucket: Any) -> bool:
    """Trace the start of a bucket's reduction, now that its gradients are there.

    False, and nothing is done, where it cannot be part of a plan.
    """
    gradients = [p._grad for p in bucket.parameters]
    reason = None
    if any(g is None for g in gradients):
        reason = "a parameter has no gradient"
    elif bucket in found.started:
        reason = "a gradient is averaged twice in one call; compile a function that makes one step"
    elif reducer.as_view and any(_is_old(found, g, bucket) for g in gradients):
        reason = "gradients that lie in buckets are added to; let zero_grad() set them to None"
    if reason is not None:
        found.fail(f"DistributedDataParallel: {reason}")
    if found.reason is not None:
        return False
    found.started.add(bucket)
    _record(
        found, START, gradients, {"reducer": reducer, "bucket": bucket}, [],
        lambda: reducer.start_with(bucket, [g._a for g in gradients]),
    )  # fmt: skip
    return True


def _is_old(found: Any, gradient: Any, bucket: Any) -> bool:
    """Whether a gradient was there before the call, or memory of the bucket is read in it."""
    known = found.known.get(id(gradient._a))
    met = [o.storage.array for o in found.outside if o.storage.array is not None]
    return (
        known is None
        or known.storage.origin is not None
        or any(np.may_share_memory(array, bucket.flat) for array in met)
    )


def wait(found: Any, reducer: Any, bucket: Any) -> None:
    """Trace the wait for a bucket's averages, which become the gradients."""
    gradients = [p._grad for p in bucket.parameters]

    def action() -> None:
        reducer.wait_for(bucket)
        for g, view in zip(gradients, bucket.views, strict=True):
            np.copyto(g._a, view)
            g._v[0] += 1

    _record(found, WAIT, [], {"reducer": reducer, "bucket": bucket}, gradients, action)
