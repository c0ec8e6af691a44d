"""Ops on tensors of a mesh: lay the inputs out so that they fit, compute with the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import chainrule as torch

from ... import ops
from ...autograd import refusal
from ...autograd.state import STATE
from ...utils._pytree import tree_flatten, tree_map, tree_unflatten
from ..placement_types import Partial, Placement, Replicate, Shard
from .dtensor import OPERATORS, DTensor, moved
from .redistribution import redistributed
from .rules import RULES, VIEWS, Call, Pattern, lengths
from .spec import Placements, Spec, elements

_RANDOM = ("uniform_", "normal_", "bernoulli", "bernoulli_", "native_dropout", "rand_like",
           "randn_like", "randint_like", "random_", "exponential_", "multinomial", "geometric_",
           "log_normal_", "cauchy_", "dropout", "rrelu_with_noise")  # fmt: skip


class Mixing:
    """Whether plain tensors count as the same on all processes."""

    allowed = False


def run(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of an operator."""
    name = func.overloadpacket.__name__
    if name in _COMPOSED:
        found = _COMPOSED[name](*args, **kwargs)
        if found is not NotImplemented:
            return found
    leaves, tree = tree_flatten((args, kwargs))
    places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    mesh = _mesh_of([leaves[k] for k in places], func)
    tensors = [_of_mesh(leaves[k], mesh, func) for k in places]
    if name in _READING:
        return func(*tree_map(_whole, args), **tree_map(_whole, kwargs))
    writes = name.endswith("_") and not name.endswith("__")
    if writes and tensors[0]._is_copy:
        raise refusal.runtime(
            f"{name}: writing through a view of a DTensor that is cut where the view begins",
            fix="write into x.to_local(), or redistribute x first.",
        )
    call = Call(name, args, kwargs, [tuple(t.shape) for t in tensors])
    pattern = RULES[name](call) if name in RULES and _is_usual(call) else None
    if pattern is not None:
        chosen = _choose(pattern, tensors, mesh, writes)
        if chosen is not None:
            found = _computed(func, leaves, tree, places, tensors, pattern, chosen, name)
            return tensors[0] if writes else found
    if writes:
        return _written(func, leaves, tree, places, tensors, name)
    return _replicated(func, leaves, tree, places, tensors, name)


def _is_usual(call: Call) -> bool:
    return "out" not in call.kwargs and bool(call.shapes)


def _mesh_of(tensors: Sequence[Any], func: Any) -> Any:
    meshes = {id(t.device_mesh): t.device_mesh for t in tensors if isinstance(t, DTensor)}
    first, *others = meshes.values()
    for other in others:
        if other != first:
            raise refusal.runtime(
                f"{func}: got tensors of different meshes, {first} and {other}",
                fix="x.full_tensor() or distribute_tensor lays them out in one mesh.",
            )
    return first


def _of_mesh(t: Any, mesh: Any, func: Any) -> Any:
    """A tensor of the mesh; plain numbers are the same everywhere."""
    if isinstance(t, DTensor):
        return t
    number = t.numel() == 1 or not any(t.stride())  # one, or one repeated
    if not number and not Mixing.allowed and not STATE.passes:  # rules make zeros of their own
        raise refusal.runtime(
            f"{func}: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to "
            "DTensor before calling distributed operators!",
            fix="distribute_tensor(x, mesh, placements), or DTensor.from_local.",
        )
    every = tuple(Replicate() for _ in range(mesh.ndim))
    return DTensor(t.detach(), Spec(mesh, every, tuple(t.shape)))


def _whole(t: Any) -> Any:
    if not isinstance(t, DTensor):
        return t
    return redistributed(t._local_tensor, t._spec, _everywhere(t.device_mesh))


def _everywhere(mesh: Any) -> Placements:
    return tuple(Replicate() for _ in range(mesh.ndim))


# ---- choosing a layout ---------------------------------------------------------------------------

Option = tuple[list[Placement], list[Placement]]  # of the inputs, of the results


def _choose(
    pattern: Pattern, tensors: Sequence[Any], mesh: Any, writes: bool
) -> list[Option] | None:
    """For each dimension of the mesh the layout with the least to exchange."""
    chosen = []
    for m in range(mesh.ndim):
        have = [t.placements[m] for t in tensors]
        fitting = [
            option
            for option in _options(pattern, have, mesh)
            if not writes or option[0][0] == option[1][0] == have[0]
        ]
        if not fitting:
            return None
        chosen.append(min(fitting, key=lambda o: _cost(o[0], have, tensors)))
    return chosen


