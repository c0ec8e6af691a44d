"""func.*: grad, vjp, jvp, linearize — functions of functions (`jacobians.py` has the tables)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import refusal
from .accidents import explain_module
from .backward import gradient_for
from .dispatch import P
from .duals import DualLevel, in_layout, zeros_like
from .engine import run_backward
from .levels import GradLevel, Level, synced
from .state import STATE
from .transform_checks import (
    argument_positions,
    check_callable,
    check_differentiable,
    check_inputs,
    check_outputs,
    check_scalar,
    check_tangents,
    cotangent_leaves,
    split_aux,
)
from .trees import flatten, tree_map, unflatten
from .value import make


def unwrap(level: Level, t: Any) -> Any:
    """A result without this level: its payload."""
    from .level_writes import returned

    return returned(level, synced(t)._a if level.mine(t) else t)


def _zeros_if_none(g: Any, like: Any) -> Any:
    return zeros_like(like) if g is None else g


# ---- reverse ------------------------------------------------------------------------------------


def grad_and_value(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns (gradient, value) of a scalar function."""
    check_callable(func, "grad")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = argument_positions(argnums, len(args))
        flat, spec = flatten(tuple(args[p] for p in positions))
        check_inputs(flat, "grad")
        with GradLevel() as level:
            grads, value, aux = _run_grad(
                level, func, args, kwargs, positions, flat, spec, has_aux
            )  # fmt: skip
        made = unflatten(grads, spec)
        gradient = made[0] if isinstance(argnums, int) else made
        return (gradient, (value, aux)) if has_aux else (gradient, value)

    return wrapped


def _run_grad(
    level: GradLevel, func: Any, args: Any, kwargs: Any, positions: Any, flat: Any, spec: Any,
    has_aux: bool,
) -> tuple[Any, Any, Any]:  # fmt: skip
    # A function of its own: when the level ends, only captured tensors are still alive.
    leaves = [level.leaf(t) for t in flat]
    inner = list(args)
    for p, tree in zip(positions, unflatten(leaves, spec), strict=True):
        inner[p] = tree
    from .level_writes import allow

    allow(level, flatten((inner, kwargs))[0])
    result = func(*inner, **kwargs)
    value, aux = split_aux(result, has_aux, "grad_and_value(f)(*args)")
    check_scalar(func, value)
    grads = _gradients(level, value, leaves)
    return grads, unwrap(level, value), tree_map(lambda t: unwrap(level, t), aux)


def _gradients(level: GradLevel, value: Any, leaves: list[Any]) -> list[Any]:
    if not level.mine(value) or not synced(value)._rg:
        return [zeros_like(leaf) for leaf in leaves]
    seed = make(np.ones(tuple(value.shape), value.dtype.np))
    grads = run_backward([value], [seed], keep=True, create=False, inputs=leaves)
    return [_zeros_if_none(g, leaf) for g, leaf in zip(grads, leaves, strict=True)]


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of a scalar function.

    >>> import chainrule as torch
    >>> from chainrule.func import grad
    >>> grad(grad(torch.sin))(torch.tensor(0.5))
    tensor(-0.4794)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """(func(*primals), vjp_fn): vjp_fn takes output gradients and returns input gradients."""
    return vjp_beside(func, primals, (), has_aux)


def vjp_beside(func: Callable[..., Any], primals: Any, others: Any, has_aux: bool) -> Any:
    """vjp of a function that also gets `others`, which it may write."""
    flat, spec = flatten(primals)
    check_inputs(flat, "vjp")
    with GradLevel() as level:
        from .level_writes import allow

        allow(level, flatten(others)[0])
        leaves = [level.leaf(t) for t in flat]
        outs, out_spec, shown, aux = _run_vjp(level, func, leaves, spec, has_aux)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given = cotangent_leaves(cotangents, out_spec, shown)
        live = [k for k, out in enumerate(outs) if out is not None]
        if live:
            seeds = [_seed(k, outs[k], given[k]) for k in live]
            roots = [outs[k] for k in live]
            level.outer = STATE.grad_enabled  # of this moment, not of the run forward
            found = run_backward(roots, seeds, keep=retain_graph, create=False, inputs=leaves)
        else:
            found = [None] * len(leaves)
        made = [_zeros_if_none(g, leaf) for g, leaf in zip(found, leaves, strict=True)]
        return unflatten(made, spec)

    return (shown, vjp_fn, aux) if has_aux else (shown, vjp_fn)


