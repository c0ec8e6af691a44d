"""Objects that are saved by PyTorch (recorded) and by chainrule, built with either library."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any


def numbers(torch: Any, *shape: int, dtype: Any = None) -> Any:
    """Small known values."""
    count = 1
    for n in shape:
        count *= n
    values = torch.arange(count, dtype=torch.float32).reshape(shape) / 4 - 1
    return values if dtype is None else values.to(dtype)


def _types(torch: Any) -> Any:
    names = (
        "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
        "bool", "complex64", "complex128", "uint16", "uint32", "uint64",
    )  # fmt: skip
    return {name: (numbers(torch, 2, 3) + 2).to(getattr(torch, name)) for name in names}


def _views(torch: Any) -> Any:
    base = numbers(torch, 4, 6)
    return {
        "whole": base,
        "transposed": base.t(),
        "part": base[1:3, 2:],
        "every other": base[:, ::2],
        "one row": base[2],
        "expanded": numbers(torch, 1, 3).expand(2, 3),
        "no elements": base[:0],
        "scalar": base[1, 1],
        "other memory": base.clone(),
    }


def _leaves(torch: Any) -> Any:
    marked = torch.nn.Parameter(numbers(torch, 2))
    marked.tag = "kept"
    tensor = numbers(torch, 2)
    tensor.note = [1, 2]
    return [
        torch.nn.Parameter(numbers(torch, 3)),
        torch.nn.Parameter(numbers(torch, 3), requires_grad=False),
        numbers(torch, 2).requires_grad_(),
        marked,
        tensor,
    ]


def _state_dict(torch: Any) -> Any:
    made = OrderedDict(
        [("0.weight", numbers(torch, 2, 3)), ("0.bias", numbers(torch, 2)),
         ("1.num_batches_tracked", torch.tensor(7))]
    )  # fmt: skip
    made._metadata = OrderedDict([("", {"version": 1}), ("0", {"version": 1})])
    return made


def _checkpoint(torch: Any) -> Any:
    moments = {"step": torch.tensor(3.0), "exp_avg": numbers(torch, 2, 3)}
    group = {
        "lr": 0.001, "betas": (0.9, 0.999), "eps": 1e-08, "weight_decay": 0, "amsgrad": False,
        "foreach": None, "maximize": False, "params": [0, 1],
    }  # fmt: skip
    return {
        "epoch": 12,
        "model": _state_dict(torch),
        "optimizer": {"state": {0: moments}, "param_groups": [group]},
        "loss history": [1.5, 0.25, float("inf")],
        "rng": torch.arange(20, dtype=torch.uint8),
    }


def _plain(torch: Any) -> Any:
    return {
        "text": "naïve ✓",
        "numbers": (0, -1, 255, 65536, 2**40, -(2**70), 1.5, True, None),
        "complex": 1 - 2j,
        "bytes": b"\x00\xff",
        "bytearray": bytearray(b"ab"),
        "set": {3},
        "size": torch.Size([2, 3]),
        "type": torch.bfloat16,
        "device": torch.device("cpu"),
        "layout": torch.strided,
        "nested": [[[()]], {"a": {1: {}}}],
        "counter": Counter("xxy"),
    }


CASES = {
    "types": _types,
    "views": _views,
    "leaves": _leaves,
    "state_dict": _state_dict,
    "checkpoint": _checkpoint,
    "plain": _plain,
    "meta": lambda torch: torch.empty(2, 3, device="meta"),
    "one_tensor": lambda torch: numbers(torch, 5),
}


def model(torch: Any) -> Any:
    """A whole module of common layers, with known parameters."""
    nn = torch.nn
    made = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8, 4),
        nn.LayerNorm(4),
        nn.GELU(),
        nn.Dropout(0.1),
        nn.ModuleDict({"head": nn.Linear(4, 2)})["head"],
    )
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(numbers(torch, *parameter.shape) / parameter.numel())
    return made.eval()


def sequence_models(torch: Any) -> Any:
    """Layers over sequences, with known parameters: (layer, input) by name."""
    nn = torch.nn
    made = {
        "lstm": (nn.LSTM(3, 4, 2, batch_first=True), (2, 5, 3)),
        "gru": (nn.GRU(3, 4, bidirectional=True), (5, 2, 3)),
        "transformer": (
            nn.TransformerEncoder(
                nn.TransformerEncoderLayer(4, 2, 8, activation="gelu", batch_first=True), 2
            ),
            (2, 5, 4),
        ),
        "embedding": (nn.Sequential(nn.Embedding(6, 3), nn.Flatten(), nn.Linear(12, 2)), None),
    }
    found = {}
    for name, (layer, shape) in made.items():
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(numbers(torch, *parameter.shape) / parameter.numel())
        inputs = torch.tensor([[0, 1, 2, 3], [5, 4, 3, 2]]) if shape is None else None
        found[name] = layer.eval(), numbers(torch, *shape) / 10 if inputs is None else inputs
    return found


def output(layer: Any, inputs: Any) -> Any:
    """The first result of a layer."""
    result = layer(inputs)
    return result[0] if isinstance(result, tuple) else result


def described(value: Any) -> Any:
    """A value in words that are equal for both libraries; sharing of memory is part of it."""
    blocks: dict[int, int] = {}
    return _described(value, blocks)


def _described(value: Any, blocks: dict[int, int]) -> Any:
    if hasattr(value, "untyped_storage"):
        return _described_tensor(value, blocks)
    if isinstance(value, dict):
        inside = [[_described(k, blocks), _described(v, blocks)] for k, v in value.items()]
        extra = {k: _described(v, blocks) for k, v in getattr(value, "__dict__", {}).items()}
        return [type(value).__name__, inside, extra]
    if isinstance(value, list | tuple | set):
        return [type(value).__name__, [_described(v, blocks) for v in value]]
    return [type(value).__name__, repr(value)]


def _described_tensor(t: Any, blocks: dict[int, int]) -> Any:
    kept = {k: v for k, v in vars(t).items() if not k.startswith("_")}
    said = [
        type(t).__name__, str(t.dtype), list(t.shape), list(t.stride()), t.requires_grad,
        str(t.device), kept,
    ]  # fmt: skip
    if t.is_meta:
        return said
    where = t.untyped_storage().data_ptr()
    block = blocks.setdefault(where, len(blocks)) if where else None
    exact = str(t.dtype) in ("torch.int64", "torch.uint64")
    wide = t.detach() if exact or t.is_complex() else t.detach().double()
    return [*said, t.storage_offset(), block, [str(v) for v in wide.reshape(-1).tolist()]]
