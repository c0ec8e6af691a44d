"""States of models and optimizers by names, whole or as the parts that processes have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chainrule as torch

from ..autograd import refusal
from .group import get_rank, is_initialized
from .objects import broadcast_object_list
from .tensor.dtensor import DTensor, distribute_tensor, whole_of


@dataclass(frozen=True)
class StateDictOptions:
    """How states of models and optimizers are given."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def inside(model: Any) -> Any:
    """The module that a wrapper of several processes is around."""
    wraps = hasattr(model, "reducer") or hasattr(model, "_kind")
    return model.module if wraps else model


def as_part(value: Any, p: Any) -> Any:
    """A whole tensor cut as a parameter is."""
    cuts = isinstance(p, DTensor) and isinstance(value, torch.Tensor)
    if not cuts or isinstance(value, DTensor) or tuple(value.shape) != tuple(p.shape):
        return value
    return distribute_tensor(value, p.device_mesh, p.placements, src_data_rank=None)


def cut_state(module: Any, state: dict[str, Any]) -> dict[str, Any]:
    """A state in which whole tensors are cut as the module's parameters are."""
    parameters = dict(module.named_parameters(remove_duplicate=False))
    return {
        name: as_part(value, parameters[name]) if name in parameters else value
        for name, value in state.items()
    }


