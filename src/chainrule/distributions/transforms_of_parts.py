"""Transforms made of other transforms: one after the other, side by side, or as a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainrule as torch

from . import constraints
from .transform_base import Transform
from .utils import lazy_property, sum_rightmost


class ComposeTransform(Transform):
    """Several transforms, the first one first."""

    _made_of = ("parts",)

    def __init__(self, parts: list[Any], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [p.with_cache(cache_size) for p in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:  # type: ignore[override]
        """Of the first part, with as many event dimensions as any later part needs."""
        if not self.parts:
            return constraints.real
        dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dim += part.domain.event_dim - part.codomain.event_dim
            dim = max(dim, part.domain.event_dim)
        return _with_event_dim(self.parts[0].domain, dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:  # type: ignore[override]
        if not self.parts:
            return constraints.real
        dim = self.parts[0].domain.event_dim
        for part in self.parts:
            dim += part.codomain.event_dim - part.domain.event_dim
            dim = max(dim, part.codomain.event_dim)
        return _with_event_dim(self.parts[-1].codomain, dim)

    @lazy_property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether every part is."""
        return all(p.bijective for p in self.parts)

    @lazy_property
    def sign(self) -> Any:
        """The product of the parts' signs."""
        product: Any = 1
        for part in self.parts:
            product = product * part.sign
        return product

    @property
    def inv(self) -> Any:
        if self._inv is None:
            self._inv = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return torch.zeros_like(x)
        total: Any = None
        dim = self.domain.event_dim
        for k, part in enumerate(self.parts):
            after = y if k == len(self.parts) - 1 else part(x)
            term = part.log_abs_det_jacobian(x, after)
            term = sum_rightmost(term, dim - part.domain.event_dim)
            total = term if total is None else total + term
            dim += part.codomain.event_dim - part.domain.event_dim
            x = after
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


def _with_event_dim(constraint: Any, dim: int) -> Any:
    more = dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Another transform, with some batch dimensions counted as part of the event."""

    _made_of = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(
        self, base_transform: Any, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x: Any) -> Any:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        inner = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(inner, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    forward_shape = lambda self, shape: self.base_transform.forward_shape(shape)
    inverse_shape = lambda self, shape: self.base_transform.inverse_shape(shape)


class _SideBySide(Transform):
    """Transforms for the pieces of one dimension."""

    transforms: list[Any]
    dim: int

    def _set_parts(self, tseq: Sequence[Any], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _pieces(self, value: Any) -> Sequence[Any]:
        raise NotImplementedError

    def _joined(self, pieces: list[Any]) -> Any:
        raise NotImplementedError

    def _each(self, run: Callable[..., Any], *values: Any) -> list[Any]:
        pieces = [self._pieces(v) for v in values]
        return [run(t, *parts) for t, *parts in zip(self.transforms, *pieces, strict=True)]

    _call = lambda self, x: self._joined(self._each(lambda t, v: t(v), x))
    _inverse = lambda self, y: self._joined(self._each(lambda t, v: t.inv(v), y))

    def _expect(self, value: Any, length: int, what: str) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(
                f"dim {self.dim} out of range for tensor with {value.dim()} dimensions"
            )
        if value.size(self.dim) != length:
            raise AssertionError(
                f"x.size({self.dim}) = {value.size(self.dim)} must equal {what} {length}"
            )


class CatTransform(_SideBySide):
    """Transforms for consecutive pieces, of given lengths, of one dimension."""

    _made_of = ("transforms", "dim", "lengths")

    def __init__(
        self,
        tseq: Sequence[Any],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size=cache_size)
        self._set_parts(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @lazy_property
    def event_dim(self) -> int:
        """The largest of the parts'."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        """All pieces together."""
        return sum(self.lengths)

    def _pieces(self, value: Any) -> Sequence[Any]:
        self._expect(value, self.length, "length")
        return value.split(self.lengths, self.dim)

    _joined = lambda self, pieces: torch.cat(pieces, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = self._each(
            lambda t, a, b: sum_rightmost(
                t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim
            ),
            x,
            y,
        )
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(terms, dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_SideBySide):
    """Transforms for the slices along one dimension."""

    _made_of = ("transforms", "dim")

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self._set_parts(tseq, dim, cache_size)

    def _pieces(self, value: Any) -> Sequence[Any]:
        self._expect(value, len(self.transforms), "len(transforms)")
        return value.unbind(self.dim)

    _joined = lambda self, pieces: torch.stack(pieces, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return torch.stack(self._each(lambda t, a, b: t.log_abs_det_jacobian(a, b), x, y), self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
