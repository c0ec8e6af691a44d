"""Python source from a graph."""

from __future__ import annotations

import builtins
import enum
import keyword
import operator
import re
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..ops.dtypes import dtype as DType
from ..tensor.device import device
from ..tensor.layouts import layout, memory_format
from .function_names import qualified_name
from .namespace import _Namespace, custom_builtins
from .node import Node, _type_repr, map_arg

TransformCodeFunc = Callable[[list[str]], list[str]]

reflectable_magic_methods = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}",
    "truediv": "{} / {}", "div": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}",
    "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
magic_methods = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}",
    "ge": "{} >= {}", "pos": "+{}", "neg": "-{}", "invert": "~{}", **reflectable_magic_methods,
}  # fmt: skip
inplace_methods = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}",
    "imod": "{} %= {}", "imul": "{} *= {}", "imatmul": "{} @= {}", "ior": "{} |= {}",
    "ipow": "{} **= {}", "irshift": "{} >>= {}", "isub": "{} -= {}", "itruediv": "{} /= {}",
    "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}  # fmt: skip
dtype_abbrs = {
    "bfloat16": "bf16", "float64": "f64", "float32": "f32", "float16": "f16", "complex32": "c32",
    "complex64": "c64", "complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32",
    "int64": "i64", "bool": "b8", "uint8": "u8", "uint16": "u16", "uint32": "u32",
    "uint64": "u64", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
}  # fmt: skip


_HOMES = {"operator": operator, "builtins": builtins}
# What `repr` of exactly these says is source that makes the same again.
_WRITTEN_OUT = frozenset(
    (float, complex, int, bool, str, bytes, DType, device, layout, memory_format)
)


