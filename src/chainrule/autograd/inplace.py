"""In-place operations: memory, versions and history.

The value is written into the tensor's memory, so every view sees it. History:

- of a tensor that is no view: it now comes from the op's node;
- of a view: its *root* now comes from a `CopySlices` node (`write_view`: the old root with the
  new value in the region that the chain of view ops selects), and every view of that root gets
  a fresh node the next time somebody asks (its record's version no longer matches).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..ops.layout import address, is_dense, is_expanded, overlaps_itself
from ..ops.schema import TABLE, Op
from . import errors, refusal
from .lazy import aligned, memory
from .node import UNTRACKED, OutSlot, hooks_of, rename
from .op_rules import needed_for, saved_names
from .plain_write import bump, written_plainly
from .record import edge, live_node, record
from .state import ANOMALY_FORWARD, STATE, TRACE, WATCH
from .strided_views import begin_at_root, flag_steps, path_from_root, strides_from_root
from .value import (
    CREATION,
    FACTORY,
    FROM_CUSTOM,
    FROM_INFERENCE,
    FROM_MULTI,
    FROM_NO_GRAD,
    NODE_VERSION,
    PARENT,
    ROOT,
    VIEW_OP,
    VIEW_PARAMS,
    TensorBase,
    make,
)  # fmt: skip

_FIRST_SENTENCE = {
    FROM_NO_GRAD: "{who} no_grad mode and {what} modified inplace with grad mode enabled.",
    FROM_INFERENCE: "{who} inference mode and {what} modified inplace in normal mode.",
}
_WHY = {
    FROM_NO_GRAD: "Whether the change is to be recorded cannot be told: the view says no, the "
    "present mode says yes. Make the view and modify it both inside the no_grad block, or both "
    "outside of it.",
    FROM_INFERENCE: "A view made in inference_mode has no history to change. Make the view and "
    "modify it both inside the inference_mode block, or both outside of it.",
    FROM_MULTI: "This view is the output of a function that returns multiple views. Such functions "
    "do not allow the output views to be modified inplace.",
    FROM_CUSTOM: "This view was created inside a custom Function (or an input was returned "
    "as-is), and its backward would not know of the change. Return a clone there.",
}


def refused(x: Any, name: str, indirect: bool = False) -> RuntimeError:
    """The error for a write through, or under, a view that does not allow it."""
    creation = x._view[CREATION]
    node: Any = None if x._node is UNTRACKED else x._node
    output, node = (node.nr, node.node) if node.__class__ is OutSlot else (0, node)
    what = "its base or another view of its base has been" if indirect else "is being"
    who = f"Output {output} of {_stem(node)} is a view" if node else "A view was created in"
    if node and creation not in _FIRST_SENTENCE:
        sentence = f"{who} and {what} modified inplace."
    else:
        if node:
            who += " of a view which was created in"
        kind = FROM_INFERENCE if creation == FROM_INFERENCE else FROM_NO_GRAD
        sentence = _FIRST_SENTENCE[kind].format(who=who, what=what)
    return errors.view_in_place(f"{sentence} {_WHY[creation]}", name)


def _stem(node: Any) -> str:
    """The name of an op or custom Function, from its node's."""
    return node.name().rstrip("0123456789").removesuffix("Backward")


def check_writable(x: Any, name: str, recording: bool) -> None:
    """Raise when x may not be written in place; nothing has changed then.

    `recording`: the write has a derivative, and x or what is written requires grad.
    """
    if x._v is None and not STATE.inference:
        raise errors.inference_inplace()
    if not recording or not STATE.grad_enabled:
        return
    if x._level is not None and x._level.checks_writes:
        return
    view = x._view
    if view is not None:
        if view[CREATION]:
            raise refused(x, name)
        if x._rg and view[ROOT]._node is None:
            raise errors.leaf_in_place(True, name, x.shape)
    if x._rg and (x._node if view is None else live_node(x)) is None:
        raise errors.leaf_in_place(False, name, x.shape)


