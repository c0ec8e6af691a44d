"""Steps as functions of lists: `torch.optim.adam.adam(params, grads, exp_avgs, ...)`.

The lists hold the gradients and the states of the parameters, in their order, and are changed in
place. The rule is the optimizer's own, so a step here is a step of the class, with the state and
options that its arguments name: `exp_avgs` are the states `exp_avg`, `beta1` is one of `betas`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from ..autograd import refusal
from ..autograd.modes import set_grad_enabled

# Options that classes have as pairs, and lists that are not named after a state.
_PAIRS = {
    "betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}  # fmt: skip
_STATES = {"state_steps": "step", "state_sums": "sum"}


def _step(kind: str, given: dict[str, Any]) -> None:
    """One step of an optimizer, from the `locals()` of a function of lists."""
    if given.get("grad_scale") is not None or given.get("found_inf") is not None:
        raise refusal.not_implemented(
            "grad_scale and found_inf are for fused steps on GPUs",
            fix="divide the gradients first: GradScaler.unscale_(optimizer).",
        )
    lists = {n: v for n, v in given.items() if isinstance(v, list | tuple)}
    (_, params), (_, grads), *listed = lists.items()
    options = {n: v for n, v in given.items() if n not in lists}
    options |= {
        pair: (options[one], options[other])
        for pair, (one, other) in _PAIRS.items()
        if one in options
    }
    options = {"differentiable": False, "lr": 0.0, **options, "params": params}
    cls = getattr(importlib.import_module(f".{kind.lower()}", __package__), kind)
    optimizer = object.__new__(cls)
    known = {*optimizer._state_names(options), *optimizer.counters}
    states = {_STATES.get(n) or n.removesuffix("_list").removesuffix("s"): v
              for n, v in listed}  # fmt: skip
    _run(optimizer, options, grads, {n: v for n, v in states.items() if n in known and v})


def _run(
    optimizer: Any, group: dict[str, Any], grads: Sequence[Any], states: dict[str, Sequence[Any]]
) -> None:
    params = group["params"]
    for name, listed in states.items():
        if len(listed) != len(params):
            raise refusal.value(
                f"{len(params)} parameters, and {len(listed)} tensors of state {name!r}",
                fix="give each list one tensor for every parameter, in their order.",
            )
    held = [{n: listed[k] for n, listed in states.items()} for k in range(len(params))]
    optimizer.state = dict(zip(params, held, strict=True))
    before = [p._grad for p in params]
    try:
        for p, g in zip(params, grads, strict=True):
            p._grad = g
        with set_grad_enabled(bool(group["differentiable"])):
            optimizer._step_groups([group])
    finally:
        for p, g in zip(params, before, strict=True):
            p._grad = g
    for name, listed in states.items():
        if isinstance(listed, list):  # what a step makes anew; the rest it changes in place
            listed[:] = [state.get(name, old) for state, old in zip(held, listed, strict=True)]


def adadelta(
    params: list[Any], grads: list[Any], square_avgs: list[Any], acc_deltas: list[Any],
    state_steps: list[Any], capturable: bool = False, foreach: bool | None = None,
    differentiable: bool = False, has_complex: bool = False, *, lr: Any, rho: float, eps: float,
    weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of `Adadelta`."""
    _step("Adadelta", locals())


def adagrad(
    params: list[Any], grads: list[Any], state_sums: list[Any], state_steps: list[Any],
    fused: bool | None = None, grad_scale: Any = None, found_inf: Any = None,
    has_sparse_grad: bool = False, foreach: bool | None = None, differentiable: bool = False,
    has_complex: bool = False, *, lr: Any, weight_decay: float, lr_decay: float, eps: float,
    maximize: bool,
) -> None:  # fmt: skip
    """A step of `Adagrad`."""
    _step("Adagrad", locals())