def _options(pattern: Pattern, have: Sequence[Placement], mesh: Any) -> list[Option]:
    count = len(pattern.outputs)
    found: list[Option] = [([Replicate() for _ in have], [Replicate()] * count)]
    letters = dict.fromkeys(x for row in pattern.inputs for x in row if x is not None)
    kinds = dict.fromkeys([Shard(0), *[p for p in have if isinstance(p, Shard)]])
    for letter in letters:
        if pattern.even.get(letter, 0) % mesh.size():
            continue
        outs = [_result(letter, row, pattern) for row in pattern.outputs]
        if None in outs:
            continue
        for kind in kinds:
            inputs = [_cut(letter, row, kind) for row in pattern.inputs]
            results = [replace(kind, dim=p.dim) if isinstance(p, Shard) else p for p in outs]
            if (inputs, results) not in found:
                found.append((inputs, results))  # pyright: ignore[reportArgumentType]
    terms = {p for p in have if isinstance(p, Partial) and p.reduce_op in ("sum", "avg")}
    for some in pattern.linear:
        for term in terms:
            inputs = [term if k in some else Replicate() for k in range(len(have))]
            found.append((list[Placement](inputs), [term] * count))
    return found


def _cut(letter: Any, row: Sequence[Any], kind: Any) -> Placement:
    return replace(kind, dim=list(row).index(letter)) if letter in row else Replicate()


def _result(letter: Any, row: Sequence[Any], pattern: Pattern) -> Placement | None:
    if letter in row:
        return Shard(list(row).index(letter))
    how = pattern.combined.get(letter)
    return None if how is None else Partial(how)


def _cost(wanted: Sequence[Placement], have: Sequence[Placement], tensors: Sequence[Any]) -> float:
    """Elements to be exchanged; a term of a sum cannot be made of a whole."""
    total = 0.0
    for new, old, t in zip(wanted, have, tensors, strict=True):
        if new == old:
            continue
        size = elements(t.shape) + 1
        if isinstance(new, Partial):
            return float("inf")
        if isinstance(old, Replicate):
            total += 1e-3 * size
        else:
            total += size
    return total


# ---- computing -----------------------------------------------------------------------------------


def _computed(
    func: Any, leaves: list[Any], tree: Any, places: list[int], tensors: list[Any],
    pattern: Pattern, chosen: list[Option], name: str,
) -> Any:  # fmt: skip
    """The results of an op on the parts."""
    local, same = list(leaves), True
    for k, (place, t) in enumerate(zip(places, tensors, strict=True)):
        wanted = tuple(option[0][k] for option in chosen)
        local[place] = redistributed(t._local_tensor, t._spec, wanted)
        same = same and wanted == t.placements
    mesh = tensors[0].device_mesh
    args, kwargs = tree_unflatten(local, tree)
    results = [tuple(option[1][j] for option in chosen) for j in range(len(pattern.outputs))]
    if pattern.local_shape_at is not None and pattern.shape is not None:
        own = Spec(mesh, results[0], pattern.shape).box()[1]
        at = pattern.local_shape_at
        args = (*args[:at], own, *args[at + 1 :])
        func = ops.aten.reshape.default if name in ("view", "_unsafe_view") else func
    made = func(*args, **kwargs)
    known = lengths(pattern, [t.shape for t in tensors])
    lost = name in VIEWS and not same

    def wrap(value: Any, j: int) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        j = min(j, len(pattern.outputs) - 1)
        shape = list(value.shape) if pattern.shape is None else list(pattern.shape)
        for p in results[j]:
            if isinstance(p, Shard) and pattern.shape is None:
                shape[p.dim] = known[pattern.outputs[j][p.dim]]
        out = DTensor(value, Spec(mesh, results[j], tuple(shape)))
        out._is_copy = lost or (name in VIEWS and tensors[0]._is_copy)
        return out

    if isinstance(made, tuple | list):
        return type(made)(wrap(value, j) for j, value in enumerate(made))
    return wrap(made, 0)