# Their 0-dim operand counts as a number, read before anything is written.
_FILLS = ("fill_", "index_fill_", "masked_fill_")


def _steps(a: np.ndarray) -> list[int]:
    """The strides that matter: those of dimensions with more than one place."""
    return [step for n, step in zip(a.shape, a.strides, strict=True) if n > 1]


def check_apart(x: Any, others: tuple[Any, ...], name: str, touching: bool = False) -> None:
    """Raise when x shares a part of its memory with an operand: the result would depend on order.

    As in PyTorch only what is certain is refused: both without gaps, and not the same elements
    (with `touching`, which is for writes to other elements than those read, these too).
    """
    version = x._v
    for t in others:
        if not isinstance(t, TensorBase) or t._v is not version or version is None:
            continue
        a, b = memory(x), memory(t)
        if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray:
            continue
        same = a is b or (a.shape == b.shape and _steps(a) == _steps(b))
        same = same and address(a) == address(b)
        if (same and not touching) or (not b.ndim and name in _FILLS):
            continue
        if t is x or (b.size and is_dense(a) and is_dense(b) and np.may_share_memory(a, b)):
            raise refusal.runtime(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation.",
                f"{name} of shape {list(a.shape)} with an operand of shape {list(b.shape)} on the "
                "same memory",
            )


def inplace(op: Op, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str) -> Any:
    """x.op_(*args): the op's result into x, with its history. Returns x."""
    if len(args) == 1 and not params and written_plainly(op, x, args[0], name):
        return x
    from .dispatch import FAILURES, explain_failure, prepare

    if STATE.unusual & WATCH:
        from .watching import watched_inplace

        return watched_inplace(op, x, args, params, name)
    if FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(x, *args):
        return FACTORY.dispatcher.inplace(op, x, args, params, name)
    begin_at_root(x)
    if op.name == "abs" and x.dtype.is_complex:
        raise refusal.runtime(
            "In-place abs is not supported for complex tensors.", fix="x = x.abs(), which is real."
        )
    if not op.differentiable and op.name in _COMPARISONS and _is_recorded(x, args):
        return _write_comparison(op, x, args, name)
    if (
        getattr(x, "_level", None) is not None
        or STATE.unusual & TRACE
        or any(getattr(a, "_level", None) is not None for a in args)
    ):
        from .dispatch import P, entry

        if getattr(x, "_level", None) is not None:
            from .level_writes import check_examples_apart

            check_examples_apart(x, args, name)
        else:
            if args and name not in _SAME_EVERYWHERE:
                check_apart(x, args, name)
            if op.random:  # before numbers are drawn
                check_writable(x, name, op.differentiable and _is_recorded(x, args))
                refuse_overlap(memory(x))
        old = x
        if STATE.grad_enabled and (_has_tangent(x) or _rules_name_self(op, args)):
            old = P.clone(x)  # rules may save it, and its memory is about to change
        value = entry(op)(old, *args, **params)
        if op.differentiable or op.name in _COMPARISONS:
            return assign(x, value, name)
        with recording_off():
            return assign(x, value, name)  # history and tangent stay what they were
    tensors = prepare(op, (x, *args))
    recording = op.differentiable and _is_recorded(x, tensors)
    check_writable(x, name, recording)
    if args and name not in _SAME_EVERYWHERE:
        check_apart(x, tensors[1:], name)
    if op.random:
        refuse_overlap(memory(x))  # before numbers are drawn
    payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in tensors)
    try:
        result = np.asarray(op.forward(*payloads, **params) if STATE.stand_in is None else x._a)
    except FAILURES as problem:
        raise explain_failure(op, (x, *args), params, problem) from None
    check_fits(x, result, name)
    if STATE.unusual & ANOMALY_FORWARD:
        from .anomaly_forward import note_written

        note_written(STATE.anomaly_log, op, x, tensors, result, params)
    if not recording:
        write(x, result, name)
        return x
    wanted = tuple(isinstance(t, TensorBase) and t._rg for t in tensors)
    tensors, payloads = _before_the_write(op, x, tensors, payloads, needed_for(op, wanted))
    write(x, result, name)
    node = record(op, tensors, payloads, (x._a,), params, versions=(x._v,))
    set_history(x, node)
    for observer in STATE.observers:
        observer(op, tensors, (x,), params)
    return x


