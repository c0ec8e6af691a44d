"""Activation checkpointing: compute a part of the forward pass again instead of keeping it.

`checkpoint(function, *args, use_reentrant=False)` runs a function and keeps only its arguments;
backward runs it a second time for what it needs. Whatever else the function does (printing,
counting, updating running statistics) therefore happens twice.

`checkpoint_budget(model, bytes, *example_inputs)` chooses what to checkpoint for a memory budget.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..autograd import backward as run_backward
from ..autograd import source
from ..autograd.accidents import explain_module
from ..autograd.function import Function
from ..autograd.hooks import register_multi_grad_hook
from ..autograd.modes import enable_grad, is_grad_enabled, no_grad
from ..autograd.source import warn_user
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase
from ..standins import finder as _standins
from .checkpoint_debug import Recording
from .checkpoint_frame import (
    CheckpointError,
    Frame,
    SavedInputs,
    metadata,
    present_modes,
    restored_modes,
)
from .checkpoint_selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy",
    "DefaultDeviceType", "SelectiveCheckpointContext", "check_backward_validity", "checkpoint",
    "checkpoint_sequential", "create_selective_checkpoint_contexts",
    "detach_variable", "get_device_states", "noop_context_fn", "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip


class _Overrides:
    """What the two context managers below force, over what `checkpoint` is given."""

    debug: bool | None = None
    early_stop: bool | None = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Inside the block, every `checkpoint` behaves as with debug=enabled (None: as it is given)."""
    previous, _Overrides.debug = _Overrides.debug, enabled
    try:
        yield
    finally:
        _Overrides.debug = previous


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Inside the block, whether a recomputation ends as soon as it has all that is needed.

    What counts is the block in which the forward pass runs.
    """
    previous, _Overrides.early_stop = _Overrides.early_stop, enable
    try:
        yield
    finally:
        _Overrides.early_stop = previous


def noop_context_fn() -> tuple[Any, Any]:
    """The default `context_fn`: nothing around the forward pass nor around its repetition."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), of which only the arguments are kept for backward.

    Backward calls the function a second time, with the random stream and autocast as they were.
    Its side effects happen twice. Pass `use_reentrant=False`: the other variant knows neither
    `autograd.grad`, double backward nor keyword arguments.

    >>> import chainrule as torch
    >>> from chainrule.utils.checkpoint import checkpoint
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> y = checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad  # doctest: +ELLIPSIS
    tensor([ 0.5403, -2.478...])
    """
    if use_reentrant is None:
        _warn_about_default("checkpoint")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if STATE.unusual & TRACE:
        return _traced(function, args, kwargs, preserve)
    if not use_reentrant:
        options = (preserve, context_fn, determinism_check, debug, early_stop)
        return _checkpoint_frame(function, args, kwargs, *options)
    if kwargs:
        raise ValueError(
            f"Unexpected keyword arguments: {','.join(kwargs)}: only use_reentrant=False passes "
            "keyword arguments on"
        )
    if context_fn is not noop_context_fn or debug:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve, *args)


def _traced(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], preserve: bool
) -> Any:
    """A compiled program decides itself what it computes again, and writes everything once: where
    the repetition would write too, there is none."""
    before = STATE.trace.writes_to_outside()
    STATE.turn_off(TRACE)  # a plan that asks for the random state would have to say it in each call
    try:
        modes = present_modes(preserve)
    finally:
        STATE.turn_on(TRACE)
    result = function(*args, **kwargs)
    if not is_grad_enabled() or STATE.trace.writes_to_outside() == before:
        return result
    STATE.trace.fail(
        "a checkpointed function in it writes into a tensor from outside (such as running "
        f"statistics), which backward does once more, at {source.here()}"
    )

    def write_again(_: Any) -> None:  # all that is left to do in this call's own backward
        with restored_modes(modes):
            function(*args, **kwargs)

    made = result if isinstance(result, tuple | list) else (result,)
    differentiable = [t for t in made if isinstance(t, TensorBase) and t._rg]
    if differentiable:
        register_multi_grad_hook(differentiable, write_again, mode="any")
    return result


def _warn_about_default(name: str) -> None:
    warn_user(
        f"torch.utils.{name}: the use_reentrant parameter should be passed explicitly. "
        "use_reentrant=False is the better choice; use_reentrant=True is what you get without it.",
    )


# ---- the variant on saved-tensor hooks -----------------------------------------------------------

_CHECKS: dict[str, Callable[[Any], Any] | None] = {"default": metadata, "none": None}


def _checkpoint_frame(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    preserve: bool,
    context_fn: Callable[[], tuple[Any, Any]],
    determinism_check: str,
    debug: bool,
    early_stop: bool,
) -> Any:
    explain = None
    if debug if _Overrides.debug is None else _Overrides.debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        recording = Recording()
        context_fn, explain = recording.contexts, recording.explain
    if determinism_check not in _CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )
    around_forward, around_repetition = context_fn()
    if not is_grad_enabled():
        return function(*args, **kwargs)
    modes = present_modes(preserve)
    inputs = SavedInputs(args)

    def recompute() -> None:
        given = inputs.get(source.describe(*position))
        with restored_modes(modes), around_repetition:
            function(*given, **kwargs)

    frame = Frame(
        recompute,
        early_stop=early_stop if _Overrides.early_stop is None else _Overrides.early_stop,
        describe=_CHECKS[determinism_check],
        explain=explain,
    )
    position = frame.code  # not the frame itself: the closure above must not hold it

    done = False
    with frame.hooks(), around_forward:
        result = function(*args, **kwargs)
        done = True
    if not done:
        raise RuntimeError(
            "torch.utils.checkpoint: the forward context provided by context_fn suppressed an "
            "exception raised during the checkpointed forward, so there is no result to return."
        )
    frame.completed = True
    return result


# ---- the variant that runs the engine inside the engine ------------------------------------------


class CheckpointFunction(Function):
    """What `checkpoint(..., use_reentrant=True)` applies."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.modes = present_modes(preserve_rng_state)
        ctx.places = tuple(isinstance(a, TensorBase) for a in args)
        ctx.others = tuple(
            None if is_tensor else a for a, is_tensor in zip(args, ctx.places, strict=True)
        )
        ctx.save_for_backward(*(a for a in args if isinstance(a, TensorBase)))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if STATE.partial_passes:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        saved = iter(ctx.saved_tensors)
        args = tuple(
            next(saved) if is_tensor else other
            for is_tensor, other in zip(ctx.places, ctx.others, strict=True)
        )
        inputs = detach_variable(args)
        with restored_modes(ctx.modes), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, TensorBase) else outputs
        pairs = [
            (o, g)
            for o, g in zip(outputs, grads, strict=True)
            if isinstance(o, TensorBase) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        run_backward([o for o, _ in pairs], [g for _, g in pairs])
        return None, None, *(a.grad if isinstance(a, TensorBase) else None for a in inputs)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn when no input requires grad: the re-entrant variant then records nothing."""
    if not any(isinstance(a, TensorBase) and a.requires_grad for a in inputs):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same values without history, each requiring grad as before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        a.detach().requires_grad_(a.requires_grad) if isinstance(a, TensorBase) else a
        for a in inputs
    )


# ---- chains of functions -------------------------------------------------------------------------


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,  # noqa: A002 - PyTorch's name
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Run a chain of functions (or a Sequential) in checkpointed segments; the last one is kept.

    >>> import chainrule as torch
    >>> from chainrule.utils.checkpoint import checkpoint_sequential
    >>> x = torch.tensor(0.5, requires_grad=True)
    >>> steps = [torch.sin, torch.exp, torch.sin, torch.exp]
    >>> checkpoint_sequential(steps, 2, x, use_reentrant=False).backward()
    >>> x.grad  # doctest: +ELLIPSIS
    tensor(-0.1707)
    """
    if use_reentrant is None:
        _warn_about_default("checkpoint.checkpoint_sequential")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def run(start: int, end: int) -> Callable[[Any], Any]:
        def forward(value: Any) -> Any:
            for step in steps[start:end]:
                value = step(value)
            return value

        return forward

    size = len(steps) // segments
    end, value = 0, input
    for start in range(0, size * (segments - 1), size):
        end = start + size
        value = checkpoint(
            run(start, end), value, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return run(end, len(steps))(value)


# ---- names scripts import ------------------------------------------------------------------------


class DefaultDeviceType:
    """The device whose random state checkpointing keeps besides the CPU's: none here."""

    _type = "cpu"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Remember a device name."""
        DefaultDeviceType._type = device

    @staticmethod
    def get_device_type() -> str:
        """The name last set."""
        return DefaultDeviceType._type


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The random states of the GPUs the arguments are on: none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Sets the random states of GPUs: there are none."""


def __getattr__(name: str) -> Any:
    if name in ("CheckpointPlan", "checkpoint_budget"):
        from . import checkpoint_plan

        return getattr(checkpoint_plan, name)
    return _standins.member("utils.checkpoint", name)


explain_module(globals(), "checkpoint", "checkpoint_sequential", "check_backward_validity")
