"""Record the names that modules of PyTorch merely import, which programs then import from there.

    python tools/record/record_imported.py FILE    (in an environment that has torch)
    python tools/generate_imported.py FILE         (in one that has chainrule)

`from torch.nn.modules.dropout import Module` works in PyTorch, because that file imports it. Each
such name is written with where PyTorch has it: a line per module, and below it per home the names,
or `name=path` where the name is another one (`F=torch.nn.functional`). The second command keeps
what chainrule has too, and has nowhere else.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import inspect
import io
import pkgutil
import sys
import textwrap
import warnings
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

# Compilers' and testers' insides, devices that are not here, and files that run something.
SKIPPED = (
    "torch._inductor", "torch._dynamo", "torch._export", "torch._functorch", "torch._numpy",
    "torch._native", "torch._prims", "torch._refs", "torch._vendor", "torch._strobelight",
    "torch.bin", "torch.contrib", "torch.mtia", "torch.nativert", "torch.test",
    "torch.testing._internal", "torch.utils.benchmark.examples", "torch.utils.bottleneck",
    "torch.xpu", "torch._decomp", "torch._meta_registrations",
)  # fmt: skip


def modules() -> list[str]:
    found = ["torch"]
    for one in pkgutil.walk_packages(sys.modules["torch"].__path__, "torch.", lambda name: None):
        if not one.name.startswith(SKIPPED) and "__main__" not in one.name:
            found.append(one.name)
    return found


@functools.cache
def import_lines(module: ModuleType) -> dict[str, tuple[str, str]]:
    """By name, the module and the name there of what a file imports with `from ... import`."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, tuple[str, str]] = {}
    for line in ast.walk(tree):
        if isinstance(line, ast.ImportFrom):
            dots = "." * line.level
            home = importlib.util.resolve_name(dots + (line.module or ""), module.__package__)
            found |= {one.asname or one.name: (home, one.name) for one in line.names}
    return found


def source_of(module: ModuleType, name: str, value: Any) -> str:
    """Where a value that knows no home of its own, such as an alias of types, is imported from."""
    home, own = import_lines(module).get(name, ("", ""))
    if home == "__future__" or own == "TYPE_CHECKING":  # of the file, not for others
        return ""
    if getattr(sys.modules.get(home), own, None) is not value or value is None:
        return ""
    return home if own == name else f"={home}.{own}"


def home_of(module: ModuleType, name: str, value: Any) -> str:
    """The module that has a value under its name, or its whole path under another name."""
    if isinstance(value, ModuleType):
        path = value.__name__
        return "" if path == f"{module.__name__}.{name}" else f"={path}"
    if not isinstance(value, type | FunctionType | BuiltinFunctionType):
        return source_of(module, name, value)
    home, own = value.__module__, value.__name__
    if not isinstance(home, str) or home == module.__name__:
        return ""
    if getattr(sys.modules.get(home), own, None) is not value:
        return ""
    return home if own == name else f"={home}.{own}"


def rows(module: ModuleType) -> dict[str, list[str]]:
    """By home, the names of a module that are at home elsewhere."""
    found: dict[str, list[str]] = {}
    for name, value in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        home = home_of(module, name, value)
        if home.startswith("="):
            found.setdefault("", []).append(name + home)
        elif home:
            found.setdefault(home, []).append(name)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    importlib.import_module("torch")
    lines = []
    for path in modules():
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                module = importlib.import_module(path)
        except BaseException:  # an optional package that is not installed
            continue
        found = rows(module)
        if found:
            lines.append(path)
        for home, names in sorted(found.items()):
            head = home or "-"
            for part in textwrap.wrap(" ".join(names), 90, break_long_words=False):
                lines.append(f"  {head} {part}")
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
