"""Which functions here mean what NumPy's mean, with NumPy's parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as torch
import chainrule.nn.functional as F
from chainrule import array_api as xp
from chainrule import special

UFUNCS: dict[str, Any] = {
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "arcsin": torch.asin,
    "arccos": torch.acos, "arctan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh,
    "tanh": torch.tanh, "arcsinh": torch.asinh, "arccosh": torch.acosh, "arctanh": torch.atanh,
    "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log,
    "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), "square": torch.square,
    "absolute": torch.abs, "fabs": torch.abs, "negative": torch.neg, "positive": torch.positive,
    "reciprocal": torch.reciprocal, "conjugate": torch.conj, "deg2rad": torch.deg2rad,
    "rad2deg": torch.rad2deg, "degrees": torch.rad2deg, "radians": torch.deg2rad,
    "add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "divide": torch.div,
    "power": torch.pow, "maximum": lambda a, b: torch.maximum(*_both(a, b)),
    "minimum": lambda a, b: torch.minimum(*_both(a, b)),
    "fmax": lambda a, b: torch.fmax(*_both(a, b)), "fmin": lambda a, b: torch.fmin(*_both(a, b)),
    "arctan2": lambda a, b: torch.atan2(*_both(a, b)), "remainder": torch.remainder,
    "fmod": torch.fmod, "hypot": lambda a, b: torch.hypot(*_both(a, b)),
    "logaddexp": lambda a, b: torch.logaddexp(*_both(a, b)),
    "logaddexp2": lambda a, b: torch.logaddexp2(*_both(a, b)), "matmul": torch.matmul,
    "copysign": torch.copysign, "vecdot": lambda a, b: xp.vecdot(*_both(a, b)),
    "modf": lambda x: (x - torch.trunc(x), torch.trunc(x)),
    # SciPy's
    "expit": torch.sigmoid, "logit": torch.logit, "erf": torch.erf, "erfc": torch.erfc,
    "erfinv": torch.erfinv, "gammaln": torch.lgamma, "psi": torch.digamma, "ndtr": special.ndtr,
    "log_ndtr": special.log_ndtr, "ndtri": special.ndtri, "xlogy": torch.xlogy,
    "xlog1py": special.xlog1py, "entr": special.entr, "i0": special.i0, "i0e": special.i0e,
    "i1": special.i1, "i1e": special.i1e, "log_expit": F.logsigmoid,
}  # fmt: skip

# Their results do not depend on the values of recording tensors in a way that has a gradient.
WITHOUT_VALUES = set(
    "zeros_like ones_like empty_like full_like shape ndim size result_type iscomplexobj isrealobj "
    "argmax argmin argsort nonzero count_nonzero searchsorted allclose isclose array_equal "
    "array_equiv isin may_share_memory shares_memory array2string array_repr array_str "
    "argpartition flatnonzero argwhere digitize unique bincount".split()
)
FUNCTIONS: dict[str, Any] = {}


def _both(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands as tensors; a number takes the type of the other."""
    if not isinstance(a, torch.Tensor):
        return torch.as_tensor(a, dtype=b.dtype), b
    return (a, b) if isinstance(b, torch.Tensor) else (a, torch.as_tensor(b, dtype=a.dtype))


def _is(*names: str) -> Any:
    """Enter a function under NumPy's names."""

    def enter(function: Any) -> Any:
        FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return enter


def _reduction(name: str) -> Any:
    function = getattr(xp, name)

    def reduce(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False,
               ddof: Any = 0, correction: Any = None) -> Any:  # fmt: skip
        options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
        if name in ("std", "var"):
            options["correction"] = ddof if correction is None else correction
        a = torch.as_tensor(a)
        if name == "mean" and not a.is_floating_point() and not a.is_complex():
            a = a.double()
        return function(a if dtype is None else a.to(_dtype(dtype)), **options)

    return reduce


def _dtype(given: Any) -> Any:
    return given if isinstance(given, torch.dtype) else torch.from_numpy(np.empty(0, given)).dtype


for _name in ("sum", "mean", "prod", "max", "min", "std", "var"):
    _is(_name, f"a{_name}")(_reduction(_name))


def _truth(function: Any) -> Any:
    return lambda a, axis=None, *, keepdims=False: function(
        torch.as_tensor(a), axis=axis, keepdims=keepdims
    )


_is("all")(_truth(xp.all))
_is("any")(_truth(xp.any))


@_is("concatenate", "concat")
def _concatenate(arrays: Any, axis: Any = 0) -> Any:
    return xp.concat([torch.as_tensor(a) for a in arrays], axis=axis)


