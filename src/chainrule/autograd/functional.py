"""autograd.functional: vjp, jvp, vhp, hvp, jacobian, hessian on the ordinary tape.

`strict` refuses outputs that do not depend on the inputs; `create_graph` makes results
differentiable; `vectorize` runs the rows as one batched pass; `strategy` chooses the mode of
`jacobian`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from . import functional_checks as checks
from . import refusal
from .accidents import explain_module
from .backward import grad as autograd_grad
from .dispatch import P
from .jacobians import jacfwd as _jacfwd
from .modes import enable_grad
from .state import STATE
from .transforms import grad as _func_grad
from .value import TensorBase, make
from .vmap import vmap

_OUTPUTS = "outputs of the user-provided function"


def _prepared(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    if STATE.in_transform():
        raise refusal.runtime(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using "
            "torch.autograd.functional.* APIs) inside of a function being transformed by a "
            "functorch transform.",
            fix="use func.grad, func.vjp, func.jacrev or func.hessian, which nest.",
        )
    made: list[Any] = []
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


def _ones(t: Any) -> Any:
    return make(np.ones(tuple(t.shape), t.dtype.np))


def _grads(outs: Any, ins: Any, seeds: Any, create: bool) -> tuple[Any, ...]:
    """Gradients of the inputs, None for those that no output depends on."""
    live = [(o, s) for o, s in zip(outs, seeds, strict=True) if o._rg]
    if not live:
        return (None,) * len(ins)
    found: tuple[Any, ...] = autograd_grad(
        [o for o, _ in live], ins, [s for _, s in live], create_graph=create, retain_graph=True,
        allow_unused=True,
    )  # fmt: skip
    return found


def _filled(grads: Any, like: Any) -> tuple[Any, ...]:
    return tuple(_zeros(i) if g is None else g for g, i in zip(grads, like, strict=True))


def _run(func: Any, inputs: Any, create: bool, strict: bool, name: str) -> tuple[Any, ...]:
    ins, single_in = checks.as_tuple(inputs, "inputs", name)
    ins = _prepared(ins, create)
    outs, single_out = checks.as_tuple(func(*ins), _OUTPUTS, name)
    if strict:
        checks.check_outputs_depend(outs)
    return ins, single_in, outs, single_out


def _settle(values: tuple[Any, ...], single: bool, create: bool) -> Any:
    if not create:
        values = tuple(v.detach() for v in values)
    return values[0] if single else values


def _vectors(v: Any, like: Any, single: bool, missing: str, name: str) -> tuple[Any, ...]:
    found = checks.vectors(v, like, single, missing, name)
    return (_ones(like[0]),) if found is None else found


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), v^T J)."""
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, strict, "vjp")
        seeds = _vectors(v, outs, single_out, "user-provided function returns", "vjp")
        found = _grads(outs, ins, seeds, create_graph)
        if strict:
            checks.check_used(found)
        made = _filled(found, ins)
        if strict:
            checks.check_jacobian_depends(made, create_graph)
    return _settle(outs, single_out, create_graph), _settle(made, single_in, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), J v): what func keeps off the tape (no_grad, detach) counts as constant."""
    with enable_grad():
        ins, single_in = checks.as_tuple(inputs, "inputs", "jvp")
        ins = _prepared(ins, create_graph)
        missing = "input to the user-provided function is"
        tangents = _vectors(v, ins, single_in, missing, "jvp")
        outs, single_out = checks.as_tuple(func(*ins), _OUTPUTS, "jvp")
        if strict:
            checks.check_outputs_depend(outs)
        seeds = tuple(_zeros(o).requires_grad_() if o._rg else _zeros(o) for o in outs)
        grads = _grads(outs, ins, seeds, True)
        if strict:
            checks.check_used(grads)
        made = _filled(_transposed(grads, seeds, tangents, create_graph), outs)
        if strict:
            checks.check_jacobian_depends(made, create_graph)
    return _settle(outs, single_out, create_graph), _settle(made, single_out, create_graph)


def _transposed(grads: Any, seeds: Any, tangents: Any, create: bool) -> tuple[Any, ...]:
    """J v from the gradients of v^T J by v, in which they are linear; None for constants."""
    live = [k for k, seed in enumerate(seeds) if seed._rg]
    rows = [(g, t) for g, t in zip(grads, tangents, strict=True) if g is not None and g._rg]
    made: list[Any] = [None] * len(seeds)
    if rows and live:
        found = autograd_grad(
            [g for g, _ in rows], [seeds[k] for k in live],
            [t if t.dtype is g.dtype else P.cast(t, dtype=g.dtype.np) for g, t in rows],
            create_graph=create, allow_unused=True,
        )  # fmt: skip
        for k, tangent in zip(live, found, strict=True):
            made[k] = tangent
    return tuple(made)


def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian of func at inputs: outputs x inputs."""
    checks.check_strategy(strategy)
    if strategy == "forward-mode":
        checks.check_forward_switches(create_graph, strict, vectorize)
        return _forward_jacobian(func, inputs)
    with enable_grad():
        ins, single_in, outs, single_out = _run(func, inputs, create_graph, strict, "jacobian")
        if strict and vectorize:
            raise refusal.runtime(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                "supported together. Please either set `strict=False` or `vectorize=False`: a "
                "batched pass does not tell zeros from independence."
            )
        rows = tuple(_rows(k, o, ins, create_graph, strict, vectorize) for k, o in enumerate(outs))
        if strict:
            for row in rows:
                checks.check_jacobian_depends(row, create_graph)
    shown = [_settle(r, single_in, create_graph) for r in rows]
    return shown[0] if single_out else tuple(shown)


