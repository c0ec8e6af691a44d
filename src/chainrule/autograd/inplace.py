"""In-place operations: memory, versions and history.

The value is written into the tensor's memory, so every view sees it. History:

- of a tensor that is no view: it now comes from the op's node;
- of a view: its *root* now comes from a `CopySlices` node (`write_view`: the old root with the
  new value in the region that the chain of view ops selects), and every view of that root gets
  a fresh node the next time somebody asks (its record's version no longer matches).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.layout import address, is_dense
from ..ops.schema import TABLE, Op
from . import errors, source
from .node import UNTRACKED, OutSlot, rename
from .record import edge, live_node, needed_for, record
from .state import STATE, TRACE
from .value import (
    CREATION,
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
    FROM_MULTI: "{who} and {what} modified inplace.",
    FROM_CUSTOM: "{who} and {what} modified inplace.",
}
_WHY = {
    FROM_NO_GRAD: "Whether the change is to be recorded cannot be told: the view says no, the "
    "present mode says yes. Make the view and modify it in the same mode.",
    FROM_INFERENCE: "A view made in inference_mode has no history to change. Make the view outside "
    "of it.",
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
    who = f"Output {output} of {node.name().removesuffix('Backward0')} is a view" if node else ""
    if creation in (FROM_NO_GRAD, FROM_INFERENCE) or not who:
        who = f"{who} of a view which was created in" if who else "A view was created in"
        if creation == FROM_MULTI:
            who += " no_grad mode"
    what = "its base or another view of its base has been" if indirect else "is being"
    sentence = _FIRST_SENTENCE[creation].format(who=who, what=what)
    return errors.view_in_place(f"{sentence} {_WHY[creation]}", name)


def check_writable(x: Any, name: str, recording: bool) -> None:
    """Raise when x may not be written in place; nothing has changed then."""
    if x._v is None and not STATE.inference:
        raise errors.inference_inplace()
    if not STATE.grad_enabled:
        return
    view = x._view
    if x._rg and (x._node is None if view is None else live_node(x) is None):
        raise errors.leaf_in_place(view is not None, name, x.shape)
    if view is not None:
        root = view[ROOT]
        if view[CREATION] and (recording or root._rg):
            raise refused(x, name)
        if root._rg and root._node is None and root._view is None:
            raise errors.leaf_in_place(True, name, x.shape)


def check_apart(x: Any, others: tuple[Any, ...], name: str) -> None:
    """Raise when x shares a part of its memory with an operand: the result would depend on order.

    As in PyTorch only what is certain is refused: both without gaps, and not the same elements.
    """
    a = x._a
    for t in others:
        if not isinstance(t, TensorBase) or t._v is not x._v or t._a is a:
            continue
        b = t._a
        if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or not b.size:
            continue
        if a.shape == b.shape and a.strides == b.strides and address(a) == address(b):
            continue
        if is_dense(a) and is_dense(b) and np.may_share_memory(a, b):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                f"performing the operation.\n  {name} of shape {list(a.shape)} with an operand of "
                f"shape {list(b.shape)} on the same memory, at {source.here(3)}"
            )


def inplace(op: Op, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str) -> Any:
    """x.op_(*args): the op's result into x, with its history. Returns x."""
    from .dispatch import explain_failure, prepare

    if (
        getattr(x, "_level", None) is not None
        or STATE.unusual & TRACE
        or any(getattr(a, "_level", None) is not None for a in args)
    ):
        from .dispatch import P, entry

        old = x
        if STATE.unusual & TRACE and STATE.grad_enabled and getattr(x, "_level", None) is None:
            old = P.clone(x)  # rules may save it, and its memory is about to change
        return assign(x, entry(op)(old, *args, **params), name)
    tensors = prepare(op, (x, *args))
    others = any(isinstance(t, TensorBase) and t._rg for t in tensors)
    recording = STATE.grad_enabled and op.differentiable and others
    check_writable(x, name, recording)
    if args:
        check_apart(x, tensors[1:], name)
    payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in tensors)
    try:
        result = np.asarray(op.forward(*payloads, **params))
    except (ValueError, IndexError, TypeError) as problem:
        raise explain_failure(op, (x, *args), params, problem) from None
    check_fits(x, result, name)
    if not recording:
        write(x, result, name)
        return x
    wanted = tuple(isinstance(t, TensorBase) and t._rg for t in tensors)
    if op.inputs[0] in needed_for(op, wanted) and tensors[0]._a is x._a:
        # A rule needs the value that is about to be overwritten.
        payloads = (x._a.copy(), *payloads[1:])
        tensors = (_with_payload(tensors[0], payloads[0]), *tensors[1:])
    write(x, result, name)
    node = record(op, tensors, payloads, (x._a,), params, versions=(x._v,))
    set_history(x, node)
    for observer in STATE.observers:
        observer(op, tensors, (x,), params)
    return x


def _with_payload(t: Any, array: np.ndarray) -> Any:
    """t's history around another array (its old value)."""
    old = make(array)
    if t._rg:
        old._rg = True
        old._node = edge(t)
    return old


