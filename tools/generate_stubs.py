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
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from ops.harness import all_cases, tensor  # noqa: E402
from ops.sample import called  # noqa: E402

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
from typing import Any, Self

'''
SHARED = """{dots}autograd.node import Node
{dots}ops.dtypes import dtype as _dtype
{dots}tensor import return_types as _return_types
{dots}tensor.device import device as _device
{dots}tensor.layouts import layout as _layout, memory_format as _memory_format
{dots}tensor.random import Generator as _Generator
{dots}tensor.size import Size as _Size
"""
NUMBER = "_bool | _int | _float | _complex"

# Types of parameters that the sources leave open, by name.
_TENSORS = """input self A B L LD M x tensor1 tensor2 mat1 mat2 batch1 batch2 vec vec1 vec2 weight
 bias target mask src source running_mean running_var log_probs targets x1 x2 input1 input2 grid
 query key pivots LU_data LU_pivots offsets per_sample_weights anchor positive negative
 row col boundaries sorted_sequence mat tau window"""
_SIZES = "kernel_size dilation normalized_shape output_padding s"
_SWITCHES = "unbiased size_average align_corners"
PARAMETERS: dict[str, str] = {
    **dict.fromkeys(_TENSORS.split(), "Tensor"),
    **dict.fromkeys(_SIZES.split(), "_int | Sequence[_int]"),
    **dict.fromkeys(_SWITCHES.split(), "_bool"),
    **dict.fromkeys(("other", "exponent", "min", "max", "fill_value"), f"Tensor | {NUMBER}"),
    "alpha": NUMBER,
    "beta": NUMBER,
    "stride": "_int | Sequence[_int]",
    "padding": "_int | Sequence[_int] | _str",
    "dim": "_int | Sequence[_int]",
    "dims": "_int | Sequence[_int]",
    "correction": "_int | _float",
    "split_sizes": "Sequence[_int]",
    "dtype": "_dtype",
    "out_dtype": "_dtype",
    "layout": "_layout",
    "memory_format": "_memory_format",
    "device": "_device | _str | _int",
    "generator": "_Generator",
    "out": "Tensor",
    "tensors": "Sequence[Tensor]",
}
# Of those that take any number of arguments (`*size`) each one's type.
SEVERAL = {
    **dict.fromkeys(("size", "sizes", "dims"), "_int | Sequence[_int]"),
    "tensors": "Tensor | Sequence[Tensor]",
}
# Functions whose `input` or the like takes more than a tensor.
OPEN_INPUTS = {
    "where",
    "result_type",
    "can_cast",
    "std_mean",
    "normal",
    "is_tensor",
    "tensor_split",
}
# Made from data rather than from tensors: not in the public table, but they return tensors.
MAKERS = {
    "arange", "as_tensor", "asarray", "empty", "empty_like", "empty_permuted", "empty_strided",
    "eye", "from_dlpack", "from_numpy", "frombuffer", "full", "full_like", "get_rng_state",
    "linspace", "logspace", "ones", "ones_like", "range", "scalar_tensor", "tensor", "zeros",
    "zeros_like",
}  # fmt: skip
MEMBERS = {
    "grad": "Tensor | None",
    "grad_fn": "Node | None",
    "data": "Tensor",
    "__iter__": "Iterator[Tensor]",
    "__new__": "Tensor",
    "to": "Tensor",
    "new_full": "Tensor",
    "new_tensor": "Tensor",
    "new_empty_strided": "Tensor",
    "type_as": "Tensor",
}
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
    made = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    end = len(parameters)
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
        end -= 1
    return inspect.Signature([*parameters[:end], made, *parameters[end:]])


OWN_TYPES = {  # where a name means something else than elsewhere
    ("scalar_tensor", "s"): NUMBER,
    ("movedim", "source"): "_int | Sequence[_int]",
    ("movedim", "destination"): "_int | Sequence[_int]",
    ("moveaxis", "source"): "_int | Sequence[_int]",
    ("moveaxis", "destination"): "_int | Sequence[_int]",
    ("tensordot", "dims"): "_int | Sequence[_int] | Sequence[Sequence[_int]]",
}


def annotation(p: inspect.Parameter, function: str, binary: bool = False) -> str:
    """The type of a parameter: as declared, else by its name."""
    declared = p.annotation if isinstance(p.annotation, str) else "Any"
    declared = re.sub(r"\b(bool|complex|dict|float|int|list|str|tuple|type)\b", r"_\1", declared)
    if declared != "Any":
        return declared if re.fullmatch(r"[\w\[\], |]+", declared) and _known(declared) else "Any"
    if p.kind is p.VAR_POSITIONAL:
        return SEVERAL.get(p.name, "Any")
    if p.kind is p.VAR_KEYWORD or function in OPEN_INPUTS:
        return "Any"
    by_name = OWN_TYPES.get((function, p.name)) or PARAMETERS.get(p.name, "Any")
    if p.name == "input" and binary:
        by_name = PARAMETERS["other"]  # torch.pow(2, x)
    return f"{by_name} | None" if p.default is None and by_name != "Any" else by_name


def _known(text: str) -> bool:
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    return all(w in ("Any", "None", "Sequence", "Callable") or w.startswith("_") for w in words)


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


def parameter_text(p: inspect.Parameter, function: str, binary: bool) -> str:
    """One parameter of a stub, with its type and default."""
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = f"{star}{p.name}: {annotation(p, function, binary)}"
    return text if p.default is p.empty else f"{text} = {default_text(p.default)}"


def definition(name: str, signature: inspect.Signature, result: str, method: bool = False) -> str:
    """`def name(...) -> result: ...`; the first parameter of a method is self."""
    parts: list[str] = []
    parameters = list(signature.parameters.values())
    if method:
        parts.append("self")
        if parameters and parameters[0].kind not in (inspect.Parameter.VAR_POSITIONAL,):
            parameters = parameters[1:]
    binary = bool({"other", "exponent"} & set(signature.parameters)) and not name.endswith("_")
    starred = False
    for p in parameters:
        starred |= p.kind is p.VAR_POSITIONAL
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        parts.append(parameter_text(p, name, binary))
    if result != "Tensor" and not method:
        parts = [re.sub(r"^out: Tensor", "out: Any", part) for part in parts]
    return f"def {name}({', '.join(parts)}) -> {result}: ..."


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
    declared = getattr(function, "__annotations__", {}).get("return", "Any")
    declared = declared if isinstance(declared, str) else "Any"
    declared = {"Size": "_Size", "device": "_device", "dtypes.dtype": "_dtype"}.get(
        declared, re.sub(r"\b(bool|complex|dict|float|int|list|str|tuple|type)\b", r"_\1", declared)
    )
    return declared if _known(declared) else "Any"


def seen_result(name: str) -> str:
    """The type of `x.name` or `x.name()` for a small tensor: a Tensor, a truth, a layout."""
    for x in (chainrule.ones(2, 2), chainrule.ones(2, 2, dtype=chainrule.complex64)):
        try:
            found = getattr(x, name)
            found = found() if callable(found) else found
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError):
            continue
        kinds = {bool: "_bool", chainrule.layout: "_layout"}
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
        return ["def __init__(self, *args: Any, **kwargs: Any) -> None: ..."]
    if isinstance(value, (classmethod, staticmethod)):
        return ["@staticmethod", f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."]
    if not inspect.isfunction(value):
        return [f"{name}: Any"]
    signature = signature_without_spellings(value)
    record, in_place = records.get(name, (None, False))
    own = record is not None and same_code(record.function, value)
    if record is not None and (in_place or own or is_open(signature)):
        result = "Tensor" if in_place else result_of(record, signature_of(record))
        return [definition(name, signature_of(record), result, method=True)]
    if name.startswith("__"):
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
    "__getitem__": "(self, index: Any) -> Tensor",
    "__setitem__": "(self, index: Any, value: Any) -> None",
}


def dunder_lines(name: str, result: str, signature: inspect.Signature) -> list[str]:
    """Operators take a tensor or a number; `==` of tensors is a tensor, unlike object's."""
    plain = name.strip("_")
    if name in INDEXING:
        return [f"def {name}{INDEXING[name]}: ..."]
    if plain in ("eq", "ne"):
        line = f"def {name}(self, other: Any) -> Tensor: ..."
        return [f"{line}  # type: ignore[override] # pyright: ignore"]
    if plain.lstrip("ir") in OPERATORS or plain in OPERATORS:
        if plain in ("abs", "neg", "pos", "invert"):
            return [f"def {name}(self) -> {result}: ..."]
        if len(signature.parameters) == 2 and plain not in ("deepcopy", "copy"):
            return [f"def {name}(self, other: Any) -> {result}: ..."]
        if is_open(signature):
            return [f"def {name}(self, other: Any) -> {result}: ..."]
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
        lines += [f"    {line}" for line in member_lines(name, value, records)]
    lines += ["    def __hash__(self) -> _int: ...", "    def __repr__(self) -> _str: ..."]
    about = "The methods and attributes of tensors."
    return head(about, "tensor/tensor.pyi", own=True) + "\n".join(lines) + "\n"


# ---- modules -----------------------------------------------------------------------------------


def head(about: str, path: str, own: bool = False) -> str:
    dots = "from " + "." * (path.count("/") + 1)
    text = HEAD.format(about=about) + SHARED.format(dots=dots)
    return text + ("\n" if own else f"{dots}tensor.tensor import Tensor\n\n")


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
    lines += ["    def __new__(cls, entries: Any) -> Self: ...", ""]
    made = {n: v for n, v in vars(return_types).items() if isinstance(v, type)}
    for name, value in sorted(made.items()):
        if not issubclass(value, ReturnType) or value is ReturnType:
            continue
        lines.append(f"class {name}(ReturnType):")
        for field in value._names:
            kind = "Any" if name == "histogramdd" else "Tensor"  # edges of each dimension
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
        return f"{name}: Any"
    if isinstance(value, chainrule.dtype):
        return f"{name}: _dtype"
    return f"{name}: {'_float' if isinstance(value, float) else 'Any'}"


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
