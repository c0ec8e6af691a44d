"""Kernels made smaller before code is written: unused nodes dropped, axes joined."""

from __future__ import annotations

from typing import Any

from .nest import Access, Kernel

_LONG, _LONGEST_ROW, _SHORTEST_ROW = 1 << 15, 1 << 13, 1 << 9  # elements


def drop_unused(kernel: Kernel) -> Kernel:
    """Remove nodes that no store needs, and renumber."""
    live: set[int] = set()
    stack = [n for n, _ in kernel.stores] + [n for _, n, _, _ in kernel.accumulates]
    stack += [n for put in kernel.scatters for n in (put.node, *put.indices)]
    while stack:
        n = stack.pop()
        if n not in live:
            live.add(n)
            stack.extend(kernel.nodes[n].args)
    if len(live) == len(kernel.nodes):
        return kernel
    number = {old: new for new, old in enumerate(sorted(live))}
    nodes = [
        kernel.nodes[i]._replace(args=tuple(number[a] for a in kernel.nodes[i].args))
        for i in sorted(live)
    ]
    return kernel._replace(
        nodes=tuple(nodes),
        stores=tuple((number[n], to) for n, to in kernel.stores),
        accumulates=tuple((k, number[n], to, along) for k, n, to, along in kernel.accumulates),
        scatters=tuple(
            p._replace(node=number[p.node], indices=tuple(number[i] for i in p.indices))
            for p in kernel.scatters
        ),
    )


def collapse(kernel: Kernel) -> Kernel:
    """Join neighbouring axes that every access runs through as one; drop axes of length 1."""
    kernel = _folds_as_sums(kernel)
    accesses = [n.value for n in kernel.nodes if n.op == "load"]
    accesses += [n.value[0] for n in kernel.nodes if n.op == "take"]
    accesses += [put.to for put in kernel.scatters]
    accesses += [to for _, to in kernel.stores] + [to for _, _, to, _ in kernel.accumulates]
    space = list(kernel.space)
    strides = [list(a.strides) for a in accesses]
    marked = {n.value for n in kernel.nodes if n.op == "index"}
    folds = any(n.op == "fold" for n in kernel.nodes)
    inner = len(space) - 1
    names = list(range(len(space)))  # original axis of each remaining axis

    def drop(axis: int) -> None:
        del space[axis], names[axis]
        for s in strides:
            del s[axis]

    for axis in reversed(range(len(space))):
        if space[axis] == 1 and len(space) > 1 and not (folds and names[axis] == inner):
            drop(axis)
    for axis in reversed(range(len(space) - 1)):
        after = axis + 1
        protected = {names[axis], names[after]} & (marked | ({inner} if folds else set()))
        if protected or any(s[axis] != s[after] * space[after] for s in strides):
            continue
        space[axis] *= space[after]
        for s in strides:
            s[axis] = s[after]
        names[axis] = names[after]
        drop(after)
    if not space:
        space, strides, names = [1], [[0] for _ in strides], [0]
    collapsed = _renamed(kernel, tuple(space), strides, names)
    if folds:
        return collapsed
    # Without folds the inner axis may be another one now; it is summed wherever it is not kept.
    sums = tuple((kind, node, to, True) for kind, node, to, _ in collapsed.accumulates)
    return _in_rows(collapsed._replace(accumulates=sums))


def _folds_as_sums(kernel: Kernel) -> Kernel:
    """Folds of long rows that nothing in the loop waits for: sums, which may be cut into rows."""
    if not kernel.space or kernel.space[-1] < _LONG:
        return kernel
    used = {a for n in kernel.nodes for a in n.args}
    used |= {n for _, n, _, _ in kernel.accumulates}
    used |= {n for put in kernel.scatters for n in (put.node, *put.indices)}
    kept, sums = [], list(kernel.accumulates)
    for node, to in kernel.stores:
        n = kernel.nodes[node]
        if n.op == "fold" and node not in used:
            sums.append((n.value, n.args[0], to, True))
        else:
            kept.append((node, to))
    return drop_unused(kernel._replace(stores=tuple(kept), accumulates=tuple(sums)))


def _in_rows(kernel: Kernel) -> Kernel:
    """Cut a long axis that is summed into rows: their sums are added, which loses fewer digits.

    Ten million float32 numbers added one after the other are wrong in the third digit.
    """
    length = kernel.space[-1]
    summed = any(to.strides[-1] == 0 for _, _, to, _ in kernel.accumulates)
    counted = any(n.op in ("index", "take") for n in kernel.nodes) or kernel.scatters
    if length < _LONG or not summed or counted:
        return kernel
    row = next((d for d in range(_LONGEST_ROW, _SHORTEST_ROW, -1) if length % d == 0), 0)
    if not row:
        return kernel
    accesses = [n.value for n in kernel.nodes if n.op == "load"]
    accesses += [to for _, to in kernel.stores] + [to for _, _, to, _ in kernel.accumulates]
    strides = [(*a.strides[:-1], a.strides[-1] * row, a.strides[-1]) for a in accesses]
    space = (*kernel.space[:-1], length // row, row)
    return _renamed(kernel, space, strides, list(range(len(space))))


def _renamed(kernel: Kernel, space: tuple[int, ...], strides: Any, names: list[int]) -> Kernel:
    places = iter(tuple(s) for s in strides)
    nodes = list(kernel.nodes)
    for i, n in enumerate(nodes):
        if n.op == "load":
            nodes[i] = n._replace(value=Access(n.value.argument, next(places)))
        elif n.op == "index":
            nodes[i] = _renamed_index(n, names)
    for i, n in enumerate(nodes):
        if n.op == "take":
            access = Access(n.value[0].argument, next(places))
            nodes[i] = n._replace(value=(access, n.value[1]))
    puts = tuple(p._replace(to=Access(p.to.argument, next(places))) for p in kernel.scatters)
    stores = tuple((i, Access(to.argument, next(places))) for i, to in kernel.stores)
    sums = tuple(
        (k, i, Access(to.argument, next(places)), along) for k, i, to, along in kernel.accumulates
    )
    return kernel._replace(
        space=space, nodes=tuple(nodes), stores=stores, accumulates=sums, scatters=puts
    )


def _renamed_index(node: Any, names: list[int]) -> Any:
    if node.value in names:
        return node._replace(value=names.index(node.value))
    return node._replace(op="const", value=0)  # the only position of a dropped axis