def check_fits(x: Any, result: np.ndarray, name: str) -> None:
    """The result must have x's shape and a type that x's type can hold."""
    shape = tuple(x.shape)
    if result.shape != shape:
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}\n  {name} at {source.here(3)}\n"
            "  An in-place operation cannot change a tensor's shape. Fix: use the out-of-place "
            "form and assign its result."
        )
    have, want = result.dtype.kind, x._a.dtype.kind
    order = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
    if order.get(have, 2) > order.get(want, 2):
        raise RuntimeError(
            f"result type {_type_word(result.dtype)} can't be cast to the desired output type "
            f"{_type_word(x._a.dtype)}\n  {name} at {source.here(3)}\n"
            "  Fix: convert the tensor first (x = x.float()), or use the out-of-place form."
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


def write(x: Any, value: Any, name: str) -> None:
    """Put a value into x's memory and note who did it."""
    target = x._a
    if (0 in target.strides and target.size > 1) or not target.flags.writeable:
        if name not in _SAME_EVERYWHERE or not target.flags.writeable:
            refuse_overlap(target)
    np.copyto(target, value, casting="unsafe")
    bump(x, name)


def refuse_overlap(target: np.ndarray) -> None:
    """Raise when several elements are one place in memory (expanded), or it is read-only."""
    pairs = zip(target.strides, target.shape, strict=True)
    if any(stride == 0 and size > 1 for stride, size in pairs):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation.\n"
            f"  shape {list(target.shape)}, strides {list(target.strides)} bytes, at "
            f"{source.here(4)}"
        )
    if not target.flags.writeable:
        raise RuntimeError(
            "the tensor's memory is read-only (it came from a read-only array)\n"
            f"  at {source.here(4)}\n  Fix: clone() the tensor first."
        )


def bump(x: Any, name: str) -> None:
    """Move x's version on; remember the writer for the error message."""
    v = x._v
    if v is not None:
        v[0] += 1
        v[1:] = (name, *source.user_position(3))


def set_history(x: Any, node: Any) -> None:
    """x's value now comes from `node`."""
    record_of_view = x._view
    if record_of_view is None:
        x._node = node
        _now_requires_grad(x)
        return
    root = record_of_view[ROOT]
    op = TABLE["write_view"]
    value = make(x._a)
    value._rg = True
    value._node = node
    chain = chain_of(record_of_view)
    old_root = make(root._a)
    old_root._rg = root._rg
    old_root._node = edge(root)
    root_node = record(op, (old_root, value), (root._a, x._a), (root._a,), {"chain": chain})
    root._node = root_node
    _now_requires_grad(root)
    refresh_view(x)


def _now_requires_grad(root: Any) -> None:
    """The root has a history now; views made before it had one are part of it."""
    if not root._rg and root._meta and "views" in root._meta:
        for reference in root._meta.pop("views"):
            view = reference()
            if view is not None:
                view._rg = True
    root._rg = True


def chain_of(view_record: Any) -> tuple[Any, ...]:
    """The view ops from the root to a view, first to last, as (name, parameters)."""
    chain = []
    while view_record is not None:
        params = tuple(sorted(view_record[VIEW_PARAMS].items()))
        chain.append((view_record[VIEW_OP].name, params))
        view_record = view_record[PARENT]
    return tuple(reversed(chain))


def refresh_view(view: Any) -> None:
    """Give a view the node that leads to its root's present history."""
    view_record = view._view
    root = view_record[ROOT]
    if not root._rg:
        view_record[NODE_VERSION] = view._v[0]
        if view_record[CREATION] or view._node is not None:
            view._node = None
        return
    if view_record[CREATION]:
        raise refused(view, "use of the view", indirect=True)
    view_record[NODE_VERSION] = view._v[0]
    if root._node is None and root._view is None and view._node is None:
        return  # a leaf of its own, on the memory of another leaf
    op = TABLE["view_chain"]
    if view_record[PARENT] is None:
        op, params = view_record[VIEW_OP], view_record[VIEW_PARAMS]
    else:
        params = {"chain": chain_of(view_record)}
    view._node = record(op, (root,), (root._a,), (view._a,), params)
    rename(view._node, "AsStridedBackward0")
    view._rg = True


def assign(x: Any, value: Any, name: str) -> Any:
    """Replace x's value by a computed tensor, history included (composite in-place forms)."""
    if getattr(x, "_level", None) is not None or getattr(value, "_level", None) is not None:
        from .levels import assign_level

        return assign_level(x, value, name)
    if STATE.unusual & TRACE:
        return STATE.trace.assign(x, value, name)
    check_writable(x, name, value._rg)
    check_fits(x, value._a, name)
    check_apart(x, (value,), name)
    recording = STATE.grad_enabled and (value._rg or x._rg)
    write(x, value._a, name)
    if recording:
        op = TABLE["copy_value"]
        set_history(x, record(op, (value,), (value._a,), (x._a,), {}))
    return x
