"""func.jacrev, jacfwd, hessian: derivatives of every output by every input."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .accidents import explain_module
from .dispatch import P
from .duals import zeros_like
from .state import STATE
from .transform_checks import argument_positions, check_callable, check_primals, check_real
from .transforms import jvp_beside, vjp_beside
from .trees import flatten, unflatten
from .value import TensorBase, make
from .vmap import vmap


def _basis(t: Any) -> Any:
    """The unit tangents of a tensor: shape (numel, *shape)."""
    n = t.numel()
    return make(np.eye(n, dtype=t.dtype.np).reshape(n, *t.shape))


def _of_chosen(func: Any, args: Any, kwargs: Any, positions: tuple[int, ...]) -> Any:
    """func as a function of the arguments at some positions."""

    def of_chosen(*values: Any) -> Any:
        full = list(args)
        for p, v in zip(positions, values, strict=True):
            full[p] = v
        return func(*full, **kwargs)

    return of_chosen


def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False,
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian by reverse mode: one backward pass for all outputs, batched."""
    check_callable(func, "jacrev")
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size <= 0):
        raise ValueError(f"jacrev: `chunk_size` should be greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = argument_positions(argnums, len(args))
        chosen = tuple(args[p] for p in positions)
        ins, in_spec = flatten(chosen)
        check_real([t for t in ins if isinstance(t, TensorBase)], "inputs", "jacrev")
        of_chosen = _of_chosen(func, args, kwargs, positions)
        found = vjp_beside(of_chosen, chosen, (args, kwargs), has_aux)
        value, vjp_fn = found[0], found[1]
        outs, out_spec = flatten(value)
        check_real(outs, "outputs", "jacrev")
        rows: list[Any] = []
        for k, out in enumerate(outs):

            def one(g: Any, k: int = k) -> Any:
                given = [g if j == k else zeros_like(o) for j, o in enumerate(outs)]
                return vjp_fn(unflatten(given, out_spec))

            made = _mapped(one, out, chunk_size)
            shaped = [
                P.reshape(m, shape=(*out.shape, *i.shape)) for m, i in zip(made, ins, strict=True)
            ]
            tree = unflatten(shaped, in_spec)
            rows.append(tree[0] if isinstance(argnums, int) else tree)
        jacobian = unflatten(rows, out_spec)
        return (jacobian, found[2]) if has_aux else jacobian

    return wrapped


def _mapped(one: Any, out: Any, chunk_size: int | None) -> list[Any]:
    """The function on every unit cotangent; for chunks of one without a batch dimension."""
    basis = _basis(out)
    if chunk_size != 1 or not out.numel():
        return flatten(vmap(one, chunk_size=chunk_size)(basis))[0]
    each = [flatten(one(P.select(basis, axis=0, index=k)))[0] for k in range(out.numel())]
    return [P.stack(*column, axis=0) for column in zip(*each, strict=True)]


def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian by forward mode: one pass for all inputs, batched."""
    check_callable(func, "jacfwd")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = argument_positions(argnums, len(args))
        chosen = tuple(args[p] for p in positions)
        ins, in_spec = flatten(chosen)
        check_primals(ins)
        check_real(ins, "inputs", "jacfwd")
        of_chosen = _of_chosen(func, args, kwargs, positions)

        def one(*tangents: Any) -> Any:
            given = unflatten(list(tangents), in_spec)
            found = jvp_beside(of_chosen, chosen, given, (args, kwargs), False, has_aux)
            return (found[1], found[2]) if has_aux else found[1]

        # One run for all inputs: what the function draws or writes, it draws and writes once.
        out_dims: Any = (0, None) if has_aux else 0
        result = vmap(one, out_dims=out_dims, randomness=randomness)(*_joint_basis(ins))
        result, aux = result if has_aux else (result, None)
        made, out_spec = flatten(result)
        check_real(made, "outputs", "jacfwd")
        rows: list[Any] = []
        for m in made:
            tree = unflatten(_columns(m, ins), in_spec)
            rows.append(tree[0] if isinstance(argnums, int) else tree)
        jacobian = unflatten(rows, out_spec)
        return (jacobian, aux) if has_aux else jacobian

    return wrapped


def _joint_basis(ins: list[Any]) -> list[Any]:
    """For each input its tangents, when every element of all inputs moves alone, one by one."""
    total = sum(t.numel() for t in ins)
    found: list[Any] = []
    start = 0
    for t in ins:
        n = t.numel()
        rows = np.zeros((total, n), t.dtype.np)
        np.fill_diagonal(rows[start : start + n], 1)
        found.append(make(rows.reshape(total, *t.shape)))
        start += n
    return found


def _columns(made: Any, ins: list[Any]) -> list[Any]:
    """The derivatives of one output, taken apart by input."""
    if len(ins) == 1:
        return [_last(made, ins[0])]
    found: list[Any] = []
    start = 0
    for t in ins:
        stop = start + t.numel()
        part = P.slice_axis(made, axis=0, start=start, stop=stop, step=1)
        found.append(_last(part, t))
        start = stop
    return found


def _last(made: Any, like: Any) -> Any:
    """Move the leading tangent dimension to the end and give it the input's shape."""
    n = made.ndim
    moved = P.transpose(made, perm=(*range(1, n), 0))
    return P.reshape(moved, shape=(*moved.shape[:-1], *like.shape))


def jacobian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The Jacobian by the cheaper mode: forward for fewer inputs than outputs, else reverse."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions = argument_positions(argnums, len(args))
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


__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]


explain_module(globals())
