"""func.*: grad, vjp, jvp, jacobians, hessian, linearize — functions of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import source
from .backward import make_gradients
from .dispatch import P
from .duals import DualLevel, zeros_like
from .engine import run_backward
from .levels import GradLevel, Level, synced
from .state import STATE
from .trees import flatten, tree_map, unflatten
from .value import TensorBase, make
from .vmap import vmap


def unwrap(level: Level, t: Any) -> Any:
    """A result without this level: its payload."""
    if level.mine(t):
        t = synced(t)
        t.__dict__["_returned"] = True
        return t._a
    return t


def _check_tensors(leaves: list[Any], what: str) -> None:
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise RuntimeError(
                f"{what}: Expected all inputs to be Tensors, got {type(leaf).__name__}: "
                f"{leaf!r}; pass Python numbers as torch.tensor(...)"
            )


def _zeros_if_none(g: Any, like: Any) -> Any:
    return zeros_like(like) if g is None else g


# ---- reverse ------------------------------------------------------------------------------------


def _argument_positions(argnums: Any, count: int) -> tuple[int, ...]:
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for p in positions:
        if not -count <= p < count:
            raise RuntimeError(f"Got argnum={p}, but only {count} positional inputs")
    return tuple(p % count for p in positions)


def grad_and_value(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns (gradient, value) of a scalar function."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = _argument_positions(argnums, len(args))
        level = GradLevel()
        with level:
            inner = list(args)
            leaves: list[Any] = []
            specs = []
            for p in positions:
                flat, spec = flatten(args[p])
                _check_tensors(flat, "grad")
                mine = [level.leaf(t) for t in flat]
                inner[p] = unflatten(mine, spec)
                leaves += mine
                specs.append((len(mine), spec))
            result = func(*inner, **kwargs)
            value, aux = result if has_aux else (result, None)
            _check_scalar(func, value)
            grads = _gradients(level, value, leaves)
            value = unwrap(level, value)
            aux = tree_map(lambda t: unwrap(level, t), aux)
        made = []
        for count, spec in specs:
            made.append(unflatten(grads[:count], spec))
            grads = grads[count:]
        gradient = made[0] if isinstance(argnums, int) else tuple(made)
        return (gradient, (value, aux)) if has_aux else (gradient, value)

    return wrapped


def _check_scalar(func: Any, value: Any) -> None:
    name = getattr(func, "__name__", "f")
    if not isinstance(value, TensorBase):
        raise RuntimeError(
            f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got "
            f"{type(value).__name__}\n  f is {name}, at {source.here(2)}\n"
            "  Fix: return a tensor; with has_aux=True, return (tensor, auxiliary)."
        )
    if value.ndim != 0:  # type: ignore[attr-defined]
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor "
            f"with {value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?\n"  # type: ignore[attr-defined]
            f"  f is {name}, its result has shape {list(value.shape)}, at {source.here(2)}\n"  # type: ignore[attr-defined]
            "  Fix: reduce the result with .sum() or .mean(), or map over examples with vmap."
        )


def _gradients(level: GradLevel, value: Any, leaves: list[Any]) -> list[Any]:
    if not level.mine(value) or not value._rg:
        return [zeros_like(leaf) for leaf in leaves]
    seed = make(np.ones(tuple(value.shape), value.dtype.np))
    grads = run_backward([synced(value)], [seed], keep=True, create=False, inputs=leaves)
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
    level = GradLevel()
    flat, spec = flatten(primals)
    _check_tensors(flat, "vjp")
    with level:
        leaves = [level.leaf(t) for t in flat]
        result = func(*unflatten(leaves, spec))
        result, aux = result if has_aux else (result, None)
        outs, out_spec = flatten(result)
        _check_tensors(outs, "vjp")
        outs = [synced(o) if level.mine(o) else o for o in outs]
        shown = unflatten([unwrap(level, o) for o in outs], out_spec)
        aux = tree_map(lambda t: unwrap(level, t), aux)

    def vjp_fn(*cotangents: Any, retain_graph: bool = True, create_graph: bool = True) -> Any:
        given = cotangents[0] if len(cotangents) == 1 and out_spec is None else cotangents
        if out_spec is not None and len(cotangents) == 1:
            given = cotangents[0]
        grads_in, _ = flatten(given)
        if len(grads_in) != len(outs):
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function: got {len(grads_in)} cotangents for {len(outs)} outputs"
            )
        pairs = [(o, g) for o, g in zip(outs, grads_in, strict=True) if level.mine(o) and o._rg]
        for o, g in pairs:
            if tuple(g.shape) != tuple(o.shape):
                raise RuntimeError(
                    f"vjp: a cotangent of shape {list(g.shape)} for an output of shape "
                    f"{list(o.shape)}; they must be equal"
                )
        if pairs:
            found = run_backward(
                [o for o, _ in pairs], [g for _, g in pairs], keep=True, create=False, inputs=leaves
            )
        else:
            found = [None] * len(leaves)
        made = [_zeros_if_none(g, leaf) for g, leaf in zip(found, leaves, strict=True)]
        back = unflatten(made, spec)
        return back

    return (shown, vjp_fn, aux) if has_aux else (shown, vjp_fn)


# ---- forward ------------------------------------------------------------------------------------


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """(func(*primals), its directional derivative along tangents), in one forward pass."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"jvp(f, primals, tangents): expected primals to be a tuple. E.g. it should be valid "
            f"to call f(*primals), got {type(primals).__name__}"
        )
    flat, spec = flatten(primals)
    flat_t, _ = flatten(tangents)
    _check_tensors(flat, "jvp")
    if len(flat) != len(flat_t):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            f"structure, got {len(flat)} primals and {len(flat_t)} tangents"
        )
    level = DualLevel()
    with level:
        duals = []
        for p, t in zip(flat, flat_t, strict=True):
            if tuple(p.shape) != tuple(t.shape):
                raise RuntimeError(
                    f"jvp: tangent of shape {list(t.shape)} for a primal of shape {list(p.shape)}; "
                    "they must be equal"
                )
            duals.append(level.dual(p, t))
        result = func(*unflatten(duals, spec))
        result, aux = result if has_aux else (result, None)
        outs, out_spec = flatten(result)
        _check_tensors(outs, "jvp")
        outs = [synced(o) if level.mine(o) else o for o in outs]
        values = unflatten([unwrap(level, o) for o in outs], out_spec)
        made = unflatten([o._tangent if level.mine(o) else zeros_like(o) for o in outs], out_spec)
        aux = tree_map(lambda t: unwrap(level, t), aux)
    return (values, made, aux) if has_aux else (values, made)


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """(func(*primals), jvp_fn): the linear map at this point, to apply to many tangents.

    The program runs once: what it saved is differentiated with respect to the (linear) gradient,
    so jvp_fn does not run `func` again.
    """
    value, vjp_fn = vjp(func, *primals)
    outs, out_spec = flatten(value)

    def transposed(*cotangents: Any) -> Any:
        return vjp_fn(unflatten(list(cotangents), out_spec))

    # The VJP is linear in its argument: its own VJP at any point is the JVP.
    _, back = vjp(transposed, *[zeros_like(o) for o in outs])

    def jvp_fn(*tangents: Any) -> Any:
        made = back(tangents)
        return unflatten(list(made), out_spec)

    return value, jvp_fn


