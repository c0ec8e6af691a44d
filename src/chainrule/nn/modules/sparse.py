"""Tables of rows looked up by index."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from ... import Tensor, no_grad
from ...autograd import refusal
from ...autograd.accidents import explain_methods
from ...tensor import Parameter
from .. import functional as F
from .. import init
from .layer_common import PROBLEMS, add_layer, new_parameter
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


def _padding_row(padding_idx: int | None, rows: int, name: str) -> int | None:
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise refusal.assertion(
            f"{name} must be within num_embeddings: {padding_idx} for {rows} rows"
        )
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _check_table(weight: Tensor, rows: int, columns: int) -> None:
    if list(weight.shape) != [rows, columns]:
        raise refusal.assertion(
            "Shape of weight does not match num_embeddings and embedding_dim: "
            f"{list(weight.shape)} and [{rows}, {columns}]"
        )


def _table_of(embeddings: Tensor) -> tuple[int, int]:
    if embeddings.dim() != 2:
        raise refusal.assertion(
            "Embeddings parameter is expected to be 2-dimensional, got shape "
            f"{list(embeddings.shape)}"
        )
    rows, columns = embeddings.shape
    return rows, columns


class _Table(Module):
    """What both tables share: the rows and how they are drawn."""

    weight: Parameter
    padding_idx: int | None

    def reset_parameters(self) -> None:
        """Draw the rows again, normal with variance 1; the padding row is zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


def _unusual_options(layer: Any) -> list[str]:
    """What both layers show of options that are not the usual ones."""
    said = []
    if layer.max_norm is not None:
        said.append(f"max_norm={layer.max_norm}")
    if layer.norm_type != 2:
        said.append(f"norm_type={layer.norm_type}")
    if layer.scale_grad_by_freq is not False:
        said.append(f"scale_grad_by_freq={layer.scale_grad_by_freq}")
    return said


class Embedding(_Table):
    """The rows of a learned table numbered by the input.

    >>> import chainrule as torch
    >>> words = torch.nn.Embedding(10, 3, padding_idx=0)
    >>> words(torch.tensor([[0, 2, 0, 5]])).shape
    torch.Size([1, 4, 3])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _padding_row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        else:
            _check_table(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight, requires_grad=not _freeze)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        """The rows numbered by the input."""
        weight = self._parameters.get("weight")
        if weight is None:  # computed from others, by a parametrization
            weight = self.weight
        try:
            return F.embedding(
                input, weight, self.padding_idx, self.max_norm, self.norm_type,
                self.scale_grad_by_freq, self.sparse,
            )  # fmt: skip
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the usual ones."""
        said = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            said.append(f"padding_idx={self.padding_idx}")
        said += _unusual_options(self)
        if self.sparse is not False:
            said.append("sparse=True")
        return ", ".join(said)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:  # fmt: skip
        """A layer whose table is the given one, by default not trained."""
        rows, columns = _table_of(embeddings)
        return cls(
            num_embeddings=rows, embedding_dim=columns, _weight=embeddings, _freeze=freeze,
            padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
        )  # fmt: skip


class EmbeddingBag(_Table):
    """Rows of a learned table, summed, averaged or maximised per bag of indices.

    >>> import chainrule as torch
    >>> bags = torch.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bags(torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False,
        padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _padding_row(padding_idx, num_embeddings, "padding_idx")
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.reset_parameters()
        else:
            _check_table(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """One row per bag."""
        try:
            return F.embedding_bag(
                input, self.weight, offsets, self.max_norm, self.norm_type,
                self.scale_grad_by_freq, self.mode, self.sparse, per_sample_weights,
                self.include_last_offset, self.padding_idx,
            )  # fmt: skip
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the usual ones."""
        said = [f"{self.num_embeddings}, {self.embedding_dim}"]
        said += _unusual_options(self)
        said.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            said.append(f"padding_idx={self.padding_idx}")
        return ", ".join(said)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None,
    ) -> Self:  # fmt: skip
        """A layer whose table is the given one, by default not trained."""
        rows, columns = _table_of(embeddings)
        layer = cls(
            num_embeddings=rows, embedding_dim=columns, _weight=embeddings, max_norm=max_norm,
            norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
            include_last_offset=include_last_offset, padding_idx=padding_idx,
        )  # fmt: skip
        layer.weight.requires_grad_(not freeze)
        return layer


explain_methods(Embedding, "from_pretrained")
explain_methods(EmbeddingBag, "from_pretrained")
