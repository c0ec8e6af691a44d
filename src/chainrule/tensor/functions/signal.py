"""Short-time Fourier transforms: a signal cut into windowed, overlapping frames, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.value import make
from ...ops import dtypes
from ..api import API, public
from .common import P

if TYPE_CHECKING:
    from ..annotations import Tensor


def _refuse(name: str, input: Any, reason: str, **settings: Any) -> RuntimeError:
    shown = ", ".join(f"{k}={v}" for k, v in settings.items())
    return refusal.runtime(
        f"{name}(a {input.dtype!r} tensor of shape {list(input.shape)}, {shown}) : {reason}",
    )


def _check_lengths(name: str, x: Any, n_fft: int, hop: int, win: int, window: Any) -> None:
    said = {"n_fft": n_fft, "hop_length": hop, "win_length": win}
    if hop <= 0:
        raise _refuse(name, x, f"expected hop_length > 0, but got hop_length={hop}", **said)
    if win <= 0 or win > n_fft:
        raise _refuse(
            name, x, f"expected 0 < win_length <= n_fft, but got win_length={win}", **said
        )
    if window is not None and (window.ndim != 1 or window.shape[0] != win):
        raise _refuse(
            name, x,
            f"expected a 1D window tensor of size equal to win_length={win}, but got window with "
            f"size {list(window.shape)}",
            **said,
        )  # fmt: skip


def _full_window(window: Any, win: int, n_fft: int, like: Any) -> Any:
    """The window with zeros on both sides up to n_fft; None when it would change nothing."""
    if window is None:
        if win == n_fft:
            return None
        real = like.dtype.to_real()
        window = make(np.ones(win, real.np))
    if win == n_fft:
        return window
    left = (n_fft - win) // 2
    return P.slice_fill(window, index=(slice(left, left + win),), shape=(n_fft,))


def _padded(x: Any, width: int, mode: str) -> Any:
    """x with `width` more elements on each side of its last dimension."""
    if width == 0:
        return x
    if mode == "reflect":
        if width >= x.shape[-1]:
            raise refusal.runtime(
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({width}, {width}) at dimension 2 of input {list(x.shape)}",
                fix="use a smaller n_fft, a longer signal, or center=False.",
            )
    if mode == "constant":
        shape = tuple(x.shape)
        index = (*(slice(None),) * (x.ndim - 1), slice(width, width + shape[-1]))
        return P.slice_fill(x, index=index, shape=(*shape[:-1], shape[-1] + 2 * width))
    pad = API["nn.functional.pad"].function
    return pad(x.unsqueeze(-2), (width, width), mode).squeeze(-2)


@public(out=False, autocast="float32")
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect",
    normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:  # fmt: skip
    """The Fourier transforms of overlapping frames of a signal: frequencies by frames."""
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    whole = input.dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None:
        if not whole:
            raise refusal.runtime(
                "stft requires the return_complex parameter be given for real inputs, and will "
                "further require that return_complex=True in a future PyTorch release.",
                fix="pass return_complex=True.",
            )
        return_complex = True
    if input.dtype.category < dtypes.FLOAT:
        raise _refuse("stft", input, "expected a tensor of floating point or complex values")
    if input.ndim not in (1, 2):
        raise _refuse("stft", input, "expected a 1D or 2D tensor", n_fft=n_fft)
    if onesided and whole:
        raise refusal.runtime("Cannot have onesided output if window or input is complex")
    x = _padded(input, n_fft // 2, pad_mode) if center else input
    if n_fft <= 0 or n_fft > x.shape[-1]:
        reason = f"expected 0 < n_fft < {x.shape[-1]}, but got n_fft={n_fft}"
        raise _refuse("stft", input, reason, n_fft=n_fft, hop_length=hop, win_length=win)
    _check_lengths("stft", input, n_fft, hop, win, window)
    frames = P.unfold(x, axis=x.ndim - 1, size=n_fft, step=hop)
    weights = _full_window(window, win, n_fft, input)
    if weights is not None:
        frames = frames * weights
    spectrum = _spectrum(frames, "ortho" if normalized else "none", onesided is not False)
    spectrum = spectrum.transpose(-1, -2)
    return spectrum if return_complex else spectrum.view_as_real()


def _spectrum(frames: Any, norm: str, half: bool) -> Any:
    axes = (frames.ndim - 1,)
    if frames.dtype.is_complex:
        return P.fft_c2c(frames, axes=axes, inverse=False, norm=norm)
    if half:
        return P.fft_r2c(frames, axes=axes, norm=norm)
    return P.fft_whole(frames, axes=axes, inverse=False, norm=norm)


@public(out=False)
def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, normalized: bool = False,
    onesided: bool | None = None, length: int | None = None, return_complex: bool = False,
) -> Any:  # fmt: skip
    """The signal whose stft comes closest: frames overlapped, added and divided by the windows."""
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    _check_spectrum(input, n_fft, onesided, window, return_complex)
    _check_lengths("istft", input, n_fft, hop, win, window)
    half = input.shape[-2] != n_fft if onesided is None else onesided
    spectrum = input.transpose(-1, -2)
    frames = _frames(spectrum, n_fft, half, return_complex, "ortho" if normalized else "full")
    weights = _full_window(window, win, n_fft, input)
    if weights is None:
        weights = make(np.ones(n_fft, input.dtype.to_real().np))
    count = frames.shape[-2]
    total = n_fft + hop * (count - 1)
    signal = _overlapped(frames * weights, total, hop)
    square = weights * weights  # PyTorch does not conjugate a complex window here
    envelope = _overlapped(square.expand(count, n_fft), total, hop)
    start = n_fft // 2 if center else 0
    stop = start + length if length is not None else total - start
    return _unwindowed(signal, envelope, start, stop, total)


def _check_spectrum(x: Any, n_fft: int, onesided: Any, window: Any, return_complex: bool) -> None:
    if not x.dtype.is_complex:
        raise refusal.runtime(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True.",
            fix="torch.view_as_complex makes one of real pairs.",
        )
    if x.ndim not in (2, 3) or x.numel() == 0:
        raise _refuse("istft", x, "expected a tensor with 2 or 3 dimensions and some elements")
    complex_window = window is not None and window.dtype.is_complex
    half = x.shape[-2] != n_fft if onesided is None else onesided
    if half and (return_complex or complex_window):
        raise refusal.runtime("Cannot have onesided output if window or input is complex")
    want = n_fft // 2 + 1 if half else n_fft
    if x.shape[-2] != want:
        rule = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
        raise _refuse(
            "istft", x,
            "expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"{rule}, but got {x.shape[-2]}",
            n_fft=n_fft,
        )  # fmt: skip


def _frames(spectrum: Any, n_fft: int, half: bool, complex_result: bool, norm: str) -> Any:
    axes = (spectrum.ndim - 1,)
    if complex_result:
        return P.fft_c2c(spectrum, axes=axes, inverse=True, norm=norm)
    if not half:
        spectrum = P.slice_axis(spectrum, axis=axes[0], start=0, stop=n_fft // 2 + 1, step=1)
    return P.fft_c2r(spectrum, axes=axes, length=n_fft, norm=norm)


def _overlapped(frames: Any, total: int, hop: int) -> Any:
    lead = tuple(frames.shape[:-2])
    size = frames.shape[-1]
    return P.unfold_sum(frames, shape=(*lead, total), axis=len(lead), size=size, step=hop)


def _unwindowed(signal: Any, envelope: Any, start: int, stop: int, total: int) -> Any:
    """The part start..stop of the signal divided by its windows; zeros where there is no frame."""
    end = min(stop, total)
    signal = P.slice_axis(signal, axis=signal.ndim - 1, start=start, stop=end, step=1)
    envelope = P.slice_axis(envelope, axis=0, start=start, stop=end, step=1)
    if envelope._level is None and np.abs(envelope._a).min(initial=1.0) <= 1e-11:
        raise refusal.runtime(
            "istft: window overlap add min: 1 (the windows add up to zero somewhere, where the "
            "signal cannot be known)",
            fix="use a smaller hop_length, a window without zeros, or center=True.",
        )
    signal = signal / envelope
    if stop <= total:
        return signal
    shape = (*signal.shape[:-1], stop - start)
    index = (*(slice(None),) * (signal.ndim - 1), slice(0, end - start))
    return P.slice_fill(signal, index=index, shape=shape)
