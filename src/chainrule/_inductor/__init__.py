"""`torch._inductor`: names of PyTorch's code generator; ours is `chainrule.compiler`."""

from __future__ import annotations

from typing import Any, NoReturn

from . import config


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: graphs are compiled by `torch.compile`."""
    raise NotImplementedError(
        "torch._inductor compiles graphs of PyTorch, which chainrule does not have\n"
        "  Fix: torch.compile(function) makes machine code here."
    )


compile = aot_compile = aoti_compile_and_package = aoti_load_package = _refuse  # noqa: A001
standalone_compile = _refuse


def list_options() -> list[str]:
    """The names of settings."""
    return sorted(n for n in vars(config) if not n.startswith("_") and n != "patch")


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """What the modes of `compile` change: nothing."""
    modes: dict[str, Any] = {"default": {}, "reduce-overhead": {}, "max-autotune": {}}
    return modes[mode] if mode else modes


def cudagraph_mark_step_begin() -> None:
    """A mark for GPUs, of which there are none."""


__all__ = ["aot_compile", "compile", "config", "cudagraph_mark_step_begin", "list_mode_options",
           "list_options", "standalone_compile"]  # fmt: skip
