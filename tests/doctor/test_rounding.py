"""Findings do not hang on rounding: runs that chaos drives apart are judged alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from .corpus import broken, diagnose, repaired


@pytest.mark.parametrize("seed", [0, 3])
def test_a_loss_thrown_far_up_is_named_however_far_it_comes_back(seed: int, tmp_path: Path) -> None:
    script = next(s for s in broken() if s.name == "lr-too-high.warmup_none_lstm").seeded(seed)
    diagnosis = diagnose(script, tmp_path)
    assert [f.rule for f in diagnosis.findings] == ["lr-too-high"]
    assert script.is_place(diagnosis.findings[0])


def test_a_loss_that_leaps_after_a_small_step_is_not_blamed_on_the_rate(tmp_path: Path) -> None:
    script = next(s for s in repaired() if s.name == "vanishing-gradient.rnn_long")
    assert diagnose(script, tmp_path).findings == []
