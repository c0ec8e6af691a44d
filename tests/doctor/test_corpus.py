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

SAMPLE = 27  # of so many scripts one runs by default; `-m slow` and `make doctor-score` run all
ALWAYS = {  # what strangers wrote and rules once missed, blamed elsewhere or suspected
    "missing-zero-grad.gan_discriminator_only",
    "unclipped-before-unscale.two_optimizers_one_unscaled",
    "wrong-dim-softmax.hand_ce",
    "wrong-dim-softmax.exp_by_hand_log",
    "lr-too-low.manual",
    "lr-too-high.config_dict",
    "lr-too-high.warmup_none_lstm",
    "loss-activation-mismatch.bce_without_sigmoid",
    "exploding-gradient.char_lstm_sum",
    "data-not-shuffled-or-label-misaligned.index_per_batch",
    "data-not-shuffled-or-label-misaligned.two_loaders_shuffled",
    "data-not-shuffled-or-label-misaligned.sorted_by_label",
    "bad-initialization.randn_raw",
    "constant-output.mean_over_batch_again",
    "constant-output.input_zeroed",
    "graph-grows.char_rnn_state",
    "parameter-not-in-optimizer.decoder_of_seq2seq",
    "unscaled-input.sensor_lstm",
    "accumulate_then_scale_grads",
    "pretrained_perfect_finetune",
    "graph-leak.dict_of_logs",
    "step-order.accumulation_zero_inside",
    "step-order.optimizer_step_first",
    "dp_sgd_per_sample",
    "listnet_ranking",
    "moe_hard_gating_unused_experts",
    "nan-origin.masked_mean_empty",
    "frozen-statistics.freeze_helper",
    "dropout-in-evaluation.inline_validation",
    "attention-mask.decoder_layer_without_tgt_mask",
    "transformer_copy_task",
    "loss-activation-mismatch.relu_before_ce",
    "double-softmax.kl_student",
    "exploding-gradient.rollout_dynamics",
    "ema_model_swap_eval",
    "alternating_modules",
    "padding-mask.mse_over_padding",
    "graph-leak.meter_reset_each_epoch",
    "graph-grows.smooth_with_last_output",
    "wrong-dim-softmax.self_attention_queries",
    "step-order.scaler_without_step",
    "eval-mode-training.encoder_part_from_zoo",
    "nan-origin.advantage_of_one_sample",
    "data-not-shuffled-or-label-misaligned.list_of_tensors_shuffled",
    "lr-too-low.warmup_of_a_billion_steps",
    "attack_in_eval_mode",
    "part_in_eval_on_purpose",
}


def is_chosen(name: str, sample: int) -> bool:
    """Whether a script is one of those that run by default."""
    return zlib.crc32(name.encode()) % sample == 0 or (name in ALWAYS and sample == SAMPLE)


def named(scripts: list[Script], sample: int = SAMPLE) -> pytest.MarkDecorator:
    """A test per script; most of them are marked slow."""
    chosen = [
        pytest.param(s, marks=() if is_chosen(s.name, sample) else pytest.mark.slow)
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


def test_the_scripts_that_always_run_are_there() -> None:
    assert {s.name for s in [*broken(), *healthy()]} >= ALWAYS


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
