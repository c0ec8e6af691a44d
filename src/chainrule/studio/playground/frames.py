"""What a run looks like: boundary, units, gradients, weights and steps by layer."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from ...autograd.modes import no_grad
from ...flow.measure import layers_of
from ...flow.units import BEST_SLOPE, FLAT
from ..programs import ProgramError
from ..values import number

FINE, COARSE = 48, 20  # points along a side of the boundary and of a unit's map
MOST_UNITS = 12  # maps per layer
MOST_LAYERS = 12
MOST_OF_PATH = 400  # places that are drawn
MOST_DRAWN = 600  # points of the data
BINS = 20
SLOPES = {
    "ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "GELU": "gelu", "SiLU": "silu",
    "LeakyReLU": "leaky_relu",
}  # fmt: skip
CELLS = ("RNNCell", "LSTMCell", "GRUCell")
SAME = 1e-5  # of its size: a unit that varies less shows nothing but rounding


class Look:
    """Looks at a script's model between its steps."""

    def __init__(self, script: Any, config: dict[str, Any]) -> None:
        self.script = script
        self.config = config
        self.inputs = np.asarray(script.inputs._a, np.float64)
        self.targets = np.asarray(script.targets._a)
        self.classes = self.targets.dtype.kind == "i"
        self.called = list(getattr(script, "CLASSES", ()))  # the classes' names, of a CSV
        self.layers = list(layers_of(script.model))
        self.names = [path for path, _, _ in self.layers]
        self.flow: list[dict[str, Any]]
        self.output: dict[str, Any]
        self.times: list[Any]  # a gradient's norm at every step of a recurrent cell
        self.measured: int  # the step that flow, output and times are of
        self.forget()
        self.cell = next((m for m in script.model.modules() if type(m).__name__ in CELLS), None)
        self.path: list[list[float]] = []  # of a point on a surface, one place per step
        self.note_place(0)
        flat = self.inputs.reshape(len(self.inputs), -1)
        self.low = float(flat.min()) - 0.15 if flat.size else -1.0
        self.high = float(flat.max()) + 0.15 if flat.size else 1.0

    @property
    def on_a_surface(self) -> bool:
        return self.config["data"] == "saddle" and hasattr(self.script.model, "at")

    def forget(self) -> None:
        """No step is measured: the state was taken back."""
        self.flow, self.output, self.times, self.measured = [], {}, [], 0

    def note_place(self, step: int) -> None:
        """Remember where the point is after so many steps; what came later is forgotten."""
        if self.on_a_surface:
            at = [number(v) for v in np.ravel(self.script.model.at._a)]
            self.path[step:] = [at]

    # ---- one step, measured ----------------------------------------------------------------------

    def before(self, rows: Any) -> Any:
        """What is compared after the step: the parameters, and how one example is answered."""
        s = self.script
        self.output = self._answered(rows[:1]) if self.classes else {}
        self.times = [] if self.cell is None else self._over_time(rows)
        return [[np.array(p._a) for _, p in own] for _, _, own in layers_of(s.model)]

    def after(self, before: Any, step: int) -> None:
        """Norms and histograms of the step that was taken."""
        self.flow, self.measured = [], step
        for (path, module, own), old in zip(self.layers, before, strict=True):
            weights = np.concatenate([np.ravel(p._a) for _, p in own]).astype(np.float64)
            update = weights - np.concatenate([np.ravel(a) for a in old]).astype(np.float64)
            grads = [np.ravel(p.grad._a) for _, p in own if p.grad is not None]
            gradient = np.concatenate(grads).astype(np.float64) if grads else np.zeros(1)
            with np.errstate(all="ignore"):
                self.flow.append({
                    "name": path, "kind": type(module).__name__, "count": int(weights.size),
                    "gradient": number(np.linalg.norm(gradient)),
                    "weight": number(np.linalg.norm(weights)),
                    "update": number(np.linalg.norm(update)),
                    "weights": _histogram(weights), "updates": _histogram(update),
                })  # fmt: skip

    def _answered(self, rows: Any) -> dict[str, Any]:
        """Scores, probabilities and target of one example, and the gradient at the scores."""
        s = self.script
        was = s.model.training
        s.model.eval()
        scores = s.model(s.inputs[rows]).detach().requires_grad_()
        s.model.train(was)
        s.loss_function(scores, s.targets[rows]).backward()
        shifted = np.exp(scores._a[0] - scores._a[0].max())
        return {
            "scores": [number(v) for v in scores._a[0]],
            "probabilities": [number(v) for v in shifted / shifted.sum()],
            "target": int(self.targets[int(rows._a[0])]),
            "gradient": [number(v) for v in scores.grad._a[0]],
        }  # fmt: skip

    def _over_time(self, rows: Any) -> list[Any]:
        """How large the loss's gradient is at the state after each step of the sequence."""
        s, states = self.script, []

        def hear(module: Any, given: Any, out: Any) -> None:
            states.append(out[0] if isinstance(out, tuple) else out)

        cell: Any = self.cell
        handle, was = cell.register_forward_hook(hear), s.model.training
        s.model.eval()
        try:
            loss = s.loss_function(s.model(s.inputs[rows]), s.targets[rows])
            found = s.torch.autograd.grad(loss, states, allow_unused=True)
        finally:
            s.model.train(was)
            handle.remove()
        with np.errstate(all="ignore"):
            return [0.0 if g is None else number(np.linalg.norm(g._a)) for g in found]

    # ---- the picture -----------------------------------------------------------------------------

    def measures(self) -> dict[str, Any]:
        """What the last measured step was like."""
        return {
            "layers": self.flow, "output": self.output, "names": self.names, "times": self.times,
            "measured": self.measured, "classes": self.called,
        }  # fmt: skip

    def picture(self) -> dict[str, Any]:
        """What is drawn of the present state; changes nothing of it."""
        made = self.measures()
        if self.on_a_surface:
            return {**made, **self._surface()}
        if self.inputs.ndim != 2 or self.inputs.shape[1] > 2:
            return {**made, **self._without_a_plane()}
        sides = COARSE if self.inputs.shape[1] == 2 else FINE * 2
        rows = sides if self.inputs.shape[1] == 2 else 1
        grid = self._grid(sides)
        answers, units = self._run(self._joined(grid))
        count = len(self.inputs)
        made |= self._score(answers[:count])
        made["units"] = [_units(n, k, a[:count], a[count:], sides, rows) for n, k, a in units]
        made["range"] = [self.low, self.high]
        made["points"] = self._points()
        if self.inputs.shape[1] == 1:
            made["line"] = {"x": _listed(grid[:, 0]), "y": _listed(answers[count:, 0])}
        else:
            fine, _ = self._run(self._tensor(self._grid(FINE)))
            made["boundary"] = self._boundary(fine)
        return made

    def _without_a_plane(self) -> dict[str, Any]:
        """Inputs of many numbers: answers beside the truth, units over the sorted examples."""
        answers, units = self._run(self.script.inputs)
        truth = self.targets.reshape(len(self.targets), -1)[:, 0]
        some = np.argsort(truth, kind="stable")
        some = some[:: max(1, -(-len(some) // (FINE * 2)))]
        made = self._score(answers)
        made["units"] = [_units(n, k, a, a[some], len(some), 1) for n, k, a in units]
        if self.classes:
            said, count = answers.argmax(1), answers.shape[1]
            made["confusion"] = [
                [int(((truth == t) & (said == c)).sum()) for c in range(count)]
                for t in range(count)
            ]
        else:
            shown = slice(0, MOST_DRAWN)
            made["versus"] = {"x": _listed(truth[shown]), "y": _listed(answers[shown, 0])}
        return made

    def _run(self, x: Any) -> tuple[np.ndarray, list[tuple[str, str, np.ndarray]]]:
        """Answers, and what each activation gives, without a trace of having run."""
        model, seen = self.script.model, []

        def hear(name: str) -> Any:
            def note(module: Any, given: Any, out: Any) -> None:
                if len(seen) < MOST_LAYERS and out.ndim > 1 and len(out) == len(x):
                    seen.append((name, type(module).__name__, out._a.reshape(len(x), -1)))

            return note

        modules = [(n, m) for n, m in model.named_modules() if type(m).__name__ in SLOPES]
        handles = [m.register_forward_hook(hear(n)) for n, m in modules]
        was = model.training
        model.eval()
        try:
            with no_grad(), np.errstate(all="ignore"):
                answers = model(x)
        except (Exception, SystemExit) as problem:
            said = f"{type(problem).__name__}: {problem}"
            raise ProgramError(f"The model cannot be looked at. {said}") from problem
        finally:
            model.train(was)
            for handle in handles:
                handle.remove()
        shape = tuple(getattr(answers, "shape", ()))
        if len(shape) != 2 or shape[0] != len(x):
            raise ProgramError(
                f"The model gives {list(shape)} for {len(x)} examples. Fix: let it return a row "
                "of numbers for each example, a tensor of two dimensions."
            )
        return np.asarray(answers._a, np.float64), seen

    def _grid(self, sides: int) -> np.ndarray:
        line = np.linspace(self.low, self.high, sides)
        if self.inputs.shape[1] == 1:
            return line.reshape(-1, 1)
        across, down = np.meshgrid(line, line[::-1])
        return np.stack([across.ravel(), down.ravel()], 1)

    def _tensor(self, a: np.ndarray) -> Any:
        return self.script.torch.tensor(a.astype(np.float32))

    def _joined(self, grid: np.ndarray) -> Any:
        return self._tensor(np.concatenate([self.inputs, grid]))

    def _score(self, answers: np.ndarray) -> dict[str, Any]:
        if not self.classes:
            return {"error": number(np.mean((answers - self.targets) ** 2))}
        return {"accuracy": float((answers.argmax(1) == self.targets).mean())}

    def _points(self) -> list[list[float]]:
        shown = self.inputs[:MOST_DRAWN]
        targets = self.targets[:MOST_DRAWN].reshape(len(shown), -1)[:, :1]
        return np.round(np.concatenate([shown, targets], 1), 4).tolist()

    def _boundary(self, answers: np.ndarray) -> dict[str, Any]:
        """Per point the class and how sure it is; or the figure between its bounds."""
        if not self.classes:
            return {"side": FINE, "values": _bytes(answers[:, 0]), **_bounds(answers[:, 0])}
        with np.errstate(all="ignore"):
            shares = np.exp(answers - answers.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
        sure = np.nan_to_num(shares.max(1)) * 255
        classes = shares.argmax(1).astype(np.uint8)
        return {"side": FINE, "classes": _packed(classes), "sure": _packed(sure.astype(np.uint8))}

    def _surface(self) -> dict[str, Any]:
        line = np.linspace(-2.0, 2.0, FINE)
        x, y = np.meshgrid(line, line[::-1])
        height = x**2 - y**2 + y**4 / 4
        every = max(1, -(-len(self.path) // MOST_OF_PATH))
        shown = [*self.path[:-1:every], *self.path[-1:]]
        return {
            "range": [-2.0, 2.0], "points": [], "path": shown, "error": None,
            "boundary": {"side": FINE, "values": _bytes(height.ravel()), **_bounds(height.ravel())},
        }  # fmt: skip


def _units(
    name: str, kind: str, data: np.ndarray, grid: np.ndarray, side: int, rows: int
) -> dict[str, Any]:
    """One map per unit, and whether it is dead or saturated on the data."""
    states = [_state(kind, data[:, k]) for k in range(data.shape[1])]
    maps = [
        {"map": _bytes(grid[:, k]), **_bounds(grid[:, k]), "state": state}
        for k, state in enumerate(states[:MOST_UNITS])
    ]
    return {
        "name": name, "kind": kind, "side": side, "rows": rows, "units": maps,
        "count": len(states), "dead": states.count("dead"), "saturated": states.count("saturated"),
    }  # fmt: skip


def _state(kind: str, values: np.ndarray) -> str:
    """Dead: no slope on any example; saturated: next to none on nearly all."""
    name = SLOPES[kind]
    if kind == "ReLU":
        return "dead" if (values <= 0).all() else ""
    slopes = {"Tanh": 1 - values**2, "Sigmoid": values * (1 - values)}.get(kind)
    if slopes is None:
        return ""
    flat = slopes < FLAT * BEST_SLOPE[name]
    return "saturated" if flat.mean() > 0.95 else ""


def _bounds(values: np.ndarray) -> dict[str, Any]:
    finite = values[np.isfinite(values)]
    return {
        "low": float(finite.min()) if finite.size else 0.0,
        "high": float(finite.max()) if finite.size else 0.0,
    }


def _bytes(values: np.ndarray) -> str:
    """Values between their bounds as bytes; what is not finite or all the same is the middle."""
    bounds = _bounds(values)
    with np.errstate(all="ignore"):
        wide = bounds["high"] - bounds["low"]
        varies = wide > SAME * max(abs(bounds["low"]), abs(bounds["high"]))
        known = np.isfinite(values) & varies
        scaled = np.where(known, (values - bounds["low"]) / (wide or 1.0), 0.5)
    return _packed((scaled * 255).astype(np.uint8))


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _listed(values: np.ndarray) -> list[Any]:
    return [number(v) for v in values]


def _histogram(values: np.ndarray) -> dict[str, Any]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return {"low": 0.0, "high": 0.0, "counts": [0]}
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return {"low": low, "high": high, "counts": [int(finite.size)]}
    counts, _ = np.histogram(finite, BINS, (low, high))
    return {"low": low, "high": high, "counts": counts.tolist()}


__all__ = ["Look"]
