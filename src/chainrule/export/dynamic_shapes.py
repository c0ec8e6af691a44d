"""Which sizes of the inputs may change between calls: `Dim`, `dynamic_shapes`, and their checks.

A dimension without a word about it has the size of the example, as in PyTorch; a call with another
one is an error that says which.
"""

from __future__ import annotations

import enum
from typing import Any

from ..autograd.accidents import explain_module
from ..standins.finder import rest_of as _rest_of
from ..tensor import Tensor
from ..utils._pytree import tree_flatten_with_path


class UserError(RuntimeError):
    """`dynamic_shapes` does not fit the example inputs."""


class ConstraintViolationError(RuntimeError):
    """An example input has a size that its own `dynamic_shapes` exclude."""


class _Hint(enum.Enum):
    AUTO = enum.auto()
    DYNAMIC = enum.auto()
    STATIC = enum.auto()

    def __repr__(self) -> str:
        return f"DimHint({self.name})"

    __str__ = __repr__

    def __call__(self, min: Any = None, max: Any = None) -> _Hint:  # noqa: A002
        """The same with bounds, which are not kept."""
        return self


class Dim:
    """A dimension that may change between calls, within bounds; used twice it is one size.

    >>> Dim("batch", min=1, max=64)
    Dim('batch', min=1, max=64)
    """

    AUTO, DYNAMIC, STATIC = _Hint.AUTO, _Hint.DYNAMIC, _Hint.STATIC

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
        low, high = 0 if min is None else min, max
        assert high is None or high > low, (
            f"Cannot create Dim with inconsistent min={min}, max={max}"
        )
        assert name.isidentifier(), f"Dim name must be a valid identifier, got {name}"
        self.__name__, self.min, self.max = name, low, high
        self.root: Dim = self
        self.factor, self.shift = 1, 0

    def _derived(self, factor: int, shift: int, name: str) -> Dim:
        made = object.__new__(Dim)
        made.__name__, made.root = name, self.root
        made.factor, made.shift = self.factor * factor, self.shift * factor + shift
        made.min = self.root.min * made.factor + made.shift
        made.max = None if self.root.max is None else self.root.max * made.factor + made.shift
        return made

    def __mul__(self, other: int) -> Dim:
        return self._derived(other, 0, f"{other}*{self.__name__}")

    __rmul__ = __mul__

    def __add__(self, other: int) -> Dim:
        return self._derived(1, other, f"{self.__name__} + {other}")

    def __sub__(self, other: int) -> Dim:
        return self._derived(1, -other, f"{self.__name__} - {other}")

    def __repr__(self) -> str:
        low = "" if self.min == 2 else f", min={self.min}"
        high = "" if self.max is None else f", max={self.max}"
        return f"Dim({self.__name__!r}{low}{high})"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:  # noqa: A002
    """Several dimensions."""
    return tuple(Dim(name, min=min, max=max) for name in names)


# ---- what a specification says -------------------------------------------------------------------


def by_input(given: dict[str, Any], dynamic_shapes: Any) -> dict[str, Any]:
    """The specification of each argument by its name."""
    if dynamic_shapes is None:
        return {}
    if isinstance(dynamic_shapes, dict):
        if set(dynamic_shapes) != set(given):
            raise UserError(
                "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg "
                f"names {list(given)} of `inputs`, but here they are {list(dynamic_shapes)}. "
                "Alternatively, you could also ignore arg names entirely and specify "
                "`dynamic_shapes` as a list/tuple matching `inputs`."
            )
        return dict(dynamic_shapes)
    if len(dynamic_shapes) != len(given):
        raise UserError(
            f"`dynamic_shapes` has {len(dynamic_shapes)} entries for {len(given)} inputs, "
            f"{list(given)}"
        )
    return dict(zip(given, dynamic_shapes, strict=True))


def _sizes(spec: Any, t: Any, where: str) -> dict[int, Any]:
    """What a specification says of each dimension of a tensor."""
    if spec is None:
        return {}
    if isinstance(spec, dict):
        found = dict(spec)
        for d in found:
            if not isinstance(d, int) or not 0 <= d < t.ndim:
                raise UserError(
                    f"Unexpected dimension {d!r} in {spec} specified at `dynamic_shapes{where}`: "
                    f"the tensor's shape is {t.shape}"
                )
    elif isinstance(spec, tuple | list):
        if len(spec) != t.ndim:
            raise UserError(
                f"Expected dynamic shape spec {spec} specified at `dynamic_shapes{where}` to have "
                f"the same length as the actual tensor shape {t.shape} (expected {t.ndim}, but got "
                f"{len(spec)} instead)"
            )
        found = dict(enumerate(spec))
    else:
        raise UserError(
            f"Unexpected input tensor shape {spec} specified at `dynamic_shapes{where}` (expected "
            f"either a list/tuple of dimensions, or a dict mapping indices to dimensions)"
        )
    for d, size in found.items():
        if size is not None and not isinstance(size, int | Dim | _Hint):
            raise UserError(
                f"Unexpected dimension mapped to index {d} in input tensor shape {spec} specified "
                f"at `dynamic_shapes{where}` (expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, "
                f"or Dim.DYNAMIC,  but got {size!r} instead)"
            )
    return found


