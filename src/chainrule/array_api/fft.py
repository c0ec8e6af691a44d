"""The standard's Fourier transforms extension."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ._types import array

_NORMS = ("backward", "ortho", "forward")


def _along(name: str) -> Any:
    """A transform along one axis."""
    function = getattr(torch.fft, name)

    def made(x: Any, /, *, n: Any = None, axis: int = -1, norm: str = "backward") -> Any:
        return function(array(x, name), n, axis, _checked(norm))

    return _named(made, name)


def _over(name: str) -> Any:
    """A transform over several axes."""
    function = getattr(torch.fft, name)

    def made(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
        array(x, name)
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        return function(x, s, axes, _checked(norm))

    return _named(made, name)


def _checked(norm: str) -> str:
    if norm not in _NORMS:
        raise refusal.value(f"norm must be one of {_NORMS}, not {norm!r}")
    return norm


def _named(made: Any, name: str) -> Any:
    made.__name__ = made.__qualname__ = name
    made.__module__ = __name__
    made.__doc__ = f"The standard's `{name}`: `chainrule.fft.{name}`."
    return made


fft, ifft, rfft, irfft = _along("fft"), _along("ifft"), _along("rfft"), _along("irfft")
hfft, ihfft = _along("hfft"), _along("ihfft")
fftn, ifftn, rfftn, irfftn = _over("fftn"), _over("ifftn"), _over("rfftn"), _over("irfftn")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of a transform of n samples."""
    return torch.fft.fftfreq(n, d, dtype=_real(dtype), device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of a transform of n real samples."""
    return torch.fft.rfftfreq(n, d, dtype=_real(dtype), device=device)


def _real(dtype: Any) -> Any:
    if dtype is not None and not dtype.is_floating_point:
        raise refusal.value(f"dtype must be a real floating type, not {dtype}")
    return dtype


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The frequency 0 moved to the middle."""
    return torch.fft.fftshift(array(x, "fftshift"), axes)


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The frequency 0 moved from the middle to the front."""
    return torch.fft.ifftshift(array(x, "ifftshift"), axes)


__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfftn", "rfft", "rfftfreq", "rfftn",
]  # fmt: skip


explain_module(globals())
