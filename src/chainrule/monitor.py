"""Events and statistics of a running program, for whoever listens.

>>> import chainrule as torch, datetime
>>> seen = []
>>> handle = torch.monitor.register_event_handler(lambda event: seen.append(event.data))
>>> event = torch.monitor.Event("loss", datetime.datetime.now(), {"value": 0.5})
>>> torch.monitor.log_event(event)
>>> torch.monitor.unregister_event_handler(handle)
>>> seen
[{'value': 0.5}]
"""

from __future__ import annotations

import datetime
import enum
import threading
from collections.abc import Callable
from typing import Any

from .autograd.accidents import explain_module

data_value_t = str | float | int | bool


class Aggregation(enum.IntEnum):
    """How the values of a statistic are summed up."""

    NONE = 0
    VALUE = 0x1
    MEAN = 0x2
    COUNT = 0x3
    SUM = 0x4
    MAX = 0x5
    MIN = 0x6


class Event:
    """Something that happened, with a name, a time and data."""

    def __init__(self, name: str, timestamp: datetime.datetime, data: dict[str, Any]) -> None:
        self.name = name
        self.timestamp = timestamp
        self.data = data

    def __repr__(self) -> str:
        return f"Event(name={self.name!r}, timestamp={self.timestamp!r}, data={self.data!r})"


class EventHandlerHandle:
    """What takes a handler back."""

    def __init__(self, handler: Callable[[Event], None]) -> None:
        self.handler = handler


_handlers: list[EventHandlerHandle] = []


def register_event_handler(callback: Callable[[Event], None]) -> EventHandlerHandle:
    """Call a function with every event from now on."""
    handle = EventHandlerHandle(callback)
    _handlers.append(handle)
    return handle


def unregister_event_handler(handler: EventHandlerHandle) -> None:
    """Call it no longer."""
    _handlers.remove(handler)


def log_event(event: Event) -> None:
    """Tell every handler."""
    for handle in list(_handlers):
        handle.handler(event)


class Stat:
    """Values summed up over windows of time, each window an event of that name."""

    def __init__(
        self,
        name: str,
        aggregations: list[Aggregation],
        window_size: datetime.timedelta,
        max_samples: int = 2**63 - 1,
    ) -> None:
        self.name = name
        self.aggregations = list(aggregations)
        self.window_size = window_size
        self.max_samples = max_samples
        self._values: list[float] = []
        self._began = datetime.datetime.now()
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """The number of values in this window."""
        return len(self._values)

    def add(self, v: float) -> None:
        """One more value; a window that has ended is logged first."""
        with self._lock:
            if datetime.datetime.now() - self._began >= self.window_size:
                self._log()
            if len(self._values) < self.max_samples:
                self._values.append(float(v))

    def get(self) -> dict[Aggregation, float]:
        """The values of this window, summed up."""
        values = self._values
        total = sum(values)
        known = {
            Aggregation.VALUE: values[-1] if values else 0.0,
            Aggregation.MEAN: total / len(values) if values else 0.0,
            Aggregation.COUNT: float(len(values)),
            Aggregation.SUM: total,
            Aggregation.MAX: max(values, default=0.0),
            Aggregation.MIN: min(values, default=0.0),
        }
        return {kind: known[kind] for kind in self.aggregations}

    def _log(self) -> None:
        if self._values:
            data = {f"{self.name}.{k.name.lower()}": v for k, v in self.get().items()}
            log_event(Event("torch.monitor.Stat", datetime.datetime.now(), data))
        self._values = []
        self._began = datetime.datetime.now()


class TensorboardEventHandler:
    """Writes the data of events to a SummaryWriter as scalars."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __call__(self, event: Event) -> None:
        if event.name == "torch.monitor.Stat":
            for key, value in event.data.items():
                self._writer.add_scalar(key, value, walltime=event.timestamp.timestamp())


explain_module(globals())

__all__ = [
    "Aggregation", "Event", "EventHandlerHandle", "Stat", "TensorboardEventHandler",
    "data_value_t", "log_event", "register_event_handler", "unregister_event_handler",
]  # fmt: skip
