"""Hooks on modules: registering them, and the call of a module that has some."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...autograd.node import RemovableHandle
from ...autograd.source import warn_user
from ...tensor import Tensor

Hook = Callable[..., Any]

# Hooks on all modules, by the names programs know from PyTorch.
_global_forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_backward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_is_full_backward_hook: bool | None = None


def _has_any_global_hook() -> bool:
    return bool(
        _global_backward_pre_hooks
        or _global_backward_hooks
        or _global_forward_pre_hooks
        or _global_forward_hooks
    )


def _add(
    hooks: OrderedDict[int, Hook],
    hook: Hook,
    *marks: tuple[bool, OrderedDict[int, bool]],
    prepend: bool = False,
) -> RemovableHandle:
    """Register a hook, and mark its id in the dicts of those marks that are asked for."""
    handle = RemovableHandle(hooks, extra_dict=[where for _, where in marks])
    hooks[handle.id] = hook
    for asked, where in marks:
        if asked:
            where[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


# ---- hooks on all modules ----------------------------------------------------------------------


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, args) before the forward of every module."""
    return _add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call hook(module, args, output) after the forward of every module."""
    return _add(
        _global_forward_hooks,
        hook,
        (with_kwargs, _global_forward_hooks_with_kwargs),
        (always_call, _global_forward_hooks_always_called),
    )


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, grad_output) before the backward of every module."""
    return _add(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, grad_input, grad_output) after the backward of every module."""
    _choose_global_kind(True)
    return _add(_global_backward_hooks, hook)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The old form of `register_module_full_backward_hook`: sees one node, not the module."""
    _choose_global_kind(False)
    return _add(_global_backward_hooks, hook)


def _choose_global_kind(full: bool) -> None:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module "
            "hook. Please use only one of them."
        )
    _global_is_full_backward_hook = full


# ---- hooks on one module -----------------------------------------------------------------------


class Hooked:
    """The part of `Module` that keeps hooks on its calls."""

    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _backward_hooks: OrderedDict[int, Hook]
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call hook(module, args) before forward; what it returns replaces the arguments."""
        mark = (with_kwargs, self._forward_pre_hooks_with_kwargs)
        return _add(self._forward_pre_hooks, hook, mark, prepend=prepend)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call hook(module, args, output) after forward; what it returns replaces the output.

        >>> import chainrule as torch
        >>> layer = torch.nn.Linear(3, 2)
        >>> shapes = []
        >>> handle = layer.register_forward_hook(lambda m, args, out: shapes.append(out.shape))
        >>> y = layer(torch.ones(4, 3))
        >>> shapes
        [torch.Size([4, 2])]
        """
        return _add(
            self._forward_hooks,
            hook,
            (with_kwargs, self._forward_hooks_with_kwargs),
            (always_call, self._forward_hooks_always_called),
            prepend=prepend,
        )

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call hook(module, grad_output) before the module's backward; it may replace them."""
        return _add(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) when the gradients of the inputs are known."""
        self._choose_backward_kind(True)
        return _add(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The old form of `register_full_backward_hook`: sees one node, not the module."""
        self._choose_backward_kind(False)
        return _add(self._backward_hooks, hook)

    def _choose_backward_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """(full, old-style) backward hooks that see this module."""
        full: list[Hook] = []
        old: list[Hook] = []
        kinds = (
            (_global_is_full_backward_hook, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        )
        for is_full, hooks in kinds:
            (full if is_full else old).extend(hooks.values())
        return full, old

    def _get_backward_pre_hooks(self) -> list[Hook]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]


# ---- the call of a module with hooks -----------------------------------------------------------


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Forward, with all hooks around it."""
    done: set[int] = set()  # forward hooks that ran
    call = HookedCall(module, args, kwargs)
    always = module._forward_hooks_always_called or _global_forward_hooks_always_called
    if not always:
        return call.run(done)
    try:
        return call.run(done)
    except Exception:
        call.run_always_called(done)
        raise


class HookedCall:
    """One call of a module that has hooks."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None

    def run(self, done: set[int]) -> Any:
        """Pre-hooks, forward, hooks; gradients will pass the backward hooks."""
        module = self.module
        full, old = module._get_backward_hooks()
        before = module._get_backward_pre_hooks()
        self.run_pre_hooks()
        boundary = None
        if full or before:
            from .module_backward import BackwardHook

            boundary = BackwardHook(module, full, before)
            self.args = boundary.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self.run_forward_hooks(done)
        if boundary is not None:
            if not isinstance(self.result, Tensor | tuple):
                warn_user(
                    "For backward hooks to be called, module output should be a Tensor or a tuple "
                    f"of Tensors but received {type(self.result)}",
                )
            self.result = boundary.setup_output_hook(self.result)
        if old:
            from .module_backward import hook_old_style

            hook_old_style(module, old, self.args, self.result)
        return self.result

    def run_pre_hooks(self) -> None:
        module = self.module
        for hook in tuple(_global_forward_pre_hooks.values()):
            self.take_args(hook(module, self.args))
        for key, hook in tuple(module._forward_pre_hooks.items()):
            if key not in module._forward_pre_hooks_with_kwargs:
                self.take_args(hook(module, self.args))
                continue
            made = hook(module, self.args, self.kwargs)
            if made is None:
                continue
            if not (isinstance(made, tuple) and len(made) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {made}."
                )
            self.args, self.kwargs = made

    def take_args(self, made: Any) -> None:
        if made is not None:
            self.args = made if isinstance(made, tuple) else (made,)

    def forward_hooks(self) -> list[tuple[int, Hook, bool, bool]]:
        """(id, hook, takes kwargs, is always called), global ones first."""
        module = self.module
        groups = (
            (
                _global_forward_hooks,
                _global_forward_hooks_with_kwargs,
                _global_forward_hooks_always_called,
            ),
            (
                module._forward_hooks,
                module._forward_hooks_with_kwargs,
                module._forward_hooks_always_called,
            ),
        )
        return [
            (key, hook, key in with_kwargs, key in always)
            for hooks, with_kwargs, always in groups
            for key, hook in hooks.items()
        ]

    def run_forward_hooks(self, done: set[int]) -> None:
        for key, hook, with_kwargs, always in self.forward_hooks():
            if always:
                done.add(key)
            self.run_forward_hook(hook, with_kwargs)

    def run_forward_hook(self, hook: Hook, with_kwargs: bool) -> None:
        if with_kwargs:
            made = hook(self.module, self.args, self.kwargs, self.result)
        else:
            made = hook(self.module, self.args, self.result)
        if made is not None:
            self.result = made

    def run_always_called(self, done: set[int]) -> None:
        """After an error: the hooks that asked to be called even then."""
        for key, hook, with_kwargs, always in self.forward_hooks():
            if not always or key in done:
                continue
            try:
                self.run_forward_hook(hook, with_kwargs)
            except Exception as problem:
                where = "global module" if key in _global_forward_hooks else "module"
                warn_user(
                    f"{where} forward hook with ``always_call=True`` raised an exception that was "
                    f"silenced as another error was raised in forward: {problem}",
                )
