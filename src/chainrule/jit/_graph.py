"""`torch.jit._get_trace_graph`: what a model calls, as the graph that tools around PyTorch read.

Counters of work (fvcore) and drawers of models walk the nodes of a TorchScript trace. A mode sees
every public function that runs; each becomes a node with the name and the arguments of PyTorch's
operator. The graph describes one run and cannot be run itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import chainrule as torch

from ..autograd import source
from ..overrides import TorchFunctionMode, resolve_name
from ._graph_calls import COMPOSITES, QUESTIONS, call_of, schemas_of

_KINDS = {
    torch.float32: "Float", torch.float64: "Double", torch.float16: "Half",
    torch.bfloat16: "BFloat16", torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble",
    torch.int64: "Long", torch.int32: "Int", torch.int16: "Short", torch.int8: "Char",
    torch.uint8: "Byte", torch.bool: "Bool",
}  # fmt: skip
_SCALARS = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str"}


class Type:
    """What is known of a value: of a tensor its shape and kind, of others their kind."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._is_tensor = isinstance(value, torch.Tensor)
        # As it was then: in-place methods may give it another shape.
        self._shape = list(value.shape) if self._is_tensor else None
        self._strides = list(value.stride()) if self._is_tensor else None

    def kind(self) -> str:
        """The kind, as `TensorType`."""
        if self._is_tensor:
            return "TensorType"
        if isinstance(self._value, list | tuple):
            return "ListType"
        name = "None" if self._value is None else _SCALARS.get(type(self._value), "Any")
        return {"str": "String"}.get(name, name.capitalize()) + "Type"

    def sizes(self) -> list[int] | None:
        """The shape of a tensor."""
        return self._shape

    def strides(self) -> list[int] | None:
        """The strides of a tensor."""
        return self._strides

    def dim(self) -> int | None:
        """The number of dimensions of a tensor."""
        return None if self._shape is None else len(self._shape)

    def scalarType(self) -> str | None:
        """The kind of numbers in a tensor, as `Float`."""
        return _KINDS.get(self._value.dtype, "Undefined") if self._is_tensor else None

    def dtype(self) -> Any:
        """The type of the numbers in a tensor."""
        return self._value.dtype

    def device(self) -> Any:
        """Where a tensor is."""
        return self._value.device

    def requires_grad(self) -> bool:
        """Whether a tensor records gradients."""
        return self._is_tensor and self._value.requires_grad

    def isSubtypeOf(self, other: Any) -> bool:
        """Whether the kinds are the same."""
        return isinstance(other, Type) and other.kind() == self.kind()

    def __str__(self) -> str:
        if self._is_tensor:
            return "Tensor"
        if isinstance(self._value, list | tuple):
            return f"{Type(self._value[0]) if self._value else 'Any'}[]"
        if self._value is None:
            return "NoneType"
        return _SCALARS.get(type(self._value), type(self._value).__name__)

    __repr__ = __str__

    def described(self) -> str:
        """As a printed graph shows it."""
        if not self._is_tensor or self._shape is None:
            return str(self)
        parts = [str(n) for n in self._shape]
        parts += [f"strides={self._strides}", f"requires_grad={int(self.requires_grad())}"]
        return f"{self.scalarType()}({', '.join(parts)}, device={self._value.device})"


class Value:
    """An input of the graph, or a result of a node."""

    def __init__(self, graph: Graph, node: Node, value: Any, name: str = "") -> None:
        self._node, self._type = node, Type(value)
        self._number = graph.number()
        self._name = name or str(self._number)
        self.used_by: list[Node] = []

    def node(self) -> Node:
        """The node whose result it is."""
        return self._node

    def type(self) -> Type:
        """What is known of it."""
        return self._type

    def isCompleteTensor(self) -> bool:
        """Whether it is a tensor, of which everything is known."""
        return self._type.kind() == "TensorType"

    def requires_grad(self) -> bool:
        """Whether it records gradients."""
        return self._type.requires_grad()

    requiresGrad = requires_grad

    def toIValue(self) -> Any:
        """The value of a constant; None for what is computed."""
        return self._node.value if self._node.kind() == "prim::Constant" else None

    def debugName(self) -> str:
        """Its name in the printed graph."""
        return self._name

    def setDebugName(self, name: str) -> None:
        """Give it another name."""
        self._name = name

    def unique(self) -> int:
        """A number that no other value of the graph has."""
        return self._number

    def uses(self) -> list[Node]:
        """The nodes that take it."""
        return list(self.used_by)

    def __str__(self) -> str:
        return f"{self._name} defined in ({self._node})"