@_is("stack")
def _stack(arrays: Any, axis: int = 0) -> Any:
    return xp.stack([torch.as_tensor(a) for a in arrays], axis=axis)


def _stacked(function: Any) -> Any:
    return lambda tup: function([torch.as_tensor(a) for a in tup])


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    _is(_name)(_stacked(getattr(torch, _name)))
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    _is(_name)(getattr(torch, _name))


@_is("reshape")
def _reshape(a: Any, shape: Any, order: str = "C", *, copy: Any = None) -> Any:
    _need(order == "C", "order other than C")
    return torch.reshape(a, (shape,) if isinstance(shape, int) else tuple(shape))


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise NotImplementedError(what)


@_is("ravel")
def _ravel(a: Any, order: str = "C") -> Any:
    return _reshape(a, (-1,), order)


@_is("transpose", "permute_dims")
def _transpose(a: Any, axes: Any = None) -> Any:
    return torch.permute(a, tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))


@_is("matrix_transpose", "linalg.matrix_transpose")
def _matrix_transpose(x: Any) -> Any:
    return x.mT


@_is("copy")
def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    return a.clone()


_is("swapaxes")(lambda a, axis1, axis2: torch.transpose(a, axis1, axis2))
_is("moveaxis")(lambda a, source, destination: torch.movedim(a, source, destination))
_is("squeeze")(lambda a, axis=None: torch.squeeze(a) if axis is None else xp.squeeze(a, axis))
_is("broadcast_to")(lambda array, shape, subok=False: torch.broadcast_to(array, shape))
_is("flip")(lambda m, axis=None: xp.flip(m, axis=axis))
_is("flipud")(lambda m: torch.flip(m, (0,)))
_is("fliplr")(lambda m: torch.flip(m, (1,)))
_is("rot90")(lambda m, k=1, axes=(0, 1): torch.rot90(m, k, axes))
_is("roll")(lambda a, shift, axis=None: xp.roll(a, shift, axis=axis))
_is("tile")(lambda A, reps: torch.tile(A, (reps,) if isinstance(reps, int) else tuple(reps)))
_is("repeat")(lambda a, repeats, axis=None: xp.repeat(a, repeats, axis=axis))
_is("take")(lambda a, indices, axis=None: (a.reshape(-1) if axis is None else a).index_select(
    axis or 0, torch.as_tensor(indices).reshape(-1)).reshape(_taken(a, indices, axis)))  # fmt: skip
_is("take_along_axis")(lambda arr, indices, axis=-1: xp.take_along_axis(arr, indices, axis=axis))
_is("where")(lambda condition, x, y: torch.where(torch.as_tensor(condition), x, y))
_is("round", "around")(lambda a, decimals=0: torch.round(a, decimals=decimals))
_is("diff")(lambda a, n=1, axis=-1: xp.diff(a, n=n, axis=axis))
_is("dot")(lambda a, b: _dot(torch.as_tensor(a), torch.as_tensor(b)))
_is("inner")(lambda a, b: torch.inner(*_both(a, b)))
_is("outer", "linalg.outer")(lambda a, b: torch.outer(*[t.reshape(-1) for t in _both(a, b)]))
_is("vdot")(lambda a, b: torch.vdot(*[t.reshape(-1) for t in _both(a, b)]))
_is("tensordot", "linalg.tensordot")(lambda a, b, axes=2: torch.tensordot(*_both(a, b), axes))
_is("einsum")(lambda equation, *operands: torch.einsum(equation, *operands))
_is("kron")(lambda a, b: torch.kron(*_both(a, b)))
_is("trace")(lambda a, offset=0: torch.diagonal(a, offset).sum(-1))
_is("diag")(lambda v, k=0: torch.diag(v, k))
_is("diagonal")(lambda a, offset=0, axis1=0, axis2=1: torch.diagonal(a, offset, axis1, axis2))
_is("tril")(lambda m, k=0: torch.tril(m, k))
_is("triu")(lambda m, k=0: torch.triu(m, k))
_is("nan_to_num")(lambda x, copy=True, nan=0.0, posinf=None, neginf=None: torch.nan_to_num(
    x, nan, posinf, neginf))  # fmt: skip
