"""From an op's declaration to nodes: how to store what is saved, and the classes of nodes.

`node_class(op)` makes one Node class per op, with PyTorch's name and a straight-line `vjp`
generated from the rules (the general loops cost three times as much per node). The layout of
`node.s` is fixed per op: the saved values in the order of `saved_names(op)`, then for every saved
tensor its version list and the version it was saved at. It is a list where only shapes and
parameters are saved: backward does not free those, so it can be repeated, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ops.schema import Op
from ..ops.worlds import ARRAYS
from . import errors, source
from .leaves import GRAPH
from .node import UNTRACKED, Node, OutSlot, start
from .op_rules import saved_names, saved_places, to_save
from .running_rules import Fix, fix_of, run_rules, tensors_world
from .state import CHECKSUMS, SAVED_HOOKS, STATE
from .value import PLAIN, Exposed, TensorBase, make, with_history

_UNCHANGED: list[int] = [0]  # the version of what nobody can modify
_new = object.__new__


class OpNode(Node):
    """A node whose gradients come from the op table."""

    __slots__ = ()

    # Inputs by position, see `op`: gradients that are constant, or lead nowhere.
    flat: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        from .vjp_code import make_vjp_tensors

        made = make_vjp_tensors(self.op)  # few programs need it: written when it is first run
        type(self).vjp_tensors = made
        return made(self, g, parents, mode)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            return saved_attribute(self, name[len("_saved_") :])
        raise AttributeError(f"'{self.name()}' object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        from . import saved_names as saved_attributes

        known = [*saved_attributes.public_names(self.op, saved_names(self.op))]
        known += saved_attributes.CONSTANTS.get(self.op.name, {})
        return sorted({*super().__dir__(), *(f"_saved_{name}" for name in known)})


class LevelOpNode(OpNode):
    """A node on the tape of a transform level: its payloads are tensors of a lower level."""

    __slots__ = ("level",)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        values = saved_payloads(self)
        if STATE.w == 1:  # nobody records or listens: plain tensors are no more than their arrays
            arrays = _as_arrays((g, *values.values()))
            if arrays is not None:
                g, *saved = arrays
                found = run_rules(self, g, parents, dict(zip(values, saved, strict=True)), ARRAYS)
                return tuple([None if x is None else make(np.asarray(x)) for x in found])
        return run_rules(self, g, parents, values, tensors_world())

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return general_vjp_tensors(self, g, parents, mode)


def _as_arrays(values: Any) -> list[Any] | None:
    """Plain tensors as arrays, in sequences too, and what is no tensor as it is; None where there
    are others."""
    found: list[Any] = []
    for value in values:
        if value.__class__ in PLAIN:
            if value._lazy:
                return None
            value = value._a
        elif isinstance(value, TensorBase):
            return None
        elif value.__class__ in (list, tuple):
            inner = _as_arrays(value)
            if inner is None:
                return None
            value = inner if value.__class__ is list else tuple(inner)
        found.append(value)
    return found


# ---- recording ----------------------------------------------------------------------------------


def edge(t: Any) -> Any:
    """Where a tensor's gradient goes: its node, itself when it is a leaf, None when unwanted."""
    if not t._rg:
        return None
    if t._view is not None:
        return live_node(t) or t
    return t._node if t._node is not None else t


def edge_inside(t: Any) -> Any:
    """The same for who wants to see the gradient itself: a node that stands for many makes way."""
    e = edge(t)
    node, nr = (e.node, e.nr) if e.__class__ is OutSlot else (e, 0)
    unfold = None if node is None or node is t else node.unfold
    return edge(t) if unfold is not None and unfold(nr) else e


def live_node(view: Any) -> Any:
    """The node of a view, made anew when its memory was written through another alias."""
    record = view._view
    if record[4] != view._v[0]:
        from .inplace import refresh_view

        refresh_view(view)
    return view._node


