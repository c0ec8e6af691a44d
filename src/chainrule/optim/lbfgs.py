"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import in_words
from .before_step import check_state, check_step, foreign_state, is_number
from .checks import options
from .line_search import Point, minimum_between, strong_wolfe
from .optimizer import Optimizer, ParamsT
from .rule_optimizer import number


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last gradients (Liu and Nocedal, 1989).

    `step` needs a closure that computes the loss and its gradients, as it may ask several times:

    >>> import chainrule as torch
    >>> w = torch.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> first = optimizer.step(closure)
    >>> [round(x, 4) for x in w.tolist()]
    [1.0, 1.0]
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options(locals()))
        if len(self.param_groups) != 1:
            raise refusal.value(
                "LBFGS doesn't support per-parameter options (parameter groups): there are "
                f"{len(self.param_groups)}",
                fix="give one list of parameters.",
            )
        self._params = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    # ---- all parameters as one vector ------------------------------------------------------------

    def _flat_grad(self) -> Any:
        parts = []
        for p in self._params:
            grad = cr.zeros_like(p, requires_grad=False) if p.grad is None else p.grad
            grad = cr.view_as_real(grad) if grad.is_complex() else grad
            parts.append(grad.reshape(-1))
        return cr.cat(parts, 0)

    def _move(self, length: float, direction: Any) -> None:
        start = 0
        for p in self._params:
            p = cr.view_as_real(p) if p.is_complex() else p
            p.add_(direction[start : start + p.numel()].view(p.shape), alpha=length)
            start += p.numel()

    def _evaluate(self, closure: Callable[[], Any], saved: list[Any], t: float, d: Any) -> Any:
        """Loss and gradient at a distance along a direction; the parameters stay where they are."""
        self._move(t, d)
        loss = float(closure())
        grad = self._flat_grad()
        for p, value in zip(self._params, saved, strict=True):
            p.copy_(value)
        return loss, grad

    # ---- the step --------------------------------------------------------------------------------

    @cr.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Up to `max_iter` iterations; returns the loss at the start."""
        if closure is None:
            raise refusal.wrong_type(
                "step() missing 1 required positional argument: 'closure'",
                why="LBFGS evaluates the loss several times per step: pass a function that clears "
                "the gradients, computes the loss, calls backward() and returns the loss.",
            )
        evaluate: Callable[[], Any] = cr.enable_grad()(closure)
        group = self.param_groups[0]
        first_loss = evaluate()
        check_step(self, sparse=True)
        _check_method(group)
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        self._check_state(state)
        state["func_evals"] += 1
        grad = self._flat_grad()
        if float(grad.abs().max()) <= group["tolerance_grad"]:
            return first_loss
        self._iterate(evaluate, group, state, float(first_loss), grad)
        return first_loss

    def _check_state(self, state: dict[str, Any]) -> None:
        """Raise when the state is that of other parameters."""
        first = self._params[0]
        check_state(self, first, {}, ("func_evals", "n_iter"))
        if state["n_iter"]:
            whole = self._flat_grad()
            vectors = {name: state.get(name) for name in ("d", "prev_flat_grad")}
            for name in ("old_dirs", "old_stps", "ro"):
                kept = state.get(name)
                if not isinstance(kept, list) or len(kept) != len(state["old_dirs"]):
                    raise foreign_state("LBFGS", name, kept, first)
                if name != "ro":
                    vectors |= {f"{name}[{i}]": vector for i, vector in enumerate(kept)}
            numbers = {name: state.get(name) for name in ("t", "H_diag", "prev_loss")}
            for name, value in (*numbers.items(), *(("ro", value) for value in state["ro"])):
                if not is_number(value):
                    raise foreign_state("LBFGS", name, value, first)
            for name, vector in vectors.items():
                if (
                    not isinstance(vector, cr.Tensor)
                    or vector.shape != whole.shape
                    or vector.dtype is not whole.dtype
                ):
                    raise foreign_state("LBFGS", name, vector, first)

    def _iterate(
        self, closure: Callable[[], Any], group: dict[str, Any], state: dict[str, Any],
        loss: float, grad: Any,
    ) -> None:  # fmt: skip
        d: Any = state.get("d")
        t: Any = state.get("t")
        previous, previous_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        lr, evaluations, small = number(group["lr"]), 1, group["tolerance_change"]
        for n in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d = -grad
                state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            else:
                _remember(state, grad - previous, d * t, group["history_size"])
                d = _direction(state, grad, group["history_size"])
            previous, previous_loss = grad.clone(), loss
            start = min(1.0, 1.0 / float(grad.abs().sum())) if state["n_iter"] == 1 else 1.0
            t = start * lr
            slope = float(grad.dot(d))
            if slope > -small:
                break
            loss, grad, t, count = self._search(closure, group, n, evaluations, t, d, loss, grad)
            evaluations += count
            state["func_evals"] += count
            if (
                n == group["max_iter"]
                or evaluations >= group["max_eval"]
                or (count and float(grad.abs().max()) <= group["tolerance_grad"])
                or float((d * t).abs().max()) <= small
                or abs(loss - previous_loss) < small
            ):
                break
        state.update(d=d, t=t, prev_flat_grad=previous, prev_loss=previous_loss)

    def _search(
        self, closure: Callable[[], Any], group: dict[str, Any], n: int, evaluations: int,
        t: float, d: Any, loss: float, grad: Any,
    ) -> tuple[float, Any, float, int]:  # fmt: skip
        """Move along d: a fixed length, or one that the line search finds."""
        method = group["line_search_fn"]
        if method is None:
            self._move(t, d)
            if n == group["max_iter"]:  # nobody would look at the new gradient
                return loss, grad, t, 0
            loss = float(closure())
            return loss, self._flat_grad(), t, 1
        saved = [p.clone() for p in self._params]
        loss, grad, t, count = strong_wolfe(
            lambda length: self._evaluate(closure, saved, length, d),
            t, d, loss, grad, group["max_eval"] - evaluations,
        )  # fmt: skip
        self._move(t, d)
        return loss, grad, t, count


def _check_method(group: dict[str, Any]) -> None:
    method = group["line_search_fn"]
    if method not in (None, "strong_wolfe"):
        raise refusal.runtime(f"only 'strong_wolfe' is supported, not {in_words(method)}")


def _remember(state: dict[str, Any], y: Any, s: Any, history_size: int) -> None:
    """Keep a pair of changes of gradient and position if it has positive curvature."""
    curvature = y.dot(s)
    if float(curvature) <= 1e-10:
        return
    kept = (state["old_dirs"], state["old_stps"], state["ro"])
    if len(state["old_dirs"]) == history_size:
        for values in kept:
            values.pop(0)
    for values, value in zip(kept, (y, s, 1.0 / curvature), strict=True):
        values.append(value)
    state["H_diag"] = curvature / y.dot(y)


def _direction(state: dict[str, Any], grad: Any, history_size: int) -> Any:
    """The inverse Hessian, as the kept pairs tell it, times the negative gradient."""
    pairs = list(zip(state["old_dirs"], state["old_stps"], state["ro"], strict=True))
    shares = state.setdefault("al", [None] * history_size)
    q = -grad
    for i in range(len(pairs) - 1, -1, -1):
        y, s, inverse = pairs[i]
        shares[i] = s.dot(q) * inverse
        q = q - y * shares[i]
    r = q * state["H_diag"]
    for i, (y, s, inverse) in enumerate(pairs):
        r = r + s * (shares[i] - y.dot(r) * inverse)
    return r


def _cubic_interpolate(
    x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: Any = None
) -> float:
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    return minimum_between(Point(x1, f1, None, g1), Point(x2, f2, None, g2), low, high)


def _strong_wolfe(
    obj_func: Any, x: Any, t: float, d: Any, f: float, g: Any, gtd: float,
    c1: float = 1e-4, c2: float = 0.9, tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple[float, Any, float, int]:  # fmt: skip
    if (c1, c2, tolerance_change) != (1e-4, 0.9, 1e-9):
        raise NotImplementedError("other constants of the line search are not supported")
    return strong_wolfe(lambda length: obj_func(x, length, d), t, d, f, g, max_ls)
