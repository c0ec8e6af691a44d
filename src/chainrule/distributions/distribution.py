"""What every distribution has: shapes, checks, expansion and its printed form.

A class declares its parameters once, in `arg_constraints`: name and region. From that come the
checks, `expand` and `repr`. `_set(validate_args, loc=..., scale=...)` broadcasts numbers and
tensors to the batch's shape and stores them under these names. The rest of a class is a sheet of
formulas: a line each where it is one expression.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import chainrule as torch
from chainrule.autograd import refusal, source
from chainrule.autograd.accidents import explain_methods

from ..autograd.source import warn_user
from . import constraints
from .utils import broadcast_all, lazy_property, name_formulas

Size = torch.Size
__all__ = ["Distribution"]


def regions(**of_parameters: Any) -> Any:
    """The `arg_constraints` of a class: a region for each parameter."""
    return of_parameters


def checked(method: Callable[[Any, Any], Any]) -> Any:
    """A method of one value that is first checked to lie in the support."""

    @functools.wraps(method)
    def run(self: Any, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return method(self, value)

    @functools.wraps(method)
    def run_x(self: Any, x: Any) -> Any:
        return run(self, x)

    return run_x if "x" in method.__code__.co_varnames[:2] else run


class Distribution:
    """A probability distribution, or a batch of them.

    `sample_shape` comes first in the shape of samples, then `batch_shape` (one distribution each),
    then `event_shape` (one value of a distribution).
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name_formulas(cls)
        explain_methods(cls)

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check their arguments."""
        if value not in (True, False):
            raise ValueError(f"expected True or False, got {value!r}")
        Distribution._validate_args = value

    # -- parameters --

    def _set(self, validate_args: bool | None, event: Sequence[int] = (), **given: Any) -> None:
        """Store parameters broadcast to one shape, which becomes the batch's."""
        values = broadcast_all(*given.values())
        self.__dict__.update(zip(given, values, strict=True))
        Distribution.__init__(self, values[0].shape, event, validate_args)

    def _check_parameters(self) -> None:
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            warn_user(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints "
                "= {}` or initialize the distribution with `validate_args=False` to turn off "
                "validation.",
            )
            return
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(
                getattr(type(self), name, None), lazy_property
            ):
                continue  # follows from another parameter
            value = getattr(self, name)
            if not constraints.holds(constraint, value):
                raise refusal.value(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:",
                    f"{value}",
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution for a larger batch; parameters are expanded, not copied."""
        owner = next(
            c for c in type(self).__mro__ if source.is_own_name(c.__module__, "distributions")
        )
        new = self._get_checked_instance(owner, _instance)
        batch_shape = Size(batch_shape)
        for name, constraint in self.arg_constraints.items():
            value = self.__dict__.get(name)
            if value is not None:
                event = value.shape[value.dim() - constraint.event_dim :]
                new.__dict__[name] = value.expand(*batch_shape, *event)
        self._expand_into(new, batch_shape)
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        """Give the expanded distribution what is not a parameter."""

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    # -- shapes and regions --

    @property
    def batch_shape(self) -> Any:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one value."""
        return self._event_shape

    if TYPE_CHECKING:  # classes say them as attributes or as properties
        arg_constraints: Any
        support: Any

        def __getattr__(self, name: str) -> Any: ...

    else:

        @property
        def arg_constraints(self) -> dict[str, Any]:
            """The region of each parameter."""
            raise NotImplementedError

        @property
        def support(self) -> Any:
            """The region of the samples."""
            raise NotImplementedError

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    # -- what a distribution tells --

    @property
    def mean(self) -> Any:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Random values."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Random values that are differentiable functions of the parameters."""
        raise refusal.not_implemented(
            f"{type(self).__name__} has no rsample: its samples do not depend smoothly on its "
            "parameters",
            fix="sample(), with log_prob(sample) * reward as the loss, or a relaxed distribution.",
        )

    def sample_n(self, n: int) -> Any:
        """sample((n,)), by its old name."""
        warn_user(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
        )
        return self.sample((n,))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density or probability."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of a sample below the value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value below which a sample lies with the given probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values, along the first dimension (discrete distributions only)."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The expected surprise, -E[log_prob]."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """exp(entropy)."""
        return torch.exp(self.entropy())

    # -- checks of values --

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, wanted = value.size(), self._batch_shape + self._event_shape
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{shape} vs {self._event_shape}."
            )
        for i, j in zip(reversed(shape), reversed(wanted), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {wanted}."
                )
        self._check_inside(value)

    def _check_inside(self, value: Any) -> None:
        try:
            support = self.support
        except NotImplementedError:
            warn_user(
                f"{self.__class__} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
            )
            return
        if not constraints.holds(support, value):
            raise refusal.value(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, but found "
                "invalid values:",
                f"{value}",
            )

    def __repr__(self) -> str:
        shown = []
        for name in self.arg_constraints:
            value = self.__dict__.get(name)
            if value is not None:
                shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"


def counted(values: Any, batch_shape: Any, expand: bool) -> Any:
    """The values of a discrete support along the first dimension, one for each of the batch."""
    values = values.view(-1, *(1 for _ in batch_shape))
    return values.expand(-1, *batch_shape) if expand else values


explain_methods(Distribution)
