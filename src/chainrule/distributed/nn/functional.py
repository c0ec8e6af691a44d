"""Collectives that gradients flow through; with one process each is the identity."""

from __future__ import annotations

from typing import Any

from ...autograd.function import Function
from ..group import ReduceOp, get_world_size, group

__all__ = [
    "Function", "ReduceOp", "all_gather", "all_reduce", "all_to_all", "all_to_all_single",
    "broadcast", "gather", "group", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip


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
    get_world_size(group)  # raises where there is no group
    return tensor.clone()


def broadcast(tensor: Any, src: int, group: Any = None) -> Any:
    """The tensor of one process."""
    return all_reduce(tensor, group=group)


def reduce(tensor: Any, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The tensors of all processes combined, for one of them."""
    return all_reduce(tensor, op, group)


def all_gather(tensor: Any, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all processes."""
    return (all_reduce(tensor, group=group),)


def gather(tensor: Any, dst: int = 0, group: Any = None) -> tuple[Any, ...]:
    """The tensors of all processes, for one of them."""
    return all_gather(tensor, group)


def scatter(tensors: Any, src: int = 0, group: Any = None) -> Any:
    """One tensor of a list of one process."""
    return all_reduce(tensors[0], group=group)


def reduce_scatter(output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Lists of all processes combined, one entry for each."""
    return all_reduce(input_list[0], op, group)


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None) -> Any:
    """Each process gives each other one tensor."""
    return tuple(all_reduce(t, group=group) for t in input_tensor_list)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None,  # noqa: A002
    group: Any = None,
) -> Any:  # fmt: skip
    """Each process gives each other one part of a tensor."""
    return all_reduce(input, group=group)
