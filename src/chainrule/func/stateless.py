"""Modules as functions of their parameters: `functional_call`, `stack_module_state`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..autograd.dispatch import P


def _owner(module: Any, path: str) -> tuple[Any, str]:
    """The submodule that holds a parameter, and its name there."""
    *parents, name = path.split(".")
    for part in parents:
        module = getattr(module, part)
    return module, name


def _holder(owner: Any, name: str) -> dict[str, Any]:
    """The dict in which an attribute of a module (or a plain object) is kept."""
    for kept in ("_parameters", "_buffers"):
        found = owner.__dict__.get(kept)
        if found is not None and name in found:
            return found
    return owner.__dict__


@contextlib.contextmanager
def swapped(module: Any, values: dict[str, Any], strict: bool) -> Iterator[None]:
    """Inside the block, the module has these parameters and buffers instead of its own."""
    if strict and hasattr(module, "named_parameters"):
        known = {n for n, _ in module.named_parameters()}
        if hasattr(module, "named_buffers"):
            known |= {n for n, _ in module.named_buffers()}
        if unexpected := sorted(set(values) - known):
            raise RuntimeError(f"Unexpected key(s): {', '.join(unexpected)}.")
        if missing := sorted(known - set(values)):
            raise RuntimeError(f"Missing key(s): {', '.join(missing)}.")
    old: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for path, value in values.items():
            owner, name = _owner(module, path)
            kept = _holder(owner, name)
            if name not in kept:
                raise RuntimeError(
                    f"functional_call: {type(module).__name__} has no parameter or buffer "
                    f"{path!r} to replace"
                )
            old.append((kept, name, kept[name]))
            kept[name] = value
        yield
    finally:
        for kept, name, value in reversed(old):
            kept[name] = value


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the given parameters and buffers in place of its own.

    >>> import chainrule as torch
    >>> class Scale:
    ...     def __init__(self):
    ...         self.weight = torch.tensor(2.0)
    ...     def __call__(self, x):
    ...         return self.weight * x
    >>> torch.func.functional_call(Scale(), {"weight": torch.tensor(5.0)}, torch.tensor(3.0))
    tensor(15.)
    """
    dicts = parameter_and_buffer_dicts
    given: dict[str, Any] = {}
    for part in (dicts,) if isinstance(dicts, dict) else dicts:
        if repeated := sorted(set(part) & set(given)):
            raise ValueError(f"{', '.join(repeated)} appeared in multiple dictionaries")
        given.update(part)
    if tie_weights:
        given = _with_tied(module, given)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with swapped(module, given, strict):
        return module(*positional, **(kwargs or {}))


def _with_tied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Names of the same parameter get the same value."""
    if not hasattr(module, "named_parameters"):
        return given
    try:
        named = list(module.named_parameters(remove_duplicate=False))
    except TypeError:
        return given
    names: dict[int, list[str]] = {}
    for name, p in named:
        names.setdefault(id(p), []).append(name)
    made = dict(given)
    for group in names.values():
        values = [given[n] for n in group if n in given]
        if len(group) > 1 and values:
            if any(v is not values[0] for v in values):
                raise ValueError(f"functional_call got multiple values for keys {group}")
            made.update(dict.fromkeys(group, values[0]))
    return made


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(parameters, buffers) of several alike modules, stacked: to vmap over an ensemble."""
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    if len({getattr(m, "training", None) for m in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    parameters = _stacked([dict(m.named_parameters()) for m in models])
    for p in parameters.values():
        p.requires_grad_()
    return parameters, _stacked([dict(m.named_buffers()) for m in models])


def _stacked(dicts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: P.stack(*[d[name].detach() for d in dicts], axis=0) for name in dicts[0]}
