"""Tensor parallelism: one layer's matrix cut between processes, each computing its part."""

from __future__ import annotations

import fnmatch
from typing import Any

import chainrule as torch
import chainrule.nn.functional as F

from ..autograd.function import Function
from ..autograd.value import make
from ..nn.modules.linear import Linear
from ..nn.modules.module import Module
from ..nn.modules.sparse import Embedding
from ..tensor import Parameter
from .collectives import all_gather, all_reduce
from .placement_types import Replicate, Shard


class _ToAll(Function):
    """The same input for all; their gradients add up."""

    @staticmethod
    def forward(ctx: Any, group: Any, x: Any) -> Any:
        ctx.among = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        summed = grad.contiguous().clone()
        all_reduce(summed, group=ctx.among)
        return None, summed


class _FromAll(Function):
    """The sum of everybody's; each has its whole gradient."""

    @staticmethod
    def forward(ctx: Any, group: Any, x: Any) -> Any:
        out = x.detach().clone(memory_format=torch.contiguous_format)
        all_reduce(out, group=group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, grad


class _GatherLast(Function):
    """Everybody's last dimensions side by side."""

    @staticmethod
    def forward(ctx: Any, group: Any, x: Any) -> Any:
        ctx.among = group
        parts = [torch.empty(x.shape, dtype=x.dtype) for _ in range(group.size())]
        all_gather(parts, x.detach().contiguous(), group)
        return torch.cat(parts, -1)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, grad.chunk(ctx.among.size(), -1)[ctx.among.rank()].contiguous()


class _OwnLast(Function):
    """The own part of the last dimension."""

    @staticmethod
    def forward(ctx: Any, group: Any, x: Any) -> Any:
        ctx.among = group
        return x.chunk(group.size(), -1)[group.rank()].contiguous()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, _GatherLast.apply(ctx.among, grad)


class ParallelStyle:
    """How a module is cut."""

    def apply(self, module: Module, group: Any) -> None:
        """Cut it."""
        raise NotImplementedError


def _cut(module: Module, name: str, dim: int, group: Any) -> None:
    """Leave a module the own part of a parameter."""
    p = module._parameters[name]
    if p is None:
        return
    if p.shape[dim] % group.size():
        raise ValueError(
            f"parallelize_module: {name} of {module} has {p.shape[dim]} entries along dimension "
            f"{dim}, which {group.size()} processes cannot share equally"
        )
    part = p.detach().chunk(group.size(), dim)[group.rank()]
    module._parameters[name] = Parameter(make(part._a.copy()), p.requires_grad)


class ColwiseParallel(ParallelStyle):
    """Each process computes some of the outputs of a Linear, or columns of an Embedding."""

    def __init__(
        self, *, input_layouts: Any = None, output_layouts: Any = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layouts = input_layouts or Replicate()
        self.output_layouts = output_layouts or Shard(-1)

    def apply(self, module: Module, group: Any) -> None:
        """Cut weight and bias, and exchange gradients of the input."""
        if not isinstance(module, Linear | Embedding):
            raise NotImplementedError(
                "ColwiseParallel currently only support nn.Linear and nn.Embedding!"
            )
        embeds = isinstance(module, Embedding)
        _cut(module, "weight", 1 if embeds else 0, group)
        if not embeds:
            _cut(module, "bias", 0, group)
        plain, gathers = module.forward, isinstance(self.output_layouts, Replicate)

        def forward(x: Any) -> Any:
            out = plain(x if embeds else _ToAll.apply(group, x))
            return _GatherLast.apply(group, out) if gathers else out

        object.__setattr__(module, "forward", forward)


class RowwiseParallel(ParallelStyle):
    """Each process multiplies some of the inputs of a Linear; the products are added."""

    def __init__(
        self, *, input_layouts: Any = None, output_layouts: Any = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layouts = input_layouts or Shard(-1)
        self.output_layouts = output_layouts or Replicate()

    def apply(self, module: Module, group: Any) -> None:
        """Cut the weight, and add up outputs."""
        if not isinstance(module, Linear):
            raise NotImplementedError("RowwiseParallel supports nn.Linear here")
        _cut(module, "weight", 1, group)
        splits = isinstance(self.input_layouts, Replicate)

        def forward(x: Any) -> Any:
            x = _OwnLast.apply(group, x) if splits else x
            out = _FromAll.apply(group, F.linear(x, module.weight))
            return out if module.bias is None else out + module.bias

        object.__setattr__(module, "forward", forward)


def parallelize_module(
    module: Any, device_mesh: Any = None, parallelize_plan: Any = None, **options: Any
) -> Any:
    """Cut the layers that a plan names: `{"mlp.0": ColwiseParallel(), "*.out": ...}`."""
    from .device_mesh import DeviceMesh

    mesh = device_mesh or DeviceMesh("cpu")
    group = mesh.get_group()
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.apply(module, group)
        return module
    named = dict(module.named_modules())
    for pattern, style in (parallelize_plan or {}).items():
        found = [m for name, m in named.items() if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            raise ValueError(
                f"parallelize_module: no module is named {pattern!r}; there are {list(named)[1:]}"
            )
        for inner in found:
            style.apply(inner, group)
    return module


__all__ = ["ColwiseParallel", "ParallelStyle", "RowwiseParallel", "parallelize_module"]
