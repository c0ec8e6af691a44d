"""From an op's declaration to nodes: what to save, how to store it, how to run its rules.

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

from ..ops.dtypes import F32
from ..ops.halves import is_half, wide
from ..ops.schema import Op, rule_names
from ..ops.worlds import ARRAYS, World
from . import errors, source
from .leaves import GRAPH
from .node import UNTRACKED, Node, OutSlot, start
from .state import CHECKSUMS, SAVED_HOOKS, STATE
from .value import FACTORY, PLAIN, Exposed, TensorBase, make, with_history

_UNCHANGED: list[int] = [0]  # the version of what nobody can modify
_new = object.__new__


class Fix:
    """What to do to each input's gradient beyond its rule, and how saved values are packed."""

    __slots__ = ("checksums", "duals", "extra", "inputs", "packed")

    def __init__(self, inputs: Any = None, packed: bool = False) -> None:
        self.inputs = inputs  # per input (shape, numpy dtype), None for one not a tensor
        self.packed = packed
        self.checksums: Any = None  # of the saved arrays, in anomaly mode
        self.extra: Any = None  # what an operator gave beside the result (`dispatcher`)
        self.duals: Any = None  # (level, inputs, outputs) when forward mode ran above this node


def fix_of(node: Any) -> Any:
    """The node's Fix; entries store just the input shapes where something was broadcast."""
    fix = node.fix
    if fix.__class__ is tuple:
        fix = node.fix = Fix(tuple(None if s is None else (s, None) for s in fix))
    return fix


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


# ---- what an op saves --------------------------------------------------------------------------


def rules_of(op: Op) -> dict[str, tuple[bool, Callable[..., Any]]]:
    """Per input: (is it a partial, the rule)."""
    rules = op.cache.get("rules")
    if rules is None:
        rules = {name: (True, rule) for name, rule in op.partials.items()}
        rules.update({name: (False, rule) for name, rule in op.vjps.items()})
        op.cache["rules"] = rules
    return rules


def rule_of(op: Op, position: int) -> tuple[bool, Callable[..., Any], tuple[str, ...]]:
    """Of one input: is it a partial, the rule, what it asks for."""
    found = op.cache.get(position)
    if found is None:
        partial, rule = rules_of(op)[op.input_name(position)]
        found = op.cache[position] = (partial, rule, rule_names(rule))
    return found


def saved_places(op: Op) -> tuple[tuple[str, str, int, int], ...]:
    """Of every saved input and output: its name, kind and number, and where its version lies."""
    found = op.cache.get("places")
    if found is None:
        names = saved_names(op)
        kinds = ((k, name, *op.classify(name)) for k, name in enumerate(names))
        found = op.cache["places"] = tuple(
            (name, kind, number, len(names) + 2 * k)
            for k, name, kind, number in kinds
            if kind in ("in", "out")
        )
    return found


def saved_names(op: Op) -> tuple[str, ...]:
    """Everything any rule of the op asks for, tensors first."""
    found = op.cache.get("saved")
    if found is None:
        names: dict[str, None] = {}
        rules = [rule for _, rule in rules_of(op).values()]
        rules += [rule for rule in (op.joint, op.plain_joint) if rule]
        for rule in rules:
            names.update(dict.fromkeys(n for n in rule_names(rule) if n not in ("g", "mask")))
        found = tuple(sorted(names, key=lambda n: op.classify(n)[0] not in ("in", "out")))
        op.cache["saved"] = found
    return found


def needed_for(op: Op, wanted: tuple[bool, ...]) -> frozenset[str]:
    """The saved names that the rules of the wanted inputs use."""
    key = ("needed", wanted)
    found = op.cache.get(key)
    if found is None:
        names: set[str] = set()
        if op.joint and any(wanted):
            names.update(saved_names(op))
        for i, want in enumerate(wanted):
            rule = rules_of(op).get(op.input_name(i))
            if rule is not None and want:
                names.update(rule_names(rule[1]))
        found = op.cache[key] = frozenset(names)
    return found


def to_save(op: Op, wanted: tuple[bool, ...]) -> tuple[tuple[str, Any, bool], ...]:
    """The kind and number of each saved name, and whether rules of the wanted inputs use it."""
    found = op.cache.get(wanted)
    if found is None:
        needed = needed_for(op, wanted)
        found = op.cache[wanted] = tuple(
            (*op.classify(name), name in needed) for name in saved_names(op)
        )
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
_NUMPYS: tuple[type, ...] = (np.ndarray, np.generic)


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


# ---- running the rules --------------------------------------------------------------------------


def tensors_world() -> World:
    from .dispatch import TENSORS

    return TENSORS


