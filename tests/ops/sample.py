"""Sample inputs of the public ops, as NumPy data that any framework can be run on.

    SAMPLES = {
        "tanh": [Sample(normal(3, 4)), Sample(normal())],
        "sum": [Sample(normal(3, 4), dim=1), Sample(normal(3), dtype=dtype("float32"))],
        "linalg.eigh": [Sample(spd(3)).through(lambda result: (result[0], result[1].abs()))],
    }
    ERRORS = {"tanh": [(Sample("text"), TypeError, "must be Tensor")]}

Arrays in the arguments (also inside lists, tuples and dicts) stand for tensors. float64 and
complex128 arrays are the differentiable inputs; int and bool arrays are indices and masks. One
sample drives every check of `test_*.py` here; keep samples small and away from kinks, where a
derivative does not exist. This module imports NumPy only: the recorder runs it under PyTorch.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# The checks a sample takes part in; `Sample.without` names some of them.
# "recorded_gradient" is the comparison with PyTorch's gradient within the check "vjp".
CHECKS = (
    "value", "dtypes", "vjp", "recorded_gradient", "mask", "jvp", "second", "batch", "strides",
    "inplace", "out",
)  # fmt: skip

# The types every sample is also run in, where PyTorch supports them.
OTHER_DTYPES = (
    "float32", "float16", "bfloat16", "complex64", "int64", "int32", "uint8", "bool",
)  # fmt: skip


class dtype:
    """Stands for the framework's dtype of that name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"dtype({self.name!r})"


class Sample:
    """One call of an op: its arguments, and how the call may be checked."""

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs
        self.view: Callable[[Any], Any] | None = None
        self.feed: Callable[..., tuple[Any, ...]] | None = None
        self.excluded: dict[str, str] = {}
        self.other_dtypes: tuple[str, ...] = OTHER_DTYPES
        self.is_kink = False
        self.rtol = 1e-9
        self.derivative_rtol = 1e-5

    def through(self, view: Callable[[Any], Any]) -> Sample:
        """Check `view(result)`: for results that are determined up to a sign, or partly."""
        self.view = view
        return self

    def prepared(self, feed: Callable[..., tuple[Any, ...]]) -> Sample:
        """Call the op with `feed(*args)`, e.g. `lambda a: (a @ a.mT,)` for a symmetric input.

        Derivatives are then those of the whole, and every direction is a valid one.
        """
        self.feed = feed
        return self

    def without(self, *checks: str, because: str) -> Sample:
        """Leave out some checks; the reason is part of the sample."""
        for check in checks:
            assert check in CHECKS, f"{check} is none of {CHECKS}"
            assert because
            self.excluded[check] = because
        return self

    def kink(self) -> Sample:
        """No derivative exists here (a tie, a border, NaN): only the gradient that PyTorch chose is
        checked, not difference quotients, forward mode or second order.
        """
        self.is_kink = True
        return self

    def dtypes(self, *names: str) -> Sample:
        """Run in these other types only (float64, or the arrays' own, is always run)."""
        self.other_dtypes = names
        return self

    def loose(self, rtol: float, derivative_rtol: float = 1e-5) -> Sample:
        """Accept a larger relative error than 1e-9 of float64 values, where numerics differ."""
        self.rtol = rtol
        self.derivative_rtol = derivative_rtol
        return self

    def arrays(self) -> list[np.ndarray]:
        """All arrays of the arguments, in order."""
        return list(_arrays((self.args, self.kwargs)))

    def differentiable(self) -> list[int]:
        """The positions, among `arrays()`, of the float64 and complex128 ones."""
        return [i for i, a in enumerate(self.arrays()) if a.dtype.char in "dD"]

    def fill(self, values: list[Any], dtype_of: Callable[[str], Any]) -> tuple[Any, Any]:
        """(args, kwargs) with the arrays replaced by `values` and dtype marks by real dtypes."""
        left = iter(values)
        return (
            tuple(_fill(a, left, dtype_of) for a in self.args),
            {k: _fill(a, left, dtype_of) for k, a in self.kwargs.items()},
        )

    def digest(self) -> int:
        """A number that changes with the arguments: recorded results of another sample show."""
        text = repr((_outline(self.args), _outline(self.kwargs)))
        crc = zlib.crc32(text.encode())
        for a in self.arrays():
            crc = zlib.crc32(_rounded(a).tobytes(), crc)
        return crc

    def __repr__(self) -> str:
        shown = [_show(a) for a in self.args]
        shown += [f"{k}={_show(v)}" for k, v in self.kwargs.items()]
        return f"({', '.join(shown)})"


def _rounded(a: np.ndarray) -> np.ndarray:
    """Without the last digits, which differ between builds of NumPy's matrix product."""
    return np.ascontiguousarray(np.round(a, 8) + 0 if a.dtype.kind in "fc" else a)


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from _arrays(v)
    elif isinstance(value, tuple | list):
        for v in value:
            yield from _arrays(v)


