"""What a profiler recorded: events, their averages by name, and the table of them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ..autograd.accidents import explain_module
from ..ops.allocation import in_units
from .printable import printable
from .stand_ins import rest_of


class Interval:
    """A span of time in microseconds since the profiler started."""

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        return self.end - self.start


def format_time(us: float) -> str:
    """Microseconds in the unit that suits them."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


class FormattedTimesMixin:
    """Figures in words, and PyTorch's names for what a GPU would have taken: nothing."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float

    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    device_time = device_time_total = self_device_time_total = 0.0
    device_memory_usage = self_device_memory_usage = 0
    is_async = is_remote = is_legacy = False
    node_id = -1
    overload_name = ""

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return format_time(self.self_cpu_time_total)


class FunctionEvent(FormattedTimesMixin):
    """One op, one step of backward, or one named block, as it ran."""

    def __init__(self, id: int, name: str, start: float, parent: FunctionEvent | None) -> None:  # noqa: A002
        self.id = id
        self.name = self.key = self.trace_name = name
        self.time_range = Interval(start, start)
        self.cpu_parent = parent
        self.cpu_children: list[FunctionEvent] = []
        self.thread = 1
        self.count = 1
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.flops = 0
        self.scope = 0
        self.is_user_annotation = False
        self.sequence_nr = -1
        self.cpu_memory_usage = 0
        self.memory_peak = 0  # bytes above the start of the event
        self.module = ""  # path of the module whose call it is part of
        self.code: tuple[Any, int] = (None, 0)  # the user's position
        self.phase = "forward"
        self.kernel = False  # counted once in sums of work: not a second name of the same thing

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds, with everything inside."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds outside of the events inside."""
        return self.cpu_time_total - sum(c.cpu_time_total for c in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(c.cpu_memory_usage for c in self.cpu_children)

    @property
    def depth(self) -> int:
        """How many events it is inside of."""
        found, here = 0, self.cpu_parent
        while here is not None:
            found, here = found + 1, here.cpu_parent
        return found

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"input_shapes={self.input_shapes} phase={self.phase}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """All events of one name (shapes, stack)."""

    def __init__(self, first: FunctionEvent) -> None:
        self.key = first.name
        self.input_shapes: Any = ""
        self.stack: list[str] = first.stack
        self.scope = first.scope
        self.is_user_annotation = first.is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent = first.cpu_parent
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Take one event in."""
        event = other
        self.count += event.count
        inside = event.cpu_parent
        while inside is not None and getattr(inside, "key", None) != self.key:
            inside = inside.cpu_parent
        if inside is None:  # time of a recursive call is part of the outer one's already
            self.cpu_time_total += event.cpu_time_total
            self.cpu_memory_usage += event.cpu_memory_usage
        self.self_cpu_time_total += event.self_cpu_time_total
        self.self_cpu_memory_usage += event.self_cpu_memory_usage
        self.flops += event.flops
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={printable(self.key)} "
            f"self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f"count={self.count}>"
        )


SORTS = (
    "cpu_time", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage",
    "self_cpu_memory_usage", "count", "flops", "cuda_time", "cuda_time_total",
    "self_cuda_time_total", "device_time", "device_time_total", "self_device_time_total",
)  # fmt: skip


