"""`make_fx`: a program as the graph of the operators that it runs, gradients included.

The program runs on real tensors under a mode that is asked about every operator below autograd
(`utils._python_dispatch`), and each is kept as a node. Branches and numbers are those of this run.

>>> import chainrule as torch
>>> graph = make_fx(torch.func.grad(lambda x: x.sin().sum()))(torch.ones(2))
>>> [str(n.target) for n in graph.graph.nodes if n.op == "call_function"][-2:]
['aten.cos.default', 'aten.mul.Tensor']
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ...autograd.state import STATE
from ...nn import Module
from ...standins.finder import rest_of as _rest_of
from ...tensor import Parameter, Tensor
from ...utils._python_dispatch import TorchDispatchMode
from ...utils._pytree import tree_flatten, tree_leaves, tree_map
from ..codegen import _PyTreeCodeGen, _PyTreeInfo
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node
from ..passes.shape_prop import _extract_tensor_metadata
from ..proxy import Proxy
from ..tracer import Tracer

_MODES = ("real", "fake", "symbolic")


class PythonKeyTracer(Tracer):
    """Keeps the nodes; tensors that no node made become attributes of the root."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Module()
        self.graph = Graph(tracer_cls=PythonKeyTracer)
        self.tensor_attrs = []
        self._held: dict[str, int] = {}

    def create_arg(self, a: Any) -> Any:
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._attribute(a), (), {})
        return super().create_arg(a)

    def _attribute(self, a: Tensor) -> str:
        for held, name in self.tensor_attrs:
            if held is a:
                return name
        kind = "_param_constant" if isinstance(a, Parameter) else "_tensor_constant"
        name = f"{kind}{self._held.get(kind, 0)}"
        self._held[kind] = self._held.get(kind, 0) + 1
        setattr(self.root, name, a)
        self.tensor_attrs.append((a, name))
        return name


