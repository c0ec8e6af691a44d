"""The Python array API standard, version 2024.12, on tensors.

`x.__array_namespace__()` is this module: libraries written for the standard (SciPy, scikit-learn)
take their functions from it. Arrays are ordinary tensors, so what is computed with them can be
differentiated, compiled and transformed as ever.

Functions promote types as the standard says. The operators of tensors keep PyTorch's rules, which
differ for 0-dim tensors and for signed with unsigned integers (docs/interop.md).
"""

from __future__ import annotations

from types import FunctionType

from chainrule import e, inf, nan, newaxis, pi

from ..autograd.accidents import explained
from . import _elementwise, fft, linalg
from ._creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._elementwise import clip, conj, floor_divide, sign
from ._info import __array_namespace_info__
from ._linear import matmul, matrix_transpose, tensordot, vecdot
from ._manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    take,
    take_along_axis,
    tile,
    unstack,
)
from ._searching import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from ._statistics import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from ._types import (
    astype,
    bool,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)

__array_api_version__ = "2024.12"

_TABLES = (_elementwise._UNARY, _elementwise._ROUNDING, _elementwise._BINARY)
_ELEMENTWISE = [name for table in _TABLES for name in table]
globals().update({name: getattr(_elementwise, name) for name in _ELEMENTWISE})

__all__ = [
    "__array_api_version__", "__array_namespace_info__", "fft", "linalg",
    "e", "inf", "nan", "newaxis", "pi",
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
    "astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type",
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
    *_ELEMENTWISE, "clip", "conj", "floor_divide", "sign",
    "matmul", "matrix_transpose", "tensordot", "vecdot",
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip",
    "moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "take",
    "take_along_axis", "tile", "unstack",
    "argmax", "argmin", "argsort", "count_nonzero", "isin", "nonzero", "searchsorted", "sort",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "where",
    "all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std",
    "sum", "var",
]  # fmt: skip

globals().update({n: explained(f) for n in __all__ if isinstance(f := globals()[n], FunctionType)})