def record(
    op: Op,
    tensors: tuple[Any, ...],
    payloads: tuple[Any, ...],
    outs: tuple[Any, ...],
    params: dict[str, Any],
    level: Any = None,
    versions: Sequence[Any] | None = None,
) -> Any:
    """A node for one run of the op. `versions`: of the outputs, when their tensors exist."""
    nondiff = op.nondiff
    edges: list[Any] = []
    wanting: list[bool] = []
    for i, t in enumerate(tensors):
        e = None
        if (t.__class__ in PLAIN or isinstance(t, TensorBase)) and t._rg:
            e = t._node if t._view is None else live_node(t)
            if e is None:
                e = t
            # A view made under no_grad takes no gradient, so nothing is kept for its rule.
            if e is UNTRACKED or (nondiff and op.input_name(i) in nondiff):
                e = None
        edges.append(e)
        wanting.append(e is not None)
    wanted = tuple(wanting)
    kind = node_class(op, level is not None) if True in wanted else _idle_class(op)
    node = start(_new(kind), tuple(edges), *source.user_position())
    if level is not None:
        node.level = level
    # fmt: off
    node.fix = Fix(tuple([
        (p.shape, p.dtype) if p.__class__ is np.ndarray else _shape_dtype(p) for p in payloads
    ]))
    # fmt: on
    node.meta = tuple([_shape_dtype(o) for o in outs])
    if True not in wanted:
        return node
    if level is None and not STATE.unusual:
        saver = op.cache.get(("saver", wanted)) or _make_saver(op, wanted)
        node.s = saver(tensors, payloads, outs, params, versions)
    else:
        save(node, wanted, tensors, payloads, outs, params, versions)
    return node


def _make_saver(op: Op, wanted: tuple[bool, ...]) -> Callable[..., Any]:
    """`save` for plain tensors and one set of wanted inputs, as straight-line code: what node.s is
    to be."""
    lines = ["def saved(tensors, payloads, outs, params, versions):"]
    values: list[str] = []
    tail: list[str] = []
    held: list[str] = []
    for k, (kind, detail, needed) in enumerate(to_save(op, wanted)):
        several = kind == "in" and op.variadic and detail == op.fixed
        version = "UNCHANGED"
        if not needed:
            values.append("None")
        elif several:
            values.append(f"payloads[{detail}:]")
            held.append("True")
        elif kind == "in":
            lines.append(f"    x{k} = payloads[{detail}]")
            lines.append(f"    v{k} = version_of(tensors[{detail}], x{k})")
            values.append(f"x{k}")
            held.append("True" if op.frees_numbers else f"not is_number(x{k})")
            version = f"v{k}"
        elif kind == "out":
            lines.append(f"    v{k} = versions[{detail}] if versions else [0]")
            values.append(f"outs[{detail}]")
            held.append("True")
            version = f"v{k}"
        elif kind == "param":
            values.append(f"params[{detail!r}]")
        else:
            values.append(f"static(op, {kind!r}, {detail!r}, payloads, outs, params)")
        if kind in ("in", "out"):
            tail += [version, f"{version}[0]"]
    inside = "".join(f"{text}, " for text in [*values, *tail])
    whole = f"({inside})" if "True" in held else f"[{inside}]"
    if held and "True" not in held:
        whole = f"({inside}) if {' or '.join(held)} else {whole}"
    lines.append(f"    return {whole}")
    space = {
        "op": op, "static": _static, "version_of": version_of, "is_number": is_number,
        "UNCHANGED": _UNCHANGED,
    }  # fmt: skip
    exec(compile("\n".join(lines), f"<chainrule saver {op.name}>", "exec"), space)
    return op.cache.setdefault(("saver", wanted), space["saved"])


# As plain classes: a type checker would narrow what is one of them to an array of unknown types.
_ARRAY: type = np.ndarray
_ARRAYS: tuple[type, ...] = (np.ndarray, TensorBase)


def _shape_dtype(payload: Any) -> Any:
    if isinstance(payload, _ARRAY):
        return payload.shape, payload.dtype
    if payload.__class__ in PLAIN:
        return payload._a.shape, payload._a.dtype
    if isinstance(payload, TensorBase):
        return tuple(payload.shape), payload.dtype.np
    return None


