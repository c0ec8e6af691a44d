"""The reducer: takes gradients as the backward pass makes them, and averages them over processes.

Each parameter's hook copies its gradient into its bucket; a full bucket's reduction starts at once
and goes on beside the pass. Buckets start in one order on all processes. At the end of the pass
everything is waited for and the averages are written into `.grad`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd import refusal
from ...autograd.state import STATE
from ...autograd.value import make
from .. import captured
from ..collectives import all_reduce, broadcast
from ..group import ProcessGroup
from ..reduction import ReduceOp
from ..work import Waiting, drive_all
from .buckets import Bucket, GradBucket, sizes_of
from .parts import own_gradient, set_gradient


class Reducer:
    """The buckets of one module."""

    unguarded = True  # for guards of compiled functions: its state is of one pass

    def __init__(
        self, named: Sequence[tuple[str, Any]], group: ProcessGroup, megabytes: float | None,
        as_view: bool, find_unused: bool, static: bool,
    ) -> None:  # fmt: skip
        self.names = {id(p): name for name, p in named}
        self.parameters = [p for _, p in named]
        self.group, self.megabytes = group, megabytes
        self.as_view, self.find_unused, self.static = as_view, find_unused, static
        self.hook: Callable[[Any, GradBucket], Any] | None = None
        self.hook_state: Any = None
        self.expects = False  # whether the pass to come is to be reduced
        self.divide_by = group.size()
        self.timeline: list[tuple[str, int, float, float]] | None = None
        self.used: set[int] = set()
        self.ready: set[int] = set()
        self.arrival: list[int] = []
        self.rebuilt = False
        self.unfinished: list[str] = []
        self.trace: Any = None  # of the compiled function that this pass is part of
        self._make_buckets(list(reversed(self.parameters)))
        # Held by the parameters: they outlive their wrapper in no program that goes on training.
        self.handles = [
            p.register_post_accumulate_grad_hook(self._arrived) for p in self.parameters
        ]

    def _make_buckets(self, order: Sequence[Any]) -> None:
        groups = sizes_of(order, self.megabytes)
        self.buckets = [Bucket(k, members) for k, members in enumerate(groups)]
        self.place = {
            id(p): (bucket, position)
            for bucket in self.buckets
            for position, p in enumerate(bucket.parameters)
        }

    # ---- before a pass ----

    def begin(self, outputs: Sequence[Any]) -> None:
        """A forward pass whose backward pass is to be reduced has been run."""
        self.check_finished()
        self.maybe_rebuild()
        self._expect()
        self.trace = captured.trace()
        if self.trace is not None:
            captured.begin(self.trace, self)
        self.used = {id(p) for p in self.parameters}
        if self.find_unused and not (self.static and self.rebuilt):
            self.used = _reachable(outputs) & self.used

    def _expect(self) -> None:
        """Nothing has arrived of the pass that is to come."""
        self.expects, self.queued, self.next = True, False, 0
        self.ready.clear()
        self.arrival.clear()
        for bucket in self.buckets:
            bucket.begin()

    def check_finished(self) -> None:
        """An error if the last pass left gradients out: they were not averaged."""
        if not self.unfinished:
            return
        names, self.unfinished = self.unfinished, []
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise refusal.runtime(
            "Expected to have finished reduction in the prior iteration before starting a new "
            "one. This error indicates that your module has parameters that were not used in "
            "producing loss.",
            f"Without a gradient on rank {self.group.rank()}: {shown}",
            why="The gradients of that step were not averaged.",
            fix="DistributedDataParallel(..., find_unused_parameters=True), or use all outputs of "
            "forward in the loss.",
        )

    # ---- while backward goes on ----

    def _arrived(self, parameter: Any) -> None:
        if not self.expects:
            return
        if not self.queued:
            self.queued = True
            self.began = time.perf_counter()
            at_end_of_backward(self._finish)
            for other in self.parameters:
                if id(other) not in self.used:
                    self._mark(other)
        if id(parameter) in self.ready:
            raise refusal.runtime(
                "Expected to mark a variable ready only once. This error is caused by one of the "
                f"following reasons: {self.names[id(parameter)]} got a gradient twice in one "
                "iteration, by two backward passes or reentrant checkpointing",
                fix="one backward pass per forward pass, or static_graph=True.",
            )
        self.arrival.append(id(parameter))
        self._mark(parameter)
        drive_all()

    def _mark(self, parameter: Any) -> None:
        """A parameter's gradient is here, or will not come."""
        self.ready.add(id(parameter))
        bucket, position = self.place[id(parameter)]
        if self.trace is None:
            self._fill(parameter, bucket.views[position])
        bucket.waiting -= 1
        while self.next < len(self.buckets) and self.buckets[self.next].waiting == 0:
            self._start_or_trace(self.buckets[self.next])
            self.next += 1

    def _start_or_trace(self, bucket: Bucket) -> None:
        if self.trace is None:
            self._start(bucket)
        elif not captured.start(self.trace, self, bucket):
            for p, view in zip(bucket.parameters, bucket.views, strict=True):
                self._fill(p, view)
            self._start(bucket)

    def _fill(self, parameter: Any, view: np.ndarray) -> None:
        grad = own_gradient(parameter)
        if grad is None or id(parameter) not in self.used:
            view[...] = 0
            return
        array = grad._a
        if array.__class__ is not np.ndarray or grad.is_sparse:
            raise RuntimeError(
                f"DistributedDataParallel: the gradient of {self.names[id(parameter)]} is sparse, "
                "and buckets hold dense ones. Fix: Embedding(..., sparse=False)."
            )
        if self.hook is not None:
            if array is not view:
                view[...] = array
        else:
            np.multiply(array, array.dtype.type(1.0 / self.divide_by), out=view)
        if self.as_view and array is not view:
            set_gradient(parameter, view)

    def start_with(self, bucket: Bucket, gradients: Sequence[np.ndarray]) -> None:
        """Fill a bucket and start its reduction: what a compiled step does with one."""
        if bucket.index == 0:
            self.began = time.perf_counter()
        share = bucket.flat.dtype.type(1.0 / self.divide_by)
        for array, view in zip(gradients, bucket.views, strict=True):
            np.multiply(array, share, out=view)
        self._start(bucket)

    def wait_for(self, bucket: Bucket) -> None:
        """Wait until a bucket holds averages: what a compiled step does at the end of backward."""
        if bucket.index == 0:
            self.ended = time.perf_counter()
            Waiting.steps += 1
            self.expects = False
        bucket.work.wait()
        self._note_end(bucket)

    def _start(self, bucket: Bucket) -> None:
        began = time.perf_counter()
        if self.hook is None:
            bucket.work = all_reduce(bucket.tensor, ReduceOp.SUM, self.group, async_op=True)
        else:
            last = bucket.index == len(self.buckets) - 1
            bucket.work = self.hook(self.hook_state, GradBucket(bucket, last))
        if self.timeline is not None:
            self.timeline.append(("start", bucket.index, began - self.began, 0.0))

    # ---- at its end ----

    def _finish(self) -> None:
        self.expects = False
        if self.next < len(self.buckets):
            self.unfinished = [
                self.names[id(p)] for p in self.parameters if id(p) not in self.ready
            ]
            self.trace = None
            return
        if self.trace is not None:
            self.trace.owed.pop(self, None)
            if self.trace.reason is None:
                for bucket in self.buckets:
                    captured.wait(self.trace, self, bucket)
                self.trace = None
                return
            self.trace = None
        Waiting.steps += 1
        self.ended = time.perf_counter()
        used = self._used_anywhere()
        for bucket in self.buckets:
            self._take(bucket, used)
            self._note_end(bucket)

    def _note_end(self, bucket: Bucket) -> None:
        if self.timeline is not None:
            now, ended = time.perf_counter() - self.began, self.ended - self.began
            self.timeline.append(("done", bucket.index, now, ended))

    def _used_anywhere(self) -> set[int] | None:
        """Parameters that had a gradient on some process; None: all of them."""
        if not self.find_unused or self.static:
            return None
        flags = np.array([id(p) in self.used for p in self.parameters], np.int32)
        all_reduce(make(flags), ReduceOp.MAX, self.group)
        return {id(p) for p, flag in zip(self.parameters, flags, strict=True) if flag}

    def _take(self, bucket: Bucket, used: set[int] | None) -> None:
        result = bucket.work.wait()
        if self.hook is not None:
            value = result[0] if isinstance(result, list | tuple) else result
            if value._a is not bucket.flat:
                bucket.flat[...] = value._a.reshape(-1)
        for p, view in zip(bucket.parameters, bucket.views, strict=True):
            if used is not None and id(p) not in used:
                continue  # nobody has a gradient: what is there stays
            grad = own_gradient(p)
            if self.as_view:
                if grad is None or grad._a is not view:
                    set_gradient(p, view)
            elif grad is None:
                set_gradient(p, view.copy())
            else:
                np.copyto(grad._a, view)
                grad._v[0] += 1

    def maybe_rebuild(self) -> None:
        """After the first pass: buckets in the order in which gradients really came, on rank 0."""
        if self.rebuilt or len(self.arrival) != len(self.parameters):
            return
        self.rebuilt = True
        numbers = {id(p): k for k, p in enumerate(self.parameters)}
        order = np.array([numbers[key] for key in self.arrival], np.int64)
        with captured.unrecorded():
            broadcast(make(order), group=self.group, group_src=0)
        if self.as_view:  # gradients lie in the old buckets
            for p in self.parameters:
                if p._grad is not None:
                    set_gradient(p, own_gradient(p)._a.copy())
        self._make_buckets([self.parameters[k] for k in order.tolist()])

    # ---- for a process that has no more inputs ----

    def shadow(self) -> None:
        """Take part in one step of the others with zeros."""
        self.check_finished()
        self.maybe_rebuild()
        for bucket in self.buckets:
            bucket.flat[...] = 0
            last = bucket.index == len(self.buckets) - 1
            if self.hook is None:
                bucket.work = all_reduce(bucket.tensor, ReduceOp.SUM, self.group, async_op=True)
            else:
                bucket.work = self.hook(self.hook_state, GradBucket(bucket, last))
        if self.find_unused and not self.static:
            flags = np.zeros(len(self.parameters), np.int32)
            all_reduce(make(flags), ReduceOp.MAX, self.group)
        for bucket in self.buckets:
            bucket.work.wait()


def at_end_of_backward(callback: Callable[[], None]) -> None:
    """Call a function when the backward pass that is going on has ended."""
    STATE.passes[-1].at_end.append(callback)


def _reachable(outputs: Sequence[Any]) -> set[int]:
    """The leaves behind the outputs, by their ids."""
    from ...autograd.node import OutSlot
    from ...autograd.record import edge
    from ...autograd.value import TensorBase

    found: set[int] = set()
    stack = [edge(t) for t in outputs if isinstance(t, TensorBase) and t.requires_grad]
    seen: set[int] = set()
    while stack:
        e = stack.pop()
        if e is None:
            continue
        if isinstance(e, TensorBase):
            found.add(id(e))
            continue
        node = e.node if e.__class__ is OutSlot else e
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(getattr(node, "parents", ()) or ())
    return found
