"""A compiled graph that can be run again and again.

    plan = Plan(graph)
    outputs = plan.run(arrays)

Outputs are new arrays in every call; written inputs change in place.  Temporary memory belongs to
a frame; concurrent calls use different frames.  Without llvmlite the graph is interpreted.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

import numpy as np

from ...ops.allocation import give_back_freed_memory
from ...ops.layout import overlaps_itself
from ..emit.module_text import Module, Slots
from ..graph.interpreter import interpret
from ..graph.op_table import lookup
from ..graph.program import Graph, Value, dtype_name
from ..graph.verify import verifying
from ..graph.views import Buffer, View
from ..loops.arena import MemoryPlan
from ..loops.calls import ExternCall, GemmCall, JobCall, KernelCall
from ..loops.nest import format_kernel
from ..loops.schedule import Schedule
from ..machine import host, log, machine_code, worker_threads
from ..passes import optimise
from . import plan_cache, plan_target
from .bind import Specification, bind_text, layout_known, main_text
from .externs import ExternStep, acts
from .plan_cache import Image
from .recycled import Recycled


class InputChanged(ValueError):
    """An input is of another type than the plan was made for; nothing was computed."""


class CheckFailed(IndexError):
    """An index or a class number is outside its range; nothing was written."""


class UnwritableInput(ValueError):
    """An input that the plan writes may not be written; nothing was computed."""


_LARGE_ARENA = 1 << 20  # bytes


class Frame:
    """The memory of one running call: arena, address table, extern results."""

    __slots__ = (
        "address", "arena", "arrays", "checks", "externs", "flags", "known", "numbers", "slots",
        "table", "thread", "workspace",
    )  # fmt: skip

    def __init__(self, plan: Plan) -> None:
        self.slots = slots = plan.slots
        self.thread = 0
        image = plan.image
        if image.arena >= _LARGE_ARENA:
            give_back_freed_memory()  # of the eager steps that were traced
        raw = np.empty(image.arena + 64, np.uint8)
        start = -address_of(raw) % 64
        self.arena = raw[start:]
        self.table = (ctypes.c_void_p * slots.count)()
        self.address = ctypes.addressof(self.table)
        self.table[slots.arena] = address_of(raw) + start
        threads = plan.workers
        if threads is not None:
            self.table[slots.board] = threads.board
            self.use_workspace(threads)
        self.numbers = [np.zeros((), b.dtype) for b in image.buffers["number"]]
        self.checks = np.zeros(len(image.check_sizes), np.int64)
        self.flags: Any = self.checks.data  # asked in every call: ndarray.any takes microseconds
        words = [self.checks[i:] for i in range(len(self.checks))]
        fixed = (("number", self.numbers), ("const", image.constants), ("check", words))
        for kind, arrays in fixed:
            for i, array in enumerate(arrays):
                self.table[slots.start[kind] + i] = address_of(array)
        self.externs: list[Any] = [None] * len(image.buffers["extern"])
        self.arrays: Any = ()
        self.known: dict[Any, Any] = {}  # operands of extern steps, with their addresses

    def use_workspace(self, threads: Any) -> None:
        """Work in the memory that the calling thread has for its products."""
        self.thread, self.workspace = get_ident(), threads.own_workspace()
        self.table[self.slots.workspace] = self.workspace[0]


def address_of(array: np.ndarray) -> int:
    """The address of an array's first element."""
    return array.__array_interface__["data"][0]


def _check_type(position: int, value: Value, array: np.ndarray) -> None:
    if array.shape != value.shape or array.dtype != value.dtype:
        raise InputChanged(
            f"input {position} of the plan is {value.type}, got "
            f"{Value(array.shape, array.dtype).type}; compile again for other types"
        )


