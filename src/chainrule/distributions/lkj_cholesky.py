"""The LKJ distribution of correlation matrices, by their Cholesky factors."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .beta import Beta
from .distribution import Distribution, checked, regions

__all__ = ["LKJCholesky"]


_LARGEST = 1 << 16  # rows: one matrix of more would take over 16 GB


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices, with density ~ det^(concentration - 1).

    Sampled by the onion method of Lewandowski, Kurowicka and Joe (2009).
    """

    arg_constraints = regions(concentration=constraints.positive)
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        if dim > _LARGEST:
            raise ValueError(
                f"LKJCholesky: dim={dim} asks for matrices of {dim * dim} numbers. Fix: pass the "
                f"number of variables, at most {_LARGEST}."
            )
        self.dim = dim
        self._set(validate_args, event=(dim, dim), concentration=concentration)
        rows = torch.arange(dim - 1, dtype=self.concentration.dtype)
        rows = torch.cat([rows.new_zeros(1), rows])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(rows + 0.5, marginal.unsqueeze(-1) - 0.5 * rows)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new.dim = self.dim
        new._beta = self._beta.expand((*batch_shape, self.dim))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            radius = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            below = torch.randn(shape, dtype=radius.dtype).tril(-1)
            direction = below / below.norm(dim=-1, keepdim=True)
            direction[..., 0, :] = 0.0
            rows = torch.sqrt(radius) * direction
            tiny = torch.finfo(rows.dtype).tiny
            diagonal = (1 - (rows**2).sum(-1)).clamp(min=tiny).sqrt()
            return rows + torch.diag_embed(diagonal)

    @checked
    def log_prob(self, value: Any) -> Any:
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalised = (order * diagonal.log()).sum(-1)
        m = self.dim - 1
        alpha = self.concentration + 0.5 * m
        norm = torch.mvlgamma(alpha - 0.5, m) - torch.lgamma(alpha) * m
        return unnormalised - (0.5 * m * math.log(math.pi) + norm)