def _fill(value: Any, left: Iterator[Any], dtype_of: Callable[[str], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return next(left)
    if isinstance(value, dtype):
        return dtype_of(value.name)
    if isinstance(value, dict):
        return {k: _fill(v, left, dtype_of) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_fill(v, left, dtype_of) for v in value)
    return value


def _outline(value: Any) -> Any:
    """The arguments without the arrays' contents."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape
    if isinstance(value, dict):
        return {k: _outline(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value).__name__, [_outline(v) for v in value]
    return value


def _show(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, tuple | list):
        inside = ", ".join(_show(v) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    return repr(value)


# ---- builders ----------------------------------------------------------------------------------


def _random(seed: int | None, shape: tuple[int, ...]) -> np.random.RandomState:
    # Without a seed the values depend on the shape only, not on the order in which
    # samples are built: adding a sample must not change the others.
    return np.random.RandomState(seed if seed is not None else zlib.crc32(repr(shape).encode()))


def normal(*shape: int, seed: int | None = None, gap: float = 0.05) -> np.ndarray:
    """Values between about -3 and 3, all different, none closer to 0 than `gap`.

    Two arrays of one shape are equal unless they get different seeds.
    """
    x = _random(seed, shape).standard_normal(shape)
    return np.asarray(np.where(np.abs(x) < gap, np.where(x < 0, x - gap, x + gap), x))


def uniform(
    *shape: int, low: float = -1.0, high: float = 1.0, seed: int | None = None
) -> np.ndarray:
    """Values spread over the open interval (low, high)."""
    u = _random(seed, (*shape, 1)).uniform(0.02, 0.98, shape)
    return np.asarray(low + (high - low) * u)


def distinct(*shape: int, seed: int | None = None, gap: float = 0.1) -> np.ndarray:
    """Values whose differences are at least about `gap`: no ties for max, sort, median."""
    n = int(np.prod(shape))
    steps = (np.arange(n) - (n - 1) / 2 + 0.25) * gap
    return np.asarray(_random(seed, (*shape, 2)).permutation(steps).reshape(shape))


def ints(*shape: int, low: int = 0, high: int = 5, seed: int | None = None) -> np.ndarray:
    """int64 values in [low, high)."""
    return np.asarray(_random(seed, (*shape, 3)).randint(low, high, shape), dtype=np.int64)


def bools(*shape: int, seed: int | None = None) -> np.ndarray:
    """True and False in about equal parts."""
    return np.asarray(_random(seed, (*shape, 4)).uniform(size=shape) < 0.5)


def cplx(*shape: int, seed: int | None = None) -> np.ndarray:
    """complex128 values off the axes."""
    random = _random(seed, (*shape, 5))
    re, im = random.standard_normal(shape), random.standard_normal(shape)
    return np.asarray(re + np.sign(re) * 0.1 + 1j * (im + np.sign(im) * 0.1))


def matrix(*shape: int, seed: int | None = None) -> np.ndarray:
    """A well-conditioned matrix (or batch): singular values between about 1 and 3, distinct."""
    *_, m, n = shape
    u, _, vh = np.linalg.svd(normal(*shape, seed=seed), full_matrices=False)
    return np.asarray((u * np.linspace(1.0, 3.0, min(m, n))) @ vh)


def spd(n: int, *batch: int, seed: int | None = None) -> np.ndarray:
    """A symmetric positive definite n x n matrix (or batch) with distinct eigenvalues."""
    q = np.linalg.qr(normal(*batch, n, n, seed=seed))[0]
    a = (q * np.linspace(1.0, 3.0, n)) @ np.swapaxes(q, -1, -2)
    return np.asarray((a + np.swapaxes(a, -1, -2)) / 2)


# ---- what the recorder and the tests share -----------------------------------------------------


def cotangent(shape: tuple[int, ...], k: int, is_complex: bool) -> np.ndarray:
    """The fixed random weights of output number k: the incoming gradient of every check."""
    # The stream of RandomState(1000 + k), which would first ask the system for entropy: that is
    # nothing a compiled function may do.
    bits = np.random.MT19937(0)
    bits._legacy_seeding(1000 + k)
    random = np.random.RandomState(bits)
    real = random.standard_normal(shape)
    if not is_complex:
        return np.asarray(real)
    return np.asarray(real + 1j * random.standard_normal(shape))


def converted(array: np.ndarray, name: str) -> np.ndarray:
    """A differentiable input as another type; bfloat16 is left to the framework (float32 here)."""
    if array.dtype.char not in "dD":
        return array
    if name.startswith("complex"):
        # Real values get an imaginary part: on the real axis many functions have their cuts.
        whole = array if array.dtype.kind == "c" else array + 0.5j * np.cos(3 * array)
        return np.asarray(whole).astype(name)
    real = array.real if array.dtype.kind == "c" else array
    if name == "bool":
        return real > 0
    if name == "uint8":
        return np.abs(np.rint(real * 3)).astype(name)
    if name.startswith("int"):
        return np.rint(real * 3).astype(name)
    return real.astype("float32" if name == "bfloat16" else name)


def called(package: Any, path: str, sample: Sample, tensors: list[Any]) -> Any:
    """The result of one call, before `through`; random ops start from a fixed seed."""
    args, kwargs = sample.fill(tensors, lambda name: getattr(package, name))
    if sample.feed is not None:
        args = sample.feed(*args)
    if hasattr(package, "manual_seed"):
        package.manual_seed(0)
    return resolve(package, path)(*args, **kwargs)


def resolve(package: Any, path: str) -> Callable[..., Any]:
    """The function of a path: `tanh`, `linalg.norm`, or a Tensor method, property or `name_`."""
    found: Any = package
    for part in path.split("."):
        found = getattr(found, part, None)
    if callable(found) and not isinstance(found, type):
        return found
    name = path.rpartition(".")[2]
    method = getattr(package.Tensor, name, None)
    if method is None:
        raise AttributeError(f"{package.__name__} has neither a function nor a method {path}")
    if not callable(method):
        return lambda x: getattr(x, name)
    if name.endswith("_") and not name.endswith("__"):
        return lambda x, *args, **kwargs: getattr(x.clone(), name)(*args, **kwargs)
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def flat(result: Any) -> list[Any]:
    """The parts of a result: the entries of tuples and lists, or the result itself."""
    if isinstance(result, tuple | list) and type(result).__name__ != "Size":
        return [part for entry in result for part in flat(entry)]
    return [result]
