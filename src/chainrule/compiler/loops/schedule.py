"""From a graph to a schedule of calls on buffers: kernels, matrix products, extern ops."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ... import ir
from ..graph.op_table import lookup, lowering, models_of_results
from ..graph.program import Graph, Instr, Value, dtype_name
from ..graph.rewriter import permutation
from ..graph.views import Buffer, View, c_strides, dense_like, new_view, rearrange
from ..scalars.expressions import Nodes, compute_dtype, literal_node
from ..text.assembly import HALVES
from .attention_calls import attention_call
from .calls import ExternCall, GemmCall, JobCall, KernelCall, copy_call, matrix_layout, swapped
from .collapse import collapse, drop_unused
from .fuse import Fusion, Unit
from .nest import Access, Kernel, Put
from .split_sums import in_doubles, in_parts


class Schedule:
    """All calls in order, and where inputs, constants and results live."""

    def __init__(self, graph: Graph, products: bool = True, vector_bytes: int = 0) -> None:
        """`vector_bytes` of the machine if its threads can do jobs."""
        self.graph = graph
        self.vector_bytes = vector_bytes
        self.fusion = Fusion(graph, products)
        self.calls: list[Any] = []
        self.buffers: dict[str, list[Buffer]] = {
            k: [] for k in ("input", "number", "const", "check", "output", "extern", "temp")
        }
        self.check_sizes: list[int] = []
        self.constants: list[np.ndarray] = []
        self.views: dict[Value, View] = {}
        self._declare_inputs()
        self.layouts = _wanted_layouts(graph, self.fusion)
        needed = self.fusion.needed_outside()
        for unit in self.fusion.scheduled():
            self._lower(unit, needed)
        self._given_away: set[int] = set()  # buffers that are a result themselves
        self.outputs = [self._output(v) for v in graph.outputs]
        self._lower_writes()

    # ---- buffers -----------------------------------------------------------------------------

    def new_buffer(self, kind: str, size: int, dtype: np.dtype) -> Buffer:
        """A buffer of this kind, numbered within it."""
        buffer = Buffer(kind, size, dtype, len(self.buffers[kind]))
        self.buffers[kind].append(buffer)
        return buffer

    def _declare_inputs(self) -> None:
        self.input_buffers = []
        for v in self.graph.inputs:
            buffer = self.new_buffer("number" if v.weak else "input", v.size, v.dtype)
            self.input_buffers.append(buffer)
            self.views[v] = new_view(v, buffer)
        for v, array in self.graph.constants.items():
            self.constants.append(np.ascontiguousarray(array).reshape(array.shape))
            self.views[v] = new_view(v, self.new_buffer("const", v.size, v.dtype))

    def view(self, value: Value) -> View:
        """Where a value lies; moves are derived from what they rearrange."""
        found = self.views.get(value)
        if found is None:
            instr = self.fusion.made[value]
            base = self.view(instr.inputs[0])
            layout = rearrange(instr.op, instr.params, base.shape, base.strides, base.offset)
            assert layout is not None, f"{instr.op} was expected to be a view"
            found = self.views[value] = View(base.buffer, *layout)
        return found

    def _result(self, value: Value, kind: str = "temp") -> View:
        buffer = self.new_buffer(kind, value.size, value.dtype)
        strides = self.layouts.get(value, c_strides(value.shape))
        found = self.views[value] = View(buffer, value.shape, strides)
        return found

    # ---- units -------------------------------------------------------------------------------

    def _lower(self, unit: Unit, needed: set[Value]) -> None:
        if unit.kind == "loop":
            for call in in_parts(self, KernelBuilder(self, unit).build(needed)):
                self.calls += in_doubles(self, call)
        elif unit.kind == "gemm":
            self.calls.append(self._lower_gemm(*unit.instrs))
        elif unit.kind == "join":
            self._lower_join(unit.instrs[0])
        else:
            instr = unit.instrs[0]
            job = self._lower_job(instr)
            if job is not None:
                self.calls.append(job)
                return
            operands = [self.view(x) if isinstance(x, Value) else x for x in instr.inputs]
            self.calls.append(ExternCall(instr, operands, self._extern_results(instr, needed)))

    def _lower_job(self, instr: Instr) -> JobCall | None:
        """Attention as a job of the threads, where it can be one."""
        if not self.vector_bytes or not instr.op.startswith("attention"):
            return None
        return attention_call(self, instr, self.vector_bytes)

    def _extern_results(self, instr: Instr, needed: set[Value]) -> list[View | None]:
        found: list[View | None] = []
        for value, model in zip(instr.outputs, models_of_results(instr), strict=True):
            if value not in needed:
                found.append(None)
                continue
            found.append(self.result_like(value, model, "extern"))
        return found

    def result_like(self, value: Value, model: Value | None, kind: str) -> View:
        """A place for a result, its axes in memory in the order of the model's if there is one."""
        view = self._result(value, kind)
        if model is not None:
            like = self.view(model)
            view.strides = dense_like(like.shape, like.strides)
        return view

    def _lower_join(self, instr: Instr) -> None:
        """Every operand is copied to its place in the result."""
        (out,) = instr.outputs
        target, axis, start = self._result(out), instr.params["axis"], 0
        for x in instr.inputs:
            source = self.view(x)
            offset = target.offset + start * target.strides[axis]
            if x.size:
                self.copy(source, View(target.buffer, x.shape, target.strides, offset))
            start += x.shape[axis]

    def _lower_gemm(self, instr: Instr, addition: Instr | None = None) -> GemmCall:
        (out,) = instr.outputs
        operands = []
        for x, flag in zip(instr.inputs, ("ta", "tb"), strict=True):
            view = self.view(x)
            if instr.params.get(flag):
                view = View(view.buffer, swapped(view.shape), swapped(view.strides), view.offset)
            if matrix_layout(view.shape[-2:], view.strides[-2:]) is None:
                view = self._copied(view, x.dtype)
            lead = len(out.shape) - len(view.shape)
            batch = [
                0 if n == 1 else s for n, s in zip(view.shape[:-2], view.strides[:-2], strict=True)
            ]
            strides = (*[0] * lead, *batch, *view.strides[-2:])
            operands.append(View(view.buffer, (*[1] * lead, *view.shape), strides, view.offset))
        if addition is None:
            return GemmCall(operands[0], operands[1], self._result(out))
        bias = next(x for x in addition.inputs if x is not out)
        return GemmCall(
            operands[0], operands[1], self._result(addition.outputs[0]), self.view(bias)
        )

    def _copied(self, view: View, dtype: np.dtype) -> View:
        size = 1
        for n in view.shape:
            size *= n
        target = View(self.new_buffer("temp", size, dtype), view.shape, c_strides(view.shape))
        self.copy(view, target)
        return target

    # ---- results -----------------------------------------------------------------------------

    def _output(self, value: Any) -> Any:
        """A buffer that the caller may keep: the value's own if possible, else a copy."""
        if not isinstance(value, Value):
            return value
        view = self.view(value)
        buffer = view.buffer
        whole = view.contiguous and buffer.size == value.size
        own = whole and id(buffer) not in self._given_away and not self._is_lent(value)
        if own and buffer.kind in ("temp", "extern"):
            self._given_away.add(id(buffer))
            if buffer.kind == "temp":
                self.buffers["temp"].remove(buffer)
                buffer.kind = "output"
                self._renumber("temp")
                buffer.index = len(self.buffers["output"])
                self.buffers["output"].append(buffer)
            return View(buffer, value.shape, c_strides(value.shape))
        copied = self.new_buffer("output", value.size, value.dtype)
        target = View(copied, value.shape, c_strides(value.shape))
        self.copy(view, target)
        return target

    def _is_lent(self, value: Value) -> bool:
        """Whether an op shows memory of its own, which it will write to again."""
        maker = self.fusion.made.get(self.fusion.origin(value))
        return maker is not None and getattr(lookup(maker.op), "lends", False)

    def _renumber(self, kind: str) -> None:
        for i, buffer in enumerate(self.buffers[kind]):
            buffer.index = i

    def copy(self, source: View, target: View) -> None:
        """Append a copy between views of one shape (a no-op for empty ones)."""
        if source.buffer.size and target.buffer.size:
            self.calls.append(copy_call(source, target))

    def _lower_writes(self) -> None:
        """Copies into inputs, after everything else; old values that move are saved first."""
        written = {id(self.input_buffers[k]) for _, k in self.graph.writes}
        pairs = []
        for v, k in self.graph.writes:
            source = self.view(v)
            unchanged = source.buffer is self.input_buffers[k] and source.contiguous
            if id(source.buffer) in written and not unchanged:
                source = self._copied(source, v.dtype)
            pairs.append((source, View(self.input_buffers[k], v.shape, c_strides(v.shape))))
        for source, target in pairs:
            if source.buffer is not target.buffer or not source.contiguous:
                self.copy(source, target)


