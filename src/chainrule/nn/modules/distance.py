"""Distances between vectors."""

from __future__ import annotations

from typing import ClassVar

from .function_layer import FunctionLayer

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(FunctionLayer):
    """The p-norm of x1 - x2, vector by vector.

    >>> import chainrule as torch
    >>> torch.nn.PairwiseDistance()(torch.tensor([[3., 4.]]), torch.zeros(1, 2))
    tensor([5.0000])
    """

    __constants__: ClassVar[list[str]] = ["norm", "eps", "keepdim"]
    _call = "F.pairwise_distance(x1, x2, self.norm, eps, keepdim)"

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self._keep({"norm": p, "eps": eps, "keepdim": keepdim})


class CosineSimilarity(FunctionLayer):
    """The cosine of the angle between x1 and x2 along a dimension.

    >>> import chainrule as torch
    >>> torch.nn.CosineSimilarity()(torch.tensor([[1., 1.]]), torch.tensor([[0., 2.]]))
    tensor([0.7071])
    """

    __constants__: ClassVar[list[str]] = ["dim", "eps"]
    _call = "F.cosine_similarity(x1, x2, dim, eps)"

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self._keep(locals())