def _rows(k: int, out: Any, ins: Any, create: bool, strict: bool, vectorize: bool) -> Any:
    """The rows of output k: its gradient for every element."""
    n = out.numel()
    if not out._rg:
        return tuple(make(np.zeros((*out.shape, *i.shape), i.dtype.np)) for i in ins)
    eye = make(np.eye(n, dtype=out.dtype.np).reshape(n, *out.shape))
    if vectorize:

        def row_of(g: Any) -> Any:
            return _filled(_grads((out,), ins, (g,), create), ins)

        found = vmap(row_of)(eye)
    else:
        each = [_grads((out,), ins, (eye[row],), create) for row in range(n)]
        if strict:
            for grads in each:
                checks.check_used(grads, f"Output {k}")
        each = [_filled(grads, ins) for grads in each]
        found = [_stack([e[j] for e in each], i) for j, i in enumerate(ins)]
    return tuple(f.reshape(*out.shape, *i.shape) for f, i in zip(found, ins, strict=True))


def _stack(tensors: list[Any], like: Any) -> Any:
    if not tensors:
        return make(np.zeros((0, *like.shape), like.dtype.np))
    return P.stack(*tensors, axis=0)


def _forward_jacobian(func: Any, inputs: Any) -> Any:
    with enable_grad():
        ins, single = checks.as_tuple(inputs, "inputs", "jacobian")
        ins = _prepared(ins, False)
        single_out = True

        def checked(*x: Any) -> tuple[Any, ...]:
            nonlocal single_out
            outs, single_out = checks.as_tuple(func(*x), _OUTPUTS, "jacobian")
            return outs

        rows = _jacfwd(checked, tuple(range(len(ins))))(*ins)
    shown = [_settle(r, single, False) for r in rows]
    return shown[0] if single_out else tuple(shown)


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The second derivatives of a scalar function: inputs x inputs."""
    checks.check_strategy(outer_jacobian_strategy)
    ins, single = checks.as_tuple(inputs, "inputs", "hessian")

    def scalar(*x: Any) -> Any:
        outs, single_out = checks.as_tuple(func(*x), _OUTPUTS, "hessian")
        if strict:
            checks.check_outputs_depend(outs)
        return checks.check_single(outs, single_out, "hessian").reshape(())

    def gradient(*x: Any) -> Any:
        found = jacobian(scalar, x, create_graph=True)
        if strict:
            checks.check_hessian_depends(found)
        return found

    def forward_gradient(*x: Any) -> Any:
        return tuple(_func_grad(scalar, tuple(range(len(x))))(*x))

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
    return _hessian_product(func, inputs, v, create_graph, strict, "vhp")


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> Any:  # fmt: skip
    """(func(inputs), H v), without forming H; H is symmetric, so this is vhp."""
    return _hessian_product(func, inputs, v, create_graph, strict, "hvp")


def _hessian_product(
    func: Any, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> Any:
    with enable_grad():
        ins, single_in = checks.as_tuple(inputs, "inputs", name)
        missing = "input to the user-provided function is"
        tangents = _vectors(v, ins, single_in, missing, name)
        ins, _, outs, single_out = _run(func, inputs, True, strict, name)
        value = checks.check_single(outs, single_out, name)
        first = _grads((value,), ins, (_ones(value),), True)
        if strict:
            checks.check_used(first)
        first = _filled(first, ins)
        if strict:
            checks.check_hessian_depends(first)
        found = _grads(first, ins, tangents, create_graph)
        if strict:
            checks.check_used(found)
        made = _filled(found, ins)
        if strict:
            checks.check_jacobian_depends(made, create_graph)
    shown = value if create_graph else value.detach()
    return shown, _settle(made, single_in, create_graph)


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


explain_module(globals())


# ---- names that other libraries import -----------------------------------------------------------


def _as_tuple(
    inp: Any, arg_name: str | None = None, fn_name: str | None = None
) -> tuple[bool, tuple[Any, ...]]:
    """(whether there were several, all of them)."""
    given = cast("tuple[Any, ...]", inp) if isinstance(inp, tuple) else (inp,)
    for k, part in enumerate(given):
        if not isinstance(part, TensorBase):
            raise TypeError(
                f"The {arg_name} given to {fn_name} must be either a Tensor or a tuple of Tensors "
                f"but the value at index {k} has type {type(part)}."
            )
    return isinstance(inp, tuple), given


def _tuple_postprocess(res: Any, to_unpack: Any) -> Any:
    """Take apart the tuples that `_as_tuple` made."""
    if isinstance(to_unpack, tuple):
        if not to_unpack[1]:
            res = tuple(part[0] for part in res)
        return res if to_unpack[0] else res[0]
    return res if to_unpack else res[0]


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Results without their history, unless they are to be differentiated."""
    if isinstance(inputs, TensorBase):
        return inputs if create_graph else inputs.detach()  # type: ignore[attr-defined]
    return tuple(_grad_postprocess(part, create_graph) for part in inputs)


def _construct_standard_basis_for(
    tensors: tuple[Any, ...], tensor_numels: tuple[int, ...]
) -> tuple[Any, ...]:
    """Rows of an identity matrix, cut into a block for each tensor."""
    total, start = sum(tensor_numels), 0
    found: list[Any] = []
    for tensor, numel in zip(tensors, tensor_numels, strict=True):
        block = tensor.new_zeros(total, numel)
        block.diagonal(-start).fill_(1)
        found.append(block)
        start += numel
    return tuple(found)
