"""Write the `.pyi` files that tell editors and type checkers what the tables generate.

    python tools/generate_stubs.py            writes them
    python tools/generate_stubs.py --check    names those that are out of date

Functions and methods made from the tables exist only at run time. Their parameters are read from
the running package, the types of parameters from their names, and the types of results from what
the samples of `tests/ops` return: a function that returned several kinds of results is `Any`.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tools")]

from ops.harness import all_cases, tensor  # noqa: E402
from ops.sample import called  # noqa: E402
from stub_overloads import FORMS, MEMBERS, REFUSED, RESULTS  # noqa: E402

import chainrule  # noqa: E402
from chainrule.tensor import API, Tensor, return_types  # noqa: E402
from chainrule.tensor.api import Public, _alias_path, functions_of  # noqa: E402
from chainrule.tensor.return_types import ReturnType  # noqa: E402
from chainrule.tensor.spellings import (  # noqa: E402
    signature_of as signature_without_spellings,
)

SOURCE = ROOT / "src" / "chainrule"
NAMESPACES = {
    "fft": "fft.pyi",
    "linalg": "linalg.pyi",
    "special": "special.pyi",
    "nn.functional": "nn/functional.pyi",
    "signal.windows": "signal/windows.pyi",
}

# A package that has `float`, `int`, `bool` of its own cannot use these names in its annotations.
HEAD = '''"""{about} Written by tools/generate_stubs.py; do not edit."""

from builtins import bool as _bool, complex as _complex, dict as _dict, float as _float
from builtins import int as _int, list as _list, str as _str, tuple as _tuple, type as _type
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Literal, NoReturn, Self, TypeVar, overload

import numpy as np

'''
SHARED = """{dots}autograd.node import Node, RemovableHandle as _RemovableHandle
{dots}tensor import return_types as _return_types
{dots}tensor.annotations import Buffer as _Buffer, DeviceLike as _DeviceLike, DType as _DType
{dots}tensor.annotations import Generator as _Generator, Index as _Index, Ints as _Ints
{dots}tensor.annotations import Layout as _Layout, MemoryFormat as _MemoryFormat
{dots}tensor.annotations import Number as _Number, Operand as _Operand, Size as _Size
{dots}tensor.device import device as _device
{dots}tensor.storage import TypedStorage as _TypedStorage, UntypedStorage as _UntypedStorage
"""

# Types of the parameters of ops, which the table does not say, by name.
PARAMETERS: dict[str, str] = {
    **dict.fromkeys(
        "input bias grid mat2 source target tensor1 tensor2 weight x".split(), "Tensor"
    ),
    **dict.fromkeys("other exponent min max n value values".split(), "_Operand"),
    "dim": "_Ints",
}
# What factories of tensors take behind `**`.
OPTIONS = (
    "dtype: _DType | None = None, layout: _Layout | None = None, "
    "device: _DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool = False"
)
# Functions that take sizes or the like one by one; the name under which they take a sequence.
SEQUENCES = {
    "reshape": "shape", "permute": "dims", "expand": "size", "repeat": "repeats",
    "tile": "dims", "flip": "dims", "rand": "size", "randn": "size", "ones": "size",
    "zeros": "size", "empty": "size", "new_ones": "size", "new_zeros": "size",
    "new_empty": "size", "hsplit": "indices_or_sections", "vsplit": "indices_or_sections",
    "dsplit": "indices_or_sections",
}  # fmt: skip
# Factories of tensors: what stands behind their `**` are the usual options.
FACTORIES = re.compile(r"new_\w+|\w+_window|(like|full|scalar)\w*")
# Made from data rather than from tensors: not in the public table, but they return tensors.
MAKERS = {
    "arange", "as_tensor", "asarray", "empty", "empty_like", "empty_permuted", "empty_strided",
    "eye", "from_dlpack", "from_numpy", "frombuffer", "full", "full_like", "get_rng_state",
    "linspace", "logspace", "ones", "ones_like", "range", "scalar_tensor", "tensor", "zeros",
    "zeros_like",
}  # fmt: skip
NOT_MEMBERS = {
    "__module__", "__doc__", "__slots__", "__dict__", "__weakref__", "__annotations__",
    "__firstlineno__", "__static_attributes__", "__init_subclass__", "__orig_bases__",
    "__reduce_ex__", "__reduce__", "__format__", "__repr__", "__hash__", "__getattr__",
}  # fmt: skip


# ---- what functions return ---------------------------------------------------------------------


def kind_of(result: Any) -> str:
    """The type of one result as an annotation."""
    if isinstance(result, Tensor):
        return "Tensor"
    if isinstance(result, ReturnType):
        return f"_return_types.{type(result).__name__}"
    if type(result) in (tuple, list) and all(isinstance(r, Tensor) for r in result):
        if type(result) is list:
            return "_list[Tensor]"
        return "_tuple[Tensor, ...]"
    return "_bool" if isinstance(result, bool) else "Any"


def joined(kinds: set[str]) -> str:
    """One annotation for everything a function was seen to return."""
    return next(iter(kinds)) if len(kinds) == 1 else "Any"


@functools.cache
def observed() -> dict[str, set[str]]:
    """What each sampled path returned."""
    found: dict[str, set[str]] = {}
    with chainrule.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that PyTorch deprecates
        for case in all_cases():
            tensors = [tensor(a) for a in case.sample.arrays()]
            kind = kind_of(called(chainrule, case.path, case.sample, tensors))
            found.setdefault(case.path, set()).add(kind)
    return found


def result_of(record: Public, signature: inspect.Signature) -> str:
    """The return annotation of a public function."""
    if record.path in RESULTS:
        return RESULTS[record.path]
    if any(name.startswith("return_") for name in signature.parameters):
        return "Any"
    paths = {record.path, record.name, *(_alias_path(record, a) for a in record.aliases)}
    kinds = set().union(*(observed().get(path, set()) for path in paths))
    if not kinds and record.name.endswith("_"):
        return "Tensor"
    return joined(kinds)


# ---- signatures --------------------------------------------------------------------------------


def signature_of(record: Public) -> inspect.Signature:
    """The parameters of a public function, under the names users give them by."""
    op = record.function.__dict__.get("op")
    if op is None:
        return signature_without_spellings(record.function)
    second = "exponent" if op.name == "pow" else "other"
    names = ("input", second) if len(op.inputs) <= 2 else op.inputs
    kinds = inspect.Parameter
    made = [kinds(n, kinds.POSITIONAL_OR_KEYWORD) for n, _ in zip(names, op.inputs, strict=False)]
    statics = inspect.signature(op.forward).parameters.values()
    return inspect.Signature([*made, *(p for p in statics if p.kind is kinds.KEYWORD_ONLY)])


def with_out(signature: inspect.Signature) -> inspect.Signature:
    """The signature with `out=`."""
    parameters = list(signature.parameters.values())
    if "out" in signature.parameters:
        return signature
    made = inspect.Parameter(
        "out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None"
    )
    end = len(parameters)
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
        end -= 1
    return inspect.Signature([*parameters[:end], made, *parameters[end:]])


BUILTINS = re.compile(r"\b(bool|complex|dict|float|int|list|str|tuple|type)\b")
NAMED = re.compile(
    r"\b(Buffer|DType|DeviceLike|Generator|Index|Ints|Layout|MemoryFormat|Number|Operand|Size|device)\b"
)
UNDERSCORED = {"dtypes.dtype": "_DType", "Dtype": "_DType"}


def spelled(declared: Any) -> str:
    """An annotation of the sources as the stubs say it; `Any` where it names what they do not."""
    if not isinstance(declared, str):
        return "Any"
    for word, other in UNDERSCORED.items():
        declared = declared.replace(word, other)
    text = NAMED.sub(r"_\1", BUILTINS.sub(r"_\1", declared))
    return text if re.fullmatch(r"[\w\[\], |.]+", text) and _known(text) else "Any"


def _known(text: str) -> bool:
    plain = {"Any", "None", "Sequence", "Callable", "Tensor", "object", "np", "ndarray", "Iterator"}
    return all(w in plain or w.startswith("_") for w in re.findall(r"[A-Za-z_]\w*", text))


def annotation(p: inspect.Parameter, binary: bool = False) -> str:
    """The type of a parameter: as declared, else (an operand of an op) by its name."""
    if p.annotation is not p.empty:
        return spelled(p.annotation)
    by_name = PARAMETERS.get(p.name, "Any")
    if p.name == "input" and binary:
        by_name = "_Operand"  # torch.pow(2, x)
    return f"{by_name} | None" if p.default is None and by_name != "Any" else by_name


def default_text(value: Any) -> str:
    """A default as it would be written, `...` when it cannot be."""
    if isinstance(value, float) and not math.isfinite(value):
        return "..."
    simple = (bool, int, float, str, type(None))
    if isinstance(value, simple):
        return repr(value).replace("'", '"')
    if isinstance(value, tuple) and all(isinstance(v, simple) for v in value):
        return repr(value)
    return "..."


def parameter_text(p: inspect.Parameter, binary: bool) -> str:
    """One parameter of a stub, with its type and default."""
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = f"{star}{p.name}: {annotation(p, binary)}"
    return text if p.default is p.empty else f"{text} = {default_text(p.default)}"


def definition(name: str, signature: inspect.Signature, result: str, method: bool = False) -> str:
    """`def name(...) -> result: ...`; the first parameter of a method is self.

    A second one where sizes may also be given as a sequence by name.
    """
    forms = forms_of(name, method)
    if forms:
        return overloaded(name, forms)
    if method and name in REFUSED:
        return f"def {name}(self, *args: object, **kwargs: object) -> NoReturn: ..."
    parameters = list(signature.parameters.values())
    if method and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[1:]
    binary = bool({"other", "exponent"} & set(signature.parameters)) and not name.endswith("_")
    listings = [listed(name, parameters, binary)]
    if name in SEQUENCES and any(p.kind is p.VAR_POSITIONAL for p in parameters):
        sequence = inspect.Parameter(
            SEQUENCES[name], inspect.Parameter.KEYWORD_ONLY, annotation="Sequence[int]"
        )
        several = [sequence if p.kind is p.VAR_POSITIONAL else p for p in parameters]
        listings.append(listed(name, several, binary))
    if result != "Tensor" and not method:
        listings = [re.sub(r"\bout: Tensor", "out: Sequence[Tensor]", text) for text in listings]
    if method:
        listings = [f"self, {text}" if text else "self" for text in listings]
    return overloaded(name, [f"({text}) -> {result}" for text in listings])


def listed(name: str, parameters: list[inspect.Parameter], binary: bool) -> str:
    """The text between the parentheses of a definition; what is behind `**` is spelled out."""
    parts: list[str] = []
    starred = False
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            known = {other.name for other in parameters}
            own = [o for o in OPTIONS.split(", ") if o.partition(":")[0] not in known]
            if FACTORIES.fullmatch(name) or p.name == "options":
                parts += own if starred else ["*", *own]
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        parts.append(parameter_text(p, binary))
    return ", ".join(parts)


def forms_of(name: str, method: bool) -> list[str]:
    """The forms of `FORMS` that a function or a method has."""
    found = FORMS_BY_NAME.get(name, [])
    if method:
        return FORMS_BY_NAME.get(f"self.{name}", []) or [f for f in found if f.startswith("(self")]
    return [f.replace("(self", "(input: Tensor", 1) for f in found]


FORMS_BY_NAME: dict[str, list[str]] = {}
for _line in filter(None, FORMS.split("\n")):
    _name, _, _rest = _line.partition("(")
    FORMS_BY_NAME.setdefault(_name, []).append(f"({_rest}")


def overloaded(name: str, forms: list[str]) -> str:
    """The definitions of one function, one for each way to call it."""
    if len(forms) == 1:
        return f"def {name}{forms[0]}: ..."
    return "\n".join(f"@overload\ndef {name}{form}: ..." for form in forms)


def public_definition(name: str, record: Public, method: bool = False) -> str:
    signature = signature_of(record)
    result = result_of(record, signature)
    return definition(
        name, with_out(signature) if record.out and not method else signature, result, method
    )


# ---- the Tensor class --------------------------------------------------------------------------


def records_by_method() -> dict[str, tuple[Public, bool]]:
    """Method name -> its record, and whether the name is the in-place form."""
    found: dict[str, tuple[Public, bool]] = {}
    for record in API.values():
        for name in (record.name, *(a for a in record.aliases if "." not in a)):
            if record.method:
                found.setdefault(name, (record, False))
            if record.inplace:
                found.setdefault(name + "_", (record, True))
    return found


def declared_result(function: Callable[..., Any]) -> str:
    """What a function's own annotation says it returns, where this file can say it."""
    return spelled(getattr(function, "__annotations__", {}).get("return", "Any"))


