"""A loss as SciPy sees it: a function of one vector of doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal


class Objective:
    """A loss as a function of one vector of doubles, in which all parameters lie one after the
    other (real and imaginary parts of complex ones too), as SciPy and other solvers want it.

    `loss` takes no arguments and returns a tensor of one element; it reads the parameters, whose
    values every method here sets first. Their `.grad` is left alone.

    >>> import chainrule as torch
    >>> from chainrule.interop.scipy import Objective
    >>> x = torch.tensor([3., 4.], requires_grad=True)
    >>> objective = Objective(lambda: (x**2).sum(), x)
    >>> objective.value_and_gradient(objective.x0)
    (25.0, array([6., 8.]))
    >>> objective.hessian_product(objective.x0, [1.0, 0.0])
    array([2., 0.])
    """

    def __init__(self, loss: Callable[[], Any], params: Any) -> None:
        self.loss = loss
        self.params = _checked(params)
        self._at: tuple[np.ndarray, list[int]] | None = None  # the point last set, and versions
        self._graph: list[Any] | None = None  # gradients there that can be differentiated

    @property
    def x0(self) -> np.ndarray:
        """The parameters as they are now."""
        return self._joined(self.params)

    def assign(self, x: Any) -> None:
        """Give the parameters the values of a vector."""
        x = np.asarray(x, np.float64)
        sizes = [p.numel() * (2 if p.is_complex() else 1) for p in self.params]
        if x.shape != (sum(sizes),):
            raise refusal.value(
                f"the parameters are {sum(sizes)} numbers, not a vector of shape {x.shape}"
            )
        if self._at is not None and self._at[1] == self._versions():
            if np.array_equal(self._at[0], x):
                return
        start, self._graph = 0, None
        with torch.no_grad():
            for p, size in zip(self.params, sizes, strict=True):
                part, start = x[start : start + size].copy(), start + size
                if p.is_complex():
                    part = part.view(np.complex128)
                p.copy_(torch.from_numpy(part).reshape(p.shape))
        self._at = x.copy(), self._versions()

    def _versions(self) -> list[int]:
        return [p._version for p in self.params]

    def value(self, x: Any) -> float:
        """The loss at x."""
        self.assign(x)
        with torch.no_grad():
            return self._number(self.loss())

    def value_and_gradient(self, x: Any) -> tuple[float, np.ndarray]:
        """The loss at x and its gradient there; parameters that it does not depend on get zeros."""
        self.assign(x)
        with torch.enable_grad():
            loss = self.loss()
            value = self._number(loss)
            return value, self._joined(self._gradients(loss, create_graph=False))

    def hessian_product(self, x: Any, v: Any) -> np.ndarray:
        """The Hessian at x times v, without the Hessian: one backward pass of the gradient."""
        x, v = np.asarray(x, np.float64), np.asarray(v, np.float64)
        with torch.enable_grad():
            gradients = self._gradients_at(x)
            directions = self._divided(v)
            slope: Any = None
            for g, d in zip(gradients, directions, strict=True):
                term = (g.conj() * d).real.sum() if g.is_complex() else (g * d).sum()
                slope = term if slope is None else slope + term
            if slope is None or not slope.requires_grad:  # the gradient is constant
                return np.zeros(v.shape)
            return self._joined(self._gradients(slope, create_graph=False, keep=True))

    def hessian(self, x: Any) -> np.ndarray:
        """The Hessian at x, a column for every number: for problems of few parameters."""
        return np.stack([self.hessian_product(x, row) for row in np.eye(len(self.x0))], axis=1)

    # ---- vectors and tensors -----------------------------------------------------------------

    def _gradients_at(self, x: np.ndarray) -> list[Any]:
        """Gradients that can be differentiated: made once for all products at a point."""
        self.assign(x)
        if self._graph is None:
            loss = self.loss()
            self._number(loss)
            self._graph = self._gradients(loss, create_graph=True)
        return self._graph

    def _gradients(self, of: Any, *, create_graph: bool, keep: bool = False) -> list[Any]:
        if not of.requires_grad:
            raise RuntimeError(
                "the loss does not depend on the parameters: it has no gradient\n"
                "  Fix: compute it from the very tensors that were given as parameters, without "
                "detach(), item() or no_grad()."
            )
        return list(
            torch.autograd.grad(
                of, self.params, create_graph=create_graph, retain_graph=keep or create_graph,
                allow_unused=True, materialize_grads=True,
            )
        )  # fmt: skip

    def _joined(self, tensors: Iterable[Any]) -> np.ndarray:
        arrays = [t.detach().resolve_conj().reshape(-1).numpy() for t in tensors]
        parts = [a.astype(np.complex128).view(np.float64) if a.dtype.kind == "c" else a
                 for a in arrays]  # fmt: skip
        return np.concatenate([np.asarray(a, np.float64) for a in parts])

    def _divided(self, v: np.ndarray) -> list[Any]:
        """A vector as tensors like the parameters."""
        made, start = [], 0
        for p in self.params:
            size = p.numel() * (2 if p.is_complex() else 1)
            part, start = v[start : start + size].copy(), start + size
            part = part.view(np.complex128) if p.is_complex() else part
            made.append(torch.from_numpy(part).reshape(p.shape).to(p.dtype))
        return made

    @staticmethod
    def _number(loss: Any) -> float:
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or loss.is_complex():
            shape = f"a tensor of shape {list(loss.shape)} and type {loss.dtype}" if isinstance(
                loss, torch.Tensor) else f"{type(loss).__name__}"  # fmt: skip
            raise TypeError(
                f"the loss must return a real tensor of one element, not {shape}\n"
                "  Fix: return its .sum() or .mean()."
            )
        return float(loss.detach())


def _checked(params: Any) -> list[Any]:
    """The parameters, each once: leaves that require gradients."""
    given = [params] if isinstance(params, torch.Tensor) else list(params)
    if not given:
        raise ValueError("minimize got an empty parameter list")
    for k, p in enumerate(given):
        if not isinstance(p, torch.Tensor):
            raise TypeError(f"parameter {k} is {type(p).__name__}, not a tensor")
        if not p.is_leaf or not p.requires_grad:
            raise ValueError(
                f"can't optimize a non-leaf Tensor: parameter {k} of shape {list(p.shape)} is "
                + ("the result of an operation" if not p.is_leaf else "one without requires_grad")
                + "\n  Fix: x = x.detach().requires_grad_(), and compute the loss from that."
            )
    return list({id(p): p for p in given}.values())
