"""What every transform is: a map with an inverse, a cache of one pair, and a Jacobian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainrule as torch
from chainrule.autograd.accidents import explain_methods

from . import constraints
from .utils import name_formulas


class Transform:
    """A map between two regions. Subclasses give `_call`, `_inverse` and the Jacobian.

    With cache_size=1 the last pair is remembered: mapping a result back gives the very input.
    """

    bijective = False
    domain: Any
    codomain: Any
    _made_of: tuple[str, ...]  # the attributes that are arguments of the constructor

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name_formulas(cls)
        explain_methods(cls)

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Any, Any] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """How many of the last dimensions are mapped together."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """The inverse map."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    if TYPE_CHECKING:  # attributes where they are known
        sign: Any

        def __getattr__(self, name: str) -> Any: ...

    else:

        @property
        def sign(self) -> Any:
            """Of the derivative, where it is one number everywhere."""
            raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same map with another cache."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        for cls in type(self).__mro__:
            if "_made_of" in vars(cls):
                return cls(*(getattr(self, name) for name in self._made_of), cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __call__(self, x: Any) -> Any:
        if self._cache_size:
            known_x, known_y = self._cached_x_y
            if x is known_x:
                return known_y
        y = self._call(x)
        if self._cache_size:
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size:
            known_x, known_y = self._cached_x_y
            if y is known_y:
                return known_x
        x = self._inverse(y)
        if self._cache_size:
            self._cached_x_y = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |dy/dx|, one number for each event."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Any:
        """The shape of t(x) for an x of this shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of x for a t(x) of this shape."""
        return shape


class _InverseTransform(Transform):
    """A transform read backwards."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv: Any = transform

    domain = constraints.dependent_property(lambda self: self._inv.codomain, is_discrete=False)
    codomain = constraints.dependent_property(lambda self: self._inv.domain, is_discrete=False)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    inv = property(lambda self: self._inv)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__  # the inverse is all it has

    with_cache = lambda self, cache_size=1: self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    log_abs_det_jacobian = lambda self, x, y: -self._inv.log_abs_det_jacobian(y, x)
    forward_shape = lambda self, shape: self._inv.inverse_shape(shape)
    inverse_shape = lambda self, shape: self._inv.forward_shape(shape)


class Fixed(Transform):
    """A transform without parameters: any two of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__


def inside_unit(x: Any) -> Any:
    """Numbers kept off 0 and 1."""
    info = torch.finfo(x.dtype)
    return x.clamp(min=info.tiny, max=1.0 - info.eps)


explain_methods(Transform)
