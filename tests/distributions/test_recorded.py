"""Every distribution tells what PyTorch's does, and draws the same samples from the same seed."""

import json
import warnings
from pathlib import Path

import pytest
import scenario

import chainrule as torch

from . import cases

FOLDER = Path(__file__).parents[1] / "recorded"
ABOUT = json.loads((FOLDER / "distributions.json").read_text(encoding="utf-8"))
SAMPLES = json.loads((FOLDER / "distribution_samples.json").read_text(encoding="utf-8"))
DIVERGENCES = json.loads((FOLDER / "kl_divergences.json").read_text(encoding="utf-8"))

BY_LABEL = {cases.label(c): c for c in cases.CASES}
# Draws through gamma variables: PyTorch's derivative of the draw is an approximation good to 5e-4;
# ours is exact to nine digits (test_slopes.py).
APPROXIMATE = {
    "Gamma", "Chi2", "InverseGamma", "Beta", "Dirichlet", "StudentT", "FisherSnedecor",
}  # fmt: skip


@pytest.mark.parametrize("name", ABOUT)
def test_tells_what_pytorch_tells(name):
    wanted = ABOUT[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cases.about(torch, BY_LABEL[name])
    assert found.keys() == wanted.keys()
    single = name.split("-")[0] in cases.SINGLE
    # PyTorch's Bessel functions (VonMises) are polynomials good to 1e-7, and its multinomial
    # entropy takes one logarithm in float32.
    rough = name.startswith(("VonMises", "Multinomial"))
    rel = 1e-4 if single else 1e-6 if rough else 1e-8
    for key in wanted:
        assert scenario.same(found[key], wanted[key], rel, rel), (key, found[key], wanted[key])


@pytest.mark.parametrize("name", SAMPLES)
def test_draws_what_pytorch_draws(name):
    wanted, found = SAMPLES[name], cases.drawn(torch, BY_LABEL[name])
    assert found.keys() == wanted.keys()
    rough = name.split("-")[0] in APPROXIMATE
    for key in wanted:
        rel = 1e-9 if key.endswith("float64") else 2e-5
        if not key.startswith("rsample"):
            assert scenario.same(found[key], wanted[key], rel, rel), (key, found[key], wanted[key])
            continue
        (moved, slopes), (wanted_moved, wanted_slopes) = found[key], wanted[key]
        assert scenario.same(moved, wanted_moved, rel, rel), (key, moved, wanted_moved)
        rel = 2e-3 if rough else max(rel, 1e-8)
        assert scenario.same(slopes, wanted_slopes, rel, rel), (key, slopes, wanted_slopes)


@pytest.fixture(scope="module")
def divergences():
    return cases.divergences(torch)


def test_the_same_divergences_are_known(divergences):
    assert set(divergences) == set(DIVERGENCES)


@pytest.mark.parametrize("pair", [p for p in DIVERGENCES if p not in cases.KL_MISTAKEN])
def test_divergences(pair, divergences):
    assert scenario.same(divergences[pair], DIVERGENCES[pair], 1e-8, 1e-9), (
        divergences[pair],
        DIVERGENCES[pair],
    )


def test_everything_recorded_is_tested():
    assert set(ABOUT) == set(BY_LABEL)
    left = {name for name in BY_LABEL if BY_LABEL[name][0] not in cases.OWN_STREAM}
    assert set(SAMPLES) == left
    classes = {c[0] for c in cases.CASES}
    homes = torch.distributions.HOMES
    others = {
        "Distribution", "ExponentialFamily", "Independent", "MixtureSameFamily",
        "TransformedDistribution",
    }  # fmt: skip
    named = {n for n in homes if n[0].isupper() and not n.endswith("Transform")} - others
    assert named == classes
