"""One run of a case under a framework, and the recorded runs that PyTorch made.

A recording is an index (JSON) into one array of numbers (NPZ), per family:

    {"Linear-0": {"texts": {"repr": "Linear(...)"}, "arrays": {"out.0": ["float32", [4, 3], 120]}}}
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .layer_cases import Case, converted

FOLDER = Path(__file__).parent.parent / "recorded"


@dataclass
class Run:
    """What a user can see of a layer: texts, and arrays by name."""

    texts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


def run(torch: Any, path: str, case: Case) -> Run:
    """Make the layer, call it, go backward, look at everything."""
    found = Run()
    torch.manual_seed(case.seed)
    module = _made(torch, path, case)
    found.texts["repr"] = repr(module)
    found.texts["attributes"] = _attributes(module)
    found.texts["state dict"] = list(module.state_dict())
    _add_state(found, "initial", module.state_dict())
    module.train(case.training)
    leaves: list[Any] = []
    outputs: list[Any] = []
    for _ in range(case.steps):
        leaves.clear()
        inputs = converted(case.inputs, torch, leaves)
        call = {name: converted(value, torch, leaves) for name, value in case.call.items()}
        result = module(*inputs, **call)
        outputs = [part for part in _parts(result) if isinstance(part, torch.Tensor)]
    found.texts["repr after"] = repr(module)
    for k, out in enumerate(outputs):
        found.arrays[f"out.{k}"] = _array(out)
    if not case.no_gradient:
        _add_gradients(torch, found, module, outputs, leaves)
    _add_state(found, "after", module.state_dict())
    found.arrays["next random number"] = _array(torch.rand(1))
    return found


def _made(torch: Any, path: str, case: Case) -> Any:
    cls = torch.nn
    for part in path.split("."):
        cls = getattr(cls, part)
    kwargs = {name: converted(value, torch) for name, value in case.kwargs.items()}
    return cls(*converted(case.args, torch), **kwargs)


def _attributes(module: Any) -> dict[str, str]:
    """The plain values that a layer keeps of its arguments."""
    plain = (int, float, str, tuple, list, type(None))
    return {
        name: repr(value)
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and name != "training" and isinstance(value, plain)
    }


def _array(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().numpy())


def _add_state(found: Run, when: str, state: dict[str, Any]) -> None:
    for name, value in state.items():
        if not type(value).__name__.startswith("Uninitialized"):
            found.arrays[f"{when}.{name}"] = _array(value)


def _parts(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for entry in result:
            yield from _parts(entry)
    else:
        yield result


def _add_gradients(
    torch: Any, found: Run, module: Any, outputs: list[Any], leaves: list[Any]
) -> None:
    """Gradients of all inputs and parameters, each output weighted by fixed numbers."""
    total = None
    for k, out in enumerate(outputs):
        if out.requires_grad:
            weights = np.random.RandomState(100 + k).standard_normal(tuple(out.shape))
            term = (out * torch.tensor(weights).to(out.dtype)).sum()
            total = term if total is None else total + term
    if total is None:
        return
    total.backward()
    named = [(f"input.{k}", leaf) for k, leaf in enumerate(leaves)]
    for name, leaf in [*named, *module.named_parameters()]:
        if leaf.grad is not None:
            found.arrays[f"grad.{name}"] = _array(leaf.grad)


# ---- recordings ----------------------------------------------------------------------------------


def key_of(path: str, number: int) -> str:
    """The name under which a case is recorded."""
    return f"{path}-{number}"


def write(family: str, runs: dict[str, Run]) -> None:
    """Write a family's two files."""
    numbers: list[np.ndarray] = [np.zeros(0)]
    at = 0
    entries = []
    for key, found in runs.items():
        index = {}
        for name, values in found.arrays.items():
            index[name] = [values.dtype.name, list(values.shape), at]
            numbers.append(values.astype(np.float64).reshape(-1))
            at += values.size
        record = {"texts": found.texts, "arrays": index}
        entries.append(f"{json.dumps(key)}: {json.dumps(record, separators=(',', ':'))}")
    np.savez_compressed(FOLDER / f"layers_{family}.npz", numbers=np.concatenate(numbers))
    (FOLDER / f"layers_{family}.json").write_text("{\n" + ",\n".join(entries) + "\n}\n")


@functools.cache
def recorded(family: str) -> dict[str, Run]:
    """The runs that PyTorch made of a family's cases."""
    index = json.loads((FOLDER / f"layers_{family}.json").read_text())
    with np.load(FOLDER / f"layers_{family}.npz") as stored:
        numbers = stored["numbers"]
    return {
        key: Run(
            record["texts"],
            {
                name: numbers[at : at + int(np.prod(shape))].reshape(shape).astype(dtype)
                for name, (dtype, shape, at) in record["arrays"].items()
            },
        )
        for key, record in index.items()
    }
