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

from ..ops.schema import TABLE, Op
from . import errors, source
from .record import edge, needed_for, record
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

_REASONS = {
    FROM_NO_GRAD: "A view was created in no_grad mode and is being modified inplace with grad mode "
    "enabled.",
    FROM_INFERENCE: "A view was created in inference mode and is being modified inplace in normal "
    "mode.",
    FROM_MULTI: "Output 0 of a function that returns multiple views is a view and is being "
    "modified inplace. Such functions do not allow the output views to be modified inplace.",
    FROM_CUSTOM: "Output 0 of a custom Function is a view and is being modified inplace.",
}


def check_writable(x: Any, name: str, recording: bool) -> None:
    """Raise when x may not be written in place; nothing has changed then."""
    if x._v is None and not STATE.inference:
        raise errors.inference_inplace()
    if not STATE.grad_enabled:
        return
    if x._rg and x._node is None and x._view is None:
        raise errors.leaf_in_place(False, name, x.shape)
    if x._view is not None:
        root = x._view[ROOT]
        if root._rg and root._node is None and root._view is None:
            raise errors.leaf_in_place(True, name, x.shape)
        creation = x._view[CREATION]
        if creation and (recording or root._rg):
            raise errors.view_in_place(_REASONS[creation], name)


def inplace(op: Op, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str) -> Any:
    """x.op_(*args): the op's result into x, with its history. Returns x."""
    from .dispatch import explain_failure, prepare

    if (
        getattr(x, "_level", None) is not None
        or STATE.unusual & TRACE
        or any(getattr(a, "_level", None) is not None for a in args)
    ):
        from .dispatch import entry

        return assign(x, entry(op)(x, *args, **params), name)
    tensors = prepare(op, (x, *args))
    others = any(isinstance(t, TensorBase) and t._rg for t in tensors)
    recording = STATE.grad_enabled and op.differentiable and others
    check_writable(x, name, recording)
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
    return _TYPE_WORDS.get(dtype.name, dtype.name)


def write(x: Any, value: Any, name: str) -> None:
    """Put a value into x's memory and note who did it."""
    target = x._a
    if 0 in target.strides and target.size > 1 or not target.flags.writeable:
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
    view_record[NODE_VERSION] = view._v[0]
    if not root._rg:
        view._node = None
        return
    op = TABLE["view_chain"]
    if view_record[PARENT] is None:
        op, params = view_record[VIEW_OP], view_record[VIEW_PARAMS]
    else:
        params = {"chain": chain_of(view_record)}
    view._node = record(op, (root,), (root._a,), (view._a,), params)
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
    recording = STATE.grad_enabled and (value._rg or x._rg)
    write(x, value._a, name)
    if recording:
        op = TABLE["copy_value"]
        set_history(x, record(op, (value,), (value._a,), (x._a,), {}))
    return x
