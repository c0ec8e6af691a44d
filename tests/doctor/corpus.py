"""The corpus of the doctor: broken scripts, each with its repaired twin, and healthy ones.

A broken script is one file that holds both forms:

    loss.backward()            the same in both
    optimizer.zero_grad()  #+  only in the repaired twin
    lr = 10.0  #-              only in the broken script
    loss.backward()  #!        the line that a finding should name (`#-!`: only there when broken)

Its name begins with the rule's id: `missing-zero-grad.plain_loop.py`. A line `#= data.py` begins a
module that lies beside the script, `#= main` the script itself; a line `#= cell` begins a cell of a
notebook: every cell is compiled as a file of its own and all run in one namespace.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import itertools
import linecache
import os
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

HERE = Path(__file__).parent
_MARK = re.compile(r"\s*#([+-]?!?)$")


@dataclass(frozen=True)
class Part:
    """A file of a program: its script, a module beside it or a cell of a notebook."""

    name: str  # "main", "data.py", "cell 1"
    text: str

    @property
    def is_module(self) -> bool:
        """Is it imported by the others?"""
        return self.name.endswith(".py")


@dataclass(frozen=True)
class Script:
    """A program of the corpus."""

    name: str
    parts: tuple[Part, ...]
    rule: str = ""  # the rule that has to speak; "" for a healthy one
    places: tuple[tuple[str, int], ...] = ()  # the parts and lines that it may name

    def seeded(self, seed: int) -> Script:
        """The same program with another seed."""
        parts = tuple(Part(part.name, _with_seed(part.text, seed)) for part in self.parts)
        return Script(self.name, parts, self.rule, self.places)

    def file(self, part: Part) -> str:
        """The name of the file that a part becomes."""
        return part.name if part.is_module else f"{self.name}.{part.name}.py".replace(" ", "_")

    def is_place(self, finding: Any) -> bool:
        """Does a finding name one of the lines of the cause?"""
        files = {self.file(part): part.name for part in self.parts}
        return (files.get(Path(finding.file).name), finding.line) in self.places


def _with_seed(text: str, seed: int) -> str:
    return re.sub(r"(manual_seed|default_rng|random\.seed)\(\d+\)", rf"\g<1>({seed})", text)


def broken(folder: Path = HERE / "broken") -> list[Script]:
    """The broken scripts."""
    return [_variant(path, "-") for path in sorted(folder.glob("*.py"))]


def repaired(folder: Path = HERE / "broken") -> list[Script]:
    """Their repaired twins: nothing is wrong with these."""
    return [_variant(path, "+") for path in sorted(folder.glob("*.py"))]


def healthy(folder: Path = HERE / "healthy") -> list[Script]:
    """Scripts that look odd and are fine."""
    return [_variant(path, "+") for path in sorted(folder.glob("*.py"))]


def programs() -> list[Script]:
    """The programs of other tests and the examples: healthy as well."""
    root = HERE.parents[1]
    paths = [*(root / "tests" / "programs").glob("*.py"), *(root / "examples").glob("*.py")]
    return [Script(p.stem, (Part("main", p.read_text("utf-8")),)) for p in sorted(paths)]


def _variant(path: Path, sign: str) -> Script:
    texts: list[tuple[str, list[str]]] = [("main", [])]
    places: list[tuple[str, int]] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#= "):
            name = line[3:]
            texts.append((f"cell {len(texts)}" if name == "cell" else name, []))
            continue
        name, kept = texts[-1]
        found = _MARK.search(line)
        mark = found[1] if found else ""
        if {"+", "-"} & set(mark) and sign not in mark:
            continue
        kept.append(line[: found.start()] if found else line)
        if "!" in mark:
            places.append((name, len(kept)))
    parts = tuple(Part(name, "\n".join(kept) + "\n") for name, kept in texts if kept)
    if sign == "+":
        return Script(path.stem, parts)
    return Script(path.stem, parts, path.stem.split(".")[0], tuple(places))


# ---- the same programs in other clothes ----------------------------------------------------------


def as_notebook(script: Script) -> Script:
    """The script as a notebook: loops, functions and classes in cells of their own."""
    main = script.parts[-1]
    lines = main.text.splitlines()
    begins = [0]
    for node in ast.parse(main.text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        if isinstance(node, ast.For | ast.While | ast.With | ast.FunctionDef | ast.ClassDef):
            begins += [first, node.end_lineno or first]
    cuts = sorted({*begins, len(lines)})
    cells = [(a, b) for a, b in itertools.pairwise(cuts) if "".join(lines[a:b]).strip()]
    parts = [Part(f"cell {k}", "\n".join(lines[a:b]) + "\n") for k, (a, b) in enumerate(cells, 1)]
    places = [
        (f"cell {k}", line - a) if name == main.name else (name, line)
        for name, line in script.places
        for k, (a, b) in enumerate(cells, 1)
        if name != main.name or a < line <= b
    ]
    return Script(script.name, (*script.parts[:-1], *parts), script.rule, tuple(places))


def in_a_module(script: Script) -> Script:
    """The script as a function of a module that another script imports."""
    main = script.parts[-1]
    text = re.sub(r"if __name__ == (['\"])__main__\1:", "if True:", main.text)
    inside = "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
    program = Part("program.py", f"def main():\n{inside}")
    caller = Part("main", "from program import main\n\nmain()\n")
    places = [
        ("program.py", line + 1) if name == main.name else (name, line)
        for name, line in script.places
    ]
    return Script(script.name, (*script.parts[:-1], program, caller), script.rule, tuple(places))


def can_be_dressed(script: Script) -> bool:
    """Whether other clothes fit: notebooks and scripts with global names have their own form."""
    main = script.parts[-1]
    unfit = ("global ", "__future__", '"""')
    return main.name == "main" and not any(word in main.text for word in unfit)


