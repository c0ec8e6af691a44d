"""Collectives of Python objects: pickled, between the ranks of one job only."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from . import calls
from .collectives import begin, member_of, root_of
from .group import ProcessGroup
from .messages import _partner
from .work import Steps


def _packed(value: Any) -> np.ndarray:
    return np.frombuffer(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), np.uint8)


def _unpacked(data: Any) -> Any:
    # The bytes come from another rank of this job, which runs the same program.
    return pickle.loads(bytes(data))


def _split(data: np.ndarray, sizes: Any) -> list[Any]:
    ends = np.cumsum(sizes)
    return [_unpacked(data[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def _run(name: str, group: ProcessGroup, steps: Steps, call: Any = None) -> None:
    begin(name, group, steps, False, None, call)


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Write the objects of all processes into a list."""
    found = member_of(group, "all_gather_object")
    if found is None:
        return
    _check_room(object_list, found.size(), "object_list")
    data, move = _packed(obj), found.transport
    call = calls.compare(found, "all_gather_object")
    sizes = np.zeros(found.size(), np.int64)

    def steps() -> Steps:
        yield from move.all_gather(sizes, np.array([data.size]), [1] * found.size())
        whole = np.empty(int(sizes.sum()), np.uint8)
        yield from move.all_gather(whole, data, sizes.tolist())
        object_list[:] = _split(whole, sizes)

    _run("all_gather_object", found, steps(), call)


def _check_room(values: list[Any], size: int, parameter: str) -> None:
    if len(values) != size:
        raise ValueError(
            f"{parameter} must have one element per process, that is {size}, but has {len(values)}"
        )


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None,
    group: Any = None, group_dst: int | None = None,
) -> None:  # fmt: skip
    """Write the objects of all processes into a list at one of them."""
    found = member_of(group, "gather_object")
    if found is None:
        return
    root = root_of(found, dst, group_dst, "dst")
    at_root = found.rank() == root
    if at_root and object_gather_list is None:
        raise ValueError("Argument ``object_gather_list`` must be specified on destination rank.")
    if not at_root and object_gather_list:
        raise ValueError(
            "Argument ``object_gather_list`` must NOT be specified on non-destination ranks."
        )
    everything: list[Any] = [None] * found.size()
    all_gather_object(everything, obj, group)
    if object_gather_list is not None and at_root:
        _check_room(object_gather_list, found.size(), "object_gather_list")
        object_gather_list[:] = everything


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """Give every process the objects of one."""
    found = member_of(group, "broadcast_object_list")
    if found is None:
        return
    root = root_of(found, src, group_src, "src")
    data = _packed(list(object_list)) if found.rank() == root else np.empty(0, np.uint8)
    call = calls.compare(found, "broadcast_object_list", (), None, root)
    size = np.array([data.size])

    def steps() -> Steps:
        yield from found.transport.broadcast(size, root)
        whole = data.copy() if found.rank() == root else np.empty(int(size[0]), np.uint8)
        yield from found.transport.broadcast(whole, root)
        if found.rank() != root:
            values = _unpacked(whole)
            _check_room(object_list, len(values), "object_list")
            object_list[:] = values

    _run("broadcast_object_list", found, steps(), call)


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Give each process one object of a list."""
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    found = member_of(group, "scatter_object_list")
    if found is None:
        return
    root = root_of(found, src, group_src, "src")
    parts = []
    if found.rank() == root:
        _check_room(scatter_object_input_list or [], found.size(), "scatter_object_input_list")
        parts = [_packed(value) for value in scatter_object_input_list or []]
    call = calls.compare(found, "scatter_object_list", (), None, root)
    longest = np.array([max((p.size for p in parts), default=0)])
    length = np.array([0])

    def steps() -> Steps:
        move = found.transport
        yield from move.broadcast(longest, root)
        lengths = np.array([p.size for p in parts]) if parts else None
        yield from move.scatter(length, lengths, root)
        room = int(longest[0])
        rows = np.zeros((len(parts), room), np.uint8) if parts else None
        for k, part in enumerate(parts):
            rows[k, : part.size] = part  # type: ignore[index]
        mine = np.empty(room, np.uint8)
        yield from move.scatter(mine, None if rows is None else rows.reshape(-1), root)
        scatter_object_output_list[0] = _unpacked(mine[: int(length[0])])

    _run("scatter_object_list", found, steps(), call)


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Send objects to one process."""
    found = member_of(group, "send_object_list")
    if found is None:
        return
    to = _partner(found, dst, group_dst, "dst", "destination")
    data = _packed(list(object_list))

    def steps() -> Steps:
        yield from found.transport.send(np.array([data.size]), to, 0)
        yield from found.transport.send(data, to, 0)

    _run("send_object_list", found, steps())


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects from one process, or from anybody; the sender's rank."""
    found = member_of(group, "recv_object_list")
    if found is None:
        return -1
    anybody = src is None and group_src is None
    of = None if anybody else _partner(found, src, group_src, "src", "source")
    size, seen = np.array([0]), []

    def steps() -> Steps:
        yield from found.transport.receive(size, of, 0, seen.append)
        data = np.empty(int(size[0]), np.uint8)
        yield from found.transport.receive(data, seen[0], 0, seen.append)
        values = _unpacked(data)
        _check_room(object_list, len(values), "object_list")
        object_list[:] = values

    _run("recv_object_list", found, steps())
    return found.ranks[seen[0]]


explain_module(globals())
