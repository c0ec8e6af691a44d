"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions
from .utils import lazy_property, standard_normal

__all__ = ["MultivariateNormal"]

FORMS = ("covariance_matrix", "precision_matrix", "scale_tril")


def batch_mv(matrices: Any, vectors: Any) -> Any:
    """Matrix times vector, for batches that broadcast."""
    return torch.matmul(matrices, vectors.unsqueeze(-1)).squeeze(-1)


def log_diagonal(factor: Any) -> Any:
    """log of the determinant of a triangular matrix."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def mahalanobis(factor: Any, x: Any) -> Any:
    """|factor^-1 x|^2 for lower triangular factors; all vectors of a factor are solved at once."""
    batch = torch.broadcast_shapes(factor.shape[:-2], x.shape[:-1])
    lead = len(batch) - (factor.dim() - 2)
    if lead > 0 and x.shape[:-1] == batch:
        # (sample..., batch..., n) -> (batch..., n, samples): one solve for each factor.
        samples = x.reshape(-1, *x.shape[lead:]).movedim(0, -1)
        solved = torch.linalg.solve_triangular(factor, samples, upper=False)
        distances: Any = solved.pow(2).sum(-2)
        return distances.movedim(-1, 0).reshape(batch)
    solved = torch.linalg.solve_triangular(factor, x.unsqueeze(-1), upper=False)
    return solved.squeeze(-1).pow(2).sum(-1)


def factor_of_precision(precision: Any) -> Any:
    """The lower Cholesky factor of the inverse of a precision matrix."""
    flipped = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.flip(flipped, (-2, -1)).mT
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype)
    return torch.linalg.solve_triangular(inverse, identity, upper=False)


# PyTorch's names for these, which libraries import.
_batch_mv, _batch_mahalanobis, _precision_to_scale_tril = batch_mv, mahalanobis, factor_of_precision


def chosen_form(given: dict[str, Any], refused: type[Exception]) -> tuple[str, Any]:
    """The one way in which a covariance is given."""
    found = [(name, value) for name, value in given.items() if value is not None]
    if len(found) != 1:
        raise refused(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
        )
    return found[0]


def factor_of(name: str, matrix: Any) -> Any:
    """The lower Cholesky factor of the covariance, however it is given."""
    if name == "covariance_matrix":
        return torch.linalg.cholesky(matrix)
    return matrix if name == "scale_tril" else factor_of_precision(matrix)


class CovarianceForms:
    """All three forms of a covariance from its Cholesky factor, each when asked for."""

    _unbroadcasted_scale_tril: Any

    def _square(self, matrix: Any) -> Any:
        n = self._event_shape[-1]  # type: ignore[attr-defined]
        return matrix.expand(*self._batch_shape, n, n)  # type: ignore[attr-defined]

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariance."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return self._square(factor @ factor.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        return self._square(torch.cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(CovarianceForms, Distribution):
    """Normal vectors with a covariance, given as matrix, inverse or Cholesky factor.

    >>> import chainrule as torch
    >>> from chainrule.distributions import MultivariateNormal
    >>> m = MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> m.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = regions(
        loc=constraints.real_vector,
        covariance_matrix=constraints.positive_definite,
        precision_matrix=constraints.positive_definite,
        scale_tril=constraints.lower_cholesky,
    )
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = zip(FORMS, (covariance_matrix, precision_matrix, scale_tril), strict=True)
        name, matrix = chosen_form(dict(forms), ValueError)
        if matrix.dim() < 2:
            shown = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{shown} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand(*batch, -1, -1)
        self.loc = loc.expand(*batch, -1)
        Distribution.__init__(self, batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril

    mean = property(lambda self: self.loc)
    mode = mean

    @property
    def variance(self) -> Any:
        variances = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return variances.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, noise)

    @checked
    def log_prob(self, value: Any) -> Any:
        factor = self._unbroadcasted_scale_tril
        distance = mahalanobis(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - log_diagonal(
            factor
        )

    def entropy(self) -> Any:
        n = self._event_shape[0]
        h = 0.5 * n * (1.0 + math.log(2 * math.pi)) + log_diagonal(self._unbroadcasted_scale_tril)
        return h.expand(self._batch_shape) if self._batch_shape else h


_batch_mv, _batch_mahalanobis = batch_mv, mahalanobis
