"""Calls of the initialisations, for any framework; recorded by tools/record/record_layers.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .layer_runs import Run

DETERMINISTIC = ("constant_", "ones_", "zeros_", "eye_", "dirac_")


@dataclass(frozen=True)
class Fill:
    """One call: a function of `nn.init` on a tensor of a shape."""

    name: str
    shape: tuple[int, ...]
    args: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name}{list(self.shape)}{self.args}"


FILLS = [
    Fill("uniform_", (3, 5)),
    Fill("uniform_", (40,), (-0.3, 2)),
    Fill("normal_", (3, 5), (0.5, 2.0)),
    Fill("normal_", (40,)),
    Fill("constant_", (3,), (0.3,)),
    Fill("ones_", (2,)),
    Fill("zeros_", (2,)),
    Fill("eye_", (3, 5)),
    Fill("dirac_", (4, 3, 3)),
    Fill("dirac_", (4, 2, 3, 3), (2,)),
    Fill("dirac_", (4, 6, 2, 3, 3), (2,)),
    Fill("xavier_uniform_", (5, 7)),
    Fill("xavier_uniform_", (5, 7, 3), (2.0,)),
    Fill("xavier_normal_", (5, 7, 3), (2.0,)),
    Fill("kaiming_uniform_", (5, 7), (0.3,)),
    Fill("kaiming_uniform_", (10, 2, 3, 3), (math.sqrt(5),)),
    Fill("kaiming_normal_", (5, 7, 2), (0, "fan_out", "relu")),
    Fill("kaiming_normal_", (5, 7), (0, "fan_in", "linear")),
    Fill("orthogonal_", (4, 4)),
    Fill("orthogonal_", (3, 5)),
    Fill("orthogonal_", (7, 3)),
    Fill("orthogonal_", (4, 2, 3), (0.5,)),
    Fill("sparse_", (7, 3), (0.3,)),
    Fill("sparse_", (20, 4), (0.9, 1.0)),
    Fill("trunc_normal_", (5,)),
    Fill("trunc_normal_", (5, 9), (0.0, 0.02)),
    Fill("trunc_normal_", (30,), (1.0, 1.0, 0.5, 9.0)),
    Fill("trunc_normal_", (5, 9), (0.0, 1.0, -0.1, 0.2)),
    Fill("trunc_normal_", (50,), (1.0, 1.0, 1.5, 9.0)),
]


def run_fill(torch: Any, fill: Fill) -> Run:
    """The values drawn, in both types and with a generator of one's own; what is drawn next."""
    found = Run()
    for dtype in ("float32", "float64"):
        for own in (False,) if fill.name in DETERMINISTIC else (False, True):
            torch.manual_seed(3)
            x = torch.nn.Parameter(torch.zeros(fill.shape, dtype=getattr(torch, dtype)))
            given = {"generator": torch.Generator().manual_seed(5)} if own else {}
            result = getattr(torch.nn.init, fill.name)(x, *fill.args, **given)
            assert result is x and x.requires_grad and x.grad_fn is None
            kind = f"{dtype} own generator" if own else dtype
            found.arrays[kind] = np.array(x.detach().numpy())
            found.arrays[f"next after {kind}"] = torch.rand(1).numpy()
    return found
