"""The arguments of a call sorted by the signature of what is called."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from ..autograd import source
from .function_names import own_name

# Parameters that PyTorch's signatures do not show: `out=`, and NumPy's names of others.
OTHER_SPELLINGS = ("out", "axis", "keepdims", "x", "x1", "x2")


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalize_function(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    arg_types: Any = None, kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:  # fmt: skip
    """The arguments of a call of one of our functions, by name; None where they do not fit.

    >>> import chainrule as torch
    >>> x = torch.ones(2)
    >>> pair = normalize_function(torch.sum, (x, 0), {}, normalize_to_only_use_kwargs=True)
    >>> sorted(pair.kwargs)
    ['dim', 'dtype', 'input', 'keepdim']
    """
    schema = getattr(target, "_schema", None)
    if schema is not None:
        return _by_schema(schema, args, kwargs or {}, normalize_to_only_use_kwargs)
    if not callable(target) or own_name(target) is None:
        return None
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return None
    return _by_signature(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def normalize_module(
    root: Any, target: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:  # fmt: skip
    """The arguments of a call of one of our modules, by name; None for other classes."""
    try:
        module = root.get_submodule(target)
    except AttributeError:
        raise RuntimeError(
            f"Tried to normalize arguments for target {target} but module doesn't exist"
        ) from None
    if not source.is_own_name(type(module).__module__, "nn"):
        return None
    signature = inspect.signature(module.forward)
    return _by_signature(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def _by_signature(
    signature: inspect.Signature, args: Any, kwargs: Any, only_names: bool
) -> ArgsKwargsPair | None:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    positional, named = [], {}
    for k, (name, value) in enumerate(bound.arguments.items()):
        kind = signature.parameters[name].kind
        if kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            if value:
                return None
        elif name in OTHER_SPELLINGS and value is signature.parameters[name].default:
            continue
        elif only_names or k >= len(args) or kind is inspect.Parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            positional.append(value)
    return ArgsKwargsPair(tuple(positional), named)


def _by_schema(schema: Any, args: Any, kwargs: Any, only_names: bool) -> ArgsKwargsPair | None:
    positional, named = [], {}
    for k, parameter in enumerate(schema.arguments):
        if k < len(args):
            value = args[k]
        elif parameter.name in kwargs:
            value = kwargs[parameter.name]
        elif parameter.has_default_value():
            value = parameter.default_value
        else:
            return None
        if only_names or k >= len(args):
            named["input" if only_names and parameter.name == "self" else parameter.name] = value
        else:
            positional.append(value)
    return ArgsKwargsPair(tuple(positional), named)


def get_signature_for_torch_op(op: Any, return_schemas: bool = False) -> Any:
    """The signatures of one of our functions: one, as Python has it."""
    if own_name(op) is None:
        return (None, None) if return_schemas else None
    found = [inspect.signature(op)]
    return (found, []) if return_schemas else found


def check_for_mutable_operation(target: Any, args: Any, kwargs: Any) -> None:
    """Raise where a call writes into its arguments."""
    name = own_name(target) or ""
    writes = name.endswith("_") and not name.endswith("__")
    schema = getattr(target, "_schema", None)
    if writes or (schema is not None and schema.is_mutable) or kwargs.get("out") is not None:
        raise RuntimeError(
            f"Tried to trace mutable operation {name or target}. FX only supports functional "
            "code, so operations that mutate operands in-place (e.g. via `out` arguments) are not "
            "supported"
        )


def create_type_hint(x: Any) -> Any:
    """A list or tuple of types as the type of lists or tuples."""
    if isinstance(x, list | tuple):
        kind = type(x[0]) if x else Any
        if isinstance(x, list):
            return list[kind]
        return tuple[kind, ...]
    return x


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether a value of one type may be given where another is declared."""
    import typing

    if signature_type is argument_type or signature_type is Any:
        return True
    options = typing.get_args(signature_type)
    if options:
        return any(type_matches(option, argument_type) for option in options)
    if signature_type is float and argument_type is int:
        return True
    both = isinstance(signature_type, type) and isinstance(argument_type, type)
    return both and issubclass(argument_type, signature_type)


__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "create_type_hint",
    "get_signature_for_torch_op", "normalize_function", "normalize_module", "type_matches",
]  # fmt: skip
