"""`Graph`: nodes in the order in which they run."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

from ..autograd.accidents import explain_module
from ..autograd.printable import printable
from ..autograd.source import warn_user
from .codegen import (
    CodeGen,
    PythonCode,
    _BoxedCodeGen,
    _format_target,
    _PyTreeCodeGen,
    _PyTreeInfo,
    dtype_abbrs,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,
)
from .function_names import qualified_name, short_name
from .namespace import _CustomBuiltin, _Namespace, _register_custom_builtin, custom_builtins
from .namespace import snake_case as _snake_case
from .node import _OPS, Node, map_arg

_MISSING = object()


def _is_magic(x: str) -> bool:
    return x.startswith("__") and x.endswith("__")


class _node_list:
    """The nodes of a graph, to be walked either way while it changes."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root, direction = self.graph._root, self.direction
        node = getattr(root, direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_next" if self.direction == "_prev" else "_prev")


class _InsertPoint:
    """Where new nodes go; inside `with`, the place before is restored at its end."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.before, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: Any) -> None:
        self.graph._insert = self.before


class Graph:
    """A program as nodes.

    >>> import chainrule as torch
    >>> g = torch.fx.Graph()
    >>> x = g.placeholder("x")
    >>> _ = g.output(g.call_function(torch.relu, (x,)))
    >>> print(g)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(
        self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None
    ) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._graph_namespace = _Namespace()
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen: CodeGen = CodeGen()
        self._co_fields: dict[str, Any] = {}

    @property
    def owning_module(self) -> Any:
        """The GraphModule it belongs to, if any."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> Any:
        """The nodes in order; `reversed(graph.nodes)` the other way round."""
        return _node_list(self)

    def output_node(self) -> Node:
        """The node that says what is returned."""
        found = next(iter(reversed(self.nodes)))
        if found.op != "output":
            raise AssertionError(f"the last node is {found.op!r}, not an output")
        return found

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, and of a target for calls."""
        if op in ("call_method", "call_function") and target is None:
            raise AssertionError(f"target must not be None for op {op}")
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    # ---- making nodes ---------------------------------------------------------------------------

    def _target_to_str(self, target: Any) -> str:
        if callable(target):
            return _snake_case(short_name(target))
        name = target[2:-2] if _is_magic(target) else target
        return _snake_case(name)

    def create_node(
        self, op: str, target: Any, args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None, name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """A new node at the place where nodes are inserted now."""
        if op not in _OPS[:-1]:
            raise AssertionError(f"unknown op {op!r}; one of {_OPS[:-1]}")
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError("args must be a tuple, and kwargs must be a dict")
        candidate = name if name is not None else self._target_to_str(target)
        found = self._graph_namespace.create_name(candidate, None)
        node = Node(self, found, op, target, args, kwargs, type_expr)
        self._graph_namespace.associate_name_with_obj(found, node)
        self._insert(node)
        self._len += 1
        for hook in getattr(self._owning_module, "_create_node_hooks", ()):
            hook(node)
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = _MISSING) -> Node:
        """A node for an input of the function."""
        args = () if default_value is _MISSING else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A node for a parameter, buffer or other attribute of the module."""
        owner = self._owning_module
        if owner is not None and not _has_path(owner, qualified_name):
            warn_user(
                "Attempted to insert a get_attr Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                "GraphModule.add_parameter to add the necessary Parameter, or "
                "nn.Module.register_buffer to add the necessary buffer",
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None
    ) -> Node:
        """A node that calls a submodule."""
        owner = self._owning_module
        if owner is not None and not _has_path(owner, module_name):
            warn_user(
                "Attempted to insert a call_module Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule",
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None
    ) -> Node:
        """A node that calls a method of its first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: Any = None, kwargs: Any = None,
        type_expr: Any = None, name: str | None = None,
    ) -> Node:  # fmt: skip
        """A node that calls a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """The node that says what is returned."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    # ---- changing -------------------------------------------------------------------------------

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Insert new nodes before `n` (at the beginning without it), as a `with` block or for good.

        >>> g = Graph()
        >>> x = g.placeholder("x")
        >>> with g.inserting_before(x):
        ...     y = g.placeholder("y")
        >>> [node.name for node in g.nodes]
        ['y', 'x']
        """
        if n is None:
            return self.inserting_after(self._root)
        self._own(n, "inserting_before")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Insert new nodes after `n` (at the end without it)."""
        if n is None:
            return self.inserting_before(self._root)
        self._own(n, "inserting_after")
        last = [n]

        def insert(node: Node) -> None:
            last[0].append(node)
            last[0] = node

        return _InsertPoint(self, insert)

    def _own(self, n: Node, what: str) -> None:
        if n.graph is not self:
            raise AssertionError(f"{what}: Node to insert at is not in graph.")

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in "
                f"the graph: {to_erase.users}!\n  Fix: give them something else first, with "
                f"node.replace_all_uses_with(other)."
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warn_user(f"erase_node({to_erase}) on an already erased node")
            return
        for hook in getattr(self._owning_module, "_erase_node_hooks", ()):
            hook(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs((), {})

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """A copy of a node of another graph, its arguments passed through `arg_transform`."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Any], return_output_node: bool = False
    ) -> Any:
        """Copy the nodes of another graph here; returns what it returned, `val_map` filled."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: Any = None) -> Graph:
        made = Graph(tracer_cls=self._tracer_cls)
        found = made.graph_copy(self, {}, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            value, old = found
            new = made.output(value, type_expr=old.type)
            new.meta = copy.copy(old.meta)
        return made

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove what nobody uses and what has no effect; whether there was some."""
        self.lint()
        impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not impure(node):
                self.erase_node(node)
                changed = True
        owner = self._owning_module
        for child in owner.children() if owner is not None else ():
            inner = getattr(child, "graph", None)
            if isinstance(inner, Graph):
                changed |= inner.eliminate_dead_code(is_impure_node)
        return changed

    # ---- code and text --------------------------------------------------------------------------

    def python_code(self, root_module: str, *, verbose: bool = False, **options: Any) -> PythonCode:
        """The graph as source of a function, and the objects that its names stand for."""
        namespace = _Namespace()
        with _named_nodes(self, namespace):
            return self._codegen._gen_python_code(
                self.nodes, root_module, namespace, verbose=verbose, **options
            )

    def set_codegen(self, codegen: CodeGen) -> None:
        """Write code with another generator."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Any]) -> Any:
        """Pass the lines of generated code through a function, for good or in a `with` block."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def block() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return block()

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders for the arguments of a call."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The result of a call for the value of the output node."""
        return self._codegen.process_outputs(out)

    def __str__(self) -> str:
        returns = [""]
        lines = [n.format_node(None, returns) for n in self.nodes]
        return printable("\n    ".join([f"graph():{returns[0]}", *(s for s in lines if s)]))

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        from ._table import print_nodes

        print_nodes(self)

    def lint(self) -> None:
        """Raise where the graph is not well-formed: names, order, targets."""
        from ._lint import check

        check(self)

    def _clear_nodes(self) -> None:
        for node in reversed(self.nodes):
            node.users.clear()
            self.erase_node(node)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a torch.fx.Graph is pickled with its GraphModule, as the code it stands for\n"
            "  Fix: pickle torch.fx.GraphModule(root, graph)."
        )


def _has_path(owner: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


@contextlib.contextmanager
def _named_nodes(graph: Graph, namespace: _Namespace) -> Iterator[None]:
    """While code is written, nodes have names that none of its other names hides."""
    before: dict[Node, Any] = {}

    def shown(n: Node) -> str:
        return namespace.create_name(n.name, n)

    for node in graph.nodes:
        before[node], node._repr_fn = node._repr_fn, shown
    try:
        yield
    finally:
        for node, own in before.items():
            node._repr_fn = own


explain_module(globals(), "Graph")

__all__ = [
    "CodeGen", "Graph", "PythonCode", "_BoxedCodeGen", "_CustomBuiltin", "_Namespace",
    "_PyTreeCodeGen", "_PyTreeInfo", "_format_target", "_is_magic", "_register_custom_builtin",
    "_snake_case", "custom_builtins", "dtype_abbrs", "inplace_methods", "magic_methods",
    "qualified_name", "reflectable_magic_methods",
]  # fmt: skip