def _run_vjp(level: GradLevel, func: Any, leaves: Any, spec: Any, has_aux: bool) -> Any:
    result = func(*unflatten(leaves, spec))
    result, aux = split_aux(result, has_aux, "vjp(f, *primals)")
    found, out_spec = flatten(result)
    check_outputs(result, found, "vjp(f, *primals)")
    check_differentiable(found)
    outs = [_root(level, o) for o in found]
    shown = unflatten([unwrap(level, o) for o in found], out_spec)
    return outs, out_spec, shown, tree_map(lambda t: unwrap(level, t), aux)


def _root(level: GradLevel, out: Any) -> Any:
    """Where a cotangent of this output goes in; None when it depends on no input."""
    if not level.mine(out) or not synced(out)._rg:
        return None
    # Another object for what has a node: a tensor that lives on would look like a captured one.
    return out if out._node is None else level.wrap(out._a, out._node)


def _seed(k: int, out: Any, g: Any) -> Any:
    """The cotangent of output k, checked, in the output's type."""
    g = gradient_for(k, out, g)
    return g if g.dtype is out.dtype else P.cast(g, dtype=out.dtype.np)


# ---- forward ------------------------------------------------------------------------------------


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """(func(*primals), its directional derivative along tangents), in one forward pass."""
    return jvp_beside(func, primals, tangents, (), strict, has_aux)


def jvp_beside(
    func: Callable[..., Any], primals: Any, tangents: Any, others: Any, strict: bool, has_aux: bool,
    records: bool = False,
) -> Any:  # fmt: skip
    """jvp of a function that also gets `others`, which it may write."""
    flat, spec = flatten(primals)
    flat_t, _ = flatten(tangents)
    check_tangents(primals, tangents, flat, spec, flat_t)
    with DualLevel(records_tangents=records) as level:
        from .level_writes import allow

        allow(level, flatten(others)[0])
        duals = [level.dual(p, in_layout(t, p)) for p, t in zip(flat, flat_t, strict=True)]
        values, made, aux = _run_jvp(level, func, duals, spec, strict, has_aux)
    return (values, made, aux) if has_aux else (values, made)


def _run_jvp(
    level: DualLevel, func: Any, duals: Any, spec: Any, strict: bool, has_aux: bool
) -> tuple[Any, Any, Any]:
    call = "jvp(f, primals, tangents)"
    result, aux = split_aux(func(*unflatten(duals, spec)), has_aux, call)
    outs, out_spec = flatten(result)
    check_outputs(result, outs, call)
    if strict and not all(level.mine(o) for o in outs):
        raise refusal.runtime(
            f"{call[:-1]}, strict=True): The output of f is independent of the inputs. This is not "
            "allowed with strict=True."
        )
    made = [synced(o)._tangent if level.mine(o) else zeros_like(o) for o in outs]
    from .level_writes import returned

    made = [returned(level, t) for t in made]
    values = unflatten([unwrap(level, o) for o in outs], out_spec)
    return values, unflatten(made, out_spec), tree_map(lambda t: unwrap(level, t), aux)


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """(func(*primals), jvp_fn): the linear map at this point, to apply to many tangents.

    The program runs once, in forward mode; a tape of what becomes of the tangents is kept, so
    jvp_fn does not run `func` again.
    """
    ins, in_spec = flatten(primals)
    check_inputs(ins, "linearize")

    def forward(*tangents: Any) -> Any:
        given = unflatten(list(tangents), in_spec)
        value, made = jvp_beside(func, primals, given, (), False, False, records=True)
        return made, value

    made, vjp_fn, value = vjp_beside(forward, tuple(map(zeros_like, ins)), primals, True)
    outs, out_spec = flatten(made)

    def transposed(*cotangents: Any) -> Any:
        return vjp_fn(unflatten(list(cotangents), out_spec))

    # The transposed map of the transposed map is the map itself.
    _, back = vjp(transposed, *[zeros_like(o) for o in outs])

    def jvp_fn(*tangents: Any) -> Any:
        flat, spec = flatten(tangents)
        if spec != in_spec:
            raise refusal.runtime(
                f"Expected the tangents to have the same argspec as the primals: got {len(flat)} "
                f"tangents for {len(ins)} primals"
            )
        for k, (t, p) in enumerate(zip(flat, ins, strict=True)):
            for what in ("shape", "dtype"):
                have, want = getattr(t, what), getattr(p, what)
                if have != want:
                    raise refusal.runtime(
                        f"tangent:{k} with {what} {have} in flattened pytree doesn't match the "
                        f"{what} {want} of the corresponding primal."
                    )
        return unflatten(list(back(tangents)), out_spec)

    return value, jvp_fn


__all__ = ["grad", "grad_and_value", "jvp", "linearize", "unwrap", "vjp"]


explain_module(globals(), "grad_and_value", "grad", "vjp", "jvp", "linearize")
