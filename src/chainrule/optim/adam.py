"""Adam, and AdamW which decays weights apart from the gradient."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as cr

from ..autograd import refusal
from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer, new_counter


class Adam(RuleOptimizer):
    """Moments of the gradient decide each element's step (Kingma and Ba, 2015).

    >>> import chainrule as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    rule = staticmethod(rules.adam)
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS | {
        "amsgrad": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = options(locals())
        if isinstance(lr, cr.Tensor) and foreach and not capturable:
            raise refusal.value(
                "lr as a Tensor is not supported for capturable=False and foreach=True",
                fix="leave foreach away; it makes no difference here.",
            )
        _check_kinds(betas, capturable, foreach)
        defaults["betas"] = tuple(b.squeeze() if isinstance(b, cr.Tensor) else b for b in betas)
        super().__init__(params, defaults)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        largest = ("max_exp_avg_sq",) if group["amsgrad"] else ()
        return ("exp_avg", "exp_avg_sq", *largest)

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        return {"step": new_counter(0.0, bool(group["fused"]))}

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "decoupled": group["decoupled_weight_decay"],
            "amsgrad": group["amsgrad"],
            "far": bool(group["betas"][0] <= 0.5),
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        lr, weight_decay, step = group["lr"], group["weight_decay"], counted["step"]
        beta1, beta2 = group["betas"]
        if group["differentiable"] and isinstance(step, cr.Tensor):
            step = step.to(cr.float32)  # PyTorch's differentiable step counts in single precision
        return {
            "keep": 1 - lr * weight_decay,
            "weight_decay": weight_decay,
            "beta1": beta1,
            "new1": 1 - beta1,
            "beta2": beta2,
            "new2": 1 - beta2,
            "eps": group["eps"],
            "unbias2": (1 - beta2**step) ** -0.5,
            "step_size": lr / (1 - beta1**step),
        }


def _check_kinds(betas: Any, capturable: bool, foreach: Any) -> None:
    """Both betas are numbers, or both tensors of one element."""
    tensors = [isinstance(b, cr.Tensor) for b in betas]
    if any(tensors) != all(tensors) or not (all(tensors) or all(type(b) is float for b in betas)):
        raise refusal.value(
            f"betas must be either both floats or both Tensors, but they are {betas!r}",
            fix="for example betas=(0.9, 0.999).",
        )
    for i in (0, 1) if tensors[0] else ():
        if foreach and not capturable:
            raise refusal.value(
                f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
            )
        if betas[i].numel() != 1:
            raise refusal.value(f"Tensor betas[{i}] must be 1-element")


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019).

    >>> import chainrule as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.AdamW([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8990, -1.8980], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


__getattr__ = step_function_of(__name__)
