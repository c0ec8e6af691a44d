"""Custom functions: `autograd.Function`, old style and new (`setup_context`).

The context a user fills *is* the node of the tape, as in PyTorch: `y.grad_fn` is the ctx. To keep
the graph free of cycles, saved outputs are stored as arrays and get their history back on use.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors, source
from .dispatch import P
from .node import Node, OutSlot, public_edge, start
from .record import distinct, edge, rebuilt
from .state import STATE
from .value import CREATION, FROM_CUSTOM, TensorBase, make, with_history

VmapInfo = namedtuple("VmapInfo", ["batch_size", "randomness"])


class FunctionCtx(Node):
    """What forward leaves for backward; the node of a custom function."""

    multi = True
    function: Any = None

    def __init__(self) -> None:
        start(self, (), *source.user_position(3))
        self.needs_input_grad: tuple[bool, ...] = ()
        self.materialize_grads = True
        self.to_save: tuple[Any, ...] = ()
        self.saved_for_forward: tuple[Any, ...] | None = None
        self.dirty_tensors: tuple[Any, ...] = ()
        self.non_differentiable: tuple[Any, ...] = ()
        self.tensor_inputs: tuple[bool, ...] = ()
        self.level: Any = None

    # -- what users call in forward / setup_context --

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward (inputs, outputs or values in between; None is fine)."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument is of type "
                    f"{type(t).__name__}; keep other values as attributes of ctx"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for the `jvp` staticmethod."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward modified in place; they must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing output gradients come as zeros (default) or None."""
        self.materialize_grads = value

    @property
    def materialise(self) -> bool:
        return False  # missing gradients are filled in `_call_backward`, as the user asked

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to save_for_backward."""
        if self.saved_for_forward is not None and self.s == ():
            return self.saved_for_forward
        return tuple(self._unpack(entry) for entry in self._stored())

    saved_variables = saved_tensors

    def _stored(self) -> tuple[Any, ...]:
        if self.s is None:
            raise errors.freed(self)
        return self.s

    # -- storing without cycles --

    def _store(self, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        stored = []
        for t in self.to_save:
            stored.append(self._pack(t, inputs, outputs))
        self.s = tuple(stored) if stored else ()
        self.to_save = ()

    def _pack(self, t: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
        if t is None or t._level is not None:
            return ("tensor", t)
        hooks = STATE.saved_hooks
        if hooks:
            from .saved_hooks import pack_tensor

            return ("packed", *pack_tensor(t), _position(t, outputs), edge(t))
        version = t._v if t._v is not None else [0]
        at = _position(t, outputs)
        if at is not None:
            return ("out", t._a, version, version[0], at)
        if t._rg:
            return ("in", t._a, version, version[0], edge(t), t if t._node is None else None)
        return ("value", t._a, version, version[0])

    def _unpack(self, stored: Any) -> Any:
        kind = stored[0]
        if kind == "tensor":
            return stored[1]
        if kind == "packed":
            from .saved_hooks import unpack_tensor

            value = unpack_tensor(stored[1], stored[2])
            history = stored[4] if stored[3] is None else OutSlot(self, stored[3])
            return value if history is None else rebuilt(value._a, history, None, "graph", None)
        _, array, version, then = stored[:4]
        if version[0] != then:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: a tensor of shape {list(array.shape)} saved by "
                f"{self.name()} (recorded at {self.where()}) is at version {version[0]}; expected "
                f"version {then} instead.\n  modified by: "
                + (
                    f"{version[1]} at {source.describe(version[2], version[3])}"
                    if len(version) > 3
                    else "an in-place operation"
                )
            )
        if kind == "out":
            return with_history(array, OutSlot(self, stored[4]), version)
        if kind == "in":
            if stored[5] is not None:
                return stored[5]
            return with_history(array, stored[4], version)
        return make(array)

    # -- running backward --

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        pairs = zip(self.parents, self.tensor_inputs, strict=True)
        return tuple(public_edge(p) for p, is_tensor in pairs if is_tensor)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        if self.level is not None:
            return self._call_backward(g, parents)
        tensors = [None if x is None else make(np.asarray(x)) for x in g]
        with _enabled(False):
            made = self._call_backward(tensors, parents)
        return tuple(distinct(None if x is None else x._a for x in made))

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return self._call_backward(g, parents)

    def _call_backward(self, grads: Any, parents: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.materialize_grads:
            grads = [
                make(np.zeros(shape, dtype)) if g is None else g
                for g, (shape, dtype) in zip(grads, self.meta, strict=True)
            ]
        cls = self.function
        run = cls.vjp if cls.backward is Function.backward else cls.backward
        result = run(self, *grads)
        made = result if isinstance(result, tuple | list) else (result,)
        return self._checked(tuple(made), parents)

    def _checked(self, made: tuple[Any, ...], parents: tuple[Any, ...]) -> tuple[Any, ...]:
        count = len(parents)
        extra = made[count:]
        if len(made) < count or any(x is not None for x in extra):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{count}, got {len(made)})\n  recorded at {self.where()}\n"
                "  Fix: backward returns one gradient per argument of forward (after ctx), None "
                "for those that need none."
            )
        out = []
        for k, (x, p) in enumerate(zip(made, parents, strict=False)):
            if x is not None and not self.tensor_inputs[k]:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different from None at position "
                    f"{k + 1}, but the corresponding forward input was not a Variable"
                )
            if x is not None and not isinstance(x, TensorBase):
                raise TypeError(
                    f"expected Variable or None (got {type(x).__name__}) as gradient {k} of "
                    f"{self.name()}"
                )
            out.append(None if x is None or p is None else self._fit(k, x))
        return tuple(out)

    def _fit(self, k: int, grad: Any) -> Any:
        shape, dtype = self.fix[k]
        if tuple(grad.shape) != shape:
            grad = self._resized(k, grad, shape)
        if grad.dtype.np != dtype:
            if grad.dtype.is_complex and dtype.kind != "c":
                grad = P.real(grad)
            grad = P.cast(grad, dtype=dtype)
        return grad

    def _resized(self, k: int, grad: Any, shape: Any) -> Any:
        from .record import tensors_world

        have = tuple(grad.shape)
        lead = len(have) - len(shape)
        fits = lead >= 0 and all(n in (1, h) for h, n in zip(have[lead:], shape, strict=True))
        if not fits:
            raise errors.wrong_gradient_shape(self, k, have, shape)
        return tensors_world().function("unbroadcast")(grad, shape)


def _position(t: Any, outputs: tuple[Any, ...]) -> int | None:
    for k, o in enumerate(outputs):
        if o is t:
            return k
    return None


class _enabled:
    """Grad mode for a block."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __enter__(self) -> None:
        self.previous = STATE.grad_enabled
        STATE.set_grad_enabled(self.value)

    def __exit__(self, *exc: object) -> None:
        STATE.set_grad_enabled(self.previous)


