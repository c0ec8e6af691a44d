"""From samples to checks: cases, calls, finite differences and comparisons.

`OPS_FAMILY=elementwise pytest tests/ops` runs the samples of one family.
"""

from __future__ import annotations

import functools
import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np

import chainrule

from .recorded import recording
from .sample import Sample, called, converted, cotangent, flat

HERE = Path(__file__).parent
STEP = 2e-4  # of the fourth-order difference: truncation and rounding are both about 1e-12


class Case:
    """One sample of one op."""

    def __init__(self, family: str, path: str, number: int, sample: Sample) -> None:
        self.family = family
        self.path = path
        self.number = number
        self.sample = sample
        self.key = f"{path}-{number}"

    @functools.cached_property
    def record(self) -> dict[str, Any]:
        """The recorded PyTorch results; fails when there are none for these arguments."""
        return recording(self.family).of(self.key, self.sample.digest())

    def recorded(self, piece: dict[str, Any]) -> np.ndarray:
        return recording(self.family).array(piece)

    @functools.cached_property
    def wanted(self) -> list[int]:
        """Positions of the inputs that have a gradient."""
        grads = self.record["grads"]
        if grads is None:
            return []
        positions = self.sample.differentiable()
        return [i for i, g in zip(positions, grads, strict=True) if g is not None]

    def __repr__(self) -> str:
        return f"{self.path}{self.sample}"


@functools.cache
def modules() -> dict[str, Any]:
    """The sample modules by family."""
    chosen = os.environ.get("OPS_FAMILY", "[!_]*")
    names = sorted(p.stem for p in (HERE / "samples").glob(f"{chosen}.py"))
    package = __package__ + ".samples" if __package__ else "samples"
    return {name: importlib.import_module(f"{package}.{name}") for name in names}


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Every sample of every family."""
    return tuple(
        Case(family, path, i, sample)
        for family, module in modules().items()
        for path, samples in module.SAMPLES.items()
        for i, sample in enumerate(samples)
    )


def cases(check: str) -> list[Case]:
    """The cases that take part in a check."""
    return [c for c in all_cases() if check not in c.sample.excluded and _applies(c, check)]


def _applies(case: Case, check: str) -> bool:
    markers = surface().get(case.path, "^^'")
    if check in ("vjp", "mask", "jvp", "second"):
        entry = recording(case.family).index.get(case.key)
        if entry is not None and not entry["grads"]:
            return False
        if not case.sample.differentiable():
            return False
    if check in ("jvp", "second") and case.sample.is_kink:
        return False
    if check == "jvp":
        return markers.endswith("'")
    if check == "second":
        return markers.startswith("^^")
    if check in ("batch", "strides"):
        return bool(case.sample.arrays())
    if check in ("inplace", "out"):
        entry = recording(case.family).index.get(case.key)
        return entry is not None and check in entry["forms"]
    return True


@functools.cache
def surface() -> dict[str, str]:
    """Markers (`^^'`) of every op of the surface, aliases included."""
    found: dict[str, str] = {}
    for line in (HERE / "surface.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, rest = line.partition(" ")
        if rest.startswith("= "):
            rest = found.get(rest[2:], "")
        found[name] = rest
    return found


# ---- calls -------------------------------------------------------------------------------------


def tensor(array: np.ndarray, name: str | None = None) -> Any:
    """An array as a tensor, converted to the named type when it is a differentiable input."""
    if name is None or array.dtype.char not in "dD":
        return chainrule.from_numpy(np.array(array))
    made = converted(array, name)
    if name == "bfloat16":
        return chainrule.tensor(made, dtype=chainrule.bfloat16)
    return chainrule.from_numpy(np.array(made))


def run(case: Case, tensors: list[Any]) -> list[Any]:
    """The flat results of one call."""
    result = called(chainrule, case.path, case.sample, tensors)
    return flat(case.sample.view(result) if case.sample.view else result)


def values(case: Case, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The results on arrays, as arrays."""
    with chainrule.no_grad():
        return [as_array(o) for o in run(case, [tensor(a) for a in arrays]) if is_tensor(o)]


def as_array(t: Any) -> np.ndarray:
    """A tensor's values, whatever its type and history."""
    return t.numpy(force=True)


def is_tensor(value: Any) -> bool:
    return isinstance(value, chainrule.Tensor)


def inputs_with_grad(case: Case, wanted: list[int], name: str | None = None) -> list[Any]:
    """The sample's tensors (in the named type), with gradients for the wanted positions."""
    made = [tensor(a, name) for a in case.sample.arrays()]
    for i in wanted:
        made[i].requires_grad_()
    return made


def weights(outs: list[Any]) -> list[Any]:
    """The fixed cotangents of the tensor results."""
    return [
        chainrule.from_numpy(cotangent(tuple(o.shape), k, o.is_complex()).astype(o.dtype.np))
        for k, o in enumerate(o for o in outs if is_tensor(o))
    ]