def _before_the_write(
    op: Op, x: Any, tensors: Any, payloads: Any, needed: frozenset[str]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Operands in the memory of x, with their history, and if a rule needs it their value, of now.

    An operand that is a view would otherwise be asked for its node after the write.
    """
    made, arrays = list(tensors), list(payloads)
    for k, t in enumerate(tensors):
        if isinstance(t, TensorBase) and t._v is x._v and t._v is not None:
            if op.input_name(k) in needed:
                arrays[k] = t._a.copy()
            elif t is x:
                continue
            made[k] = _with_payload(t, arrays[k])
        elif isinstance(t, TensorBase) and t._view is not None:
            edge(t)  # refuses a view that lost its history before anything has changed
    return tuple(made), tuple(arrays)


@contextmanager
def recording_off() -> Generator[None, None, None]:
    """Writes inside leave histories and tangents alone."""
    enabled, forward = STATE.grad_enabled, STATE.forward_grad_enabled
    STATE.set_grad_enabled(False)
    STATE.forward_grad_enabled = False
    try:
        yield
    finally:
        STATE.set_grad_enabled(enabled)
        STATE.forward_grad_enabled = forward


def _is_recorded(x: Any, others: tuple[Any, ...]) -> bool:
    """Whether a write of something made from `others` into x has a history."""
    if not STATE.grad_enabled or x.dtype.category < 2:  # whole numbers have no gradient
        return False
    return x._rg or any(isinstance(t, TensorBase) and t._rg for t in others)


# What these write does not depend on x or the other operand, to first order. Other ops without a
# derivative (logical_not_...) leave the history alone, as in PyTorch.
_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


def _write_comparison(op: Op, x: Any, args: tuple[Any, ...], name: str) -> Any:
    """x.eq_(other) and its like where gradients are recorded: they are zero."""
    from .dispatch import P, entry

    check_apart(x, args, name)
    value = entry(op)(x, *args)
    for t in (x, *args):
        if isinstance(t, TensorBase) and t._rg:
            value = P.add(P.blank(t), value)
    return assign(x, P.cast(value, dtype=x.dtype.np), name)


def _rules_name_self(op: Op, args: tuple[Any, ...]) -> bool:
    tensors = (True, *(isinstance(a, TensorBase) for a in args))
    return op.differentiable and op.inputs[0] in needed_for(op, tensors)


def _has_tangent(x: Any) -> bool:
    """Whether x carries a tangent at any level: rules for tangents use it as a factor."""
    while isinstance(x, TensorBase):
        if "_tangent" in x.__dict__:
            return True
        x = x._a
    return False


def _with_payload(t: Any, array: np.ndarray) -> Any:
    """t's history around another array (its old value)."""
    old = make(array)
    if t._rg:
        old._rg = True
        old._node = edge(t)
    return old


def check_fits(x: Any, result: np.ndarray, name: str) -> None:
    """The result must have x's shape and a type that x's type can hold."""
    check_fit(tuple(x.shape), x._a.dtype, result.shape, result.dtype, name)


def check_fit(shape: Any, dtype: np.dtype, new_shape: Any, new_dtype: np.dtype, name: str) -> None:
    """A result of the new shape and type must fit into a tensor of the first ones."""
    if new_shape != shape:
        raise refusal.runtime(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(new_shape)}",
            f"{name}",
            why="An in-place operation cannot change a tensor's shape.",
            fix="use the out-of-place form and assign its result.",
        )
    order = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
    if order.get(new_dtype.kind, 2) > order.get(dtype.kind, 2):
        raise refusal.runtime(
            f"result type {_type_word(new_dtype)} can't be cast to the desired output type "
            f"{_type_word(dtype)}",
            f"{name}",
            fix="convert the tensor first (x = x.float()), or use the out-of-place form.",
        )


