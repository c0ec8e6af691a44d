"""Run a graph node by node, or into another graph: `Interpreter`, `Transformer`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..autograd.accidents import explain_module
from . import traceback as fx_traceback
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_aggregate, map_arg
from .proxy import Proxy
from .tracer import Tracer


class Interpreter:
    """Runs the graph of a module; a subclass changes what a kind of node does.

    >>> import chainrule as torch
    >>> class Count(torch.fx.Interpreter):
    ...     calls = 0
    ...     def call_function(self, target, args, kwargs):
    ...         self.calls += 1
    ...         return super().call_function(target, args, kwargs)
    >>> counted = Count(torch.fx.symbolic_trace(lambda x: (x + 1) * 2))
    >>> counted.run(3), counted.calls
    (8, 2)
    """

    def __init__(
        self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())
        self.user_to_last_uses = self._last_uses() if garbage_collect_values else {}

    def _last_uses(self) -> dict[Node, list[Node]]:
        seen: set[Node] = set()
        found: dict[Node, list[Node]] = {}
        for node in reversed(self.graph.nodes):
            for used in node.all_input_nodes:
                if used not in seen:
                    seen.add(used)
                    found.setdefault(node, []).append(used)
        return found

    def run(
        self, *args: Any, initial_env: dict[Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:  # fmt: skip
        """What the module returns for these arguments."""
        self.env = dict(initial_env or {})
        if enable_io_processing:
            args = tuple(self.graph.process_inputs(*args))
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as problem:
                if self.extra_traceback:
                    problem.add_note(f"While executing {node.format_node()}")
                raise
            for gone in self.user_to_last_uses.get(node, ()):
                self.env.pop(gone, None)
            if node.op == "output":
                found = self.env[node]
                return self.graph.process_outputs(found) if enable_io_processing else found
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run with the arguments of a list, which is emptied."""
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args, enable_io_processing=False)

    @contextlib.contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        name = self.name if isinstance(getattr(self, "name", None), str) else ""
        with fx_traceback.set_current_meta(node, f"Interpreter_{name}"):
            yield

    def run_node(self, n: Node) -> Any:
        """The value of one node."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    # ---- one method per kind of node ------------------------------------------------------------

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The next argument of the call."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result of a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result of a method of the first argument."""
        own, *rest = args
        return getattr(own, target)(*rest, **kwargs)

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result of a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What is returned."""
        return args[0]

    # ---- help -----------------------------------------------------------------------------------

    def fetch_attr(self, target: str) -> Any:
        """The attribute of the module at a path."""
        found = self.module
        for k, part in enumerate(target.split(".")):
            if not hasattr(found, part):
                place = ".".join(target.split(".")[: k + 1])
                raise RuntimeError(f"Node referenced nonexistent target {place}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node with the values of other nodes in place of these."""
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        return tuple(args), dict(kwargs)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Nested arguments with nodes replaced by their values."""

        def value(other: Node) -> Any:
            if other not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {other}! Run Graph.lint() to diagnose "
                    "such issues"
                )
            return self.env[other]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Runs a graph on proxies and makes a module of what they record.

    >>> import chainrule as torch
    >>> class Swap(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         target = torch.sigmoid if target is torch.relu else target
    ...         return super().call_function(target, args, kwargs)
    >>> gm = Swap(torch.fx.symbolic_trace(lambda x: torch.relu(x))).transform()
    >>> gm(torch.tensor(0.0))
    tensor(0.5000)
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            def __init__(self, graph: Graph) -> None:
                super().__init__()
                self.graph = graph
                self.tensor_attrs: list[Any] = []
                self.root = module

            def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
                return True

        self.tracer = TransformerTracer(self.new_graph)

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """A proxy of a new placeholder."""
        given = {"default_value": args[0]} if args else {}
        return Proxy(self.new_graph.placeholder(target, **given), self.tracer)

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """A proxy of the attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        """A proxy of the call."""
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """A proxy of the call."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The new module."""
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:

            def bare(a: Any) -> Any:
                return a.node if isinstance(a, Proxy) else a

            made = self.new_graph.output(map_aggregate(result, bare))
            for name, value in self.graph.output_node().meta.items():
                made.meta.setdefault(name, value)
        return GraphModule(self.module, self.new_graph)


__all__ = ["Interpreter", "Transformer"]

explain_module(globals(), "Interpreter")
