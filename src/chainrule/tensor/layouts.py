"""Names for how a tensor lies in memory: `strided`, `contiguous_format`, `channels_last`..."""

from __future__ import annotations

from ..autograd import refusal


class _Name:
    """A constant that prints as PyTorch's."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def __copy__(self) -> _Name:
        return self

    def __deepcopy__(self, memo: object) -> _Name:
        return self


class memory_format(_Name):
    """The order of dimensions in memory."""

    __slots__ = ()


class layout(_Name):
    """Dense (`strided`) or sparse."""

    __slots__ = ()


legacy_contiguous_format = contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")


def format_order(chosen: memory_format, ndim: int) -> tuple[int, ...] | None:
    """The dimensions from slowest to fastest under a format; None when it does not apply."""
    if chosen is channels_last and ndim == 4:
        return (0, 2, 3, 1)
    if chosen is channels_last_3d and ndim == 5:
        return (0, 2, 3, 4, 1)
    return tuple(range(ndim)) if chosen is contiguous_format else None


def required_order(chosen: memory_format, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The order of dimensions under a format, or an error when the shape does not fit it."""
    order = format_order(chosen, len(shape))
    if order is None:
        rank = {"channels_last": 4, "channels_last_3d": 5}.get(chosen.name)
        if rank is None:
            raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
        raise refusal.runtime(
            f"required rank {rank} tensor to use {chosen.name} format, but the shape is "
            f"{list(shape)}"
        )
    return order
