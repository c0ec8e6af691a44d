"""Custom functions: `autograd.Function`, old style and new (`setup_context`).

The context a user fills *is* the node of the tape, as in PyTorch: `y.grad_fn` is the ctx. To keep
the graph free of cycles, saved outputs are stored as arrays and get their history back on use.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from . import source
from .dispatch import P
from .function_context import FunctionCtx, _enabled, position
from .node import Node, OutSlot, start
from .record import edge
from .source import warn_user
from .stand_ins import rest_of
from .state import ANOMALY_FORWARD, STATE, WATCH
from .trees import several
from .value import (
    CREATION,
    FROM_CUSTOM,
    FROM_MULTI,
    NODE_VERSION,
    TensorBase,
    with_history,
)


class VmapInfo(NamedTuple):
    """What a `vmap` method of a custom function is told."""

    batch_size: int
    randomness: str


class FunctionMeta(type):
    """Gives every Function its own ctx class, named as PyTorch names the node."""

    def __init__(cls, name: str, bases: Any, attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        cls._ctx_class = type(f"{name}Backward", (FunctionCtx,), {"_function": cls})


class Function(metaclass=FunctionMeta):
    """A differentiable function with its own backward.

    >>> import chainrule as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 2 * x
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # ctx.saved_tensors gives them away
    boxed_grads_call = False  # backward(ctx, grads) gets a list, which it may empty
    _ctx_class: type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_user(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself: call "
            f"{type(self).__name__}.apply(...)",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            f"new-style autograd function with static forward method: {type(self).__name__}"
            ".apply(...)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: forward(ctx, *args), or forward(*args) with setup_context."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs (new style)."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs, given those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, given those of the inputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """(outputs, out_dims) for a batch of inputs."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record the node."""
        top = None
        for a in args:
            level = getattr(a, "_level", None)
            if level is not None and (top is None or level.index > top.index):
                top = level
        if top is not None:
            from .function_levels import HANDLERS

            return HANDLERS[top.kind](cls, top, args, kwargs)
        if STATE.unusual & WATCH:
            from .watching import watched_function

            return watched_function(cls, args, kwargs)[0]
        return apply_plain(cls, args, kwargs)[0]


def new_style(cls: Any) -> bool:
    return cls.setup_context is not Function.setup_context


def apply_plain(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Forward on plain tensors; returns (result, ctx)."""
    parents: tuple[Any, ...] = ()
    if STATE.grad_enabled:  # what leads to the arguments, as they are now, is older than the node
        parents = tuple(edge(a) if isinstance(a, TensorBase) else None for a in args)
    ctx = cls._ctx_class()
    ctx._tensor_inputs = tuple(isinstance(a, TensorBase) for a in args)
    ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._rg for a in args)
    recording = STATE.grad_enabled and any(ctx.needs_input_grad)
    with _enabled(False):
        if new_style(cls):
            result = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, result)
        else:
            result = cls.forward(ctx, *args, **kwargs)
    outputs = several(result)
    _check_dirty(ctx, outputs)
    ctx.still = frozenset(
        k for k, o in enumerate(outputs) if position(o, ctx.non_differentiable) is not None
    )
    ctx.dirty = {
        k: position(o, args)
        for k, o in enumerate(outputs)
        if position(o, ctx.dirty_tensors) is not None
    }
    if recording:
        _check_inputs_only(ctx, args)
        ctx.parents = parents
        outputs = _record(ctx, args, outputs)
    else:
        outputs = _unrecorded(ctx, args, outputs)
    ctx._wrote_inputs = bool(ctx.dirty_tensors)
    ctx.dirty_tensors = ctx.non_differentiable = ()  # outputs: their history leads here
    if STATE.unusual & ANOMALY_FORWARD:
        from .anomaly import check_forward

        check_forward(cls, args, outputs, kwargs)
    for observer in STATE.observers:
        observer(cls, args, outputs, kwargs)
    if isinstance(result, tuple):
        return outputs, ctx
    return (list(outputs) if isinstance(result, list) else outputs[0]), ctx


def _check_dirty(ctx: Any, outputs: tuple[Any, ...]) -> None:
    for t in ctx.dirty_tensors:
        if position(t, outputs) is None:
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                f"output. The inputs that {ctx.name()} modifies inplace must all be outputs of "
                "the Function."
            )


def _check_inputs_only(ctx: Any, args: tuple[Any, ...]) -> None:
    for t in ctx.dirty_tensors:
        if position(t, args) is not None:
            continue
        phrase = (
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors should "
            f"be given to it; {ctx.name()} may modify what it made itself without a word."
        )
        if t._view is not None:
            raise RuntimeError(phrase)
        warn_user(phrase)


def _bump_dirty(ctx: Any) -> None:
    from .inplace import bump

    for t in ctx.dirty_tensors:
        bump(t, ctx.name())


def _unrecorded(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs without history; an input returned as it is becomes a tensor of its own."""
    _bump_dirty(ctx)
    made: list[Any] = []
    for o in outputs:
        if isinstance(o, TensorBase):
            dirty = position(o, ctx.dirty_tensors) is not None
            if not dirty and position(o, args) is not None:
                o = o.detach() if o._rg else _as_view(o)  # type: ignore[attr-defined]
            elif o._view is not None and not dirty:
                o._view[CREATION] = FROM_CUSTOM
        made.append(o)
    return tuple(made)


def _as_view(t: Any) -> Any:
    with _enabled(False):
        view = P.alias(t)
    if view._view is not None:
        view._view[CREATION] = FROM_CUSTOM
    return view


def _check_modified(ctx: Any, outputs: tuple[Any, ...]) -> None:
    from .inplace import check_writable

    tensors = sum(isinstance(o, TensorBase) for o in outputs)
    for t in ctx.dirty_tensors:
        if t._view is not None and tensors > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your "
                f"Function cannot return more than one Tensor. {ctx.name()} returns {tensors}.\n"
                "  Fix: clone() the input before, or split the Function in two: one that modifies "
                "and returns it, one that does the rest."
            )
        check_writable(t, ctx.name(), True)


def _record(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    ctx.fix = tuple(_about(a) for a in args)
    dirty = {id(t) for t in ctx.dirty_tensors}
    _check_modified(ctx, outputs)
    still = {id(t) for t in ctx.non_differentiable}
    fixed: list[Any] = []
    for o in outputs:
        if isinstance(o, TensorBase) and id(o) not in dirty and position(o, args) is not None:
            # Returned as it is: a new tensor, so that it can have its own history.
            if id(o) in still:
                o = o.detach()  # type: ignore[attr-defined]
                still.add(id(o))
            else:
                o = _as_view(o)
        fixed.append(o)
    ctx.meta = tuple(_about(o) for o in fixed)
    _bump_dirty(ctx)
    ctx._store(args, tuple(fixed))
    tracked = [
        k for k, o in enumerate(fixed)
        if isinstance(o, TensorBase) and id(o) not in still and o.dtype.category >= 2  # type: ignore[attr-defined]
    ]  # fmt: skip
    for k, o in enumerate(fixed):
        if k in tracked:
            _give_history(o, OutSlot(ctx, k), id(o) in dirty, len(tracked) > 1)
        elif isinstance(o, TensorBase) and id(o) in still:
            _without_history(o)
    return tuple(fixed)


def _about(t: Any) -> Any:
    return (tuple(t.shape), t.dtype.np) if isinstance(t, TensorBase) else None  # type: ignore[attr-defined]


def _give_history(o: Any, slot: OutSlot, dirty: bool, several: bool) -> None:
    from .inplace import set_history

    if dirty:
        set_history(o, slot)
        return
    if o._view is not None:
        # Its base does not know of backward, so neither may be modified in place from now on.
        o._view[CREATION] = FROM_MULTI if several else FROM_CUSTOM
        o._view[NODE_VERSION] = o._v[0]
    o._node, o._rg = slot, True


def _without_history(o: Any) -> None:
    """An output without a gradient; a view of an input stays what a view made in no_grad is."""
    if o._view is None:
        o._rg, o._node = False, None
    else:
        o._view[CREATION] = FROM_CUSTOM


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward as not differentiable itself: a second derivative then is an error."""

    @functools.wraps(fn)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        recording = STATE.grad_enabled
        with _enabled(False):
            made = fn(ctx, *grads)
        if not recording or not any(isinstance(g, TensorBase) and g._rg for g in grads):
            return made
        refused = tuple(
            _refuse_second(o) if isinstance(o, TensorBase) else o for o in several(made)
        )
        return refused if isinstance(made, tuple) else refused[0]

    return wrapped


class DelayedError(Node):
    """A node that raises when a gradient reaches it."""

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable\n"
            f"  recorded at {self.where()}"
        )

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return self.vjp(g, parents)


def _refuse_second(t: Any) -> Any:
    node = start(DelayedError(), (), *source.user_position())
    return with_history(t._a, node)


BackwardCFunction = FunctionCtx


class InplaceFunction(Function):
    """A Function with an `inplace` flag, for old code."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


__all__ = [
    "BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "VmapInfo",
    "once_differentiable",
]  # fmt: skip

__getattr__ = rest_of(__name__)