def seen_result(name: str) -> str:
    """The type of `x.name` or `x.name()` for a small tensor: a Tensor, a truth, a layout."""
    for x in (chainrule.ones(2, 2), chainrule.ones(2, 2, dtype=chainrule.complex64)):
        try:
            found = getattr(x, name)
            found = found() if callable(found) else found
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError):
            continue
        kinds = {bool: "_bool", int: "_int", str: "_str", chainrule.layout: "_Layout"}
        return "Tensor" if isinstance(found, Tensor) else kinds.get(type(found), "Any")
    return "Any"


def member_result(name: str, function: Callable[..., Any]) -> str:
    """What a member that does not come from the public table returns."""
    if name in MEMBERS:
        return MEMBERS[name]
    result = declared_result(function)
    if result != "Any":
        return result
    operator = re.fullmatch(r"__[ir]?(\w+?)__", name)
    if operator and operator[1] in OPERATORS:
        return "Tensor"
    if name.endswith("_") and not name.startswith("_"):
        return "Tensor"
    return "Any" if name.startswith("_") else seen_result(name)


OPERATORS = """abs add and div eq floordiv ge getitem gt invert le lshift lt matmul mod mul ne neg
 or pos pow rshift sub truediv xor eversed copy deepcopy""".split()


def member_lines(name: str, value: Any, records: dict[str, tuple[Public, bool]]) -> list[str]:
    """The lines of one member of the class."""
    if isinstance(value, property):
        return property_lines(name, value)
    if name == "__new__":
        return ["def __init__(self, *args: object, **kwargs: object) -> None: ..."]
    if name == "__torch_function__":  # a subclass may switch it off
        return [f"{name}: Any"]
    if isinstance(value, (classmethod, staticmethod)):
        return ["@staticmethod", f"def {name}(*args: object, **kwargs: object) -> Any: ..."]
    if not inspect.isfunction(value):
        return [f"{name}: Any"]
    signature = signature_without_spellings(value)
    record, in_place = records.get(name, (None, False))
    own = record is not None and same_code(record.function, value)
    if record is not None and (in_place or own or is_open(signature)):
        result = "Tensor" if in_place else result_of(record, signature_of(record))
        return [definition(name, signature_of(record), result, method=True)]
    if name.startswith("__") and not forms_of(name, method=True):
        return dunder_lines(name, member_result(name, value), signature)
    return [definition(name, signature, member_result(name, value), method=True)]


