"""Imports point one way: a line of code knows which layer it is in and what it may touch.

Every import of every file is read from its syntax tree, those inside functions too. A module may
import its own layer and the layers before it. The exceptions are listed here, each with its reason.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "chainrule"

# From the bottom up. `chainrule` itself, the namespace users import, sits where its public ops end:
# the libraries are written in it.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("ir", "_collector"),
    ("ops",),
    ("autograd",),
    ("tensor",),
    ("standins",),
    ("fft", "func", "functional", "linalg", "overrides", "signal", "special", "chainrule"),
    (
        "_C", "_VF", "__config__", "__future__", "_foreach", "_higher_order_ops", "_lowrank",
        "_six", "_tensor_str",
        "accelerator", "backends", "cpu", "cuda", "classes", "futures", "hub", "monitor", "mps",
        "multiprocessing", "quasirandom", "random", "torch_version", "types",
        "version", "xpu",
    ),
    (
        "nn", "optim", "amp", "utils", "serialization", "distributions", "testing", "sparse", "jit",
        "_functorch", "_below", "_below_layers",
        "_jit_internal", "_raw", "_utils", "_vmap_internals", "ao", "array_api", "interop",
        "masked", "nested",
    ),
    ("library", "_custom_ops"),
    ("dispatcher", "_subclasses", "_guards", "_prims_common"),
    ("fx",),
    ("export", "onnx"),
    ("compiler", "_dynamo", "_inductor"),
    ("distributed",),
    ("reading",),
    (
        "checking", "derivatives", "explanation", "doctor", "studio", "memory", "sensitivity",
        "flow", "profiler", "model_summary",
    ),
    ("run",),
    ("cli", "tour", "__main__"),
)  # fmt: skip
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# The rooms of the compiler, likewise: imports point to earlier ones, those inside functions too.
ROOMS = (
    "machine", "text", "native.language", "native.kernels", "native", "products", "graph",
    "scalars", "passes", "loops", "emit", "runtime", "capture",
    "stance", "settings", "config", "compiled_function", "compiled_module", "api", "controls",
    "__init__",
)  # fmt: skip

# (importing module, imported layer): why it must look upward. Only imports inside functions and
# under `if TYPE_CHECKING` may be listed; nothing excuses an upward import at module level.
DEFERRED_UPWARD_IMPORTS: dict[tuple[str, str], str] = {
    ("chainrule.hub", "serialization"): "a downloaded file is opened as every file of weights",
    ("chainrule._C._nn", "nn"): "PyTorch's compiled core shows functions of `nn`",
    ("chainrule.cpu.amp", "amp"): "the old names of mixed precision",
    ("chainrule.cuda.amp", "amp"): "the old names of mixed precision",
    ("chainrule.autograd.gradcheck", "checking"): "PyTorch's place of what is written over it",
    ("chainrule.tensor.interop", "interop"): "NumPy's functions are rarely called on tensors",
    ("chainrule.tensor.interop", "array_api"): "x.__array_namespace__() is a method of tensors",
    ("chainrule.tensor.attributes", "sparse"): "x.to_sparse() is a method of every tensor",
    ("chainrule.tensor.layout_methods", "sparse"): "x.sparse_mask() is a method of every tensor",
    ("chainrule.tensor.storage", "serialization"): "plain pickles of PyTorch's hold files of its",
    ("chainrule.autograd.stand_ins", "standins"): "names that only stand for something are rare",
    ("chainrule.utils.tensorboard.graphs", "reading"): "a model's graph is read from its tape",
    ("chainrule.func", "_functorch"): "the old names of `functorch`",
    ("chainrule._C", "dispatcher"): "the switches of PyTorch's core",
    ("chainrule.tensor.attributes", "dispatcher"): "wrapper tensors are made by a method of Tensor",
    ("chainrule.tensor.overriding", "dispatcher"): "the operator itself, with nobody asked",
    ("chainrule.tensor.pickling", "dispatcher"): "wrapper tensors are copied by their class",
    ("chainrule.tensor.tensor", "dispatcher"): "a class may ask to be asked about ops",
    ("chainrule.utils._mode_utils", "dispatcher"): "a block in which nobody is asked",
    ("chainrule.utils._python_dispatch", "dispatcher"): "modes that are asked about ops",
    ("chainrule.tensor.overriding", "overrides"): "an error names functions as users call them",
    ("chainrule.tensor.namespaces", "run"): "names that are missing are helped with",
    ("chainrule.tensor.functions.nn_linear", "sparse"): "sparse=True marks the rows of gradients",
}

# Imported when used, so that `import chainrule` stays close to `import numpy`.
HEAVY = {"scipy", "ml_dtypes", "llvmlite", "rich", "safetensors", "mpi4py", "matplotlib"}
ABOVE_THE_TABLE = {"Tensor", "Tracer"}


@dataclass(frozen=True)
class Import:
    importer: str  # dotted module name, e.g. "chainrule.ops.table"
    imported: str  # dotted name, e.g. "chainrule.autograd.engine" or "numpy"
    deferred: bool  # inside a function, or for the type checker only
    line: int

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    parts = ("chainrule", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source: str, module: str, *, is_package: bool) -> list[Import]:
    """All imports of a file; relative ones are resolved as Python would."""
    package = module if is_package else module.rpartition(".")[0]
    return [
        Import(module, name, deferred, node.lineno)
        for node, deferred in walk(ast.parse(source), deferred=False)
        for name in names_imported_by(node, package)
    ]


def walk(node: ast.AST, *, deferred: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node under `node`, with whether it runs only later (or never)."""
    yield node, deferred
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for child in node.body:
            yield from walk(child, deferred=True)
        for child in node.orelse:
            yield from walk(child, deferred=deferred)
        return
    inside = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from walk(child, deferred=inside)


