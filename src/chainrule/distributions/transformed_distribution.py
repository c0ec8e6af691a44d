"""A distribution seen through a change of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of transforms(x) for x of a base distribution.

    >>> import chainrule as torch
    >>> from chainrule.distributions import Normal, TransformedDistribution
    >>> from chainrule.distributions.transforms import ExpTransform
    >>> lognormal = TransformedDistribution(Normal(0.0, 1.0), ExpTransform())
    >>> lognormal.log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, base_distribution: Any, transforms: Any, validate_args: bool | None = None
    ) -> None:
        self.transforms = _as_list(transforms)
        whole = ComposeTransform(self.transforms)
        base, shape = _fitting_base(base_distribution, whole)
        self.base_dist = base
        dim = max(
            whole.codomain.event_dim,
            len(base_distribution.event_shape) + whole.codomain.event_dim - whole.domain.event_dim,
        )
        cut = len(shape) - dim
        Distribution.__init__(self, shape[:cut], shape[cut:], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        shape = batch_shape + self._event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms

    if TYPE_CHECKING:  # subclasses say them as attributes
        support: Any
        has_rsample: Any
    else:

        @constraints.dependent_property(is_discrete=False)
        def support(self) -> Any:
            if not self.transforms:
                return self.base_dist.support
            region = self.transforms[-1].codomain
            more = len(self._event_shape) - region.event_dim
            return constraints.independent(region, more) if more > 0 else region

        @property
        def has_rsample(self) -> bool:
            return self.base_dist.has_rsample

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    rsample = lambda self, sample_shape=(): self._forward(self.base_dist.rsample(sample_shape))

    @checked
    def log_prob(self, value: Any) -> Any:
        dim = len(self._event_shape)
        total: Any = 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            dim += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(before, value)
            total = total - sum_rightmost(stretch, dim - transform.domain.event_dim)
            value = before
        base = self.base_dist.log_prob(value)
        return total + sum_rightmost(base, dim - len(self.base_dist.event_shape))

    def _upright(self, probability: Any) -> Any:
        """A probability, taken from the other end where the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._upright(self.base_dist.cdf(value))

    icdf = lambda self, value: self._forward(self.base_dist.icdf(self._upright(value)))


def _as_list(transforms: Any) -> list[Any]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


def _fitting_base(base: Any, whole: Any) -> tuple[Any, Any]:
    """The base in the shape and with the event dimensions the transforms need; their result's."""
    shape = base.batch_shape + base.event_shape
    event_dim = len(base.event_shape)
    needed = whole.domain.event_dim
    if len(shape) < needed:
        raise ValueError(
            f"base_distribution needs to have shape with size at least {needed}, but got {shape}."
        )
    result = whole.forward_shape(shape)
    expanded = whole.inverse_shape(result)
    if shape != expanded:
        base = base.expand(expanded[: len(expanded) - event_dim])
    if needed > event_dim:
        base = Independent(base, needed - event_dim)
    return base, result
