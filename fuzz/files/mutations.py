"""Good files with something changed, and the good files themselves."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import chainrule as torch

_RECORDED = Path(__file__).resolve().parents[2] / "tests" / "recorded" / "saving"
_EXTREMES = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80")


def good_files() -> list[tuple[str, bytes]]:
    """(ending, bytes) of files that load, and of some that would run code if they did."""
    found = [("pt", path.read_bytes()) for path in sorted(_RECORDED.glob("*.pt"))]
    x = torch.arange(24.0).reshape(4, 6)
    values = {
        "views": {"a": x, "b": x.t(), "c": x[1:3, ::2], "d": x[:1].expand(5, 6), "e": x[:0]},
        "types": [x.to(t) for t in (torch.float16, torch.bfloat16, torch.int8, torch.bool)],
        "model": torch.nn.Linear(3, 2).state_dict(),
        "sparse": x.to_sparse(),
        "plain": {"step": 3, "name": "run", "lr": [0.1, (1, 2)], "set": {1, 2}, "b": b"bytes"},
        "parameter": torch.nn.Parameter(x.clone()),
    }
    for value in (*values.values(), *_unloadable(x)):
        file = io.BytesIO()
        torch.save(value, file)
        found.append(("pt", file.getvalue()))
    from chainrule.serialization import tensors_file

    for metadata in (None, {"made": "by hand"}):
        file = io.BytesIO()
        tensors_file.write({"a": x, "b": x.t().clone(), "i": torch.arange(7)}, file, metadata)
        found.append(("safetensors", file.getvalue()))
    return [(ending, data) for ending, data in found if len(data) < 60_000]


def _unloadable(x: torch.Tensor) -> list[Any]:
    """What needs names that are not on the list: modules, graphs, exports, other tensors."""
    net = torch.nn.Sequential(torch.nn.Linear(6, 2), torch.nn.ReLU())
    exported = torch.export.export(net, (x,))
    held = {"chainrule_export": exported.graph_module, "inputs": exported.example_inputs}
    rows = torch.nested.nested_tensor([x[:1], x[:3]], layout=torch.jagged)
    return [
        net, torch.fx.symbolic_trace(net), held, rows, torch.Generator(),
        torch.quantize_per_tensor(x, 0.1, 3, torch.quint8),
        torch.masked.masked_tensor(x, x > 3),
    ]  # fmt: skip


def mutated(chance: Random, good: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """A good file with one to four changes, in its pickle alone or anywhere."""
    ending, data = chance.choice(good)
    if data.startswith(b"PK") and chance.random() < 0.6:
        return ending, _with_changed_records(chance, data)
    for _ in range(chance.randrange(1, 5)):
        data = changed(chance, data, chance.choice(good)[1])
    return ending, data


def changed(chance: Random, data: bytes, other: bytes) -> bytes:
    """One change."""
    if not data:
        return other[:10]
    at = chance.randrange(len(data))
    end = min(len(data), at + chance.randrange(1, 40))
    kind = chance.randrange(8)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + chance.randbytes(end - at) + data[end:]
    if kind == 2:
        return data[:at] + data[end:]
    if kind == 3:
        return data[:end] + data[at:end] * chance.choice([1, 3, 200]) + data[end:]
    if kind == 4:
        return data[:at] if chance.random() < 0.3 else data[:at] + bytes([data[at] + 1 & 255])
    if kind == 5:
        start = chance.randrange(len(other))
        return data[:at] + other[start : start + chance.randrange(1, 60)] + data[at:]
    if kind == 6:
        return data[:at] + chance.choice(_EXTREMES) + data[at + 4 :]
    return data[:at] + struct.pack("<Q", chance.choice([0, 2**63, 2**64 - 1])) + data[at + 8 :]


def _with_changed_records(chance: Random, data: bytes) -> bytes:
    """Changed inside the records, with checksums that fit."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            info.CRC = None  # type: ignore[assignment]  # one file has none
            part = old.read(info)
            if info.filename.endswith("data.pkl") or chance.random() < 0.1:
                for _ in range(chance.randrange(1, 5)):
                    part = changed(chance, part, part or b"x")
            new.writestr(info.filename, part)
    return file.getvalue()