@dataclass
class PythonCode:
    """Source, and the objects its names stand for."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


def _is_from_torch(obj: Any) -> bool:
    """Whether generated code can reach an object by its full name."""
    if not callable(obj) and getattr(obj, "__module__", None) is None:
        return False
    try:
        name = qualified_name(obj)
    except (AttributeError, TypeError):
        return False
    return name.startswith("torch.") and _reached(name) is obj


def _reached(path: str) -> Any:
    """What `torch.x.y` is in generated code."""
    found = custom_builtins()["torch"].obj
    for part in path.split(".")[1:]:
        found = getattr(found, part, None) if is_name(part) else None
        if found is None:
            return None
    return found


def _format_target(base: str, target: str) -> str:
    """`self.layers.0` as source: what is no name is asked for with getattr."""
    found = base
    for part in target.split("."):
        if is_name(part):
            found = f"{found}.{part}"
        else:
            found = f"getattr({found}, {quoted(part)})"
    return found


# ---- texts that come from programs and files: none of them becomes code --------------------------


def is_name(text: Any) -> bool:
    """Whether a text is a name in Python and nothing else."""
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)


def quoted(text: str) -> str:
    """A text as source, in double quotes where it is a plain one."""
    plain = text.isascii() and text.isprintable() and not set(text) & set("\\\"'")
    return f'"{text}"' if plain else str.__repr__(text)


def checked_name(text: Any, what: str) -> str:
    """A text that stands in generated code as it is; an error where it is no name."""
    if not is_name(text):
        raise RuntimeError(
            f"{what} has the name {str(text)[:100]!r}, which is no name in Python: no code is "
            "generated from it"
        )
    return text


class CodeGen:
    """Writes a graph as a Python function; subclasses change its head, inputs or result."""

    def __init__(self) -> None:
        self._body_transformer: TransformCodeFunc | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, **more: Any) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The line that ends it."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders for the arguments of a call."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The result of a call for the value of the output node."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """More names that the generated code uses."""
        return []

    def _gen_python_code(
        self, nodes: Any, root_module: str, namespace: _Namespace, **options: Any
    ) -> PythonCode:
        return _Writer(self, nodes, root_module, namespace, **options).code()


class _PyTreeInfo(NamedTuple):
    """The names of a function's arguments, and the forms of its arguments and of its result."""

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """A function whose arguments and result are nested containers, taken apart for the graph."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *args: Any) -> Any:
        from ._pytree import tree_flatten_spec

        return tree_flatten_spec((list(args), {}), self.pytree_info.in_spec)

    def process_outputs(self, outputs: Any) -> Any:
        from ..utils._pytree import tree_unflatten

        if not isinstance(outputs, list | tuple):
            outputs = (outputs,)
        return tree_unflatten(list(outputs), self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, **more: Any) -> str:
        names = [checked_name(n, "an argument of a graph") for n in self.pytree_info.orig_args]
        given = [n for n in names if n != "self"]
        head = super().gen_fn_def(names, maybe_return_annotation)
        if not free_vars:
            return head
        bare = [v.partition(":")[0].partition("=")[0].strip() for v in free_vars]
        left = "".join(f"{name}, " for name in bare).rstrip(" ")
        return (
            f"{head}\n    {left} = fx_pytree.tree_flatten_spec(([{', '.join(given)}], {{}}), "
            "self._in_spec)"
        )

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"


class _BoxedCodeGen(CodeGen):
    """A function that takes its arguments in one list, which it empties."""

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, **more: Any) -> str:
        head = f"def {self._func_name}(self, args_list){maybe_return_annotation}:"
        if not free_vars:
            return head
        bare = [v.partition(":")[0].partition("=")[0].strip() for v in free_vars]
        return f"{head}\n    {', '.join(bare)}, = args_list\n    args_list.clear()"


class _Writer:
    """One run of a code generator."""

    def __init__(
        self, codegen: CodeGen, nodes: Any, root_module: str, namespace: _Namespace, *,
        verbose: bool = False, include_stride: bool = False, include_device: bool = False,
        **ignored: Any,
    ) -> None:  # fmt: skip
        self.codegen, self.nodes, self.root = codegen, list(nodes), root_module
        self.namespace, self.verbose = namespace, verbose
        self.include_stride, self.include_device = include_stride, include_device
        self.body: list[str] = []
        self.free_vars: list[str] = []
        self.globals: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}
        self.returns = ""
        self.last_trace: str | None = None
        self.ends = self._last_uses()

    # ---- names and values -----------------------------------------------------------------------

    def add_global(self, hint: str, obj: Any) -> str:
        """A name for an object in the generated code."""
        if _is_from_torch(obj) and obj is not custom_builtins()["device"].obj:
            return qualified_name(obj)
        name = hint.replace(".", "_")
        if name in self.globals and self.globals[name] is obj:
            return name
        found = self.namespace.create_name(name, obj)
        self.globals[found] = obj
        return found

    def type_repr(self, o: Any) -> str:
        """An annotation as source."""
        if o == ():
            return "()"
        origin = typing.get_origin(o)
        if origin is not None and typing.get_args(o):
            inner = ",".join(map(self.type_repr, typing.get_args(o)))
            base = self.add_global(_type_repr(origin), origin)
            return f"{base}[{inner}]"
        text = _type_repr(o)
        if text.startswith("torch.") and _reached(text) is o:
            return text
        return self.add_global(text, o)

    def value(self, a: Any) -> str:
        """An argument as source."""
        if isinstance(a, Node):
            return repr(a)
        if isinstance(a, tuple):
            if hasattr(a, "_fields"):
                return f"{self.add_global(qualified_name(type(a)), type(a))}{self.value(tuple(a))}"
            inside = ", ".join(map(self.value, a))
            return f"({inside},)" if len(a) == 1 else f"({inside})"
        if isinstance(a, list):
            return f"[{', '.join(map(self.value, a))}]"
        if isinstance(a, dict):
            pairs = (f"{self.value(k)}: {self.value(v)}" for k, v in a.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(a, slice):
            return f"slice({', '.join(map(self.value, (a.start, a.stop, a.step)))})"
        if isinstance(a, enum.Enum):
            kind = a.__class__
            if not is_name(a.name):
                return self.add_global("_constant", a)
            return f"{self.add_global(kind.__name__, kind)}.{a.name}"
        if type(a) in _WRITTEN_OUT or a is None or a is Ellipsis:
            return repr(a)
        if isinstance(a, range):
            return f"range({', '.join(map(self.value, (a.start, a.stop, a.step)))})"
        if callable(a):
            return self.add_global(qualified_name(a), a)
        return self.add_global("_constant", a)  # nobody knows what its `repr` says

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        named = [f"{k} = {self.value(v)}" for k, v in kwargs.items() if is_name(k)]
        other = {k: v for k, v in kwargs.items() if not is_name(k)}
        rest = [f"**{self.value(other)}"] if other else []
        return ", ".join([*map(self.value, args), *named, *rest])

    # ---- lines ----------------------------------------------------------------------------------

    def _last_uses(self) -> dict[Node, list[Node]]:
        """After which node each value is needed no more."""
        seen: set[Node] = set()
        ends: dict[Node, list[Node]] = {}
        for user in reversed(self.nodes):

            def note(n: Node, user: Node = user) -> Node:
                if n not in seen:
                    seen.add(n)
                    ends.setdefault(user, []).append(n)
                return n

            map_arg(user.args, note)
            map_arg(user.kwargs, note)
        return ends

    def forget(self, user: Node) -> None:
        """End the line of a node: what it used last is dropped, and what nobody uses."""
        if user.op == "placeholder":
            return
        if user.op == "output":
            self.body.append("\n")
            return
        gone = [*self.ends.get(user, []), *([] if user.users else [user])]
        if gone:
            self.body.append(f";  {' = '.join([*map(repr, gone), 'None'])}\n")
        else:
            self.body.append("\n")

    def comment(self, node: Node) -> None:
        """Where the program made the nodes that follow."""
        if node.op in ("placeholder", "output"):
            return
        trace = node.stack_trace
        if trace and trace != self.last_trace:
            self.last_trace = trace
            self.body.append(f"\n# {_summary(trace)}\n")
        elif not trace and self.last_trace != "":
            self.last_trace = ""
            self.body.append("\n# No stacktrace found for following nodes\n")

    def annotation(self, node: Node) -> str:
        """What is known of a node's value, as the annotation of its name."""
        declared = "" if node.type is None else f" : {self.type_repr(node.type)}"
        known = node.meta.get("val", node.meta.get("tensor_meta")) if self.verbose else None
        return f": {quoted(self.described(known))}" if hasattr(known, "shape") else declared

    def described(self, known: Any) -> str:
        """`f32[2, 3]`: type and shape of a tensor."""
        kind = dtype_abbrs.get(known.dtype.name, known.dtype.name)
        text = f"{kind}[{', '.join(map(str, known.shape))}]"
        if self.include_stride:
            steps: Any = known.stride() if callable(known.stride) else known.stride
            text += f"[{', '.join(map(str, steps))}]"
        return text + (f"{known.device}" if self.include_device else "")

    def emit(self, node: Node) -> None:
        name, kind = checked_name(repr(node), "a node"), self.annotation(node)
        if node.op == "placeholder":
            default = f" = {self.value(node.args[0])}" if node.args else ""
            raw = checked_name(re.sub(r"^\*{1,2}", "", node.target), "an argument of a graph")
            self.free_vars.append(f"{node.target}{kind}{default}")
            if raw != name:
                self.body.append(f"{name} = {raw}\n")
        elif node.op == "call_method":
            owner = _format_target(self.value(node.args[0]), node.target)
            given = self.arguments(node.args[1:], node.kwargs)
            self.body.append(f"{name}{kind} = {owner}({given})")
        elif node.op == "call_function":
            self.body.append(self.call(node, name, kind))
        elif node.op == "call_module":
            owner = _format_target(self.root, node.target)
            self.body.append(f"{name}{kind} = {owner}({self.arguments(node.args, node.kwargs)})")
        elif node.op == "get_attr":
            self.body.append(f"{name}{kind} = {_format_target(self.root, node.target)}")
        elif node.op == "output":
            if node.type is not None:
                self.returns = f" -> {self.type_repr(node.type)}"
            self.body.append(self.codegen.generate_output(node.args[0], repr_fn=self.value))
        else:
            raise NotImplementedError(f"node: {node.op} {node.target}")

    def call(self, node: Node, name: str, kind: str) -> str:
        function = node.target
        full = qualified_name(function)
        space, _, last = full.rpartition(".")
        if getattr(_HOMES.get(space), last, None) is not function:
            space = ""  # it only says that it is one of them
        plain = not node.kwargs
        if space == "operator" and plain and last in magic_methods:
            return f"{name}{kind} = {magic_methods[last].format(*map(self.value, node.args))}"
        if space == "operator" and plain and last in inplace_methods:
            done = inplace_methods[last].format(*map(self.value, node.args))
            return f"{done};  {name}{kind} = {self.value(node.args[0])}"
        if function is getattr and len(node.args) == 2 and is_name(node.args[1]):
            return f"{name}{kind} = {_format_target(self.value(node.args[0]), node.args[1])}"
        hint = f"_operator.{last}" if space == "operator" else full
        called = last if space == "builtins" else self.add_global(hint, function)
        if space == "builtins":
            self.globals.setdefault(last, function)
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(called)
        return f"{name}{kind} = {called}({self.arguments(node.args, node.kwargs)})"

    def code(self) -> PythonCode:
        for name, obj in self.codegen.additional_globals():
            self.add_global(name, obj)
        for node in self.nodes:
            if self.verbose:
                self.comment(node)
            self.emit(node)
            self.forget(node)
        if not self.body:
            self.body.append("pass\n")
        wraps = [f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped]
        if self.codegen._body_transformer is not None:
            self.body = self.codegen._body_transformer(self.body)
        head = self.codegen.gen_fn_def(self.free_vars, self.returns)
        inside = "".join(self.body).lstrip("\n")
        inside = "\n".join(f"    {line}" for line in inside.split("\n"))
        used = {k: v.obj for k, v in custom_builtins().items()}
        space = {**used, **self.globals}
        return PythonCode("\n" + "\n".join(wraps) + f"\n\n{head}\n{inside}", space, None)