def _tensors(state: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {k: change(v) if isinstance(v, torch.Tensor) else v for k, v in state.items()}


def _given(state: dict[str, Any], options: Any) -> dict[str, Any]:
    """Whole tensors where they are wanted; with `cpu_offload` on the first process alone."""
    if not getattr(options, "full_state_dict", False):
        return state
    found = _tensors(state, whole_of)
    alone = getattr(options, "cpu_offload", False) and is_initialized() and get_rank() != 0
    return {} if alone else found


def _received(state: dict[str, Any], options: Any) -> dict[str, Any]:
    """The first process's state, where it alone has one."""
    if not (getattr(options, "broadcast_from_rank0", False) and is_initialized()):
        return state
    holder = [state if get_rank() == 0 else None]
    broadcast_object_list(holder, 0)
    return holder[0]  # type: ignore[return-value]


def get_model_state_dict(model: Any, *, submodules: Any = None, options: Any = None) -> Any:
    """The state of a model; whole with `StateDictOptions(full_state_dict=True)`."""
    inner = inside(model)
    state = inner.state_dict()
    if getattr(options, "ignore_frozen_params", False):
        frozen = {name for name, p in inner.named_parameters() if not p.requires_grad}
        state = {name: value for name, value in state.items() if name not in frozen}
    return _given(state, options)


def set_model_state_dict(
    model: Any, model_state_dict: dict[str, Any], *, options: Any = None
) -> Any:
    """Load a state into a model; of whole tensors each process takes its part."""
    inner = inside(model)
    state = _received(model_state_dict, options)
    return inner.load_state_dict(cut_state(inner, state), getattr(options, "strict", True))


# ---- optimizers ----------------------------------------------------------------------------------


def _ready(optimizer: Any) -> None:
    """Let an optimizer that has not stepped have its state, so that it can be loaded."""
    groups = optimizer.param_groups
    if optimizer.state or any(p.grad is not None for g in groups for p in g["params"]):
        return
    rates = [group.get("lr") for group in groups]
    try:
        with torch.no_grad():
            for group in groups:
                if "lr" in group:
                    group["lr"] = torch.tensor(0.0) if _is_tensor(group["lr"]) else 0.0
                for p in group["params"]:
                    if p.requires_grad:
                        p.grad = torch.zeros_like(p)
        optimizer.step()
    finally:
        for group, rate in zip(groups, rates, strict=True):
            if rate is not None:
                group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
    for entry in optimizer.state.values():  # nothing has been counted
        if _is_tensor(entry.get("step")):
            entry["step"].zero_()


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def by_names(model: Any, optimizer: Any) -> dict[str, Any]:
    """The state of an optimizer by names of parameters."""
    names = {id(p): name for name, p in model.named_parameters()}
    every = [p for group in optimizer.param_groups for p in group["params"]]
    for p in every:
        if id(p) not in names:
            raise refusal.value(
                f"the optimizer has a parameter of shape {list(p.shape)} that the model does not "
                "have",
                fix="make the optimizer after the model was wrapped or sharded.",
            )
    state = {names[id(p)]: dict(optimizer.state.get(p, {})) for p in every if p.requires_grad}
    groups = [
        {**group, "params": [names[id(p)] for p in group["params"]]}
        for group in optimizer.param_groups
    ]
    return {"state": state, "param_groups": groups}


def put_back(model: Any, optimizer: Any, found: dict[str, Any]) -> dict[str, Any]:
    """A state by names as `optimizer.load_state_dict` takes it: by numbers."""
    own = by_names(model, optimizer)
    numbers = {
        name: number
        for number, name in enumerate(n for group in own["param_groups"] for n in group["params"])
    }
    groups = []
    for group, saved in zip(own["param_groups"], found["param_groups"], strict=True):
        groups.append({**saved, "params": [numbers[name] for name in group["params"]]})
    state = {numbers[name]: entry for name, entry in found["state"].items() if name in numbers}
    return {"state": state, "param_groups": groups}


def _every(optimizers: Any) -> list[Any]:
    return [optimizers] if isinstance(optimizers, torch.optim.Optimizer) else list(optimizers)


def get_optimizer_state_dict(
    model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None
) -> dict[str, Any]:
    """The state of an optimizer, or of several, by names of parameters."""
    state: dict[str, Any] = {}
    groups: list[Any] = []
    for optimizer in _every(optimizers):
        _ready(optimizer)
        found = by_names(inside(model), optimizer)
        for name, entry in found["state"].items():
            state[name] = _given(entry, options)
        groups += found["param_groups"]
    whole = getattr(options, "full_state_dict", False) and getattr(options, "cpu_offload", False)
    if whole and is_initialized() and get_rank() != 0:
        return {}
    made = {"state": state, "param_groups": groups}
    return _flat(made) if getattr(options, "flatten_optimizer_state_dict", False) else made


def _flat(found: dict[str, Any]) -> dict[str, Any]:
    """One level: `state.<parameter>.<name>` and `param_groups.<parameter>.<option>`."""
    flat = {
        f"state.{name}.{key}": value
        for name, entry in found["state"].items()
        for key, value in entry.items()
    }
    for group in found["param_groups"]:
        for name in group["params"]:
            for key, value in group.items():
                if key != "params":
                    flat[f"param_groups.{name}.{key}"] = value
    return flat


def _unflat(flat: dict[str, Any], groups: list[Any]) -> dict[str, Any]:
    state: dict[str, dict[str, Any]] = {}
    for key, value in flat.items():
        if key.startswith("state."):
            name, _, entry = key.removeprefix("state.").rpartition(".")
            state.setdefault(name, {})[entry] = value
    made = []
    for group in groups:
        first = f"param_groups.{group['params'][0]}."
        options = {k.removeprefix(first): v for k, v in flat.items() if k.startswith(first)}
        made.append({**options, "params": group["params"]})
    return {"state": state, "param_groups": made}


def set_optimizer_state_dict(
    model: Any, optimizers: Any, optim_state_dict: dict[str, Any], *, options: Any = None
) -> None:
    """Load a state by names of parameters into an optimizer; whole tensors are cut."""
    inner = inside(model)
    parameters = dict(inner.named_parameters())
    found = _received(optim_state_dict, options)
    for optimizer in _every(optimizers):
        _ready(optimizer)
        own = by_names(inner, optimizer)
        given = found if "param_groups" in found else _unflat(found, own["param_groups"])
        mine = [set(group["params"]) for group in own["param_groups"]]
        groups = [g for g in given["param_groups"] if set(g["params"]) in mine]
        state = {
            name: {k: as_part(v, parameters[name]) for k, v in entry.items()}
            for name, entry in given["state"].items()
            if any(name in some for some in mine)
        }
        groups = groups if len(groups) == len(mine) else given["param_groups"]
        loaded = put_back(inner, optimizer, {"state": state, "param_groups": groups})
        optimizer.load_state_dict(loaded)


def get_state_dict(
    model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None
) -> Any:
    """The states of a model and its optimizer."""
    return (
        get_model_state_dict(model, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_state_dict(
    model: Any, optimizers: Any, *, model_state_dict: Any, optim_state_dict: Any,
    options: Any = None,
) -> Any:  # fmt: skip
    """Load the states of a model and its optimizer."""
    result = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return result


__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict",
    "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip
