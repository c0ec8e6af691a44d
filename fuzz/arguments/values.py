"""Nonsense to pass for an argument, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import chainrule as torch

ABSURD: dict[str, Callable[[], Any]] = {
    "0": lambda: 0,
    "-1": lambda: -1,
    "7": lambda: 7,
    "10**6": lambda: 10**6,
    "2**62": lambda: 2**62,
    "2**63": lambda: 2**63,
    "-2**63": lambda: -(2**63),
    "-10**30": lambda: -(10**30),
    "10**400": lambda: 10**400,
    "2.5": lambda: 2.5,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "1j": lambda: 1j,
    "True": lambda: True,
    "None": lambda: None,
    "'x'": lambda: "x",
    "b'x'": lambda: b"x",
    "object()": object,
    "()": tuple,
    "[]": list,
    "{}": dict,
    "(0, -1)": lambda: (0, -1),
    "(2**62, 2**62)": lambda: (2**62, 2**62),
    "['x']": lambda: ["x"],
    "[[1], [2, 3]]": lambda: [[1], [2, 3]],
    "(None,)": lambda: (None,),
    "slice": lambda: slice(None),
    "float": lambda: float,
    "torch.int8": lambda: torch.int8,
    "empty": lambda: torch.empty(0),
    "empty[0, 3]": lambda: torch.empty(0, 3),
    "scalar": lambda: torch.tensor(2.5),
    "bool[3]": lambda: torch.tensor([True, False, True]),
    "int64[2, 3] of -5": lambda: torch.full((2, 3), -5),
    "nan[3]": lambda: torch.full((3,), math.nan),
    "complex[2]": lambda: torch.ones(2, dtype=torch.complex64),
    "half[3, 3]": lambda: torch.ones(3, 3, dtype=torch.half),
    "meta[3]": lambda: torch.empty(3, device="meta"),
    "[5 dims]": lambda: torch.ones(1, 2, 1, 2, 1),
}
