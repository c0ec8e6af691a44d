"""Facts about types: finfo, iinfo, can_cast, promote_types, result_type."""

from __future__ import annotations

from typing import Any

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..ops import dtypes
from .signatures import respelled

# Bits of the significand after the point, and of the exponent.
_FLOATS = {"float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8), "float64": (52, 11)}
# eps, largest, smallest normal
_EIGHT_BITS = {
    "float8_e4m3fn": (2.0**-3, 448.0, 2.0**-6), "float8_e5m2": (2.0**-2, 57344.0, 2.0**-14),
    "float8_e4m3fnuz": (2.0**-3, 240.0, 2.0**-7), "float8_e5m2fnuz": (2.0**-3, 57344.0, 2.0**-15),
    "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127),
}  # fmt: skip
_DIGITS = {"float16": 3, "bfloat16": 2, "float32": 6, "float64": 15}


def _need_dtype(given: Any, name: str) -> None:
    if not isinstance(given, dtypes.dtype):
        kind = given.__class__.__name__
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {kind}")


# Python's types stand for these.
_PYTHONS: dict[Any, Any] = {
    float: dtypes.BY_NAME["float64"], int: dtypes.BY_NAME["int64"], bool: dtypes.BY_NAME["bool"],
    complex: dtypes.BY_NAME["complex128"],
}  # fmt: skip


def _meant(kind: Any) -> Any:
    return _PYTHONS.get(kind, kind) if isinstance(kind, type) else kind


class finfo:
    """Limits of a floating type: bits, eps, max, min, tiny, smallest_normal, resolution."""

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: Any = None) -> None:
        chosen = dtypes.get_default_dtype() if type is None else _meant(type)
        _need_dtype(chosen, "finfo")
        if chosen.category < dtypes.FLOAT:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'torch.finfo' of {chosen!r}"
            )
        real = chosen.to_real()
        if real.name in _EIGHT_BITS:
            self.dtype, self.bits, self.resolution = real.name, 8, 1.0
            self.eps, self.max, self.tiny = _EIGHT_BITS[real.name]
            self.smallest_normal = self.tiny
            self.min = self.tiny if real.name == "float8_e8m0fnu" else -self.max
            return
        fraction, exponent = _FLOATS[real.name]
        largest = 2 ** (exponent - 1)
        self.dtype = real.name
        self.bits = real.itemsize * 8
        self.eps = 2.0**-fraction
        self.max = (2.0 - self.eps) * 2.0 ** (largest - 1)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (2 - largest)
        self.resolution = 10.0 ** -_DIGITS[real.name]

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """Limits of an integer type: bits, max, min."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: Any) -> None:
        type = _meant(type)
        _need_dtype(type, "iinfo")
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo: it is no number")
        if type.category != dtypes.INT or type in dtypes.NAMED:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'torch.iinfo' of {type!r}"
            )
        self.dtype = type.name
        self.bits = type.itemsize * 8
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = 2 ** (self.bits - type.is_signed) - 1

    def __repr__(self) -> str:
        low, high = float(self.min), float(self.max)
        return f"iinfo(min={low:g}, max={high:g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


def can_cast(from_: Any, to: Any) -> bool:
    """Whether PyTorch lets a result of one type be written into another."""
    return from_.category <= to.category


def promote_types(type1: Any, type2: Any) -> dtypes.dtype:
    """The smallest type that holds values of both."""
    for t in (type1, type2):
        if not isinstance(t, dtypes.dtype):
            raise refusal.wrong_type(
                f"promote_types(): arguments must be torch.dtype, not {type(t).__name__}"
            )
    return dtypes.promote_types(type1, type2)


def result_type_of(values: Any) -> dtypes.dtype:
    """The type that an operation on these tensors and numbers has."""
    groups: list[Any] = [None, None, None]
    for v in values:
        if isinstance(v, TensorBase):
            d, k = v.dtype, (0 if v.ndim else 1)  # type: ignore[attr-defined]
        else:
            d, k = dtypes.scalar_dtype(v), 2
        groups[k] = d if groups[k] is None else dtypes.promote_types(groups[k], d)
    found = dtypes.result_type(*groups)
    assert found is not None
    return found


def result_type(*args: Any, **named: Any) -> dtypes.dtype:
    """The type of an operation on two tensors or numbers: result_type(tensor1, tensor2)."""
    given = (*args, *named.values())
    if len(given) != 2 or named.keys() - _OPERANDS:
        raise TypeError(f"result_type() takes two tensors or numbers, got {len(given)} arguments")
    return result_type_of(given)


_OPERANDS = {"tensor", "tensor1", "tensor2", "other", "x2", "scalar", "scalar1", "scalar2"}


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, TensorBase)


def is_storage(obj: object) -> bool:
    """Whether an object is a storage."""
    from .storage import UntypedStorage

    return isinstance(obj, UntypedStorage)


def _asks(name: str, doc: str) -> Any:
    def call(input: Any) -> Any:
        if not isinstance(input, TensorBase):
            raise TypeError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not "
                f"{type(input).__name__}"
            )
        return getattr(input, name)()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return respelled(call)


is_floating_point = _asks("is_floating_point", "Whether a tensor's type is a real floating type.")
is_complex = _asks("is_complex", "Whether a tensor's type is complex.")
is_signed = _asks("is_signed", "Whether a tensor's type has negative values.")
is_conj = _asks("is_conj", "Whether conjugation is still to be done when it is read.")
is_neg = _asks("is_neg", "Whether negation is still to be done when it is read.")
is_inference = _asks("is_inference", "Whether a tensor was made under inference_mode.")
is_nonzero = _asks("is_nonzero", "Whether a tensor of one element is not zero.")
numel = _asks("numel", "The number of elements of a tensor.")


def get_device(input: Any) -> int:
    """The number of a tensor's GPU: -1, it is on the CPU."""
    return input.get_device()


@respelled
def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have one shape."""
    return input.shape == other.shape


def is_vulkan_available() -> bool:
    """Whether Vulkan can be used: never."""
    return False


def typename(obj: Any) -> str:
    """The name of an object's type; a tensor's is its old type name."""
    if isinstance(obj, TensorBase):
        return obj.type()  # type: ignore[attr-defined]
    module = getattr(obj, "__module__", None) or type(obj).__module__
    name = getattr(obj, "__qualname__", None) or type(obj).__qualname__
    return name if module in ("builtins", "__builtin__", None) else f"{module}.{name}"


@respelled
def detach(input: Any) -> Any:
    """The same memory without history."""
    return input.detach()


explain_module(globals())
