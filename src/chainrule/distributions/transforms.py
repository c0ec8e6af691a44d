"""Maps between regions of space whose Jacobian determinant is known: the parts of a change of
variables.

`t(x)` maps, `t.inv(y)` maps back, `t.log_abs_det_jacobian(x, y)` is log |dy/dx| of one event.
Those of vectors and matrices are in `vector_transforms.py`, those built of other transforms
in `transforms_of_parts.py`.
"""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .transform_base import Fixed, Transform, inside_unit
from .transform_base import _InverseTransform as _InverseTransform
from .transforms_of_parts import (
    CatTransform,
    ComposeTransform,
    IndependentTransform,
    StackTransform,
    identity_transform,
)
from .utils import broadcast_all, lazy_property
from .vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


# ---- of numbers ----------------------------------------------------------------------------------


class ExpTransform(Fixed):
    """y = exp(x)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1
    _call = lambda self, x: x.exp()
    _inverse = lambda self, y: y.log()
    log_abs_det_jacobian = lambda self, x, y: x


class PowerTransform(Transform):
    """y = x ** exponent, for positive x."""

    _made_of = ("exponent",)
    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Any:
        """That of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())

    __hash__ = object.__hash__
    _call = lambda self, x: x.pow(self.exponent)
    _inverse = lambda self, y: y.pow(1 / self.exponent)
    log_abs_det_jacobian = lambda self, x, y: (self.exponent * y / x).abs().log()
    forward_shape = lambda self, shape: torch.broadcast_shapes(shape, self.exponent.shape)
    inverse_shape = forward_shape


def _clipped_sigmoid(x: Any) -> Any:
    return inside_unit(torch.sigmoid(x))


class SigmoidTransform(Fixed):
    """y = sigmoid(x), kept off 0 and 1."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1
    _call = lambda self, x: inside_unit(torch.sigmoid(x))

    def _inverse(self, y: Any) -> Any:
        inside = inside_unit(y)
        return inside.log() - (-inside).log1p()

    log_abs_det_jacobian = lambda self, x, y: -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(Fixed):
    """y = log(1 + exp(x))."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1
    _call = lambda self, x: F.softplus(x)
    _inverse = lambda self, y: (-torch.expm1(-y)).log() + y
    log_abs_det_jacobian = lambda self, x, y: -F.softplus(-x)


class TanhTransform(Fixed):
    """y = tanh(x)."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1
    _call = lambda self, x: x.tanh()
    _inverse = lambda self, y: torch.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        # log(1 - tanh(x)^2) without the cancellation.
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(Fixed):
    """y = |x|; the inverse takes the positive branch."""

    domain = constraints.real
    codomain = constraints.positive
    _call = lambda self, x: x.abs()
    _inverse = lambda self, y: y


def _equal(a: Any, b: Any) -> bool:
    same = a == b
    return bool(same.all()) if isinstance(same, torch.Tensor) else bool(same)


class AffineTransform(Transform):
    """y = loc + scale * x."""

    _made_of = ("loc", "scale", "event_dim")
    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    event_dim = property(lambda self: self._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:  # type: ignore[override]
        if self.event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self.event_dim)

    codomain = domain

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _equal(self.loc, other.loc) and _equal(self.scale, other.scale)

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, torch.Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    _call = lambda self, x: self.loc + self.scale * x
    _inverse = lambda self, y: (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape = x.shape[: x.dim() - self.event_dim]
        if not isinstance(self.scale, torch.Tensor):
            count = math.prod(x.shape[x.dim() - self.event_dim :])
            return torch.full_like(x.new_empty(()), math.log(abs(self.scale)) * count).expand(shape)
        result = self.scale.abs().log()
        if self.event_dim:
            result = result.view(*result.shape[: -self.event_dim], -1).sum(-1)
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        shapes = (getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))
        return torch.broadcast_shapes(shape, *shapes)

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """y = cdf(x) of a distribution."""

    _made_of = ("distribution",)
    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = property(lambda self: self.distribution.support)
    _call = lambda self, x: self.distribution.cdf(x)
    _inverse = lambda self, y: self.distribution.icdf(y)
    log_abs_det_jacobian = lambda self, x, y: self.distribution.log_prob(x)