_TYPE_WORDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def _type_word(dtype: Any) -> str:
    return str(_TYPE_WORDS.get(dtype.name, dtype.name))


# What these write is the same for every element, so elements may share their memory.
_SAME_EVERYWHERE = ("fill_", "zero_")


def write(x: Any, value: Any, name: str, followed: bool = False) -> None:
    """Put a value into x's memory and note who did it. `followed`: gradients flow to the value."""
    if STATE.levels:
        from .level_writes import note_write

        note_write(x)
    target = x._a
    if x._lazy:
        target = memory(x)
        value = aligned(value, x._lazy, target.dtype)
    flags = target.flags
    if not flags.c_contiguous or not flags.writeable:
        if name not in _SAME_EVERYWHERE or not flags.writeable:
            one_value = not followed and value.size > 0 and not any(value.strides)
            refuse_overlap(target, one_value)
    if STATE.stand_in is None:
        np.copyto(target, value, casting="unsafe")
    bump(x, name)


def refuse_overlap(target: np.ndarray, one_value: bool = False) -> None:
    """Raise when several elements are one place in memory, or it is read-only.

    Windows that overlap (unfold, as_strided) may be filled with one value; expanded tensors may
    not, as in PyTorch.
    """
    if is_expanded(target) if one_value else overlaps_itself(target):
        raise refusal.runtime(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation.",
            f"shape {list(target.shape)}, strides {list(target.strides)} bytes",
            why="What would be read there depends on the order of writes.",
        )
    if not target.flags.writeable:
        raise refusal.runtime(
            "the tensor's memory is read-only (it came from a read-only array)",
            fix="clone() the tensor first.",
        )


def do_without(t: Any) -> None:
    """The memory of t may now be written unnoticed: a rule that can make its value again must."""
    node = t._node if t._view is None else t._view[ROOT]._node
    node, nr = (node.node, node.nr) if node.__class__ is OutSlot else (node, 0)
    if node is None or nr or not node.s or node.op is None or not node.op.overwritable:
        return
    op = node.op
    names = saved_names(op)
    for name in op.overwritable:
        k = len(names) + 2 * names.index(name) + 1
        node.s = (*node.s[:k], -1, *node.s[k + 1 :])  # no version is this one


def set_history(x: Any, node: Any) -> None:
    """x's value now comes from `node`."""
    record_of_view = x._view
    if record_of_view is None:
        move_retention(x, node)
        x._node = node
        _now_requires_grad(x)
        return
    root = record_of_view[ROOT]
    op = TABLE["write_view"]
    value = make(x._a)
    value._rg = True
    value._node = node
    chain = chain_to(x)
    old_root = make(root._a)
    old_root._rg = root._rg
    old_root._node = edge(root)
    root_node = record(op, (old_root, value), (root._a, x._a), (root._a,), {"chain": chain})
    move_retention(root, root_node)
    root._node = root_node
    _now_requires_grad(root)
    refresh_view(x)


def move_retention(t: Any, node: Any) -> None:
    """A tensor that keeps its gradient keeps that of its latest value."""
    old, nr = t._node, 0
    if t._rare and "retained_at" in t._rare:
        old = t._rare.pop("retained_at")
    if old.__class__ is OutSlot:
        old, nr = old.node, old.nr
    hooks = old.hooks if old is not None else None
    if hooks is None or nr not in hooks.retain or hooks.retain[nr]() is not t:
        return
    reference = hooks.retain.pop(nr)
    node, nr = (node.node, node.nr) if node.__class__ is OutSlot else (node, 0)
    hooks_of(node).retain[nr] = reference


