"""Recorded PyTorch results: an index (JSON) per family into one array of numbers (NPZ).

    index = {"tanh-0": {"digest": 123, "out": [piece], "grads": [piece or null], "dtypes": {
        "float32": [piece]}}}
    piece = {"dtype": "float64", "shape": [3, 4], "at": 120}    a tensor: numbers[120 : 132]
          | {"python": true}                                    any other result

Complex numbers are stored as real and imaginary parts, one after the other.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent.parent / "recorded" / "ops"


class Recorder:
    """Collects pieces while a family is recorded."""

    def __init__(self) -> None:
        self.index: dict[str, Any] = {}
        self._numbers: list[np.ndarray] = []
        self._count = 0

    def piece(self, values: np.ndarray, dtype: str) -> dict[str, Any]:
        """Store an array (float64, complex128, int or bool) under its type's name."""
        kind = values.dtype.kind
        flat = np.ascontiguousarray(values, np.complex128 if kind == "c" else np.float64)
        numbers = flat.reshape(-1).view(np.float64)
        made = {"dtype": dtype, "shape": list(values.shape), "at": self._count}
        self._numbers.append(numbers)
        self._count += numbers.size
        return made

    def write(self, family: str) -> None:
        """Write the family's two files; equal content gives equal bytes."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        numbers = np.concatenate([*self._numbers, np.zeros(0)])
        np.savez_compressed(FOLDER / f"{family}.npz", numbers=numbers)
        entries = (
            f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}"
            for k, v in self.index.items()
        )
        (FOLDER / f"{family}.json").write_text("{\n" + ",\n".join(entries) + "\n}\n")


class Recording:
    """The recorded results of one family."""

    def __init__(self, family: str) -> None:
        self.family = family
        path = FOLDER / f"{family}.json"
        self.index: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        self._numbers = np.zeros(0)
        if self.index:
            with np.load(FOLDER / f"{family}.npz") as stored:
                self._numbers = stored["numbers"]

    def of(self, key: str, digest: int) -> dict[str, Any]:
        """The record of a sample; an error says how to make one."""
        found = self.index.get(key)
        again = f"run: python tools/record/record_ops.py {self.family} (with torch installed)"
        assert found is not None, f"no recorded PyTorch result for {key}; {again}"
        assert found["digest"] == digest, f"{key} was recorded for other arguments; {again}"
        return found

    def array(self, piece: dict[str, Any]) -> np.ndarray:
        """The values of a piece, as float64 or complex128."""
        is_complex = piece["dtype"].startswith("complex")
        count = int(np.prod(piece["shape"])) * (2 if is_complex else 1)
        part = self._numbers[piece["at"] : piece["at"] + count]
        return (part.view(np.complex128) if is_complex else part).reshape(piece["shape"])


@functools.cache
def recording(family: str) -> Recording:
    """The recording of a family, read once."""
    return Recording(family)