def adam(
    params: list[Any], grads: list[Any], exp_avgs: list[Any], exp_avg_sqs: list[Any],
    max_exp_avg_sqs: list[Any], state_steps: list[Any], foreach: bool | None = None,
    capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    grad_scale: Any = None, found_inf: Any = None, has_complex: bool = False,
    decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: Any, beta2: Any, lr: Any,
    weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of `Adam`."""
    _step("Adam", locals())


def adamw(
    params: list[Any], grads: list[Any], exp_avgs: list[Any], exp_avg_sqs: list[Any],
    max_exp_avg_sqs: list[Any], state_steps: list[Any], foreach: bool | None = None,
    capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    grad_scale: Any = None, found_inf: Any = None, has_complex: bool = False, *, amsgrad: bool,
    beta1: Any, beta2: Any, lr: Any, weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of `AdamW`."""
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach, capturable,
        differentiable, fused, grad_scale, found_inf, has_complex, True, amsgrad=amsgrad,
        beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize,
    )  # fmt: skip


def adamax(
    params: list[Any], grads: list[Any], exp_avgs: list[Any], exp_infs: list[Any],
    state_steps: list[Any], foreach: bool | None = None, maximize: bool = False,
    differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *,
    eps: float, beta1: float, beta2: float, lr: Any, weight_decay: float,
) -> None:  # fmt: skip
    """A step of `Adamax`."""
    _step("Adamax", locals())


def asgd(
    params: list[Any], grads: list[Any], axs: list[Any], mus: list[Any], etas: list[Any],
    state_steps: list[Any], foreach: bool | None = None, maximize: bool = False,
    differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *,
    lambd: float, lr: Any, t0: float, alpha: float, weight_decay: float,
) -> None:  # fmt: skip
    """A step of `ASGD`."""
    _step("ASGD", locals())


def nadam(
    params: list[Any], grads: list[Any], exp_avgs: list[Any], exp_avg_sqs: list[Any],
    mu_products: list[Any], state_steps: list[Any], decoupled_weight_decay: bool = False,
    foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: Any,
    weight_decay: float, momentum_decay: float, eps: float,
) -> None:  # fmt: skip
    """A step of `NAdam`."""
    _step("NAdam", locals())


def radam(
    params: list[Any], grads: list[Any], exp_avgs: list[Any], exp_avg_sqs: list[Any],
    state_steps: list[Any], decoupled_weight_decay: bool = False, foreach: bool | None = None,
    differentiable: bool = False, capturable: bool = False, has_complex: bool = False,
    maximize: bool = False, *, beta1: float, beta2: float, lr: Any, weight_decay: float,
    eps: float,
) -> None:  # fmt: skip
    """A step of `RAdam`."""
    _step("RAdam", locals())


def rmsprop(
    params: list[Any], grads: list[Any], square_avgs: list[Any], grad_avgs: list[Any],
    momentum_buffer_list: list[Any], state_steps: list[Any], foreach: bool | None = None,
    maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, lr: Any, alpha: float, eps: float, weight_decay: float,
    momentum: float, centered: bool,
) -> None:  # fmt: skip
    """A step of `RMSprop`."""
    _step("RMSprop", locals())


def rprop(
    params: list[Any], grads: list[Any], prevs: list[Any], step_sizes: list[Any],
    state_steps: list[Any], foreach: bool | None = None, capturable: bool = False,
    maximize: bool = False, differentiable: bool = False, has_complex: bool = False, *,
    step_size_min: float, step_size_max: float, etaminus: float, etaplus: float,
) -> None:  # fmt: skip
    """A step of `Rprop`."""
    _step("Rprop", locals())


def sgd(
    params: list[Any], d_p_list: list[Any], momentum_buffer_list: list[Any],
    has_sparse_grad: bool = False, foreach: bool | None = None, fused: bool | None = None,
    grad_scale: Any = None, found_inf: Any = None, *, weight_decay: float, momentum: float,
    lr: Any, dampening: float, nesterov: bool, maximize: bool,
) -> None:  # fmt: skip
    """A step of `SGD`; a buffer that is None begins with this gradient."""
    _step("SGD", locals())
