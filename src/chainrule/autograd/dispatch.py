"""How an op is called on tensors.

`entry(op)` returns the op's function on tensors. It is generated on first use: straight-line code
for the usual case (plain tensors of one float type, nothing unusual active) that falls back to
`general` for everything else: mixed types, transforms, traces, subclasses, hooks, anomaly mode.
Measured for `a * b` with gradients on one element: loops 2.95 µs, specialised 0.99 µs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from ..ops import dtypes
from ..ops.halves import COMPLEX_HALF, is_bfloat16
from ..ops.layout import lying_as_operands
from ..ops.schema import TABLE, Op
from ..ops.worlds import World
from . import errors, refusal
from .node import UNTRACKED, OutSlot
from .record import record
from .state import ANOMALY_FORWARD, DISPATCH, OBSERVE, SELECT, STATE, TRACE, WATCH
from .value import (
    CREATION,
    FACTORY,
    FROM_GRAD,
    FROM_INFERENCE,
    FROM_MULTI,
    FROM_NO_GRAD,
    LAZY,
    PLAIN,
    TensorBase,
)
from .value import make as make_plain

_new = object.__new__
NUMBERS = (bool, int, float, complex)
DIFFERENTIABLE = "fcV" + COMPLEX_HALF  # kinds of NumPy types; V are bfloat16 and float8


def entry(op: Op) -> Callable[..., Any]:
    """The op's function on tensors."""
    found = op.cache.get("entry")
    if found is None:
        from .entries import make_entry

        found = op.cache["entry"] = make_entry(op)
    return found


class Prims:
    """The ops of the table as functions on tensors: `P.reduce_sum(x, axis=(0,), ...)`.

    Entries are made when first asked for and then found as plain attributes.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in TABLE:
            raise AttributeError(f"the table has no op {name!r}")
        made = entry(TABLE[name])
        setattr(self, name, made)
        return made


P = Prims()


def _in_rules(op: Op) -> Callable[..., Any]:
    """The op as rules call it: the conjugate of what is real is no call at all."""
    made = entry(op)
    if op.name != "conj":
        return made

    def conj(x: Any) -> Any:
        if x.__class__ in PLAIN and x._a.dtype.kind == "f":
            return x
        return made(x)

    return conj


TENSORS = World("tensors", _in_rules)


# ---- the general path ---------------------------------------------------------------------------


# What a kernel may end with; each is said in the user's terms.
FAILURES = (
    ValueError, IndexError, TypeError, AttributeError, ArithmeticError, MemoryError,
    np.linalg.LinAlgError,
)  # fmt: skip


def general(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on whatever the arguments are."""
    top = None
    for a in args:
        level = getattr(a, "_level", None)
        if level is not None and (top is None or level.index > top.index):
            top = level
    if op.random and STATE.levels:
        from .random_levels import draw, vmap_level

        level = vmap_level(top)
        if level is not None:
            return draw(level, op, args, params)
    unusual = STATE.unusual
    if unusual & DISPATCH and (top is None or top.index == 0):
        return FACTORY.dispatcher.process(op, args, params)
    if top is not None:
        return top.process(op, args, params)
    if unusual & TRACE:
        return STATE.trace.process(op, args, params)
    return plain(op, args, params)


def lies_as_operands(op: Op) -> bool:
    """Whether results lie in memory as operands do: not those of products and masked fills."""
    return op.promote != "none" and op.broadcasts and op.batch == "elementwise" and not op.view


_INTO_PARTS = ("real", "imag", "view_as_real", "view_dtype")


def plain(op: Op, args: tuple[Any, ...], params: dict[str, Any], known: Any = None) -> Any:
    """Run an op on tensors whose payloads are arrays, and record it when gradients are wanted.

    `known` is what the op computes, as an array or arrays, if somebody has kept it.
    """
    unusual = STATE.unusual
    if not args and op.n_out == 1 and not unusual:  # a draw: nothing to prepare or record
        try:
            result = op.forward(**params)
        except FAILURES as problem:
            raise explain_failure(op, args, params, problem) from None
        return make_plain(result, inference=STATE.inference)
    if unusual & SELECT and known is None:
        return _selected(op, args, params)
    if unusual & WATCH and known is None:
        from .watching import watched_op

        return watched_op(op, args, params)
    if op.name in LAZY:
        from .lazy import lazy_view

        return lazy_view(args[0], op.name)
    tensors = prepare(op, args)
    if not unusual and known is None and not op.view:
        return _usual(op, args, tensors, params)
    payloads = tuple([t._a if isinstance(t, TensorBase) else t for t in tensors])
    if op.view and tensors[0]._lazy:
        if op.name in _INTO_PARTS:  # memory does not show them; nobody writes through the result
            return plain(op, (P.clone(args[0]), *args[1:]), params)
        from .lazy import memory

        payloads = (memory(tensors[0]), *payloads[1:])
    recording = (
        STATE.grad_enabled
        and op.differentiable
        and any(isinstance(t, TensorBase) and t._rg for t in tensors)
    )
    try:
        result = op.forward(*payloads, **params) if known is None else known
    except FAILURES as problem:
        raise explain_failure(op, args, params, problem) from None
    outs = result if op.n_out != 1 else (result,)
    outs = tuple([o if o.__class__ is np.ndarray else np.asarray(o) for o in outs])
    if lies_as_operands(op):
        outs = tuple([lying_as_operands(o, *payloads) for o in outs])
    wrapped = wrap_results(op, tensors, payloads, outs, params, recording)
    if unusual & (ANOMALY_FORWARD | OBSERVE):
        _observe(op, tensors, wrapped, params)
    return wrapped[0] if op.n_out == 1 else wrapped