_is("sinc")(torch.sinc)
_is("real")(torch.real)
_is("imag")(torch.imag)
_is("angle")(lambda z, deg=False: torch.angle(z) * (180 / np.pi if deg else 1))
_is("meshgrid")(lambda *xi, indexing="xy": tuple(torch.meshgrid(*xi, indexing=indexing)))
_is("append")(lambda arr, values, axis=None: _concatenate([arr, values], axis))
_is("nansum")(lambda a, axis=None: torch.nansum(a, axis))
_is("nanmean")(lambda a, axis=None: torch.nanmean(a, axis))
_is("linalg.inv")(torch.linalg.inv)
_is("linalg.det")(torch.linalg.det)
_is("linalg.slogdet")(torch.linalg.slogdet)
_is("linalg.solve")(lambda a, b: xp.linalg.solve(*_both(a, b)))
_is("linalg.eigh")(lambda a, UPLO="L": torch.linalg.eigh(a, UPLO))
_is("linalg.eigvalsh")(lambda a, UPLO="L": torch.linalg.eigvalsh(a, UPLO))
_is("linalg.svd")(lambda a, full_matrices=True, compute_uv=True: torch.linalg.svd(
    a, full_matrices) if compute_uv else torch.linalg.svdvals(a))  # fmt: skip
_is("linalg.qr")(lambda a, mode="reduced": torch.linalg.qr(a, mode))
_is("linalg.pinv")(lambda a: torch.linalg.pinv(a))
_is("linalg.matrix_power")(torch.linalg.matrix_power)
_is("linalg.multi_dot")(lambda arrays: torch.linalg.multi_dot(list(arrays)))


def _taken(a: Any, indices: Any, axis: Any) -> tuple[int, ...]:
    inner = tuple(torch.as_tensor(indices).shape)
    return inner if axis is None else (*a.shape[:axis], *inner, *a.shape[axis:][1:])


def _dot(a: Any, b: Any) -> Any:
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return torch.tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))


@_is("clip")
def _clip(a: Any, a_min: Any = None, a_max: Any = None, **limits: Any) -> Any:
    return torch.clamp(a, limits.get("min", a_min), limits.get("max", a_max))


@_is("linalg.cholesky")
def _cholesky(a: Any, *, upper: bool = False) -> Any:
    return torch.linalg.cholesky(a, upper=upper)


@_is("linalg.norm")
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:  # noqa: A002
    return torch.linalg.norm(x, ord, axis, bool(keepdims))


def _running(function: Any) -> Any:
    def run(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        return function(a.reshape(-1) if axis is None else a, axis or 0, dtype=dtype)

    return run


_is("cumsum")(_running(torch.cumsum))
_is("cumprod")(_running(torch.cumprod))


@_is("expand_dims")
def _expand_dims(a: Any, axis: Any) -> Any:
    axes = [axis] if isinstance(axis, int) else sorted(axis)
    for k in axes:
        a = torch.unsqueeze(a, k)
    return a


@_is("sort")
def _sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    return torch.sort(a.reshape(-1) if axis is None else a, -1 if axis is None else axis)[0]


@_is("split", "array_split")
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    parts = indices_or_sections if isinstance(indices_or_sections, int) else tuple(
        indices_or_sections)  # fmt: skip
    return list(torch.tensor_split(ary, parts, axis))


@_is("pad")
def _pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Any:
    _need(mode == "constant" and isinstance(constant_values, int | float), f"mode={mode!r}")
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2)).tolist()
    return F.pad(array, [n for pair in reversed(widths) for n in pair], value=constant_values)


@_is("average")
def _average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return xp.mean(a, axis=axis)
    weights = torch.as_tensor(weights)
    if axis is not None and weights.ndim != a.ndim:
        shape = [1] * a.ndim
        shape[axis] = -1
        weights = weights.reshape(shape)
    weights = weights.expand_as(a)
    return xp.sum(a * weights, axis=axis) / xp.sum(weights, axis=axis)


@_is("median")
def _median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    _need(axis is None or isinstance(axis, int), "several axes")
    return torch.quantile(a, 0.5, axis, keepdims)


@_is("quantile")
def _quantile(a: Any, q: Any, axis: Any = None, *, method: str = "linear",
              keepdims: bool = False) -> Any:  # fmt: skip
    _need(method == "linear" and (axis is None or isinstance(axis, int)), f"method={method!r}")
    return torch.quantile(a, torch.as_tensor(q, dtype=a.dtype), axis, keepdims)


@_is("percentile")
def _percentile(a: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    return _quantile(a, torch.as_tensor(q, dtype=a.dtype) / 100, axis, **options)


@_is("cross", "linalg.cross")
def _cross(a: Any, b: Any, axis: int = -1) -> Any:
    return xp.linalg.cross(*_both(a, b), axis=axis)


def _fourier(name: str) -> Any:
    function = getattr(torch.fft, name)
    if name.endswith("n"):
        return lambda a, s=None, axes=None, norm=None: function(a, s, axes, norm)
    return lambda a, n=None, axis=-1, norm=None: function(a, n, axis, norm)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn"):
    _is(f"fft.{_name}")(_fourier(_name))