def save(
    node: Any,
    wanted: tuple[bool, ...],
    tensors: tuple[Any, ...],
    payloads: tuple[Any, ...],
    outs: tuple[Any, ...],
    params: dict[str, Any],
    versions: Sequence[Any] | None,
) -> None:
    """Fill node.s with what the wanted rules name, and nothing else."""
    op = node.op
    values: list[Any] = []
    tail: list[Any] = []
    held = False  # whether there is something that backward frees
    for kind, detail, needed in to_save(op, wanted):
        value: Any = None
        version: Any = _UNCHANGED
        if needed:
            if kind == "in":
                if op.variadic and detail == op.fixed:
                    value = payloads[detail:]
                else:
                    value = payloads[detail]
                    version = version_of(tensors[detail], value)
                    if node.__class__.__base__ is LevelOpNode:
                        value = node.level.to_save(value)
            elif kind == "out":
                value = outs[detail]
                version = versions[detail] if versions else [0]
            else:
                value = _static(op, kind, detail, payloads, outs, params)
        values.append(value)
        if kind in ("in", "out"):
            tail += (version, version[0])
            held = held or (value is not None and (op.frees_numbers or not is_number(value)))
    node.s = (*values, *tail) if held else [*values, *tail]
    if STATE.unusual & CHECKSUMS:
        from .anomaly import note_checksums

        note_checksums(node, len(values))
    if STATE.unusual & SAVED_HOOKS and STATE.saved_hooks:
        from .saved_hooks import pack

        pack(node, saved_names(op), tensors, outs)


def is_number(value: Any) -> bool:
    """Whether a saved operand is a number rather than an array, a tensor or several."""
    return not isinstance(value, np.ndarray | TensorBase | tuple)


def version_of(t: Any, payload: Any) -> Any:
    """The version list of an input that is to be saved."""
    if t.__class__ in PLAIN and t._v is not None:
        return t._v
    if isinstance(payload, TensorBase):  # on a transform level
        return payload._v if payload._v is not None else _UNCHANGED
    if not isinstance(t, TensorBase):
        return _UNCHANGED
    if t._v is None:
        raise errors.inference_saved()
    return t._v


def _static(
    op: Op, kind: str, detail: Any, payloads: Any, outs: Any, params: dict[str, Any]
) -> Any:
    if kind == "param":
        return params[detail]
    if kind.startswith("in_"):
        what = kind[3:]
        if op.variadic and detail == op.fixed:
            return tuple(_about(p, what) for p in payloads[detail:])
        return _about(payloads[detail], what)
    return _about(outs[detail], kind[4:])


def _about(payload: Any, what: str) -> Any:
    if not isinstance(payload, _ARRAYS):
        return {"shape": (), "ndim": 0, "fortran": False}.get(what)
    if what == "fortran":
        return isinstance(payload, _ARRAY) and payload.flags.fnc
    if what == "shape":
        return tuple(payload.shape)
    if what == "ndim":
        return payload.ndim
    return payload.dtype if isinstance(payload, _ARRAY) else payload.dtype.np


# ---- saved values back --------------------------------------------------------------------------


