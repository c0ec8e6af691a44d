"""Timing statements: `Timer`, `Measurement` and `Compare`, as in `torch.utils.benchmark`."""

from ...standins.finder import rest_of as _rest_of
from .compare import Colorize, Compare
from .fuzzer import (
    FuzzedParameter,
    FuzzedSparseTensor,
    FuzzedTensor,
    Fuzzer,
    ParameterAlias,
    ordered_unique,
    trim_sigfig,
)
from .measurement import Measurement, TaskSpec, select_unit, unit_to_english
from .timing import Language, Timer, set_torch_threads, timer

__all__ = [
    "Colorize", "Compare", "FuzzedParameter", "FuzzedSparseTensor", "FuzzedTensor", "Fuzzer",
    "Language", "Measurement", "ParameterAlias", "TaskSpec", "Timer", "ordered_unique",
    "select_unit", "set_torch_threads", "timer", "trim_sigfig", "unit_to_english",
]  # fmt: skip

__getattr__ = _rest_of(__name__)
