"""Discrete Fourier transforms with PyTorch's signatures: lengths, dimensions, norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from ..creation import finish, np_dtype
from .common import P, axis_of

if TYPE_CHECKING:
    from ..annotations import DeviceLike, DType, Ints, Layout, Tensor

# What the sum is divided by, per direction; see ops.fft.
_FORWARD_NORMS = {None: "none", "backward": "none", "ortho": "ortho", "forward": "full"}
_INVERSE_NORMS = {None: "full", "backward": "full", "ortho": "ortho", "forward": "none"}


# ---- arguments -----------------------------------------------------------------------------------


def _norm_of(norm: Any, inverse: bool) -> str:
    norms = _INVERSE_NORMS if inverse else _FORWARD_NORMS
    if norm not in norms:
        raise refusal.runtime(
            f'Invalid normalization mode: "{norm}"', fix='use "forward", "backward" or "ortho".'
        )
    return norms[norm]


def _floating(x: Any) -> Any:
    """x in a type that has a transform."""
    if x.dtype.category < dtypes.FLOAT:
        return x.to(dtypes.get_default_dtype())
    if x.dtype.itemsize == 2:
        raise refusal.runtime(
            f"Unsupported dtype {'Half' if x.dtype is dtypes.float16 else 'BFloat16'}",
            fix="transform x.float().",
        )
    return x


def _real_input(x: Any, name: str) -> Any:
    if x.dtype.is_complex:
        kind = "ComplexFloat" if x.dtype is dtypes.complex64 else "ComplexDouble"
        noun = "real-valued" if name.endswith("n") else "real"
        raise refusal.runtime(
            f"{name} expects a {noun} input tensor, but got {kind}", fix="pass x.real."
        )
    return _floating(x)


def _complex_input(x: Any) -> Any:
    x = _floating(x)
    return x if x.dtype.is_complex else x.to(x.dtype.to_complex())


def _one_axis(x: Any, dim: int) -> int:
    if x.ndim == 0:
        raise refusal.index(f"Dimension specified as {dim} but tensor has no dimensions")
    return axis_of(dim, x.ndim)


def _check_points(n: int) -> int:
    if n < 1:
        raise refusal.runtime(f"Invalid number of data points ({n}) specified")
    return n


def _several(
    x: Any, s: Sequence[int] | None, dim: Sequence[int] | int | None
) -> tuple[list[int], list[int]]:
    """Axes and lengths of an n-dimensional transform; -1 stands for the input's own length."""
    if isinstance(dim, int):
        dim = (dim,)
    if dim is not None:
        axes = [axis_of(d, x.ndim) for d in dim]
        if len(set(axes)) != len(axes):
            raise refusal.runtime("FFT dims must be unique", fix=f"dim={tuple(dim)} repeats one.")
    elif s is None:
        axes = list(range(x.ndim))
    else:
        if len(s) > x.ndim:
            raise refusal.runtime(
                f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions.",
            )
        axes = list(range(x.ndim - len(s), x.ndim))
    if s is None:
        return axes, [x.shape[a] for a in axes]
    if len(s) != len(axes):
        raise refusal.runtime("When given, dim and shape arguments must have the same length")
    return axes, [x.shape[a] if n == -1 else n for a, n in zip(axes, s, strict=True)]


def _resized(x: Any, axis: int, n: int) -> Any:
    """x cut or padded with zeros to n elements along an axis."""
    have = x.shape[axis]
    if n == have:
        return x
    if n < have:
        return P.slice_axis(x, axis=axis, start=0, stop=n, step=1)
    shape = tuple(x.shape)
    index = (*(slice(None),) * axis, slice(0, have))
    return P.slice_fill(x, index=index, shape=(*shape[:axis], n, *shape[axis + 1 :]))


def _all_resized(x: Any, axes: list[int], sizes: list[int]) -> Any:
    for a, n in zip(axes, sizes, strict=True):
        x = _resized(x, a, _check_points(n))
    return x


# ---- the transforms ------------------------------------------------------------------------------


def _complex(x: Any, axes: list[int], sizes: list[int], norm: Any, inverse: bool) -> Any:
    x = _all_resized(_floating(x), axes, sizes)
    chosen = _norm_of(norm, inverse)
    if not axes:
        return _complex_input(x).clone()
    run = P.fft_c2c if x.dtype.is_complex else P.fft_whole
    return run(x, axes=tuple(axes), inverse=inverse, norm=chosen)


def _half(x: Any, axes: list[int], sizes: list[int], norm: str) -> Any:
    """The non-redundant half of the transform of a real tensor."""
    if not axes:
        raise refusal.runtime("rfftn must transform at least one axis")
    return P.fft_r2c(_all_resized(x, axes, sizes), axes=tuple(axes), norm=norm)