# ---- jacobians ----------------------------------------------------------------------------------


def _basis(t: Any) -> Any:
    """The unit tangents of a tensor: shape (numel, *shape)."""
    n = t.numel()
    return make(np.eye(n, dtype=t.dtype.np).reshape(n, *t.shape))


def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False,
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian by reverse mode: one backward pass for all outputs, batched."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = _argument_positions(argnums, len(args))
        chosen = tuple(args[p] for p in positions)

        def of_chosen(*values: Any) -> Any:
            full = list(args)
            for p, v in zip(positions, values, strict=True):
                full[p] = v
            return func(*full, **kwargs)

        found = vjp(of_chosen, *chosen, has_aux=has_aux)
        value, vjp_fn = found[0], found[1]
        outs, out_spec = flatten(value)
        ins, in_spec = flatten(chosen)
        rows = []
        for k, out in enumerate(outs):

            def one(g: Any, k: int = k) -> Any:
                given = [g if j == k else zeros_like(o) for j, o in enumerate(outs)]
                return vjp_fn(unflatten(given, out_spec))

            made, _ = flatten(vmap(one, chunk_size=chunk_size)(_basis(out)))
            shaped = [
                P.reshape(m, shape=(*out.shape, *i.shape)) for m, i in zip(made, ins, strict=True)
            ]
            tree = unflatten(shaped, in_spec)
            rows.append(tree[0] if isinstance(argnums, int) else tree)
        jacobian = unflatten(rows, out_spec)
        return (jacobian, found[2]) if has_aux else jacobian

    return wrapped


def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian by forward mode: one pass for all inputs, batched."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = _argument_positions(argnums, len(args))
        chosen = tuple(args[p] for p in positions)
        ins, in_spec = flatten(chosen)
        _check_tensors(ins, "jacfwd")

        def of_leaves(*values: Any) -> Any:
            full = list(args)
            for p, v in zip(positions, unflatten(list(values), in_spec), strict=True):
                full[p] = v
            return func(*full, **kwargs)

        columns, out_spec, aux = [], None, None
        for k, t in enumerate(ins):

            def one(tangent: Any, k: int = k) -> Any:
                tangents = tuple(tangent if j == k else zeros_like(i) for j, i in enumerate(ins))
                found = jvp(of_leaves, tuple(ins), tangents, has_aux=has_aux)
                return (found[1], found[2]) if has_aux else found[1]

            out_dims: Any = (0, None) if has_aux else 0
            result = vmap(one, out_dims=out_dims, randomness=randomness)(_basis(t))
            if has_aux:
                result, aux = result
            made, out_spec = flatten(result)
            columns.append([_last(m, t) for m in made])
        rows = []
        for k in range(len(columns[0])):
            tree = unflatten([c[k] for c in columns], in_spec)
            rows.append(tree[0] if isinstance(argnums, int) else tree)
        jacobian = unflatten(rows, out_spec)
        return (jacobian, aux) if has_aux else jacobian

    return wrapped


def _last(made: Any, like: Any) -> Any:
    """Move the leading tangent dimension to the end and give it the input's shape."""
    n = made.ndim
    moved = P.transpose(made, perm=(*range(1, n), 0))
    return P.reshape(moved, shape=(*moved.shape[:-1], *like.shape))


def jacobian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The Jacobian by the cheaper mode: forward for fewer inputs than outputs, else reverse."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = _argument_positions(argnums, len(args))
        inputs = sum(t.numel() for t in flatten([args[p] for p in positions])[0])
        outputs = sum(t.numel() for t in flatten(_result_shape(func, args, kwargs))[0])
        chosen = jacfwd if inputs < outputs else jacrev
        return chosen(func, argnums)(*args, **kwargs)

    return wrapped


def _result_shape(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    previous = STATE.grad_enabled
    STATE.set_grad_enabled(False)
    try:
        return func(*args, **kwargs)
    finally:
        STATE.set_grad_enabled(previous)


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The matrix of second derivatives: forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)


__all__ = [
    "grad", "grad_and_value", "hessian", "jacfwd", "jacobian", "jacrev", "jvp", "linearize",
    "make_gradients", "vjp", "vmap",
]  # fmt: skip
