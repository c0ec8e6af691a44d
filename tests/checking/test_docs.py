"""docs/checking.md runs, and prints what it says; so do the docstrings."""

import contextlib
import doctest
import importlib
import io
import linecache
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "checking.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.M | re.S)
MODULES = [
    "checking.gradcheck",
    "checking.activation",
    "checking.points",
    "derivatives.compare",
    "derivatives.formula",
    "derivatives.numeric",
]


def test_every_block_of_the_page_prints_what_follows_it():
    space: dict = {"__name__": "page"}
    printed, compared = "", 0
    for language, text in BLOCKS:
        if language == "text":
            assert printed == text
            compared += 1
            continue
        name = "model.py"  # what reports call the file the reader would have
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, name, "exec"), space)
        printed = out.getvalue()
    assert compared == 8


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name):
    module = importlib.import_module(f"chainrule.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
