"""`memory.saved(y)`: the tensors that the graph behind a result keeps alive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..reading import Names, Tape
from ..reading.modules import assign
from ..utils.checkpoint_measure import memory_root
from .report import SavedReport
from .storages import Saved, entry, held_arrays


def saved(*ys: Any, module: Any = None) -> SavedReport:
    """What the graphs behind one or more tensors keep for backward.

    Memory that several ops saved, or that several tensors look at, is listed once, under the op
    that saved it first. After backward the list is empty: what was saved is freed.

    >>> import chainrule as torch
    >>> from chainrule import memory
    >>> w = torch.ones(256, 256, requires_grad=True)
    >>> y = (torch.ones(256, 256) @ w).exp().sum()
    >>> report = memory.saved(y)
    >>> [(e.op, e.shape, e.bytes) for e in report.entries if e.kind == "activation"]
    [('exp', (256, 256), 262144)]
    >>> y.backward()
    >>> memory.saved(y).total
    0
    """
    names = Names.here(module)
    nodes: dict[int, tuple[Any, str, str]] = {}
    for y in _flat(ys):
        tape = Tape.of(y).name(names)
        assign(tape)
        for v in tape.nodes:
            nodes.setdefault(v.key, (v, v.op, v.module or ""))
    found: dict[int, Saved] = {}
    for _, (v, op, path) in sorted(nodes.items(), reverse=True):  # as recorded
        for name, array, kind in held_arrays(v.node):
            root = memory_root(array)
            known = found.get(id(root))
            if known is not None:
                known.nodes += 1
                continue
            found[id(root)] = entry(op, name, v.place, path, array, kind, root.nbytes)
    return SavedReport(list(found.values()))


def _flat(values: Iterable[Any]) -> list[Any]:
    found = []
    for v in values:
        if isinstance(v, TensorBase) or not isinstance(v, tuple | list | dict):
            found.append(v)
        else:
            found += _flat(v.values() if isinstance(v, dict) else v)
    return found


explain_module(globals())
