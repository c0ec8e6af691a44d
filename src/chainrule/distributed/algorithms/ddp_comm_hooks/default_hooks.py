"""The plain average, and averages in half the bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ...collectives import all_reduce
from ...group import current


def _average(group: Any, tensor: Any) -> Any:
    """The future of the average of a tensor over a group."""
    found = current(group)
    tensor.div_(found.size())
    work: Any = all_reduce(tensor, group=found, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: Any, bucket: Any) -> Any:
    """The average: what happens without a hook."""
    return _average(process_group, bucket.buffer())


def _compressed(process_group: Any, bucket: Any, dtype: Any) -> Any:
    found = current(process_group)
    buffer = bucket.buffer()
    small = buffer.to(dtype).div_(found.size())
    work: Any = all_reduce(small, group=found, async_op=True)

    def back(future: Any) -> Any:
        buffer.copy_(future.value()[0])
        return buffer

    return work.get_future().then(back)


def fp16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """The average of gradients rounded to float16; the sum itself is made in float32."""
    return _compressed(process_group, bucket, torch.float16)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """The average of gradients rounded to bfloat16; the sum itself is made in float32."""
    return _compressed(process_group, bucket, torch.bfloat16)


def _wrapper(hook: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    def compressing(state: Any, bucket: Any) -> Any:
        buffer = bucket.buffer()
        rounded = buffer.to(dtype).to(buffer.dtype)
        bucket.set_buffer(rounded)
        return hook(state, bucket).then(lambda future: _tensor(future.value()).to(buffer.dtype))

    return compressing


def _tensor(value: Any) -> Any:
    return value[0] if isinstance(value, list | tuple) else value


def fp16_compress_wrapper(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Another hook on gradients rounded to float16."""
    return _wrapper(hook, torch.float16)


def bf16_compress_wrapper(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Another hook on gradients rounded to bfloat16."""
    return _wrapper(hook, torch.bfloat16)


__all__ = [
    "allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook",
    "fp16_compress_wrapper",
]  # fmt: skip
