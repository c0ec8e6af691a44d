"""Regions of space: where parameters may lie, and where samples do.

A constraint's `check(value)` is True for each event inside. `event_dim` says how many of the last
dimensions make one event, `is_discrete` whether its values are isolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import chainrule as torch
from chainrule.autograd.accidents import explain_methods
from chainrule.autograd.state import STATE
from chainrule.autograd.value import PLAIN

from .utils import name_formulas

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky",
    "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive",
    "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector",
    "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """A region of space."""

    is_discrete = False
    event_dim = 0
    bounds: tuple[str, ...] = ()  # names of the attributes that define it, as shown

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name_formulas(cls)
        explain_methods(cls)

    if TYPE_CHECKING:  # a formula's `self` is known as a constraint only

        def __getattr__(self, name: str) -> Any: ...

    def check(self, value: Any) -> Any:
        """Which events lie inside."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self.bounds)
        return f"{type(self).__name__[1:]}({shown})"


# ---- known only for an object --------------------------------------------------------------------


class _Dependent(Constraint):
    """A region that depends on other parameters."""

    def __init__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    is_discrete = property(lambda self: self._known("is_discrete"))
    event_dim = property(lambda self: self._known("event_dim"))

    def _known(self, name: str) -> Any:
        value = getattr(self, f"_{name}")
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    def __call__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> _Dependent:
        """The same with something said about it."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint is known only for an object."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property whose value is a constraint; the class itself shows a dependent one."""

    def __init__(
        self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        property.__init__(self, fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Any) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """Another constraint, with some batch dimensions counted as part of the event."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError("base_constraint must be a Constraint")
        if not isinstance(reinterpreted_batch_ndims, int) or reinterpreted_batch_ndims < 0:
            raise AssertionError("reinterpreted_batch_ndims must be a non-negative int")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    is_discrete = property(lambda self: self.base_constraint.is_discrete)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value)
        n = self.reinterpreted_batch_ndims
        if inside.dim() < n:
            expected = self.base_constraint.event_dim + n
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.dim()}")
        return inside.reshape(*inside.shape[: inside.dim() - n], -1).all(-1)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"
        )


class MixtureSameFamilyConstraint(Constraint):
    """Inside the support of every component of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError("base_constraint must be a Constraint")
        self.base_constraint = base_constraint

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim)

    def check(self, value: Any) -> Any:
        before = -1 - self.event_dim
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        inside = self.base_constraint.check(value.unsqueeze(before))
        kept = value.dim() - self.event_dim
        return inside.reshape(*inside.shape[:kept], -1).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


# ---- numbers -------------------------------------------------------------------------------------


class _Boolean(Constraint):
    is_discrete = True
    check = lambda self, value: (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1
    check = lambda self, value: ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """With a lower and an upper bound, as far as a subclass names them."""

    lower_bound: Any
    upper_bound: Any

    def __init__(self, *bounds: Any, **named: Any) -> None:
        given = dict(zip(self.bounds, bounds, strict=False)) | named
        if given.keys() != set(self.bounds):
            raise TypeError(f"{type(self).__name__[1:]} takes {', '.join(self.bounds)}")
        self.__dict__.update(given)


class _IntegerInterval(_Bounded):
    is_discrete = True
    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Bounded):
    is_discrete = True
    bounds = ("upper_bound",)
    check = lambda self, value: (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Bounded):
    is_discrete = True
    bounds = ("lower_bound",)
    check = lambda self, value: (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    check = lambda self, value: value == value


class _GreaterThan(_Bounded):
    bounds = ("lower_bound",)
    check = lambda self, value: self.lower_bound < value


class _GreaterThanEq(_Bounded):
    bounds = ("lower_bound",)
    check = lambda self, value: self.lower_bound <= value


class _LessThan(_Bounded):
    bounds = ("upper_bound",)
    check = lambda self, value: value < self.upper_bound


class _Interval(_Bounded):
    bounds = ("lower_bound", "upper_bound")
    check = lambda self, value: (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    bounds = ("lower_bound", "upper_bound")
    check = lambda self, value: (self.lower_bound <= value) & (value < self.upper_bound)


# Their checks are written in operators, which mean the same for an array.
_BY_ELEMENT = {
    _Boolean, _IntegerInterval, _IntegerLessThan, _IntegerGreaterThan, _Real, _GreaterThan,
    _GreaterThanEq, _LessThan, _Interval, _HalfOpenInterval,
}  # fmt: skip
_NUMBERS = (int, float)


def holds(constraint: Any, value: Any) -> bool:
    """Whether a value lies inside everywhere: asked of its array where nobody watches."""
    inner = constraint
    if inner.__class__ is _IndependentConstraint and value.ndim >= inner.reinterpreted_batch_ndims:
        inner = inner.base_constraint
    if (
        inner.__class__ in _BY_ELEMENT
        and value.__class__ in PLAIN
        and not (STATE.unusual or STATE.levels or value._lazy)
        and value._a.dtype.char in "fdl"
        and all([bound.__class__ in _NUMBERS for bound in inner.__dict__.values()])
    ):
        with np.errstate(invalid="ignore"):
            return bool(np.logical_and.reduce(inner.check(value._a), None))
    return bool(constraint.check(value).all())


# ---- vectors and matrices ------------------------------------------------------------------------


class _Simplex(Constraint):
    event_dim = 1
    check = lambda self, value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2
    check = lambda self, value: (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        allowed = torch.finfo(value.dtype).eps * value.size(-1) * 10
        lengths = torch.linalg.norm(value.detach(), dim=-1)
        return super().check(value) & ((lengths - 1).abs() <= allowed).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        return torch.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=torch.bool)


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric_ones = super().check(value)
        if not symmetric_ones.all():
            return symmetric_ones
        return (torch.linalg.eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric_ones = super().check(value)
        if not symmetric_ones.all():
            return symmetric_ones
        return torch.linalg.cholesky_ex(value).info == 0


# ---- several side by side ------------------------------------------------------------------------


def _all_constraints(parts: Sequence[Any]) -> list[Any]:
    if not all(isinstance(c, Constraint) for c in parts):
        raise AssertionError("All elements of cseq must be Constraint instances")
    return list(parts)


class _Cat(Constraint):
    """Constraints for consecutive pieces of one dimension."""

    def __init__(
        self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self.cseq = _all_constraints(cseq)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})"
            )
        self.dim = dim

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))
    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))

    def check(self, value: Any) -> Any:
        pieces = value.split(self.lengths, self.dim)
        checks = [c.check(v) for c, v in zip(self.cseq, pieces, strict=True)]
        return torch.cat(checks, self.dim)


class _Stack(Constraint):
    """Constraints for the slices along one dimension."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        self.cseq = _all_constraints(cseq)
        self.dim = dim

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Any:
        slices = value.unbind(self.dim)
        checks = [c.check(v) for c, v in zip(self.cseq, slices, strict=True)]
        return torch.stack(checks, self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack


explain_methods(Constraint)
