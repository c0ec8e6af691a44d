"""Recording what runs and how long it takes: `torch.autograd.profiler`.

`torch.profiler` builds on it. The recorder is a watcher: ops of the forward pass, steps of
backward, named blocks, steps of optimizers and plans of compiled functions, in the thread that
started it. Inside of a step of backward single kernels are not told apart, and neither are they
inside of a plan.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops import allocation
from ..ops.flops import backward_flops, forward_flops
from ..ops.schema import aten_names
from . import source, watching
from .leaves import RAW
from .op_rules import saved_names
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg
from .running_rules import fix_of
from .stand_ins import rest_of
from .state import STATE
from .trees import several
from .value import TensorBase

MOST_FRAMES = 32  # of a stack


class Recorder(watching.Watcher):
    """Collects events while it is entered as a watcher."""

    sees_plans = True

    def __init__(
        self,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        module_path: Callable[[], str] | None = None,
    ) -> None:
        self.events: list[FunctionEvent] = []
        self.shapes = record_shapes
        self.memory = profile_memory and allocation.count()
        self.stacks = with_stack
        self.flops = with_flops
        self.module_path = module_path
        self.nodes: dict[int, str] = {}  # sequence number of a node -> module that recorded it
        self.began = time.perf_counter_ns()
        self._open: list[FunctionEvent] = []
        self._backward = 0

    # ---- events ----------------------------------------------------------------------------------

    def begin(self, name: str) -> FunctionEvent:
        """Open an event inside of those that are open."""
        parent = self._open[-1] if self._open else None
        event = FunctionEvent(len(self.events), name, 0.0, parent)
        event.phase = "backward" if self._backward else "forward"
        if self.module_path is not None:
            event.module = self.module_path()
        if parent is not None:
            parent.cpu_children.append(event)
        self.events.append(event)
        self._open.append(event)
        if self.memory:
            event.cpu_memory_usage = -allocation.live_bytes()
        event.time_range.start = event.time_range.end = self._now()
        return event

    def end(self, event: FunctionEvent) -> None:
        """Close an event, and those inside that were left open."""
        now = self._now()
        while self._open:
            last = self._open.pop()
            last.time_range.end = now
            if self.memory:
                last.cpu_memory_usage += allocation.live_bytes()
            if last is event:
                return

    def _now(self) -> float:
        return (time.perf_counter_ns() - self.began) / 1e3

    def close(self) -> None:
        """Close what is open still."""
        if self._open:
            self.end(self._open[0])

    # ---- what is seen ----------------------------------------------------------------------------

    def op_begins(
        self, op: Any, args: tuple[Any, ...], params: dict[str, Any], written: str = ""
    ) -> None:
        shapes = [list(a.shape) for a in args if isinstance(a, TensorBase)] if self.shapes else []
        position = source.user_position()
        stack = user_stack() if self.stacks else []
        for k, name in enumerate(_names_of(op, args, written)):
            event = self.begin(name)
            event.input_shapes, event.code, event.stack = shapes, position, stack
            event.kernel = k == 0

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        names = len(_names_of(op, args, ""))
        inner = self._open[-1]
        outer = self._open[-names]
        outs = [t for t in several(result) if isinstance(t, TensorBase)]
        if self.flops and outs and hasattr(op, "name"):
            shapes = [tuple(np.shape(a)) for a in args]
            count = forward_flops(op, shapes, [tuple(t.shape) for t in outs])
            inner.flops = sum(count.values()) or _elementwise(op.name, outs[0])
        for t in outs:
            node = getattr(t._node, "node", t._node)
            if node is not None:
                inner.sequence_nr = node._sequence_nr
                if outer.module:
                    self.nodes[node.key] = outer.module
        self.end(outer)

    def pass_begins(self) -> None:
        self._backward += 1

    def pass_ends(self) -> None:
        self._backward -= 1

    def node_begins(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        name = node.name()
        for k, shown in enumerate((f"autograd::engine::evaluate_function: {name}", name)):
            event = self.begin(shown)
            event.kernel = k == 0
            event.code = (node.code, node.lasti)
            event.sequence_nr = node._sequence_nr
            event.module = self.nodes.get(node.key, event.module)
            if self.shapes:
                event.input_shapes = [list(x.shape) for x in several(g) if x is not None]
        if self.flops:
            count = node_flops(node, g, parents)
            self._open[-1].flops = sum(count.values())

    def node_ends(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        self.end(self._open[-2])

    def leaf_begins(self, leaf: Any) -> None:
        name = "torch::autograd::AccumulateGrad"
        for k, shown in enumerate((f"autograd::engine::evaluate_function: {name}", name)):
            event = self.begin(shown)
            event.kernel = k == 0
            if self.shapes:
                event.input_shapes = [list(leaf.shape)]

    def leaf_ends(self, leaf: Any) -> None:
        self.end(self._open[-2])

    def named_begins(self, name: str, args: Any = None) -> Any:
        event = self.begin(name)
        event.is_user_annotation = True
        event.code = source.user_position()
        event.stack = user_stack() if self.stacks else []
        if name.startswith("Optimizer."):
            event.phase = "optimizer"
        return event

    def named_ends(self, mark: Any) -> None:
        if mark in self._open:
            self.end(mark)


def _names_of(op: Any, args: tuple[Any, ...], written: str) -> tuple[str, ...]:
    if not hasattr(op, "node_name"):
        return (op.__name__,)  # a class of autograd.Function
    first = next((a for a in args if isinstance(a, TensorBase)), None)
    return aten_names(op, 0 if first is None else first.ndim, written)


def _elementwise(name: str, out: Any) -> int:
    return out.numel() if name in ("add", "mul") else 0


def node_flops(node: Any, g: Any, parents: tuple[Any, ...]) -> dict[str, int]:
    """Operations that the rules of a node take, by kernel.

    None where they run on tensors (`create_graph`, transforms): their ops are seen themselves.
    """
    op = node.op
    on_tensors = bool(STATE.passes) and STATE.passes[-1].mode != RAW
    if op is None or not node.s or on_tensors:
        return {}
    saved = _input_shapes(node)  # hooks may have packed what was saved
    for name, value in zip(saved_names(op), node.s, strict=False):
        if isinstance(value, np.ndarray | TensorBase):
            saved[name] = tuple(value.shape)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        elif name.endswith("_shape") and isinstance(value, tuple):
            saved[name] = value
    first = next((x for x in several(g) if x is not None), None)
    wanted = tuple(p is not None for p in parents)
    return {} if first is None else backward_flops(op, saved, tuple(first.shape), wanted)


def _input_shapes(node: Any) -> dict[str, Any]:
    fix = fix_of(node)
    if fix is None or fix.inputs is None or node.op.variadic:
        return {}
    return {
        name: known[0]
        for name, known in zip(node.op.inputs, fix.inputs, strict=False)
        if known is not None
    }


def user_stack() -> list[str]:
    """The user's frames, innermost first: `file.py(12): function`."""
    frame = source.user_frame()
    found: list[str] = []
    while frame is not None and len(found) < MOST_FRAMES:
        code = frame.f_code
        if not source.is_library(code.co_filename):
            found.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found