def _usual(op: Op, args: tuple[Any, ...], tensors: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """`plain` from the forward function on, where nobody watches and nothing is a view."""
    payloads: tuple[Any, ...] = tuple([t._a if isinstance(t, TensorBase) else t for t in tensors])
    try:
        result = op.forward(*payloads, **params)
    except FAILURES as problem:
        raise explain_failure(op, args, params, problem) from None
    outs = (result,) if op.n_out == 1 else result
    outs = tuple([o if o.__class__ is np.ndarray else np.asarray(o) for o in outs])
    if lies_as_operands(op):
        outs = tuple([lying_as_operands(o, *payloads) for o in outs])
    inference = STATE.inference
    wrapped = tuple([make_plain(o, inference=inference) for o in outs])
    recording = False
    for t in tensors:
        kind = t.__class__
        if kind in PLAIN or isinstance(t, TensorBase):
            recording = recording or t._rg
            if kind not in PLAIN:
                _keep_class(tensors, wrapped)
    if recording and STATE.grad_enabled and op.differentiable:
        _join(
            op, record(op, tensors, payloads, outs, params, None, [t._v for t in wrapped]), wrapped
        )
    return wrapped[0] if op.n_out == 1 else wrapped


def _join(op: Op, node: Any, wrapped: tuple[Any, ...]) -> None:
    """Make results the outputs of a node."""
    for k, t in enumerate(wrapped):
        if k not in op.nondiff_out and t._a.dtype.kind in DIFFERENTIABLE:
            t._rg = True
            t._node = node if op.n_out == 1 else OutSlot(node, k)


def _selected(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Let the innermost selection run the op; what it calls is the business of the outer ones."""
    selection = STATE.selections.pop()
    if not STATE.selections:
        STATE.turn_off(SELECT)
    try:
        return selection.run(op, args, params)
    finally:
        STATE.selections.append(selection)
        STATE.turn_on(SELECT)


def wrap_results(
    op: Op,
    tensors: tuple[Any, ...],
    payloads: tuple[Any, ...],
    outs: tuple[np.ndarray, ...],
    params: dict[str, Any],
    recording: bool,
) -> tuple[Any, ...]:
    """Tensors around the results, as views and with history where that applies."""
    inference = STATE.inference
    wrapped = tuple(make_plain(o, inference=inference) for o in outs)
    _keep_class(tensors, wrapped)
    if op.view:
        for k, t in enumerate(wrapped):
            if shares_memory(t._a, payloads[0]):
                attach_view(t, tensors[0], op, params, op.n_out != 1)
                if op.n_out != 1 and t._view is not None:
                    t._view.append(k)
        if tensors[0]._lazy:
            _carry_flags(tensors[0]._lazy, wrapped)
    if not recording:
        return wrapped
    _join(op, record(op, tensors, payloads, outs, params, None, [t._v for t in wrapped]), wrapped)
    return wrapped


def _carry_flags(flags: int, wrapped: tuple[Any, ...]) -> None:
    """Views of memory with which something is still to be done; of a copy it is done now."""
    from .lazy import carried_out, flagged

    for t in wrapped:
        if t._view is not None:
            flagged(t, flags)
        else:
            t._a = carried_out(flags, t._a)


def _keep_class(tensors: tuple[Any, ...], wrapped: tuple[Any, ...]) -> None:
    """Results are plain tensors, but for a user's class that nobody was told of before."""
    for t in tensors:
        if isinstance(t, TensorBase) and t.__class__ not in PLAIN:
            if FACTORY.is_unnoticed(t.__class__):
                for w in wrapped:
                    w.__class__ = t.__class__
            return


def shares_memory(a: np.ndarray, b: Any) -> bool:
    """Whether a view op really gave a view (an empty array shares nothing and counts as one)."""
    return (
        a is b
        or a.base is b
        or (a.base is not None and a.base is b.base)
        or a.size == 0
        # Over memory NumPy did not allocate, a view's base is an object of its own.
        or (a.base is not None and a.base.__class__ is not np.ndarray and np.may_share_memory(a, b))
    )


def attach_view(view: Any, of: Any, op: Op, params: dict[str, Any], multi: bool = False) -> None:
    """Make `view` a view of `of`: shared version, and the chain back to the root."""
    if not isinstance(of, TensorBase):
        return
    parent = of._view
    creation = FROM_GRAD
    if STATE.inference:
        creation = FROM_INFERENCE
    elif not STATE.grad_enabled:
        creation = FROM_NO_GRAD
    elif multi:
        creation = FROM_MULTI
    elif parent is not None:
        creation = parent[CREATION]  # a view of such a view is one too
    view._v = of._v
    version = of._v[0] if of._v is not None else 0
    root = of if parent is None else parent[0]
    view._view = [root, parent, op, params, version, creation]
    if root._level is not None or view._level is not None:
        return
    if view._v is None or view._a.dtype.kind not in DIFFERENTIABLE:
        return
    if not root._rg:
        remember_view(root, view)
    elif creation in (FROM_NO_GRAD, FROM_INFERENCE):
        # As in PyTorch: it counts as requiring grad, but what flows back into it is lost.
        view._rg, view._node = True, UNTRACKED
        remember_view(root, view)


def remember_view(root: Any, view: Any) -> None:
    """So that the view learns of it when an in-place write gives the root a history."""
    meta: dict[str, Any] | None = root._rare
    if meta is None:
        meta = root._rare = {}
    views: list[Any] = meta.setdefault("views", [])
    views.append(ref(view))
    if len(views) & (len(views) - 1) == 0 and len(views) >= 32:
        meta["views"] = [r for r in views if r() is not None]


def refuse_operands(op: Op, args: tuple[Any, ...]) -> None:
    """Raise where one operand of several has a type the op does not take beside others."""
    bools = [a.__class__ is bool or getattr(a, "dtype", None) is dtypes.bool_ for a in args]
    if any(bools) and not all(bools) and "b" in op.refuses_operands:
        raise errors.refused_operand(op, args)


_LIKE_NUMBERS = (np.generic, *NUMBERS)


def _python_number(a: Any) -> Any:
    """NumPy's own numbers and subclasses of Python's (an IntEnum) count as Python's: NumPy would
    take them for arrays with a type of their own."""
    if isinstance(a, np.generic):
        return a.item()  # pyright: ignore[reportUnknownVariableType]
    kind: Any = next((k for k in NUMBERS if isinstance(a, k)), None)
    return a if kind is None or a.__class__ is kind else kind(a)


def prepare(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments as tensors of the promoted type; numbers stay where NumPy keeps them weak."""
    for a in args:
        if a.__class__ not in PLAIN:
            break
    else:
        if args and _are_alike(op, args):
            return args
    if op.refuses_operands:
        refuse_operands(op, args)
    if any(a.__class__ not in NUMBERS and isinstance(a, _LIKE_NUMBERS) for a in args):
        args = tuple(_python_number(a) for a in args)
    if op.promote == "none":
        return tuple(_as_tensor(op, a, i) for i, a in enumerate(args))
    keep = op.nondiff if op.partials or op.vjps else ()
    target = common_dtype(op, args, keep)
    if op.refuses and target.np.kind in op.refuses:
        raise errors.refused_type(op, target)
    out: list[Any] = []
    for i, a in enumerate(args):
        if op.input_name(i) in keep:
            out.append(_as_tensor(op, a, i))
        elif isinstance(a, NUMBERS):
            out.append(_number(op, i, a, target))
        else:
            t = _as_tensor(op, a, i)
            have = t._a.dtype
            if have != target.np:
                keeps = target in HALVES and i == 1 and op.numbers == "wide" and not t.ndim
                t = cast_tensor(t, dtypes.float32 if keeps else target)
            out.append(t)
    if out and not any(isinstance(t, TensorBase) for t in out):
        try:
            out[0] = make_plain(np.asarray(out[0], target.np))
        except OverflowError:
            raise errors.too_long(op, out[0]) from None
    return tuple(out)


def _are_alike(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether plain tensors are all of one type that is neither promoted nor refused."""
    if op.promote == "none":
        return not op.refuses_operands
    dtype = args[0]._a.dtype
    for a in args[1:]:
        if a._a.dtype != dtype:
            return False
    kind = dtype.kind
    return (kind in "fc" or is_bfloat16(dtype)) and kind not in op.refuses


def _fits(bits: int, signed: bool) -> Callable[[int], bool]:
    low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    return lambda value: low <= value < high


_INT_RANGE = {
    d.name: _fits(8 * d.itemsize, d.is_signed) for d in dtypes.ALL if d.category == dtypes.INT
}


HALVES = (dtypes.float16, dtypes.bfloat16)


def _number(op: Op, i: int, value: Any, target: dtypes.dtype) -> Any:
    # NumPy treats Python numbers as weak. Half precision is computed in float32: a number that
    # PyTorch rounds to the tensors' type first has to be rounded here.
    if isinstance(value, bool) or (target in HALVES and op.numbers != "wide"):
        try:
            held = np.asarray(value, target.np)
        except OverflowError:
            raise errors.too_large(op.name, value, target) from None
        if op.numbers == "fitting" and np.isinf(held) and not np.isinf(value):
            raise errors.too_large(op.name, value, target)
        return make_plain(held)
    if target.category == dtypes.INT and not _INT_RANGE[target.name](value):
        if not -(1 << 63) <= value < 1 << 64:
            raise errors.too_long(op, value)
        if op.input_name(i) in op.in_range:
            raise errors.out_of_range(op, value, target)
        return make_plain(
            np.asarray(value & (1 << 8 * target.itemsize) - 1, np.uint64).astype(target.np)
        )  # fmt: skip - wraps around, as in C
    return value


def cast_tensor(t: Any, target: dtypes.dtype) -> Any:
    """t in another type, recorded when gradients flow."""
    return P.cast(t, dtype=target.np)


def in_common_type(op: Op, args: tuple[Any, ...], halves: bool = True) -> tuple[Any, ...]:
    """The tensors among the promoting arguments in their result type; as they are if that is half
    precision and `halves` are not wanted. Types that the op refuses are refused first."""
    if op.refuses_operands:
        refuse_operands(op, args)
    keep = op.nondiff if op.partials or op.vjps else ()
    target = common_dtype(op, args, keep)
    if target in HALVES and not halves:
        return args
    return tuple(
        P.cast(a, dtype=target.np)
        if isinstance(a, TensorBase) and op.input_name(i) not in keep and a.dtype is not target  # type: ignore[attr-defined]
        else a
        for i, a in enumerate(args)
    )


def for_rules(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A transform's arguments as its rules want them: a rule that met an int64 beside a float64
    would take its reciprocal in float32."""
    if op.promote == "none":
        return args
    if len(args) == 1 or (
        len(args) == 2 and args[1].__class__ in PLAIN and args[0].__class__ in PLAIN
        and args[0]._a.dtype == args[1]._a.dtype
    ):  # fmt: skip
        return args
    kinds = {a.dtype for a in args if isinstance(a, TensorBase)}  # type: ignore[attr-defined]
    return args if len(kinds) < 2 else in_common_type(op, args, halves=False)


def common_dtype(op: Op, args: tuple[Any, ...], skip: tuple[str, ...] = ()) -> dtypes.dtype:
    """PyTorch's result type of the promoting arguments."""
    groups: list[Any] = [None, None, None]
    for i, a in enumerate(args):
        if op.input_name(i) in skip:
            continue
        if isinstance(a, TensorBase):
            d, k = a.dtype, (0 if a.ndim else 1)  # type: ignore[attr-defined]
        elif isinstance(a, NUMBERS):
            d, k = dtypes.scalar_dtype(a), 2
        else:
            d, k = _as_tensor(op, a, i).dtype, 0
        groups[k] = d if groups[k] is None else dtypes.promote_types(groups[k], d)
    found = dtypes.result_type(*groups)
    if found is None:
        raise TypeError(f"{op.name}() needs at least one tensor or number")
    if op.promote == "float" and found.category < dtypes.FLOAT:
        return dtypes.get_default_dtype()
    return found


def _as_tensor(op: Op, a: Any, position: int) -> Any:
    if isinstance(a, TensorBase):
        return a
    if isinstance(a, np.ndarray):
        return make_plain(a)
    if isinstance(a, NUMBERS):
        return make_plain(np.asarray(a, dtypes.scalar_dtype(a).np))
    if isinstance(a, np.generic):
        return make_plain(np.asarray(a))  # pyright: ignore[reportUnknownArgumentType]
    raise refusal.wrong_type(
        f"{op.name}(): argument '{'other' if position == 1 else 'input'}' (position "
        f"{position + 1}) must be Tensor, not {type(a).__name__}",
        fix="convert it with torch.as_tensor(...) first.",
    )


def explain_failure(
    op: Op, args: tuple[Any, ...], params: dict[str, Any], problem: Exception
) -> Exception:
    """NumPy's complaint in the user's terms: shapes, types, the line."""
    from .explain_failure import explained

    return explained(op, args, params, problem)


def _observe(
    op: Any, tensors: tuple[Any, ...], outs: tuple[Any, ...], params: dict[str, Any]
) -> None:
    if STATE.unusual & ANOMALY_FORWARD:
        from .anomaly import check_forward

        check_forward(op, tensors, outs, params)
    for observer in STATE.observers:
        observer(op, tensors, outs, params)
