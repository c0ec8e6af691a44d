"""`chainrule memory` and `chainrule profile` of scripts and of `file.py:function`."""

import json

import pytest

from chainrule.cli import main

PROGRAM = """
import sys
import torch

def step():
    layer = torch.nn.Linear(100, 100)
    layer(torch.ones(50, 100)).exp().sum().backward()

if __name__ == "__main__":
    print("arguments", sys.argv[1:])
    step()
    sys.exit(0)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    import sys

    from chainrule import run

    path = tmp_path / "program_of_memory_test.py"
    path.write_text(PROGRAM)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    main_module = sys.modules["__main__"]
    yield path
    sys.modules["__main__"] = main_module
    sys.modules.pop(path.stem, None)
    run.uninstall()


def test_a_script_with_its_arguments(program, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["memory", "--html", str(page), str(program), "--fast", "1"]) == 0
    out = capsys.readouterr().out
    assert "arguments ['--fast', '1']" in out
    assert "peak above it" in out and "exp" in out
    assert "layer(torch.ones(50, 100))" in page.read_text()


def test_a_function_of_a_file_as_json(program, capsys):
    assert main(["memory", "--json", f"{program}:step"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["saved_peak"] == 2 * 50 * 100 * 4  # the input of the layer, and exp's result


def test_what_is_not_there(program, capsys):
    assert main(["memory", f"{program}:stepp"]) == 2
    assert "has no 'stepp'; it has step" in capsys.readouterr().err
    assert main(["memory", "nowhere.py"]) == 2


def test_time_of_a_function(program, tmp_path, capsys):
    page, trace = tmp_path / "time.html", tmp_path / "trace.json"
    arguments = ["profile", "--html", str(page), "--trace", str(trace), f"{program}:step"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "by line" in out and "aten::exp" in out and "backward" in out
    assert "<svg" in page.read_text() and json.loads(trace.read_text())["traceEvents"]
