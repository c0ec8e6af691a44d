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
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

import chainrule as torch

from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase, make
from .checkpoint_folder import METADATA, CheckpointException, Folder
from .group import current, is_initialized
from .objects import all_gather_object


class FileSystemWriter:
    """A folder to save in."""

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = Path(path)


class FileSystemReader:
    """A folder to load from."""

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = Path(path)


@runtime_checkable
class Stateful(Protocol):
    """Objects that give and take their state."""

    def state_dict(self) -> dict[str, Any]:
        """What is saved."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take on what was saved."""
        ...


# ---- names of values in nested states ------------------------------------------------------------


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """Every value of nested dicts and lists by the keys that lead to it."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list | tuple) and not isinstance(value, torch.Size):
        pairs = list(enumerate(value))
    elif not isinstance(value, TensorBase) and callable(getattr(value, "state_dict", None)):
        return paths_of(value.state_dict(), path)  # pyright: ignore[reportAttributeAccessIssue]
    else:
        return {path: value}
    found: dict[tuple[Any, ...], Any] = {}
    for name, inner in pairs:
        found.update(paths_of(inner, (*path, name)))
    return found


def flat_state(value: Any, path: str = "") -> dict[str, Any]:
    """Every value of nested dicts and lists by its path."""
    start = (path,) if path else ()
    return {".".join(map(str, keys)): one for keys, one in paths_of(value, start).items()}


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

    def prepare() -> None:
        if rank == 0:
            if fresh.exists():
                shutil.rmtree(fresh)
            fresh.mkdir(parents=True)

    def finish() -> None:
        if rank == 0:
            _write_whole(fresh / METADATA, json.dumps(_merged(everybody)).encode())
            _take_its_place(fresh, path)

    try:
        _together(group, prepare, path)
        own = fresh / f"{rank}.bin"
        everybody = _together(group, lambda: _write_file(state_dict, own, rank), path)
        _together(group, finish, path)
    except CheckpointException:
        if rank == 0:  # half a checkpoint is of no use, and may be why the disk is full
            shutil.rmtree(fresh, ignore_errors=True)
        raise


def async_save(state_dict: dict[str, Any], **options: Any) -> Any:
    """Save; the future it gives is done, since nothing goes on beside the program."""
    from ..futures import Future

    save(state_dict, **{k: v for k, v in options.items() if not k.startswith("async")})
    done: Any = Future()
    done.set_result(None)
    done.result = done.value
    return done


def _together(group: Any, work: Callable[[], Any], path: Path) -> list[Any]:
    """What everybody's work gives; what one cannot do is an error for all of them."""
    problem: OSError | None = None
    result = None
    try:
        result = work()
    except OSError as raised:  # no room, no permission: nobody is left waiting
        problem = raised
    said = None if problem is None else f"{type(problem).__name__}: {problem}"
    everybody: list[Any] = [(result, said)]
    if group is not None and group.size() > 1:
        everybody = [None] * group.size()
        all_gather_object(everybody, (result, said), group)
    failed = [(rank, text) for rank, (_, text) in enumerate(everybody) if text is not None]
    if failed:
        rank, text = failed[0]
        raise CheckpointException(
            f"{path} was not saved: rank {rank} cannot write it: {text}\n"
            "  What was saved there before is as it was."
        ) from problem
    return [value for value, _ in everybody]


def _path(checkpoint_id: Any, storage: Any) -> Path:
    found = checkpoint_id if checkpoint_id is not None else getattr(storage, "path", None)
    if found is None:
        raise ValueError("where? Fix: checkpoint_id='folder'")
    return Path(found)


def _part(value: Any, rank: int) -> tuple[Any, list[int]] | None:
    """The values that this process writes of a tensor and where they begin; None for nothing."""
    spec = getattr(value, "_spec", None)
    if spec is None:
        return (value, [0] * value.ndim) if rank == 0 else None
    if not spec.is_first_holder():
        return None
    starts, lengths = spec.box()
    return (value._local_tensor, starts) if math.prod(lengths) else None