def _whole(x: Any, axes: list[int], sizes: list[int], norm: str, given: bool) -> Any:
    """The real tensor of which x is half the transform; sizes, where given, are the result's."""
    if not axes:
        raise refusal.runtime("irfftn must transform at least one axis")
    last = sizes[-1] if given else 2 * (x.shape[axes[-1]] - 1)
    _check_points(last)
    x = _all_resized(x, axes, [*sizes[:-1], last // 2 + 1])
    return P.fft_c2r(x, axes=tuple(axes), length=last, norm=norm)


# Of an input, axes, lengths, norm, whether the last length was given, and the function's name.
_KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "fft": ("The Fourier transform", lambda x, a, s, norm, *_: _complex(x, a, s, norm, False)),
    "ifft": (
        "The inverse Fourier transform",
        lambda x, a, s, norm, *_: _complex(x, a, s, norm, True),
    ),
    "rfft": (
        "The non-redundant half of the transform of real numbers",
        lambda x, a, s, norm, given, name: _half(_real_input(x, name), a, s, _norm_of(norm, False)),
    ),
    "ihfft": (
        "The inverse of `hfft`: half the transform of a real spectrum",
        lambda x, a, s, norm, given, name: _half(
            _real_input(x, name), a, s, _norm_of(norm, True)
        ).conj_physical(),
    ),
    "irfft": (
        "The inverse of `rfft`; lengths are those of the real result",
        lambda x, a, s, norm, given, _: _whole(
            _complex_input(x), a, s, _norm_of(norm, True), given
        ),
    ),
    "hfft": (
        "The (real) transform of what is Hermitian in time, given by half of it",
        lambda x, a, s, norm, given, _: _whole(
            _complex_input(x).conj_physical(), a, s, _norm_of(norm, False), given
        ),
    ),
}


def _declare(kind: str, doc: str, transform: Callable[..., Any]) -> None:
    """The transform along one dimension, over several and over two."""

    def along(
        input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None
    ) -> Tensor:
        axis = _one_axis(input, dim)
        lengths = [input.shape[axis] if n is None else n]
        return transform(input, [axis], lengths, norm, n is not None, kind)

    def over(
        input: Tensor,
        s: Sequence[int] | None = None,
        dim: Ints | None = None,
        norm: str | None = None,
    ) -> Tensor:
        given = s is not None and s[-1] != -1
        return transform(input, *_several(input, s, dim), norm, given, f"{kind}n")

    def over_two(
        input: Tensor, s: Sequence[int] | None = None, dim: Ints = (-2, -1), norm: str | None = None
    ) -> Tensor:
        return over(input, s, dim, norm)

    places = ("along one dimension", "over several dimensions (all by default)", "over two")
    for end, function, where in zip(("", "n", "2"), (along, over, over_two), places, strict=True):
        function.__name__ = function.__qualname__ = kind + end
        function.__doc__ = f"{doc}, {where}."
        listed = not end or kind not in ("hfft", "ihfft")
        public(namespace="fft", autocast="float32" if listed else "")(function)


for _kind, _parts in _KINDS.items():
    _declare(_kind, *_parts)


# ---- order and frequencies -----------------------------------------------------------------------


def _shifted(x: Any, dim: Any, inverse: bool) -> Any:
    if x.ndim == 0:
        return x.clone()
    if dim is None:
        axes = list(range(x.ndim))
    else:
        axes = [axis_of(d, x.ndim) for d in ((dim,) if isinstance(dim, int) else dim)]
    moves = tuple((x.shape[a] + inverse) // 2 for a in axes)
    return P.roll(x, shifts=moves, axis=tuple(axes))


@public(namespace="fft", out=False)
def fftshift(input: Tensor, dim: Ints | None = None) -> Tensor:
    """The zero frequency moved to the middle."""
    return _shifted(input, dim, False)


@public(namespace="fft", out=False)
def ifftshift(input: Tensor, dim: Ints | None = None) -> Tensor:
    """The inverse of fftshift."""
    return _shifted(input, dim, True)


@public(namespace="fft")
def fftfreq(
    n: int, d: float = 1.0, *, dtype: DType | None = None, layout: Layout | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies of `fft`'s results for n samples that are d apart."""
    k = np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])
    values = (k.astype(np.float64) * (1.0 / (n * d))).astype(np_dtype(dtype))
    return finish(values, requires_grad, device)


@public(namespace="fft")
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: DType | None = None, layout: Layout | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies of `rfft`'s results for n samples that are d apart."""
    values = (np.arange(n // 2 + 1) * (1.0 / (n * d))).astype(np_dtype(dtype))
    return finish(values, requires_grad, device)