def same_code(one: Any, other: Any) -> bool:
    """Whether two function objects are copies of each other."""
    codes = [getattr(inspect.unwrap(f), "__code__", f) for f in (one, other)]
    return codes[0] is codes[1]


def is_open(signature: inspect.Signature) -> bool:
    """Whether a signature says nothing: (*args, **params)."""
    return any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())


INDEXING = {
    "__getitem__": "(self, index: _Index) -> Tensor",
    "__setitem__": "(self, index: _Index, value: _Operand | np.ndarray | Sequence[object]) -> None",
    "__contains__": "(self, item: object) -> _bool",
}


def dunder_lines(name: str, result: str, signature: inspect.Signature) -> list[str]:
    """Operators take a tensor or a number; `==` of tensors is a tensor, unlike object's."""
    plain = name.strip("_")
    if name in INDEXING:
        return [f"def {name}{INDEXING[name]}: ..."]
    if plain in ("eq", "ne"):
        line = f"def {name}(self, other: object) -> Tensor: ..."
        return [f"{line}  # type: ignore[override] # pyright: ignore"]
    if plain.lstrip("ir") in OPERATORS or plain in OPERATORS:
        if plain in ("abs", "neg", "pos", "invert"):
            return [f"def {name}(self) -> {result}: ..."]
        if len(signature.parameters) == 2 and plain not in ("deepcopy", "copy"):
            return [f"def {name}(self, other: _Operand | np.ndarray) -> {result}: ..."]
        if is_open(signature):
            return [f"def {name}(self, other: _Operand | np.ndarray) -> {result}: ..."]
    return [definition(name, signature, result, method=True)]


