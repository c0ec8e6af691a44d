"""Data types: the objects users name (`chainrule.float32`) and PyTorch's promotion rules.

A `dtype` is a thin, unique object over a NumPy dtype. bfloat16 lives in `ml_dtypes`, which is
imported only when somebody uses it. Promotion is decided here, before NumPy sees a value, because
PyTorch's rules differ from NumPy's: a 0-dim tensor or a Python number only decides the result
when its *category* (bool < int < float < complex) is higher than that of the dimensioned tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BOOL, INT, FLOAT, COMPLEX = 0, 1, 2, 3


class dtype:
    """The type of a tensor's elements; compare with `is` or `==`."""

    __slots__ = ("_np", "alias", "category", "itemsize", "name")

    def __init__(self, name: str, category: int, itemsize: int, alias: str | None = None) -> None:
        self.name = name
        self.category = category
        self.itemsize = itemsize
        self.alias = alias
        self._np: Any = np.dtype(name) if hasattr(np, name) else None

    @property
    def np(self) -> Any:
        """The NumPy dtype behind this type."""
        if self._np is None:
            self._np = _load_foreign(self)
        return self._np

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        unsigned = self.name.startswith("uint") or self.name == "float8_e8m0fnu"
        return self.category >= INT and not unsigned

    def to_real(self) -> dtype:
        """The type of a complex type's parts (itself when real)."""
        return _TO_REAL.get(self.name, self)

    def to_complex(self) -> dtype:
        """The complex type whose parts have this type."""
        return _TO_COMPLEX.get(self.name, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _by_name, (self.name,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: object) -> dtype:
        return self


def _by_name(name: str) -> dtype:
    return BY_NAME[name]


def _load_foreign(kind: dtype) -> Any:
    import ml_dtypes

    if kind in NAMED:
        raise TypeError(
            f"no tensor of type {kind!r} can be made: nothing here stores its elements. Fix: "
            "another type, which is wider."
        )
    np_dtype = np.dtype(getattr(ml_dtypes, kind.name))
    BY_NUMPY[np_dtype] = kind
    return np_dtype


bool_ = dtype("bool", BOOL, 1, "bool")
uint8 = dtype("uint8", INT, 1)
int8 = dtype("int8", INT, 1)
int16 = dtype("int16", INT, 2)
int32 = dtype("int32", INT, 4)
int64 = dtype("int64", INT, 8)
uint16 = dtype("uint16", INT, 2)
uint32 = dtype("uint32", INT, 4)
uint64 = dtype("uint64", INT, 8)
float16 = dtype("float16", FLOAT, 2)
bfloat16 = dtype("bfloat16", FLOAT, 2)
float32 = dtype("float32", FLOAT, 4)
float64 = dtype("float64", FLOAT, 8)
complex64 = dtype("complex64", COMPLEX, 8)
complex128 = dtype("complex128", COMPLEX, 16)

ALL = (
    bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
complex32 = dtype("complex32", COMPLEX, 4)
_FLOAT8 = (
    dtype("float8_e4m3fn", FLOAT, 1), dtype("float8_e5m2", FLOAT, 1),
    dtype("float8_e4m3fnuz", FLOAT, 1), dtype("float8_e5m2fnuz", FLOAT, 1),
    dtype("float8_e8m0fnu", FLOAT, 1),
)  # fmt: skip
# Types to store numbers in. Nothing is computed in float8; complex32 is computed as complex64.
STORED = (*_FLOAT8, complex32)
# Types that programs name in their tables; no tensor has one.
NAMED = (
    *(dtype(f"{sign}int{bits}", INT, 1) for sign in ("", "u") for bits in range(1, 8)),
    *(dtype(name, INT, 1) for name in ("bits8", "bits1x8", "bits2x4", "bits4x2")),
    dtype("bits16", INT, 2),
    dtype("float4_e2m1fn_x2", FLOAT, 1),
)
BY_NAME = {d.name: d for d in (*ALL, *STORED, *NAMED)}
BY_NUMPY: dict[Any, dtype] = {d._np: d for d in ALL if d._np is not None}  # pyright: ignore[reportPrivateUsage]
ALIASES = {
    "half": float16, "float": float32, "double": float64, "cfloat": complex64,
    "cdouble": complex128, "chalf": complex32, "bit": NAMED[7], "short": int16,
    "int": int32, "long": int64,
}  # fmt: skip

_TO_REAL = {"complex32": float16, "complex64": float32, "complex128": float64}
_TO_COMPLEX = {
    "float16": complex64, "bfloat16": complex64, "float32": complex64, "float64": complex128,
}  # fmt: skip

# NumPy's singletons: the fast path of an op compares with `is`.
F32, F64 = np.dtype("float32"), np.dtype("float64")


class _Default:
    """The process-wide default float type (`set_default_dtype`)."""

    float = float32


def get_default_dtype() -> dtype:
    """The type that Python floats become: float32 unless changed."""
    return _Default.float


def set_default_dtype(d: dtype) -> None:
    """Set the floating type that Python floats and int/int division produce."""
    if not isinstance(d, dtype) or d.category != FLOAT:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            "only floating-point types are supported as the default type, got "
            f"{d!r}; pass e.g. chainrule.float64"
        )
    _Default.float = d


def from_numpy_dtype(np_dtype: Any) -> dtype:
    """The dtype object of a NumPy dtype; a TypeError names the type when there is none."""
    found = BY_NUMPY.get(np_dtype)
    if found is None:
        if np_dtype.name in ("bfloat16", "complex32") or np_dtype.name.startswith("float8"):
            if np_dtype.name in BY_NAME:
                return _register_foreign(np_dtype)
        found = BY_NUMPY.get(np.dtype(np_dtype).newbyteorder("="))
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{np_dtype.type.__name__}. The only supported "
            f"types are: {', '.join(d.name for d in ALL)}."
        )
    return found


