"""Counting floating-point operations: `FlopCounterMode`.

Products are counted, by PyTorch's formulas: mm, addmm, bmm, baddbmm, convolution, and what their
gradients take. Attention and recurrent layers are counted too, where PyTorch on a CPU counts none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import watching
from ..autograd.accidents import explain_module
from ..autograd.profiler import node_flops
from ..autograd.value import TensorBase
from ..ops.flops import forward_flops
from ..ops.schema import aten_names
from .module_tracker import ModuleTracker

_REGISTERED: dict[str, Callable[..., int]] = {}


def _kernel(name: Any) -> str:
    return str(name).removeprefix("aten.").removeprefix("aten::")


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Any], Any]:
    """Count an op by a formula of one's own: f(*input shapes, out_shape=...).

    With `get_raw` the formula gets the op's arguments and `out_val=` instead of shapes.
    """
    names = targets if isinstance(targets, list | tuple) else [targets]

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        formula._get_raw = get_raw  # type: ignore[attr-defined]
        _REGISTERED.update({_kernel(n): formula for n in names})
        return formula

    return register


class FlopCounterMode(watching.Watcher):
    """Count the floating-point operations of a block, by module and kernel.

    `custom_mapping` adds formulas: {"aten.exp": f}, with f(*input shapes, out_shape=...).

    >>> import chainrule as torch
    >>> from chainrule.utils.flop_counter import FlopCounterMode
    >>> model = torch.nn.Linear(10, 5)
    >>> with FlopCounterMode(display=False) as counter:
    ...     model(torch.ones(2, 10)).sum().backward()
    >>> counter.get_total_flops()
    400
    >>> counter.get_flop_counts()["Linear"]
    {'aten.addmm': 200, 'aten.mm': 200}
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.depth = depth
        self.display = display
        self.flop_counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.mod_tracker = ModuleTracker()
        self._nodes: dict[int, frozenset[str]] = {}
        self._mapping = dict(_REGISTERED)
        self._mapping.update({_kernel(n): rule for n, rule in (custom_mapping or {}).items()})

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        watching.enter(self)
        return self

    def __exit__(self, *exc: object) -> None:
        watching.leave(self)
        self.mod_tracker.__exit__()
        self._nodes.clear()
        if self.display:
            print(self.get_table(self.depth))

    # ---- what is seen ----------------------------------------------------------------------------

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        outs = result if isinstance(result, tuple | list) else (result,)
        outs = [t for t in outs if isinstance(t, TensorBase)]
        if not outs or not hasattr(op, "node_name"):
            return  # an error, or a custom function, whose ops are seen themselves
        modules = frozenset(self.mod_tracker.parents)
        for t in outs:
            node = getattr(t._node, "node", t._node)
            if node is not None:
                self._nodes[node.key] = modules
        shapes = [tuple(np.shape(a)) for a in args]
        results = [tuple(t.shape) for t in outs]
        name = _kernel(aten_names(op, len(shapes[0]) if shapes else 0)[-1])
        rule = self._mapping.get(name) or self._mapping.get(op.name)
        if rule is None:
            self._add(forward_flops(op, shapes, results), modules)
        elif getattr(rule, "_get_raw", False):
            self._add({name: rule(*args, out_val=result)}, modules)
        else:
            self._add({name: rule(*shapes, out_shape=results[0])}, modules)

    def node_begins(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        modules = self._nodes.get(node.key, frozenset({"Global"}))
        self._add(node_flops(node, g, parents), modules)

    def _add(self, counts: dict[str, int], modules: frozenset[str]) -> None:
        for kernel, count in counts.items():
            if count:
                for module in modules:
                    self.flop_counts[module][f"aten.{kernel}"] += count

    # ---- results ---------------------------------------------------------------------------------

    def get_total_flops(self) -> int:
        """All operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """Operations by module and kernel; "Global" has them all."""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Modules down to a depth, with what each kernel does in them."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        power, unit = _unit(total)
        rows = [("Module", "FLOP", "% Total")]

        def add(module: str, indent: int) -> None:
            counts = self.flop_counts[module]
            rows.append(_row(" " * indent + module, sum(counts.values()), total, power, unit))
            for kernel, count in counts.items():
                rows.append(_row(" " * indent + f" - {kernel}", count, total, power, unit))

        add("Global", 0)
        for module in sorted(m for m in self.flop_counts if m != "Global"):
            level = module.count(".") + 1
            if level <= depth:
                add(module, level)
        return _aligned(rows)


def _unit(total: float) -> tuple[float, str]:
    for power, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if total >= power:
            return power, unit
    return 1.0, ""


def _row(name: str, count: int, total: int, power: float, unit: str) -> tuple[str, str, str]:
    share = f"{100 * count / total:.2f}%" if total else "0.00%"
    return name, f"{count / power:.3f}{unit}" if unit else str(count), share


def _aligned(rows: list[tuple[str, str, str]]) -> str:
    widths = [max(len(r[k]) for r in rows) for k in range(3)]
    lines = [
        f"{name.ljust(widths[0])}  {count.rjust(widths[1])}  {share.rjust(widths[2])}"
        for name, count, share in rows
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


__all__ = ["FlopCounterMode", "register_flop_formula"]


explain_module(globals(), "FlopCounterMode")