class EventList(list[Any]):
    """Events or averages of them, with the reports that can be made of them."""

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        profile_memory: bool = False,
        with_flops: bool = False,
        use_device: str | None = None,
    ) -> None:
        super().__init__(events)
        self._memory = profile_memory
        self._flops = with_flops

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events, each counted once."""
        return sum(e.self_cpu_time_total for e in self)

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """One entry per name; with the options, per name and shapes, or per name and stack."""
        groups: dict[Any, FunctionEventAvg] = {}
        for e in self:
            key = [e.name]
            if group_by_input_shapes:
                key.append(str(e.input_shapes))
            if group_by_stack_n > 0:
                key.append(";".join(e.stack[:group_by_stack_n]))
            found = groups.get(tuple(key))
            if found is None:
                found = groups[tuple(key)] = FunctionEventAvg(e)
                if group_by_input_shapes:
                    found.input_shapes = str(e.input_shapes)
                found.stack = e.stack[:group_by_stack_n] if group_by_stack_n > 0 else []
            found.add(e)
        return EventList(groups.values(), profile_memory=self._memory, with_flops=self._flops)

    def total_average(self) -> FunctionEventAvg | None:
        """All events as one."""
        if not self:
            return None
        total = FunctionEventAvg(self[0])
        total.key = "Total"
        for e in self:
            total.count += e.count
            total.self_cpu_time_total += e.self_cpu_time_total
            total.flops += e.flops
        total.cpu_time_total = total.self_cpu_time_total
        return total

    def supported_export_stacks_metrics(self) -> list[str]:
        return ["self_cpu_time_total", "self_cuda_time_total"]

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Lines of "outer;inner;op microseconds", as tools for flame graphs read them."""
        if metric not in self.supported_export_stacks_metrics():
            allowed = ", ".join(self.supported_export_stacks_metrics())
            raise ValueError(f"metric should be one of: {allowed}, got {metric!r}")
        lines: dict[str, float] = {}
        for e in self:
            if e.stack:
                where = ";".join(_stack_name(s) for s in [*reversed(e.stack), e.name])
                lines[where] = lines.get(where, 0.0) + getattr(e, metric)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{w} {int(us)}\n" for w, us in lines.items() if int(us) > 0)

    def export_chrome_trace(self, path: str) -> None:
        """Write what chrome://tracing and Perfetto show; a name that ends in .gz is compressed."""
        text = json.dumps({"traceEvents": chrome_events(self), "displayTimeUnit": "ms"})
        if path.endswith(".gz"):
            with gzip.open(path, "wt", encoding="utf-8") as file:
                file.write(text)
            return
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table, the first `row_limit` of them by `sort_by`."""
        if sort_by is not None and sort_by not in SORTS:
            raise ValueError(f"sort_by should be one of {', '.join(SORTS)}, got {sort_by!r}")
        rows = list(self)
        total = sum(e.self_cpu_time_total for e in rows)
        if sort_by is not None:
            rows.sort(key=lambda e: getattr(e, sort_by), reverse=True)
        if top_level_events_only:
            rows = [e for e in rows if e.cpu_parent is None]
        shown = rows if row_limit < 0 else rows[:row_limit]
        columns = self._columns(shown, total, max_name_column_width, max_shapes_column_width)
        if any(e.stack for e in shown):
            sources = [
                printable(e.stack[0] if e.stack else "")[-max_src_column_width:] for e in shown
            ]
            columns.append(("Source Location", sources))
        return _laid_out(columns, header, f"Self CPU time total: {format_time(total)}")

    def _columns(
        self, rows: Sequence[Any], total: float, names: int, shapes: int
    ) -> list[tuple[str, list[str]]]:
        def share(us: float) -> str:
            return f"{100 * us / total:.2f}%" if total else "0.00%"

        made = [
            ("Name", [_short(getattr(e, "key", e), names) for e in rows]),
            ("Self CPU %", [share(e.self_cpu_time_total) for e in rows]),
            ("Self CPU", [e.self_cpu_time_total_str for e in rows]),
            ("CPU total %", [share(e.cpu_time_total) for e in rows]),
            ("CPU total", [e.cpu_time_total_str for e in rows]),
            ("CPU time avg", [e.cpu_time_str for e in rows]),
        ]
        if self._memory:
            made.append(("CPU Mem", [in_units(e.cpu_memory_usage) for e in rows]))
            made.append(("Self CPU Mem", [in_units(e.self_cpu_memory_usage) for e in rows]))
        made.append(("# of Calls", [str(e.count) for e in rows]))
        if any(isinstance(e, FunctionEventAvg) and e.input_shapes for e in rows):
            made.append(("Input Shapes", [_short(str(e.input_shapes), shapes) for e in rows]))
        if self._flops:
            power, unit = _unit(max((e.flops for e in rows), default=0))
            made.append(
                (
                    f"Total {unit}FLOPs",
                    [f"{e.flops / power:.3f}" if e.flops else "--" for e in rows],
                )
            )
        return made

    def __str__(self) -> str:
        return self.table()


def _unit(most: float) -> tuple[float, str]:
    for power, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if most >= power:
            return power, unit
    return 1.0, ""


def _short(text: str, width: int) -> str:
    text = printable(text).replace("\n", " ")
    return text if width <= 0 or len(text) <= width else text[: width - 3] + "..."


def _stack_name(text: str) -> str:
    return text.replace(" ", "_").replace(";", ",")


def _laid_out(columns: list[tuple[str, list[str]]], header: str | None, last: str) -> str:
    widths = [max(12, len(name), *map(len, cells)) if cells else max(12, len(name))
              for name, cells in columns]  # fmt: skip
    rule = "  ".join("-" * w for w in widths)
    lines = [rule, "  ".join(name.rjust(w) for (name, _), w in zip(columns, widths, strict=True))]
    lines.append(rule)
    for cells in zip(*(c for _, c in columns), strict=True):
        lines.append("  ".join(c.rjust(w) for c, w in zip(cells, widths, strict=True)))
    lines += [rule, last]
    if header is not None:
        lines.insert(0, header)
    return "\n".join(lines) + "\n"


def chrome_events(events: Iterable[FunctionEvent]) -> list[dict[str, Any]]:
    """Events in the format of Chrome's tracing tool."""
    process = os.getpid()
    made: list[dict[str, Any]] = []
    for e in events:
        details: dict[str, Any] = {"External id": e.id, "phase": e.phase}
        if e.input_shapes:
            details["Input Dims"] = e.input_shapes
        if e.stack:
            details["Call stack"] = ";".join(reversed(e.stack))
        if e.module:
            details["Module"] = e.module
        if e.flops:
            details["FLOPs"] = e.flops
        made.append(
            {
                "ph": "X", "cat": "user_annotation" if e.is_user_annotation else "cpu_op",
                "name": e.name, "pid": process, "tid": e.thread, "ts": e.time_range.start,
                "dur": e.cpu_time_total, "args": details,
            }
        )  # fmt: skip
    return made


__getattr__ = rest_of(__name__)


explain_module(globals())
