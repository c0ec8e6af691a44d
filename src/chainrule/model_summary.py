"""`summary(model, input_size)`: layers with shapes, parameters, operations and activation memory.

Nothing is computed: the model's code runs on arrays that have no memory behind them, as in
`memory.estimate`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import nn
from .autograd import watching
from .autograd.accidents import explain_module
from .autograd.modes import enable_grad
from .autograd.value import TensorBase
from .memory.calls import ModuleCalls
from .memory.estimating import prepared_inputs, saved_by
from .memory.standing import StandIn
from .ops.allocation import in_units
from .ops.flops import forward_flops
from .reading import html
from .reading.markup import escape
from .reading.terminal import Block, Report, Table


@dataclass(slots=True)
class Row:
    """One module, as it was called first."""

    path: str
    kind: str
    depth: int
    input_shape: Any = None
    output_shape: Any = None
    parameters: int = 0  # its own and those of the modules in it
    flops: int = 0
    activations: int = 0  # bytes kept for backward
    calls: int = 0
    again: bool = False  # its parameters belong to an earlier row, too


class ModelSummary(Report):
    """A table of a model's layers: `rows`, and the sums over them."""

    def __init__(self, model: Any, rows: list[Row], kept: int, input_bytes: int) -> None:
        self.name = type(model).__name__
        self.rows = rows
        own = list(model.parameters())
        self.total_params = sum(p.numel() for p in own)
        self.trainable_params = sum(p.numel() for p in own if p.requires_grad)
        self.param_bytes = sum(p.nbytes for p in own)
        self.total_flops = rows[0].flops if rows else 0
        self.activation_bytes = kept
        self.input_bytes = input_bytes

    def _cells(self, row: Row) -> tuple[str, ...]:
        name = row.path.rpartition(".")[2] or self.name
        shown = f"{row.kind}: {name}" if row.depth else self.name
        parameters = f"{row.parameters:,}" if row.parameters else "-"
        return (
            "  " * row.depth + shown,
            _shape(row.input_shape),
            _shape(row.output_shape) + (f" x{row.calls}" if row.calls > 1 else ""),
            f"({parameters})" if row.again and row.parameters else parameters,
            f"{row.flops:,}" if row.flops else "-",
            in_units(row.activations) if row.activations else "-",
        )

    def table(self) -> Table:
        """The table of layers."""
        notes = [
            f"parameters: {self.total_params:,} ({self.trainable_params:,} trainable), "
            f"{in_units(self.param_bytes)}",
            f"operations of a forward pass: {self.total_flops:,}",
            f"kept for backward: {in_units(self.activation_bytes)}; input: "
            f"{in_units(self.input_bytes)}",
        ]
        if any(r.again for r in self.rows):
            notes.append("(parameters in brackets are shared with a layer above)")
        head = ("layer", "input", "output", "parameters", "FLOPs", "activations")
        return Table("", head, [self._cells(r) for r in self.rows], notes)

    def blocks(self) -> list[Block]:
        return [self.table()]

    def __repr__(self) -> str:
        return str(self)

    def _body(self) -> str:
        t = self.table()
        rows = [(r[0].replace("  ", "\N{NO-BREAK SPACE}" * 4), *r[1:]) for r in t.rows]
        notes = "".join(f'<p class="dim">{escape(n)}</p>' for n in t.notes)
        return f"<h3>{escape(self.name)}</h3>" + html.table(t.head, rows, code=(0,)) + notes

    def to_html(self) -> str:
        """One page with the table."""
        return html.page(self.name, self._body())

    def _repr_html_(self) -> str:
        return html.fragment(self._body())

    def facts(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "model": self.name, "parameters": self.total_params,
            "trainable": self.trainable_params, "flops": self.total_flops,
            "activations": self.activation_bytes,
            "layers": [
                {
                    "path": r.path, "kind": r.kind, "input": r.input_shape,
                    "output": r.output_shape, "parameters": r.parameters, "flops": r.flops,
                    "activations": r.activations, "calls": r.calls,
                }
                for r in self.rows
            ],
        }  # fmt: skip

    def to_json(self) -> str:
        """The figures as JSON."""
        return json.dumps(self.facts())


def _shape(shape: Any) -> str:
    if shape is None:
        return "-"
    return str(shape)


class _Counting(ModuleCalls, watching.Watcher):
    """Rows of the modules as they are called, with the operations inside of them."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.rows: dict[int, Row] = {}
        self.order: list[Row] = []

    def _enter(self, module: Any, args: Any) -> None:
        super()._enter(module, args)
        row = self.rows.get(id(module))
        if row is None:
            row = Row(self.path, type(module).__name__, len(self._open) - 1)
            row.input_shape = _shapes_in(args)
            self.rows[id(module)] = row
            self.order.append(row)
        row.calls += 1

    def _leave(self, module: Any, args: Any, result: Any) -> None:
        row = self.rows.get(id(module))
        if row is not None and row.calls == 1:
            row.output_shape = _shapes_in(result)
        super()._leave(module, args, result)

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        outs = result if isinstance(result, tuple | list) else (result,)
        results = [tuple(t.shape) for t in outs if isinstance(t, TensorBase)]
        if not results or not hasattr(op, "name"):
            return
        shapes = [tuple(np.shape(a)) for a in args]
        count = sum(forward_flops(op, shapes, results).values())
        if count:
            for module in {id(m): m for _, m in self.stack()}.values():
                self.rows[id(module)].flops += count


def _shapes_in(value: Any) -> Any:
    """The shape of a tensor, or those of several."""
    if isinstance(value, TensorBase):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        found = [s for v in value if (s := _shapes_in(v)) is not None]
        return found[0] if len(found) == 1 else found or None
    return None


def summary(
    model: Any, *input_size: Any, dtype: Any = None, kwargs: dict[str, Any] | None = None
) -> ModelSummary:
    """Layers of a model with shapes, parameters, operations and activation memory.

    Sizes (or tensors) are those of the model's inputs, batch included. Nothing is computed.

    >>> import chainrule as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU())
    >>> s = torch.summary(model, (32, 10))
    >>> [(r.path, r.output_shape, r.parameters, r.flops, r.activations) for r in s.rows[1:]]
    [('0', [32, 20], 220, 12800, 0), ('1', [32, 20], 0, 0, 2560)]
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"summary takes a module, got {type(model).__name__}")
    counting = _Counting(model)
    with prepared_inputs(model, input_size, dtype, StandIn()) as args:
        with enable_grad(), counting, watching.watching(counting):
            result = model(*args, **(kwargs or {}))
        entries = [e for e in saved_by(result, counting, args) if e.kind != "parameter"]
        del result
        given = sum(a.nbytes for a in args if isinstance(a, TensorBase))
    modules = dict(model.named_modules())
    seen: set[int] = set()
    for row in counting.order:
        own = list(modules[row.path].parameters()) if row.path in modules else []
        row.parameters = sum(p.numel() for p in own)
        direct = list(modules[row.path].parameters(recurse=False)) if row.path in modules else []
        row.again = bool(direct) and all(id(p) in seen for p in direct)
        seen.update(id(p) for p in direct)
        inside = f"{row.path}." if row.path else ""
        row.activations = sum(
            e.bytes for e in entries if e.module == row.path or e.module.startswith(inside)
        )
    return ModelSummary(model, counting.order, sum(e.bytes for e in entries), given)


__all__ = ["ModelSummary", "Row", "summary"]


explain_module(globals(), "summary")
