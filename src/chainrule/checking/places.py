"""How reports name an entry of a tensor and write the numbers found there."""

from __future__ import annotations

from typing import Any

import numpy as np


def place(name: str, number: int, flat: int, shape: Any) -> str:
    """`input 0[2, 1]`; a 0-dim tensor has no index."""
    index = ", ".join(str(int(k)) for k in np.unravel_index(flat, tuple(shape))) if shape else ""
    return f"{name} {number}[{index}]" if index else f"{name} {number}"


def number(value: Any) -> str:
    """A value with eight digits (differences are no better), complex ones in parentheses."""
    if np.iscomplexobj(value) and np.imag(value) == 0:
        value = np.real(value)
    return f"({value:.8g})" if np.iscomplexobj(value) else f"{value:.8g}"
