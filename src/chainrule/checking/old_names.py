"""Jacobians as PyTorch's older tests compute them: a row per input element, a column per output."""

from __future__ import annotations

from typing import Any

import chainrule as torch


def _leaves(inputs: Any) -> list[Any]:
    from ..utils._pytree import tree_leaves

    return [t for t in tree_leaves(inputs) if isinstance(t, torch.Tensor)]


def get_numerical_jacobian_wrt_specific_input(
    fn: Any, input_idx: int, inputs: Any, outputs: Any, eps: float, input: Any = None,  # noqa: A002
    is_forward_ad: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """By central differences: for every output the Jacobian with respect to one input."""
    x = (inputs[input_idx] if input is None else input).detach()
    flat = x.reshape(-1)
    if flat.data_ptr() != x.data_ptr():
        raise RuntimeError("get_numerical_jacobian: the input must be contiguous")
    rows: list[list[Any]] = []
    with torch.no_grad():
        for k in range(x.numel()):
            before = flat[k].clone()
            ends = []
            for step in (eps, -eps):
                flat[k] = before + step
                ends.append([o.clone() for o in _leaves(fn(*inputs))])
            flat[k] = before
            rows.append([(a - b).reshape(-1) / (2 * eps) for a, b in zip(*ends, strict=True)])
    return tuple(torch.stack([row[o] for row in rows]) for o in range(len(rows[0]) if rows else 0))


def get_numerical_jacobian(
    fn: Any, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list[Any]:
    """By central differences: the Jacobian of the first output for each input with a gradient."""
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0, which is all that PyTorch takes")
    wanted = [t for t in _leaves(target if target is not None else inputs) if t.requires_grad]
    outputs = _leaves(fn(*inputs))
    return [
        get_numerical_jacobian_wrt_specific_input(fn, 0, inputs, outputs, eps, input=x)[0]
        for x in wanted
    ]


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[Any, bool, bool, bool]:
    """By backward: the Jacobians, and whether it repeats, and gives gradients of right sizes and
    types."""
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0, which is all that PyTorch takes")
    wanted = [t for t in _leaves(inputs) if t.requires_grad]
    both = [_by_backward(wanted, output) for _ in range(2)]
    repeats = all(
        torch.allclose(a, b, rtol=0.0, atol=nondet_tol) for a, b in zip(*both, strict=True)
    )
    return tuple(both[0]), repeats, True, True


def _by_backward(wanted: list[Any], output: Any) -> list[Any]:
    columns: list[list[Any]] = [[] for _ in wanted]
    for k in range(output.numel()):
        seed = torch.zeros(output.numel(), dtype=output.dtype)
        seed[k] = 1.0
        found = torch.autograd.grad(
            output, wanted, seed.reshape(output.shape), retain_graph=True, allow_unused=True
        )
        for column, x, g in zip(columns, wanted, found, strict=True):
            column.append((torch.zeros_like(x) if g is None else g).reshape(-1))
    return [torch.stack(column, 1) for column in columns]
