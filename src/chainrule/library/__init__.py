"""Operators of one's own: `torch.library`.

>>> import chainrule as torch
>>> @torch.library.custom_op("demo::twice", mutates_args=())
... def twice(x: torch.Tensor) -> torch.Tensor:
...     return x * 2
>>> twice.register_autograd(lambda ctx, grad: grad * 2)
>>> x = torch.tensor(3.0, requires_grad=True)
>>> torch.ops.demo.twice(x).backward()
>>> x.grad
tensor(2.)
"""

from __future__ import annotations

from .checks import opcheck
from .custom import CustomOpDef, custom_op, triton_op, wrap_triton
from .registering import (
    Library,
    define,
    fallthrough_kernel,
    get_ctx,
    get_kernel,
    impl,
    impl_abstract,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
)
from .registering import _scoped_library as _scoped_library
from .schema import infer_schema

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "get_kernel",
    "impl", "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op",
    "wrap_triton",
]  # fmt: skip
