"""`torch.profiler` on a CPU: what runs, how long it takes, on which line and in which module."""

from ..autograd.profiler import record_function
from ..autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from ..standins.finder import rest_of as _rest_of
from .profile import (
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from .report import TimeReport

__all__ = [
    "EventList", "FunctionEvent", "FunctionEventAvg", "ProfilerAction", "ProfilerActivity",
    "TimeReport", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip

__getattr__ = _rest_of(__name__)
