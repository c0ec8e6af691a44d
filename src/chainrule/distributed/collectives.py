"""Collectives of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd import refusal, source
from ..autograd.accidents import explain_module
from . import calls, captured
from .coalescing import CoalescedWork, Coalescing
from .group import ProcessGroup, _rank_not_in_group, current, get_group_rank
from .memory import (
    Lent,
    check_same_shapes,
    check_same_type,
    check_tensor,
    check_tensors,
    hand_out,
    joined,
    read,
    room_for,
)
from .reduction import ReduceOp, Reduction
from .work import Steps, Work, in_background


def member_of(group: Any, name: str) -> ProcessGroup | None:
    """The group meant; None, with a warning, when this process is not in it."""
    found = current(group)
    if not _rank_not_in_group(found):
        return found
    source.warn_user(
        f"Running {name} on global rank {current(None).rank()} which does not belong to the given "
        "group."
    )
    return None


def begin(
    name: str, group: ProcessGroup, steps: Steps, async_op: bool, result: Any = None,
    call: calls.Call | None = None,
) -> Work | None:  # fmt: skip
    """Start a collective; wait for it unless it is asynchronous."""
    if call is not None:
        steps = calls.verified(group, call, steps)
    if Coalescing.collects(group):
        return Coalescing.add(name, group, steps, result)
    work = Work(steps, name, group, result)
    if async_op:
        return in_background(work)
    work.wait()
    return None


def root_of(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """The root's number in the group, given by one of two numbers."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both {name} and group_{name}")
    if group_rank is not None:
        return _checked(group, group_rank)
    if group is current(None):
        return _checked(group, rank or 0)
    return get_group_rank(group, group.ranks[0] if rank is None else rank)


def _checked(group: ProcessGroup, rank: int) -> int:
    if not 0 <= rank < group.size():
        raise refusal.runtime(
            f"invalid root rank: {rank}; the group has {group.size()} processes, 0 to "
            f"{group.size() - 1}"
        )
    return rank


def _check_length(values: Sequence[Any], group: ProcessGroup, parameter: str, name: str) -> None:
    if len(values) != group.size():
        raise refusal.value(
            f"{name}: invalid {parameter} (expected length {group.size()}, one element per "
            f"process, got {len(values)})"
        )


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait until all processes are here."""
    found = member_of(group, "barrier")
    if found is None:
        return None
    call = calls.compare(found, "barrier")
    return begin("barrier", found, found.transport.barrier(), async_op, call=call)


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine the tensors of all processes in place."""
    check_tensor(tensor, "tensor")
    found = member_of(group, "all_reduce")
    if found is None:
        return None
    how = Reduction(op, tensor.dtype.np, "all_reduce")
    trace = None if async_op else captured.trace()
    if trace is not None:
        captured.in_place(trace, _ALL_REDUCE, [tensor], group=found, op=op)
        return None
    call = calls.compare(found, "all_reduce", (tensor,), op)
    lent = Lent(tensor, "all_reduce")

    def steps() -> Steps:
        yield from found.transport.all_reduce(lent.array, how)
        lent.give_back()

    return begin("all_reduce", found, steps(), async_op, [tensor], call)


_ALL_REDUCE = captured.GroupStep(
    "group.all_reduce", captured.on_copies(lambda copies, **params: all_reduce(*copies, **params))
)


def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Combine the tensors of all processes at one of them."""
    check_tensor(tensor, "tensor")
    found = member_of(group, "reduce")
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "dst")
    how = Reduction(op, tensor.dtype.np, "reduce")
    call = calls.compare(found, "reduce", (tensor,), op, root)
    lent = Lent(tensor, "reduce")

    def steps() -> Steps:
        yield from found.transport.reduce(lent.array, how, root)
        if found.rank() == root:
            lent.give_back()

    return begin("reduce", found, steps(), async_op, [tensor], call)


def broadcast(
    tensor: Any, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give every process the tensor of one."""
    check_tensor(tensor, "tensor")
    found = member_of(group, "broadcast")
    if found is None:
        return None
    root = root_of(found, src, group_src, "src")
    trace = None if async_op else captured.trace()
    if trace is not None:
        captured.in_place(trace, _BROADCAST, [tensor], group=found, group_src=root)
        return None
    call = calls.compare(found, "broadcast", (tensor,), None, root)
    lent = Lent(tensor, "broadcast")

    def steps() -> Steps:
        yield from found.transport.broadcast(lent.array, root)
        if found.rank() != root:
            lent.give_back()

    return begin("broadcast", found, steps(), async_op, [tensor], call)


_BROADCAST = captured.GroupStep(
    "group.broadcast", captured.on_copies(lambda copies, **params: broadcast(*copies, **params))
)


