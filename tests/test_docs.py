"""The documentation runs, links to what exists, and its generated pages are up to date."""

import contextlib
import importlib.util
import io
import linecache
import re
from pathlib import Path

import numpy as np
import pytest

from chainrule import ir
from chainrule.ops import batching, formulas, kernels, row_formulas, schema
from chainrule.tensor import api

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
ELSEWHERE = {"checking.md"}  # its reports name lines: tests/checking/test_docs.py runs it
FOLDERS_OF_CODE = ("src", "tests", "tools", "bench", "fuzz", "examples")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def named(path: Path) -> str:
    return path.name


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names_of_adding_ops(monkeypatch) -> dict:
    """The page shows declarations of ops that exist: they are made into empty tables."""
    from ops import sample

    monkeypatch.setattr(schema, "TABLE", {})
    monkeypatch.setattr(api, "API", {})
    declare = {"op": schema.op, "public": api.public}
    kept = {"FORMULAS": {}, "TABLE": schema.TABLE}  # what the page declares is forgotten after it
    for name, value in kept.items():
        monkeypatch.setattr(formulas, name, value)
        monkeypatch.setattr(row_formulas, name, value)
    declare |= {"schema": schema, "Formula": formulas.Formula, "FORMULAS": kept["FORMULAS"]}
    declare |= {"RowFormula": row_formulas.RowFormula, "ROW": row_formulas.ROW}
    declare |= {"Front": batching.Front, "fast": kernels.Kernels()}
    return {**vars(sample), **declare, "ir": ir, "np": np}


def names_of_benchmarks(_) -> dict:
    from bench.engines import Engine

    return {"Engine": Engine}


BEFORE = {"adding_ops.md": names_of_adding_ops, "benchmarks.md": names_of_benchmarks}


def matches(shown: str, printed: str) -> bool:
    """Whether the output is the shown one; `...` stands for anything within a line."""
    pattern = re.escape(shown).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in ELSEWHERE], ids=named)
def test_every_python_block_runs_and_prints_what_follows_it(page, monkeypatch, tmp_path):
    """The blocks of a page are one program; a `text` block shows the output of the one before."""
    monkeypatch.chdir(tmp_path)
    space = BEFORE.get(page.name, lambda _: {})(monkeypatch) | {"__name__": "page"}
    printed = None
    whole = page.read_text(encoding="utf-8")
    # Reports may show lines of the page: the code is compiled where it stands.
    linecache.cache[page.name] = (len(whole), None, whole.splitlines(keepends=True), page.name)
    for block in BLOCK.finditer(whole):
        language, text = block.groups()
        if language == "python":
            above = "\n" * whole[: block.start(2)].count("\n")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(above + text, page.name, "exec"), space)
            printed = out.getvalue()
        elif language == "text" and printed is not None:
            assert matches(text, printed), f"{page.name} shows\n{text}\nbut prints\n{printed}"
            printed = None


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=named)
def test_every_link_leads_to_a_file(page):
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [path for path in linked if not (page.parent / path).exists()] == []


def test_the_navigation_names_every_page_once():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r": (\w+\.md)$", settings, re.M)
    assert sorted(listed) == sorted(p.name for p in (ROOT / "docs").glob("*.md"))


def test_every_page_can_be_found_from_the_first():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert {name for name in pages if f"({name})" not in text} == set()


def test_generated_pages_are_up_to_date():
    made = load(ROOT / "tools" / "generate_docs.py").pages()
    stale = [p.name for p, text in made.items() if p.read_text(encoding="utf-8") != text]
    assert not stale, "run: python tools/generate_docs.py"


def rows_of_the_map() -> dict[str, list[tuple[str, str]]]:
    """What each row promises, and the (file, test) pairs that it names."""
    text = (ROOT / "docs" / "spec_map.md").read_text(encoding="utf-8")
    lines = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    return {
        cells[1].strip(): re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", cells[-2])
        for cells in lines
        if cells[-2].strip() != "tests"
    }


def test_every_test_of_the_map_exists():
    rows = rows_of_the_map()
    assert [promise for promise, tests in rows.items() if not tests] == []
    for path, test in (pair for tests in rows.values() for pair in tests):
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {test or 'test_'}", source, re.M), f"{path} has no {test}"
        assert not test or re.search(rf"^def {test}\(", source, re.M), f"{path}::{test}"


def test_the_map_covers_every_part_of_the_training_stack():
    parts = {promise.partition(":")[0] for promise in rows_of_the_map()}
    asked = {
        "nn", "numerically safe", "attention", "optim", "amp", "checkpointing", "data", "saving",
        "gradient accumulation", "truncated BPTT", "teacher and student", "target networks, GANs",
        "frozen layers", "weight sharing", "distributions", "running scripts", "bad input",
    }  # fmt: skip
    assert asked - parts == set()


def test_the_map_covers_every_part_of_the_compiler():
    parts = {promise.partition(":")[0] for promise in rows_of_the_map()}
    asked = {
        "compile", "capture", "guards", "fallback", "side effects", "graph", "passes", "fusion",
        "memory", "machine code", "extern steps", "cache", "without llvmlite", "eager kernels",
        "results are never overwritten", "explain and log", "fuzzer",
    }  # fmt: skip
    assert asked - parts == set()


# Programs of the reader's own in examples.
READERS_FILES = {"hubconf.py", "model.py", "your_script.py"}


def test_files_that_pages_name_exist():
    files = [f"/{p.relative_to(ROOT)}" for d in FOLDERS_OF_CODE for p in (ROOT / d).rglob("*.py")]
    readmes = sorted((ROOT / "src").rglob("README.md"))
    gone = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in [*PAGES, ROOT / "CONTRIBUTING.md", *readmes]
        for name in re.findall(r"[\w/]+\.py\b", page.read_text(encoding="utf-8"))
        if name not in READERS_FILES and not any(f.endswith(f"/{name}") for f in files)
    ]
    assert gone == []
