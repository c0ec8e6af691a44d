"""PyTorch's names of ops: `torch.ops.aten.mm.default`, and which of them an op of the table is.

Policies of selective checkpointing choose by these names. What PyTorch does in one op and the table
in two (`max` over an axis) carries the name at the op that gives the values. What a call does is
known to `chainrule.library`, a layer above.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

NAMESPACES = ("aten", "prim", "prims", "_c10d_functional", "c10d_functional", "c10d")


LIBRARY: list[Any] = []  # how the layer above makes PyTorch's operators callable


def _library() -> Any:
    """The layer that makes operators callable."""
    return LIBRARY[0]()


class OpOverload:
    """One signature of an op of PyTorch, such as `torch.ops.aten.add.Tensor`."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket = packet
        self.namespace = packet.namespace
        self._overloadname = overload
        self.__name__ = f"{packet.__name__}.{overload}"

    @property
    def _overloadpacket(self) -> OpOverloadPacket:
        return self.overloadpacket

    @property
    def _opname(self) -> str:
        return self.overloadpacket.__name__

    @property
    def _name(self) -> str:
        return self.name()

    @property
    def _op(self) -> OpOverload:
        return self

    op = _op
    _defined_in_python = False

    @property
    def is_view(self) -> bool:
        """Whether the result shares the memory of an argument that it leaves as it is."""
        marks = [argument.alias_info for argument in self._schema.arguments]
        return any(mark is not None and not mark.is_write for mark in marks)

    def has_kernel_for_dispatch_key(self, k: Any) -> bool:
        """Whether there is code for a key: for the CPU, and for what stands above it."""
        return not any(word in str(k) for word in ("CUDA", "XPU", "MPS", "Private", "Python"))

    def name(self) -> str:
        """As in a schema: `aten::add.Tensor`."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.namespace}::{self.overloadpacket.__name__}{suffix}"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _library().call_overload(self, args, kwargs)

    @property
    def _schema(self) -> Any:
        return _library().schema_of(self)

    @property
    def tags(self) -> list[Any]:
        """What it was registered with."""
        return _library().tags_of(self)

    def overloads(self) -> list[str]:
        """Its own name."""
        return [self._overloadname]

    def __deepcopy__(self, memo: Any = None) -> OpOverload:
        return self  # tables of libraries find ops by identity

    def __reduce__(self) -> Any:
        return getattr, (self.overloadpacket, self._overloadname)


class OpOverloadPacket:
    """All signatures of an op of PyTorch, such as `torch.ops.aten.add`."""

    def __init__(self, namespace: str, name: str) -> None:
        self.namespace = namespace
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _library().call_packet(self, args, kwargs)

    def overloads(self) -> list[str]:
        """The names of its signatures."""
        return _library().overload_names(self)

    @property
    def _qualified_op_name(self) -> str:
        return f"{self.namespace}::{self.__name__}"

    @property
    def _overload_names(self) -> list[str]:
        return self.overloads()

    @property
    def _schemas(self) -> dict[str, Any]:
        return {name: getattr(self, name)._schema for name in self.overloads()}

    @property
    def _op(self) -> OpOverloadPacket:
        return self

    op = _op

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("_"):  # no signature has such a name
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        if self.__dict__["namespace"] not in NAMESPACES and overload not in self.overloads():
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{overload}'")
        made = OpOverload(self, overload)
        setattr(self, overload, made)  # one object per name: they are compared by identity
        return made

    def __deepcopy__(self, memo: Any = None) -> OpOverloadPacket:
        return self

    def __reduce__(self) -> Any:
        return getattr, (namespace(self.namespace), self.__name__)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class OpNamespace:
    """The ops of a library by name, such as `torch.ops.aten`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name.startswith("__"):
            raise AttributeError(name)
        own = self.__dict__["name"]
        made = OpOverloadPacket(own, name)
        if own not in NAMESPACES and not made.overloads():
            raise AttributeError(f"'_OpNamespace' '{own}' object has no attribute '{name}'")
        setattr(self, name, made)
        return made

    def __reduce__(self) -> Any:
        return namespace, (self.__dict__["name"],)

    def __repr__(self) -> str:
        return f"<OpNamespace '{self.name}'>"


@functools.cache
def namespace(name: str) -> OpNamespace:
    """`torch.ops.<name>`."""
    return OpNamespace(name)


# ---- what an op of the table is called -----------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex)


def _product(args: Any, params: Any) -> str:
    return "mm.default" if args[1].ndim == 2 else "bmm.default"


