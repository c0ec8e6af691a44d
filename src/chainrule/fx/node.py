"""`Node`: one operation of a graph, with its arguments and the nodes that use it."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from ..autograd.accidents import explain_module
from .function_names import public_module, qualified_name
from .immutable_collections import immutable_dict, immutable_list

base_types: tuple[Any, ...] = (str, int, float, bool, complex, type(None), type(Ellipsis))
Argument = Any
Target = Callable[..., Any] | str
_OPS = (
    "placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root",
)  # fmt: skip
_side_effectful_functions: set[Callable[..., Any]] = set()
_random_functions: set[str] = {
    "torch.rand", "torch.randn", "torch.randint", "torch.randperm", "torch.bernoulli",
    "torch.rand_like", "torch.randn_like", "torch.randint_like", "torch.multinomial",
    "torch.normal", "torch.poisson", "torch.nn.functional.dropout", "torch.dropout",
}  # fmt: skip
_impure_names = frozenset(
    {"torch._assert", "torch._assert_async", "torch._check", "torch.manual_seed", "torch.seed",
     "torch.fx._symbolic_trace._assert_is_none"}
)  # fmt: skip


def has_side_effect(fn: Any) -> Any:
    """Mark a function as doing more than its result shows: it is never removed as unused."""
    _side_effectful_functions.add(fn)
    return fn


def _rebuilt(a: Any, parts: list[Any]) -> Any:
    """A container of `a`'s kind: lists become read-only, named tuples stay what they are."""
    if isinstance(a, tuple):
        made = tuple(parts)
        return type(a)(*made) if hasattr(a, "_fields") else made
    return immutable_list(parts)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """Apply a function to everything in nested tuples, lists, dicts and slices."""
    if isinstance(a, tuple | list):
        return _rebuilt(a, [map_aggregate(part, fn) for part in a])
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(part, fn)) for key, part in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(p, fn) for p in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """Apply a function to the nodes in nested arguments.

    >>> map_arg((1, [2]), lambda node: None)
    (1, [2])
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def _get_qualified_name(func: Any) -> str:
    return qualified_name(func)


def _type_repr(obj: Any) -> str:
    """An annotation as source code."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        module = public_module(obj.__module__)
        if module == "builtins":
            return obj.__qualname__
        if module.startswith("torch.tensor."):
            module = "torch"
        return f"{module}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return repr(obj).replace("chainrule.tensor.tensor.", "torch.").replace("chainrule.", "torch.")


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """An argument as graphs show it: nodes with a percent sign, texts without quotes."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, list | tuple):
        shown = [_format_arg(a) for k, a in enumerate(arg) if k < max_list_len]
        if len(arg) >= max_list_len + 1:
            shown.append(f"...[total_len={len(arg)}]")
        inside = ", ".join(shown)
        if isinstance(arg, list):
            return f"[{inside}]"
        return f"({inside},)" if len(arg) == 1 else f"({inside})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One operation.

    `op` says what kind it is: placeholder, get_attr, call_function, call_module, call_method or
    output; `target` what is called; `args` and `kwargs` hold values and other nodes; `users` the
    nodes that take this one; `meta` is for passes to write into.
    """

    def __init__(
        self, graph: Any, name: str, op: str, target: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], return_type: Any = None,
    ) -> None:  # fmt: skip
        if op not in _OPS:
            raise AssertionError(f"unknown op {op!r}; one of {_OPS}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                    f"{type(target)} but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} "
                "but a str is expected"
            )
        self.graph = graph
        self.name = name
        self.op = op
        self.target: Any = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._prev: Node = self
        self._next: Node = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._update_args_kwargs(args, kwargs)

    # ---- the place in the list ------------------------------------------------------------------

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node to the place before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Move a node to the place after this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        before, after = self._prev, self._next
        before._next, after._prev = after, before

    def _places(self) -> dict[Node, int]:
        return {node: k for k, node in enumerate(self.graph.nodes)}

    def __lt__(self, other: Node) -> bool:
        places = self._places()
        return places[self] < places[other]

    def __gt__(self, other: Node) -> bool:
        return other < self

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or other < self

    # ---- arguments and uses ---------------------------------------------------------------------

    @property
    def args(self) -> tuple[Any, ...]:
        """Positional arguments; assign a new tuple to change them."""
        return self._args

    @args.setter
    def args(self, a: tuple[Any, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """Keyword arguments; assign a new dict to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Any]) -> None:
        self._update_args_kwargs(self._args, k)

    def _update_args_kwargs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}

        def used(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args = map_arg(tuple(args), used)
        self._kwargs = map_arg(dict(kwargs), used)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replace one positional argument."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Insert a positional argument before `idx`."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replace or add one keyword argument."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *,
        propagate_meta: bool = False,
    ) -> list[Node]:  # fmt: skip
        """Let every user of this node take another instead; returns those that did."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if delete_user_cb is not None and not delete_user_cb(user):
                continue
            user.replace_input_with(self, replace_with)
            changed.append(user)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Take another node wherever this one takes `old_input`."""
        owner = getattr(self.graph, "owning_module", None)
        for hook in getattr(owner, "_replace_hooks", ()):
            hook(old=old_input, new=new_input.name, user=self)

        def swap(node: Node) -> Node:
            return new_input if node is old_input else node

        args, kwargs = map_arg(self._args, swap), map_arg(self._kwargs, swap)
        self._update_args_kwargs(args, kwargs)

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def stack_trace(self) -> str | None:
        """Where the program made it, if the tracer recorded that."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it does more than its result shows, so that it stays though nobody uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _side_effectful_functions or self.target is operator.setitem:
                return True
            schema = getattr(self.target, "_schema", None)
            if schema is not None:
                return bool(schema.is_mutable)
            name = qualified_name(self.target)
            if name in _impure_names or (impure_random and name in _random_functions):
                return True
            return name.startswith("torch.") and name.endswith("_") and not name.endswith("__")
        if self.op == "call_method":
            name = str(self.target)
            return name.endswith("_") and not name.endswith("__")
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return bool(getattr(owner.get_submodule(self.target), "_is_impure", False))
        return False

    def normalized_arguments(
        self, root: Any, arg_types: Any = None, kwarg_types: Any = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:  # fmt: skip
        """The arguments sorted by the signature of what is called; None where it is not known."""
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self._args, self._kwargs, arg_types, kwarg_types,
                normalize_to_only_use_kwargs,
            )  # fmt: skip
        if self.op == "call_module":
            return normalize_module(
                root, self.target, self._args, self._kwargs, normalize_to_only_use_kwargs
            )
        return None

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    # ---- text -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        if isinstance(target, str):
            return target
        return qualified_name(target)

    def format_node(
        self, placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None, *, include_tensor_metadata: bool = False,
    ) -> str | None:  # fmt: skip
        """One line about the node, as `print(graph)` shows it."""
        annotation = f"{_type_repr(self.type)} " if self.type else ""
        head = f"%{self.name} : {annotation}[num_users={len(self.users)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                kind = f": {_type_repr(self.type)}" if self.type else ""
                placeholder_names.append(f"{self.target}{kind}")
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{head} = placeholder[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"{head} = get_attr[target={self._pretty_print_target(self.target)}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        target = self._pretty_print_target(self.target)
        args, kwargs = _format_arg(self.args), _format_arg(self.kwargs)
        return f"{head} = {self.op}[target={target}](args = {args}, kwargs = {kwargs})"


explain_module(globals(), "Node", "map_arg")

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]
