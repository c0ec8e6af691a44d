"""The benchmarks stay runnable: they import without any engine and notice what they must."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from bench import claims, driver, fresh
from bench import command as command_line
from bench.case import Prepared, Repeated, eager_goal
from bench.engines import ENGINES
from bench.workloads import WORKLOADS

ROOT = Path(__file__).resolve().parent.parent
QUICK = driver.Settings(rounds=2, samples=1, seconds_per_sample=1e-5)


def test_every_module_imports_without_the_engines():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "bench").rglob("*.py"))
        if path.stem != "__init__"
    ]
    assert "bench.worker" in modules
    engines = ("torch", "chainrule", "jax", "autograd", "tinygrad", "rich", "matplotlib")
    program = f"import sys\nsys.modules.update(dict.fromkeys({engines}))\n"
    program += "\n".join(f"import {module}" for module in modules)
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert ran.stderr == ""


@pytest.fixture(scope="module")
def control():
    running, skipped = driver.start(["control"], QUICK)
    assert skipped == {}
    yield running
    running["control"].stop()


def test_a_run_measures_and_reports(tmp_path, capsys):
    path = tmp_path / "results" / "run.json"
    arguments = ["--engines", "control", "--quick", "--only", "op/add/1*", "--json", str(path)]
    assert command_line.main(arguments) == 0
    rows = {row["name"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["op/add/1/forward"]["best"]["control"] > 0
    assert rows["op/add/1/backward"]["unavailable"] == {"control": "no counterpart"}
    assert "op/add/1/forward" in capsys.readouterr().out


def test_a_missing_peer_is_skipped_by_name(capsys):
    arguments = ["--engines", "torch,control", "--quick", "--only", "op/add/1/forward"]
    assert command_line.main([*arguments, "--peer-python", "/no/such/python"]) == 0
    assert "skipped: torch" in capsys.readouterr().err


def test_an_engine_that_fails_one_workload_goes_on_with_the_next(control):
    reply = control["control"].ask(do="open", workload="no such workload", seconds=1e-5)
    assert reply["unavailable"] == "KeyError: 'no such workload'"
    reply = control["control"].ask(do="open", workload="op/add/1/forward", seconds=1e-5)
    assert reply["repetitions"] >= 1


def test_different_values_are_noticed_and_rounding_is_not():
    assert driver.agree([1.0, 100.0], [1.00001, 100.001])
    assert not driver.agree([1.0, 100.0], [1.01, 100.0])
    assert not driver.agree([1.0], [1.0, 2.0])
    row = driver.Row("w", "op", values={"torch": [1.0], "control": [2.0]})
    assert row.disagreement() == "torch and control computed different values"
    assert [verdict.holds for verdict in claims.verdicts([row])] == [False]


def test_a_goal_is_judged_by_the_best_of_all_samples():
    measured = {"chainrule": [3.0, 1.0], "torch": [9.0, 1.9]}
    row = driver.Row("w", "op", goals=(eager_goal(2.0),), measured=measured)
    (verdict,) = claims.verdicts([row])
    assert verdict == claims.Verdict("w: chainrule 1.90x torch, at least 2x wanted", False)


def test_the_import_is_judged_in_proportion_to_numpy():
    assert claims.import_verdict(ours=[0.19], numpy=[0.13]).holds
    assert not claims.import_verdict(ours=[0.21], numpy=[0.13]).holds
    assert claims.import_verdict(ours=[0.38], numpy=[0.26]).holds
    assert not claims.import_verdict(ours=[0.13], numpy=[0.05]).holds
    assert claims.import_verdict(ours=[0.30, 0.19], numpy=[0.05, 0.13]).holds


def test_every_engine_gets_a_turn_each_round_and_another_one_begins():
    assert list(driver.in_turns(["a", "b", "c"], 2)) == ["a", "b", "c", "b", "c", "a"]


def test_only_the_step_is_timed_when_something_is_prepared():
    made, used = [], []
    case = Prepared(lambda: made.append(1), used.append, list, batch=4)
    assert case.seconds(10) >= 0
    assert (len(made), len(used)) == (10, 10)
    assert Repeated(lambda: used.append(1), list).seconds(3) >= 0
    assert len(used) == 13


def test_names_say_what_is_measured():
    expected = {
        "op/add/1/forward",
        "op/x[tensor]/1000/backward",
        "mlp/2-16-16-2/b32/functional",
        "mlp/784-512-512-10/b128/ops",
        "mode/inside/10/inference_mode",
    }
    assert expected <= WORKLOADS.keys()
    assert {m.group for m in fresh.measurements()} == {
        "import", "memory", "compile", "attention", "large", "ddp",
    }  # fmt: skip
    peers = {"torch", "torch.compile", "torch.compile+step", "jax", "autograd", "tinygrad"}
    assert {"chainrule", "compiled", "control", "floor", *peers} == ENGINES.keys()


# Larger sizes of the same programs say nothing about whether they run.
LARGE = (
    "chain/1e6", "chain/1e7", "train/gpt/4x128/T1024", "scale", "vision/resnet18", "large",
    "generate/prefill/gpt2", "generate/decode/gpt2",
)  # fmt: skip
SMALL = [name for name in WORKLOADS if not name.startswith(LARGE)]


@pytest.mark.parametrize("name", SMALL)
def test_chainrule_runs_every_workload_and_agrees_with_the_control(name):
    workload, engine, bare = WORKLOADS[name], ENGINES["chainrule"], ENGINES["control"]
    case = engine.build(engine.load(), workload)
    assert case is not None
    assert case.seconds(2) > 0
    values = case.values()
    assert values
    assert all(math.isfinite(value) for value in values)
    counterpart = bare.build(bare.load(), workload)
    if counterpart is not None:
        assert driver.agree(values, counterpart.values())
