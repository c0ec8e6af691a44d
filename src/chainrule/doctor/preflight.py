"""Seconds before a long run: is this model, this loss and this batch fit to be trained?"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.modes import enable_grad
from ..autograd.value import TensorBase
from ..random import fork_rng
from ..reading.nodes import Tape
from ..reading.terminal import Block, Report, Table
from .rules.unscaled_input import describe

OVERFIT_STEPS = 60
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

    `batch` is `(inputs, target)` (inputs may be a tuple of arguments). Checked are: the model takes
    the batch, shapes of output and target, types of numbers, the loss is one finite number, its
    first value against that of a guess by chance, every parameter gets a
    gradient, no sample leaks into another, the scale of the inputs, units that are dead from the
    start, the memory of a step, and whether a copy of the model can learn the batch by heart.

    >>> import chainrule as torch
    >>> _ = torch.manual_seed(0)
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    >>> batch = torch.randn(12, 4), torch.arange(12) % 3
    >>> report = torch.doctor.preflight(model, torch.nn.functional.cross_entropy, batch)
    >>> report.ok, report["first loss"].verdict
    (True, 'ok')
    """
    inputs, target = batch
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
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
        checks.append(_first_loss(loss, out, target))
        checks.append(_gradients(trial, loss))
        checks.append(_leaks(copy.deepcopy(model), inputs))
        checks.append(_scale(inputs))
        checks.append(_dead(loss))
        checks.append(_memory(model, inputs))
        checks.append(_overfits(trial, loss_fn, inputs, target, lr))
    return Preflight(checks)


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


def _first_loss(loss: Any, out: Any, target: Any) -> Check:
    """Against guessing: ln C for C classes, ln 2 for yes or no."""
    expected = None
    root = Tape.of(loss).root.op
    if "cross_entropy" in root and isinstance(out, TensorBase) and out.ndim >= 2:
        expected = math.log(out.shape[1])
    elif root in ("bce_with_logits", "binary_cross_entropy"):
        expected = math.log(2)
    if expected is None:
        return Check(
            "first loss", FINE, f"{float(loss):.4g}; no expected value is known for {root}"
        )
    value = float(loss)
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
    if not floats or floats[0].shape[:1] == () or floats[0].shape[0] < 2:
        return Check("samples", FINE, "inputs cannot be differentiated: not checked")
    model.eval()  # batch statistics mix samples on purpose
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

    total = estimate(model, *inputs).total
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
