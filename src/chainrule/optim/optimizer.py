"""Optimizer: parameter groups, state, hooks and saving, without any update rule."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain, explain_methods, in_words
from ..autograd.node import RemovableHandle
from ..autograd.printable import printable
from ..autograd.source import warn_user
from ..autograd.state import STATE
from ..autograd.watching import named
from .helper_names import _default_to_fused_or_foreach as _default_to_fused_or_foreach
from .helper_names import _disable_dynamo_if_unsupported as _disable_dynamo_if_unsupported
from .helper_names import _dispatch_sqrt as _dispatch_sqrt
from .helper_names import _get_capturable_supported_devices as _get_capturable_supported_devices
from .helper_names import _get_scalar_dtype as _get_scalar_dtype
from .helper_names import _get_value as _get_value
from .helper_names import _stack_if_compiling as _stack_if_compiling
from .helper_names import _to_scalar as _to_scalar
from .helper_names import _use_grad_for_differentiable as _use_grad_for_differentiable
from .helper_names import _view_as_real as _view_as_real

ParamsT = Iterable[Any]

_global_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_HOOK_TABLES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _RequiredParameter:
    """Stands for a hyperparameter that every group must give itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _add_hook(table: OrderedDict[int, Any], hook: Any, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before the step of every optimizer."""
    return _add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after the step of every optimizer."""
    return _add_hook(_global_post_hooks, hook)


def with_step_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A class's `step` that also calls the hooks registered around it."""

    @functools.wraps(step)
    def hooked(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        try:
            own_hooks = self._optimizer_step_pre_hooks
        except AttributeError:  # a wrapper that never ran Optimizer.__init__ has none
            return step(self, *args, **kwargs)
        if not (
            own_hooks
            or self._optimizer_step_post_hooks
            or _global_pre_hooks
            or _global_post_hooks
            or STATE.anomaly_log is not None
            or STATE.watchers
        ):
            try:
                return step(self, *args, **kwargs)
            except PROBLEMS as problem:
                explain(step, f"{type(self).__name__}.step", (self, *args), kwargs, problem)
                raise
        args = (self, *args)
        for hook in chain(_global_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise refusal.runtime(
                    f"{hook} must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{changed}."
                )
            args, kwargs = changed
        kind = type(self).__name__
        with named(f"Optimizer.step#{kind}.step"):
            result = _run(step, args, kwargs)
        for hook in chain(self._optimizer_step_post_hooks.values(), _global_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    hooked.hooked = True  # type: ignore[attr-defined]
    return hooked


def _run(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The step itself; where forward results are checked for NaN, so are the parameters."""
    if STATE.anomaly_log is None or not STATE.anomaly_check_nan:
        return step(*args, **kwargs)
    from .watched_step import watched

    return watched(STATE.anomaly_log, step, args, kwargs)


def evaluated(closure: Callable[[], Any] | None) -> Any:
    """The loss that a closure computes, with gradients; None without one."""
    if closure is None:
        return None
    with cr.enable_grad():
        return closure()


class Optimizer:
    """What all optimizers share: groups of parameters with their options, state, and hooks.

    A subclass gives `defaults` (the options and their values) and a `step`:

    >>> import chainrule as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...     @torch.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p.sub_(p.grad * group["lr"])
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Descent([w], lr=0.25).step()
    >>> w
    tensor([0.5000, 1.0000], requires_grad=True)
    """

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]
    _chainrule_plans: Any = None  # what a subclass prepared for its fast step; never saved

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if step is not None and not hasattr(step, "hooked"):
            cls.step = with_step_hooks(step)  # type: ignore[method-assign]
        explain_methods(cls, "__init__")

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for table in _HOOK_TABLES:
            setattr(self, table, OrderedDict())
        if isinstance(params, cr.Tensor):
            raise refusal.wrong_type(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {type(params).__name__} of shape {list(params.shape)}",
                fix="put it into a list: [parameter].",
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        if callable(getattr(params, "parameters", None)):
            raise refusal.wrong_type(
                f"'{type(params).__name__}' object is not iterable: an optimizer takes "
                "parameters, not a module",
                fix="pass model.parameters().",
            )
        groups = list(params)
        if not groups:
            raise refusal.value(
                "optimizer got an empty parameter list",
                why="It would have nothing to update. A module without parameters, or a generator "
                "that was used up before (keep list(model.parameters())), gives one.",
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    # ---- groups ----------------------------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Optimize more parameters, with options of their own where the dict gives them."""
        if not isinstance(param_group, dict):
            raise refusal.wrong_type(
                f"param_group must be a dict, but got {type(param_group)}",
                fix="{'params': [...], 'lr': ...}.",
            )
        params, names = _tensors_and_names(param_group["params"])
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        self._check_params(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise refusal.value(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warn_user(
                "optimizer contains a parameter group with duplicate parameters; each copy is "
                "stepped, so such a parameter moves several times per step. Give every parameter "
                "once (in future this will be an error).",
            )
        self._check_against_groups(param_group)
        self.param_groups.append(param_group)
        self._chainrule_plans = None

    def _check_params(self, params: list[Any]) -> None:
        for i, p in enumerate(params):
            if not isinstance(p, cr.Tensor):
                raise refusal.wrong_type(
                    "optimizer can only optimize Tensors, but one of the params is "
                    f"{type(p).__module__}.{type(p).__qualname__}",
                    f"number {i} of {len(params)}",
                    fix="pass model.parameters(), or dicts with 'params'.",
                )
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                made_by: Any = p.grad_fn
                raise refusal.value(
                    f"can't optimize a non-leaf Tensor: number {i}, of shape {list(p.shape)}, is "
                    f"the result of {made_by.name()}, so backward() leaves no .grad on it",
                    fix="optimize the tensor it was computed from, or x.detach().requires_grad_().",
                )

    def _check_against_groups(self, param_group: dict[str, Any]) -> None:
        """A parameter belongs to one group; names are given for all groups or for none."""
        known: set[Any] = set()
        for group in self.param_groups:
            known.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                which = "with names" if "param_names" in param_group else "without names"
                raise refusal.value(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {which} to the optimizer",
                    fix="use named_parameters() for all groups or for none.",
                )
        shared = [i for i, p in enumerate(param_group["params"]) if p in known]
        if shared:
            raise refusal.value(
                f"some parameters appear in more than one parameter group: numbers {shared} of "
                f"group {len(self.param_groups)} are in an earlier group too",
                fix="list every parameter once.",
            )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: to None, or to zeros in place with `set_to_none=False`."""
        if STATE.watchers:
            kind = type(self).__name__
            with named(f"Optimizer.zero_grad#{kind}.zero_grad"):
                return self._zero_grad(set_to_none)
        return self._zero_grad(set_to_none)

    def _zero_grad(self, set_to_none: bool) -> None:
        if set_to_none:
            for group in self.param_groups:
                for p in group["params"]:
                    p._grad = None
            return
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is not None:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    else:
                        grad.requires_grad_(False)
                    grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters by their gradients; `closure` computes the loss anew."""
        raise NotImplementedError

    # ---- saving ----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """State and options as plain containers; parameters are numbered in order."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {_key_of(k, numbers): v for k, v in self.state.items()}
        saved: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            saved = hook(self, saved) or saved
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave for an optimizer of as many groups and parameters."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            state_dict = hook(self, state_dict) or state_dict
        loaded = deepcopy(state_dict["param_groups"])
        _check_sizes(self.param_groups, loaded)
        owners = dict(
            zip(
                chain.from_iterable(g["params"] for g in loaded),
                chain.from_iterable(g["params"] for g in self.param_groups),
                strict=True,
            )
        )
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                group = next(g for g in loaded if key in g["params"])
                state[owners[key]] = _fitted(value, owners[key], group)
            elif isinstance(key, cr.Tensor):
                raise refusal.value(
                    f"the loaded state is of {in_words(key)}, not of the number of a parameter",
                    f"{type(self).__name__}.load_state_dict",
                )
            else:
                state[key] = value
        for group, new in zip(self.param_groups, loaded, strict=True):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        before = dict(self.__dict__)
        try:
            self.__setstate__({"state": state, "param_groups": loaded})
        except BaseException:  # a state that makes no sense to this optimizer
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for table in _HOOK_TABLES:
            self.__dict__.setdefault(table, OrderedDict())
        self.defaults.setdefault("differentiable", False)
        self._chainrule_plans = None

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [""] * (i > 0) + [f"Parameter Group {i}"]
            names = sorted((name for name in group if name != "params"), key=str)
            lines += [f"    {name}: {group[name]}" for name in names]
        return printable("\n".join([*lines, ")"]))  # a file can have named options

    # ---- hooks -----------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new ones."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict` collects anything."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on what `state_dict` is to return."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another dict."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after loading."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _tensors_and_names(params: Any) -> tuple[list[Any], list[str]]:
    """The parameters of a group as a list, and their names if it gives (name, tensor) pairs."""
    if isinstance(params, cr.Tensor):
        return [params], []
    if isinstance(params, set):
        raise refusal.wrong_type(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    items = list(params)
    names = [item[0] for item in items if isinstance(item, tuple)]
    if names and len(names) != len(items):
        raise refusal.value(
            "all optimizer params should be with/without names. Some param names are missing",
            f"{len(names)} of {len(items)} have one",
        )
    return [item[1] if isinstance(item, tuple) else item for item in items], names


def _key_of(key: Any, numbers: dict[int, int]) -> Any:
    """What stands for a parameter in a saved state: its number."""
    if not isinstance(key, cr.Tensor):
        return key
    if id(key) not in numbers:
        raise refusal.of_kind(
            KeyError,
            f"the state has {in_words(key)}, which is in none of the groups",
            "state_dict",
            fix="del optimizer.state[p] for parameters that you take out of their group.",
        )
    return numbers[id(key)]


def _check_sizes(groups: list[dict[str, Any]], loaded: list[dict[str, Any]]) -> None:
    if len(groups) != len(loaded):
        raise refusal.value(
            f"loaded state dict has a different number of parameter groups: {len(loaded)}, this "
            f"optimizer has {len(groups)}",
            fix="make the optimizer with the same groups before loading.",
        )
    for i, (group, new) in enumerate(zip(groups, loaded, strict=True)):
        if len(group["params"]) != len(new["params"]):
            raise refusal.value(
                "loaded state dict contains a parameter group that doesn't match the size of "
                f"optimizer's group: group {i} has {len(new['params'])} parameters in the dict "
                f"and {len(group['params'])} here",
                fix="build the same model as was saved.",
            )


def _fitted(value: Any, param: Any, group: dict[str, Any], key: Any = None) -> Any:
    """Loaded state with the type of its parameter; the count of steps keeps its own."""
    if isinstance(value, cr.Tensor):
        if key == "step":
            as_single = group.get("capturable") or group.get("fused")
            return value.to(dtype=cr.float32) if as_single else value
        return value.to(dtype=param.dtype) if param.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _fitted(v, param, group, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_fitted(v, param, group) for v in value)  # type: ignore[call-arg]
    return value


__all__ = [
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]


explain_methods(Optimizer, "__init__", "add_param_group", "load_state_dict", "zero_grad")