class Plan:
    """See the module's docstring."""

    def __init__(self, graph: Graph, native: bool | None = None) -> None:
        self.traced = graph
        self.native = host.llvm_available() if native is None else native
        self._frames: list[Frame] = []
        if not self.native or verifying():
            _ = self.graph
        if not self.native:
            return
        double = any(v.dtype == np.float64 for i in graph.instrs for v in i.outputs if v.ndim)
        self.target = target = plan_target.plan_target(double)
        self.workers = worker_threads.shared() if target.threads else None
        if self.workers is not None and target.threads > 1:
            self.workers.hire(target.threads - 1)
        self.image = self._find_image()
        self.slots = Slots(self.image.buffers)
        self.steps = self._steps()
        self._prepare_checks()

    # ---- building ----------------------------------------------------------------------------

    @functools.cached_property
    def graph(self) -> Graph:
        """The optimised program."""
        with log.timed(f"passes over {len(self.traced.instrs)} instructions"):
            return optimise(self.traced, log.pass_done if log.enabled() else None)

    @functools.cached_property
    def _lowered(self) -> tuple[Schedule, MemoryPlan]:
        with log.timed("fusion, lowering and memory"):
            vector_bytes = self.target.vector_bytes if self.target.threads else 0
            products = self.target.blas_int is not None
            schedule = Schedule(self.graph, products, vector_bytes)
            return schedule, MemoryPlan(schedule)

    @property
    def schedule(self) -> Schedule:
        """The calls in order; made again for a plan that came from the cache."""
        return self._lowered[0]

    @property
    def memory(self) -> MemoryPlan:
        """Where temporaries lie."""
        return self._lowered[1]

    @functools.cached_property
    def _written(self) -> tuple[Module, list[Any]]:
        """The module's definitions; names of segments of machine code, extern calls in between."""
        pieces: list[Any] = []
        for call in self.schedule.calls:
            if isinstance(call, ExternCall):
                pieces.append(call)
            elif pieces and isinstance(pieces[-1], list):
                pieces[-1].append(call)
            else:
                pieces.append([call])
        module = Module(self.target, Slots(self.schedule.buffers))
        self._last_reads = _last_reads(pieces, self.schedule.outputs)
        pieces = [module.segment(p) if isinstance(p, list) else p for p in pieces]
        if layout_known():
            # `main` binds the inputs and, when the plan is one segment, runs it in the same call.
            only = pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else None
            count = len(self.graph.inputs) + len(self.schedule.buffers["output"])
            module.definitions += [bind_text(count), main_text(only)]
        return module, pieces

    @property
    def module(self) -> Module:
        """The text of the machine code, with its kernels."""
        return self._written[0]

    def _find_image(self) -> Image:
        """What the plan needs for running, out of the cache or made."""
        found = plan_cache.key_of(self.traced, self.target)
        if found is not None:
            with log.timed("plan from the cache, or nothing"):
                image = plan_cache.load(*found)
            if image is not None:
                return image
        module, pieces = self._written
        text, arena = module.text(), self.memory.size
        image = Image(self.schedule, arena, pieces, self._last_reads, b"")
        kept = found is not None
        with log.timed(f"machine code of {len(text)} characters of assembly"):
            image.code = machine_code.compiled(text) if kept else machine_code.cached(text).code
        if kept:
            plan_cache.save(found[0], image, found[1])
        return image

    def _steps(self) -> list[Callable[[Frame], None]]:
        """Entries of machine code, with extern calls in between."""
        pieces = self.image.pieces
        self.segments = sum(isinstance(p, str) for p in pieces)
        self.whole = len(pieces) == 1 and self.segments == 1
        self.compiled = machine_code.Loaded(self.image.code)
        self.main = self.compiled.function("main", 3) if layout_known() else None
        return [
            _native_step(self.compiled.function(p, 1))  # pyright: ignore[reportArgumentType]
            if isinstance(p, str)
            else ExternStep(p, self.slots)
            for p in pieces
        ]

    def _prepare_checks(self) -> None:
        buffers = self.image.input_buffers
        written = {k for _, k in self.traced.writes}
        inputs = list(enumerate(zip(self.traced.inputs, buffers, strict=True)))
        self._checked = [
            (i, self.slots.of(b), v, i in written) for i, (v, b) in inputs if not v.weak
        ]
        self._numbers = [(i, b.index) for i, (v, b) in inputs if v.weak]
        views = [x for x in self.image.outputs if isinstance(x, View)]
        fresh = {v.buffer.index: v for v in views if v.buffer.kind == "output"}
        made = [Value(v.shape, v.buffer.dtype) for _, v in sorted(fresh.items())]
        self._fresh = [(v.shape, v.dtype) for v in made]
        self._new_outputs = Recycled(self._fresh).arrays
        # New output arrays are bound like inputs, after them.
        start, count = self.slots.start["output"], len(inputs)
        self._checked += [(count + i, start + i, v, True) for i, v in enumerate(made)]
        places = [-1 if v.weak else self.slots.of(b) for _, (v, b) in inputs]
        places += [start + i for i in range(len(made))]
        writes = [i in written for i in range(count)] + [True] * len(made)
        self.spec = Specification([*self.traced.inputs, *made], places, writes)
        self._spec_address = self.spec.address
        self._results = [_result_plan(x) for x in self.image.outputs]

    # ---- running -----------------------------------------------------------------------------

    def run(self, arrays: list[Any]) -> list[Any]:
        """Run on these inputs (arrays, and Python numbers for weak inputs)."""
        if not self.native:
            for i, value in enumerate(self.graph.inputs):
                if not value.weak:
                    _check_type(i, value, arrays[i])
            for _, k in self.graph.writes:
                _refuse_unwritable(k, arrays[k])
            try:
                return interpret(self.graph, arrays)
            except Exception as refused:  # by an op; what is written is written at the end
                if any(acts(lookup(i.op)) for i in self.graph.instrs):
                    raise
                raise CheckFailed(str(refused)) from refused
        frame = self._frames.pop() if self._frames else Frame(self)
        if frame.thread != get_ident() and self.workers is not None:
            frame.use_workspace(self.workers)
        try:
            outputs = self._new_outputs()
            for i, index in self._numbers:
                frame.numbers[index][...] = arrays[i]
            everything = [*arrays, *outputs]
            late: Any = ()
            ran = False
            if self.main is None or self.main(id(everything), frame.address, self._spec_address):
                late = self._bind(frame, everything)
            else:
                ran = self.whole
            acted = False if ran else self._run_steps(frame)
            if any(frame.flags):
                wrong = self._wrong_index(frame)
                raise IndexError(str(wrong)) if acted else wrong
            for target, source in late:
                target[...] = source
            return self._collect(frame, outputs)
        finally:
            frame.arrays = ()
            self._frames.append(frame)

    def _run_steps(self, frame: Frame) -> bool:
        """Run the steps in order; whether one of them acted, so that the call cannot run again."""
        acted = False
        for step, read in zip(self.steps, self.image.last_reads, strict=True):
            acted = acted or (step.__class__ is ExternStep and step.acts)
            try:
                step(frame)
            except Exception as refused:  # by an op in Python, before the first write
                if acted:
                    raise
                raise CheckFailed(str(refused)) from refused
            for k in read:
                frame.externs[k] = None
            if any(frame.flags):
                break  # a wrong index: what follows may write the caller's arrays
        return acted

    def _wrong_index(self, frame: Frame) -> CheckFailed:
        size = self.image.check_sizes[int(frame.checks.argmax())]
        frame.checks[:] = 0
        return CheckFailed(f"index out of bounds for dimension with size {size} in a plan")

    def _bind(self, frame: Frame, arrays: list[Any]) -> list[Any]:
        """Put the inputs' addresses into the table; strided ones are copied, and copied back."""
        late: list[Any] = []
        used: list[Any] = []
        for i, slot, value, written in self._checked:
            a = arrays[i]
            _check_type(i, value, a)
            if written:
                _refuse_unwritable(i, a)
            # (NumPy's own numbers have no memory that stays where it is.)
            if not isinstance(a, np.ndarray) or not (a.flags.c_contiguous and a.flags.aligned):
                copied = np.array(a, order="C")
                if written:
                    late.append((a, copied))
                used.append(copied)
                a = copied
            frame.table[slot] = address_of(a)
        frame.arrays = used  # alive until the call is over
        return late

    def _collect(self, frame: Frame, outputs: list[Any]) -> list[Any]:
        results = []
        for kind, what, shape in self._results:
            if kind == "output":
                array = outputs[what]
                results.append(array if array.shape == shape else array.reshape(shape))
            else:
                results.append(frame.externs[what].reshape(shape) if kind == "extern" else what)
        if frame.externs:
            frame.externs = [None] * len(frame.externs)
        return results

    # ---- telling -----------------------------------------------------------------------------

    def explain(self) -> str:
        """What was made of the program: its graph, the calls, and the memory."""
        lines = [str(self.graph), ""]
        if not self.native:
            return "\n".join([*lines, "interpreted: llvmlite is not installed"])
        for i, call in enumerate(self.schedule.calls):
            lines += [f"step {i}: {line}" for line in _describe(call).splitlines()[:1]]
            lines += [f"    {line}" for line in _describe(call).splitlines()[1:]]
        memory = self.memory
        lines.append(
            f"{self.segments} native segment(s), {len(self.module.kernels)} kernels; "
            f"arena {memory.size} bytes for {memory.total} bytes of temporaries; "
            f"{memory.direct_writes} of {len(self.graph.writes)} writes go straight into inputs"
        )
        return "\n".join(lines)