def property_lines(name: str, value: property) -> list[str]:
    result = member_result(name, value.fget) if value.fget else "Any"
    lines = ["@property", f"def {name}(self) -> {result}: ..."]
    if value.fset:
        lines += [f"@{name}.setter", f"def {name}(self, value: {result}) -> None: ..."]
    return lines


def tensor_members() -> dict[str, Any]:
    """Everything the class has, its base's included."""
    found: dict[str, Any] = {}
    for cls in reversed(Tensor.__mro__[:-1]):
        found |= vars(cls)
    return {n: v for n, v in sorted(found.items()) if n not in NOT_MEMBERS}


def tensor_stub() -> str:
    records = records_by_method()
    lines = ["class Tensor:"]
    for name, value in tensor_members().items():
        text = "\n".join(member_lines(name, value, records))
        lines += [f"    {line}" for line in text.split("\n")]
    lines += ["    def __hash__(self) -> _int: ...", "    def __repr__(self) -> _str: ..."]
    about = "The methods and attributes of tensors."
    return head(about, "tensor/tensor.pyi", own=True) + "\n".join(lines) + "\n"


# ---- modules -----------------------------------------------------------------------------------


def head(about: str, path: str, own: bool = False) -> str:
    dots = "from " + "." * (path.count("/") + 1)
    text = HEAD.format(about=about) + SHARED.format(dots=dots)
    own_type = '\n_T = TypeVar("_T")\n\n' if own else ""
    return text + (own_type or f"{dots}tensor.tensor import Tensor\n\n")


