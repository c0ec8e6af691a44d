"""A multivariate normal whose covariance is of low rank plus a diagonal."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions
from .multivariate_normal import batch_mv, log_diagonal, mahalanobis
from .utils import lazy_property, standard_normal

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with covariance W W^T + diag(D), by the matrix determinant lemma.

    Nothing larger than n x m is formed for sampling and densities of an n x m factor W.
    """

    arg_constraints = regions(
        loc=constraints.real_vector,
        cov_factor=constraints.independent(constraints.real, 2),
        cov_diag=constraints.independent(constraints.positive, 1),
    )
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None
    ) -> None:
        event = _checked_event(loc, cov_factor, cov_diag)
        batches = (loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        try:
            batch = torch.broadcast_shapes(*batches)
        except RuntimeError as problem:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from problem
        self.loc = loc.expand(*batch, -1)
        self.cov_factor = cov_factor.expand(*batch, -1, -1)
        self.cov_diag = cov_diag.expand(*batch, -1)
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _capacitance(cov_factor, cov_diag)
        super().__init__(batch, event, validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril

    def _square(self, matrix: Any) -> Any:
        n = self._event_shape[0]
        return matrix.expand(*self._batch_shape, n, n)

    mean = property(lambda self: self.loc)
    mode = mean

    @lazy_property
    def variance(self) -> Any:  # type: ignore[override]
        """The diagonal of the covariance."""
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariance."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._square(root * torch.linalg.cholesky(_plus_identity(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        w = self._unbroadcasted_cov_factor
        return self._square(w @ w.mT + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance (Woodbury)."""
        d = self._unbroadcasted_cov_diag
        scaled = self._unbroadcasted_cov_factor.mT / d.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._square(torch.diag_embed(d.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        along = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc.dtype)
        noise = standard_normal(shape, self.loc.dtype)
        spread = self._unbroadcasted_cov_diag.sqrt() * noise
        return self.loc + batch_mv(self._unbroadcasted_cov_factor, along) + spread

    def log_determinant(self) -> Any:
        """log |covariance|, by the determinant lemma."""
        return 2 * log_diagonal(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def distance(self, x: Any) -> Any:
        """x^T covariance^-1 x (Woodbury)."""
        d = self._unbroadcasted_cov_diag
        seen = batch_mv(self._unbroadcasted_cov_factor.mT / d.unsqueeze(-2), x)
        return (x.pow(2) / d).sum(-1) - mahalanobis(self._capacitance_tril, seen)

    @checked
    def log_prob(self, value: Any) -> Any:
        n = self._event_shape[0]
        distance = self.distance(value - self.loc)
        return -0.5 * (n * math.log(2 * math.pi) + self.log_determinant() + distance)

    def entropy(self) -> Any:
        h = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self.log_determinant())
        return h.expand(self._batch_shape) if self._batch_shape else h


def _checked_event(loc: Any, cov_factor: Any, cov_diag: Any) -> Any:
    if loc.dim() < 1:
        raise ValueError("loc must be at least one-dimensional.")
    event = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError(
            "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
        )
    if cov_factor.shape[-2:-1] != event:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
    if cov_diag.shape[-1:] != event:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
    return event


def _plus_identity(matrix: Any) -> Any:
    return matrix + torch.eye(matrix.shape[-1], dtype=matrix.dtype)


def _capacitance(factor: Any, diag: Any) -> Any:
    """The Cholesky factor of I + W^T D^-1 W."""
    return torch.linalg.cholesky(_plus_identity((factor.mT / diag.unsqueeze(-2)) @ factor))