def check_saved(node: Any) -> None:
    """Raise when the saved values were freed or modified since."""
    s = node.s
    if s is None:
        raise errors.freed(node)
    names = saved_names(node.op)
    count, end = len(names), len(s)
    if count == end:
        return
    for k in range(count, end, 2):
        if s[k][0] != s[k + 1] and names[(k - count) // 2] not in node.op.overwritable:
            raise errors.modified(node, (k - count) // 2)


def saved_payloads(node: Any) -> dict[str, Any]:
    """Saved values by name, as payloads."""
    check_saved(node)
    names = saved_names(node.op)
    values = dict(zip(names, node.s, strict=False))
    for name in node.op.overwritable:  # tensors come first among the names
        k = len(names) + 2 * names.index(name)
        if node.s[k][0] != node.s[k + 1] or node.s[k][0].__class__ is Exposed:
            values[name] = None
    fix = fix_of(node)
    if fix is not None and fix.packed:
        from .saved_hooks import unpack

        values = unpack(node, values)
    return values


def saved_as_tensors(node: Any, mode: str) -> dict[str, Any]:
    """Saved values by name, as tensors; with their history when mode is 'graph'."""
    values = saved_payloads(node)
    op = node.op
    fix = fix_of(node)
    if fix is not None and fix.duals is not None:
        from .duals import dual_values

        duals = dual_values(node)
        if duals is not None:
            return {n: duals.get(n, v) for n, v in values.items()}
    level = getattr(node, "level", None)
    for name, kind, detail, place in saved_places(op):
        value = values[name]
        if value is None:
            continue
        if kind == "in" and op.variadic and detail == op.fixed:
            values[name] = tuple(
                rebuilt(v, node.parents[detail + i], None, mode, level) for i, v in enumerate(value)
            )
            continue
        version = node.s[place]
        if kind == "in":
            history = node.parents[detail]
        else:
            history = node if op.n_out == 1 else OutSlot(node, detail)
            if detail in op.nondiff_out:
                history = None
        values[name] = rebuilt(value, history, version, mode, level)
    return values


def rebuilt(value: Any, history: Any, version: Any, mode: str, level: Any) -> Any:
    """A saved value as a tensor, with its history when mode is 'graph'."""
    if not isinstance(value, np.ndarray | TensorBase):
        return value
    if level is not None:
        return level.wrap(value, history if mode == "graph" else None)
    if isinstance(value, TensorBase):  # came out of a saved-tensor hook as a tensor
        value = value._a
    if history is None or mode != "graph":
        return make(value)
    if history.__class__ in PLAIN or isinstance(history, TensorBase):
        return history if history._a is value else _alias_of_leaf(history, value)
    return with_history(value, history, version)


def _alias_of_leaf(leaf: Any, value: Any) -> Any:
    """A leaf's saved value after `leaf.data` was replaced: the old value, the leaf's gradient."""
    from ..ops.schema import TABLE

    op = TABLE["alias"]
    return with_history(value, record(op, (leaf,), (value,), (value,), {}))


def saved_attribute(node: Any, name: str) -> Any:
    """`grad_fn._saved_result` and friends, by PyTorch's names (self, other, result, dim...)."""
    from . import saved_names as saved_attributes  # only when somebody looks

    saved = saved_names(node.op)
    found = saved_attributes.find(node.op, saved, name)
    if found is None:
        constants = saved_attributes.CONSTANTS.get(node.op.name, {})
        if name in constants:
            return constants[name]
        known = [*saved_attributes.public_names(node.op, saved), *constants]
        raise AttributeError(
            f"'{node.name()}' object has no attribute '_saved_{name}'; it saves "
            f"{', '.join('_saved_' + n for n in known) or 'nothing'}"
        )
    mine, part = found
    return saved_attributes.as_asked(saved_as_tensors(node, "graph")[mine], name, part)


# ---- node classes -------------------------------------------------------------------------------


def node_class(op: Op, level: bool = False) -> type:
    """The Node class of an op, made on first use."""
    key = "level_node" if level else "node"
    found = op.cache.get(key)
    if found is None:
        space: dict[str, Any] = {
            "__slots__": (), "op": op, "multi": op.n_out != 1, "materialise": op.materialise,
        }  # fmt: skip
        if not level:
            space["flat"] = tuple(op.inputs.index(n) for n in op.flat)
            space["dead"] = tuple(op.inputs.index(n) for n in op.dead)
            from .vjp_code import make_vjp

            space["vjp"] = make_vjp(op)
        base = LevelOpNode if level else OpNode
        found = op.cache[key] = type(op.node_name, (base,), space)
    return found


class Idle(Node):
    """The node of an op whose inputs require grad and take none."""

    __slots__ = ("level",)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        return (None,) * len(parents)

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return (None,) * len(parents)


def _idle_class(op: Op) -> type:
    found = op.cache.get("idle_node")
    if found is None:
        space = {
            "__slots__": (), "op": op, "multi": op.n_out != 1, "materialise": op.materialise,
        }  # fmt: skip
        found = op.cache["idle_node"] = type(op.node_name, (Idle,), space)
    return found


def general_vjp(node: Any, g: Any, parents: tuple[Any, ...]) -> Any:
    return run_rules(node, g, parents, saved_payloads(node), ARRAYS)


def general_vjp_tensors(node: Any, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
    """The gradients of a node's inputs as tensors, with their history when mode is 'graph'."""
    values = saved_as_tensors(node, mode)
    grads = run_rules(node, g, parents, values, tensors_world())
    if mode == GRAPH and (node.flat or node.dead):
        from .ties import tie_gradients

        return tie_gradients(node, grads)
    return grads
