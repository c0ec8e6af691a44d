"""The Wishart distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from ..autograd.source import warn_user
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution, checked
from .exp_family import ExponentialFamily
from .multivariate_normal import (
    FORMS,
    CovarianceForms,
    chosen_form,
    factor_of,
    log_diagonal,
)

__all__ = ["Wishart"]


def _mvdigamma(x: Any, p: int) -> Any:
    """The derivative of mvlgamma."""
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype) / 2).sum(-1)


class Wishart(CovarianceForms, ExponentialFamily):
    """Random positive definite matrices: scatter of `df` normal vectors of one covariance."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        forms = zip(FORMS, (covariance_matrix, precision_matrix, scale_tril), strict=True)
        name, matrix = chosen_form(dict(forms), AssertionError)
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        df = df if isinstance(df, torch.Tensor) else torch.tensor(df, dtype=matrix.dtype)
        batch = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
        self.df = df.expand(batch)
        n = matrix.shape[-1]
        if (self.df <= n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        if (self.df < n).any():
            warn_user(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 "
                "< df < ndim.",
            )
        self.__dict__[name] = matrix.expand(*batch, -1, -1)
        Distribution.__init__(self, batch, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)
        self._dist_chi2 = self._chi2()

    def _chi2(self) -> Any:
        """Of the squared diagonal of a Bartlett factor: one degree of freedom less in each row."""
        n = self._unbroadcasted_scale_tril.shape[-1]
        rows = torch.arange(n, dtype=self._unbroadcasted_scale_tril.dtype)
        return Chi2(self.df.unsqueeze(-1) - rows.expand(*self.df.shape, -1))

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        factor = self._unbroadcasted_scale_tril
        new._unbroadcasted_scale_tril = factor.expand(*batch_shape, *self._event_shape)
        new._dist_chi2 = new._chi2()

    _per_matrix = lambda self, number: number.view(*self._batch_shape, 1, 1)
    mean = property(lambda self: self._per_matrix(self.df) * self.covariance_matrix)

    @property
    def mode(self) -> Any:
        factor = self.df - self._event_shape[-1] - 1
        return self._per_matrix(factor.masked_fill(factor <= 0, torch.nan)) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._per_matrix(self.df) * (v.pow(2) + products)

    def _bartlett(self, sample_shape: Any) -> Any:
        """Samples from a random triangular factor."""
        p = self._event_shape[-1]
        eps = torch.finfo(self.df.dtype).eps
        noise = self._dist_chi2.rsample(sample_shape).sqrt().clamp(min=eps).diag_embed()
        i, j = torch.tril_indices(p, p, offset=-1)
        below = (*sample_shape, *self._batch_shape, p * (p - 1) // 2)
        noise[..., i, j] = torch.randn(below, dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        """Samples; singular ones are drawn again."""
        sample = self._bartlett(tuple(sample_shape))
        for _ in range(10 if max_try_correction is None else max_try_correction):
            singular = ~self.support.check(sample.detach())
            if not singular.any():
                break
            warn_user("Singular sample detected.")
            again = self._bartlett(tuple(sample_shape))
            sample = torch.where(singular.unsqueeze(-1).unsqueeze(-1), again, sample)
        return sample

    def _log_scale(self) -> Any:
        p = self._event_shape[-1]
        return p * math.log(2) / 2 + log_diagonal(self._unbroadcasted_scale_tril)

    @checked
    def log_prob(self, value: Any) -> Any:
        nu, p = self.df, self._event_shape[-1]
        seen = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        trace = seen.diagonal(dim1=-2, dim2=-1).sum(-1)
        log_det = torch.linalg.slogdet(value).logabsdet
        norm = -nu * self._log_scale() - torch.mvlgamma(nu / 2, p=p)
        return norm + (nu - p - 1) / 2 * log_det - trace / 2

    def entropy(self) -> Any:
        nu, p = self.df, self._event_shape[-1]
        spread = (nu - p - 1) / 2 * _mvdigamma(nu / 2, p)
        return (p + 1) * self._log_scale() + torch.mvlgamma(nu / 2, p=p) - spread + nu * p / 2

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        log_det = torch.linalg.slogdet(-2 * x).logabsdet
        return half * (math.log(2) * p - log_det) + torch.mvlgamma(half, p=p)
