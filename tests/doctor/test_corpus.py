"""The doctor names each bug of the corpus at its line, and says nothing about the healthy."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from .corpus import (
    Script,
    as_notebook,
    broken,
    can_be_dressed,
    diagnose,
    healthy,
    in_a_module,
    repaired,
)

SAMPLE = 14  # of so many scripts one runs by default; `-m slow` and `make doctor-score` run all


def named(scripts: list[Script], sample: int = SAMPLE) -> pytest.MarkDecorator:
    """A test per script; most of them are marked slow."""
    chosen = [
        pytest.param(s, marks=() if zlib.crc32(s.name.encode()) % sample == 0 else pytest.mark.slow)
        for s in scripts
    ]
    return pytest.mark.parametrize("script", chosen, ids=[s.name for s in scripts])


@named(broken())
def test_a_bug_is_named_at_its_line(script: Script, tmp_path: Path) -> None:
    findings = diagnose(script, tmp_path).findings
    assert {f.rule for f in findings} == {script.rule}
    assert script.is_place(findings[0])
    assert findings[0].evidence and findings[0].fix


@named(repaired())
def test_the_repaired_twin_is_silent(script: Script, tmp_path: Path) -> None:
    assert diagnose(script, tmp_path).findings == []


@named(healthy())
def test_a_healthy_run_is_silent(script: Script, tmp_path: Path) -> None:
    assert diagnose(script, tmp_path).findings == []


@named([s for s in broken() if can_be_dressed(s)], sample=40)
def test_a_bug_is_named_in_a_notebook_and_in_a_module(script: Script, tmp_path: Path) -> None:
    for dressed in (as_notebook(script), in_a_module(script)):
        findings = diagnose(dressed, tmp_path).findings
        assert {f.rule for f in findings} == {script.rule}
        assert dressed.is_place(findings[0])


@named([s for s in [*healthy(), *repaired()] if can_be_dressed(s)], sample=90)
def test_the_healthy_are_silent_in_a_notebook_and_in_a_module(
    script: Script, tmp_path: Path
) -> None:
    for dressed in (as_notebook(script), in_a_module(script)):
        assert diagnose(dressed, tmp_path).findings == []


def test_every_rule_has_three_scripts() -> None:
    from collections import Counter

    from chainrule.doctor.rules import RULES

    counts = Counter(script.rule for script in broken())
    assert {rule.id: counts[rule.id] for rule in RULES if counts[rule.id] < 3} == {}


def test_every_rule_has_a_page() -> None:
    from chainrule.doctor.rules import RULES

    pages = Path(__file__).parents[2] / "docs" / "doctor"
    assert {p.stem for p in pages.glob("*.md")} == {rule.id for rule in RULES}


@pytest.mark.parametrize(
    "name", ["lr-too-low.two_optimizers", "target-shape-broadcast.bce_weighted_manual"]
)
def test_a_rule_speaks_once_of_a_line(name, tmp_path):
    script = next(s for s in broken() if s.name == name)
    findings = diagnose(script.seeded(0), tmp_path).findings
    assert [f.rule for f in findings] == [script.rule]
    assert findings[0].evidence