def gradients(
    case: Case, wanted: list[int], create_graph: bool = False, name: str | None = None
) -> Any:
    """(inputs, gradients) of the weighted results with respect to the wanted inputs."""
    inputs = inputs_with_grad(case, wanted, name)
    outs = [o for o in run(case, inputs) if is_tensor(o)]
    tracked = [(o, w) for o, w in zip(outs, weights(outs), strict=True) if o.requires_grad]
    assert tracked, f"{case}: no result requires grad, though PyTorch differentiates it"
    found = chainrule.autograd.grad(
        [o for o, _ in tracked], [inputs[i] for i in wanted], [w for _, w in tracked],
        create_graph=create_graph, allow_unused=True,
    )  # fmt: skip
    return inputs, found


# ---- finite differences ------------------------------------------------------------------------


def direction(case: Case, wanted: list[int], salt: int) -> dict[int, np.ndarray]:
    """A fixed random direction for each wanted input, entries between -1 and 1."""
    arrays = case.sample.arrays()
    random = np.random.RandomState(7000 + salt)
    found = {}
    for i in wanted:
        v = random.uniform(-1, 1, arrays[i].shape)
        if arrays[i].dtype.kind == "c":
            v = v + 1j * random.uniform(-1, 1, arrays[i].shape)
        found[i] = np.asarray(v)
    return found


def moved(case: Case, along: dict[int, np.ndarray], step: float) -> list[np.ndarray]:
    """The sample's arrays, moved along a direction."""
    arrays = enumerate(case.sample.arrays())
    return [np.asarray(a + step * along[i]) if i in along else a for i, a in arrays]


def slope(function: Any, case: Case, along: dict[int, np.ndarray]) -> Any:
    """d/ds function(arrays + s * along) at 0 by a fourth-order central difference."""
    near = function(moved(case, along, STEP)) - function(moved(case, along, -STEP))
    far = function(moved(case, along, 2 * STEP)) - function(moved(case, along, -2 * STEP))
    return (8 * near - far) / (12 * STEP)


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """The real inner product, which PyTorch's complex convention differentiates."""
    return float(np.sum(np.real(np.conj(a) * b)))


def weighted(case: Case, kept: list[int]) -> Any:
    """arrays -> the sum of the kept results, weighted by their cotangents."""

    def total(arrays: list[np.ndarray]) -> float:
        outs = values(case, arrays)
        return sum(
            inner(cotangent(outs[k].shape, k, outs[k].dtype.kind == "c"), outs[k]) for k in kept
        )

    return total


def tracked_results(case: Case) -> list[int]:
    """Which tensor results depend differentiably on the wanted inputs."""
    outs = [o for o in run(case, inputs_with_grad(case, case.wanted)) if is_tensor(o)]
    return [k for k, o in enumerate(outs) if o.requires_grad]


def explain_gradient(case: Case, found: Any, kept: list[int]) -> str:
    """Where a gradient differs most from the difference quotient, entry by entry."""
    total = weighted(case, kept)
    worst, text = -1.0, "the projections differ, no single entry does"
    for i, grad in zip(case.wanted, found, strict=True):
        grad = np.zeros_like(case.sample.arrays()[i]) if grad is None else as_array(grad)
        for at in np.ndindex(grad.shape):
            for unit in (1.0, 1j) if grad.dtype.kind == "c" else (1.0,):
                e = np.zeros_like(grad)
                e[at] = unit
                numeric, mine = slope(total, case, {i: e}), inner(e, grad)
                if abs(numeric - mine) > worst:
                    worst = abs(numeric - mine)
                    text = (
                        f"input {i} at {at} (value {case.sample.arrays()[i][at]:.6g}): rule gives "
                        f"{mine:.9g}, difference quotient {numeric:.9g}"
                    )
    return f"{case}: wrong gradient; {text}"


# ---- comparison --------------------------------------------------------------------------------

# Relative error accepted per type: a few units in the last place, as kernels sum in other orders.
TOLERANCE = {
    "float64": 1e-9, "complex128": 1e-9, "float32": 2e-5, "complex64": 4e-5, "float16": 4e-3,
    "bfloat16": 3e-2,
}  # fmt: skip


def assert_close(got: np.ndarray, want: np.ndarray, rtol: float, what: str) -> None:
    """Equal shape and values, NaN equal to NaN; the absolute error is relative to the largest."""
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    if not want.size:
        return
    wide = np.complex128 if "c" in (want.dtype.kind, got.dtype.kind) else np.float64
    got, want = got.astype(wide), want.astype(wide)
    finite = np.abs(want[np.isfinite(want)])
    scale = float(finite.max()) if finite.size else 1.0
    same = np.isclose(got, want, rtol=rtol, atol=rtol * min(scale, 1.0), equal_nan=True)
    if not same.all():
        at = tuple(int(i[0]) for i in np.nonzero(~same)) if want.ndim else ()
        raise AssertionError(
            f"{what}: {int((~same).sum())} of {want.size} differ; first at {at}: "
            f"{got[at]!r}, expected {want[at]!r}"
        )


def close(a: float, b: float, rtol: float) -> bool:
    """Whether two projections agree."""
    return abs(a - b) <= rtol * max(1.0, abs(a), abs(b))