def _replicated(
    func: Any, leaves: list[Any], tree: Any, places: list[int], tensors: list[Any], name: str
) -> Any:
    """Without a rule: every process computes with the whole."""
    mesh = tensors[0].device_mesh
    whole = list(leaves)
    for place, t in zip(places, tensors, strict=True):
        whole[place] = _whole(t)
    args, kwargs = tree_unflatten(whole, tree)
    func = ops.aten.reshape.default if name == "view" else func
    made = _from_first(func(*args, **kwargs), mesh, name)
    lost = name in VIEWS

    def wrap(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        out = DTensor(value, Spec(mesh, _everywhere(mesh), tuple(value.shape)))
        out._is_copy = lost
        return out

    return tree_map(wrap, made)


def _from_first(made: Any, mesh: Any, name: str) -> Any:
    """Random numbers must be the same on all processes: those of the first count."""
    if name not in _RANDOM:
        return made
    from ..collectives import broadcast

    for value in tree_flatten(made)[0]:
        if isinstance(value, torch.Tensor):
            for m in range(mesh.ndim):
                broadcast(value, group=mesh.get_group(m), group_src=0)
    return made


def _written(
    func: Any, leaves: list[Any], tree: Any, places: list[int], tensors: list[Any], name: str
) -> Any:
    """An op that writes, without a rule: on the whole, of which each process keeps its part."""
    target = tensors[0]
    if any(isinstance(p, Partial) for p in target.placements):
        raise refusal.runtime(
            f"{func}: in-place operations that require placement changes are not supported; the "
            f"tensor's placements are {target.placements}",
            fix="x = x.redistribute(placements=[Replicate()]) first.",
        )
    whole = list(leaves)
    for place, t in zip(places, tensors, strict=True):
        whole[place] = _whole(t)
    result = whole[places[0]] = whole[places[0]].clone()
    args, kwargs = tree_unflatten(whole, tree)
    func(*args, **kwargs)
    _from_first(result, target.device_mesh, name)
    mesh = target.device_mesh
    spec = Spec(mesh, _everywhere(mesh), tuple(target.shape))
    target._local_tensor.copy_(redistributed(result, spec, target.placements))
    return target


# ---- ops made of others --------------------------------------------------------------------------


def _addmm(bias: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """A bias is added once, also where the product is a sum over processes."""
    found = ops.aten.mm.default(a, b)
    found = found if alpha == 1 else found * alpha
    return found + (bias if beta == 1 else bias * beta)


def _baddbmm(bias: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    found = ops.aten.bmm.default(a, b)
    found = found if alpha == 1 else found * alpha
    return found + (bias if beta == 1 else bias * beta)


def _embedding(
    weight: Any, numbers: Any, padding_idx: int = -1, scale: bool = False, sparse: bool = False
) -> Any:
    """Rows by number; where rows are cut, each process gives those that it has."""
    if not isinstance(weight, DTensor):
        return NotImplemented
    spec = weight._spec
    cut = [m for m, p in enumerate(spec.placements) if isinstance(p, Shard) and p.dim == 0]
    others = [numbers.placements[m] for m in cut] if isinstance(numbers, DTensor) else []
    if len(cut) != 1 or any(not isinstance(p, Replicate) for p in others):
        return NotImplemented
    given = _of_mesh(numbers, spec.mesh, "embedding")
    starts, sizes = spec.box()
    wanted = list(given.placements)
    for m, p in enumerate(spec.placements):
        if isinstance(p, Shard) and m not in cut:  # columns
            wanted[m] = Replicate()
    local = redistributed(given._local_tensor, given._spec, tuple(wanted)) - starts[0]
    outside = (local < 0) | (local >= sizes[0])
    rows = weight._local_tensor if sizes[0] else torch.zeros((1, sizes[1]), dtype=weight.dtype)
    out = torch.nn.functional.embedding(local.masked_fill(outside, 0), rows)
    out = out.masked_fill(outside.unsqueeze(-1), 0)
    last = out.ndim - 1
    placements = tuple(
        Partial() if m in cut else Shard(last) if isinstance(p, Shard) else wanted[m]
        for m, p in enumerate(spec.placements)
    )
    return DTensor(out, Spec(spec.mesh, placements, (*given.shape, spec.shape[1])))


_COMPOSED = {"addmm": _addmm, "baddbmm": _baddbmm, "embedding": _embedding}

OPERATORS.append(run)
_READING = frozenset({"_local_scalar_dense", "equal", "item", "is_nonzero"})
__all__ = ["moved", "run"]
