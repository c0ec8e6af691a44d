"""The doctor's command, its reports, and what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import chainrule as torch
from chainrule.doctor import watch

BROKEN = """\
import sys
import torch
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    loss = model(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    opt.step()
print("arguments", sys.argv[1:])
"""
HEALTHY = BROKEN.replace("    loss.backward()", "    opt.zero_grad()\n    loss.backward()")


def doctor(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-m", "chainrule", "doctor", *arguments]
    env = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, **options)  # type: ignore[call-overload]


def test_the_command_names_rule_line_and_fix(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BROKEN)
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    done = doctor("--html", str(page), "--json", str(data), str(script), "--epochs", "3")
    assert done.returncode == 1, done.stderr
    assert "arguments ['--epochs', '3']" in done.stdout
    assert "error: missing-zero-grad" in done.stdout
    assert "train.py:8: loss.backward()" in done.stdout
    assert "\x1b" not in done.stdout
    (finding,) = json.loads(data.read_text())["findings"]
    assert finding["rule"] == "missing-zero-grad" and finding["severity"] == "error"
    assert finding["file"] == str(script) and finding["line"] == 8
    assert finding["evidence"] and finding["fix"].startswith("optimizer.zero_grad()")
    assert "<svg" in page.read_text() and "missing-zero-grad" in page.read_text()
    assert "About this rule" in page.read_text()


def test_a_healthy_script_ends_with_zero(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(HEALTHY)
    done = doctor(str(script))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing found (8 backward passes, 8 optimizer steps)" in done.stdout


def test_a_script_that_raises_is_diagnosed_and_its_traceback_shown(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BROKEN + "raise KeyError('lost')\n")
    data = tmp_path / "report.json"
    done = doctor("--json", str(data), str(script))
    assert done.returncode == 1
    assert "KeyError: 'lost'" in done.stderr and "train.py" in done.stderr
    report = json.loads(data.read_text())
    assert [f["rule"] for f in report["findings"]] == ["missing-zero-grad"]
    assert report["raised"] == "KeyError"


def test_ctrl_c_gives_the_report_so_far(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BROKEN + "raise KeyboardInterrupt\n")
    done = doctor(str(script))
    assert done.returncode == 1
    assert "missing-zero-grad" in done.stdout and "interrupted" in done.stderr


def test_rules_are_chosen_and_lines_ignored(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BROKEN)
    assert doctor("--ignore", "missing-zero-grad", str(script)).returncode == 0
    assert doctor("--only", "graph-leak,step-order", str(script)).returncode == 0
    script.write_text(BROKEN.replace("ward()", "ward()  # doctor: ignore[missing-zero-grad]"))
    assert doctor(str(script)).returncode == 0
    script.write_text(BROKEN.replace("ward()", "ward()  # doctor: ignore[graph-leak]"))
    assert doctor(str(script)).returncode == 1
    refused = doctor("--only", "missing-zero-grads", str(script))
    assert refused.returncode == 2 and "Did you mean missing-zero-grad" in refused.stderr
    assert doctor(str(tmp_path / "nothing.py")).returncode == 2


def train(zero: bool) -> None:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(8):
        loss = model(torch.randn(8, 3)).pow(2).mean()
        if zero:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_options_behind_the_script_are_the_doctors_unless_the_script_names_them(
    tmp_path: Path,
) -> None:
    script, data = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(BROKEN)
    done = doctor(str(script), "--epochs", "3", "--json", str(data), "--strict")
    assert "arguments ['--epochs', '3']" in done.stdout
    assert [f["rule"] for f in json.loads(data.read_text())["findings"]] == ["missing-zero-grad"]
    script.write_text(BROKEN + "# takes --json and --epochs\n")
    data.unlink()
    done = doctor(str(script), "--json", "own.json")
    assert "arguments ['--json', 'own.json']" in done.stdout and done.returncode == 1


def test_what_an_ignored_rule_explains_is_not_told_either() -> None:
    def findings(**options: Any) -> list[tuple[str, list[str]]]:
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
        with watch(**options) as watched:
            for _ in range(40):  # nobody resets the gradients
                model(torch.randn(8, 3)).pow(2).mean().backward()
                optimizer.step()
        return [(f.rule, [s.rule for s in f.folded]) for f in watched.findings]

    assert findings() == [("missing-zero-grad", ["lr-too-high"])]
    assert findings(ignore="missing-zero-grad") == []


def test_a_block_is_watched_and_leaves_nothing_behind() -> None:
    before = [torch.Tensor.backward, torch.nn.Module.train, torch.optim.Optimizer.zero_grad]
    with watch() as watched:
        train(zero=False)
        assert [f.rule for f in watched.findings] == ["missing-zero-grad"]  # so far
    after = [torch.Tensor.backward, torch.nn.Module.train, torch.optim.Optimizer.zero_grad]
    assert all(a is b for a, b in zip(before, after, strict=True))
    train(zero=False)
    assert watched.diagnosis.run.passes == 8
    assert "missing-zero-grad" in str(watched) and "<html" in watched._repr_html_()


def test_an_exception_passes_through_the_block() -> None:
    before = torch.Tensor.backward
    with pytest.raises(ZeroDivisionError), watch() as watched:
        train(zero=True)
        raise ZeroDivisionError
    assert watched.findings == [] and torch.Tensor.backward is before


def test_watching_keeps_no_graph_alive() -> None:
    import gc
    import weakref

    model = torch.nn.Linear(4, 1)
    gc.disable()
    try:
        with watch(model):
            loss = model(torch.randn(2, 4)).sum()
            node = weakref.ref(loss.grad_fn)
            loss.backward()
            del loss
            assert node() is None
    finally:
        gc.enable()


def test_beside_a_run_the_exit_code_is_the_programs(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BROKEN + "sys.exit(3)\n")
    command = [sys.executable, "-W", "ignore", "-m", "chainrule", "run", "--doctor", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3
    assert "missing-zero-grad" in done.stderr and "missing-zero-grad" not in done.stdout


def test_the_fixture_fails_a_test_on_findings(tmp_path: Path) -> None:
    (tmp_path / "test_training.py").write_text(
        "import chainrule as torch\n"
        "import pytest\n"
        "def train():\n"
        "    model = torch.nn.Linear(3, 1)\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n"
        "    for _ in range(8):\n"
        "        model(torch.randn(8, 3)).pow(2).mean().backward()\n"
        "        optimizer.step()\n"
        "def test_broken(doctor):\n"
        "    train()\n"
        "@pytest.mark.doctor(ignore=['missing-zero-grad'])\n"
        "def test_ignored(doctor):\n"
        "    train()\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "-p", "chainrule.doctor.pytest_plugin", str(tmp_path)]  # fmt: skip
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "error: missing-zero-grad" in done.stdout


def compiled_training(zero: bool, calls: int) -> tuple[float, object]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(32, 4)

    @torch.compile
    def step(x: torch.Tensor) -> torch.Tensor:
        loss = (model(x) - x[:, :1]).pow(2).mean()
        if zero:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    with watch() as watched:
        for _ in range(calls):
            loss = step(x)
    return float(loss), watched


def test_compiled_steps_are_seen_and_what_is_not_is_said() -> None:
    value, watched = compiled_training(zero=False, calls=12)
    assert [f.rule for f in watched.findings] == ["missing-zero-grad"]  # type: ignore[attr-defined]
    value, watched = compiled_training(zero=True, calls=30)
    assert watched.findings == []  # type: ignore[attr-defined]
    assert "the 10 after them ran as plans" in str(watched)
    assert value < 0.3


def test_a_parameter_made_by_hand_has_a_line() -> None:
    """Without a module or `Parameter`, the line that asked for gradients is the one to name."""
    torch.manual_seed(0)
    with watch() as watched:
        first = (5 * torch.randn(300, 20)).requires_grad_()
        line = sys._getframe().f_lineno - 1
        last = (torch.randn(20, 1) / 5).requires_grad_()
        optimizer = torch.optim.SGD([first, last], lr=1e-4)
        for _ in range(12):
            x = torch.randn(16, 300)
            loss = (torch.tanh(x @ first) @ last - x[:, :1]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    (finding,) = watched.findings
    assert (finding.rule, finding.line) == ("bad-initialization", line)


def test_a_rule_that_stumbles_does_not_take_the_program_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from chainrule.doctor.rules.step_order import StepOrder

    def stumble(self: object, this: object) -> None:
        raise ZeroDivisionError("by the rule")

    monkeypatch.setattr(StepOrder, "pass_begins", stumble)
    with watch() as watched:
        train(zero=False)
    assert [f.rule for f in watched.findings] == ["missing-zero-grad"]
    assert "StepOrder stumbled over this program" in str(watched)


def test_numpy_is_left_as_it_was() -> None:
    import random

    import numpy as np

    before = np.random.default_rng, np.random.shuffle, random.shuffle, np.geterr(), np.geterrcall()
    with watch():
        assert np.random.default_rng(0).permutation(3).size == 3
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            np.ones(2) / np.zeros(2)
    after = np.random.default_rng, np.random.shuffle, random.shuffle, np.geterr(), np.geterrcall()
    assert before == after


def test_watches_that_overlap_put_everything_back_in_any_order():
    before = (torch.zeros, torch.Tensor.backward, torch.optim.SGD.step)
    first, second = watch().start(), watch().start()
    assert torch.zeros is not before[0]
    first.stop()
    second.stop()
    assert (torch.zeros, torch.Tensor.backward, torch.optim.SGD.step) == before
