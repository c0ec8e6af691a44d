"""Modules as functions of their parameters: `functional_call`, `stack_module_state`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.dispatch import P
from ..autograd.value import TensorBase

_MISSING: Any = object()


# ---- other values in a module's places ---------------------------------------------------------


class _Place:
    """Where a module keeps one parameter, buffer or plain attribute."""

    def __init__(self, module: Any, path: str) -> None:
        *parents, self.name = path.split(".")
        if self.name == "":
            raise KeyError('tensor name can\'t be empty string ""')
        for part in parents:
            found = getattr(module, part, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
            module = found
        self.owner = module

    def _held(self) -> dict[str, Any] | None:
        for kept in ("_parameters", "_buffers"):
            found = self.owner.__dict__.get(kept)
            if found is not None and self.name in found:
                return found
        return None

    def swap(self, value: Any) -> Any:
        """Put a value there (or nothing), past the module's checks; returns what was there."""
        held = self._held()
        if held is not None:
            before = held[self.name]
            if value is _MISSING:
                del held[self.name]
            else:
                held[self.name] = value
            return before
        before = getattr(self.owner, self.name, _MISSING)
        if value is not _MISSING:
            setattr(self.owner, self.name, value)
        elif before is not _MISSING:
            delattr(self.owner, self.name)
        return before


def _check_keys(module: Any, values: dict[str, Any]) -> None:
    """Exactly the names of the module's parameters and buffers."""
    known = {n for n, _ in module.named_parameters(remove_duplicate=False)}
    known |= {n for n, _ in module.named_buffers(remove_duplicate=False)}
    problems = []
    for what, keys in (("Unexpected", set(values) - known), ("Missing", known - set(values))):
        if keys:
            problems.append(f"\n\t{what} key(s): {', '.join(map(repr, sorted(keys)))}.")
    if problems:
        raise refusal.runtime(
            f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(problems)}",
            fix="give all names of named_parameters() and named_buffers(), or strict=False.",
        )


@contextlib.contextmanager
def swapped(module: Any, values: dict[str, Any], strict: bool) -> Iterator[dict[str, Any]]:
    """Inside the block, the module has these parameters and buffers instead of its own.

    After it, the dict that the block got has what the module left in their places.
    """
    if strict:
        _check_keys(module, values)
    old: list[tuple[str, _Place, Any]] = []
    after: dict[str, Any] = {}
    try:
        for path, value in values.items():
            if not isinstance(value, TensorBase) and value is not None:
                raise TypeError(f"{value} is not an instance of torch.Tensor")
            place = _Place(module, path)
            old.append((path, place, place.swap(value)))
        yield after
    finally:
        for path, place, value in reversed(old):
            after[path] = place.swap(value)


# ---- what users call ---------------------------------------------------------------------------


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
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(layer, {"weight": torch.full((1, 2), 3.0)}, torch.ones(1, 2))
    tensor([[6.]])
    """
    given = _merged(parameter_and_buffer_dicts)
    values = _with_tied(module, given) if tie_weights else given
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with swapped(module, values, strict) as after:
        result = module(*positional, **(kwargs or {}))
    for path in given:
        if after[path] is not given[path] and after[path] is not _MISSING:
            given[path] = after[path]  # buffers that the call replaced
    return result


def _merged(dicts: Any) -> dict[str, Any]:
    """One dict of one or several; a single one is used itself."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    made: dict[str, Any] = {}
    for one in dicts:
        if repeated := [key for key in one if key in made]:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is "
                "ambiguous"
            )
        made.update(one)
    return made


def _with_tied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Names of the same parameter get the same value."""
    names: dict[int, list[str]] = {}
    for find in (module.named_parameters, module.named_buffers):
        for name, t in find(remove_duplicate=False):
            names.setdefault(id(t), []).append(name)
    made = dict(given)
    for group in names.values():
        if len(group) == 1:
            continue
        present = [name for name in group if name in given]
        if not present:
            continue
        value = given[present[0]]
        if any(given[name] is not value for name in present):
            raise ValueError(
                f"functional_call got multiple values for keys {present}, which are tied. "
                "Consider using tie_weights=False"
            )
        made.update(dict.fromkeys(group, value))
    return made


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(parameters, buffers) of several alike modules, stacked: to vmap over an ensemble.

    >>> import chainrule as torch
    >>> models = [torch.nn.Linear(3, 2) for _ in range(5)]
    >>> parameters, buffers = torch.func.stack_module_state(models)
    >>> parameters["weight"].shape
    torch.Size([5, 2, 3])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({getattr(m, "training", None) for m in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = _stacked([dict(m.named_parameters()) for m in models])
    for name, p in parameters.items():
        p.requires_grad_(models[0].get_parameter(name).requires_grad)
    return parameters, _stacked([dict(m.named_buffers()) for m in models])


def _stacked(dicts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: P.stack(*[d[name].detach() for d in dicts], axis=0) for name in dicts[0]}


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Make every batch norm below `root` use the batch's own statistics and keep none, in place.

    Running statistics are shared by all examples, so they cannot be updated under `vmap`.

    >>> import chainrule as torch
    >>> net = torch.nn.Sequential(torch.nn.BatchNorm1d(3))
    >>> torch.func.replace_all_batch_norm_modules_(net)[0].running_mean is None
    True
    """
    for module in root.modules():
        if any(kind.__name__ == "_BatchNorm" for kind in type(module).__mro__):
            module.running_mean = module.running_var = None
            module.num_batches_tracked = None
            module.track_running_stats = False
    return root


explain_module(globals())
