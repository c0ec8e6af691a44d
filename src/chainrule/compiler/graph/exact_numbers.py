"""When two numbers are the same to code that looks closely: type, sign of zero, NaN."""

from __future__ import annotations

import struct
from typing import Any, cast

import numpy as np


def exact(x: Any) -> Any:
    """A key that tells apart all that code can tell apart: types, the sign of zero, NaNs."""
    if type(x) is float:
        return (float, struct.pack("d", x))
    if type(x) is complex:
        return (complex, struct.pack("dd", x.real, x.imag))
    return (type(x), x)


def same_number(a: Any, b: Any) -> bool:
    """Whether code cannot tell them apart: same type, and the same bits; NaN equals itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float | complex):  # NumPy's double is a float too
        if a != a or b != b:
            return a != a and b != b
        return a == b and (bool(a) or str(a) == str(b))
    if isinstance(a, np.generic):
        return a.tobytes() == b.tobytes()
    if isinstance(a, tuple):
        mine = cast("tuple[Any, ...]", a)
        return len(mine) == len(b) and all(map(same_number, mine, b))
    return bool(a == b)
