"""The notebooks run from top to bottom, and what a cell ends with can be shown."""

import ast
import contextlib
import io
import json
import linecache
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def run_cell(source: str, space: dict, name: str) -> tuple[str, object]:
    """What a cell prints, and the value of the expression it ends with."""
    # As Jupyter does it, so that reports can show lines of cells.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, name, "exec"), space)
        value = (
            None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), space)
        )
    return out.getvalue(), value


def test_there_are_notebooks():
    assert {p.stem for p in NOTEBOOKS} >= {"explain", "sensitivity"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_cell_runs_and_shows_something(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    space: dict = {"__name__": "__main__"}
    shown = 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []  # kept clean: outputs would go stale
        printed, value = run_cell("".join(cell["source"]), space, f"{path.name}[{number}]")
        if value is not None:
            markup = value._repr_html_()
            assert "<svg" in markup or "<table" in markup
            assert markup.count("<svg ") == markup.count("</svg>")
        shown += bool(printed) or value is not None
    assert shown >= 2


def test_pictures_are_well_formed():
    import chainrule

    def f(a, b):
        c = a * b
        return c + a

    s = chainrule.sensitivity(f, at={"a": 2.0, "b": 3.0})
    for one in (s, s.tornado(), s.sweep("a", 0, 5), s.what_if(a=1)):
        xml.fromstring(one.to_svg())
