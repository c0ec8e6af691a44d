"""Small things all distributions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import chainrule as torch

euler_constant = 0.57721566490153286060

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Numbers and tensors as tensors of one shape; numbers take the first tensor's type.

    >>> [t.shape for t in broadcast_all(1.0, torch.zeros(2, 1), torch.zeros(3))]
    [torch.Size([2, 3]), torch.Size([2, 3]), torch.Size([2, 3])]
    """
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    if not all(isinstance(v, torch.Tensor | int | float) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            f"__torch_function__: got {', '.join(type(v).__name__ for v in values)}"
        )
    dtype = tensors[0].dtype if tensors else torch.get_default_dtype()
    made = [v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=dtype) for v in values]
    return tuple(torch.broadcast_tensors(*made))


def standard_normal(shape: Sequence[int], dtype: Any, device: Any = None) -> Any:
    """Fresh standard normal values."""
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape(*value.shape[:-dim], -1).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities of log-odds (binary) or of unnormalised log-probabilities."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def clamp_probs(probs: Any) -> Any:
    """Probabilities kept off 0 and 1 by one rounding error."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Log-odds (binary) or log-probabilities of probabilities."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


class lazy_property:
    """An attribute computed when first asked for, then kept on the object."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        instance.__dict__[self.wrapped.__name__] = value
        return value


def name_formulas(cls: type) -> None:
    """Give formulas, `mean = property(lambda self: ...)`, the names that they stand under."""
    for name, value in vars(cls).items():
        function: Any = getattr(value, "fget", getattr(value, "wrapped", value))
        while getattr(function, "__name__", "") == "<lambda>":
            function.__name__, function.__qualname__ = name, f"{cls.__qualname__}.{name}"
            function.__module__ = cls.__module__
            if function.__code__.co_name == "<lambda>":  # what a traceback shows
                function.__code__ = function.__code__.replace(co_name=name)
            function = getattr(function, "__wrapped__", None)


def _below_diagonal(n: int, diag: int) -> Any:
    places = torch.arange(n)
    return places < places.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The entries on and below a diagonal, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below_diagonal(n, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """A square matrix with these entries on and below a diagonal, zeros elsewhere."""
    shift = 1 + 2 * diag
    n = (-shift + (shift**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix."
        )
    size = round(n)
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., _below_diagonal(size, diag)] = vec
    return matrix


_standard_normal = standard_normal
_sum_rightmost = sum_rightmost
