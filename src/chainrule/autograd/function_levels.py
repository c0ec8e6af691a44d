"""Custom functions inside grad, jvp and vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dispatch import P
from .function import Function, VmapInfo, _enabled, apply_plain, new_style
from .node import OutSlot
from .record import edge
from .state import STATE
from .trees import broadcast_prefix, flatten, several, tree_map, unflatten
from .value import ROOT, TensorBase


def _needs_setup_context(cls: Any) -> None:
    if not new_style(cls):
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
            f"jacrev, ...), it must override the setup_context staticmethod: {cls.__name__} does "
            "not. Move what forward(ctx, ...) saves into setup_context(ctx, inputs, output)."
        )


def _under_grad(cls: Any, level: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _needs_setup_context(cls)
    inner = tuple(level.payload(a) for a in args)
    with _enabled(level.outer):
        result = cls.apply(*inner, **kwargs)
    outputs = several(result)
    parents = tuple(edge(a) if level.mine(a) else None for a in args)  # older than the node
    ctx = cls._ctx_class()
    ctx._at_level = level
    ctx._tensor_inputs = tuple(isinstance(a, TensorBase) for a in args)
    ctx.needs_input_grad = tuple(level.mine(a) and a._rg for a in args)
    with _enabled(False):
        cls.setup_context(ctx, inner, result)
    ctx.parents = parents
    ctx.fix = tuple(
        (tuple(a.shape), a.dtype.np) if isinstance(a, TensorBase) else None for a in args
    )
    ctx.meta = tuple((tuple(o.shape), o.dtype.np) for o in outputs)
    ctx.s = tuple(("tensor", t) for t in ctx.to_save)
    still = {id(t) for t in ctx.non_differentiable}
    recording = STATE.grad_enabled and any(ctx.needs_input_grad)
    made = tuple(
        level.wrap(o, OutSlot(ctx, k) if recording and id(o) not in still else None)
        for k, o in enumerate(outputs)
    )
    return made if isinstance(result, tuple | list) else made[0]


def _under_dual(cls: Any, level: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    inner = tuple(level.payload(a) for a in args)
    tangents = tuple(level.tangent_of(a) for a in args)
    if any(getattr(a, "_level", None) is not None for a in inner):
        _needs_setup_context(cls)
        result = cls.apply(*inner, **kwargs)
        ctx = cls._ctx_class()
        cls.setup_context(ctx, inner, result)
    else:
        result, ctx = apply_plain(cls, inner, kwargs)
    outputs = several(result)
    if ctx.saved_for_forward is None and ctx.to_save:
        ctx.saved_for_forward = ctx.to_save
    moving: list[Any] = [x for x, t in zip(inner, tangents, strict=True) if t is not None]
    if ctx.materialize_grads:
        tangents = tuple(_or_zeros(t, a) for t, a in zip(tangents, inner, strict=True))
    made = level.of_tangents(cls.jvp, ctx, *tangents)
    found = several(made)
    if len(found) != len(outputs):
        raise RuntimeError(
            f"{cls.__name__}.jvp returned {len(found)} tangents for {len(outputs)} outputs"
        )
    outer: set[int] = {k for k, t in enumerate(found) if t is not None}
    if any(_has_tangent(saved, moving, outer) for saved in ctx.s or ()):
        ctx._moved = level
    wrapped: list[Any] = []
    for k, (o, t) in enumerate(zip(outputs, found, strict=True)):
        _check_tangent(ctx, k, o, t, inner, tangents)
        dirty = ctx.dirty.get(k)
        if dirty is not None and level.mine(args[dirty]):
            wrapped.append(args[dirty])  # its tangent was modified with it
        else:
            wrapped.append(o if t is None else level.dual(o, t))
    return tuple(wrapped) if isinstance(result, tuple | list) else wrapped[0]


def _has_tangent(saved: Any, inputs: list[Any], outputs: set[int]) -> bool:
    """Whether what a function saved is one of these inputs or outputs, as far as is known."""
    if saved[0] == "out":
        return saved[4] in outputs
    kept = saved[4] if saved[0] == "same" else saved[1]
    return saved[0] == "packed" or any(x is kept for x in inputs)


def _or_zeros(tangent: Any, value: Any) -> Any:
    """The tangent of an argument; zeros where a tensor has none."""
    if tangent is not None or not isinstance(value, TensorBase) or value.dtype.category < 2:  # type: ignore[attr-defined]
        return tangent
    return P.blank(value.detach())  # type: ignore[attr-defined]


def _check_tangent(ctx: Any, k: int, o: Any, t: Any, inner: Any, tangents: Any) -> None:
    """A tangent goes with its output: none for constants, a view for a view, in place for one
    that was modified in place."""
    constant = not isinstance(o, TensorBase) or o.dtype.category < 2 or k in ctx.still  # type: ignore[attr-defined]
    if constant:
        if t is not None:
            raise RuntimeError(
                f"{ctx.name()}'s jvp returned a tangent for output {k}, which is not "
                "differentiable. You should return None at that position instead."
            )
        return
    if ctx.dirty.get(k) is not None:
        if t is not tangents[ctx.dirty[k]]:
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace: "
                f"the jvp of {ctx.name()} must modify the tangent of input {ctx.dirty[k]} and "
                "return it."
            )
        return
    for a, given in zip(inner, tangents, strict=True):
        if o._view is None or given is None or t is None or not isinstance(a, TensorBase):
            continue
        if o._view[ROOT] is not (a if a._view is None else a._view[ROOT]):
            continue
        root = given if given._view is None else given._view[ROOT]
        if t._view is None or t._view[ROOT] is not root:
            raise RuntimeError(
                "A custom Function's forward is returning a view (or an input as-is) but the jvp "
                f"is not returning a view: output {k} of {ctx.name()}. Fix: return the same view "
                "of the tangent, tangent.view_as(tangent) for an input as-is."
            )


def _under_vmap(cls: Any, level: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from .batches import to_front
    from .levels import synced

    if cls.generate_vmap_rule and cls.vmap is not Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and "
            "an overriden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
            "overriden vmap staticmethod to avoid ambiguity."
        )
    if cls.vmap is Function.vmap and not cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            "override and implement the vmap staticmethod or set generate_vmap_rule=True."
        )
    if any(isinstance(v, TensorBase) for v in kwargs.values()):
        raise NotImplementedError(
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass "
            f"kwarg-only Tensors to autograd.Function: {cls.__name__} got {', '.join(kwargs)}; "
            "give them by position."
        )
    values = tree_map(level.payload, args)
    dims = tree_map(lambda a: synced(a)._bdim if level.mine(a) else None, args)
    if cls.generate_vmap_rule:
        return _each_example(cls, level, values, dims, kwargs)
    made = cls.vmap(VmapInfo(level.size, level.randomness), dims, *values, **kwargs)
    returned = several(made) if isinstance(made, tuple) else ()
    if len(returned) != 2:
        what = f"{len(returned)} returns" if isinstance(made, tuple) else f"a {type(made)}"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with "
            f"pytree structure compatible with the output. Got {what} instead ({cls.__name__})."
        )
    result, out_dims = returned
    wanted = broadcast_prefix(out_dims, result, lambda d: d is None or isinstance(d, int))
    if wanted is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
            f"tuple. Expected out_dims={out_dims} to be compatible with the structure of `output` "
            f"({cls.__name__})."
        )
    outs, spec = flatten(result)
    outs = [
        o if d is None else level.batched(to_front(o, d % o.ndim), 0)
        for o, d in zip(outs, wanted, strict=True)
    ]
    return unflatten(outs, spec)


def _each_example(cls: Any, level: Any, values: Any, dims: Any, kwargs: dict[str, Any]) -> Any:
    """generate_vmap_rule: the function on every example, stacked."""
    from .batches import stack

    results: list[Any] = []
    for b in range(level.size):
        one = tuple(
            v if d is None else P.slice_view(v, index=(*((slice(None),) * d), b))
            for v, d in zip(values, dims, strict=True)
        )
        results.append(cls.apply(*one, **kwargs))
    if isinstance(results[0], TensorBase):
        return level.batched(stack(results), 0)
    columns = zip(*results, strict=True)
    return tuple(level.batched(stack(list(c)), 0) for c in columns)


def _of_asked_classes(cls: Any, level: Any, args: Any, kwargs: Any) -> Any:
    """On tensors with `__torch_dispatch__`: the ops of its forward are put before the handlers."""
    level.recorded = True
    return apply_plain(cls, args, kwargs)[0]


HANDLERS: dict[str, Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]] = {
    "grad": _under_grad, "dual": _under_dual, "vmap": _under_vmap, "dispatch": _of_asked_classes,
}  # fmt: skip