def _power(args: Any, params: Any) -> str:
    if _is_number(args[0]):
        return "pow.Scalar"
    return "pow.Tensor_Scalar" if _is_number(args[1]) else "pow.Tensor_Tensor"


def _compared(name: str) -> Callable[..., str]:
    def overload(args: Any, params: Any) -> str:
        return f"{name}.{'Scalar' if _is_number(args[1]) else 'Tensor'}"

    return overload


def _reduced(whole: str, axes: str) -> Callable[..., str]:
    def name(args: Any, params: Any) -> str:
        everything = len(params["axis"]) == args[0].ndim and not params["keepdims"]
        return whole if everything else axes

    return name


_BY_ARGUMENTS: dict[str, Callable[..., str]] = {
    "matmul": _product,
    "pow": _power,
    "reduce_sum": _reduced("sum.default", "sum.dim_IntList"),
    "reduce_mean": _reduced("mean.default", "mean.dim"),
    **{name: _compared(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}
_BY_NAME = {
    "linear2d": "addmm.default",
    "linear2d_no_bias": "mm.default",
    "convolution_no_bias": "convolution.default",
    "attention": "_scaled_dot_product_flash_attention_for_cpu.default",
    "softmax": "_softmax.default",
    "log_softmax": "_log_softmax.default",
    "layer_norm": "native_layer_norm.default",
    "group_norm": "native_group_norm.default",
    "batch_norm": "native_batch_norm.default",
    "cross_entropy": "nll_loss_forward.default",
    "cross_entropy2d": "nll_loss2d_forward.default",
    "nll_loss": "nll_loss_forward.default",
    "nll_loss2d": "nll_loss2d_forward.default",
    "max_pool2d": "max_pool2d_with_indices.default",
    "max_pool3d": "max_pool3d_with_indices.default",
    "reduce_max": "amax.default",
    "reduce_min": "amin.default",
    "reduce_var": "var.correction",
    "reduce_std": "std.correction",
    "var_mean": "var_mean.correction",
    "std_mean": "std_mean.correction",
    "reduce_norm": "linalg_vector_norm.default",
    "reduce_prod": "prod.default",
    "reduce_any": "any.dims",
    "reduce_all": "all.dims",
    "max_of_all": "max.default",
    "min_of_all": "min.default",
    "max_at": "max.dim",
    "min_at": "min.dim",
    "sort_at": "sort.default",
    "topk_at": "topk.default",
    "index_axis": "index.Tensor",
    "index_get": "index.Tensor",
    "masked_get": "index.Tensor",
    "masked_fill": "masked_fill.Tensor",
    "masked_fill_number": "masked_fill.Scalar",
    "where": "where.self",
    "square": "pow.Tensor_Scalar",
    "lerp": "lerp.Scalar",
    "div_floor": "div.Tensor_mode",
    "div_trunc": "div.Tensor_mode",
    "cast": "_to_copy.default",
    "clone_contiguous": "clone.default",
    "clone_ordered": "clone.default",
    "constant_pad": "constant_pad_nd.default",
    "draw_uniform": "rand.default",
    "draw_normal": "randn.default",
    "draw_integers": "randint.low",
    "draw_permutation": "randperm.default",
    "draw_mask": "bernoulli_.float",
    "fill_uniform": "rand_like.default",
    "fill_normal": "randn_like.default",
    "bernoulli_draw": "bernoulli.default",
    "multinomial_draw": "multinomial.default",
    "swap_axes": "transpose.int",
    "transpose": "permute.default",
    "select_view": "select.int",
    "slice_view": "slice.Tensor",
    "broadcast_to": "expand.default",
    "squeeze_axis": "squeeze.dim",
    "squeeze_axes": "squeeze.dims",
    "squeeze_all": "squeeze.default",
    "unsafe_view": "_unsafe_view.default",
    "split": "split.Tensor",
    "unbind": "unbind.int",
    **{name: f"{name}.Tensor" for name in (
        "add", "sub", "mul", "div", "remainder", "fmod", "bitwise_and", "bitwise_or", "bitwise_xor",
    )},
}  # fmt: skip


def overload_of(op: str, args: Any, params: Any) -> OpOverload:
    """PyTorch's name for an op of the table with these arguments.

    >>> overload_of("mul", (1, 2), {})
    <OpOverload(op='aten.mul', overload='Tensor')>
    """
    by_arguments = _BY_ARGUMENTS.get(op)
    if by_arguments is not None:
        name = by_arguments(args, params)
    else:
        name = _BY_NAME.get(op, f"{op}.default")
    packet, _, overload = name.partition(".")
    return getattr(getattr(namespace("aten"), packet), overload)
