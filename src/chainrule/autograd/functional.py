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
from . import strict_checks as check
from .backward import grad as autograd_grad
from .dispatch import P
from .jacobians import jacfwd as _jacfwd
from .modes import enable_grad
from .state import STATE
from .transforms import jvp as _func_jvp
from .value import TensorBase, make
from .vmap import vmap


def _as_tuple(x: Any, what: str, function: str) -> tuple[tuple[Any, ...], bool]:
    single = not isinstance(x, tuple)
    values = (x,) if single else x
    for k, t in enumerate(values):
        if not isinstance(t, TensorBase):
            which = f"the given {what}" if single else f"the value at index {k}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"{which} has type {type(t)}."
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


def _grads(outs: Any, ins: Any, seeds: Any, create: bool) -> tuple[Any, ...]:
    """The gradients of the inputs, None where an input has no part in the outputs."""
    live = [(o, s) for o, s in zip(outs, seeds, strict=True) if o._rg]
    if not live:
        return (None,) * len(ins)
    return autograd_grad(
        [o for o, _ in live], ins, [s for _, s in live], create_graph=create, retain_graph=True,
        allow_unused=True,
    )  # fmt: skip


def _filled(grads: Any, ins: Any) -> tuple[Any, ...]:
    return tuple(_zeros(i) if g is None else g for g, i in zip(grads, ins, strict=True))


def _run(func: Any, inputs: Any, create: bool, name: str, strict: bool = False) -> tuple[Any, ...]:
    ins, single_in = _as_tuple(inputs, "inputs", name)
    ins = _prepared(ins, create)
    outs, single_out = _as_tuple(func(*ins), "outputs of the user-provided function", name)
    if strict:
        check.outputs_have_history(outs)
    return ins, single_in, outs, single_out


def _settle(values: tuple[Any, ...], single: bool, create: bool) -> Any:
    if not create:
        values = tuple(v.detach() for v in values)
    return values[0] if single else values


def _vectors(v: Any, like: tuple[Any, ...], single: bool, name: str) -> tuple[Any, ...]:
    """The vectors to multiply by: one for each of `like`; without them 1, for a single number."""
    if v is None:
        what = (
            "user-provided function returns"
            if name == "vjp"
            else ("input to the user-provided function is")
        )
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if the {what} a single Tensor with a single "
                "element."
            )
        return (make(np.ones(tuple(like[0].shape), like[0].dtype.np)),)
    values, _ = _as_tuple(v, "v", name)
    if len(values) != len(like):
        raise RuntimeError(
            "The given v should contain a single Tensor."
            if single
            else f"v is a tuple of invalid length: should be {len(like)} but got {len(values)}."
        )
    for k, (a, b) in enumerate(zip(values, like, strict=True)):
        if tuple(a.shape) != tuple(b.shape):
            place = "v" if single else f"Entry {k} in v"
            raise RuntimeError(
                f"{place} has invalid size: should be {b.shape!r} but got {a.shape!r}."
            )
    return values


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), v^T J)."""
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, "vjp", strict)
        found = _grads(outs, ins, _vectors(v, outs, single_out, "vjp"), create_graph)
        if strict:
            check.inputs_have_gradients(found, create_graph)
        made = _filled(found, ins)
    return _settle(outs, single_out, create_graph), _settle(made, single_in, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), J v), by forward mode."""
    with enable_grad():
        ins, single_in = _as_tuple(inputs, "inputs", "jvp")
        tangents = _vectors(v, ins, single_in, "jvp")
        if strict:
            leaves, _, outs, _ = _run(func, inputs, False, "jvp", strict)
            check.inputs_have_gradients(_grads(outs, leaves, outs, False), False)
        ins = _prepared(ins, create_graph)
        outs, made = _func_jvp(lambda *x: _checked_outputs(func(*x), "jvp"), ins, tangents)
    outs, single_out = _as_tuple(outs, "outputs of the user-provided function", "jvp")
    made = (made,) if isinstance(made, TensorBase) else tuple(made)
    return _settle(outs, single_out, create_graph), _settle(made, single_out, create_graph)


def _checked_outputs(outs: Any, name: str) -> Any:
    _as_tuple(outs, "outputs of the user-provided function", name)
    return outs


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
    if strict and vectorize and strategy == "reverse-mode":
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together: a batched pass cannot tell zeros from no dependence. Fix: "
            "`strict=False` or `vectorize=False`."
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, "jacobian", strict)
        rows = tuple(_rows(k, o, ins, create_graph, strict, vectorize) for k, o in enumerate(outs))
    shown = [_settle(r, single_in, create_graph) for r in rows]
    return shown[0] if single_out else tuple(shown)


def _rows(
    k: int, out: Any, ins: Any, create: bool, strict: bool, vectorize: bool
) -> tuple[Any, ...]:
    """The rows of output k: its gradient for every element."""
    n = out.numel()
    eye = make(np.eye(n, dtype=out.dtype.np).reshape(n, *out.shape))
    if not out._rg:
        return tuple(make(np.zeros((*out.shape, *i.shape), i.dtype.np)) for i in ins)
    if vectorize:
        found = vmap(lambda g: _filled(_grads((out,), ins, (g,), create), ins))(eye)
    else:
        each = []
        for row in range(n):
            grads = _grads((out,), ins, (eye[row],), create)
            if strict:
                check.inputs_have_gradients(grads, create, f"Output {k}")
            each.append(_filled(grads, ins))
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


def _scalar(out: Any, name: str, strict: bool) -> Any:
    outs, single = _as_tuple(out, "outputs of the user-provided function", name)
    if strict:
        check.outputs_have_history(outs)
    if not single:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if out.numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return out.reshape(())


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The second derivatives of a scalar function: inputs x inputs."""
    ins, single = _as_tuple(inputs, "inputs", "hessian")

    def gradient(*x: Any) -> Any:
        found = jacobian(lambda *y: _scalar(func(*y), "hessian", strict), x, create_graph=True)
        if strict:
            check.jacobian_has_history(found)
        return found

    def forward_gradient(*x: Any) -> Any:
        from .transforms import grad

        found = grad(lambda *y: _scalar(func(*y), "hessian", strict), tuple(range(len(x))))(*x)
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
    return _second_order(func, inputs, v, create_graph, strict, "vhp")


def _second_order(
    func: Any, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> Any:
    with enable_grad():
        ins, single_in = _as_tuple(inputs, "inputs", name)
        tangents = _vectors(v, ins, single_in, name)
        ins = _prepared(ins, True)
        value = _scalar(func(*ins), name, strict)
        first = _grads((value,), ins, (make(np.ones((), value.dtype.np)),), True)
        if strict:
            check.jacobian_has_history(first)
        found = _grads(_filled(first, ins), ins, tangents, create_graph)
        if strict:
            check.jacobian_depends_on_inputs(found, create_graph)
        made = _filled(found, ins)
    shown = value if create_graph else value.detach()
    return shown, _settle(made, single_in, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), H v), without forming H; H is symmetric, so this is vhp."""
    return _second_order(func, inputs, v, create_graph, strict, "hvp")
