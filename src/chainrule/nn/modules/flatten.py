"""Several dimensions as one, and one as several."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import Size, Tensor
from ...autograd import refusal
from .function_layer import FunctionLayer

__all__ = ["Flatten", "Unflatten"]


class Flatten(FunctionLayer):
    """The dimensions start_dim to end_dim as one.

    >>> import chainrule as torch
    >>> torch.nn.Flatten()(torch.zeros(32, 3, 5, 5)).shape
    torch.Size([32, 75])
    """

    __constants__: ClassVar[list[str]] = ["start_dim", "end_dim"]
    _shows = "start_dim, end_dim"

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer dimensions."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(FunctionLayer):
    """One dimension as several.

    >>> import chainrule as torch
    >>> torch.nn.Unflatten(1, (2, 5, 5))(torch.zeros(2, 50)).shape
    torch.Size([2, 2, 5, 5])
    """

    __constants__: ClassVar[list[str]] = ["dim", "unflattened_size"]
    _shows = "dim, unflattened_size"

    def __init__(self, dim: int, unflattened_size: Size | list[int] | tuple[int, ...]) -> None:
        _check_sizes(unflattened_size)
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        """The input with more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)


def _check_sizes(sizes: Any) -> None:
    if not isinstance(sizes, tuple | list):
        raise refusal.wrong_type(
            f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}"
        )
    for position, size in enumerate(sizes):
        if not isinstance(size, int):
            raise refusal.wrong_type(
                "unflattened_size must be tuple of ints, but found element of type "
                f"{type(size).__name__} at pos {position}"
            )