def canonical(array: np.ndarray) -> np.ndarray:
    """The array with the dtype object of its type that everything else has.

    NumPy makes a new object for every unpickled array, and the fast paths of ops compare dtypes by
    identity: such an array, and all that is computed from it, would take the general path.
    """
    known = BY_NUMPY.get(array.dtype)
    return array if known is None or known.np is array.dtype else array.view(known.np)


def _register_foreign(np_dtype: Any) -> dtype:
    kind = BY_NUMPY[np_dtype] = BY_NAME[np_dtype.name]
    kind._np = np_dtype  # pyright: ignore[reportPrivateUsage]
    return kind


# ---- promotion -------------------------------------------------------------------------------

_INT_ORDER = {"uint8": 0, "int8": 0, "int16": 1, "int32": 2, "int64": 3}


def _promote_ints(a: dtype, b: dtype) -> dtype:
    if a.name not in _INT_ORDER or b.name not in _INT_ORDER:
        return _promote_wide_unsigned(a, b)
    if {a.name, b.name} == {"uint8", "int8"}:
        return int16
    return a if _INT_ORDER[a.name] >= _INT_ORDER[b.name] else b


def _promote_wide_unsigned(a: dtype, b: dtype) -> dtype:
    """PyTorch refuses all of these; here they promote as the array API standard says, which leaves
    out uint64 with signed types: no integer type holds both."""
    unsigned = {"uint8", "uint16", "uint32", "uint64"}
    if a.name in unsigned and b.name in unsigned:
        return a if a.itemsize >= b.itemsize else b
    one, signed = (a, b) if a.name in unsigned else (b, a)
    if one.name != "uint64":
        wider = int32 if one.name == "uint16" else int64
        return wider if wider.itemsize > signed.itemsize else signed
    raise RuntimeError(
        f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{a.name} and {b.name}; convert one of them with .to(...) first"
    )


def _promote_floats(a: dtype, b: dtype) -> dtype:
    if {a.name, b.name} == {"float16", "bfloat16"}:
        return float32
    return a if a.itemsize >= b.itemsize else b


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type that holds both, as PyTorch decides it."""
    if a is b:
        return a
    if a in _FLOAT8 or b in _FLOAT8:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.name} and "
            f"{b.name}; convert one of them with .to(...) first"
        )
    if a in NAMED or b in NAMED:
        raise RuntimeError(
            f"Promotion of {a.name} and {b.name} is not supported: no tensor has one of these types"
        )
    if a.category < b.category:
        a, b = b, a
    if a.category == b.category:
        if a.category == INT:
            return _promote_ints(a, b)
        if a.category == FLOAT:
            return _promote_floats(a, b)
        return a if a.itemsize >= b.itemsize else b
    if a.category == COMPLEX and b.category == FLOAT:
        if b is float16:
            return a
        wider = b.to_complex()
        return wider if wider.itemsize > a.itemsize else a
    return a


def scalar_dtype(value: object) -> dtype:
    """The type a Python number has on its own: bool, int64, default float or its complex."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return _Default.float
    if isinstance(value, complex):
        return _Default.float.to_complex()
    raise TypeError(f"unsupported operand type: {type(value).__name__} is not a number")


def result_type(
    dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None
) -> dtype | None:
    """Combine the three priority groups: the next group counts only with a higher category.

    A number that lifts the category contributes its default type (an int tensor plus 1.5 is the
    default float; a float64 tensor times 1j is complex128).
    """
    result = dimensioned
    for group in (zero_dim, number):
        if group is None:
            continue
        if result is None:
            result = group
        elif group.category > result.category:
            # A float tensor keeps its precision when it becomes complex.
            is_float = result.category == FLOAT
            result = result.to_complex() if is_float else promote_types(result, group)
    return result
