"""Other programs and libraries ask whether torch is there, and which: chainrule answers."""

import os
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

import chainrule
from chainrule import run
from chainrule.run import environment

SOURCE = str(Path(chainrule.__file__).parents[1])
QUESTIONS = """
import importlib.metadata as metadata, importlib.util as util
print(metadata.version("torch"), metadata.packages_distributions()["torch"])
print(metadata.requires("torch"), util.find_spec("torch").name)
print(util.find_spec("torch.nn.functional") is not None, util.find_spec("torch.nowhere"))
import torch, torch.nn.functional as F
print(torch.nn.functional is F, F.__name__, torch.torch is torch)
"""
ANSWERS = """2.13.0+chainrule ['torch']
['chainrule'] torch
True None
True chainrule.nn.functional True
"""


def python(folder, *arguments, **environ):
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": SOURCE, **environ},
    )  # fmt: skip


def test_the_entry_tells_the_version_that_is_reported():
    (entry,) = metadata.distributions(name="torch", path=[str(environment.STAND_IN)])
    assert entry.version == run.REPORTED_VERSION == "2.13.0+chainrule"
    assert entry.requires == ["chainrule"]


def test_a_program_finds_torch_before_and_after_importing_it(tmp_path):
    ran = python(tmp_path, "-m", "chainrule", "run", "-c", QUESTIONS)
    assert (ran.stdout, ran.stderr) == (ANSWERS, "")


def test_a_program_that_a_program_starts_finds_it_too(tmp_path):
    (tmp_path / "child.py").write_text(QUESTIONS)
    code = "import subprocess, sys; subprocess.run([sys.executable, 'child.py'])"
    ran = python(tmp_path, "-m", "chainrule", "run", "-c", code)
    assert (ran.stdout, ran.stderr) == (ANSWERS, "")
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import functorch as f; "
    ran = python(tmp_path, "-m", "chainrule", "run", "-c", code + "print(f.vmap.__name__)'])")
    assert (ran.stdout, ran.stderr) == ("vmap\n", "")


def test_asking_for_a_module_loads_nothing(tmp_path):
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.find_spec('torch.utils.collect_env')\n"
        "print(spec.name, spec.origin.endswith('collect_env.py'))\n"
        "print('chainrule.utils.collect_env' in sys.modules)\n"
    )
    ran = python(tmp_path, "-m", "chainrule", "run", "-c", code)
    assert ran.stdout == "torch.utils.collect_env True\nFalse\n", ran.stderr


def test_modules_of_torch_run_as_programs(tmp_path):
    ran = python(tmp_path, "-m", "chainrule", "run", "-m", "torch.utils.collect_env")
    assert "2.13.0+chainrule" in ran.stdout and ran.stderr == ""


@pytest.fixture(scope="module")
def fresh_environment(tmp_path_factory):
    """A virtual environment that sees this chainrule and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name != "nt")
    found = subprocess.run(
        [python_of(folder), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    needed = {SOURCE, *(str(Path(m.__file__).parents[1]) for m in (sys.modules["numpy"], pytest))}
    (Path(found.stdout.strip()) / "needed.pth").write_text("\n".join(sorted(needed)))
    return folder, Path(found.stdout.strip())


def python_of(folder):
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def within(folder, *arguments, cwd=None):
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [python_of(folder), *arguments], capture_output=True, text=True, timeout=60, env=environ,
        cwd=cwd,
    )  # fmt: skip


def test_a_whole_environment_and_the_way_back(fresh_environment, tmp_path):
    folder, packages = fresh_environment
    before = sorted(p.name for p in packages.iterdir())
    assert within(folder, "-c", "import torch").returncode == 1

    done = within(folder, "-m", "chainrule", "install-as-torch")
    assert done.returncode == 0 and str(packages / "torch") in done.stdout
    assert "uninstall-as-torch" in done.stdout
    asked = within(folder, "-c", QUESTIONS)
    assert (asked.stdout, asked.stderr) == (ANSWERS, "")
    (tmp_path / "test_it.py").write_text(
        "import os, torch\n"
        "def test_it():\n"
        "    assert torch.ones(2).sum() == 2\n"
        "    # Interpreters of other environments must not be sent here.\n"
        "    assert 'PYTHONPATH' not in os.environ\n"
    )
    tested = within(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert tested.returncode == 0, tested.stdout

    again = within(folder, "-m", "chainrule", "install-as-torch")
    assert again.returncode == 0
    listed = (packages / "torch-2.13.0+chainrule.dist-info" / "RECORD").read_text().splitlines()
    assert {line.split(",")[0] for line in listed} == {
        p.relative_to(packages).as_posix()
        for new in sorted(p.name for p in packages.iterdir() if p.name not in before)
        for p in (packages / new).rglob("*")
        if p.is_file() and p.suffix != ".pyc"
    }

    back = within(folder, "-m", "chainrule", "install-as-torch", "--undo")
    assert back.returncode == 0 and sorted(p.name for p in packages.iterdir()) == before
    nothing = within(folder, "-m", "chainrule", "uninstall-as-torch")
    assert nothing.returncode == 1 and "nothing to take back" in nothing.stderr


def test_pytorch_itself_is_never_replaced(fresh_environment):
    folder, packages = fresh_environment
    entry = packages / "torch-2.13.0.dist-info"
    entry.mkdir()
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    (entry / "INSTALLER").write_text("pip\n")
    try:
        for command in ("install-as-torch", "uninstall-as-torch"):
            refused = within(folder, "-m", "chainrule", command)
            assert refused.returncode == 1 and "torch 2.13.0 is" in refused.stderr
    finally:
        for path in entry.iterdir():
            path.unlink()
        entry.rmdir()
    foreign = packages / "torch"
    foreign.mkdir()
    (foreign / "__init__.py").write_text("mine = 1\n")
    try:
        refused = within(folder, "-m", "chainrule", "install-as-torch")
        assert refused.returncode == 1 and "not chainrule's" in refused.stderr
        assert (foreign / "__init__.py").read_text() == "mine = 1\n"
    finally:
        (foreign / "__init__.py").unlink()
        foreign.rmdir()


def test_outside_of_an_environment_it_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert environment.install_command([]) == 1
    assert "no virtual environment" in capsys.readouterr().err


def test_without_chainrule_the_stand_in_says_what_it_is(tmp_path):
    import shutil

    shutil.copytree(environment.STAND_IN / "torch", tmp_path / "torch")
    ran = subprocess.run(
        [sys.executable, "-S", "-c", "import torch"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, timeout=60,
    )  # fmt: skip
    assert "chainrule is not installed any more" in ran.stderr and "pip uninstall" in ran.stderr