def names_imported_by(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = resolve(package, node.level, node.module or "")
        if base == "chainrule":  # `from chainrule import ops` imports the layer, not the namespace
            return [f"chainrule.{alias.name}" for alias in node.names]
        return [base]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = ast.unparse(node.func).rpartition(".")[2]
        target = node.args[0].value
        if called in ("import_module", "__import__", "Later") and isinstance(target, str):
            level = len(target) - len(target.lstrip("."))
            return [resolve(package, level, target[level:])]
    return []


def resolve(package: str, level: int, name: str) -> str:
    if level == 0:
        return name
    ancestors = package.split(".")
    return ".".join([*ancestors[: len(ancestors) - level + 1], *filter(None, [name])])


def layer_of(module: str) -> str:
    """The layer of a module of ours: a folder, a file beside them, or the namespace itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and is_submodule(parts[1]) else "chainrule"


def is_submodule(name: str) -> bool:
    return name in RANK or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()


def upward(found: list[Import]) -> list[Import]:
    """Imports of a higher layer. The namespace re-exports all layers, so it may look anywhere."""
    return [
        one
        for one in found
        if one.imported.split(".")[0] == "chainrule"
        and layer_of(one.importer) != "chainrule"
        and RANK[layer_of(one.imported)] > RANK[layer_of(one.importer)]
    ]


def room_of(module: str) -> str:
    """The room of a module of the compiler; `native` has rooms of its own inside."""
    inside = module.removeprefix("chainrule.compiler").lstrip(".")
    return max((r for r in ROOMS if f"{inside}.".startswith(f"{r}.")), key=len, default="__init__")


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other in a circle."""
    order: list[str] = []
    seen: set[str] = set()

    def visit(node: str, ways: dict[str, set[str]], into: list[str]) -> None:
        stack = [(node, iter(sorted(ways.get(node, ()))))]
        seen.add(node)
        while stack:
            current, rest = stack[-1]
            following = next((n for n in rest if n not in seen), None)
            if following is None:
                into.append(current)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(sorted(ways.get(following, ())))))

    for node in sorted(edges):
        if node not in seen:
            visit(node, edges, order)
    back: dict[str, set[str]] = {}
    for node, targets in edges.items():
        for target in targets:
            back.setdefault(target, set()).add(node)
    seen.clear()
    found = []
    for node in reversed(order):
        if node not in seen:
            group: list[str] = []
            visit(node, back, group)
            if len(group) > 1 or node in edges.get(node, ()):
                found.append(sorted(group))
    return found


