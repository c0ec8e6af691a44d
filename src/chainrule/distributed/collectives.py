"""Collectives of a group of one: everybody's value is this process's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import chainrule as torch

from ..autograd import source
from .group import ReduceOp, Work, current, required_rank


def _done(async_op: bool) -> Work | None:
    return Work() if async_op else None


def _copy(into: Any, value: Any) -> None:
    with torch.no_grad():
        into.copy_(value)


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait for all processes: there is nobody to wait for."""
    current(group)
    return _done(async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait for all processes: there is nobody to wait for."""
    current(group)


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine the tensors of all processes in place: of one, it stays as it is."""
    current(group)
    return _done(async_op)


def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Combine the tensors of all processes at one of them."""
    current(group)
    required_rank(dst or group_dst or 0)
    return _done(async_op)


def broadcast(
    tensor: Any, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give every process the tensor of one."""
    current(group)
    required_rank(src or group_src or 0)
    return _done(async_op)


def all_gather(
    tensor_list: Sequence[Any], tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into a list."""
    current(group)
    _one(tensor_list, "tensor_list")
    _copy(tensor_list[0], tensor)
    return _done(async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into one."""
    current(group)
    _copy(output_tensor, input_tensor.reshape(output_tensor.shape))
    return _done(async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None,  # noqa: A002
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Combine tensors and give each process its part."""
    return all_gather_into_tensor(output, input, group, async_op)


def reduce_scatter(
    output: Any, input_list: Sequence[Any], op: Any = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Combine lists of tensors and give each process its part."""
    current(group)
    _one(input_list, "input_list")
    _copy(output, input_list[0])
    return _done(async_op)


def gather(
    tensor: Any, gather_list: Sequence[Any] | None = None, dst: int | None = None,
    group: Any = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Write the tensors of all processes into a list at one of them."""
    required_rank(dst or group_dst or 0)
    return all_gather(gather_list or [], tensor, group, async_op)


def scatter(
    tensor: Any, scatter_list: Sequence[Any] | None = None, src: int | None = None,
    group: Any = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give each process one tensor of a list."""
    required_rank(src or group_src or 0)
    return reduce_scatter(tensor, scatter_list or [], group=group, async_op=async_op)


def all_to_all(
    output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Each process gives each process a tensor."""
    current(group)
    _one(output_tensor_list, "output_tensor_list")
    _one(input_tensor_list, "input_tensor_list")
    _copy(output_tensor_list[0], input_tensor_list[0])
    return _done(async_op)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None,  # noqa: A002
    group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Each process gives each process a part of its tensor."""
    return all_gather_into_tensor(output, input, group, async_op)


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Write the objects of all processes into a list."""
    current(group)
    _one(object_list, "object_list")
    object_list[0] = obj


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None,
    group: Any = None,
) -> None:  # fmt: skip
    """Write the objects of all processes into a list at one of them."""
    required_rank(dst or 0)
    all_gather_object(object_gather_list or [], obj, group)


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None
) -> None:
    """Give every process the objects of one."""
    current(group)
    required_rank(src or 0)


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: Any = None,
) -> None:  # fmt: skip
    """Give each process one object of a list."""
    current(group)
    required_rank(src or 0)
    scatter_object_output_list[0] = (scatter_object_input_list or [None])[0]


def _one(values: Sequence[Any], name: str) -> None:
    if len(values) != 1:
        raise ValueError(
            f"{name} must have one element per process, that is 1, but has {len(values)}"
            f"\n  at {source.here(3)}"
        )


def _nobody(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: there is no other process."""
    current(None)
    raise ValueError(
        "Invalid destination rank: destination rank should not be the same as the rank of the "
        f"current process; the group has one process\n  at {source.here(2)}"
    )


send = recv = isend = irecv = _nobody