def _leaf(spec: Any, path: Any) -> Any:
    """The part of a specification for a tensor inside a container."""
    for step in path:
        if spec is None:
            return None
        key = getattr(step, "idx", getattr(step, "key", getattr(step, "name", None)))
        spec = spec[key]
    return spec


class Guards:
    """What the sizes of a call's inputs must be; an object that is called before the module."""

    def __init__(self, names: list[str], given: dict[str, Any], dynamic_shapes: Any) -> None:
        self.names = names
        self.checks: list[tuple[str, tuple[Any, ...], int, Any]] = []
        self.ranges: dict[str, tuple[int, int | None]] = {}
        specs = by_input(given, dynamic_shapes)
        known: dict[str, int] = {}
        for name, value in given.items():
            for path, t in tree_flatten_with_path(value)[0]:
                if isinstance(t, Tensor):
                    where = f"['{name}']" + "".join(map(str, path))
                    self._note(name, path, t, _leaf(specs.get(name), path), where, known)

    def _note(
        self, name: str, path: Any, t: Any, spec: Any, where: str, known: dict[str, int]
    ) -> None:
        said = _sizes(spec, t, where)
        for d in range(t.ndim):
            size = said.get(d)
            if isinstance(size, Dim):
                self._check_example(size, t.shape[d], known)
                root = size.root
                bounds = root.min, root.max
                self.ranges[root.__name__] = bounds
                rule = ("dim", root.__name__, size.factor, size.shift, size.min, size.max)
            elif size in (Dim.AUTO, Dim.DYNAMIC):
                continue
            else:
                if isinstance(size, int) and not isinstance(size, bool) and size != t.shape[d]:
                    raise UserError(
                        f"Static shape constraint of {size} does not match input size of "
                        f"{t.shape[d]}, for `dynamic_shapes{where}`"
                    )
                rule = ("is", t.shape[d])
            self.checks.append((name, tuple(path), d, rule))

    def _check_example(self, dim: Dim, size: int, known: dict[str, int]) -> None:
        low, high = dim.min, dim.max
        if size < low or (high is not None and size > high):
            top = "int_oo" if high is None else high
            raise ConstraintViolationError(f"{size} not in range [{low}, {top}]")
        root, rest = divmod(size - dim.shift, dim.factor)
        before = known.setdefault(dim.root.__name__, root)
        if rest or before != root:
            raise ConstraintViolationError(
                f"Constraints violated ({dim.root.__name__})! The examples have {before} and "
                f"{size} for {dim.__name__}: a Dim is one size"
            )

    def __call__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = dict(zip(self.names, args, strict=False)) | kwargs
        found: dict[str, tuple[int, str]] = {}
        for name, path, d, rule in self.checks:
            t = given.get(name)
            for step in path:
                t = step.get(t)
            if not isinstance(t, Tensor):
                continue
            shown = f"{name}{''.join(map(str, path))}.size()[{d}]"
            size = t.shape[d] if d < t.ndim else None
            if rule[0] == "is":
                self._demand(size == rule[1], f"{shown} == {rule[1]}", size)
            else:
                self._check_dim(rule, size, shown, found)

    def _check_dim(
        self, rule: Any, size: Any, shown: str, found: dict[str, tuple[int, str]]
    ) -> None:
        _, root, factor, shift, low, high = rule
        self._demand(size is not None and size >= low, f"{shown} >= {low}", size)
        if high is not None:
            self._demand(size <= high, f"{shown} <= {high}", size)
        value, rest = divmod(size - shift, factor)
        if root not in found:
            self._demand(rest == 0, f"({shown} - {shift}) % {factor} == 0", size)
            found[root] = (value, shown)
        else:
            other, first = found[root]
            right = first if (factor, shift) == (1, 0) else f"{factor}*{first} + {shift}"
            self._demand(size == other * factor + shift, f"{shown} == {right}", size)

    def _demand(self, holds: bool, text: str, size: Any) -> None:
        if not holds:
            raise AssertionError(
                f"Guard failed: {text}\n  The size is {size}. An exported program holds for the "
                "shapes of its example, but for dimensions that dynamic_shapes names.\n  Fix: "
                "torch.export.export(..., dynamic_shapes=...) with Dim(...) or Dim.AUTO there."
            )


__getattr__ = _rest_of(__name__)

explain_module(globals(), "Dim", "dims")