def _now_requires_grad(root: Any) -> None:
    """The root has a history now; views made before it had one are part of it."""
    if not root._rg and root._rare and "views" in root._rare:
        for reference in root._rare["views"]:
            view = reference()
            if view is not None:
                view._rg = True
    root._rg = True


def chain_of(view_record: Any) -> tuple[Any, ...]:
    """The view ops from the root to a view, first to last, as (name, parameters)."""
    path = path_from_root(view_record)
    return tuple((op.name, tuple(sorted(params.items()))) for op, params, _ in path)


def chain_to(view: Any) -> tuple[Any, ...]:
    """The view ops that lead from a view's root, as it is now, to the view."""
    meta = view._view[ROOT]._rare
    if meta and "reshaped" in meta:
        strided = ("as_strided", tuple(sorted(strides_from_root(view).items())))
        return (strided, *((op.name, ()) for op, _, _ in flag_steps(view._lazy)))
    return chain_of(view._view)


def refresh_view(view: Any) -> None:
    """Give a view the node that leads to its root's present history."""
    view_record = view._view
    root = view_record[ROOT]
    if view._node is None and not root._rg:  # a leaf of its own, or nothing that needs a history
        view_record[NODE_VERSION] = view._v[0]
        return
    if view_record[CREATION]:
        raise refused(view, "use of the view", indirect=True)
    view_record[NODE_VERSION] = view._v[0]
    if root._rare and "reshaped" in root._rare:
        op, params = TABLE["as_strided"], strides_from_root(view)
        if view._lazy:
            op, params = TABLE["view_chain"], {"chain": chain_to(view)}
    elif view_record[PARENT] is None:
        op, params = view_record[VIEW_OP], view_record[VIEW_PARAMS]
    else:
        op, params = TABLE["view_chain"], {"chain": chain_of(view_record)}
    node = record(op, (root,), (root._a,), (view._a,), params)
    rename(node, "AsStridedBackward0")
    move_retention(view, node)
    view._node = node
    view._rg = True


def assign(x: Any, value: Any, name: str) -> Any:
    """Replace x's value by a computed tensor, history included (composite in-place forms)."""
    if FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(x, value):
        return FACTORY.dispatcher.assign(x, value, name)
    if getattr(x, "_level", None) is not None or getattr(value, "_level", None) is not None:
        from .level_writes import assign_level

        return assign_level(x, value, name)
    if STATE.unusual & TRACE:
        return STATE.trace.assign(x, value, name)
    recording = _is_recorded(x, (value,))
    check_writable(x, name, recording)
    check_fits(x, value._a, name)
    check_apart(x, (value,), name)
    relative = value._view if recording and value._v is x._v else None
    if relative is not None:
        live_node(value)
    write(x, value._a, name, recording and value._rg)
    if STATE.unusual & ANOMALY_FORWARD:
        from .anomaly_forward import note_assigned

        note_assigned(STATE.anomaly_log, x, value, name)
    if relative is not None:  # what was written is its value from before
        relative[NODE_VERSION] = value._v[0]
    if recording:
        set_history(x, copying(x, value, name))
        if relative is not None:
            relative[NODE_VERSION] = -1
    return x


def copying(x: Any, value: Any, name: str) -> Any:
    """The node of x's new value, a copy of a computed one."""
    if name != "copy_" or x._view is not None or not x._rg:
        return record(TABLE["copy_value"], (value,), (value._a,), (x._a,), {})
    # The old value of x had its part in the program: its gradient is zero, not missing.
    pair = (x._a, value._a)
    node = record(TABLE["write_view"], (x, value), pair, (x._a,), {"chain": ()})
    rename(node, "CopyBackwards")
    return node
