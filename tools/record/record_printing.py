"""Record what PyTorch prints, as tests/recorded/printing.json. Needs torch; the tests do not.

Run it from anywhere: python tools/record/record_printing.py

An array is stored as a short list of values that is repeated until the shape is full, so that a
large tensor takes one line.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad

TARGET = Path(__file__).resolve().parents[2] / "tests" / "recorded" / "printing.json"

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
NAN, INF = math.nan, math.inf

# Values at the borders of the rules: whole or not, zero, signs, ratio 1000, 1e-4, 1e8, no number.
POOLS: tuple[tuple[float, ...], ...] = (
    (0.0,),
    (0.0, -0.0, 1.0),
    (1.0, 2.0, -3.0),
    (1.0, 1000.0),
    (1.0, 1001.0),
    (0.5, 500.0),
    (0.5, 500.5),
    (1e8,),
    (1e8 + 8,),
    (2e8, 3.0),
    (1e-4, 1.0e-3),
    (1e-5,),
    (0.0, 1e-6),
    (1.5, 2.25, -100.125, 0.0),
    (NAN,),
    (NAN, 1.0),
    (NAN, 1.5),
    (INF, -INF, 1.0),
    (-INF, 1e10),
    (0.1, 99.9999, 100.00001),
    (123456.789,),
    (1e-300, 1e300),
    (9.99999, 0.99999, 0.000999),
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"precision": 2},
    {"precision": 0},
    {"precision": 8},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"edgeitems": 2, "threshold": 20},
    {"edgeitems": 0, "threshold": 3},
    {"linewidth": 30},
    {"linewidth": 1},
    {"linewidth": 120},
    {"profile": "short"},
    {"profile": "full"},
    {"profile": "short", "precision": 5},
    {"profile": "no such profile"},
    {"sci_mode": True},
    {"sci_mode": False},
)


def as_json(value: Any) -> Any:
    if isinstance(value, complex):
        return [as_json(value.real), as_json(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def filled(pool: list, shape: list[int], dtype: str) -> tuple[torch.Tensor, list]:
    """The tensor, and the values of the pool after rounding to its type."""
    kind = getattr(torch, dtype)
    rounded = torch.tensor(pool).to(kind) if dtype in INTEGERS else torch.tensor(
        pool, dtype=torch.complex128 if dtype in COMPLEX else torch.float64
    ).to(kind)  # fmt: skip
    size = math.prod(shape)
    values = rounded.tolist()
    flat = [values[i % len(values)] for i in range(size)]
    return torch.tensor(flat, dtype=kind).reshape(shape), [as_json(value) for value in values]


def case(
    pool: list,
    shape: list[int],
    dtype: str = "float32",
    options: dict[str, Any] | None = None,
    default: str = "float32",
    kind: str = "plain",
) -> dict[str, Any]:
    tensor, values = filled(pool, shape, dtype)
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**(options or {}))
    torch.set_default_dtype(getattr(torch, default))
    record: dict[str, Any] = {"dtype": dtype, "shape": shape, "cycle": values, "kind": kind}
    if kind == "dual":
        with forward_ad.dual_level():
            tangent = torch.full_like(tensor, 1.5)
            record["tangent"] = f"{tangent}"
            record["text"] = repr(forward_ad.make_dual(tensor, tangent))
    else:
        record["text"] = repr(dressed(tensor, kind))
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    if options:
        record["options"] = options
    if default != "float32":
        record["default"] = default
    return record


class Named(torch.Tensor):
    """A subclass prints under its own name."""


class NamedParameter(torch.nn.Parameter):
    """A subclass of Parameter prints both names."""


def dressed(tensor: torch.Tensor, kind: str) -> torch.Tensor:
    if kind == "leaf":
        return tensor.requires_grad_()
    if kind == "cloned":
        return tensor.requires_grad_().clone()
    if kind == "parameter":
        return torch.nn.Parameter(tensor)
    if kind == "frozen parameter":
        return torch.nn.Parameter(tensor, requires_grad=False)
    if kind == "meta":
        return tensor.to("meta")
    if kind == "subclass":
        return tensor.as_subclass(Named)
    if kind == "parameter subclass":
        return NamedParameter(tensor)
    return tensor


def border_cases() -> list[dict[str, Any]]:
    records = []
    for pool in POOLS:
        for dtype in ("float32", "float64"):
            records.append(case(list(pool), [len(pool)], dtype))
        records.append(case([pool[-1]], [], "float32"))
        mixed = [complex(pool[i], pool[-1 - i]) for i in range(len(pool))]
        records.append(case(mixed, [len(pool)], "complex128"))
    for options in OPTIONS:
        records.append(case([1.23456, 1e5, 3.0], [3], options=options))
        records.append(case([float(i) for i in range(24)], [4, 6], options=options))
        records.append(case([1.5 + 1j, 3 - 20.25j], [2, 4], "complex64", options))
        records.append(case([2.0], [], options=options))
    return records


def shape_cases() -> list[dict[str, Any]]:
    records = []
    numbers = [float(i) for i in range(30)]
    shapes = [0], [0, 3], [2, 0, 3], [1], [30], [1, 30], [2, 3, 4], [2, 2, 1, 2]
    large = [1000], [1001], [11, 101], [20, 2, 30], [7, 5, 6, 7], [1, 3000], [3000, 1]
    for shape in (*shapes, *large):
        records.append(case(numbers, list(shape), "float32"))
        records.append(case([int(n) for n in numbers], list(shape), "int64"))
    for dtype in (*FLOATS, *COMPLEX):
        records.append(case([1.5, -20.0, 0.1], [5], dtype))
        records.append(case([1.5], [0, 2], dtype))
        records.append(case([1.0], [3], dtype, default="float64"))
        records.append(case([1.0], [0], dtype, default="float64"))
        records.append(case([0.25], [3], dtype, default="float16"))
    for dtype in INTEGERS:
        records.append(case([1, 20, 100], [7], dtype))
        records.append(case([7], [], dtype))
    for shape in [], [0], [3], [2, 40]:
        records.append(case([True, False, False], shape, "bool"))
    records.append(case([True], [2], "bool"))
    return records


def kind_cases() -> list[dict[str, Any]]:
    records = []
    kinds = (
        "leaf", "cloned", "parameter", "frozen parameter", "meta", "subclass",
        "parameter subclass", "dual",
    )  # fmt: skip
    for kind in kinds:
        for shape in [], [3], [2, 3], [9], [2, 12], [0, 2]:
            records.append(case([0.25, 1.5, -3.125], shape, "float32", kind=kind))
            records.append(case([0.25, 1.5, -3.125], shape, "float64", kind=kind))
    for width in range(36, 66, 3):
        records.append(case([1.0], [4], "float64", {"linewidth": width}, kind="cloned"))
    records.append(case([1, 2], [2], "int64", kind="meta"))
    records.append(case([True], [2], "bool", kind="meta"))
    return records


def random_cases(count: int) -> list[dict[str, Any]]:
    rng = random.Random(20240607)
    records = []
    for _ in range(count):
        dtype = rng.choice((*FLOATS, *COMPLEX, "int64", "int16"))
        scale = 10 ** rng.uniform(-6, 9)
        pool: list[Any] = [rng.gauss(0, 1) * scale for _ in range(rng.randint(1, 8))]
        if rng.random() < 0.4:
            pool = [float(round(value)) for value in pool]
        if rng.random() < 0.3:
            pool += rng.sample([NAN, INF, -INF, 0.0, -0.0], 2)
        if dtype in COMPLEX:
            pool = [complex(value, rng.choice(pool)) for value in pool]
        if dtype.startswith("int"):
            pool = [rng.randint(-(10**k), 10**k) for k in range(rng.randint(1, 5))]
        shape = [rng.choice((1, 2, 3, 5, 8)) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
        kind = rng.choice(("plain", "plain", "leaf", "cloned", "parameter"))
        options = rng.choice(OPTIONS)
        records.append(case(pool, shape, dtype, options, kind="plain" if "int" in dtype else kind))
    return records


def format_cases() -> list[dict[str, Any]]:
    records = []
    for value, dtype in ((0.1, "float32"), (1.5, "bfloat16"), (2, "int64"), (1 + 2j, "complex64"),
                         (True, "bool")):  # fmt: skip
        tensor, values = filled([value], [], dtype)
        for spec in ("", ".3f", ">10", "d", "e", "s"):
            record = {"dtype": dtype, "shape": [], "cycle": values, "spec": spec}
            try:
                record["text"] = format(tensor, spec)
            except (TypeError, ValueError) as error:
                record["error"] = [type(error).__name__, str(error)]
            records.append(record)
    return records


def main() -> None:
    recorded = {
        "torch": torch.__version__,
        "text": border_cases() + shape_cases() + kind_cases() + random_cases(120),
        "format": format_cases(),
    }
    lines = ",\n".join(json.dumps(record) for record in recorded["text"])
    formats = ",\n".join(json.dumps(record) for record in recorded["format"])
    TARGET.write_text(
        f'{{"torch": {json.dumps(recorded["torch"])},\n"text": [\n{lines}\n],\n'
        f'"format": [\n{formats}\n]}}\n'
    )
    print(f"{len(recorded['text'])} texts and {len(recorded['format'])} formats in {TARGET.name}")


if __name__ == "__main__":
    main()
