"""Calls of array API functions with random arguments: NumPy, itself such a namespace, answers them.

Every case is (name, arguments, keywords); arrays are NumPy's, "@int8" stands for that namespace's
type. Special values (signed zeros, infinities, NaN, the limits of integers), empty and 0-dim arrays
and all types are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
NUMBERS = INTEGERS + FLOATS + COMPLEX
ALL = ["bool", *NUMBERS]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2, -2, 3, 1e-300, 1.5, 2.5, -1.5]

UNARY = {
    "acos acosh asin asinh atan atanh cos cosh exp log log1p log2 log10 reciprocal sin sinh "
    "sqrt tan tanh": FLOATS + COMPLEX,
    "abs isfinite isinf isnan negative positive round square real": NUMBERS,
    "expm1 signbit": FLOATS, "ceil floor trunc sign": INTEGERS + FLOATS, "imag conj": COMPLEX,
    "bitwise_invert": ["bool", *INTEGERS], "logical_not": ["bool"],
}  # fmt: skip
BINARY = {
    "add subtract multiply equal not_equal": NUMBERS, "divide pow": FLOATS + COMPLEX,
    "greater greater_equal less less_equal maximum minimum remainder": INTEGERS + FLOATS,
    "floor_divide": INTEGERS, "atan2 copysign hypot logaddexp nextafter": FLOATS,
    "bitwise_and bitwise_or bitwise_xor": ["bool", *INTEGERS],
    "bitwise_left_shift bitwise_right_shift": INTEGERS,
    "logical_and logical_or logical_xor": ["bool"],
}  # fmt: skip

Case = tuple[str, list[Any], dict[str, Any]]


class Draw:
    """Random types, shapes and arrays."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def shape(self, most: int = 3, empty: bool = True) -> tuple[int, ...]:
        low = 0 if empty and self.chance(0.2) else 1
        return tuple(self.rng.integers(low, 4, self.rng.integers(0, most + 1)).tolist())

    def two_shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shapes that broadcast."""
        one = self.shape()
        other = tuple(1 if self.chance(0.3) else n for n in one)[self.one([0, 1]) if one else 0 :]
        return (one, other) if self.chance(0.5) else (other, one)

    def axis(self, ndim: int, several: bool = True, none: bool = True) -> Any:
        if ndim == 0 or (none and self.chance(0.3)):
            return None
        if several and self.chance(0.4):
            return tuple(self.rng.permutation(ndim)[: self.rng.integers(0, ndim + 1)].tolist())
        return int(self.rng.integers(-ndim, ndim))

    def values(self, shape: tuple[int, ...], dtype: str, special: bool = True) -> np.ndarray:
        kind, count = np.dtype(dtype), int(np.prod(shape))
        if kind.kind == "b":
            flat = self.rng.integers(0, 2, count).astype(bool)
        elif kind.kind in "iu":
            limits = np.iinfo(kind)
            flat = self.rng.integers(0 if kind.kind == "u" else -9, 10, count).astype(kind)
            if special and self.chance(0.4):
                flat = self.rng.choice(np.array([0, 1, 3, limits.max, limits.min], kind), count)
        else:
            parts = [self.floats(count, special) for _ in range(1 + (kind.kind == "c"))]
            flat = np.zeros(count, kind)
            flat.real = parts[0]
            if kind.kind == "c":
                flat.imag = parts[1]
        return flat.reshape(shape)

    def floats(self, count: int, special: bool) -> np.ndarray:
        if special and self.chance(0.6):
            return self.rng.choice(SPECIAL, count)
        return self.rng.normal(size=count) * 3

    def partner(self, dtype: str, among: list[str]) -> str:
        """A type that the standard promotes together with another."""
        kind = np.dtype(dtype)
        groups = {"b": "b", "i": "iu", "u": "iu", "f": "fc", "c": "fc"}
        fitting = [d for d in among if np.dtype(d).kind in groups[kind.kind]]
        other = self.one(fitting)
        if "uint64" in (dtype, other) and {np.dtype(other).kind, kind.kind} == {"i", "u"}:
            return dtype
        return other


def elementwise(d: Draw) -> Iterator[Case]:
    for names, dtypes in UNARY.items():
        for name in names.split():
            yield name, [d.values(d.shape(), d.one(dtypes))], {}
    for names, dtypes in BINARY.items():
        for name in names.split():
            one, other = d.two_shapes()
            dtype = d.one(dtypes)
            x, y = d.values(one, dtype), d.values(other, d.partner(dtype, dtypes))
            if "shift" in name:
                y = np.asarray(np.abs(y.astype("int64")) % 4).astype(y.dtype)
            elif name in ("remainder", "floor_divide") and y.dtype.kind in "iu":
                y = np.where(y == 0, y.dtype.type(1), y)
            if d.chance(0.2) and np.dtype(dtype).kind in "iufc":
                yield name, [x, {"i": 3, "u": 2, "f": 2.5, "c": 1j}[np.dtype(dtype).kind]], {}
            else:
                yield name, [x, np.asarray(y)], {}


def reductions(d: Draw) -> Iterator[Case]:
    for name in "sum prod mean std var max min all any count_nonzero argmax argmin".split():
        dtypes = {"mean": FLOATS + COMPLEX, "std": FLOATS, "var": FLOATS, "sum": NUMBERS,
                  "prod": NUMBERS, "all": ALL, "any": ALL, "count_nonzero": ALL}  # fmt: skip
        special = name in ("max", "min", "all", "any", "count_nonzero")
        shape = d.shape(empty=name not in ("max", "min", "argmax", "argmin", "mean", "std", "var"))
        x = d.values(shape, d.one(dtypes.get(name, INTEGERS + FLOATS)), special)
        options: dict[str, Any] = {"axis": d.axis(x.ndim, several="arg" not in name)}
        if d.chance(0.5):
            options["keepdims"] = True
        if name in ("sum", "prod") and d.chance(0.3):
            options["dtype"] = "@" + ("float64" if x.dtype.kind in "iuf" else "complex128")
        yield name, [x], options
    for name in ("cumulative_sum", "cumulative_prod"):
        x = d.values((*d.shape(2), 3), d.one(NUMBERS), special=False)
        yield name, [x], {"axis": d.axis(x.ndim, False, False), "include_initial": d.chance(0.5)}
    x = d.values((*d.shape(2), 3), d.one(NUMBERS), special=False)
    yield "diff", [x], {"axis": d.axis(x.ndim, False, False), "n": d.one([1, 2, 3])}


def manipulation(d: Draw) -> Iterator[Case]:
    shape, dtype = d.shape(), d.one(ALL)
    x, n = d.values(shape, dtype), len(shape)
    yield "expand_dims", [x, int(d.rng.integers(-n - 1, n + 1))], {}
    yield "squeeze", [x.reshape(*shape, 1), d.one([-1, (-1,), ()])], {}
    yield "flip", [x], {"axis": d.axis(n)}
    yield "permute_dims", [x, tuple(d.rng.permutation(n).tolist())], {}
    yield "reshape", [x, d.one([(-1,), (1, x.size), shape[::-1]]) if x.size else shape[::-1]], {}
    axis = d.axis(n)
    several = tuple(d.rng.integers(-4, 5, len(axis)).tolist()) if isinstance(axis, tuple) else 2
    yield "roll", [x, several], {"axis": axis}
    yield "tile", [x, tuple(d.rng.integers(0, 3, d.rng.integers(0, 5)).tolist())], {}
    yield "repeat", [x, int(d.rng.integers(0, 4))], {"axis": d.axis(n, several=False)}
    y = d.values(shape, dtype)
    yield "stack", [[x, y]], {"axis": int(d.rng.integers(-n - 1, n + 1))}
    yield "concat", [[x, d.values(shape, d.partner(dtype, ALL))]], {"axis": d.axis(n, False)}
    yield "broadcast_to", [x, (2, *shape)], {}
    yield "broadcast_arrays", [x, d.values((2, *shape), dtype)], {}
    yield (
        "meshgrid",
        [d.values((2,), dtype), d.values((3,), dtype)],
        {"indexing": d.one(["xy", "ij"])},
    )
    wide = d.values((*shape, 2, 3), dtype)
    yield "tril", [wide], {"k": int(d.rng.integers(-4, 5))}
    yield "triu", [wide], {"k": int(d.rng.integers(-4, 5))}
    one, other = d.two_shapes()
    yield "where", [d.values(one, "bool"), d.values(one, dtype), d.values(other, dtype)], {}
    yield "clip", [d.values(shape, d.one(INTEGERS + FLOATS)), d.one([1, 2]), d.one([3, 8])], {}
    if n:
        k = d.axis(n, False, False)
        yield "unstack", [x], {"axis": k}
        yield "moveaxis", [x, k, d.axis(n, False, False)], {}
        yield "repeat", [x, d.rng.integers(0, 3, shape[k])], {"axis": k}
        if shape[k]:
            yield "take", [x, d.rng.integers(-shape[k], shape[k], 3)], {"axis": k}
            places = [d.one([1, m]) if j != k % n else 2 for j, m in enumerate(shape)]
            index = d.rng.integers(-shape[k], shape[k], tuple(places))
            yield "take_along_axis", [x, index], {"axis": k}


def searching(d: Draw) -> Iterator[Case]:
    x = d.values((*d.shape(2), 4), d.one(INTEGERS + FLOATS), special=False)
    axis = d.axis(x.ndim, False, False)
    yield "sort", [x], {"axis": axis}
    yield "argsort", [x], {"axis": axis, "stable": True}
    yield "nonzero", [d.values((*d.shape(2), 3), d.one(ALL))], {}
    dtype = d.one(INTEGERS + FLOATS)
    ordered, values = np.sort(d.values((5,), dtype, False)), d.values(d.shape(), dtype, False)
    yield "searchsorted", [ordered, values], {"side": d.one(["left", "right"])}
    order = d.rng.permutation(5)
    yield "searchsorted", [ordered[np.argsort(order)], values], {"sorter": order}
    x = d.values(d.shape(), d.one(ALL), special=False)
    for name in "unique_counts unique_inverse unique_all".split():
        yield name, [x], {}


def linear(d: Draw) -> Iterator[Case]:
    batch, n, m, dtype = d.shape(1), d.one([1, 2, 3]), d.one([1, 2, 4]), d.one(FLOATS + COMPLEX)
    r = d.values((*batch, n, m), dtype, special=False)
    a = (r @ r.swapaxes(-1, -2).conj() + 3 * np.eye(n)).astype(dtype)
    for name in "det inv slogdet eigvalsh cholesky".split():
        yield f"linalg.{name}", [a], {}
    yield "linalg.diagonal", [r], {"offset": int(d.rng.integers(-3, 4))}
    yield "linalg.trace", [d.values((*batch, n, m), d.one(INTEGERS))], {"offset": 0}
    order = d.one(["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
    yield "linalg.matrix_norm", [r], {"ord": order, "keepdims": d.chance(0.5)}
    yield "linalg.matrix_power", [a, int(d.rng.integers(-2, 4))], {}
    for name in "matrix_rank pinv svdvals matrix_transpose".split():
        yield f"linalg.{name}", [r], {}
    right = d.values(d.one([(n,), (*batch, n, m), (n, m)]), dtype, special=False)
    yield "linalg.solve", [a, right], {}
    yield "linalg.outer", [d.values((n,), dtype, False), d.values((m,), dtype, False)], {}
    x = d.values(d.shape(empty=False), dtype, special=False)
    order = d.one([0, 1, 2, 3, -1, np.inf, -np.inf])
    yield "linalg.vector_norm", [x], {"axis": d.axis(x.ndim, none=x.ndim > 0), "ord": order}
    kind = d.one(NUMBERS)
    v = d.values((2, 3), kind, special=False)
    yield "linalg.cross", [v, d.values((2, 3), kind, special=False)], {"axis": -1}
    yield "matmul", [d.values((*batch, 2, n), kind, False), d.values((n, m), kind, False)], {}
    yield "vecdot", [d.values((2, n), kind, False), d.values((n,), kind, False)], {}
    x, y = d.values((2, n, 3), kind, False), d.values((3, n, 2), kind, False)
    yield "tensordot", [x, y], {"axes": d.one([0, 1, ((1, 2), (1, 0)), ((0,), (2,))])}


def fourier(d: Draw) -> Iterator[Case]:
    shape = tuple(d.rng.integers(2, 5, d.rng.integers(1, 4)).tolist())
    axis = d.axis(len(shape), False, False)
    norm = d.one(["backward", "ortho", "forward"])
    for name, dtypes in {"fft": COMPLEX, "ifft": COMPLEX, "rfft": FLOATS, "irfft": COMPLEX,
                         "hfft": COMPLEX, "ihfft": FLOATS}.items():  # fmt: skip
        x = d.values(shape, d.one(dtypes), special=False)
        yield f"fft.{name}", [x], {"n": d.one([None, 1, 3, 5]), "axis": axis, "norm": norm}
    for name, dtypes in {"fftn": COMPLEX, "ifftn": COMPLEX, "rfftn": FLOATS,
                         "irfftn": COMPLEX}.items():  # fmt: skip
        x = d.values(shape, d.one(dtypes), special=False)
        yield f"fft.{name}", [x], {"axes": d.one([None, (axis,)]), "norm": norm}
    x = d.values(shape, d.one(FLOATS))
    yield "fft.fftshift", [x], {"axes": d.one([None, axis])}
    yield "fft.ifftshift", [x], {"axes": d.one([None, axis])}


def creation(d: Draw) -> Iterator[Case]:
    start, stop, step = *d.rng.integers(-9, 9, 2).tolist(), d.one([-3, -1, 1, 2])
    yield "arange", [start, stop, step], {}
    yield "linspace", [start / 2, stop / 3], {"num": d.one([0, 1, 5]), "dtype": "@float64",
                                              "endpoint": d.chance(0.5)}  # fmt: skip
    dtype = "@" + d.one(ALL)
    yield "eye", [d.one([0, 2, 3]), d.one([None, 3])], {"k": d.one([-2, 0, 1, 5]), "dtype": dtype}
    for name in ("zeros", "ones"):
        yield name, [d.shape()], {"dtype": dtype}
    yield "full", [d.shape(), 1], {"dtype": dtype}
    x = d.values(d.shape(), d.one(ALL))
    for name in ("zeros_like", "ones_like"):
        yield name, [x], {}
    yield "asarray", [x.tolist()], {"dtype": f"@{x.dtype}"}
    target = d.one(INTEGERS + FLOATS + COMPLEX)
    yield "astype", [d.values(d.shape(), d.one(["bool", "int8", "int64"])), f"@{target}"], {}


GROUPS = {f.__name__: f for f in (elementwise, reductions, manipulation, searching, linear,
                                  fourier, creation)}  # fmt: skip
