"""Saving and loading a module's state: `state_dict`, `load_state_dict`."""

from __future__ import annotations

import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ...autograd import refusal, source
from ...autograd.accidents import explain_methods
from ...autograd.modes import no_grad
from ...autograd.node import RemovableHandle
from ...autograd.printable import printable
from ...autograd.source import warn_user
from ...tensor import Parameter, Tensor
from ...tensor.exchange import swap_tensors
from ...tensor.settings import get_swap_module_params_on_conversion
from .lazy_tensors import is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
# Prefixes that wrappers leave on every key of a saved state.
WRAPPERS = {"module.": "DataParallel or DistributedDataParallel", "_orig_mod.": "torch.compile"}

Hook = Callable[..., Any]


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` found missing and what it did not expect."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _WrappedHook:
    """A hook called with its module first; a copy of the module gets a hook of its own."""

    def __init__(self, hook: Hook, module: Any = None) -> None:
        self.hook = hook
        self.module = None if module is None else weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.module is None:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        return {"hook": self.hook, "module": None if self.module is None else self.module()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["hook"], state["module"])


def _add(hooks: OrderedDict[int, Hook], hook: Hook) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class State:
    """The part of `Module` that is saved and loaded."""

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Hook]
    _state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_post_hooks: OrderedDict[int, Hook]

    # ---- hooks ---------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(module, prefix, keep_vars) before `state_dict` collects this module."""
        return _add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(module, state_dict, prefix, local_metadata) to change the dict in place."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """The private form: what the hook returns replaces the dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(module, state_dict, prefix, ...) before this module is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Hook, with_module: bool = False
    ) -> RemovableHandle:
        wrapped = _WrappedHook(hook, self if with_module else None)
        return _add(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(module, incompatible_keys) after this module was loaded."""
        return _add(self._load_state_dict_post_hooks, hook)

    # ---- extra state ---------------------------------------------------------------------------

    def get_extra_state(self) -> Any:
        """What a subclass wants saved besides parameters and buffers."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called: "
            f"{type(self).__name__} does not define get_extra_state()."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called: "
            f"{type(self).__name__} defines get_extra_state() but not set_extra_state()."
        )

    def _defines(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(State, method)

    # ---- saving --------------------------------------------------------------------------------

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put this module's own state, without its children's, into the dict."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if self._defines("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by dotted name; they share the module's memory.

        >>> import chainrule as torch
        >>> list(torch.nn.Linear(3, 2).state_dict())
        ['weight', 'bias']
        """
        if args:
            destination, prefix, keep_vars = _positional(args, destination, prefix, keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            made = hook(self, destination, prefix, local_metadata)
            if not getattr(hook, "_from_public_api", False):
                destination = destination if made is None else made
            elif made is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    # ---- loading -------------------------------------------------------------------------------

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take this module's own state, without its children's, from the dict."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(
                state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                error_msgs,
            )  # fmt: skip
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = _persistent(self)
        for name, target in own.items():
            key = prefix + name
            if key in state_dict:
                problem = _load_one(self, name, target, key, state_dict[key], assign)
                if problem is not None:
                    error_msgs.append(problem)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._defines("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            unexpected_keys.extend(_unexpected(self, state_dict, prefix, own, extra))

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copy a saved state into this module; `strict` asks for exactly the same keys.

        >>> import chainrule as torch
        >>> a, b = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
        >>> b.load_state_dict(a.state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise refusal.wrong_type(
                f"Expected state_dict to be dict-like, got {type(state_dict)}.",
                fix="give what module.state_dict() or torch.load() of such a file returns.",
            )
        _check_names(state_dict)
        loading = Loading(state_dict, assign)
        loading.load(self, loading.state_dict, "")
        if strict:
            loading.report_keys()
        if loading.errors:
            raise RuntimeError(loading.report(self) + f"\n  at {source.here()}" + loading.hint())
        return _IncompatibleKeys(loading.missing, loading.unexpected)


def _check_names(state_dict: Mapping[Any, Any]) -> None:
    """Refuse keys that are no names, and notes beside the tensors that are no dicts.

    Both come from files: what is wrong with them is found before the first tensor is copied.
    """
    for key in state_dict:
        if not isinstance(key, str):
            raise refusal.wrong_type(
                f"the keys of a state_dict are names, but one is a {type(key).__name__}",
                "load_state_dict",
                fix="give what module.state_dict() returned.",
            )
    notes = getattr(state_dict, "_metadata", None)
    if notes is None:
        return
    if not isinstance(notes, Mapping) or not all(isinstance(n, Mapping) for n in notes.values()):
        raise refusal.wrong_type(
            "the _metadata of a state_dict are dicts by the names of modules, but these are not",
            "load_state_dict",
            fix="del state_dict._metadata, if the file was written by the present version.",
        )


def _positional(args: Any, destination: Any, prefix: str, keep_vars: bool) -> tuple[Any, ...]:
    """The old call of state_dict: destination, prefix, keep_vars in this order."""
    warn_user(
        "Positional args are being deprecated, use kwargs instead: "
        "state_dict(destination=..., prefix=..., keep_vars=...)",
        FutureWarning,
    )
    given = [destination, prefix, keep_vars]
    given[: len(args)] = args
    return tuple(given)


def _persistent(module: Any) -> dict[str, Any]:
    """The parameters and buffers of one module that are saved."""
    own = {name: p for name, p in module._parameters.items() if p is not None}
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            own[name] = buffer
    return own


def _unexpected(
    module: Any, state_dict: Any, prefix: str, own: dict[str, Any], extra: str
) -> list[str]:
    """Keys under this prefix that belong neither to the module nor to a child of it."""
    found = []
    for key in state_dict:
        if key.startswith(prefix) and key != extra:
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in (module._modules if dot else own):
                found.append(key)
    return found


def _load_one(
    module: Any, name: str, target: Any, key: str, value: Any, assign: bool
) -> str | None:
    """Copy (or assign) one value; what went wrong, if anything."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value)}"
        )
    lazy = is_lazy(target)
    if lazy and is_lazy(value):
        return None
    if not lazy and len(target.shape) == 0 and tuple(value.shape) == (1,):
        value = value[0]  # what very old files have for scalars
    if not lazy and value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
    if target.is_meta and not value.is_meta and not assign:
        warn_user(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter "
            "in the current model, which is a no-op. (Did you mean to pass `assign=True`?)",
        )
        return None
    try:
        with no_grad():
            if get_swap_module_params_on_conversion():
                _swap_in(target, value, assign)
            elif assign:
                _assign(module, name, target, value)
            else:
                target.copy_(value)
    except Exception as problem:
        how = "swapping" if get_swap_module_params_on_conversion() else "copying"
        return (
            f'While {how} the parameter named "{key}", whose dimensions in the model are '
            f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, an "
            f"exception occurred : {problem.args}."
        )
    return None


def _swap_in(target: Any, value: Any, assign: bool) -> None:
    """Exchange the target's contents with what its `module_load` makes of the value."""
    made = target.module_load(value, assign=assign)
    if made is target or made is value:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning "
            "one of the inputs in module_load"
        )
    if isinstance(target, Parameter):
        if isinstance(made, Parameter):
            made.requires_grad_(target.requires_grad)
        else:
            made = Parameter(made, requires_grad=target.requires_grad)
    swap_tensors(target, made)


def _assign(module: Any, name: str, target: Any, value: Any) -> None:
    """Put the value itself in the target's place, with the target's requires_grad."""
    if isinstance(target, Parameter):
        if isinstance(value, Parameter):
            value.requires_grad_(target.requires_grad)
        else:
            value = Parameter(value, requires_grad=target.requires_grad)
    setattr(module, name, value)


_MOST_KEYS, _LONGEST_KEY = 2000, 400  # that an error lists, and their letters


def _clipped(key: str) -> str:
    return key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "..."


class Loading:
    """One call of `load_state_dict`: walks the modules and collects what does not fit."""

    def __init__(self, state_dict: Mapping[str, Any], assign: bool) -> None:
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []
        self.metadata = getattr(state_dict, "_metadata", None)
        self.state_dict = OrderedDict(state_dict)
        if self.metadata is not None:
            self.state_dict._metadata = self.metadata  # type: ignore[attr-defined]
        self.assign = assign

    def load(self, module: Any, local: Any, prefix: str) -> None:
        """One module and all in it."""
        metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(
            local, prefix, metadata, True, self.missing, self.unexpected, self.errors
        )
        for name, child in module._modules.items():
            if child is not None:
                start = f"{prefix}{name}."
                of_child = {k: v for k, v in local.items() if k.startswith(start)}
                self.load(child, of_child, start)
        found = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, found) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected "
                    "to return new values, if incompatible_keys need to be modified, it should be "
                    "done inplace."
                )

    def report_keys(self) -> None:
        """Make errors of missing and unexpected keys."""
        for keys, what in ((self.unexpected, "Unexpected"), (self.missing, "Missing")):
            if keys:
                listed = ", ".join(f'"{_clipped(k)}"' for k in keys[:_MOST_KEYS])
                if len(keys) > _MOST_KEYS:
                    listed += f" and {len(keys) - _MOST_KEYS} more"
                self.errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")

    def report(self, module: Any) -> str:
        """Everything that did not fit."""
        listed = "\n\t".join(self.errors)
        # Names of a file: a terminal is not to obey them.
        head = f"Error(s) in loading state_dict for {type(module).__name__}"
        return printable(f"{head}:\n\t{listed}")

    def hint(self) -> str:
        """What probably happened, where the keys show it."""
        for prefix, wrapper in WRAPPERS.items():
            added = [k for k in self.unexpected if k.startswith(prefix)]
            if added and len(added) == len(self.unexpected):
                return (
                    f"\n  Every unexpected key starts with {prefix!r}: the state was saved from a "
                    f"model wrapped by {wrapper}.\n  Fix: load_state_dict({{k.removeprefix("
                    f"{prefix!r}): v for k, v in state.items()}})."
                )
        if self.missing or self.unexpected:
            return (
                "\n  Fix: build the model as it was when it was saved, or pass strict=False to "
                "load only the keys that both have."
            )
        if all("expected torch.Tensor" in error for error in self.errors):
            return "\n  Fix: make tensors of the values first, with torch.as_tensor(value)."
        if all("no whole number" in error for error in self.errors):
            return "\n  Fix: del state_dict._metadata."
        return "\n  Fix: build the model with the sizes it was saved with."


explain_methods(State, "state_dict", "load_state_dict")