class Node:
    """One call."""

    def __init__(self, kind: str, inputs: list[Value], scope: str, value: Any = None) -> None:
        self._kind, self._inputs, self._scope = kind, inputs, scope
        self._outputs: list[Value] = []
        self._line = source.here()
        self.value = value
        for one in inputs:
            one.used_by.append(self)

    def kind(self) -> str:
        """The operator, as `aten::relu`."""
        return self._kind

    def inputs(self) -> Iterator[Value]:
        """What it takes, in the order of the operator's signature."""
        return iter(self._inputs)

    def outputs(self) -> Iterator[Value]:
        """What it gives."""
        return iter(self._outputs)

    def inputsSize(self) -> int:
        """How many values it takes."""
        return len(self._inputs)

    def outputsSize(self) -> int:
        """How many values it gives."""
        return len(self._outputs)

    def inputsAt(self, place: int) -> Value:
        """One of the values it takes."""
        return self._inputs[place]

    def outputsAt(self, place: int) -> Value:
        """One of the values it gives."""
        return self._outputs[place]

    def input(self) -> Value:
        """The only value it takes."""
        (found,) = self._inputs
        return found

    def output(self) -> Value:
        """The only value it gives."""
        (found,) = self._outputs
        return found

    def hasMultipleOutputs(self) -> bool:
        """Whether it gives several values."""
        return len(self._outputs) > 1

    def scopeName(self) -> str:
        """The modules it was called in, as pushed to the state of the trace, with `/` between."""
        return self._scope

    def sourceRange(self) -> str:
        """The line of the program that called it."""
        return self._line

    def schema(self) -> str:
        """The signature of the operator; empty for nodes that are none."""
        space, _, name = self._kind.partition("::")
        found = schemas_of(name) if space == "aten" else []
        return str(found[0]) if found else ""

    def attributeNames(self) -> list[str]:
        """`value` for a constant, nothing for others."""
        return ["value"] if self._kind == "prim::Constant" and self.value is not None else []

    def hasAttribute(self, name: str) -> bool:
        """Whether it has an attribute."""
        return name in self.attributeNames()

    def blocks(self) -> list[Any]:
        """The blocks inside; none, as a run has no branches."""
        return []

    def __str__(self) -> str:
        made = ", ".join(f"%{v.debugName()} : {v.type().described()}" for v in self._outputs)
        taken = ", ".join(f"%{v.debugName()}" for v in self._inputs)
        shown = f"[value={self.value!r:.60}]" if self.attributeNames() else ""
        return f"{made} = {self._kind}{shown}({taken})"


