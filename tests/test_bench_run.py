"""Whole runs of the benchmarks with chainrule alone: one command, wherever it is installed."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bench.command import main

ROOT = Path(__file__).resolve().parent.parent
OURS = "chainrule,compiled,control,floor"


def run(tmp_path, *arguments: str) -> dict:
    path = tmp_path / "run.json"
    assert main(["--engines", OURS, "--quick", "--json", str(path), *arguments]) == 0
    return {row["name"]: row for row in json.loads(path.read_text())["rows"]}


def test_a_quick_run_times_eager_and_compiled_steps_above_their_floor(tmp_path, capsys):
    rows = run(tmp_path, "--only", "train/mlp/2-16*")
    row = rows["train/mlp/2-16-16-2/b32"]
    assert set(row["best"]) == {"chainrule", "compiled", "floor"}
    assert row["agree"]
    assert row["times the floor"] > 0
    assert "floor ran 8 products" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["chain/1e3/gradient", "inference/mlp/2-16-16-2/b1", "hvp/*"])
def test_other_families_run_eagerly_and_compiled(tmp_path, name):
    (row,) = run(tmp_path, "--only", name).values()
    assert set(row["best"]) == {"chainrule", "compiled"}
    assert row["unavailable"] == {}
    assert row["agree"]


def test_new_processes_measure_attention_and_imports(tmp_path):
    rows = run(tmp_path, "--only", "attention/512/*") | run(tmp_path, "--only", "import")
    assert rows["attention/512/blockwise/memory"]["best"]["chainrule"] > 0
    assert rows["attention/512/materialised/time"]["best"]["chainrule"] > 0
    assert set(rows["import"]["best"]) == {"chainrule", "control"}
    values = [rows[f"attention/512/{form}/time"] for form in ("blockwise", "materialised")]
    assert all(row["unavailable"] == {} for row in values)


def test_an_unknown_engine_is_refused_with_the_names_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["--engines", "caffe"])
    assert "there is no engine 'caffe'; there are chainrule, compiled, torch" in (
        capsys.readouterr().err
    )


def test_the_command_works_from_an_installed_package(tmp_path):
    """Laid out as pyproject.toml tells the wheel to be, far from the source tree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    ignored = shutil.ignore_patterns("__pycache__")
    (package,) = wheel["packages"]
    shutil.copytree(ROOT / package, tmp_path / "site" / "chainrule", ignore=ignored)
    for source, target in wheel["force-include"].items():
        shutil.copytree(ROOT / source, tmp_path / "site" / target, ignore=ignored)
    command = ["bench", "--engines", "chainrule,control", "--quick", "--only", "op/add/1/forward"]
    ran = subprocess.run(
        [sys.executable, "-m", "chainrule", *command],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "op/add/1/forward" in ran.stdout
