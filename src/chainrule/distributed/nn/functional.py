"""Collectives that gradients flow through: the backward pass of each is another one.

A gradient here is that of the sum of the losses of all processes.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ...autograd.function import Function
from .. import collectives as _plain
from ..group import ReduceOp, current, group
from ..group import get_rank as _get_rank
from ..group import get_world_size as _get_world_size

__all__ = [
    "Function", "ReduceOp", "all_gather", "all_reduce", "all_to_all", "all_to_all_single",
    "broadcast", "gather", "group", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip


def _whole(tensor: Any) -> Any:
    """A copy in one piece, which a collective may write to."""
    return tensor.detach().clone(memory_format=torch.contiguous_format)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Any) -> Any:
        ctx.combining, ctx.among = op, group
        result = _whole(tensor)
        _plain.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, _AllReduce.apply(ctx.combining, ctx.among, grad)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Any) -> Any:
        ctx.src, ctx.among = src, group
        result = _whole(tensor)
        _plain.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        summed = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.among, grad)
        return None, None, summed if _is_rank(ctx.src) else torch.zeros_like(summed)


def _is_rank(rank: int) -> bool:
    return _get_rank() == rank


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, tensor: Any) -> Any:
        ctx.dst, ctx.among = dst, group
        result = _whole(tensor)
        _plain.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.among, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Any) -> Any:
        ctx.among = group
        tensor = _whole(tensor)
        outs = [torch.empty_like(tensor) for _ in range(_get_world_size(group))]
        _plain.all_gather(outs, tensor, group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        out = torch.empty_like(grads[_get_rank(ctx.among)])
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.among, out, *grads)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, output: Any, *tensors: Any) -> Any:
        ctx.among = group
        result = torch.empty_like(output)
        _plain.reduce_scatter(result, [_whole(t) for t in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return (None, None, None, *_AllGather.apply(ctx.among, grad))


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Any) -> Any:
        ctx.dst, ctx.among = dst, group
        tensor = _whole(tensor)
        outs = [torch.zeros_like(tensor) for _ in range(_get_world_size(group))]
        _plain.gather(tensor, outs if _is_rank(dst) else None, dst, group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.among, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Any) -> Any:
        ctx.src, ctx.among = src, group
        result = torch.zeros_like(tensors[0])
        _plain.scatter(result, [_whole(t) for t in tensors] if _is_rank(src) else None, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return (None, None, *_Gather.apply(ctx.src, ctx.among, grad))


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, shapes: Any, *tensors: Any) -> Any:
        ctx.among, ctx.shapes = group, [t.shape for t in tensors]
        outs = [torch.empty(shape, dtype=tensors[0].dtype) for shape in shapes]
        _plain.all_to_all(outs, [_whole(t) for t in tensors], group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, None, *_AllToAll.apply(ctx.among, ctx.shapes, *grads))


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any, group: Any, shape: Any, out_sizes: Any, in_sizes: Any, tensor: Any
    ) -> Any:
        ctx.rest = group, tensor.shape, in_sizes, out_sizes
        result = torch.empty(shape, dtype=tensor.dtype)
        _plain.all_to_all_single(result, _whole(tensor), out_sizes, in_sizes, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, None, None, _AllToAllSingle.apply(*ctx.rest, grad)


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The tensors of all processes combined.

    >>> import chainrule as torch, chainrule.distributed as dist, chainrule.distributed.nn
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> x = torch.ones(2, requires_grad=True)
    >>> dist.nn.all_reduce(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    >>> dist.destroy_process_group()
    """
    return _AllReduce.apply(op, current(group), tensor)


def broadcast(tensor: Any, src: int, group: Any = None) -> Any:
    """The tensor of one process."""
    return _Broadcast.apply(src, current(group), tensor)


def reduce(tensor: Any, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The tensors of all processes combined, for one of them."""
    return _Reduce.apply(dst, op, current(group), tensor)


def all_gather(tensor: Any, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all processes."""
    return _AllGather.apply(current(group), tensor)


def gather(tensor: Any, dst: int = 0, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all processes, for one of them; zeros for the others."""
    return _Gather.apply(dst, current(group), tensor)


def scatter(tensors: Any, src: int = 0, group: Any = None) -> Any:
    """One tensor of a list of one process."""
    return _Scatter.apply(src, current(group), *tensors)


def reduce_scatter(output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Lists of all processes combined, one entry for each."""
    return _ReduceScatter.apply(op, current(group), output, *input_list)


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None) -> Any:
    """Each process gives each other one tensor."""
    shapes = [t.shape for t in output_tensor_list]
    return _AllToAll.apply(current(group), shapes, *input_tensor_list)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None,  # noqa: A002
    group: Any = None,
) -> Any:  # fmt: skip
    """Each process gives each other some rows of a tensor."""
    return _AllToAllSingle.apply(
        current(group), output.shape, output_split_sizes, input_split_sizes, input
    )
