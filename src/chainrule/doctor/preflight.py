"""Seconds before a long run: is this model, this loss and this batch fit to be trained?"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.modes import enable_grad
from ..autograd.value import TensorBase
from ..random import fork_rng
from ..reading.nodes import Tape
from ..reading.terminal import Block, Report, Table
from .rules.guessing import guess_of
from .rules.unscaled_input import describe

OVERFIT_STEPS = 60
NUMBERS = ("mse_loss", "l1_loss")
FINE, WRONG, ODD = "ok", "wrong", "odd"


@dataclass(frozen=True)
class Check:
    """One question and its answer."""

    name: str
    verdict: str  # ok, odd or wrong
    seen: str


class Preflight(Report):
    """What was checked; `ok` if nothing is wrong."""

    def __init__(self, checks: list[Check]) -> None:
        self.checks = checks

    @property
    def ok(self) -> bool:
        return all(c.verdict != WRONG for c in self.checks)

    def __getitem__(self, name: str) -> Check:
        return next(c for c in self.checks if c.name == name)

    def blocks(self) -> list[Block]:
        rows = [(c.name, c.verdict, c.seen) for c in self.checks]
        return [Table("preflight", ("check", "verdict", "seen"), rows)]


def preflight(
    model: Any, loss_fn: Callable[..., Any], batch: Any, *, lr: float = 1e-2
) -> Preflight:
    """Check a model, a loss and one batch before a long run; nothing of them is changed.

    `batch` is `(inputs, target)`; inputs may be a tuple of arguments, or a dict of named ones.
    Checked are: the model takes the batch, shapes of output and target, types of numbers, the loss
    is one finite number, its first value against that of a guess, every parameter gets a gradient,
    no sample leaks into another, the scale of the inputs, units that are dead from the start, the
    memory of a step, and whether a copy of the model can learn the batch by heart.

    >>> import chainrule as torch
    >>> _ = torch.manual_seed(0)
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    >>> batch = torch.randn(12, 4), torch.arange(12) % 3
    >>> report = torch.doctor.preflight(model, torch.nn.functional.cross_entropy, batch)
    >>> report.ok, report["first loss"].verdict
    (True, 'ok')
    """
    model, inputs, target = _parts(model, batch)
    trial = copy.deepcopy(model)
    with fork_rng(), enable_grad():
        try:
            loss, out = _forward(trial, loss_fn, inputs, target)
        except (RuntimeError, TypeError, ValueError, IndexError) as problem:
            said = str(problem).strip().split("\n")[0]
            return Preflight([Check("forward", WRONG, f"{type(problem).__name__}: {said}")])
        checks = [_shapes(out, target), _types(trial, inputs, out, target), _scalar(loss)]
        if checks[-1].verdict == WRONG:
            return Preflight(checks)
        checks.append(_first_loss(loss))
        checks.append(_gradients(trial, loss))
        checks.append(_leaks(copy.deepcopy(model), inputs))
        checks.append(_scale(inputs))
        checks.append(_dead(loss))
        checks.append(_memory(model, inputs))
        checks.append(_overfits(trial, loss_fn, inputs, target, lr))
    return Preflight(checks)


class _Named:
    """A model that is called with named inputs; everything else is the model's own."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        self.model, self._names = model, names

    def by_name(self, inputs: Iterable[Any]) -> dict[str, Any]:
        """The inputs as the model takes them."""
        return dict(zip(self._names, inputs, strict=True))

    def __call__(self, *inputs: Any) -> Any:
        return self.model(**self.by_name(inputs))

    def __deepcopy__(self, memo: Any) -> _Named:
        return _Named(copy.deepcopy(self.model, memo), self._names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def _parts(model: Any, batch: Any) -> tuple[Any, tuple[Any, ...], Any]:
    """The model, its inputs one by one, and the target."""
    if isinstance(batch, TensorBase | dict) or not hasattr(batch, "__len__") or len(batch) != 2:
        known = type(batch).__name__
        kind = f"a dict of {', '.join(map(repr, batch))}" if isinstance(batch, dict) else known
        raise TypeError(
            f"preflight(): batch must be (inputs, target), not {kind}.\n"
            "  Fix: pass (x, y), or ({'x': x}, y) for a model that takes named inputs."
        )
    inputs, target = batch
    if isinstance(inputs, dict):
        return _Named(model, tuple(inputs)), tuple(inputs.values()), target
    return model, inputs if isinstance(inputs, tuple) else (inputs,), target


def _forward(model: Any, loss_fn: Any, inputs: tuple[Any, ...], target: Any) -> tuple[Any, Any]:
    out = model(*inputs)
    return loss_fn(out, target), out


def _shapes(out: Any, target: Any) -> Check:
    """Numbers that are compared one by one must not be compared each with every other."""
    if not isinstance(out, TensorBase) or not isinstance(target, TensorBase):
        return Check("shapes", FINE, "output and target are not single tensors")
    seen = f"output {list(out.shape)}, target {list(target.shape)}"
    numbers = out.dtype.is_floating_point and target.dtype.is_floating_point
    if numbers and out.shape != target.shape and out.numel() == target.numel() > 1:
        return Check(
            "shapes", WRONG,
            f"{seen}: a difference broadcasts; use target.reshape({list(out.shape)})",
        )  # fmt: skip
    return Check("shapes", FINE, seen)


def _types(model: Any, inputs: tuple[Any, ...], out: Any, target: Any) -> Check:
    """One type of floating-point numbers from the inputs to the loss."""
    parts = {
        "parameters": list(model.parameters()), "inputs": list(inputs), "output": [out],
        "target": [target],
    }  # fmt: skip
    found = {
        part: sorted({str(t.dtype) for t in tensors if isinstance(t, TensorBase)})
        for part, tensors in parts.items()
    }
    seen = ", ".join(f"{part} {' and '.join(names)}" for part, names in found.items() if names)
    if len({n for names in found.values() for n in names if "float" in n}) > 1:
        return Check("types", ODD, f"{seen}: convert to one type of floats before the loop")
    return Check("types", FINE, seen)


def _scalar(loss: Any) -> Check:
    shape = list(loss.shape)
    if loss.numel() != 1:
        return Check("loss", WRONG, f"has shape {shape}: reduce it to one number")
    value = float(loss)
    if not math.isfinite(value):
        return Check("loss", WRONG, f"is {value}")
    if not loss.requires_grad:
        return Check("loss", WRONG, "has no graph: no parameter leads to it")
    return Check("loss", FINE, f"{value:.4g}, one finite number")


def _first_loss(loss: Any) -> Check:
    """Against guessing: ln C for C classes, ln 2 for yes or no, the spread of numbers."""
    root = Tape.of(loss).root
    expected, value = guess_of(root), float(loss)
    if expected is None or expected < 1e-9:
        return Check("first loss", FINE, f"{value:.4g}; no expected value is known for {root.op}")
    if root.op in NUMBERS:
        seen = f"{value:.4g}; the mean of the targets alone gives {expected:.4g}"
        if value > 10 * expected + 1e-6:
            return Check("first loss", ODD, f"{seen}: outputs and targets begin far apart")
        return Check("first loss", FINE, seen)
    seen = f"{value:.4g}; guessing by chance gives {expected:.4g}"
    if value > 3 * expected + 0.5:
        return Check("first loss", ODD, f"{seen}: the outputs begin far too large")
    return Check("first loss", FINE, seen)


def _gradients(model: Any, loss: Any) -> Check:
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    if not named:
        return Check("gradients", WRONG, "no parameter requires grad")
    found = grad(loss, [p for _, p in named], retain_graph=True, allow_unused=True)
    missing = [n for (n, _), g in zip(named, found, strict=True) if g is None]
    zero = [n for (n, _), g in zip(named, found, strict=True) if g is not None and not g._a.any()]
    if missing:
        return Check("gradients", WRONG, f"none for {', '.join(missing[:4])}: not used by the loss")
    if zero:
        return Check("gradients", ODD, f"zero for {', '.join(zero[:4])}")
    return Check("gradients", FINE, f"all {len(named)} parameters get one")


def _leaks(model: Any, inputs: tuple[Any, ...]) -> Check:
    """The output of one sample must not depend on the input of another."""
    floats = [x for x in inputs if isinstance(x, TensorBase) and x.dtype.is_floating_point]
    model.eval()  # batch statistics mix samples on purpose
    if not floats:
        return _leaks_of_tokens(model, inputs)
    if floats[0].shape[:1] == () or floats[0].shape[0] < 2:
        return Check("samples", FINE, "the batch has no rows: not checked")
    leaves = [
        x.detach().clone().requires_grad_(x.dtype.is_floating_point)
        if isinstance(x, TensorBase)
        else x
        for x in inputs
    ]
    first = next(x for x in leaves if isinstance(x, TensorBase) and x._rg)
    out = model(*leaves)
    out = out[0] if isinstance(out, tuple) else out
    if not isinstance(out, TensorBase) or not out._rg or out.shape[:1] != first.shape[:1]:
        return Check("samples", FINE, "the output has no row per sample: not checked")
    (g,) = grad(out[0].sum(), [first], allow_unused=True)  # pyright: ignore[reportIndexIssue]
    others = None if g is None else np.abs(g._a[1:]).max()
    if others is not None and others > 0:
        return Check(
            "samples", WRONG, f"output 0 depends on the inputs of other samples (by {others:.2g})"
        )
    return Check("samples", FINE, "each output depends on its own sample alone")


def _leaks_of_tokens(model: Any, inputs: tuple[Any, ...]) -> Check:
    """Integers have no gradient: does the first output change with the other samples?"""
    rows = {x.shape[0] for x in inputs if isinstance(x, TensorBase) and x.ndim}
    if len(rows) != 1 or min(rows) < 2:
        return Check("samples", FINE, "the batch has no rows: not checked")
    first = [0] * min(rows)  # every sample becomes the first
    changed = [_rows(x, first) for x in inputs]
    outs = []
    for given in (inputs, changed):
        out = model(*given)
        outs.append(getattr(out[0] if isinstance(out, tuple) else out, "_a", None))
    before, after = outs
    if not isinstance(before, np.ndarray) or before.shape[:1] != (min(rows),):
        return Check("samples", FINE, "the output has no row per sample: not checked")
    apart = float(np.abs(before[0] - after[0]).max()) if before[0].size else 0.0
    if apart > 1e-4 * (1 + float(np.abs(before[0]).max())):
        return Check("samples", WRONG, f"output 0 changes with the other samples (by {apart:.2g})")
    return Check("samples", FINE, "each output depends on its own sample alone")


def _rows(x: Any, which: list[int]) -> Any:
    return x[which] if isinstance(x, TensorBase) and x.ndim else x  # pyright: ignore[reportIndexIssue]


def _scale(inputs: tuple[Any, ...]) -> Check:
    for x in inputs:
        a = getattr(x, "_a", None)
        if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.ndim >= 2 and a.size:
            if not np.isfinite(a).all():
                return Check("inputs", WRONG, "hold values that are not finite")
            seen = describe(a)
            if seen is not None:
                return Check("inputs", ODD, f"{seen}: scale them")
    return Check("inputs", FINE, "finite and of a usual size")


def _dead(loss: Any) -> Check:
    worst, layers = 0.0, 0
    for v in Tape.of(loss).nodes:
        out = v.saved_array("out") if v.op == "relu" else None
        if out is not None and out.ndim >= 2:
            layers += 1
            axis = 1 if out.ndim == 4 else out.ndim - 1
            others = tuple(k for k in range(out.ndim) if k != axis)
            worst = max(worst, float((~(out != 0).any(others)).mean()))
    if not layers:
        return Check("dead units", FINE, "no ReLU")
    verdict = ODD if worst > 0.5 else FINE
    return Check("dead units", verdict, f"at most {worst:.0%} of a layer, in {layers} layers")


def _memory(model: Any, inputs: tuple[Any, ...]) -> Check:
    from ..memory import estimate

    named = isinstance(model, _Named)
    total = (
        estimate(model.model, kwargs=model.by_name(inputs)) if named else estimate(model, *inputs)
    ).total
    return Check("memory", FINE, f"about {total / 2**20:.1f} MB for a training step")


def _overfits(model: Any, loss_fn: Any, inputs: Any, target: Any, lr: float) -> Check:
    from ..optim import Adam

    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = Adam(parameters, lr=lr)
    values = []
    for _ in range(OVERFIT_STEPS):
        loss, _ = _forward(model, loss_fn, inputs, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        values.append(float(loss))
    start, end = values[0], min(values[-5:])
    seen = f"{OVERFIT_STEPS} steps of Adam on this batch: {start:.4g} to {end:.4g}"
    if not math.isfinite(end) or end > 0.7 * start:
        return Check("overfit", ODD, f"{seen}: it should learn one batch by heart")
    return Check("overfit", FINE, seen)


__all__ = ["Check", "Preflight", "preflight"]
