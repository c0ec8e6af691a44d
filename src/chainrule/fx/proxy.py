"""`Proxy`: stands for a value while a program is traced, and records what is done with it."""

from __future__ import annotations

import dataclasses
import dis
import inspect
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from ..ops.dtypes import dtype as DType
from ..tensor import Tensor
from ..tensor.device import device as Device
from ..tensor.layouts import layout as Layout
from ..tensor.layouts import memory_format as MemoryFormat
from . import traceback as fx_traceback
from .codegen import magic_methods, reflectable_magic_methods
from .function_names import normalises_arguments, own_name
from .graph import Graph
from .node import Node, map_aggregate
from .operator_schemas import OTHER_SPELLINGS

_PLAIN = (str, int, float, bool, complex, type(None), type(Ellipsis), DType, Device, Layout,
          MemoryFormat, Tensor, range)  # fmt: skip


class TraceError(ValueError):
    """A program did something with a traced value that cannot be recorded."""


class Scope:
    """Where a node was made: path and type of the module."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path = module_path
        self.module_type = module_type


class ScopeContextManager:
    """The scope of the tracer inside a module's call."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._scope = scope
        self._before = (scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *problem: Any) -> None:
        self._scope.module_path, self._scope.module_type = self._before


class TracerBase:
    """What proxies need of a tracer: a graph, and how values become arguments of nodes."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: OrderedDict[str, Any]
    node_name_to_scope: dict[str, tuple[str, Any]]

    def create_node(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """A node of the graph, with what is known of its origin."""
        if kind == "call_function" and self.check_mutable_operations:
            from .operator_schemas import check_for_mutable_operation

            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        scope = getattr(self, "scope", None)
        if scope is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            node.meta.update(fx_traceback.get_current_meta())
        stack = getattr(self, "module_stack", None)
        if stack:
            node.meta["nn_module_stack"] = dict(stack)
        return node

    def proxy(self, node: Node) -> Proxy:
        """The proxy for a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:  # fmt: skip
        """A node with these arguments, and its proxy."""
        args_, kwargs_ = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args_, kwargs_, name, type_expr)
        made = proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = _user_stack()
        return made

    def create_arg(self, a: Any) -> Any:
        """A value as argument of a node: proxies become their nodes."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            parts = [self.create_arg(part) for part in a]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if isinstance(a, list):
            return [self.create_arg(part) for part in a]
        if isinstance(a, dict):
            return {self._key(k): self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(*(self.create_arg(p) for p in (a.start, a.stop, a.step)))
        if isinstance(a, _PLAIN) or hasattr(a, "overloadpacket") or isinstance(a, type):
            return a
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", a.__class__, (), fields)
        import enum

        if isinstance(a, enum.Enum):
            return a
        raise NotImplementedError(
            f"argument of type: {type(a)}: a graph holds numbers, texts, tensors, containers of "
            f"them and results of other nodes, not {a!r:.80}"
        )

    def _key(self, key: Any) -> Any:
        made = self.create_arg(key)

        def refuse(x: Any) -> Any:
            if isinstance(x, Node):
                raise RuntimeError(
                    "Keys for dictionaries used as an argument cannot contain a Node. "
                    f"Got key: {key}"
                )
            return x

        return map_aggregate(made, refuse)

    def to_bool(self, obj: Proxy) -> bool:
        """Called when a proxy decides a branch: an error unless a tracer knows the answer."""
        raise TraceError(
            "symbolically traced variables cannot be used as inputs to control flow: "
            f"{obj!r} has no value while the program is recorded.\n  Fix: pass what decides as "
            "concrete_args, write the choice with torch.where, or make the module a leaf."
        )

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called when a proxy is iterated."""
        raise TraceError(
            f"Proxy object cannot be iterated: {obj!r} has no length while the program is "
            "recorded. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument.\n  Fix: unpack it into names (a, b = x), index it, or "
            "make the module a leaf."
        )

    def keys(self, obj: Proxy) -> Any:
        """Called when a proxy is used as `**kwargs`."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Records into a graph that exists."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x: Any) -> None:
    """An assertion as a node."""
    assert x


class Proxy:
    """A value of the program that is being traced.

    >>> import chainrule as torch
    >>> g = torch.fx.Graph()
    >>> x = torch.fx.Proxy(g.placeholder("x"))
    >>> (x + 1).node, x.relu().node, x.shape.node
    (add, relu, getattr_1)
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: Any) -> Proxy:
        return Proxy(self.node, self.tracer)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        count = _unpacked_into(sys._getframe(1))
        if count is not None:
            return (self[k] for k in range(count))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _in_assert(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """For `**proxy`."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    def __contains__(self, item: Any) -> bool:
        raise TraceError(
            "'in' is not supported in symbolic tracing: it must answer True or False, and "
            f"{self!r} has no value while the program is recorded."
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None
    ) -> Any:
        """Record a call of one of our functions with proxies among its arguments."""
        args, kwargs = args or (), kwargs or {}
        tracer = _tracer_of((args, kwargs))
        name = getattr(orig_method, "__name__", "")
        if _is_method(orig_method, name):
            return tracer.create_proxy("call_method", name, args, kwargs)
        full = own_name(orig_method)
        if full is not None and normalises_arguments(full):
            args, kwargs = by_signature(orig_method, args, kwargs)
        if name == "einsum" and len(args) == 2 and isinstance(args[1], list | tuple):
            args = (args[0], *args[1])  # as PyTorch hands on operands in a list
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=None)


def _is_method(function: Any, name: str) -> bool:
    own = inspect.getattr_static(Tensor, name, None) if name else None
    return own is function and own_name(function) is None


def by_signature(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as PyTorch's Python functions hand them on: those with defaults by name, all."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return args, kwargs
    positional, named = [], {}
    bound.apply_defaults()
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name]
        if kind.kind is kind.VAR_POSITIONAL:
            positional += value
        elif kind.kind is kind.VAR_KEYWORD:
            named.update(value)
        elif value is None and name in OTHER_SPELLINGS:
            continue
        elif kind.default is kind.empty and kind.kind is not kind.KEYWORD_ONLY:
            positional.append(value)
        else:
            named[name] = value
    return tuple(positional), named


def _tracer_of(values: Any) -> TracerBase:
    found: dict[TracerBase, None] = {}

    def note(x: Any) -> Any:
        if isinstance(x, Proxy):
            found.setdefault(x.tracer)
        return x

    map_aggregate(values, note)
    if len(found) > 1:
        raise RuntimeError(
            "Found multiple different tracers trying to trace operations: proxies of two traces "
            "meet in one call"
        )
    return next(iter(found))


class Attribute(Proxy):
    """`x.name` of a proxy: a method when it is called, otherwise a value."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that reads the attribute, made when first asked for."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy of a parameter, whose shape is known."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """The parameter's shape."""
        return self.param.shape

    def size(self, *dim: int) -> Any:
        """The parameter's size."""
        return self.param.size(*dim)

    def dim(self) -> int:
        """The number of its dimensions."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return self.param.ndim

    def numel(self) -> int:
        """The number of its elements."""
        return self.param.numel()

    def nelement(self) -> int:
        """The number of its elements."""
        return self.param.numel()


class MetaProxy(Proxy):
    """A proxy that computes the shapes of its results on the meta device."""

    def __init__(self, node: Node, tracer: TracerBase | None = None, fake_mode: Any = None) -> None:
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self) -> str:
        return f"MetaProxy({self.node.name})"


# ---- operators -----------------------------------------------------------------------------------


def _operator(method: str) -> None:
    target = getattr(operator, method)

    def call(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", target, args, kwargs)

    call.__name__ = f"__{method.strip('_')}__"
    setattr(Proxy, call.__name__, call)


# What a tensor's operator is called as a method, where that is not its dunder name.
_METHODS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "remainder", "pow": "pow",
    "matmul": "matmul",
}  # fmt: skip


def _reflected(method: str) -> None:
    target = getattr(operator, method)
    dunder = f"__{method.strip('_')}__"

    def call(self: Any, rhs: Any) -> Any:
        if isinstance(rhs, Tensor):
            name = _METHODS.get(method, dunder)
            return self.tracer.create_proxy("call_method", name, (rhs, self), {})
        return self.tracer.create_proxy("call_function", target, (rhs, self), {})

    call.__name__ = f"__r{method.strip('_')}__"
    setattr(Proxy, call.__name__, call)


for _method in magic_methods:
    if hasattr(operator, _method):
        _operator(_method)
for _method in reflectable_magic_methods:
    if hasattr(operator, _method) and _method != "getitem":
        _reflected(_method)


# ---- the program that is traced ------------------------------------------------------------------


def _unpacked_into(frame: Any) -> int | None:
    """Into how many names the calling line unpacks; None if it iterates."""
    here = frame.f_lasti
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == here:
            if instruction.opname == "UNPACK_SEQUENCE":
                return int(instruction.argval)
            if instruction.opname == "UNPACK_EX":
                return None
            return None
    return None


def _in_assert(frame: Any) -> bool:
    """Whether the truth that is asked for decides an assert statement."""
    found = list(dis.get_instructions(frame.f_code))
    for k, instruction in enumerate(found):
        if instruction.offset == frame.f_lasti:
            return any(i.opname == "LOAD_ASSERTION_ERROR" for i in found[k + 1 : k + 3])
    return False


def _user_stack() -> str:
    import traceback

    from ..autograd.source import is_library

    frames = [f for f in traceback.extract_stack() if not is_library(f.filename)]
    return "".join(traceback.format_list(frames)).strip()


__all__ = [
    "Attribute", "GraphAppendingTracer", "MetaProxy", "ParameterProxy", "Proxy", "Scope",
    "ScopeContextManager", "TraceError", "TracerBase", "assert_fn",
]  # fmt: skip
