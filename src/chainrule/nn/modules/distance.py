"""Distances between vectors."""

from __future__ import annotations

from ... import Tensor
from ..functional import cosine_similarity, pairwise_distance
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2, vector by vector.

    >>> import chainrule as torch
    >>> torch.nn.PairwiseDistance()(torch.tensor([[3., 4.]]), torch.zeros(1, 2))
    tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distances."""
        return pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between x1 and x2 along a dimension.

    >>> import chainrule as torch
    >>> torch.nn.CosineSimilarity()(torch.tensor([[1., 1.]]), torch.tensor([[0., 2.]]))
    tensor([0.7071])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosines."""
        return cosine_similarity(x1, x2, self.dim, self.eps)