def records_of(namespace: str) -> dict[str, Public]:
    """The functions of a namespace with the record each comes from."""
    found = {}
    for record in API.values():
        for path in (record.path, *(_alias_path(record, a) for a in record.aliases)):
            space, _, last = path.rpartition(".")
            if space == namespace:
                found[last] = record
    assert found.keys() == functions_of(namespace).keys()
    return found


def namespace_stub(namespace: str, path: str) -> str:
    lines = [public_definition(n, r) for n, r in sorted(records_of(namespace).items())]
    if namespace == "linalg":
        lines.insert(0, "from .ops.errors import LinAlgError as LinAlgError\n")
    return head(f"`chainrule.{namespace}`.", path) + "\n".join(lines) + "\n"


def return_types_stub() -> str:
    lines = ["def named(name: _str, *fields: _str) -> _type[ReturnType]: ...", ""]
    lines += ["class ReturnType(_tuple[Tensor, ...]):", "    _names: _tuple[_str, ...]"]
    lines += ["    def __new__(cls, entries: Sequence[Tensor]) -> Self: ...", ""]
    made = {n: v for n, v in vars(return_types).items() if isinstance(v, type)}
    for name, value in sorted(made.items()):
        if not issubclass(value, ReturnType) or value is ReturnType:
            continue
        lines.append(f"class {name}(ReturnType):")
        for field in value._names:
            several = name == "histogramdd" and field == "bin_edges"  # of each dimension
            kind = "_tuple[Tensor, ...]" if several else "Tensor"
            lines += ["    @property", f"    def {field}(self) -> {kind}: ..."]
        lines.append("")
    text = head("Named results.", "tensor/return_types.pyi")
    return re.sub(
        r"^from \.\.(autograd|ops|tensor import|tensor\.[drs]).*\n", "", text, flags=re.M
    ) + ("\n".join(lines))


def package_names() -> Iterable[str]:
    """What `chainrule.<name>` has and shows; inner modules are attributes only once imported."""
    modules = {*chainrule._SUBMODULES, *chainrule.__all__}
    for name in dir(chainrule):
        value = getattr(chainrule, name, None)
        if isinstance(value, ModuleType) and name not in modules:
            continue
        if value is not None and not name.startswith("_"):
            yield name


