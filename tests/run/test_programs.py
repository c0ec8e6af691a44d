"""Unmodified PyTorch programs run under chainrule and reach the losses that PyTorch reaches."""

import contextlib
import io
import json
import math
import os
import runpy
import subprocess
import sys
import warnings

import pytest

from chainrule import backends, run

from .programs import PROGRAMS, RECORDED, Program, digest, numbers, words

WANTED = json.loads(RECORDED.read_text(encoding="utf-8"))


def printed_by(program: Program) -> str:
    if program.own_process:
        return from_the_command_line(program)
    printed = io.StringIO()
    quiet = contextlib.redirect_stdout(printed)
    with switches_put_back(), run.installed(), quiet, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the programs of another decade get some
        runpy.run_path(str(program.path), run_name="__main__")
    return printed.getvalue()


@contextlib.contextmanager
def switches_put_back():
    """Programs set the switches of GPU libraries and the environment, and leave them so."""
    spaces = [vars(backends.cudnn), vars(backends.cuda.matmul), os.environ]
    before = [dict(space) for space in spaces]
    try:
        yield
    finally:
        for space, values in zip(spaces, before, strict=True):
            space.clear()
            space.update(values)


def from_the_command_line(program: Program) -> str:
    command = [sys.executable, "-m", "chainrule", "run", str(program.path), *program.arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_reaches_the_losses_that_pytorch_reaches(program):
    wanted = WANTED[program.name]
    assert wanted["digest"] == digest(program), "changed since it was recorded: record it again"
    text = printed_by(program)
    got, want = numbers(text), numbers(wanted["printed"])
    if program.text:
        assert words(text) == words(wanted["printed"])
    assert len(got) >= program.first
    for k in range(program.first):
        assert math.isclose(got[k], want[k], rel_tol=1e-3, abs_tol=1e-3), (k, got, want)
    assert math.isclose(got[-1], want[-1], rel_tol=program.final, abs_tol=program.absolute), (
        got,
        want,
    )


def test_nothing_recorded_is_left_untested():
    names = [program.name for program in PROGRAMS]
    assert sorted(names) == sorted(WANTED)
    assert sorted(names) == sorted(p.stem for p in PROGRAMS[0].path.parent.glob("*.py"))