def run_rules(
    node: Any, g: Any, parents: tuple[Any, ...], values: dict[str, Any], world: World
) -> tuple[Any, ...]:
    """Gradients of a node's inputs by its rules, in any world (the general form)."""
    op = node.op
    asked = None
    if FACTORY.dispatcher is not None and world is not ARRAYS:
        asked = FACTORY.dispatcher.gradients(node, g, parents, values)
    if asked is not None:
        return asked
    rounds = op.view or op.linear == "all" or (op.half_products and _sums_nothing(node, g))
    if not rounds and in_half(g):
        g, values = wider(g), {name: wider(v) for name, v in values.items()}
    if op.joint is not None:
        grads = _run_joint(node, g, parents, values, world)
    else:
        grads: list[Any] = []
        for i, p in enumerate(parents):
            if p is None:
                grads.append(None)
                continue
            partial, rule, names = rule_of(op, i)
            result = world.bind(rule)(*[g if n == "g" else values[n] for n in names])
            grads.append(_times(g, result, world) if partial else result)
    fix = fix_of(node)
    if fix is None or fix.inputs is None:
        return tuple(grads)
    fitted: list[Any] = []
    for i, (x, p) in enumerate(zip(grads, parents, strict=True)):
        if x is None or p is None:
            fitted.append(None)
            continue
        target = fix.inputs[i]
        a = x._a if x.__class__ in PLAIN else x
        if target is None or (
            a.__class__ is np.ndarray and a.shape == target[0] and a.dtype is target[1]
        ):
            fitted.append(x)
        else:
            fitted.append(_fit(node, i, x, target, world))
    return tuple(fitted)


def _sums_nothing(node: Any, g: Any) -> bool:
    """Whether the gradients of a product are as they come from its rules."""
    fix = fix_of(node)
    if not node.op.broadcasts or fix is None or fix.inputs is None:
        return True
    lead = tuple(g.shape[:-2])
    return all(entry is None or tuple(entry[0][:-2]) == lead for entry in fix.inputs)


def in_half(value: Any) -> bool:
    """Whether a value or one of several is in half precision: rules must not round in each step."""
    if value.__class__ is np.ndarray:
        return is_half(value.dtype)
    if value.__class__ in PLAIN:
        return is_half(value._a.dtype)
    if isinstance(value, TensorBase):
        return is_half(value.dtype.np)  # type: ignore[attr-defined]
    return value.__class__ in (tuple, list) and any(map(in_half, value))


def wider(value: Any) -> Any:
    """What a rule is given, with half precision as float32; `_fit` rounds what comes out."""
    if not in_half(value):
        return value
    if value.__class__ is np.ndarray:
        return wide(value)
    if isinstance(value, TensorBase):
        return tensors_world().function("cast")(value, dtype=F32)
    return tuple(map(wider, value))


def _run_joint(node: Any, g: Any, parents: Any, values: dict[str, Any], world: World) -> Any:
    op = node.op
    rule = op.joint
    if world is not ARRAYS and op.plain_joint is not None:
        trace = STATE.trace
        if trace is not None and not STATE.grad_enabled:
            # One instruction: a trace costs less, and what becomes of it is the compiler's choice.
            return trace.gradients(op, g, tuple(p is not None for p in parents), values)
        rule = op.plain_joint
    mask = tuple(p is not None for p in parents)
    special = {"g": g, "mask": mask}
    arguments = [special[n] if n in special else values[n] for n in rule_names(rule)]
    return distinct(world.bind(rule)(*arguments))


def distinct(grads: Any) -> Any:
    """Gradients of which no two are the same array: the engine may add into each of them."""
    seen: set[int] = set()
    out: list[Any] = []
    for g in grads:
        own = g
        if isinstance(g, _ARRAY):
            if id(g) in seen:
                own = g.copy()
            seen.add(id(own))
        out.append(own)
    return out


def _times(g: Any, partial: Any, world: World) -> Any:
    if isinstance(partial, complex):
        partial = partial.conjugate()
    elif is_complex(partial):
        partial = world.function("conj")(partial)
    return g * partial


def is_complex(x: Any) -> bool:
    """Whether a payload, tensor or number is complex."""
    if x.__class__ in PLAIN:
        return x._a.dtype.kind == "c"
    if isinstance(x, _NUMPYS):
        return x.dtype.kind == "c"
    if isinstance(x, TensorBase):
        return x.dtype.is_complex
    return isinstance(x, complex)


def _fit(node: Any, i: int, grad: Any, target: Any, world: World) -> Any:
    """Sum a gradient to its input's shape, take the real part, cast: what the rules need not do."""
    if target is None:
        return grad
    shape, dtype = target
    if dtype is not None and is_complex(grad) and dtype.kind != "c":
        grad = world.function("real")(grad)
    if tuple(grad.shape) != shape:
        if not node.op.broadcasts:
            raise errors.wrong_gradient_shape(node, i, tuple(grad.shape), shape)
        if world is not ARRAYS and FACTORY.dispatcher is not None:
            grad = FACTORY.dispatcher.summed(grad, shape)
        else:
            grad = world.function("unbroadcast")(grad, shape)
    if dtype is None:
        return grad
    have = grad.dtype if world is ARRAYS else grad.dtype.np
    if have != dtype:
        grad = world.function("cast")(grad, dtype=dtype)
    return grad


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
