"""Methods that only sparse, quantized or nested tensors answer: others say what they are not.

Programs look for these names on the class, and call them where `layout` or `is_quantized` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd import refusal

if TYPE_CHECKING:
    from .annotations import DType, Number, Tensor

_LAYOUTS = {
    "coalesce": "sparse coordinate", "indices": "sparse coordinate", "values": "sparse",
    "crow_indices": "sparse row compressed", "col_indices": "sparse row compressed",
    "ccol_indices": "sparse column compressed", "row_indices": "sparse column compressed",
}  # fmt: skip
_KINDS = {
    "sparse": "_nnz _indices _values _dimI _dimV sparse_resize_ sparse_resize_and_clear_",
    "quantized": "int_repr q_scale q_zero_point qscheme q_per_channel_axis q_per_channel_scales "
    "q_per_channel_zero_points",
    "nested": "to_padded_tensor",
}


def _only_sparse(name: str, layout: str) -> Callable[..., Any]:
    def method(self: Tensor) -> Any:
        raise refusal.runtime(
            f"{name} expected {layout} tensor layout but got Strided",
            fix="test x.layout or x.is_sparse first, or make it sparse by x.to_sparse().",
        )

    return _named(method, name, f"A part of {layout} tensors; this one is dense: refused.")


def _only_of_kind(name: str, kind: str) -> Callable[..., Any]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        raise refusal.not_implemented(f"{name} is for {kind} tensors, and this one is none")

    return _named(method, name, f"For {kind} tensors; refused for others.")


def _named(method: Any, name: str, doc: str) -> Any:
    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc
    return method


def smm(self: Tensor, mat: Tensor) -> Any:
    """A sparse matrix times a dense one, as a sparse matrix."""
    from ..sparse import smm as product

    return product(self, mat)


def sspaddmm(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Any:
    """`beta * self + alpha * (mat1 @ mat2)` for sparse matrices."""
    from ..sparse.products import sspaddmm as product

    return product(self, mat1, mat2, beta=beta, alpha=alpha)


def sparse_mask(self: Tensor, mask: Tensor) -> Any:
    """The elements at the places of a sparse tensor, as a sparse tensor."""
    from ..sparse import sparse_coo_tensor

    at = mask.coalesce()
    places = at.indices()
    if self.is_sparse:
        self = self.to_dense()
    return sparse_coo_tensor(places, self[tuple(places)], self.shape, is_coalesced=True)


def resize_as_sparse_(self: Tensor, other: Tensor) -> Tensor:
    """An empty sparse tensor takes the size of another."""
    return self.sparse_resize_(other.shape, other.sparse_dim(), other.dense_dim())


def reinforce(self: Tensor, reward: Any) -> Any:
    """Removed from PyTorch."""
    raise refusal.runtime(
        "reinforce() was removed.",
        fix="loss = -Categorical(probs).log_prob(action) * reward; loss.backward().",
    )


def to_mkldnn(self: Tensor, dtype: DType | None = None) -> Any:
    """Refused: MKL-DNN's layout is PyTorch's own."""
    raise refusal.not_implemented("there is no MKL-DNN layout here", fix="leave the call out.")


METHODS: dict[str, Any] = {
    **{name: _only_sparse(name, layout) for name, layout in _LAYOUTS.items()},
    **{name: _only_of_kind(name, kind) for kind, names in _KINDS.items() for name in names.split()},
    "dequantize": _named(lambda self: self, "dequantize", "Itself: it is not quantized."),
    "smm": smm, "sspaddmm": sspaddmm, "sparse_mask": sparse_mask, "reinforce": reinforce,
    "resize_as_sparse_": resize_as_sparse_, "to_mkldnn": to_mkldnn,
}  # fmt: skip
