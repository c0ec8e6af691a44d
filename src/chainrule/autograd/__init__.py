"""The tape: reverse and forward mode, modes, custom functions, hooks, transforms."""

from typing import Any

from .anomaly import detect_anomaly, set_detect_anomaly
from .backward import backward, grad
from .modes import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .packages import keep_functions as _keep_functions
from .stand_ins import rest_of as _rest_of

# Imported when first used: none of them is needed to record or to run backward.
_LAZY = {
    "Function": ("function", "Function"),
    "function": ("function", None),
    "forward_ad": ("forward_ad", None),
    "functional": ("functional", None),
    "graph": ("graph", None),
    "gradcheck": ("gradcheck", "gradcheck"),
    "gradgradcheck": ("gradcheck", "gradgradcheck"),
    "Variable": ("variable", "Variable"),
    "grad_mode": ("modes", None),
    "anomaly_mode": ("anomaly", None),
    "profiler": ("profiler", None),
    "profiler_util": ("profiler_util", None),
    "is_anomaly_check_nan_enabled": ("anomaly", "is_anomaly_check_nan_enabled"),
    "is_anomaly_enabled": ("anomaly", "is_anomaly_enabled"),
    "set_anomaly_enabled": ("anomaly", "set_anomaly_enabled"),
    "is_multithreading_enabled": ("modes", "is_multithreading_enabled"),
    "set_multithreading_enabled": ("modes", "set_multithreading_enabled"),
}

_OF_PROFILER = ("DeviceType", "_disable_profiler", "_profiler_enabled", "kineto_available")
_rest = _rest_of(__name__)
_FUNCTIONS = frozenset({"gradcheck"})  # of the name of the module they are in


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        if name in _OF_PROFILER:
            from . import profiler_questions

            return getattr(profiler_questions, name)
        return _rest(name)
    import importlib

    module_name, attribute = _LAZY[name]
    module = importlib.import_module(f".{module_name}", __name__)
    found = module if attribute is None else getattr(module, attribute)
    globals()[name] = found
    return found


__all__ = [
    "Function",  # pyright: ignore[reportUnsupportedDunderAll]
    "Variable",  # pyright: ignore[reportUnsupportedDunderAll]
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "grad",
    "gradcheck",  # pyright: ignore[reportUnsupportedDunderAll]
    "gradgradcheck",  # pyright: ignore[reportUnsupportedDunderAll]
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

_keep_functions(__name__)
