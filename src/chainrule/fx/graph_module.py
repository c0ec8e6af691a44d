"""`GraphModule`: a module whose forward is generated from a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..autograd.source import warn_user
from ..nn import Module
from ..tensor import Parameter, Tensor
from ._to_folder import write
from .codegen import PythonCode, _PyTreeCodeGen, import_block
from .graph import Graph
from .namespace import custom_builtins
from .tracer import Tracer

_counter = itertools.count()
_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")

# Where `meta` of a module keeps what its user wants to be kept.
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


def _exec_with_source(src: str, space: dict[str, Any]) -> None:
    """Run generated source, known to `linecache` so that tracebacks show its lines."""
    key = f"<eval_with_key>.{next(_counter)}"
    linecache.cache[key] = (len(src), None, src.splitlines(keepends=True), key)
    exec(compile(src, key, "exec"), space)


def _method_from_src(method_name: str, src: str, globals: dict[str, Any]) -> Callable[..., Any]:  # noqa: A002
    space = dict(globals)
    _exec_with_source(src, space)
    found = space[method_name]
    del space[method_name]
    return found


def _forward_from_src(src: str, globals: dict[str, Any]) -> Callable[..., Any]:  # noqa: A002
    return _method_from_src("forward", src, globals)


def _holder_of(module: Any, path: str, create: bool = False) -> tuple[Any, str]:
    """The module that has the last part of a path; with `create`, made on the way."""
    *parts, last = path.split(".")
    for part in parts:
        inner = getattr(module, part, None)
        if inner is None and create:
            inner = Module()
            setattr(module, part, inner)
        module = inner
    return module, last


def _copy_attr(from_module: Any, to_module: Any, target: str) -> None:
    source: Any = from_module
    *parts, last = target.split(".")
    for part in parts:
        if getattr(source, part, None) is None:
            return
        source = getattr(source, part)
    if hasattr(source, last):
        _assign_attr(getattr(source, last), to_module, target, part_of=source)


def _assign_attr(from_obj: Any, to_module: Any, target: str, part_of: Any = None) -> None:
    holder, last = _holder_of(to_module, target, create=True)
    if holder is part_of:  # the module itself was copied already, with all that it has
        return
    if isinstance(from_obj, Tensor) and not isinstance(from_obj, Parameter):
        stays = part_of is None or last not in getattr(part_of, "_non_persistent_buffers_set", ())
        holder.register_buffer(last, from_obj, persistent=stays)
    else:
        setattr(holder, last, from_obj)


class GraphModule(Module):
    """A module made of a graph and of the parts of `root` that the graph uses.

    `code` is the generated source; after changes of `graph` call `recompile()`.

    >>> import chainrule as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> for node in gm.graph.nodes:
    ...     if node.target is torch.relu:
    ...         node.target = torch.neg
    >>> _ = gm.recompile()
    >>> print(gm.code.strip())
    def forward(self, x):
        relu = torch.neg(x);  x = None
        add = relu + 1;  relu = None
        return add
    >>> gm(torch.tensor(2.0))
    tensor(-1.)
    """

    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # Each has a class of its own: its forward is generated.
        for base in cls.__mro__:
            if base.__qualname__ not in ("GraphModule", "GraphModuleImpl"):
                break
            if base is GraphModule or base.__qualname__ == "GraphModuleImpl":
                cls = cls if base is GraphModule else base.__bases__[0]
                break
        made = type("GraphModuleImpl", (cls,), {"__module__": __name__})
        return super().__new__(made)

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, Module):
            self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._take(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        for name in _HOOKS:
            self.__dict__[name] = []
        self.__dict__["meta"] = dict(getattr(root, "meta", {}) or {})
        self._tracer_cls = None
        if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__:
            self._tracer_cls = graph._tracer_cls
        self.graph = graph

    def _take(self, root: dict[str, Any], graph: Graph) -> None:
        wanted = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not "
                        "provided in ``root``!"
                    )
                wanted.append(node.target)
        for target in sorted(wanted, key=lambda t: t.count(".")):
            _assign_attr(root[target], self, target)

    # ---- graph and code -------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph; assigning another recompiles."""
        return self.__dict__["_graph"]

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of `forward`."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Generate the code anew from the graph."""
        graph = self.graph
        if isinstance(graph._codegen, _PyTreeCodeGen):
            info = graph._codegen.pytree_info
            self.__dict__["_in_spec"], self.__dict__["_out_spec"] = info.in_spec, info.out_spec
        made = graph.python_code(root_module="self")
        self.__dict__["_code"] = made.src
        type(self).forward = _forward_from_src(made.src, made.globals)
        return made

    def _recompile_submodules(self) -> list[tuple[str, PythonCode]]:
        return [
            (name, m.recompile()) for name, m in self.named_modules() if isinstance(m, GraphModule)
        ]

    # ---- parts ----------------------------------------------------------------------------------

    def add_submodule(self, target: str, m: Any) -> bool:
        """Put a module at a path, whose missing parts are made; False if something is in the way.

        >>> import chainrule as torch
        >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
        >>> gm.add_submodule("extra.linear", torch.nn.Linear(1, 1))
        True
        """
        *parts, last = target.split(".")
        holder: Any = self
        for part in parts:
            inner = getattr(holder, part, None)
            if inner is None:
                inner = Module()
                setattr(holder, part, inner)
            if not isinstance(inner, Module):
                return False
            holder = inner
        holder.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at a path; False if there is none."""
        *parts, last = target.split(".")
        holder: Any = self
        for part in parts:
            holder = getattr(holder, part, None)
            if not isinstance(holder, Module):
                return False
        if not isinstance(getattr(holder, last, None), Module):
            return False
        delattr(holder, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node of the graph uses."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[: k + 1]) for k in range(len(parts)))
                if node.op == "call_module":
                    try:
                        inner = self.get_submodule(node.target)
                    except AttributeError:
                        continue
                    used.update(f"{node.target}.{name}" for name, _ in inner.named_modules())
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # ---- text and files -------------------------------------------------------------------------

    def __str__(self) -> str:
        hint = "\n# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__repr__(), self._code, hint])

    def print_readable(
        self, print_output: bool = True, include_stride: bool = False,
        include_device: bool = False, colored: bool = False, **options: Any,
    ) -> str:  # fmt: skip
        """The generated code as a class, with shapes and places where they are known."""
        text = _readable(self, self._get_name(), include_stride, include_device)
        if print_output:
            print(text)
        return text

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the module as a Python package that does not need its class."""
        write(self, Path(folder), module_name)

    # ---- copies ---------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        own = {k: v for k, v in self.__dict__.items() if k not in ("_graph", *_HOOKS)}
        parts = _CodeOnlyModule(copy.deepcopy(own, memo))
        GraphModule.__init__(made, parts, copy.deepcopy(self.graph), type(self).__name__)
        for name, value in parts.__dict__.items():
            if name not in made.__dict__ or name in ("meta", "_state_dict_hooks"):
                made.__dict__[name] = value
        for holder in ("_parameters", "_buffers", "_modules"):
            for name, value in parts.__dict__[holder].items():
                made.__dict__[holder].setdefault(name, value)
        for hook in self.__dict__["_deepcopy_hooks"]:
            hook(made)
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = self.meta
        return made

    def __reduce__(self) -> Any:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_graph", *_HOOKS)}
        code = self.graph.python_code(root_module="self")
        imports = import_block(code.globals)
        body = {**state, "_graphmodule_cls_name": type(self).__name__}
        return reduce_graph_module, (body, imports)

    def _replicate_for_data_parallel(self) -> GraphModule:
        return self.__copy__()

    # ---- hooks ----------------------------------------------------------------------------------

    @contextmanager
    def _set_replace_hook(self, f: Callable[..., Any]) -> Iterator[None]:
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)

    def _register_replace_node_hook(self, f: Callable[..., Any]) -> None:
        self._replace_hooks.append(f)

    def _unregister_replace_node_hook(self, f: Callable[..., Any]) -> None:
        self._replace_hooks.remove(f)

    def _register_create_node_hook(self, f: Callable[..., Any]) -> None:
        self._create_node_hooks.append(f)

    def _unregister_create_node_hook(self, f: Callable[..., Any]) -> None:
        self._create_node_hooks.remove(f)

    def _register_erase_node_hook(self, f: Callable[..., Any]) -> None:
        self._erase_node_hooks.append(f)

    def _unregister_erase_node_hook(self, f: Callable[..., Any]) -> None:
        self._erase_node_hooks.remove(f)

    def _register_deepcopy_hook(self, f: Callable[..., Any]) -> None:
        self._deepcopy_hooks.append(f)

    def _unregister_deepcopy_hook(self, f: Callable[..., Any]) -> None:
        self._deepcopy_hooks.remove(f)