class profile:
    """Record what runs inside the block: `torch.autograd.profiler.profile`.

    >>> import chainrule as torch
    >>> x = torch.ones(10, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     x.exp().sum().backward()
    >>> [e.key for e in prof.key_averages() if e.key.startswith("aten")]
    ['aten::exp', 'aten::sum']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        self.record_shapes, self.with_flops = record_shapes, with_flops
        self.profile_memory, self.with_stack = profile_memory, with_stack
        self.function_events: EventList | None = None
        self.entered = False
        self.recorder: Recorder | None = None

    def __enter__(self) -> profile | None:  # type: ignore[return]
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self.recorder = Recorder(
            self.record_shapes, self.profile_memory, self.with_stack, self.with_flops
        )
        watching.enter(self.recorder)
        return self

    def __exit__(self, *exc: object) -> bool:
        if self.enabled and self.recorder is not None:
            watching.leave(self.recorder)
            self.recorder.close()
            self.function_events = EventList(
                self.recorder.events,
                profile_memory=self.profile_memory, with_flops=self.with_flops,
            )  # fmt: skip
        return False

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError(
                "Profiler didn't finish running: its events are there when the block has ended"
            )
        return self.function_events

    def events(self) -> EventList:
        """All events, in the order in which they began."""
        return self._finished()

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Averages by name, and where asked by shapes or stack."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg | None:
        """All events as one."""
        return self._finished().total_average()

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The events as a table; see `EventList.table`."""
        return self._finished().table(*args, **kwargs)

    def export_chrome_trace(
        self, path: str, metadata: Any = None, use_python_export: bool = False
    ) -> None:
        """Write a trace for chrome://tracing or Perfetto."""
        self._finished().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks for flame graphs; needs `with_stack=True`."""
        if not self.with_stack:
            raise ValueError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events."""
        return self._finished().self_cpu_time_total

    def __str__(self) -> str:
        events = self.function_events
        return "<unfinished torch.autograd.profile>" if events is None else str(events)


class record_function(contextlib.ContextDecorator):
    """Name a block in what a profiler shows: `with record_function("forward"):`."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._marks: list[list[tuple[Any, Any]]] = []

    def __enter__(self) -> record_function:
        watchers = STATE.watchers
        shown = [(w, w.named_begins(self.name, self.args)) for w in watchers] if watchers else []
        self._marks.append(shown)
        return self

    def __exit__(self, *exc: object) -> None:
        for w, mark in reversed(self._marks.pop()):
            w.named_ends(mark)

    def _recreate_cm(self) -> record_function:
        return type(self)(self.name, self.args)


class _Inert(contextlib.ContextDecorator):
    """For tools that there are none of here: accepted, and without effect."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> _Inert:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


class emit_nvtx(_Inert):
    """NVIDIA's ranges: without a GPU there is nobody to show them to."""


class emit_itt(_Inert):
    """Intel's ranges: not emitted here."""


def load_nvprof(path: str) -> Any:
    """A trace of nvprof: refused, those are of GPU programs."""
    raise NotImplementedError("load_nvprof reads traces of GPU programs; chainrule runs on the CPU")


__all__ = [
    "EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "load_nvprof", "profile",
    "record_function",
]  # fmt: skip

__getattr__ = rest_of(__name__)
