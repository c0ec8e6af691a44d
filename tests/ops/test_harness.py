"""The checks can fail: a wrong value, a wrong rule and a leaked mode are seen."""

import numpy as np
import pytest
from conftest import modes

import chainrule

from .harness import Case, assert_close, gradients
from .recorded import recording
from .sample import Sample, normal
from .test_derivatives import compare_with_differences


@pytest.fixture
def half_a_gradient(monkeypatch):
    """A function whose recorded gradient lacks one of two equal parts."""
    monkeypatch.setattr(chainrule, "half_square", lambda x: x * x.detach(), raising=False)
    case = Case("elementwise", "half_square", 0, Sample(normal(3)))
    case.wanted = [0]
    return case


def test_a_wrong_rule_is_explained(half_a_gradient):
    _, found = gradients(half_a_gradient, [0])
    with pytest.raises(AssertionError, match=r"wrong gradient; input 0 at \(\d,\) \(value"):
        compare_with_differences(half_a_gradient, found)


def test_a_right_rule_passes(monkeypatch):
    monkeypatch.setattr(chainrule, "whole_square", lambda x: x * x, raising=False)
    case = Case("elementwise", "whole_square", 0, Sample(normal(3)))
    case.wanted = [0]
    compare_with_differences(case, gradients(case, [0])[1])


@pytest.mark.parametrize(
    ("got", "message"),
    [
        ([1.0, 2.0], r"shape \(2,\), expected \(3,\)"),
        ([1.0, 2.0, 3.1], r"1 of 3 differ; first at \(2,\)"),
        ([1.0, np.nan, 3.0], r"1 of 3 differ; first at \(1,\)"),
    ],
)
def test_a_wrong_value_is_shown(got, message):
    with pytest.raises(AssertionError, match=message):
        assert_close(np.array(got), np.array([1.0, 2.0, 3.0]), 1e-9, "result")


def test_changed_arguments_ask_for_a_new_recording():
    digest = Sample(normal(3, 4)).digest()
    assert recording("elementwise").of("tanh-0", digest)["out"]
    with pytest.raises(AssertionError, match="was recorded for other arguments; run: python"):
        recording("elementwise").of("tanh-0", Sample(normal(3, 5)).digest())
    with pytest.raises(AssertionError, match="no recorded PyTorch result for tanh-99"):
        recording("elementwise").of("tanh-99", digest)


def test_every_switched_mode_shows():
    before = modes()
    with chainrule.no_grad():
        assert modes() != before
    with chainrule.inference_mode():
        assert modes() != before
    with chainrule.autograd.set_detect_anomaly(True):
        assert modes() != before
    assert modes() == before


def test_samples_do_not_depend_on_their_order():
    assert np.array_equal(normal(3, 4), normal(3, 4))
    assert not np.array_equal(normal(3, 4), normal(3, 4, seed=1))