def package_stub() -> str:
    """`chainrule` itself: re-exports, types, constants and the functions of the table."""
    records = records_of("")
    imports, lines = [], []
    for name in package_names():
        value = getattr(chainrule, name)
        if name in records:
            lines.append(public_definition(name, records[name]))
        elif name not in ("annotations", "Any", "Tensor"):
            line = package_line(name, value)
            (imports if line.startswith("from ") else lines).append(line)
    for name, (record, in_place) in records_by_method().items():
        if in_place and name not in records:
            lines.append(definition(name, signature_of(record), "Tensor"))
    lines += ["newaxis: None", "__version__: _str"]
    text = head("The package.", "__init__.pyi").replace(
        "import Tensor\n", "import Tensor as Tensor\n"
    )
    parts = [*sorted(imports), "", *sorted(set(lines))]
    return text + "\n".join(parts) + "\n"


def package_line(name: str, value: Any) -> str:
    """How one name of the package that is not of the public table is declared."""
    if isinstance(value, ModuleType) and callable(value):
        return f"from .{name} import {name} as {name}"
    if isinstance(value, ModuleType):
        home = value.__name__.removeprefix("chainrule.").rpartition(".")[0]
        return f"from .{home} import {name} as {name}"
    if name in MAKERS:
        return definition(name, inspect.signature(value), "Tensor")
    if isinstance(value, type) or inspect.isfunction(value):
        module = inspect.unwrap(value).__module__
        if module == "chainrule" and inspect.isfunction(value):  # where users find it
            module = value.__globals__["__name__"]
        if same_code(getattr(sys.modules.get(module), name, None), value):
            return f"from .{module.removeprefix('chainrule.')} import {name} as {name}"
    kinds = {
        chainrule.dtype: "_DType", chainrule.layout: "_Layout", float: "_float",
        chainrule.memory_format: "_MemoryFormat", chainrule.Generator: "_Generator",
    }  # fmt: skip
    if name.endswith(("Tensor", "Storage")):
        return f"{name}: _type[{'Tensor' if name.endswith('Tensor') else '_TypedStorage'}]"
    if inspect.isfunction(value):
        return definition(name, inspect.signature(value), "Tensor")
    return f"{name}: {kinds.get(type(value), 'Any' if callable(value) else 'object')}"


def nn_stubs() -> dict[Path, str]:
    """`chainrule.nn` and its classes, which are imported when their names are first used."""
    about = '"""{} Written by tools/generate_stubs.py; do not edit."""\n\n'
    homes = chainrule.nn.modules.HOMES
    classes = [(home, name) for home, names in homes.items() for name in names]
    modules = [f"from . import {f} as {f}" for f in sorted(chainrule.nn.modules.FILES)]
    modules += sorted(f"from .{home} import {name} as {name}" for home, name in classes)
    modules += ["HOMES: dict[str, tuple[str, ...]]", "HOME_OF: dict[str, str]"]
    lines = [f"from . import {s} as {s}" for s in sorted(chainrule.nn._SUBMODULES)]
    lines += ["from . import functional as functional"]
    lines += sorted(f"from .modules.{home} import {name} as {name}" for home, name in classes)
    lines += ["from .parallel.data_parallel import DataParallel as DataParallel"]
    named = sorted({"Parameter", *chainrule.nn._OF_PARAMETER})
    lines += [f"from .parameter import {name} as {name}" for name in named]
    folder = SOURCE / "nn"
    return {
        folder / "__init__.pyi": about.format("`chainrule.nn`.") + "\n".join(lines) + "\n",
        folder / "modules" / "__init__.pyi": about.format("The classes of `chainrule.nn`.")
        + "\n".join([*modules, "FILES: tuple[str, ...]"])
        + "\n",
    }


def stubs() -> dict[Path, str]:
    """Every stub file and its text."""
    chainrule.manual_seed(0)
    observed()  # samples first: some result types are made when a function first returns one
    found = {
        SOURCE / "__init__.pyi": package_stub(),
        SOURCE / "tensor" / "tensor.pyi": tensor_stub(),
        SOURCE / "tensor" / "return_types.pyi": return_types_stub(),
        **nn_stubs(),
    }
    for namespace, path in NAMESPACES.items():
        found[SOURCE / path] = namespace_stub(namespace, path)
    return found


def main(arguments: list[str]) -> int:
    check, stale = "--check" in arguments, []
    for path, text in stubs().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(text, encoding="utf-8")
    print("\n".join(f"{'out of date' if check else 'wrote'}: {p}" for p in stale) or "up to date")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