def _wanted_layouts(graph: Graph, fusion: Fusion) -> dict[Value, tuple[int, ...]]:
    """Strides for results of loops that are only needed with their axes in another order."""
    uses = Counter(v for instr in graph.instrs for v in instr.values)
    uses.update(graph.results())
    found: dict[Value, tuple[int, ...]] = {}
    for result in dict.fromkeys(graph.results()):
        value, order = result, tuple(range(result.ndim))
        while uses[value] == 1 and value in fusion.made:
            perm = permutation(fusion.made[value])
            if perm is None:
                break
            value, order = fusion.made[value].inputs[0], tuple(perm[i] for i in order)
        unit = fusion.unit_of.get(value)
        stored = unit is not None and unit.kind == "loop" and _is_pointwise(fusion.made[value])
        if value is not result and uses[value] == 1 and stored:
            strides = dict(zip(order, c_strides(result.shape), strict=True))
            found[value] = tuple(strides[axis] for axis in range(value.ndim))
    return found


def _is_pointwise(instr: Instr) -> bool:
    return lowering(instr.op).tag == "pointwise"


class KernelBuilder:
    """Writes the instructions of one loop unit as a kernel."""

    def __init__(self, schedule: Schedule, unit: Unit) -> None:
        self.schedule = schedule
        self.unit = unit
        self.nodes = Nodes()
        self.pointers: list[tuple[Buffer, int]] = []
        self.dtypes: list[str] = []
        self.node_of: dict[Value, int] = {}
        self.sums: dict[Value, tuple[str, int, bool]] = {}
        self.puts: dict[Value, Any] = {}
        self.nodes.on_check = self._check_word

    def build(self, needed: set[Value]) -> KernelCall:
        """The call, with buffers made for every result that others read."""
        for instr in self.unit.instrs:
            self._instruction(instr)
        stores, accumulates, scatters = [], [], []
        for instr in self.unit.instrs:
            (out,) = instr.outputs
            if out in self.sums:
                kind, node, along = self.sums[out]
                accumulates.append((kind, node, self._place_result(out), along))
            elif out in self.puts:
                scatters.append(self._put(out))
            elif out in needed:
                stores.append((self.node_of[out], self._place_result(out)))
        kernel = Kernel(
            self.unit.space,
            tuple(self.dtypes),
            tuple(self.nodes.nodes),
            tuple(stores),
            tuple(accumulates),
            tuple(scatters),
        )
        kernel = collapse(drop_unused(kernel))
        return KernelCall(kernel, self.pointers, kernel.space[-1])

    def _check_word(self, size: int) -> int:
        """A word of the plan that is set when an index of an axis of this length is wrong."""
        buffer = self.schedule.new_buffer("check", 1, np.dtype(np.int64))
        self.schedule.check_sizes.append(size)
        return self._pointer(buffer, 0, "i64")

    def _pointer(self, buffer: Buffer, offset: int, dtype: str) -> int:
        entry = (buffer, offset)
        if entry not in self.pointers:
            self.pointers.append(entry)
            self.dtypes.append(dtype)
        return self.pointers.index(entry)

    def _place_result(self, value: Value) -> Access:
        view = self.schedule._result(value)
        place = self.unit.places[value]
        strides = [0] * len(self.unit.space)
        for axis, stride in zip(place, view.strides, strict=True):
            if axis is not None:
                strides[axis] = stride
        return Access(self._pointer(view.buffer, 0, dtype_name(value.dtype)), tuple(strides))

    def _instruction(self, instr: Instr) -> None:
        lower = lowering(instr.op)
        (out,) = instr.outputs
        result = dtype_name(out.dtype)
        if isinstance(lower, ir.Index):
            self.node_of[out] = self.nodes.add("index", (), "i64", instr.params["axis"])
            return
        if isinstance(lower, ir.Reduce):
            shape = instr.inputs[0].shape
            place = self.schedule.fusion._placement(instr, "reduce", self.unit)
            node = self.nodes.convert(self._operand(instr.inputs[0], shape, place), result)
            if out in self.unit.finals:
                folded = {place[a] for a in instr.params["axis"]}  # pyright: ignore[reportOptionalSubscript]
                self.sums[out] = (lower.kind, node, len(self.unit.space) - 1 in folded)
            else:
                self.node_of[out] = self.nodes.add("fold", (node,), result, lower.kind)
            return
        if isinstance(lower, ir.Take):
            self.node_of[out] = self._take(instr)
            return
        if isinstance(lower, ir.Scatter):
            shape = instr.inputs[0].shape
            place = self.schedule.fusion._placement(instr, "scatter", self.unit)
            self.puts[out] = (place, [self._operand(x, shape, place) for x in instr.inputs])
            return
        assert isinstance(lower, ir.Pointwise)
        compute = compute_dtype(instr)
        place = self.unit.places[out]
        args = [
            self._operand(x, out.shape, place)
            if isinstance(x, Value)
            else literal_node(self.nodes, x, compute)
            for x in instr.inputs
        ]
        body = lower.body(len(args), instr.params)
        self.node_of[out] = self.nodes.convert(self.nodes.build(body, args, compute), result)

    def _operand(self, value: Value, shape: tuple[int, ...], place: Any) -> int:
        """The node of an operand: computed inside, a constant, a position, or a load."""
        fusion = self.schedule.fusion
        source = fusion.source(value)
        inside = self.node_of.get(source.value)
        if inside is not None:
            return inside
        lead = len(shape) - value.ndim
        if fusion.is_index(source.value):
            return self._index(source, lead, place)
        array = self.schedule.graph.constants.get(source.value)
        if array is not None and array.size == 1:
            kind = dtype_name(value.dtype)
            number = float(array.ravel()[0]) if kind in HALVES else array.item()
            return self.nodes.add("const", (), kind, number)
        view = self.schedule.view(value)
        strides = [0] * len(self.unit.space)
        for j, (size, stride) in enumerate(zip(value.shape, view.strides, strict=True)):
            axis = place[j + lead]
            if size > 1 and axis is not None:
                strides[axis] = stride
        dtype = dtype_name(value.dtype)
        pointer = self._pointer(view.buffer, view.offset, dtype)
        return self.nodes.add("load", (), dtype, Access(pointer, tuple(strides)))

    def _take(self, instr: Instr) -> int:
        """A load whose place along the first axes is computed."""
        (out,) = instr.outputs
        table, *indices = instr.inputs
        place = self.unit.places[out]
        view = self.schedule.view(table)
        count = len(indices)
        free = self._free_strides(view.shape[count:], view.strides[count:], place)
        dtype = dtype_name(table.dtype)
        access = Access(self._pointer(view.buffer, view.offset, dtype), free)
        args = tuple(self._operand(i, out.shape, place) for i in indices)
        return self.nodes.add("take", args, dtype, (access, view.strides[:count]))

    def _put(self, out: Value) -> Put:
        place, (node, *indices) = self.puts[out]
        view = self.schedule._result(out)
        count = len(indices)
        free = self._free_strides(view.shape[count:], view.strides[count:], place)
        pointer = self._pointer(view.buffer, 0, dtype_name(out.dtype))
        space = self.unit.space
        along = not space or space[-1] == 1 or len(space) - 1 in place
        return Put(
            node, Access(pointer, free), tuple(indices), view.strides[:count], out.size, along
        )

    def _free_strides(self, sizes: Any, strides: Any, place: Any) -> tuple[int, ...]:
        """Strides along the space for the trailing axes, which are not indexed."""
        found = [0] * len(self.unit.space)
        for j in range(1, len(sizes) + 1):
            if sizes[-j] > 1:
                found[place[-j]] = strides[-j]
        return tuple(found)

    def _index(self, source: Any, lead: int, place: Any) -> int:
        wanted = self.schedule.fusion.made[source.value].params["axis"]
        for j, axis in enumerate(source.axes):
            if axis == wanted and place[j + lead] is not None:
                return self.nodes.add("index", (), "i64", place[j + lead])
        return self.nodes.add("const", (), "i64", 0)
