"""autograd.functional: vjp, jvp, vhp, hvp, jacobian, hessian on the ordinary tape.

`strict` refuses outputs that do not depend on the inputs; `create_graph` makes results
differentiable; `vectorize` runs the rows as one batched pass; `strategy` chooses the mode of
`jacobian`. Where the API leaves the mode open, forward mode is taken for few inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import source
from .backward import grad as autograd_grad
from .dispatch import P
from .jacobians import jacfwd as _jacfwd
from .modes import enable_grad
from .state import STATE
from .transforms import jvp as _func_jvp
from .value import TensorBase, make
from .vmap import vmap


def _as_tuple(x: Any, what: str, function: str) -> tuple[tuple[Any, ...], bool]:
    single = isinstance(x, TensorBase)
    values = (x,) if single else tuple(x)
    for k, t in enumerate(values):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"the value at index {k} has type {type(t)}."
            )
    return values, single


def _prepared(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    if STATE.in_transform():
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using "
            "torch.autograd.functional.* APIs) inside of a function being transformed by a "
            f"functorch transform.\n  at {source.here(3)}\n"
            "  Fix: use func.grad, func.vjp, func.jacrev or func.hessian, which nest."
        )
    made = []
    for t in inputs:
        if create_graph and t._rg:
            made.append(P.alias(t))
        elif create_graph:
            made.append(P.alias(t).requires_grad_())
        else:
            made.append(t.detach().requires_grad_())
    return tuple(made)


def _zeros(t: Any) -> Any:
    return make(np.zeros(tuple(t.shape), t.dtype.np))


def _check_strict(grads: Any, strict: bool, what: str) -> None:
    if strict and any(g is None for g in grads):
        at = next(k for k, g in enumerate(grads) if g is None)
        raise RuntimeError(
            f"{what}: output is independent of input {at}. This is not allowed in strict mode."
        )


def _grads(outs: Any, ins: Any, seeds: Any, create: bool, strict: bool, what: str) -> Any:
    live = [(o, s) for o, s in zip(outs, seeds, strict=True) if o._rg]
    if not live:
        _check_strict([None] * len(ins), strict, what)
        return tuple(_zeros(i) for i in ins)
    found = autograd_grad(
        [o for o, _ in live], ins, [s for _, s in live], create_graph=create, retain_graph=True,
        allow_unused=True,
    )  # fmt: skip
    _check_strict(found, strict, what)
    return tuple(_zeros(i) if g is None else g for g, i in zip(found, ins, strict=True))


def _run(func: Any, inputs: Any, create: bool, name: str) -> tuple[Any, ...]:
    ins, single_in = _as_tuple(inputs, "inputs", name)
    ins = _prepared(ins, create)
    outs, single_out = _as_tuple(func(*ins), "outputs of the user-provided function", name)
    return ins, single_in, outs, single_out


def _settle(values: tuple[Any, ...], single: bool, create: bool) -> Any:
    if not create:
        values = tuple(v.detach() for v in values)
    return values[0] if single else values


def _vectors(v: Any, like: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if the {what} is a single Tensor with one element"
            )
        return (make(np.ones(tuple(like[0].shape), like[0].dtype.np)),)
    values = (v,) if isinstance(v, TensorBase) else tuple(v)
    if len(values) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(values)}."
        )
    for k, (a, b) in enumerate(zip(values, like, strict=True)):
        if tuple(a.shape) != tuple(b.shape):
            raise RuntimeError(
                f"Entry {k} in v has invalid size: should be {b.shape!r} but got {a.shape!r}."
            )
    return values


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), v^T J)."""
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, "vjp")
        seeds = _vectors(v, outs, "user-provided function returns")
        made = _grads(outs, ins, seeds, create_graph, strict, "vjp")
    return _settle(outs, single_out, create_graph), _settle(made, single_in, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), J v), by forward mode."""
    with enable_grad():
        ins, _ = _as_tuple(inputs, "inputs", "jvp")
        ins = _prepared(ins, create_graph)
        tangents = _vectors(v, ins, "input to the user-provided function")
        outs, made = _func_jvp(lambda *x: func(*x), ins, tangents)
    outs, single_out = _as_tuple(outs, "outputs", "jvp")
    made = (made,) if isinstance(made, TensorBase) else tuple(made)
    return _settle(outs, single_out, create_graph), _settle(made, single_out, create_graph)


def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian of func at inputs: outputs x inputs."""
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            f"function has more outputs than inputs, use forward-mode; got {strategy!r}"
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, "jacobian")
        rows = tuple(_rows(o, ins, create_graph, strict, vectorize) for o in outs)
    shown = [_settle(r, single_in, create_graph) for r in rows]
    return shown[0] if single_out else tuple(shown)