def names_above_the_table(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        for attribute in ("id", "attr", "name", "arg", "asname"):
            if getattr(node, attribute, None) in ABOVE_THE_TABLE:
                found.append(f"line {getattr(node, 'lineno', '?')}: {getattr(node, attribute)}")
    return found


FILES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = [
    one
    for path in FILES
    for one in imports_of(
        path.read_text(encoding="utf-8"), module_name(path), is_package=path.stem == "__init__"
    )
]


def test_every_folder_and_file_has_one_place():
    places = Counter(name for names in LAYERS for name in names)
    assert [name for name, count in places.items() if count > 1] == []


def test_every_folder_and_file_has_its_place_in_the_layers():
    homeless = {layer_of(module_name(path)) for path in FILES} - RANK.keys()
    assert homeless == set(), f"add to LAYERS: {sorted(homeless)}"


def test_no_module_imports_a_higher_layer():
    assert [str(one) for one in upward(IMPORTS) if not one.deferred] == []


def within_the_compiler() -> list[Import]:
    """What modules of the compiler import of it."""
    found = named_imports((PACKAGE / "compiler").rglob("*.py"))
    return [one for one in found if one.imported.startswith("chainrule.compiler")]


def named_imports(files: Iterable[Path]) -> list[Import]:
    """What files import of the package; `from room import module` names the module."""
    modules = {module_name(path) for path in FILES}
    found = []
    for path in sorted(files):
        name, source = module_name(path), path.read_text(encoding="utf-8")
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        for node, deferred in walk(ast.parse(source), deferred=False):
            named = []
            if isinstance(node, ast.ImportFrom):
                base = resolve(package, node.level, node.module or "")
                whole = [f"{base}.{alias.name}" for alias in node.names]
                named = [w if w in modules else base for w in whole]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Later":
                named, deferred = names_imported_by(node, package), True  # loaded when used
            found += [
                Import(name, target, deferred, node.lineno)
                for target in named
                if target.startswith("chainrule") and target != name
            ]
    return found


def test_imports_of_the_compiler_point_to_earlier_rooms():
    rank = {room: number for number, room in enumerate(ROOMS)}
    wrong = [
        str(one)
        for one in within_the_compiler()
        if rank[room_of(one.imported)] > rank[room_of(one.importer)]
    ]
    assert wrong == []


def test_no_modules_of_the_compiler_import_each_other_in_a_circle():
    edges: dict[str, set[str]] = {}
    for one in within_the_compiler():
        edges.setdefault(one.importer, set()).add(one.imported)
    assert cycles(edges) == []


def test_no_modules_import_each_other_in_a_circle():
    """Functions may import what imports them, when they run; modules may not, outside functions."""
    modules = {module_name(path) for path in FILES}
    edges: dict[str, set[str]] = {}
    for one in named_imports(FILES):
        if one.imported in modules - {"chainrule"} and not one.deferred:
            edges.setdefault(one.importer, set()).add(one.imported)
    assert len(edges) > 900
    assert cycles(edges) == []


# Where functions do import what imports them: one circle of what records ops and what runs
# backward, one of tensors and the kinds of tensors that are loaded when they are met.
CIRCLES_IN_FUNCTIONS = (
    {"autograd"},
    {"tensor", "dispatcher", "interop", "library", "overrides", "sparse", "special", "standins"},
)


def test_no_other_folder_has_a_circle_in_functions_either():
    modules = {module_name(path) for path in FILES}
    edges: dict[str, set[str]] = {}
    for one in named_imports(FILES):
        if one.imported in modules - {"chainrule"} and one.importer != "chainrule":
            edges.setdefault(one.importer, set()).add(one.imported)
    circles = [c for c in cycles(edges) if {layer_of(m) for m in c} not in CIRCLES_IN_FUNCTIONS]
    assert circles == []
    assert len(cycles(edges)) == len(CIRCLES_IN_FUNCTIONS)


def test_circles_are_found_however_long_they_are():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert cycles({"a": {"b", "c"}, "b": {"c"}}) == []


def test_deferred_imports_of_a_higher_layer_are_listed_with_a_reason():
    used = {(one.importer, layer_of(one.imported)): one for one in upward(IMPORTS) if one.deferred}
    unlisted = [str(one) for key, one in used.items() if key not in DEFERRED_UPWARD_IMPORTS]
    assert unlisted == []
    assert sorted(DEFERRED_UPWARD_IMPORTS.keys() - used.keys()) == [], "listed but not used"
    assert all(DEFERRED_UPWARD_IMPORTS.values())


def test_the_ops_name_neither_tensor_nor_tracer():
    named = {
        str(path.relative_to(PACKAGE)): found
        for path in sorted((PACKAGE / "ops").rglob("*.py"))
        if (found := names_above_the_table(path.read_text(encoding="utf-8")))
    }
    assert named == {}


def test_only_the_llvm_files_of_the_compiler_import_llvmlite():
    importers = {one.importer for one in IMPORTS if one.imported.split(".")[0] == "llvmlite"}
    assert sorted(name for name in importers if not is_llvm_file(name)) == []


def test_heavy_packages_are_imported_when_used():
    eager = [
        str(one)
        for one in IMPORTS
        if one.imported.split(".")[0] in HEAVY
        and not one.deferred
        and not (is_llvm_file(one.importer) and one.imported.startswith("llvmlite"))
    ]
    assert eager == []


def test_nothing_imports_torch():
    # The stand-in for functorch imports the one for torch beside it, not PyTorch.
    found = [str(one) for one in IMPORTS if one.imported.split(".")[0] == "torch"]
    assert [f for f in found if "for_children.functorch" not in f] == []


def is_llvm_file(module: str) -> bool:
    return module.startswith("chainrule.compiler.machine.llvm")


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("chainrule.ops.a", "from ..autograd import engine", ["chainrule.autograd"]),
        ("chainrule.ops.a", "from .. import tensor", ["chainrule.tensor"]),
        ("chainrule.ops.a", "import chainrule.tensor.core", ["chainrule.tensor.core"]),
        ("chainrule.ops.a", "from chainrule import Tensor", ["chainrule.Tensor"]),
        ("chainrule.ops.a", "def f():\n    from ..nn import Module", ["chainrule.nn"]),
        ("chainrule.ops.a", "import_module('..nn', __package__)", ["chainrule.nn"]),
        ("chainrule.ops.a", "from .b import c\nfrom ..ir import Expr\nimport numpy", []),
        ("chainrule.cli", "from .doctor import watch\nfrom . import nn", []),
    ],
)
def test_upward_imports_are_recognised_however_they_are_written(module, source, found):
    assert [one.imported for one in upward(imports_of(source, module, is_package=False))] == found


@pytest.mark.parametrize(
    ("source", "deferred"),
    [
        ("import scipy", False),
        ("try:\n    import scipy\nexcept ImportError:\n    pass", False),
        ("class A:\n    import scipy", False),
        ("def f():\n    import scipy", True),
        ("if TYPE_CHECKING:\n    import scipy", True),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import scipy", False),
    ],
)
def test_an_import_is_deferred_only_in_functions_and_for_the_type_checker(source, deferred):
    (found,) = imports_of(source, "chainrule.ops.a", is_package=False)
    assert found.deferred is deferred


@pytest.mark.parametrize(
    "source",
    ["isinstance(x, Tensor)", "x = core.Tensor", "from a import Tensor", "class Tensor: pass"],
)
def test_naming_tensor_is_recognised_in_code_but_not_in_prose(source):
    assert names_above_the_table(source) != []
    assert names_above_the_table(f"'''{source}'''") == []