class ProxyTorchDispatchMode(TorchDispatchMode):
    """Keeps every operator as a node while it computes."""

    def __init__(
        self, tracer: PythonKeyTracer, tracing_mode: str = "real", pre_dispatch: bool = False,
        decomposition_table: dict[Any, Callable[..., Any]] | None = None, **ignored: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.decomposition_table = dict(decomposition_table or {})
        self._known: dict[int, tuple[Any, Proxy]] = {}  # by tensor and by memory

    # ---- which node a tensor is ----

    def track(self, t: Any, proxy: Proxy) -> None:
        """Remember that a tensor is the result of a node."""
        for key in (t, t._a):
            self._known[id(key)] = (key, proxy)
        if "val" not in proxy.node.meta:
            proxy.node.meta["val"] = t
            proxy.node.meta["tensor_meta"] = _extract_tensor_metadata(t)

    def proxy_of(self, t: Any) -> Any:
        """The proxy of a tensor; the tensor itself where it comes from outside."""
        if not isinstance(t, Tensor):
            return t
        found = self._known.get(id(t)) or self._known.get(id(t._a))
        return t if found is None else found[1]

    def track_tree(self, made: Any, proxy: Proxy) -> None:
        """Remember the tensors of a result, which may be several."""
        if isinstance(made, Tensor):
            self.track(made, proxy)
        elif isinstance(made, tuple | list):
            for k, part in enumerate(made):
                if isinstance(part, Tensor | tuple | list):
                    self.track_tree(part, proxy[k])  # type: ignore[index]

    # ---- operators ----

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        decomposition = self.decomposition_table.get(func)
        if decomposition is not None:
            with self:
                made = decomposition(*args, **kwargs)
            if made is not NotImplemented:
                return made
        if str(func) == "aten._local_scalar_dense.default":
            self._refuse_value(func, args)
        elif str(func) == "aten.lift_fresh.default":
            return self._lift(args[0])
        proxies = tree_map(self.proxy_of, (args, kwargs))
        node = self._node(func, *proxies)
        made = func(*args, **kwargs)
        if _writes(func) and args and isinstance(args[0], Tensor):
            self.track(args[0], node)
        self.track_tree(made, node)
        return made

    def _node(self, func: Any, args: Any, kwargs: Any) -> Proxy:
        name = self.tracer.graph._target_to_str(func.overloadpacket.__name__)
        return self.tracer.create_proxy("call_function", func, args, kwargs, name)

    def _lift(self, made: Tensor) -> Tensor:
        """Data that the program makes of Python's numbers: the graph copies it at each run."""
        from ...ops.overloads import namespace

        copy = namespace("aten").lift_fresh_copy.default
        constant = made.clone()
        node = self._node(copy, (constant,), {})
        self.track(made, node)
        return made

    def _refuse_value(self, func: Any, args: Any) -> None:
        if isinstance(self.proxy_of(args[0]), Proxy):
            raise RuntimeError(
                f"It appears that you're trying to get value out of a tracing tensor with {func} - "
                "erroring out! It's likely that this is caused by data-dependent control flow or "
                "similar: a graph holds for all values.\n  Fix: write the choice with torch.where, "
                "or compute the number outside."
            )


def _writes(func: Any) -> bool:
    name = func.overloadpacket.__name__
    return name.endswith("_") and not name.endswith("__")


def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The innermost `make_fx` that is running.

    >>> get_proxy_mode() is None
    True
    """
    found = [m for m in STATE.dispatch_modes if isinstance(m, ProxyTorchDispatchMode)]
    return found[-1] if found else None


get_innermost_proxy_mode = get_proxy_mode


@contextlib.contextmanager
def disable_proxy_modes_tracing() -> Iterator[Any]:
    """A block that leaves no nodes."""
    from ...utils._python_dispatch import _disable_current_modes

    with _disable_current_modes() as modes:
        yield next((m for m in modes if isinstance(m, ProxyTorchDispatchMode)), None)


@contextlib.contextmanager
def decompose(table: dict[Any, Any] | None) -> Iterator[dict[Any, Any] | None]:
    """A block of decompositions: `make_fx(decomposition_table=...)` takes them here."""
    yield table


# ---- tracing -------------------------------------------------------------------------------------


def _names(f: Any, count: int) -> list[str]:
    """What the inputs are called: as the parameters of a plain function, or by number."""
    numbered = [f"arg{k}_1" for k in range(count)]
    target = f
    if isinstance(f, functools.partial) or not inspect.isfunction(target):
        return numbered
    target = inspect.unwrap(f)
    if not inspect.isfunction(target):
        return numbered
    code = target.__code__
    if code.co_flags & inspect.CO_VARARGS or code.co_argcount < count:
        return numbered
    return [f"{name}_1" for name in code.co_varnames[:count]]


def make_fx(
    f: Callable[..., Any],
    decomposition_table: dict[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
    proxy_module_inputs: bool = False,
) -> Callable[..., GraphModule]:
    """A function that runs `f` on its arguments and returns the graph of its operators.

    `decomposition_table` puts operators together of others: {operator: function}. All tracing modes
    run the program on the given values here; shapes in the graph are those of this run.
    """
    if tracing_mode not in _MODES:
        raise ValueError(f"Unexpected tracing type: {tracing_mode}; it is one of {_MODES}")

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        tracer = PythonKeyTracer()
        mode = ProxyTorchDispatchMode(tracer, tracing_mode, pre_dispatch, decomposition_table)
        _make_placeholders(mode, f, args)
        with mode:
            made = f(*args)
        result = tree_map(lambda t: _as_output(mode, t), made)
        flat, spec = tree_flatten(made)
        if _is_nested(made):
            flat = [_as_output(mode, t) for t in flat]
            tracer.create_node("output", "output", (tracer.create_arg(flat),), {}, None)
            _nest(tracer.graph, args, spec)
        else:
            tracer.create_node("output", "output", (tracer.create_arg(result),), {}, None)
        name = getattr(f, "__name__", type(f).__name__)
        return GraphModule(tracer.root, tracer.graph, name)

    return wrapped


def _is_nested(made: Any) -> bool:
    """Whether a result has containers that a graph does not hold as they are."""
    if isinstance(made, list | tuple) and type(made) in (list, tuple):
        return any(map(_is_nested, made))
    if isinstance(made, dict) and type(made) is dict:
        return any(map(_is_nested, made.values())) or not all(isinstance(k, str) for k in made)
    return isinstance(made, dict | tuple | list)


def _make_placeholders(mode: ProxyTorchDispatchMode, f: Any, args: tuple[Any, ...]) -> None:
    flat = tree_leaves(args)
    direct = len(flat) == len(args) and all(a is b for a, b in zip(flat, args, strict=True))
    names = _names(f, len(args)) if direct else [f"arg{k}_1" for k in range(len(flat))]
    for name, value in zip(names, flat, strict=True):
        proxy = mode.tracer.create_proxy("placeholder", name, (), {})
        if isinstance(value, Tensor):
            mode.track(value, proxy)
    if not direct:
        own = _names(f, len(args))
        info = _PyTreeInfo(
            [n.removesuffix("_1") for n in own], tree_flatten((list(args), {}))[1], None
        )
        mode.tracer.graph._codegen = _PyTreeCodeGen(info)


def _nest(graph: Graph, args: tuple[Any, ...], spec: Any) -> None:
    """Let the graph's function return the containers of the program."""
    known = graph._codegen
    if isinstance(known, _PyTreeCodeGen):
        info = known.pytree_info._replace(out_spec=spec)
    else:
        names = [n.target for n in graph.nodes if n.op == "placeholder"]
        info = _PyTreeInfo(names, tree_flatten((list(args), {}))[1], spec)
    graph._codegen = _PyTreeCodeGen(info)


def _as_output(mode: ProxyTorchDispatchMode, t: Any) -> Any:
    return mode.proxy_of(t)


def dispatch_trace(
    root: Any, tracer: Tracer, concrete_args: tuple[Any, ...] | None = None
) -> GraphModule:
    """The graph that a tracer makes of a function."""
    graph = tracer.trace(root, concrete_args)  # type: ignore[arg-type]
    return GraphModule(tracer.root, graph, getattr(root, "__name__", "GraphModule"))


def is_sym_node(node: Any) -> bool:
    """Whether a node stands for a number that depends on shapes: none does here."""
    return False


def maybe_disable_fake_tensor_mode() -> Any:
    """A block without fake tensors: tracing makes none."""
    return contextlib.nullcontext()


__all__ = [
    "Node", "ProxyTorchDispatchMode", "PythonKeyTracer", "decompose",
    "disable_proxy_modes_tracing", "dispatch_trace", "get_innermost_proxy_mode", "get_proxy_mode",
    "is_sym_node", "make_fx", "maybe_disable_fake_tensor_mode",
]  # fmt: skip

__getattr__ = _rest_of(__name__)
