"""Checkpoints of several processes: each writes its parts, any number of them reads.

A checkpoint is a folder: a file of bytes per rank, and `.metadata` (JSON), which says where each
piece of each tensor lies. It is written beside the last one and takes its name only when it is
whole.
"""

from __future__ import annotations

import io
import json
import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd.value import TensorBase, make
from ..ops import dtypes
from .collectives import barrier
from .group import current, is_initialized
from .objects import all_gather_object, broadcast_object_list
from .shards import part_of

_METADATA = ".metadata"


class CheckpointException(RuntimeError):
    """A checkpoint cannot be read or written."""


class FileSystemWriter:
    """A folder to save in."""

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = Path(path)


class FileSystemReader:
    """A folder to load from."""

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = Path(path)


@dataclass(frozen=True)
class StateDictOptions:
    """How states of models and optimizers are given."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


# ---- names of values in nested states ------------------------------------------------------------


def flat_state(value: Any, path: str = "") -> dict[str, Any]:
    """Every value of nested dicts and lists by its path."""
    if isinstance(value, dict):
        pairs = [(str(k), v) for k, v in value.items()]
    elif isinstance(value, list | tuple) and not isinstance(value, torch.Size):
        pairs = [(str(k), v) for k, v in enumerate(value)]
    elif hasattr(value, "state_dict") and not isinstance(value, TensorBase):
        return flat_state(value.state_dict(), path)
    else:
        return {path: value}
    found: dict[str, Any] = {}
    for name, inner in pairs:
        found.update(flat_state(inner, f"{path}.{name}" if path else name))
    return found


# ---- saving --------------------------------------------------------------------------------------


def save(
    state_dict: dict[str, Any], *, checkpoint_id: Any = None, storage_writer: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Write a state: parts by those who have them, whole values by the first process."""
    path = _path(checkpoint_id, storage_writer)
    group = current(process_group) if is_initialized() and not no_dist else None
    rank = 0 if group is None else group.rank()
    fresh = path.with_name(f"{path.name}.new")
    if rank == 0:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
    _meet(group)
    entries = _write_file(state_dict, fresh / f"{rank}.bin", rank)
    everybody = [entries]
    if group is not None and group.size() > 1:
        everybody = [None] * group.size()
        all_gather_object(everybody, entries, group)
    if rank == 0:
        _write_whole(fresh / _METADATA, json.dumps(_merged(everybody)).encode())
        _take_its_place(fresh, path)
    _meet(group)


def _meet(group: Any) -> None:
    if group is not None and group.size() > 1:
        barrier(group)


def _path(checkpoint_id: Any, storage: Any) -> Path:
    found = checkpoint_id if checkpoint_id is not None else getattr(storage, "path", None)
    if found is None:
        raise ValueError("where? Fix: checkpoint_id='folder'")
    return Path(found)


def _write_file(state: dict[str, Any], path: Path, rank: int) -> dict[str, Any]:
    """Write this process's pieces; where each lies."""
    entries: dict[str, Any] = {}
    with open(path, "wb") as out:
        for name, value in flat_state(state).items():
            part = part_of(value) if isinstance(value, TensorBase) else None
            if part is None and rank != 0:
                continue
            start = out.tell()
            if isinstance(value, TensorBase):
                first = part.mine[0] if part is not None else 0
                shape = list(part.shape if part is not None else value.shape)
                out.write(np.ascontiguousarray(value.detach()._a).tobytes())
                entry = {"kind": "tensor", "dtype": value.dtype.name, "shape": shape}
                entry["pieces"] = [[path.name, start, first, list(value.shape)]]
            else:
                data = io.BytesIO()
                torch.save(value, data)
                out.write(data.getvalue())
                entry = {"kind": "object", "file": path.name, "start": start}
                entry["length"] = len(data.getvalue())
            entries[name] = entry
        out.flush()
        os.fsync(out.fileno())
    return entries


