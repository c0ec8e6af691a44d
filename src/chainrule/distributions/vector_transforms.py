"""Transforms of vectors and matrices: to the simplex, to factors of matrices, to other shapes."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .transform_base import Fixed, Transform, inside_unit
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _needs(shape: Any, count: int) -> None:
    if len(shape) < count:
        raise ValueError("Too few dimensions on input")


class SoftmaxTransform(Fixed):
    """y = softmax(x): onto the simplex, one direction of x being lost."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    _call = lambda self, x: torch.softmax(x, -1)
    _inverse = lambda self, y: y.log()

    def forward_shape(self, shape: Any) -> Any:
        _needs(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Fixed):
    """From n numbers to n + 1 shares of a stick, broken off one after the other."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _shift(x: Any, count: int) -> Any:
        """log(count), log(count - 1), ...: with it, x = 0 gives equal shares."""
        return (count + 1 - x.new_ones(count).cumsum(-1)).log()

    def _call(self, x: Any) -> Any:
        broken = inside_unit(torch.sigmoid(x - self._shift(x, x.shape[-1])))
        left = (1 - broken).cumprod(-1)
        return F.pad(broken, (0, 1), value=1) * F.pad(left, (1, 0), value=1)

    def _inverse(self, y: Any) -> Any:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return shares.log() - left.log() + self._shift(y, shares.shape[-1])

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        moved = x - self._shift(x, x.shape[-1])
        return (-moved + F.logsigmoid(moved) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        _needs(shape, 1)
        return torch.Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        _needs(shape, 1)
        return torch.Size((*shape[:-1], shape[-1] - 1))


class CorrCholeskyTransform(Transform):
    """From n(n-1)/2 numbers to the Cholesky factor of an n x n correlation matrix."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = torch.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - partial**2).sqrt().cumprod(-1)
        ones = torch.eye(partial.shape[-1], dtype=partial.dtype)
        return (partial + ones) * F.pad(left[..., :-1], (1, 0), value=1)

    def _inverse(self, y: Any) -> Any:
        left = F.pad((1 - (y * y).cumsum(-1))[..., :-1], (1, 0), value=1)
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (partial.log1p() - (-partial).log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        by_tanh = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * left.log().sum(-1) + by_tanh

    def forward_shape(self, shape: Any) -> Any:
        _needs(shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return torch.Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Any:
        _needs(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return torch.Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LowerCholeskyTransform(Fixed):
    """A matrix to a lower triangular one with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky
    _call = lambda self, x: x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    _inverse = lambda self, y: y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Fixed):
    """A matrix to a positive definite one, by its Cholesky factor."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    _inverse = lambda self, y: LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class ReshapeTransform(Transform):
    """The event in another shape."""

    _made_of = ("in_shape", "out_shape")
    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.in_shape = torch.Size(in_shape)
        self.out_shape = torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")

    @constraints.dependent_property
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.independent(constraints.real, len(self.out_shape))

    _call = lambda self, x: x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)
    _inverse = lambda self, y: y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)
    log_abs_det_jacobian = lambda self, x, y: x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])
    forward_shape = lambda self, shape: _reshaped(shape, self.in_shape, self.out_shape)
    inverse_shape = lambda self, shape: _reshaped(shape, self.out_shape, self.in_shape)


def _reshaped(shape: Any, old: Any, new: Any) -> Any:
    _needs(shape, len(old))
    cut = len(shape) - len(old)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new
