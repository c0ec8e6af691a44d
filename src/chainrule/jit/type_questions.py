"""What annotations and functions are, as TorchScript's front end asks."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any


def is_tuple(ann: Any) -> bool:
    """Whether an annotation is a tuple's."""
    return _origin(ann) is tuple


def is_list(ann: Any) -> bool:
    """Whether an annotation is a list's."""
    return _origin(ann) is list


def is_dict(ann: Any) -> bool:
    """Whether an annotation is a dict's."""
    return _origin(ann) is dict


def is_union(ann: Any) -> bool:
    """Whether an annotation is `Union[...]` or `a | b`."""
    return _origin(ann) in (typing.Union, types.UnionType)


def is_optional(ann: Any) -> bool:
    """Whether an annotation is `Optional[...]`."""
    parts = typing.get_args(ann)
    return is_union(ann) and len(parts) == 2 and type(None) in parts


def is_final(ann: Any) -> bool:
    """Whether an annotation is `Final[...]`."""
    return ann is typing.Final or _origin(ann) is typing.Final


def is_future(ann: Any) -> bool:
    """Whether an annotation is a future's."""
    from ..futures import Future

    return ann is Future or _origin(ann) is Future


def _origin(ann: Any) -> Any:
    return ann if ann in (tuple, list, dict) else typing.get_origin(ann)


def is_static_fn(cls: Any, fn: str) -> bool:
    """Whether a class has a static method of a name."""
    return isinstance(inspect.getattr_static(cls, fn, None), staticmethod)


def get_static_fn(cls: Any, fn: str) -> Any:
    """The function of a static method."""
    return inspect.getattr_static(cls, fn).__func__


def get_annotation_str(annotation: Any) -> str | None:
    """The text of an annotation that is a node of `ast`."""
    import ast

    return None if annotation is None else ast.unparse(annotation)


def get_callable_argument_names(fn: Any) -> list[str]:
    """The names of a function's ordinary arguments; none where it cannot be read."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def get_param_names(fn: Any, n_args: int) -> list[str]:
    """The names of a function's arguments, or numbers for those without."""
    names = get_callable_argument_names(getattr(fn, "__call__", fn))  # noqa: B004 - objects too
    return names or [str(k) for k in range(n_args)]


def get_closure(fn: Any) -> dict[str, Any]:
    """The names that a function finds around it."""
    around = inspect.getclosurevars(fn)
    return {**fn.__globals__, **around.nonlocals}


def get_type_line(source: str) -> str | None:
    """The line of a function's source with its types in a comment."""
    found = [line.strip() for line in source.split("\n") if "# type:" in line]
    return found[0] if len(found) == 1 else None


def split_type_line(type_line: str) -> tuple[str, str]:
    """`# type: (int) -> int` as its arguments and its result."""
    left, arrow, right = type_line.partition("->")
    if not arrow:
        raise RuntimeError("Syntax error in type annotation (couldn't find `->`)")
    return left[left.index("# type:") + len("# type:") :].strip(), right.strip()
