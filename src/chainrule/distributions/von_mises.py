"""The von Mises distribution: the normal distribution of the circle."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
from chainrule.autograd import refusal

from . import constraints
from .distribution import Distribution, checked, regions
from .utils import lazy_property

__all__ = ["VonMises"]


def _log_bessel(x: Any, order: int) -> Any:
    """log I_order(x); the exponentially scaled function does not overflow."""
    scaled = torch.special.i0e(x) if order == 0 else torch.special.i1e(x)
    return scaled.log() + x


class VonMises(Distribution):
    """Angles around `loc`, the closer the greater the `concentration`."""

    arg_constraints = regions(loc=constraints.real, concentration=constraints.positive)
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, concentration=concentration)

    @checked
    def log_prob(self, value: Any) -> Any:
        along = self.concentration * torch.cos(value - self.loc)
        return along - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    @lazy_property
    def _proposal_r(self) -> Any:
        """The parameter of the wrapped Cauchy distribution to propose from."""
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Any:
        """By rejection (Best and Fisher, 1979), in double precision."""
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            loc, kappa, r = self.loc.double(), self.concentration.double(), self._proposal_r
            if not (r > 1).all():  # no proposal would ever be accepted
                raise refusal.value(
                    "VonMises cannot be sampled where its concentration is beyond what doubles "
                    f"resolve: {kappa.max().item()}",
                    fix="it is Normal(loc, concentration**-0.5) there.",
                )
            x = torch.empty(shape, dtype=torch.float64)
            done = torch.zeros(shape, dtype=torch.bool)
            while not done.all():
                u1, u2, u3 = torch.rand((3, *shape), dtype=torch.float64).unbind()
                z = torch.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            angle = (x + math.pi + loc) % (2 * math.pi) - math.pi
            return angle.to(self.loc.dtype)

    mean = property(lambda self: self.loc)
    mode = mean

    @lazy_property
    def variance(self) -> Any:  # type: ignore[override]
        """The circular variance, between 0 and 1."""
        return 1 - torch.exp(
            _log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)
        )