def _refuse_unwritable(number: int, array: np.ndarray) -> None:
    if not array.flags.writeable:
        raise UnwritableInput(f"input {number} of the plan is written, and its memory is read-only")
    if overlaps_itself(array):
        raise UnwritableInput(f"elements of input {number}, which is written, overlap")


def _last_reads(pieces: list[Any], outputs: list[Any]) -> list[tuple[int, ...]]:
    """For each piece the results of extern steps that nothing reads after it."""
    last: dict[int, int] = {}
    for k, piece in enumerate(pieces):
        for call in piece if isinstance(piece, list) else [piece]:
            for buffer in (*call.reads(), *call.writes()):
                if buffer.kind == "extern":
                    last[buffer.index] = k
    shown = [x.buffer for x in outputs if isinstance(x, View)]
    for buffer in shown:
        if buffer.kind == "extern":
            last.pop(buffer.index, None)
    return [tuple(i for i, at in last.items() if at == k) for k in range(len(pieces))]


def _result_plan(output: Any) -> tuple[str, Any, Any]:
    """(kind of buffer, its number, shape), or a number that is the same in every call."""
    if isinstance(output, View):
        return output.buffer.kind, output.buffer.index, output.shape
    return "number", output, None


def _native_step(function: Callable[[int], None]) -> Callable[[Frame], None]:
    def step(frame: Frame) -> None:
        function(frame.address)

    return step


def _describe(call: Any) -> str:
    if isinstance(call, KernelCall):
        names = ", ".join(_name(b) for b, _ in call.pointers)
        return f"kernel({names})\n{format_kernel(call.kernel)}"
    if isinstance(call, GemmCall):
        c = call.c
        kind = dtype_name(call.a.buffer.dtype)
        shapes = f"{list(call.a.shape)} @ {list(call.b.shape)}"
        names = [_name(v.buffer) for v in (call.a, call.b, c)]
        bias = "" if call.bias is None else f" + {_name(call.bias.buffer)}"
        return f"gemm {kind} {names[2]} = {names[0]} @ {names[1]}{bias}, {shapes}"
    if isinstance(call, JobCall):
        names = ", ".join(_name(view.buffer) for view in call.operands)
        return f"job {call.job}({names}), {len(call.table)} pieces"
    return f"extern {call.instr.op}"


def _name(buffer: Buffer) -> str:
    return f"{buffer.kind}{buffer.index}"
