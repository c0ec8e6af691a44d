"""Operators of PyTorch's core with arguments of their own: shapes, places, creation, attention.

The backward kernels are in `aten_backward`, which loads this.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..autograd.dispatch import P

KERNELS: dict[str, Callable[..., Any]] = {}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare what computes an operator."""
    KERNELS[function.__name__] = function
    return function


def _package() -> Any:
    return import_module("chainrule")


def _functional() -> Any:
    return import_module("chainrule.nn.functional")


# ---- shapes --------------------------------------------------------------------------------------


@kernel
def select_backward(grad_output: Any, input_sizes: Any, dim: int, index: int) -> Any:
    made = grad_output.new_zeros(tuple(input_sizes))
    made.select(dim, index).copy_(grad_output)
    return made


@kernel
def slice_backward(
    grad_output: Any, input_sizes: Any, dim: int, start: int, end: int, step: int
) -> Any:
    made = grad_output.new_zeros(tuple(input_sizes))
    place = [slice(None)] * made.ndim
    place[dim] = slice(start, None if end >= 2**62 else end, step)
    made[tuple(place)] = grad_output
    return made


@kernel
def elu(self: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return P.elu(self, alpha=alpha, scale=scale, rate=input_scale)


@kernel
def block_diag(tensors: Any) -> Any:
    return _package().block_diag(*tensors)


@kernel
def index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    return index_put_(self.clone(), indices, values, accumulate)


@kernel
def index_put_(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    place = tuple(slice(None) if i is None else i for i in indices)
    if accumulate:
        places = tuple(i for i in indices if i is not None)
        if len(places) == len(indices):
            places = tuple(i.reshape(1) if i.ndim == 0 else i for i in places)
            wide = values.reshape(1) if values.ndim == 0 else values
            return self.index_put_(places, wide, accumulate=True)
        self[place] = _added(self, place, values)
        return self
    self[place] = values
    return self


def _added(self: Any, place: Any, values: Any) -> Any:
    """Where an index names an element twice, both values are added."""
    dims = tuple(d for d, i in enumerate(place) if not isinstance(i, slice))
    tensors = [place[d] for d in dims]
    return P.index_put(self, values, *tensors, dims=dims, accumulate=True)[place]


@kernel
def _scaled_dot_product_flash_attention_for_cpu(
    query: Any, key: Any, value: Any, dropout_p: float = 0.0, is_causal: bool = False, *,
    attn_mask: Any = None, scale: Any = None,
) -> Any:  # fmt: skip
    out = _functional().scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale
    )
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(_package().ones_like(scores).triu(1).bool(), -float("inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    return out, scores.logsumexp(-1)


@kernel
def im2col(self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return _functional().unfold(self, kernel_size, dilation, padding, stride)


@kernel
def col2im(
    self: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    return _functional().fold(self, output_size, kernel_size, dilation, padding, stride)


@kernel
def _local_scalar_dense(self: Any) -> Any:
    return self.item()


@kernel
def _conj_physical(self: Any) -> Any:
    return _package().conj(self)


KERNELS["lift_fresh"] = lambda self: self
KERNELS["lift"] = lambda self: self


@kernel
def scalar_tensor(s: Any, **options: Any) -> Any:
    known = {k: v for k, v in options.items() if k in ("dtype", "device") and v is not None}
    return _package().scalar_tensor(s, **known)


def _creation(name: str) -> Callable[..., Any]:
    def function(*args: Any, layout: Any = None, pin_memory: Any = None, **options: Any) -> Any:
        known = {k: v for k, v in options.items() if v is not None}
        return getattr(_package(), name)(*args, **known)

    return function


for _name in ("zeros", "ones", "empty", "full", "eye", "rand", "randn", "randint", "randperm",
              "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like",
              "empty_strided", "arange", "linspace", "logspace"):  # fmt: skip
    KERNELS[_name] = _creation(_name)


def _new(name: str) -> Callable[..., Any]:
    def function(self: Any, *args: Any, layout: Any = None, pin_memory: Any = None,
                 **options: Any) -> Any:  # fmt: skip
        known = {k: v for k, v in options.items() if v is not None}
        return getattr(_tensor(), name)(self, *args, **known)

    return function


def _tensor() -> Any:
    return _package().Tensor


for _name in ("new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided"):
    KERNELS[_name] = _new(_name)


@kernel
def convolution(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    nd = len(weight.shape) - 2
    functional = _functional()
    if transposed:
        return getattr(functional, f"conv_transpose{nd}d")(
            x, weight, bias, list(stride), list(padding), list(output_padding), groups,
            list(dilation),
        )  # fmt: skip
    return getattr(functional, f"conv{nd}d")(
        x, weight, bias, list(stride), list(padding), list(dilation), groups
    )


@kernel
def detach(self: Any) -> Any:
    return self.detach()