STYLES = {"notebook": as_notebook, "module": in_a_module}


def diagnose(script: Script, folder: Path, **options: Any) -> Any:
    """Run a script under the doctor's watch; returns the diagnosis."""
    import chainrule.run
    from chainrule.doctor import watch

    codes = [code for part in script.parts if (code := _written(script, part, folder))]
    linecache.checkcache()
    space = ModuleType("__main__")
    space.__file__ = codes[-1].co_filename
    before, state = sys.modules["__main__"], _random_state()
    with (
        chainrule.run.installed(),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        _importable(folder, {part.name[:-3] for part in script.parts if part.is_module}),
    ):
        warnings.simplefilter("ignore")
        watched = watch(**options)
        sys.modules["__main__"] = space
        try:
            with watched:
                for code in codes:
                    exec(code, vars(space))
        except Exception as problem:
            if not script.rule or isinstance(problem, ImportError):
                raise AssertionError(f"{script.name} is meant to run") from problem
        finally:
            sys.modules["__main__"] = before
            _put_back(state)
    diagnosis = watched.diagnosis
    assert diagnosis.run.failures == {}
    return diagnosis


def _written(script: Script, part: Part, folder: Path) -> CodeType | None:
    """Write a part to its file; its code, where it is not imported by another part."""
    path = folder / script.file(part)
    path.write_text(part.text, "utf-8")
    return None if part.is_module else compile(part.text, str(path), "exec")


@contextlib.contextmanager
def _importable(folder: Path, modules: set[str]) -> Iterator[None]:
    """Let a script import the modules beside it, and forget them afterwards.

    One of that name that was imported before (the package `data` of the tests) is put aside.
    """
    aside = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    sys.path.insert(0, str(folder))
    cached, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = cached
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(aside)


def _random_state() -> Any:
    import chainrule

    enabled = chainrule.is_grad_enabled()
    return chainrule.get_rng_state(), enabled, chainrule.get_default_dtype(), dict(os.environ)


def _put_back(state: Any) -> None:
    import chainrule

    chainrule.set_rng_state(state[0])
    chainrule.set_grad_enabled(state[1])
    chainrule.set_default_dtype(state[2])
    os.environ.clear()
    os.environ.update(state[3])
    if chainrule.distributed.is_initialized():
        chainrule.distributed.destroy_process_group()
