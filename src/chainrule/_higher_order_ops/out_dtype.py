"""`torch._higher_order_ops.out_dtype`: an operator computed in a wider type than its arguments'."""

from __future__ import annotations

from typing import Any

from ..autograd import refusal
from ..tensor import Tensor


def out_dtype(op: Any, output_dtype: Any, *args: Any) -> Any:
    """`op(*args)` in `output_dtype`, to which tensors among the arguments are converted.

    >>> import chainrule as torch
    >>> x = torch.full((1, 2), 100, dtype=torch.int8)
    >>> out_dtype(torch.ops.aten.mm.default, torch.int32, x, x.T)
    tensor([[20000]], dtype=torch.int32)
    """
    if not callable(op):
        raise refusal.wrong_type(f"out_dtype's first argument must be an operator, got {op!r}")
    return op(*(a.to(output_dtype) if isinstance(a, Tensor) else a for a in args))


__all__ = ["out_dtype"]
