"""`profile`, its schedule, and what is done with a finished trace."""

from __future__ import annotations

import enum
import gzip
import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd import watching
from ..autograd.accidents import explain_module
from ..autograd.profiler import Recorder, record_function
from ..autograd.profiler_util import EventList, chrome_events
from ..memory.calls import ModuleCalls
from .report import TimeReport


class ProfilerActivity(enum.Enum):
    """Where work is recorded; only the CPU has any."""

    CPU = "CPU"
    CUDA = "CUDA"
    XPU = "XPU"
    MTIA = "MTIA"
    HPU = "HPU"
    PrivateUse1 = "PrivateUse1"


class ProfilerAction(enum.Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def _default_schedule_fn(_: int) -> ProfilerAction:
    """Every step is recorded."""
    return ProfilerAction.RECORD


def kineto_available() -> bool:
    """Whether PyTorch's tracing library is there: no, traces are written without it."""
    return False


def supported_activities() -> set[ProfilerActivity]:
    """Where work can be recorded: on the CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Which steps to record: skip, then again and again wait, warm up, record.

    >>> from chainrule.profiler import schedule
    >>> when = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [when(step).name for step in range(6)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise ValueError(
            f"Invalid profiler schedule arguments: wait={wait}, warmup={warmup}, active={active}, "
            f"repeat={repeat}, skip_first={skip_first}; active must be at least 1, the others 0"
        )
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError(f"a step cannot be {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:  # the first cycle does not wait
            step += wait
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def _always(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[Any], None]:
    """Write each trace into a folder, under the name that TensorBoard looks for."""

    def write(prof: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}{ending}"))

    return write


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """Record what this thread does: ops, backward, optimizers, named blocks, compiled plans.

    >>> import chainrule as torch
    >>> from chainrule.profiler import profile, ProfilerActivity
    >>> model = torch.nn.Linear(10, 5)
    >>> with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    ...     model(torch.ones(2, 10)).sum().backward()
    >>> [e.key for e in prof.key_averages()][:3]
    ['aten::linear', 'aten::addmm', 'aten::sum']
    >>> sorted(prof.by_phase())
    ['backward', 'forward']
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = set(activities) if activities is not None else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.on_trace_ready = on_trace_ready
        self.acc_events = acc_events
        self.record_steps = schedule is not None
        self.schedule = schedule or _always
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.metadata: dict[str, Any] = {}
        self._recorder: Recorder | None = None
        self._calls: ModuleCalls | None = None
        self._step: Any = None
        self._events = EventList(profile_memory=profile_memory, with_flops=with_flops)
        self._running = False

    # ---- running ---------------------------------------------------------------------------------

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with the first step."""
        self._running = True
        self.current_action = self.schedule(self.step_num)
        if self.current_action is not ProfilerAction.NONE:
            self._begin()
        self._name_step()

    def stop(self) -> None:
        """End; a trace that was being recorded is ready then."""
        if not self._running:
            return
        self._running = False
        self._end_step()
        if self._recorder is not None:
            recorded = self.current_action in _RECORDING
            self._end(keep=recorded)
            if recorded:
                self._ready()

    def step(self) -> None:
        """Say that a step of the training loop is over."""
        if not self._running:
            return
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._end(keep=True)
            self._ready()
        elif before in _RECORDING and self.current_action not in _RECORDING:
            self._end(keep=True)
        elif before is ProfilerAction.WARMUP:
            self._end(keep=False)
        if self.current_action is ProfilerAction.NONE:
            self._end(keep=False)
        elif self._recorder is None:
            self._begin()
        self._name_step()

    def _name_step(self) -> None:
        if self.record_steps and self._recorder is not None:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _begin(self) -> None:
        # Modules cost two hooks per call: their names are worth it, they are half of a report.
        self._calls = ModuleCalls()
        self._calls.__enter__()
        self._recorder = Recorder(
            self.record_shapes, self.profile_memory, self.with_stack, self.with_flops,
            lambda: self._calls.path if self._calls is not None else "",
        )  # fmt: skip
        watching.enter(self._recorder)

    def _end(self, keep: bool) -> None:
        recorder, calls = self._recorder, self._calls
        if recorder is None or calls is None:
            return
        watching.leave(recorder)
        calls.__exit__()
        recorder.close()
        self._recorder = self._calls = None
        if keep:
            if not self.acc_events:
                self._events.clear()
            self._events.extend(recorder.events)

    def _ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    # ---- results ---------------------------------------------------------------------------------

    def events(self) -> EventList:
        """All events of the last trace, in the order in which they began."""
        if self._recorder is not None and self.current_action in _RECORDING:
            raise AssertionError("the profiler is running: its events are there when it has ended")
        return self._events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Averages by name, and where asked by shapes or stack."""
        return self.events().key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write a trace for chrome://tracing or Perfetto; `.gz` is compressed."""
        trace = {
            "schemaVersion": 1,
            "displayTimeUnit": "ms",
            "traceName": path,
            **self.metadata,
            "traceEvents": chrome_events(self.events()),
        }
        text = json.dumps(trace)
        if path.endswith(".gz"):
            with gzip.open(path, "wt", encoding="utf-8") as file:
                file.write(text)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks for flame graphs; needs `with_stack=True`."""
        if not self.with_stack:
            raise ValueError("export_stacks() requires with_stack=True")
        self.events().export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Write a note into the trace."""
        self.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write a note in JSON into the trace."""
        self.metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    # ---- what is ours ----------------------------------------------------------------------------

    def report(self) -> TimeReport:
        """Time by op, line, module and phase; as text, page and flame chart."""
        return TimeReport(self.events())

    def by_op(self) -> dict[str, float]:
        """Microseconds of each op, the longest first."""
        return self.report().by("op")

    def by_line(self) -> dict[str, float]:
        """Microseconds of each line of the user's program, its backward included."""
        return self.report().by("line")

    def by_module(self) -> dict[str, float]:
        """Microseconds of each module's own ops, their backward included."""
        return self.report().by("module")

    def by_phase(self) -> dict[str, float]:
        """Microseconds of forward, backward and optimizer."""
        return self.report().by("phase")


explain_module(globals(), "schedule")
