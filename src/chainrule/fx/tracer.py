"""`Tracer`: runs a program on proxies and keeps what it did."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from ..autograd import source
from ..autograd.source import warn_user
from ..nn import Module, Sequential
from ..tensor import Parameter, Tensor
from .codegen import _PyTreeCodeGen, _PyTreeInfo
from .function_names import own_name
from .graph import Graph
from .node import Node, base_types
from .patching import Patcher
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from .wrapped import (
    TRACING,
    _create_wrapped_func,
    _create_wrapped_method,
    _proxyable_classes,
    _wrapped_fns_to_patch,
    _wrapped_methods_to_patch,
    builtin,
    intercept,
    wrap_functions,
)

_lock = threading.RLock()  # a trace replaces functions of the whole process: one at a time


class PHBase:
    """A mark in `concrete_args`: this leaf stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A mark that carries attributes to the node."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


def _assert_is_none(value: Any, msg: str) -> None:
    if isinstance(value, Proxy):  # generated code that is traced again
        value.tracer.create_proxy("call_function", _assert_is_none, (value, msg), {})
        return
    assert value is None, msg


_assert_is_none.__module__ = f"{__package__}._symbolic_trace"  # its name in generated code


class Tracer(TracerBase):
    """Makes a graph of a module or function.

    Subclasses say which modules stay single nodes (`is_leaf_module`), or what is done when one is
    called.
    """

    def __init__(
        self, autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        named = [f for m in autowrap_modules for n, f in m.__dict__.items() if n[0] != "_"]
        functions = [f for f in named if callable(f)]
        self._autowrap_function_ids = {id(f) for f in [*functions, *autowrap_functions]}
        self._autowrap_search: list[ModuleType] = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Any, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self._constants = 0
        self._is_ours = False

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root does not have yet: prefix0, prefix1, ..."""
        while True:
            name = f"{prefix}{self._constants if prefix == '_tensor_constant' else 0}"
            self._constants += 1
            if not hasattr(self.root, name):
                return name

    def create_arg(self, a: Any) -> Any:
        """A value as argument of a node: parameters and buffers become reads of attributes."""
        if isinstance(a, Parameter):
            return self._member(a, self.root.named_parameters(), "parameter")
        if isinstance(a, Tensor):
            for name, held in self.root.named_buffers():
                if held is a:
                    return self.create_node("get_attr", name, (), {})
            return self.create_node("get_attr", self._constant(a), (), {})
        if isinstance(a, Module):
            return self._member(a, self.root.named_modules(), "module")
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            parts = tuple(self.create_arg(part) for part in a)
            return self.create_node("call_function", a.__class__, parts, {})
        if type(a) in _proxyable_classes:
            return self._object(a)
        return super().create_arg(a)

    def _member(self, a: Any, named: Any, what: str) -> Node:
        for name, held in named:
            if held is a:
                return self.create_node("get_attr", name, (), {})
        raise NameError(f"{what} is not a member of this module")

    def _constant(self, a: Any) -> str:
        """The attribute of the root that holds a tensor of the program."""
        for held, name in self.tensor_attrs:
            if held is a:
                return name
        name = self.get_fresh_qualname("_tensor_constant")
        self.tensor_attrs.append((a, name))
        setattr(self.root, name, a)
        return name

    def _object(self, a: Any) -> Node:
        name = self.get_fresh_qualname(f"_{a.__class__.__name__}_constant_")
        setattr(self.root, name, a)
        return self.create_node("get_attr", name, (), {})

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a module stays one node: those of `torch.nn` do, but for Sequential."""
        own = any(source.is_own_name(m.__module__, folder) for folder in ("nn", "ao.nn"))
        return own and not isinstance(m, Sequential)

    def path_of_module(self, mod: Any) -> str:
        """Where a module is in the root."""
        if self.submodule_paths is not None:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, held in self.root.named_modules():
            if held is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        """What happens when a module is called: one node for a leaf, otherwise its own nodes."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            count = self.num_calls.get(path, 0)
            self.num_calls[path] = count + 1
            key = f"{path}@{count}" if count else path
            self.module_stack[key] = (path, scope.module_type)
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What reading an attribute of a module gives: a proxy for a parameter of the root."""
        if isinstance(attr_val, Parameter):
            found = self._read(attr_val, self.root.named_parameters(), parameter_proxy_cache)
            return attr_val if found is None else found
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            found = self._read(attr_val, self.root.named_buffers(), parameter_proxy_cache)
            return attr_val if found is None else found
        return attr_val

    def _read(self, value: Any, named: Any, cache: dict[str, Any]) -> Any:
        for name, held in named:
            if held is value:
                if name not in cache:
                    made = None
                    if self.param_shapes_constant:
                        made = lambda node, n=name: ParameterProxy(self, node, n, value)  # noqa: E731
                    cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=made)
                return cache[name]
        return None

    # ---- the root's arguments -------------------------------------------------------------------

    def create_args_for_root(
        self, root_fn: Any, is_module: bool, concrete_args: Any = None
    ) -> tuple[Any, list[Any]]:
        """Proxies for the arguments of the root, and the function to call with them."""
        shown = inspect.unwrap(root_fn)
        code = shown.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        more = iter(code.co_varnames[count:])
        args: list[Any] = []
        if is_module:
            if not names:
                raise RuntimeError("`self` argument cannot be part of *args expansion!")
            args.append(self.root)
            names = names[1:]
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} "
                    "concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        signature = inspect.signature(shown)
        args += [self._proxy_placeholder(n, concrete_args, signature) for n in names]
        if concrete_args is None and code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            if code.co_flags & inspect.CO_VARARGS:
                args.append(self._proxy_placeholder(f"*{next(more)}", None, signature))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(self._proxy_placeholder(f"**{next(more)}", None, signature))
            return _with_plain_parameters(shown, len(args)), args
        keywords = shown.__code__.co_kwonlyargcount
        return self._taken_apart(_by_position(root_fn, keywords, names), args, names, is_module)

    def _taken_apart(self, fn: Any, args: list[Any], names: list[str], is_module: bool) -> Any:
        """For nested concrete arguments: a function of their leaves."""
        from ..utils._pytree import tree_flatten, tree_unflatten

        own, given = (args[:1], args[1:]) if is_module else ([], args)
        if not any(isinstance(a, tuple | list | dict) for a in given):
            return fn, args
        leaves, form = tree_flatten((list(given), {}))
        kept = ["self", *names] if is_module else list(names)
        codegen = _PyTreeCodeGen(_PyTreeInfo(kept, form, None))
        self.graph._codegen = codegen

        def of_leaves(*flat: Any) -> Any:
            tree, _ = tree_unflatten(list(flat[len(own) :]), form)
            found, out_form = tree_flatten(fn(*own, *tree))
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_form)
            return found

        return of_leaves, [*own, *leaves]

    def _proxy_placeholder(self, name: str, concrete_args: Any, signature: Any) -> Any:
        parameter = signature.parameters.get(name.lstrip("*"))
        default: tuple[Any, ...] = ()
        kind = None
        if parameter is not None and name[0] != "*":
            default = () if parameter.default is parameter.empty else (parameter.default,)
            kind = None if parameter.annotation is parameter.empty else parameter.annotation
            if isinstance(kind, str) and self._is_ours:
                kind = None
        if concrete_args is not None and name in concrete_args:
            return self._specialised(name, concrete_args[name], default)
        return self.create_proxy("placeholder", name, default, {}, type_expr=kind)

    def _specialised(self, name: str, value: Any, default: tuple[Any, ...]) -> Any:
        """A concrete argument: its marks become inputs, its values are checked when it runs."""
        from ..utils._pytree import tree_map

        count = 0

        def leaf(x: Any) -> Any:
            nonlocal count
            count += 1
            made = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            if isinstance(x, PHBase):
                if x is not PH:
                    made.node.__dict__.update(x.__dict__)
                return made
            text = f"{name} has been specialized to have value {x} but got another value"
            if x is None:
                self.create_proxy("call_function", _assert_is_none, (made, text), {})
            elif isinstance(x, base_types) and not isinstance(x, Tensor):
                self.create_proxy("call_function", _checked(), (made == x, text), {})
            else:
                warn_user(
                    f"Was not able to add assertion to guarantee correct input {name} to "
                    "specialized function. It is up to the user to make sure that your inputs "
                    "match the inputs you specialized the function with.",
                )
            return x

        return tree_map(leaf, value)

    # ---- tracing --------------------------------------------------------------------------------

    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        """The graph of a module's forward, or of a function."""
        if isinstance(root, Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            fn: Any = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {m: name for name, m in root.named_modules()}
        else:
            self.root = Module()
            fn = root
        self.graph = Graph(tracer_cls=self.__class__)
        self.tensor_attrs: list[tuple[Any, str]] = []
        _collect_tensors(self.root, [], self.tensor_attrs)
        if not isinstance(fn, FunctionType):
            raise AssertionError(f"a Python function can be traced, not {type(fn).__name__}: {fn}")
        space = fn.__globals__
        self._is_ours = source.is_own_name(fn.__module__)
        own_name(None)  # the names of our functions are looked up before these are replaced
        called, args = self.create_args_for_root(fn, isinstance(root, Module), concrete_args)
        TRACING.depth += 1
        try:
            with _lock, self._watching(space):
                result = self.create_arg(called(*args))
        finally:
            TRACING.depth -= 1
            self.submodule_paths = None
        returned = None if self._is_ours else fn.__annotations__.get("return")
        self.create_node("output", "output", (result,), {}, type_expr=returned)
        return self.graph

    @contextlib.contextmanager
    def _watching(self, space: dict[str, Any]) -> Iterator[Patcher]:
        """Inside, calls of modules and wrapped functions, and reads of members, come to us."""
        cache: dict[str, Any] = {}
        read, call = Module.__getattr__, Module.__call__
        mine = threading.get_ident()

        def module_getattr(mod: Any, attr: str) -> Any:
            found = read(mod, attr)
            return self.getattr(attr, found, cache) if threading.get_ident() == mine else found

        @functools.wraps(call)
        def module_call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != mine:  # another thread has nothing to do with the trace
                return call(mod, *args, **kwargs)

            def forward(*args: Any, **kwargs: Any) -> Any:
                return call(mod, *args, **kwargs)

            wrap_functions(patcher, mod.forward.__globals__ if hasattr(mod.forward, "__globals__")
                            else {}, self._autowrap_function_ids)  # fmt: skip
            return self.call_module(mod, forward, args, kwargs)

        with Patcher() as patcher:
            patcher.attribute(Module, "__getattr__", module_getattr)
            patcher.attribute(Module, "__call__", module_call)
            for (_, name), names in list(_wrapped_fns_to_patch.items()):
                found = names.get(name, builtin(name))
                if found is not None:
                    patcher.item(names, name, _create_wrapped_func(found))
            for cls, name in _wrapped_methods_to_patch:
                patcher.attribute(cls, name, _create_wrapped_method(cls, name))
            intercept(patcher)
            wrap_functions(patcher, space, self._autowrap_function_ids)
            for module in self._autowrap_search:
                wrap_functions(patcher, module.__dict__, self._autowrap_function_ids)
            yield patcher


def _checked() -> Callable[..., Any]:
    from ..tensor.assertions import _assert

    return _assert


def _collect_tensors(m: Any, path: list[str], found: list[tuple[Any, str]]) -> None:
    for name, value in m.__dict__.items():
        if isinstance(value, Tensor):
            found.append((value, ".".join([*path, name])))
    for name, child in m.named_children():
        _collect_tensors(child, [*path, name], found)


def _with_plain_parameters(fn: Any, count: int) -> Any:
    """The function with `*args` and `**kwargs` as ordinary parameters, which get proxies."""
    code = fn.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    made = code.replace(
        co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0
    )
    return FunctionType(made, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _by_position(fn: Any, keywords: int, names: list[str]) -> Any:
    """The function with its keyword-only parameters behind the others."""
    if not keywords:
        return fn
    own = names[-keywords:]

    @functools.wraps(fn)
    def call(*args: Any) -> Any:
        return fn(*args[:-keywords], **dict(zip(own, args[-keywords:], strict=True)))

    return call
