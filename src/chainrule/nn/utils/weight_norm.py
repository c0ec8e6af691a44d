"""Weight normalisation by hooks: weight = g * v / |v|, g and v the parameters."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ...autograd.accidents import explain_module
from ...autograd.source import warn_user
from ...tensor import Parameter, Tensor
from .spectral_norm import refuse_lazy

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """The 2-norm over all dimensions but one, which stays; over all of them for dim -1."""
    if dim == -1:
        return torch.linalg.vector_norm(v)
    others = tuple(d for d in range(v.dim()) if d != dim % v.dim())
    if not others:
        return v.abs()
    return torch.linalg.vector_norm(v, dim=others, keepdim=True)


def weight_of(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """v scaled to have the norms g."""
    return v * (g / norm_except_dim(v, dim))


class WeightNorm:
    """The hook that computes the weight before each call."""

    name: str
    dim: int

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """The weight of the module's g and v."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return weight_of(v, g, self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Put the hook on a module."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two weight_norm hooks on the same parameter {name}"
                )
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        refuse_lazy(weight, "WeightNorm", "weight")
        del module._parameters[name]
        g = norm_except_dim(weight.detach(), made.dim)
        module.register_parameter(name + "_g", Parameter(g.clone()))
        module.register_parameter(name + "_v", Parameter(weight.detach()))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Deprecated: use `parametrizations.weight_norm`, which has no hook that may run too late."""
    warn_user(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo `weight_norm`: the weight is a parameter again."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


explain_module(globals(), "weight_norm", "remove_weight_norm")
