"""The READMEs of folders: examples run, and printed programs are what is printed."""

import doctest
import re
from pathlib import Path

import pytest

import chainrule as torch
from chainrule.compiler import passes
from chainrule.compiler.loops.nest import format_kernel
from chainrule.compiler.loops.schedule import Schedule
from chainrule.compiler.runtime import plan

ROOMS = Path(torch.__file__).parent / "compiler"
READMES = sorted(ROOMS.rglob("README.md"))
OTHERS = [ROOMS.parent / folder / "README.md" for folder in ("autograd", "ops", "tensor")]


@pytest.fixture(scope="module")
def example():
    """The program of the function that goes through all rooms, as it was traced."""
    source = (ROOMS / "README.md").read_text(encoding="utf-8")
    names: dict = {"torch": torch}
    exec(re.search(r"```python\n(def f.*?)```", source, re.S).group(1), names)
    seen = []

    class Noting(plan.Plan):
        def __init__(self, graph, *args, **kwargs):
            seen.append(graph)
            super().__init__(graph, *args, **kwargs)

    compiled = torch.compile(names["f"])
    x, w = torch.randn(4, 3), torch.randn(3, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chainrule.compiler.capture.runner.Plan", Noting)
        for _ in range(4):
            compiled(x, w)
    return seen[0]


def printed(room: str) -> str:
    return re.findall(r"```text\n(.*?)\n```", (ROOMS / room / "README.md").read_text(), re.S)[-1]


def test_every_room_says_what_it_is():
    rooms = {p.parent for p in ROOMS.glob("*/__init__.py")}
    assert rooms == {p.parent for p in READMES} - {ROOMS}


@pytest.mark.parametrize("room", ["graph", "capture"])
def test_the_traced_program(example, room):
    assert str(example) == printed(room)


def test_the_program_after_all_passes(example):
    assert str(passes.optimise(example)) == printed("passes")


def test_the_loop_nest(example):
    calls = Schedule(passes.optimise(example)).calls
    assert format_kernel(calls[-1].kernel) == printed("loops")


@pytest.mark.parametrize("path", READMES + OTHERS, ids=lambda p: p.parent.name)
def test_examples_of_readmes_run(path):
    results = doctest.testfile(str(path), module_relative=False)
    assert results.failed == 0


@pytest.mark.parametrize("path", OTHERS, ids=lambda p: p.parent.name)
def test_files_that_readmes_name_exist(path):
    named = re.findall(r"`([\w*]+\.py|\w+/)`", path.read_text(encoding="utf-8"))
    assert [name for name in named if not list(path.parent.glob(name))] == []


@pytest.mark.parametrize("path", OTHERS[1:], ids=lambda p: p.parent.name)
def test_readmes_name_every_file(path):
    text = path.read_text(encoding="utf-8")
    patterns = re.findall(r"`([\w*]+\.py)`", text)
    known = {found.name for pattern in patterns for found in path.parent.glob(pattern)}
    assert {p.name for p in path.parent.glob("[a-z]*.py")} - known == set()