def _readable(module: GraphModule, name: str, stride: bool, device: bool) -> str:
    code = module.graph.python_code(
        root_module="self", verbose=True, include_stride=stride, include_device=device
    ).src
    lines = [f"    {line}" if line.strip() else "" for line in code.strip("\n").split("\n")]
    text = f"class {name}(torch.nn.Module):\n" + "\n".join(lines).rstrip() + "\n"
    for child_name, child in module.named_children():
        if isinstance(child, GraphModule):
            inner = _readable(child, child_name, stride, device)
            text += "\n" + "\n".join(f"    {s}" if s else "" for s in inner.split("\n"))
    return text


class _CodeOnlyModule(Module):
    """The parts of a module, to make another of them."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


# ---- pickles -------------------------------------------------------------------------------------


def reduce_graph_module(body: dict[str, Any], import_block: str) -> Any:
    """Rebuild a GraphModule: its code is run, and traced again for the graph."""
    known = custom_builtins()
    by_line = {entry.import_str: (name, entry.obj) for name, entry in known.items()}
    space: dict[str, Any] = {name: entry.obj for name, entry in known.items()}
    rest = [line for line in import_block.split("\n") if line not in by_line]
    _exec_with_source("\n".join(rest), space)
    forward = _forward_from_src(body["_code"], space)
    return _deserialize_graph_module(forward, dict(body))


def _deserialize_graph_module(forward: Any, body: dict[str, Any]) -> Any:
    class KeepModules(Tracer):
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            return True

    name = body.pop("_graphmodule_cls_name", "GraphModule")
    own_class = type("_Rebuilt", (_CodeOnlyModule,), {"forward": forward})
    parts = own_class(body)
    graph = KeepModules().trace(parts)
    graph._tracer_cls = body.get("_tracer_cls")
    if "_in_spec" in body:
        warn_user("the form of nested arguments is not kept by pickles")
    made = GraphModule(parts, graph, name)
    for key, value in body.items():
        if key not in made.__dict__ or key in ("meta", "training"):
            made.__dict__[key] = value
    return made


def reduce_package_graph_module(importer: Any, body: Any, generated_module_name: str) -> Any:
    """Always an error: there are no packages of torch.package here."""
    raise NotImplementedError(
        "torch.package is not written here; see torch.package.PackageExporter for what to use"
    )


def _get_attr(model: Any, attr_name: str) -> Any:
    for part in attr_name.split("."):
        model = getattr(model, part)
    return model


def _has_attr(model: Any, attr_name: str) -> bool:
    try:
        _get_attr(model, attr_name)
    except AttributeError:
        return False
    return True


def _del_attr(model: Any, attr_name: str) -> None:
    holder, last = _holder_of(model, attr_name)
    delattr(holder, last)


__all__ = ["GraphModule", "reduce_graph_module", "reduce_package_graph_module"]