class Graph:
    """The calls of one run, in their order."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._count = 0
        self._names: set[str] = set()
        self._param = Node("prim::Param", [], "")
        self._return = Node("prim::Return", [], "")
        self.known: dict[int, tuple[Any, Value]] = {}  # by id; the object is kept alive with it

    def number(self) -> int:
        """The number of the next value."""
        self._count += 1
        return self._count - 1

    def nodes(self) -> Iterator[Node]:
        """The calls."""
        return iter(self._nodes)

    def inputs(self) -> Iterator[Value]:
        """What the run was given: its arguments, then parameters and buffers."""
        return self._param.outputs()

    def outputs(self) -> Iterator[Value]:
        """What the run gave back."""
        return self._return.inputs()

    def param_node(self) -> Node:
        """The node whose results are the inputs."""
        return self._param

    def return_node(self) -> Node:
        """The node that takes what is given back."""
        return self._return

    def findAllNodes(self, kind: str, recurse: bool = True) -> list[Node]:
        """The calls of one operator."""
        return [node for node in self._nodes if node.kind() == kind]

    def findNode(self, kind: str, recurse: bool = True) -> Node | None:
        """The first call of an operator."""
        return next(iter(self.findAllNodes(kind)), None)

    def add_input(self, value: Any, name: str) -> None:
        """Make a tensor an input."""
        if id(value) in self.known:
            return
        while name in self._names:
            name += "_"
        self._names.add(name)
        made = Value(self, self._param, value, name)
        self._param._outputs.append(made)
        self.known[id(value)] = (value, made)

    def add(self, kind: str, inputs: list[Value], results: list[Any], scope: str) -> Node:
        """Add a call."""
        node = Node(kind, inputs, scope)
        for result in results:
            made = Value(self, node, result)
            node._outputs.append(made)
            if isinstance(result, torch.Tensor):
                self.known[id(result)] = (result, made)
        self._nodes.append(node)
        return node

    def value_of(self, value: Any, scope: str) -> Value:
        """The value of an argument: what is known of it, or a constant."""
        if isinstance(value, torch.Tensor):
            if id(value) in self.known:
                return self.known[id(value)][1]
        elif isinstance(value, list | tuple):
            parts = [self.value_of(part, scope) for part in value]
            return self.add("prim::ListConstruct", parts, [list(value)], scope).output()
        node = Node("prim::Constant", [], scope, value)
        node._outputs.append(Value(self, node, value))
        self._nodes.append(node)
        if isinstance(value, torch.Tensor):
            self.known[id(value)] = (value, node._outputs[0])
        return node._outputs[0]

    def give_back(self, values: list[Any]) -> None:
        """Say what the run gave back."""
        self._return = Node("prim::Return", [self.value_of(v, "") for v in values], "")

    def __str__(self) -> str:
        taken = ",\n      ".join(
            f"%{v.debugName()} : {v.type().described()}" for v in self.inputs()
        )
        lines = [f"  {node} # {node.sourceRange()}" for node in self._nodes]
        given = ", ".join(f"%{v.debugName()}" for v in self.outputs())
        return "\n".join([f"graph({taken}):", *lines, f"  return ({given})", ""])

    __repr__ = __str__


class TracingState:
    """What `torch._C._get_tracing_state()` gives while a graph is made."""

    def __init__(self) -> None:
        self.scopes: list[str] = []

    def push_scope(self, name: str) -> None:
        """Name the module that begins to run."""
        self.scopes.append(name)

    def pop_scope(self) -> None:
        """The module has ended."""
        self.scopes.pop()

    def current_scope(self) -> str:
        """The modules that are running, with `/` between."""
        return "/".join(self.scopes)


class _Recorder(TorchFunctionMode):
    def __init__(self, graph: Graph, state: TracingState) -> None:
        super().__init__()
        self.graph, self.state = graph, state

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        full = resolve_name(func) or getattr(func, "__qualname__", repr(func))
        name = full.removesuffix(".__get__").rpartition(".")[2]
        if name in QUESTIONS:
            return func(*args, **kwargs)
        result = func(*args, **kwargs)
        if name in COMPOSITES:
            with self:
                shown = COMPOSITES[name](*args, **kwargs)
            first = result[0] if isinstance(result, tuple) else result
            self.graph.known[id(first)] = (first, self.graph.known[id(shown)][1])
            return result
        results = [result] if isinstance(result, torch.Tensor) else _tensors(result)
        if results:
            for kind, arguments, made in call_of(name, func, args, kwargs, results):
                scope = self.state.current_scope()
                values = [self.graph.value_of(a, scope) for a in arguments]
                self.graph.add(kind, values, made, scope)
        return result


def _tensors(result: Any) -> list[Any]:
    if not isinstance(result, tuple | list):
        return []
    return [x for part in result for x in (
        [part] if isinstance(part, torch.Tensor) else _tensors(part))]  # fmt: skip


_RUNNING: list[TracingState] = []


def tracing_state() -> TracingState | None:
    """The state of the trace that is being made; None when there is none."""
    return _RUNNING[-1] if _RUNNING else None


def trace_graph(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Graph, Any]:
    """Run a module or a function, and give the graph of what it called with its result."""
    graph, state = Graph(), TracingState()
    args = args if isinstance(args, tuple) else (args,)
    names = _parameter_names(function)
    given = _tensors([*args, *(kwargs or {}).values()])
    for k, value in enumerate(given):
        graph.add_input(value, names[k] if k < len(names) and len(given) <= len(names) else "input")
    if isinstance(function, torch.nn.Module):
        for name, value in function.state_dict(keep_vars=True).items():
            if isinstance(value, torch.Tensor):
                graph.add_input(value, name)
    _RUNNING.append(state)
    try:
        with _Recorder(graph, state):
            result = function(*args, **(kwargs or {}))
    finally:
        _RUNNING.pop()
    graph.give_back([result] if isinstance(result, torch.Tensor) else _tensors(result))
    return graph, result


def _parameter_names(function: Any) -> list[str]:
    code = getattr(getattr(function, "forward", function), "__code__", None)
    if code is None:
        return []
    names = list(code.co_varnames[: code.co_argcount])
    return names[1:] if names[:1] == ["self"] else names
