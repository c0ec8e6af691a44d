"""Calls as text, run under any package with PyTorch's names, and their results in short.

`tools/record/record_calls.py` finds out which calls PyTorch accepts and records the results in
`tests/recorded/calls.json`. The names in a call that are no names of Python are the tensors of
`POOL`, made anew for every call. This module imports NumPy only: the recorder runs it under
PyTorch.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def _draw(seed: int, *shape: int) -> np.ndarray:
    values = np.random.default_rng(seed).uniform(0.1, 0.9, shape)
    return values.astype(np.float32)


def _spd() -> np.ndarray:
    root = _draw(3, 3, 3)
    return (root @ root.T + 2 * np.eye(3)).astype(np.float32)


# name -> array. Floats are in (0.1, 0.9): in the domain of nearly every function.
POOL: dict[str, np.ndarray] = {
    "m": _draw(0, 3, 3), "n": _draw(1, 3, 3), "o": _draw(2, 3, 3), "p": _spd(),
    "v": np.sort(_draw(4, 3)), "w": _draw(5, 3), "s": _draw(6), "t": _draw(7, 2, 3, 3),
    "u": _draw(8, 2, 3, 3), "r": _draw(9, 2, 3, 3), "sig": _draw(10, 1, 2, 6),
    "img": _draw(11, 1, 2, 4, 4), "vol": _draw(12, 1, 2, 4, 4, 4),
    "ker1": _draw(13, 2, 2, 2), "ker2": _draw(14, 2, 2, 2, 2),
    "ker3": _draw(15, 2, 2, 2, 2, 2), "v2": _draw(16, 2), "i": np.array([0, 2, 1]),
    "j": np.array([[0, 2, 1], [1, 0, 0], [2, 2, 1]]),
    "i3": np.array([[[0, 2, 1], [1, 0, 0], [2, 2, 1]]] * 2),
    "k": np.array(1), "b": _draw(0, 3, 3) > 0.5, "bv": np.array([True, False, True]),
    "z": (_draw(17, 3, 3) + 1j * _draw(18, 3, 3)).astype(np.complex64),
    "d": _draw(19, 3, 3).astype(np.float64), "low": np.tril(_spd()),
    "i32": np.array([0, 2, 1], dtype=np.int32),
    "grid": _draw(20, 1, 3, 3, 2), "one": np.ones(1, dtype=np.float32), "q": _draw(21, 4, 3),
    "u8": np.array([3, 1, 2], dtype=np.uint8),
}  # fmt: skip


class Space(Mapping[str, Any]):
    """The names a call may use: tensors of the pool, each made when it is first named."""

    def __init__(self, package: Any) -> None:
        self.package = package
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            array = POOL[name]
            tensor = self.package.from_numpy(
                array.copy() if array.ndim else array.reshape(1).copy()
            )
            self.made[name] = tensor if array.ndim else tensor.reshape(())
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(POOL)

    def __len__(self) -> int:
        return len(POOL)


def run(package: Any, call: str, seed: int = 0) -> Any:
    """The result of a call, in short; raises what it raises."""
    package.manual_seed(seed)
    space = {"torch": package, "F": package.nn.functional}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return short(eval(call, space, Space(package)))


def short(value: Any) -> Any:
    """A result as JSON can hold it: the type, the shape and two sums of a tensor."""
    if hasattr(value, "dtype") and hasattr(value, "layout") and hasattr(value, "shape"):
        facts = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        return [facts, *_sums(value)]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return round(float(value), 5)
    if isinstance(value, complex):
        return [round(value.real, 5), round(value.imag, 5)]
    if isinstance(value, tuple | list):
        return [short(v) for v in value]
    return f"<{type(value).__name__}>"


def _sums(tensor: Any) -> list[float]:
    tensor = tensor.detach()
    if "sparse" in str(tensor.layout):
        tensor = tensor.to_dense()
    if str(tensor.dtype) in ("torch.bfloat16",) or "float8" in str(tensor.dtype):
        tensor = tensor.float()
    if tensor.device.type == "meta" or tensor.numel() == 0:
        return []
    array = tensor.resolve_conj().resolve_neg().numpy().astype(np.complex128).reshape(-1)
    array = np.where(np.isfinite(array), array, 77.0)
    weights = np.cos(np.arange(array.size))
    weighed = complex((array * weights).sum())
    return [_rounded(complex(array.sum()).real), _rounded(weighed.real + 2 * weighed.imag)]


def _rounded(x: float) -> float:
    return float(f"{x:.5g}")


def agree(ours: Any, theirs: Any) -> bool:
    """Whether two results in short are the same, up to rounding."""
    if isinstance(theirs, list) and isinstance(ours, list):
        if theirs[-1:] == ["shape"]:  # random, or free to choose: the type and the shape count
            return ours[:1] == theirs[:1]
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=2e-3, abs_tol=2e-3)
    return bool(ours == theirs)