def _merged(everybody: list[Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for entries in everybody:
        for name, entry in entries.items():
            if name in merged and entry["kind"] == "tensor":
                merged[name]["pieces"] += entry["pieces"]
            else:
                merged.setdefault(name, entry)
    return {"format": 1, "values": merged}


def _write_whole(path: Path, data: bytes) -> None:
    with open(path, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _take_its_place(fresh: Path, path: Path) -> None:
    """Rename the new folder; a process killed in between leaves the old one, under `.old`."""
    old = path.with_name(f"{path.name}.old")
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
        os.rename(path, old)
    os.rename(fresh, path)
    shutil.rmtree(old, ignore_errors=True)


# ---- loading -------------------------------------------------------------------------------------


def load(
    state_dict: dict[str, Any], *, checkpoint_id: Any = None, storage_reader: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Fill the tensors of a state in place, each process its own parts; other values are put in."""
    reader = _Reader(_existing(_path(checkpoint_id, storage_reader)))
    _fill(state_dict, "", reader)


def _existing(path: Path) -> Path:
    for candidate in (path, path.with_name(f"{path.name}.old")):
        if (candidate / _METADATA).exists():
            return candidate
    raise CheckpointException(f"there is no whole checkpoint at {path}")


class _Reader:
    """Reads pieces of a checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values = json.loads((folder / _METADATA).read_text())["values"]

    def place(self, file: Any) -> Path:
        """A file of the checkpoint: its index names files beside it, and no others."""
        found = self.folder / str(file)
        if type(file) is not str or found.name != file or found.is_symlink() or not found.is_file():
            raise CheckpointException(
                f"{self.folder} is damaged or no checkpoint: its index names the file "
                f"{str(file)[:100]!r}, and there is no such file in the folder itself"
            )
        return found

    def rows(self, name: str, first: int, end: int) -> np.ndarray:
        """Rows of a whole tensor, from whatever pieces have them."""
        entry = self.values[name]
        dtype, shape = dtypes.BY_NAME[entry["dtype"]].np, entry["shape"]
        out = np.zeros((end - first, *shape[1:]), dtype)
        missing = np.ones(end - first, bool)
        for file, start, begin, piece in entry["pieces"]:
            low, high = max(first, begin), min(end, begin + piece[0])
            if low >= high:
                continue
            data = np.memmap(self.place(file), np.uint8, "r")
            count = math.prod(piece) * dtype.itemsize
            if piece[1:] != shape[1:] or begin < 0 or not 0 <= start <= len(data) - count:
                raise CheckpointException(
                    f"{self.folder} is damaged: {file} does not hold rows {begin} to "
                    f"{begin + piece[0]} of {name}"
                )
            source = np.frombuffer(data[start : start + count], dtype).reshape(piece)
            out[low - first : high - first] = source[low - begin : high - begin]
            missing[low - first : high - first] = False
        if missing.any():
            raise CheckpointException(
                f"{self.folder} is damaged: row {first + int(missing.argmax())} of {name} is in "
                "none of its files"
            )
        return out

    def scalar(self, name: str) -> np.ndarray:
        """A tensor without dimensions."""
        entry = self.values[name]
        file, start = entry["pieces"][0][:2]
        dtype = dtypes.BY_NAME[entry["dtype"]].np
        with open(self.place(file), "rb") as opened:
            opened.seek(start)
            data = opened.read(dtype.itemsize)
        if len(data) != dtype.itemsize:
            raise CheckpointException(f"{self.folder} is damaged: {file} does not hold {name}")
        return np.frombuffer(data, dtype).reshape(())

    def thing(self, name: str) -> Any:
        """A value that is no tensor; only plain types are read."""
        entry = self.values[name]
        with open(self.place(entry["file"]), "rb") as opened:
            opened.seek(entry["start"])
            return torch.load(io.BytesIO(opened.read(entry["length"])), weights_only=True)


def _fill(container: Any, path: str, reader: _Reader) -> None:
    pairs = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
    for key, value in pairs:
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, TensorBase):
            _fill_tensor(value, name, reader)
        elif hasattr(value, "load_state_dict"):
            inner = value.state_dict()
            _fill(inner, name, reader)
            value.load_state_dict(inner)
        elif isinstance(value, dict | list):
            _fill(value, name, reader)
        elif name in reader.values and not isinstance(container, tuple):
            container[key] = reader.thing(name)


def _fill_tensor(value: Any, name: str, reader: _Reader) -> None:
    if name not in reader.values:
        raise CheckpointException(f"Missing key in checkpoint state_dict: {name}.")
    part = part_of(value)
    shape = tuple(part.shape if part is not None else value.shape)
    saved = tuple(reader.values[name]["shape"])
    if saved != shape:
        raise CheckpointException(
            f"Size mismatch between saved {list(saved)} and current: {list(shape)} for {name}"
        )
    if not shape:
        values = reader.scalar(name)
    else:
        first, end = part.mine if part is not None else (0, shape[0])
        values = reader.rows(name, first, end)
    with torch.no_grad():
        value.copy_(make(values))


# ---- states of models and optimizers -------------------------------------------------------------


def get_model_state_dict(model: Any, *, submodules: Any = None, options: Any = None) -> Any:
    """The state of a model; whole with `StateDictOptions(full_state_dict=True)`."""
    from .shards import whole

    inner = getattr(model, "module", model) if hasattr(model, "reducer") else model
    state = inner.state_dict()
    if getattr(options, "full_state_dict", False):
        return {name: whole(value) for name, value in state.items()}
    return state


def set_model_state_dict(
    model: Any, model_state_dict: dict[str, Any], *, options: Any = None
) -> Any:
    """Load a state into a model; of whole tensors each process takes its part."""
    from .sharded import cut_state

    inner = getattr(model, "module", model) if hasattr(model, "reducer") else model
    state = model_state_dict
    if getattr(options, "broadcast_from_rank0", False) and is_initialized():
        holder = [state]
        broadcast_object_list(holder, 0)
        state = holder[0]
    return inner.load_state_dict(cut_state(inner, state), getattr(options, "strict", True))


def get_optimizer_state_dict(
    model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None
) -> dict[str, Any]:
    """The state of an optimizer by names of parameters, with the parts that parameters are."""
    inner = getattr(model, "module", model) if hasattr(model, "reducer") else model
    names = {id(p): name for name, p in inner.named_parameters()}
    state: dict[str, Any] = {}
    for group in optimizers.param_groups:
        for p in group["params"]:
            entry = dict(optimizers.state.get(p, {}))
            for value in entry.values():
                if isinstance(value, TensorBase) and value.shape == p.shape and part_of(p):
                    value._part = part_of(p)
            state[names[id(p)]] = entry
    groups = [
        {**group, "params": [names[id(p)] for p in group["params"]]}
        for group in optimizers.param_groups
    ]
    return {"state": state, "param_groups": groups}


def set_optimizer_state_dict(
    model: Any, optimizers: Any, optim_state_dict: dict[str, Any], *, options: Any = None
) -> None:
    """Load a state by names of parameters into an optimizer."""
    inner = getattr(model, "module", model) if hasattr(model, "reducer") else model
    by_name = dict(inner.named_parameters())
    for name, entry in optim_state_dict["state"].items():
        optimizers.state[by_name[name]].update(entry)
    for group, saved in zip(optimizers.param_groups, optim_state_dict["param_groups"], strict=True):
        group.update({k: v for k, v in saved.items() if k != "params"})


def get_state_dict(model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None):
    """The states of a model and its optimizer."""
    return (
        get_model_state_dict(model, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_state_dict(
    model: Any, optimizers: Any, *, model_state_dict: Any, optim_state_dict: Any,
    options: Any = None,
) -> Any:  # fmt: skip
    """Load the states of a model and its optimizer."""
    result = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return result


__all__ = [
    "CheckpointException", "FileSystemReader", "FileSystemWriter", "StateDictOptions",
    "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "load", "save",
    "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip
