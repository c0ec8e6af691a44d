"""Process-wide settings that programs set and ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from ..autograd.accidents import explain_module
from ..autograd.warn_once import WARNINGS
from ..ops import kernels


class _Settings:
    deterministic = False
    deterministic_warn_only = False
    matmul_precision = "highest"
    threads: int | None = None
    told_of_threads: ClassVar[list[Callable[[], None]]] = []
    overwrite_module_params = False
    swap_module_params = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for repeatable results: they are always so here, reductions do not depend on threads."""
    _Settings.deterministic, _Settings.deterministic_warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether repeatable results were asked for."""
    return _Settings.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether a warning was preferred to an error where results cannot be repeated."""
    return _Settings.deterministic_warn_only


def set_deterministic_debug_mode(debug_mode: Any) -> None:
    """Ask for repeatable results by number or name: 0/"default", 1/"warn", 2/"error"."""
    level = {"default": 0, "warn": 1, "error": 2}.get(debug_mode, debug_mode)
    if level not in (0, 1, 2):
        raise RuntimeError(
            "invalid value of debug_mode, expected 0, 1 or 2, `default`, `warn` or `error`, but "
            f"got {debug_mode}"
        )
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: see set_deterministic_debug_mode."""
    if not _Settings.deterministic:
        return 0
    return 1 if _Settings.deterministic_warn_only else 2


def set_flush_denormal(mode: bool) -> bool:
    """Ask for tiny numbers to count as zero; False, as it is not possible here: they are kept."""
    return False


def set_float32_matmul_precision(precision: str) -> None:
    """Allow less exact matrix products; they stay exact here."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(
            f"{precision} is not one of 'highest', 'high', or 'medium', the matmul precisions"
        )
    _Settings.matmul_precision = precision


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision was given."""
    return _Settings.matmul_precision


def set_num_threads(int_: int) -> None:
    """How many threads products and compiled programs use, those of NumPy's BLAS among them."""
    if not isinstance(int_, int) or int_ <= 0:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {int_!r}")
    _Settings.threads = int_
    kernels.limit_threads(int_)
    for tell in _Settings.told_of_threads:
        tell()


def when_threads_change(tell: Callable[[], None]) -> None:
    """Have a function called after every `set_num_threads`."""
    _Settings.told_of_threads.append(tell)


def chosen_num_threads() -> int | None:
    """What set_num_threads was given, None before."""
    return _Settings.threads


def get_num_threads() -> int:
    """How many threads compiled programs use: the cores of this process unless set."""
    if _Settings.threads is not None:
        return _Settings.threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_num_interop_threads(int_: int) -> None:
    """How many operations may run at the same time: always one here."""


def get_num_interop_threads() -> int:
    """How many operations may run at the same time."""
    return 1


def set_warn_always(b: bool) -> None:
    """Whether warnings that appear once are to appear every time."""
    WARNINGS.always = bool(b)


def is_warn_always_enabled() -> bool:
    """What set_warn_always was given."""
    return WARNINGS.always


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether converting a module puts new parameter objects into it."""
    _Settings.overwrite_module_params = value


def get_overwrite_module_params_on_conversion() -> bool:
    """What set_overwrite_module_params_on_conversion was given."""
    return _Settings.overwrite_module_params


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether converting or loading a module exchanges contents by `utils.swap_tensors`."""
    _Settings.swap_module_params = value


def get_swap_module_params_on_conversion() -> bool:
    """What set_swap_module_params_on_conversion was given."""
    return _Settings.swap_module_params


explain_module(globals())