def _write_file(state: dict[str, Any], path: Path, rank: int) -> dict[str, Any]:
    """Write this process's pieces; where each lies."""
    entries: dict[str, Any] = {}
    with open(path, "wb") as out:
        for keys, value in paths_of(state).items():
            name = ".".join(map(str, keys))
            start = out.tell()
            if isinstance(value, TensorBase):
                entry = {
                    "kind": "tensor", "dtype": value.dtype.name, "shape": list(value.shape),
                    "pieces": [],
                }  # fmt: skip
                part = _part(value, rank)
                if part is not None:
                    own, starts = part
                    out.write(np.ascontiguousarray(own.detach()._a).tobytes())
                    entry["pieces"] = [[path.name, start, starts, list(own.shape)]]
            elif rank != 0:
                continue
            else:
                data = io.BytesIO()
                torch.save(value, data)
                out.write(data.getvalue())
                entry = {"kind": "object", "file": path.name, "start": start}
                entry["length"] = len(data.getvalue())
            entry["keys"] = [len(str(k)) * (-1 if isinstance(k, int) else 1) for k in keys]
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
    return {"format": 2, "values": merged}


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
    folder = Folder(_existing(_path(checkpoint_id, storage_reader)))
    try:
        _fill(state_dict, "", folder)
    finally:
        folder.close()


def _existing(path: Path) -> Path:
    for candidate in (path, path.with_name(f"{path.name}.old")):
        if (candidate / METADATA).exists():
            return candidate
    raise CheckpointException(f"there is no whole checkpoint at {path}")


def _fill(container: Any, path: str, folder: Folder) -> None:
    pairs = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
    for key, value in pairs:
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, TensorBase):
            _fill_tensor(value, name, folder)
        elif hasattr(value, "load_state_dict"):
            inner = value.state_dict()
            _fill(inner, name, folder)
            value.load_state_dict(inner)
        elif isinstance(value, dict | list):
            _fill(value, name, folder)
        elif name in folder and not isinstance(container, tuple):
            container[key] = folder.thing(name)


def _fill_tensor(value: Any, name: str, folder: Folder) -> None:
    if name not in folder:
        raise CheckpointException(
            f"Missing key in checkpoint state_dict: {name}. The checkpoint is {folder.path}."
        )
    saved = folder.shape_of(name)
    if saved != tuple(value.shape):
        raise CheckpointException(
            f"Size mismatch between saved {list(saved)} and current: {list(value.shape)} for "
            f"{name}, in {folder.path}"
        )
    spec = getattr(value, "_spec", None)
    starts, lengths = ([0] * value.ndim, list(value.shape)) if spec is None else spec.box()
    values = folder.box(name, starts, lengths)
    own = value if spec is None else value._local_tensor
    with torch.no_grad():
        own.copy_(make(values))


# ---- other forms ---------------------------------------------------------------------------------


def dcp_to_torch_save(dcp_checkpoint_dir: Any, torch_save_path: Any) -> None:
    """Write a checkpoint as one file that `torch.load` reads."""
    folder = Folder(_existing(Path(dcp_checkpoint_dir)))
    state: dict[Any, Any] = {}
    try:
        for name in folder:
            target = state
            *keys, last = folder.keys_of(name)
            for key in keys:
                target = target.setdefault(key, {})
                if type(target) is not dict:
                    raise folder.damaged(f"{name!r:.100} lies in what is no dict")
            tensor = folder.is_tensor(name)
            target[last] = make(folder.whole(name)) if tensor else folder.thing(name)
    finally:
        folder.close()
    torch.save(state, torch_save_path)


def torch_save_to_dcp(torch_save_path: Any, dcp_checkpoint_dir: Any) -> None:
    """Write a file of `torch.save` as a checkpoint of several processes."""
    state = torch.load(torch_save_path, weights_only=True)
    save(state, checkpoint_id=dcp_checkpoint_dir, no_dist=True)


__all__ = [
    "CheckpointException", "FileSystemReader", "FileSystemWriter", "Stateful", "async_save",
    "dcp_to_torch_save", "load", "save", "torch_save_to_dcp",
]  # fmt: skip

explain_module(globals(), "FileSystemReader", "FileSystemWriter", "save", "load")