def _rows(out: Any, ins: Any, create: bool, strict: bool, vectorize: bool) -> tuple[Any, ...]:
    """The rows of one output: its gradient for every element."""
    n = out.numel()
    eye = make(np.eye(n, dtype=out.dtype.np).reshape(n, *out.shape))
    if not out._rg:
        _check_strict([None] * len(ins), strict, "jacobian")
        return tuple(make(np.zeros((*out.shape, *i.shape), i.dtype.np)) for i in ins)
    if vectorize:
        found = vmap(lambda g: _grads((out,), ins, (g,), create, strict, "jacobian"))(eye)
    else:
        each = [_grads((out,), ins, (eye[k],), create, strict, "jacobian") for k in range(n)]
        found = [_stack([e[j] for e in each], i) for j, i in enumerate(ins)]
    return tuple(f.reshape(*out.shape, *i.shape) for f, i in zip(found, ins, strict=True))


def _stack(tensors: list[Any], like: Any) -> Any:
    if not tensors:
        return make(np.zeros((0, *like.shape), like.dtype.np))
    return P.stack(*tensors, axis=0)


def _forward_jacobian(func: Any, inputs: Any, create: bool, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
            "not supported together (yet). Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )
    with enable_grad():
        ins, single = _as_tuple(inputs, "inputs", "jacobian")
        ins = _prepared(ins, create)
        made = _jacfwd(func, tuple(range(len(ins))))(*ins)
    single_out = isinstance(made[0], TensorBase)
    rows = (made,) if single_out else made
    shown = [_settle(r, single, create) for r in rows]
    return shown[0] if single_out else tuple(shown)


def _scalar(out: Any, name: str) -> Any:
    if not isinstance(out, TensorBase):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if out.numel() != 1:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return out.reshape(())  # type: ignore[attr-defined]


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The second derivatives of a scalar function: inputs x inputs."""
    ins, single = _as_tuple(inputs, "inputs", "hessian")

    def gradient(*x: Any) -> Any:
        out = _scalar(func(*x), "hessian")
        found = jacobian(
            lambda *y: _scalar(func(*y), "hessian"), x, create_graph=True, strict=strict
        )
        del out
        return found

    def forward_gradient(*x: Any) -> Any:
        from .transforms import grad

        found = grad(lambda *y: _scalar(func(*y), "hessian"), tuple(range(len(x))))(*x)
        return tuple(found)

    chosen = forward_gradient if outer_jacobian_strategy == "forward-mode" else gradient
    found = jacobian(
        chosen, ins, create_graph=create_graph, strict=strict, vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )  # fmt: skip
    return found[0][0] if single else found


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), v^T H), without forming H."""
    with enable_grad():
        ins, single_in, outs, _ = _run(func, inputs, True, "vhp")
        tangents = _vectors(v, ins, "input to the user-provided function")
        value = _scalar(outs[0], "vhp")
        first = _grads((value,), ins, (make(np.ones((), value.dtype.np)),), True, strict, "vhp")
        made = _grads(first, ins, tangents, create_graph, strict, "vhp")
    shown = value if create_graph else value.detach()
    return shown, _settle(made, single_in, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), H v), without forming H; H is symmetric, so this is vhp."""
    return vhp(func, inputs, v, create_graph, strict)
