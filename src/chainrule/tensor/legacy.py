"""PyTorch's old type names: `torch.FloatTensor(...)`, `x.type() == "torch.FloatTensor"`."""

from __future__ import annotations

from typing import Any

from ..autograd import refusal
from ..autograd.value import TensorBase, make
from ..ops import dtypes

WORDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
    **{d.name: d.name.capitalize() for d in dtypes.STORED if d is not dtypes.complex32},
    "complex32": "ComplexHalf",
}  # fmt: skip
TYPE_NAMES = {name: f"{word}Tensor" for name, word in WORDS.items()}
_BY_TYPE_NAME = {f"torch.{type_name}": name for name, type_name in TYPE_NAMES.items()}


class LegacyType(type):
    """The class of FloatTensor and its kin: `isinstance` asks for the element type."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TensorBase) and instance.dtype is cls.dtype  # type: ignore[attr-defined]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return constructed(args, cls.dtype, kwargs)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def constructed(args: tuple[Any, ...], dtype: dtypes.dtype, kwargs: dict[str, Any]) -> Any:
    """`T(2, 3)` is uninitialised memory of that shape, `T(data)` holds the data."""
    from .creation import empty, tensor

    where = kwargs.pop("device", None)
    if not args and "size" in kwargs:
        return empty(kwargs.pop("size"), dtype=dtype, device=where)
    if not args and "data" in kwargs:
        args = (kwargs.pop("data"),)
    if kwargs:
        raise TypeError(f"unexpected keyword argument {next(iter(kwargs))!r}: pass data or sizes")
    if not args:
        return empty(0, dtype=dtype, device=where)
    first = args[0]
    if all(isinstance(a, int) and not isinstance(a, bool) for a in args):
        return empty(*args, dtype=dtype, device=where)
    if len(args) == 1 and first.__class__.__name__ == "Size":
        return empty(first, dtype=dtype, device=where)
    if len(args) == 1 and isinstance(first, TensorBase):
        if first.dtype is not dtype:  # type: ignore[attr-defined]
            raise refusal.wrong_type(
                f"expected {dtype!r} (got {first.dtype!r})",
                fix=f"convert the tensor with .to({dtype!r}).",
            )
        made = make(first._a)
        made._v = first._v
        return made
    if len(args) == 1 and (hasattr(first, "__len__") or hasattr(first, "__array__")):
        return tensor(first, dtype=dtype, device=where)
    raise refusal.wrong_type(
        f"new(): data must be a sequence (got {type(first).__name__}): old constructors take "
        "sizes or data",
        fix="torch.tensor(value) makes a 0-dim tensor.",
    )


def _legacy_class(dtype: dtypes.dtype) -> Any:
    name = TYPE_NAMES[dtype.name]
    doc = (
        f"Old name for making a {dtype.name} tensor; torch.tensor says more clearly what is meant."
    )
    return LegacyType(name, (), {"dtype": dtype, "__doc__": doc, "__module__": "torch"})


LEGACY_TYPES: dict[str, Any] = {
    TYPE_NAMES[d.name]: _legacy_class(d) for d in dtypes.ALL if not d.name.startswith("uint")
}
LEGACY_TYPES["ByteTensor"] = _legacy_class(dtypes.uint8)


def dtype_of_type_name(kind: Any) -> dtypes.dtype:
    """The dtype that a dtype, a legacy class or a string such as "torch.FloatTensor" means."""
    if isinstance(kind, dtypes.dtype):
        return kind
    if isinstance(kind, LegacyType):
        return kind.dtype
    if isinstance(kind, str) and kind in _BY_TYPE_NAME:
        return dtypes.BY_NAME[_BY_TYPE_NAME[kind]]
    if kind == "torch.Tensor" or (isinstance(kind, type) and issubclass(kind, TensorBase)):
        return dtypes.get_default_dtype()
    if isinstance(kind, str):
        raise ValueError(f"invalid type: {kind!r}; known are {', '.join(_BY_TYPE_NAME)}")
    if isinstance(kind, type):
        raise ValueError(f"invalid type: '{kind.__name__}'; known are {', '.join(_BY_TYPE_NAME)}")
    raise RuntimeError(f"dtype must be a type, str, or dtype object, not {type(kind).__name__}")


def set_default_tensor_type(t: Any) -> None:
    """Set the default float type by its old name; set_default_dtype says it more clearly."""
    dtypes.set_default_dtype(dtype_of_type_name(t))
