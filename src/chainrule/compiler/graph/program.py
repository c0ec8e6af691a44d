"""The compiler's program: typed values, one assignment each, in order, printable.

    graph(%0: f32[4,3], %1: f32[3]) {
      %2: f32[4,3] = mul(%0, %1)
      %3: f32[] = reduce_sum(%2) {axis=(0, 1), keepdims=False}
      write %2 -> %0
      return %3
    }

An instruction names an op of the table, gives arrays (values or Python numbers, which are weakly
typed as in NumPy) and static parameters.  `write v -> %k` says that input k is overwritten with v
after the last instruction: that is how parameters, gradients and optimizer state are updated.
Values are numbered when printed, so the text of a graph does not depend on how it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...ops import dtypes

Number = bool | int | float
Operand = "Value | Number"

_SHORT = {
    "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "complex64": "c64", "complex128": "c128",
}  # fmt: skip


_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    """float32 -> f32: the short name used in printed programs."""
    found = _names.get(dtype)
    if found is None:
        name = np.dtype(dtype).name
        found = _names[dtype] = _SHORT.get(name, name)
    return found


_LONG = {short: long for long, short in _SHORT.items()}


def dtype_of(name: str) -> np.dtype:
    """f32 -> float32: the dtype of a short name."""
    if name == "bf16":
        return dtypes.bfloat16.np
    return np.dtype(_LONG.get(name, name))


class Value:
    """One array of the program: its type, and nothing else.

    A weak value is a Python number that arrives at run time (a learning rate): it takes the dtype
    of what it meets, as a literal would. An input that is `room` is memory for a result that nobody
    has seen yet (a new gradient): it may be written before it is certain that the call succeeds.
    """

    __slots__ = ("dtype", "room", "shape", "weak")

    def __init__(self, shape: Sequence[int], dtype: Any, weak: bool = False) -> None:
        self.shape = tuple(int(n) for n in shape)
        self.dtype = np.dtype(dtype)
        self.weak = weak
        self.room = False

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def type(self) -> str:
        """The printed type, such as `f32[4,3]`; `num:` marks a weak one."""
        text = f"{dtype_name(self.dtype)}[{','.join(map(str, self.shape))}]"
        return f"num:{text[:-2]}" if self.weak else text


class Instr:
    """`outputs = op(inputs) {params}`; `source` is the user's line, for messages."""

    __slots__ = ("inputs", "op", "outputs", "params", "source")

    def __init__(
        self,
        op: str,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: Sequence[Value],
        source: Any = None,
    ) -> None:
        self.op = op
        self.inputs = tuple(inputs)
        self.params = dict(params)
        self.outputs = tuple(outputs)
        self.source = source

    def with_inputs(self, inputs: tuple[Any, ...]) -> Instr:
        """The same instruction on other operands; parameters are shared."""
        twin = Instr.__new__(Instr)
        twin.op, twin.inputs, twin.params = self.op, inputs, self.params
        twin.outputs, twin.source = self.outputs, self.source
        return twin

    @property
    def values(self) -> Iterator[Value]:
        """The inputs that are values, not literal numbers."""
        return (x for x in self.inputs if isinstance(x, Value))


class Graph:
    """A whole program: inputs, constant arrays, instructions, outputs, writes into inputs."""

    __slots__ = ("constants", "input_names", "inputs", "instrs", "outputs", "writes")

    def __init__(self) -> None:
        self.inputs: list[Value] = []
        self.input_names: list[str] = []
        self.constants: dict[Value, np.ndarray] = {}
        self.instrs: list[Instr] = []
        self.outputs: list[Any] = []
        self.writes: list[tuple[Value, int]] = []

    # ---- building ----------------------------------------------------------------------------

    def input(self, shape: Sequence[int], dtype: Any, name: str = "", weak: bool = False) -> Value:
        """Declare the next input."""
        value = Value(shape, dtype, weak)
        self.inputs.append(value)
        self.input_names.append(name)
        return value

    def constant(self, array: Any) -> Value:
        """A fixed array; it is kept by reference and never written."""
        array = np.asarray(array)
        value = Value(array.shape, array.dtype)
        self.constants[value] = array
        return value

    def append(
        self,
        op: str,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: Sequence[Value],
        source: Any = None,
    ) -> Instr:
        """Add an instruction whose output types are known."""
        instr = Instr(op, inputs, params, outputs, source)
        self.instrs.append(instr)
        return instr

    def write(self, value: Value, target: Value) -> None:
        """Overwrite the input `target` with `value` when all else is done."""
        self.writes.append((value, self.inputs.index(target)))

    # ---- reading -----------------------------------------------------------------------------

    def results(self) -> Iterator[Value]:
        """Every value that must be computed: outputs, written values, and what is checked."""
        yield from (v for v in self.outputs if isinstance(v, Value))
        yield from (v for v, _ in self.writes)
        yield from (v for instr in self.instrs if instr.op == "expected" for v in instr.outputs)

    def producers(self) -> dict[Value, Instr]:
        """Which instruction makes each value."""
        return {v: instr for instr in self.instrs for v in instr.outputs}

    def uses(self) -> dict[Value, int]:
        """How often each value is read, results included."""
        counts: dict[Value, int] = {}
        for instr in self.instrs:
            for v in instr.values:
                counts[v] = counts.get(v, 0) + 1
        for v in self.results():
            counts[v] = counts.get(v, 0) + 1
        return counts

    def copy(self) -> Graph:
        """A graph whose lists can be changed without changing this one."""
        twin = Graph()
        for name in self.__slots__:
            original = getattr(self, name)
            setattr(twin, name, type(original)(original))
        return twin

    def __str__(self) -> str:
        return format_graph(self)


# ---- text ------------------------------------------------------------------------------------


def format_graph(graph: Graph) -> str:
    """The program as text; equal programs give equal text."""
    names: dict[Value, str] = {}

    def name(v: Any) -> str:
        if not isinstance(v, Value):
            return repr(v)
        return names.setdefault(v, f"%{len(names)}")

    heads = [
        f"{name(v)}: {v.type}" + (f" '{label}'" if label else "")
        for v, label in zip(graph.inputs, graph.input_names, strict=True)
    ]
    lines = [f"graph({', '.join(heads)}) {{"]
    for v, array in graph.constants.items():
        lines.append(f"  {name(v)}: {v.type} = const {_format_array(array)}")
    for instr in graph.instrs:
        left = ", ".join(f"{name(v)}: {v.type}" for v in instr.outputs)
        lines.append(f"  {left} = {format_call(instr, name)}")
    lines += [f"  write {name(v)} -> {name(graph.inputs[k])}" for v, k in graph.writes]
    lines += [f"  return {', '.join(map(name, graph.outputs))}".rstrip(), "}"]
    return "\n".join(lines)


def format_call(instr: Instr, name: Any) -> str:
    """`op(inputs) {params}` with the given naming function."""
    text = f"{instr.op}({', '.join(map(name, instr.inputs))})"
    if instr.params:
        inner = ", ".join(f"{k}={_format_param(v)}" for k, v in sorted(instr.params.items()))
        text += f" {{{inner}}}"
    return text


def _format_param(value: Any) -> str:
    if isinstance(value, np.dtype | type):
        return dtype_name(value)
    if hasattr(value, "np"):  # a chainrule dtype
        return dtype_name(value.np)
    return repr(value)


def _format_array(array: np.ndarray) -> str:
    if array.size <= 8:
        return str(array.tolist())
    return f"<{array.size} elements>"
