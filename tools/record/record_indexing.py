"""Record what PyTorch does with random indices: x[i], its gradient, and x[i] = v.

Runs in an interpreter with torch and NumPy; chainrule is not imported. Writes
tests/recorded/indexing.json, which tests/test_indexing.py compares with.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

TARGET = Path(__file__).resolve().parents[2] / "tests" / "recorded" / "indexing.json"
SHAPES = ((), (4,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (0, 3), (3, 0, 2))


def number(pick: random.Random, size: int) -> int:
    """A place in a dimension, seldom outside of it."""
    if pick.random() < 0.04 or size == 0:
        return pick.choice([size, -size - 1, size + 3])
    return pick.randrange(-size, size)


def slice_text(pick: random.Random, size: int) -> str:
    bound = lambda: pick.choice(["", "", str(pick.randint(-size - 1, size + 1))])  # noqa: E731
    step = pick.choice(["", "", "", ":2", ":1", ":3"])
    return f"slice({bound() or None}, {bound() or None}, {step[1:] or None})"


def line_text(pick: random.Random, size: int, length: int) -> str:
    return str([number(pick, size) for _ in range(length)])


def entry(pick: random.Random, size: int, lengths: list[int]) -> str:
    """One entry of an index that consumes one dimension."""
    kind = pick.choice(["int", "int", "slice", "slice", "slice", "tensor", "tensor", "list",
                        "mask", "array", "zero", "range"])  # fmt: skip
    if kind == "int":
        return str(number(pick, size))
    if kind == "slice":
        return slice_text(pick, size)
    length = pick.choice(lengths)
    if kind == "tensor":
        if pick.random() < 0.3:
            rows = [[number(pick, size) for _ in range(length)] for _ in range(pick.choice([1, 2]))]
            return f"torch.tensor({rows}, dtype=torch.int64)"
        dtype = pick.choice(["int64", "int64", "int32"])
        return f"torch.tensor({line_text(pick, size, length)}, dtype=torch.{dtype})"
    if kind == "list":
        return line_text(pick, size, length)
    if kind == "mask":
        length = size if pick.random() < 0.95 else size + 1
        return f"torch.tensor({[pick.random() < 0.5 for _ in range(length)]}, dtype=torch.bool)"
    if kind == "array":
        return f"np.array({line_text(pick, size, length)}, dtype=np.int64)"
    if kind == "zero":
        return f"torch.tensor({number(pick, size)})"
    return f"range({min(length, size)})"


def index_text(pick: random.Random, shape: tuple[int, ...]) -> str:
    """A random index for a tensor of this shape, as Python source."""
    lengths = [pick.choice([1, 2, 3])] if pick.random() < 0.85 else [1, 2, 3]
    count = pick.randint(0, len(shape)) if pick.random() < 0.97 else len(shape) + 1
    entries = []
    dim = 0
    while dim < count:
        if pick.random() < 0.08 and dim + 1 < len(shape):
            mask = np.random.RandomState(pick.randrange(1000)).rand(*shape[dim : dim + 2]) < 0.5
            entries.append(f"torch.tensor({mask.tolist()}, dtype=torch.bool)")
            dim += 2
            continue
        size = shape[dim] if dim < len(shape) else 2
        entries.append(entry(pick, size, lengths))
        dim += 1
    for extra, chance in (("None", 0.25), ("Ellipsis", 0.3), ("True", 0.04), ("False", 0.03)):
        if pick.random() < chance:
            entries.insert(pick.randint(0, len(entries)), extra)
    if len(entries) == 1 and pick.random() < 0.7:
        return entries[0]
    return f"({', '.join(entries)}{',' if entries else ''})"


def leaf(shape: tuple[int, ...]) -> Any:
    return torch.arange(float(np.prod(shape)), dtype=torch.float64).reshape(shape)


def weights(shape: Any) -> Any:
    return torch.arange(1.0, 1.0 + float(np.prod(tuple(shape))), dtype=torch.float64).reshape(shape)


def numbers(t: Any) -> list[int]:
    return [int(v) for v in t.detach().reshape(-1).tolist()]


def read(shape: tuple[int, ...], text: str) -> dict[str, Any]:
    x = leaf(shape).requires_grad_()
    try:
        y = x[eval(text)]
    except Exception as problem:
        return {"error": type(problem).__name__, "says": str(problem).split("\n")[0]}
    (y * weights(y.shape)).sum().backward()
    return {"shape": list(y.shape), "values": numbers(y), "grad": numbers(x.grad),
            "view": y._base is not None}  # fmt: skip


def value_shape(pick: random.Random, shape: list[int]) -> list[int]:
    """A shape that broadcasts to the given one, seldom one that does not."""
    if pick.random() < 0.06:
        return [*shape, 2]
    cut = pick.randint(0, len(shape))
    made = [1 if pick.random() < 0.3 else n for n in shape[cut:]]
    return [1, *made] if pick.random() < 0.15 else made


def write(shape: tuple[int, ...], text: str, value: list[int]) -> dict[str, Any]:
    x = leaf(shape).requires_grad_()
    v = (weights(value) * -1.0).requires_grad_()
    y = x * 1.0
    try:
        y[eval(text)] = v
    except Exception as problem:
        return {"error": type(problem).__name__, "says": str(problem).split("\n")[0]}
    (y * weights(y.shape)).sum().backward()
    grad = torch.zeros_like(v) if v.grad is None else v.grad
    return {"values": numbers(y), "grad": numbers(x.grad), "value_grad": numbers(grad)}


def main() -> None:
    warnings.simplefilter("ignore")
    pick = random.Random(2024)
    reads, writes = [], []
    for _ in range(900):
        shape = pick.choice(SHAPES)
        text = index_text(pick, shape)
        reads.append({"x": list(shape), "index": text, **read(shape, text)})
    good = [r for r in reads if "error" not in r]
    for r in pick.sample(good, 450):
        shape = tuple(r["x"])
        value = value_shape(pick, r["shape"])
        made = write(shape, r["index"], value)
        writes.append({"x": r["x"], "index": r["index"], "v": value, **made})
    lines = [",\n".join(json.dumps(r) for r in group) for group in (reads, writes)]
    TARGET.write_text(f'{{"reads": [\n{lines[0]}\n], "writes": [\n{lines[1]}\n]}}\n')
    failed = sum("error" in r for r in reads)
    print(f"{len(reads)} reads ({failed} errors), {len(writes)} writes -> {TARGET}")


if __name__ == "__main__":
    main()
