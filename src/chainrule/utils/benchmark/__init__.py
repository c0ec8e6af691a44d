"""Timing statements: `Timer`, `Measurement` and `Compare`, as in `torch.utils.benchmark`."""

from .compare import Compare
from .measurement import Measurement, TaskSpec, select_unit, unit_to_english
from .timing import Language, Timer, timer

__all__ = [
    "Compare", "Language", "Measurement", "TaskSpec", "Timer", "select_unit", "timer",
    "unit_to_english",
]  # fmt: skip
