"""Sizes of gradients, weights and updates over a run; shared by the rules that judge numbers.

Taken at the steps that are looked at, from at most `SAMPLE` elements of each parameter: nothing
big is copied.
"""

from __future__ import annotations

import math
from typing import Any
from weakref import ref

import numpy as np

from .run import OptimizerRecord, Pass, Run, Step
from .series import Series

SAMPLE = 1024


class History:
    """What is known of one parameter."""

    def __init__(self, parameter: Any, optimizer: OptimizerRecord) -> None:
        self.ref = ref(parameter)
        self.optimizer = optimizer
        self.shape = tuple(parameter.shape)
        self.gradient = Series()  # root mean square
        self.weight = Series()
        self.update = Series()  # of the step, relative to the weights
        self.before: np.ndarray | None = None

    @property
    def is_weight(self) -> bool:
        return len(self.shape) >= 2 and min(self.shape) >= 1 and math.prod(self.shape) > 1


class Vitals:
    """The histories of all parameters that some optimizer steps."""

    hears_all = True

    def __init__(self, run: Run) -> None:
        self.run = run
        self.histories: dict[int, History] = {}
        self.order: list[int] = []  # ids of leaves, those used first come first
        self.rates: dict[int, float] = {}  # by optimizer: the largest rate there was

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site > 3:
            return
        first: dict[int, int] = {}
        for v in this.nodes:  # the latest node first: the earliest use wins
            for link in v.inputs:
                if link.parent.leaf is not None:
                    first[id(link.parent.leaf)] = v.key
        known = set(self.order)
        new = sorted((k for k in first if k not in known), key=lambda k: -first[k])
        self.order += new

    def step_begins(self, this: Step) -> None:
        record = this.optimizer
        rates = record.rates()
        if rates:
            self.rates[id(record)] = max(self.rates.get(id(record), 0.0), *rates)
        if not this.looked:
            return
        parameters = [p for p in record.parameters if p.grad is not None]
        wide = any(p.ndim >= 2 for p in parameters)
        for p in parameters:
            history = self._of(p, record)
            if wide and p.ndim < 2 and history.weight.points:
                continue  # biases and scales: only where they began
            g, w = sample(p.grad), sample(p)
            if g is None or w is None or not g.size:
                continue
            history.gradient.add(this.number, rms(g))
            history.weight.add(this.number, rms(w))
            history.before = w  # `sample` has copied

    def step_ends(self, this: Step) -> None:
        if not this.looked:
            return  # the rates of all steps are kept, their sizes are not
        for p in this.optimizer.parameters:
            history = self.histories.get(id(p))
            if history is None or history.before is None or history.ref() is not p:
                continue
            after = sample(p)
            size = rms(history.before)
            if after is not None and size > 0:
                history.update.add(this.number, rms(after - history.before) / size)
            history.before = None

    def _of(self, p: Any, record: OptimizerRecord) -> History:
        found = self.histories.get(id(p))
        if found is None or found.ref() is not p:
            found = self.histories[id(p)] = History(p, record)
        return found

    def weights(self) -> list[tuple[int, History]]:
        """Matrices and kernels in the order in which the forward pass uses them."""
        place = {k: n for n, k in enumerate(self.order)}
        found = [(k, h) for k, h in self.histories.items() if h.is_weight and k in place]
        return sorted(found, key=lambda item: place[item[0]])


def sample(tensor: Any) -> np.ndarray | None:
    """At most `SAMPLE` elements of a tensor, evenly spread, as float64."""
    a = getattr(tensor, "_a", None)
    if not isinstance(a, np.ndarray) or a.dtype.kind not in "fV":
        return None
    flat = a.reshape(-1) if a.flags.c_contiguous else a.ravel()
    return flat[:: max(1, flat.size // SAMPLE)].astype(np.float64)


def rms(a: np.ndarray) -> float:
    """The root of the mean square."""
    return math.sqrt(float(a @ a) / a.size) if a.size else 0.0


__all__ = ["History", "Vitals", "rms", "sample"]