def _summary(trace: str) -> str:
    """The innermost place of a stack trace in one line."""
    places = re.findall(r'File "(.*?)", line (\d+), in (.*?)\n\s*(.*)', trace)
    if not places:
        return trace.strip().splitlines()[-1] if trace.strip() else ""
    file, line, name, code = places[-1]
    # On one line, whatever ends a line in Python's eyes: it stands behind a number sign.
    return " ".join(f"File: {file}:{line} in {name}, code: {code}".splitlines())


# ---- in another process --------------------------------------------------------------------------


def import_block(space: dict[str, Any]) -> str:
    """The statements that give generated code its names in another process."""
    known = custom_builtins()
    lines = []
    for name, obj in space.items():
        if name in known and known[name].obj is obj:
            lines.append(known[name].import_str)
            continue
        full = qualified_name(obj)
        module, _, last = full.rpartition(".")
        home = sys.modules.get(getattr(obj, "__module__", None) or module)
        found = is_name(last) and all(map(is_name, getattr(home, "__name__", "").split(".")))
        if not found or getattr(home, last, None) is not obj:
            if module in ("operator", "builtins", "math") and is_name(last):
                lines.append(f"from {module} import {last} as {name}")
                continue
            raise RuntimeError(
                f"the graph uses {full}, which another process cannot import by name, so the "
                "module cannot be pickled\n  Fix: define the function at the top level of a module."
            )
        lines.append(f"from {home.__name__} import {last} as {name}")  # pyright: ignore[reportOptionalMemberAccess]
    return "\n".join(sorted(set(lines)))