class FunctionMeta(type):
    """Gives every Function its own ctx class, named as PyTorch names the node."""

    def __init__(cls, name: str, bases: Any, space: dict[str, Any]) -> None:
        super().__init__(name, bases, space)
        cls._ctx_class = type(f"{name}Backward", (FunctionCtx,), {"function": cls})


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
    _ctx_class: type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself: call "
            f"{type(self).__name__}.apply(...)"
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
        return _apply_plain(cls, args, kwargs)[0]


def new_style(cls: Any) -> bool:
    return cls.setup_context is not Function.setup_context


def _apply_plain(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Forward on plain tensors; returns (result, ctx)."""
    ctx = cls._ctx_class()
    ctx.tensor_inputs = tuple(isinstance(a, TensorBase) for a in args)
    ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._rg for a in args)
    recording = STATE.grad_enabled and any(ctx.needs_input_grad)
    with _enabled(False):
        if new_style(cls):
            result = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, result)
        else:
            result = cls.forward(ctx, *args, **kwargs)
    outputs = tuple(result) if isinstance(result, tuple | list) else (result,)
    _check_dirty(cls, ctx, outputs)
    if recording:
        outputs = _record(ctx, args, outputs)
    elif ctx.dirty_tensors:
        _bump_dirty(ctx)
    for observer in STATE.observers:
        observer(cls, args, outputs, kwargs)
    made = outputs if isinstance(result, tuple | list) else outputs[0]
    return made, ctx


def _check_dirty(cls: Any, ctx: Any, outputs: tuple[Any, ...]) -> None:
    for t in ctx.dirty_tensors:
        if _position(t, outputs) is None:
            raise RuntimeError(
                f"Some elements marked as dirty during the forward method of {cls.__name__} were "
                "not returned as output. The inputs that are modified inplace must all be outputs "
                "of the Function."
            )


def _bump_dirty(ctx: Any) -> None:
    from .inplace import bump

    for t in ctx.dirty_tensors:
        bump(t, ctx.name())


def _record(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    from .inplace import check_writable, set_history

    ctx.parents = tuple(edge(a) if isinstance(a, TensorBase) else None for a in args)
    ctx.fix = tuple(
        (tuple(a.shape), a.dtype.np) if isinstance(a, TensorBase) else None for a in args
    )
    dirty = {id(t) for t in ctx.dirty_tensors}
    for t in ctx.dirty_tensors:
        check_writable(t, ctx.name(), True)
    still = {id(t) for t in ctx.non_differentiable}
    fixed = []
    for o in outputs:
        # An input returned as it is becomes a new tensor, so that it can have its own history.
        if isinstance(o, TensorBase) and id(o) not in dirty and any(o is a for a in args):
            alias = make(o._a)
            alias._v = o._v
            if id(o) in still:
                still.add(id(alias))
            o = alias
        fixed.append(o)
    ctx.meta = tuple(
        (tuple(o.shape), o.dtype.np) if isinstance(o, TensorBase) else ((), np.dtype("f4"))
        for o in fixed
    )
    _bump_dirty(ctx)
    ctx._store(args, tuple(fixed))
    for k, o in enumerate(fixed):
        if not isinstance(o, TensorBase) or id(o) in still or o.dtype.category < 2:
            if isinstance(o, TensorBase) and id(o) in still:
                o._rg, o._node = False, None
            continue
        slot = OutSlot(ctx, k)
        if id(o) in dirty:
            set_history(o, slot)
        else:
            if o._view is not None:
                o._view[CREATION] = FROM_CUSTOM
                o._view = None
            o._node, o._rg = slot, True
    return tuple(fixed)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward as not differentiable itself: a second derivative then is an error."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        recording = STATE.grad_enabled
        with _enabled(False):
            made = backward(ctx, *grads)
        if not recording or not any(isinstance(g, TensorBase) and g._rg for g in grads):
            return made
        outs = made if isinstance(made, tuple) else (made,)
        refused = tuple(_refuse_second(o) if isinstance(o, TensorBase) else o for o in outs)
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
    node = start(DelayedError(), (), *source.user_position(3))
    return with_history(t._a, node)


BackwardCFunction = FunctionCtx