def all_gather(
    tensor_list: Sequence[Any], tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into a list; their first lengths may differ."""
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_same_type(tensor, *tensor_list)
    found = member_of(group, "all_gather")
    if found is None:
        return None
    _check_length(tensor_list, found, "tensor_list", "all_gather")
    check_same_shapes([tensor_list[found.rank()]], tensor, "tensor_list", "all_gather")
    call = calls.compare(found, "all_gather", tensor_list)
    out, lent = room_for(tensor_list, "all_gather")
    given = read(tensor, "all_gather")
    counts = [one.array.size for one in lent]

    def steps() -> Steps:
        yield from found.transport.all_gather(out, given, counts)
        hand_out(out, lent)

    return begin("all_gather", found, steps(), async_op, [list(tensor_list)], call)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into one."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    found = member_of(group, "all_gather_into_tensor")
    if found is None:
        return None
    _check_whole(output_tensor, input_tensor, found.size(), "output", "input")
    call = calls.compare(found, "all_gather_into_tensor", (input_tensor,))
    lent = Lent(output_tensor, "all_gather_into_tensor")
    given = read(input_tensor, "all_gather_into_tensor")

    def steps() -> Steps:
        yield from found.transport.all_gather(lent.array, given, [given.size] * found.size())
        lent.give_back()

    return begin("all_gather_into_tensor", found, steps(), async_op, [output_tensor], call)


def _check_whole(whole: Any, part: Any, size: int, whole_name: str, part_name: str) -> None:
    if whole.dtype is not part.dtype:
        raise refusal.wrong_type(
            f"output tensor must have the same type as input tensor: {whole_name} is "
            f"{whole.dtype}, {part_name} {part.dtype}"
        )
    if whole.numel() != size * part.numel():
        raise refusal.value(
            f"{whole_name} tensor size must be equal to world_size times {part_name} tensor size: "
            f"{list(whole.shape)} has {whole.numel()} elements, not {size} * {part.numel()}"
        )


def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None,  # noqa: A002
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Combine tensors and give each process its part."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    found = member_of(group, "reduce_scatter_tensor")
    if found is None:
        return None
    _check_whole(input, output, found.size(), "input", "output")
    how = Reduction(op, output.dtype.np, "reduce_scatter_tensor")
    call = calls.compare(found, "reduce_scatter_tensor", (input,), op)
    lent, given = Lent(output, "reduce_scatter_tensor"), read(input, "reduce_scatter_tensor")

    def steps() -> Steps:
        counts = [lent.array.size] * found.size()
        yield from found.transport.reduce_scatter(lent.array, given, how, counts)
        lent.give_back()

    return begin("reduce_scatter_tensor", found, steps(), async_op, [output], call)


def reduce_scatter(
    output: Any, input_list: Sequence[Any], op: Any = ReduceOp.SUM, group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Combine lists of tensors and give each process its part."""
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    check_same_type(output, *input_list)
    found = member_of(group, "reduce_scatter")
    if found is None:
        return None
    _check_length(input_list, found, "input_list", "reduce_scatter")
    check_same_shapes([input_list[found.rank()]], output, "input_list", "reduce_scatter")
    how = Reduction(op, output.dtype.np, "reduce_scatter")
    call = calls.compare(found, "reduce_scatter", input_list, op)
    lent, given = Lent(output, "reduce_scatter"), joined(input_list, "reduce_scatter")
    counts = [t.numel() for t in input_list]

    def steps() -> Steps:
        yield from found.transport.reduce_scatter(lent.array, given, how, counts)
        lent.give_back()

    return begin("reduce_scatter", found, steps(), async_op, [output], call)


def gather(
    tensor: Any, gather_list: Sequence[Any] | None = None, dst: int | None = None,
    group: Any = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Write the tensors of all processes into a list at one of them."""
    check_tensor(tensor, "tensor")
    found = member_of(group, "gather")
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "dst")
    whole = _list_at_root(gather_list, found, root, tensor, ("gather_list", "destination"))
    call = calls.compare(found, "gather", (tensor,), None, root)
    given = read(tensor, "gather")
    out, lent = room_for(whole, "gather") if whole else (None, [])

    def steps() -> Steps:
        yield from found.transport.gather(out, given, root)
        if out is not None:
            hand_out(out, lent)

    return begin("gather", found, steps(), async_op, [list(whole)], call)


def _list_at_root(
    values: Sequence[Any] | None, group: ProcessGroup, root: int, like: Any, names: tuple[str, str]
) -> Sequence[Any]:
    """The list of tensors that only the root gives, checked."""
    parameter, kind = names
    name = parameter.partition("_")[0]
    if group.rank() != root:
        if values:
            raise refusal.value(
                f"Argument ``{parameter}`` must NOT be specified on non-{kind} ranks.",
                f"rank {group.rank()} gives it, the {kind} is {root}",
            )
        return []
    if not values:
        raise refusal.value(f"Argument ``{parameter}`` must be specified on {kind} rank.")
    check_tensors(values, parameter)
    check_same_type(like, *values)
    _check_length(values, group, parameter, name)
    check_same_shapes(values, like, parameter, name)
    return values


def scatter(
    tensor: Any, scatter_list: Sequence[Any] | None = None, src: int | None = None,
    group: Any = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give each process one tensor of a list."""
    check_tensor(tensor, "tensor")
    found = member_of(group, "scatter")
    if found is None:
        return None
    root = root_of(found, src, group_src, "src")
    whole = _list_at_root(scatter_list, found, root, tensor, ("scatter_list", "source"))
    call = calls.compare(found, "scatter", (tensor,), None, root)
    lent = Lent(tensor, "scatter")
    given = joined(whole, "scatter") if whole else None

    def steps() -> Steps:
        yield from found.transport.scatter(lent.array, given, root)
        lent.give_back()

    return begin("scatter", found, steps(), async_op, [tensor], call)


def all_to_all(
    output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: Any = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Each process gives each process a tensor."""
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    check_same_type(*output_tensor_list, *input_tensor_list)
    found = member_of(group, "all_to_all")
    if found is None:
        return None
    _check_length(output_tensor_list, found, "output_tensor_list", "all_to_all")
    _check_length(input_tensor_list, found, "input_tensor_list", "all_to_all")
    call = calls.compare(found, "all_to_all")
    out, lent = room_for(output_tensor_list, "all_to_all")
    given = joined(input_tensor_list, "all_to_all")
    counts = [t.numel() for t in output_tensor_list], [t.numel() for t in input_tensor_list]

    def steps() -> Steps:
        yield from found.transport.all_to_all_checked(out, counts[0], given, counts[1])
        hand_out(out, lent)

    return begin("all_to_all", found, steps(), async_op, list(output_tensor_list), call)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None,  # noqa: A002
    group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Each process gives each process some rows of its tensor."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_same_type(output, input)
    found = member_of(group, "all_to_all_single")
    if found is None:
        return None
    out_counts = _split_counts(output, output_split_sizes, found.size())
    in_counts = _split_counts(input, input_split_sizes, found.size())
    call = calls.compare(found, "all_to_all_single")
    lent, given = Lent(output, "all_to_all_single"), read(input, "all_to_all_single")

    def steps() -> Steps:
        yield from found.transport.all_to_all_checked(lent.array, out_counts, given, in_counts)
        lent.give_back()

    return begin("all_to_all_single", found, steps(), async_op, [output], call)


def _split_counts(tensor: Any, rows: Sequence[int] | None, size: int) -> list[int]:
    """How many elements go to or come from each process."""
    length = tensor.shape[0] if tensor.ndim else 1
    if not rows:
        if length % size:
            raise refusal.runtime(
                f"Tensor's dim 0 does not divide equally across group size: {length} rows for "
                f"{size} processes"
            )
        return [tensor.numel() // size] * size
    if len(rows) != size:
        raise refusal.runtime(
            f"Number of tensor splits not equal to group size: {len(rows)} for {size}"
        )
    if sum(rows) != length:
        raise refusal.runtime(
            f"Split sizes doesn't match total dim 0 size: {list(rows)} for {length} rows"
        )
    each = tensor.numel() // length if length else 0
    return [int(n) * each for n in rows]


# ---- several at once -----------------------------------------------------------------------------


def all_reduce_coalesced(
    tensors: Sequence[Any], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Combine several tensors of all processes in place."""
    tensors = [tensors] if not isinstance(tensors, Sequence) else tensors
    check_tensors(tensors, "tensors")
    found = member_of(group, "all_reduce_coalesced")
    if found is None:
        return None
    together = CoalescedWork()
    for tensor in tensors:
        together.append(all_reduce(tensor, op, found, async_op=True))  # type: ignore[arg-type]
    return together if async_op else together.wait() and None


def all_gather_coalesced(
    output_tensor_lists: Sequence[Sequence[Any]], input_tensor_list: Sequence[Any],
    group: Any = None, async_op: bool = False,
) -> Any:  # fmt: skip
    """Gather several tensors of all processes."""
    found = member_of(group, "all_gather_coalesced")
    if found is None:
        return None
    together = CoalescedWork()
    for k, tensor in enumerate(input_tensor_list):
        outputs = [outputs[k] for outputs in output_tensor_lists]
        together.append(all_gather(outputs, tensor, found, async_op=True))  # type: ignore[arg-type]
    return together if async_op else together.wait() and None


explain_module(globals())
