"""Every nn class does in every case what PyTorch's does: the same seed gives the same parameters,
the same input the same output, gradients, buffers and text."""

import contextlib

import numpy as np
import pytest

import chainrule
from chainrule.nn import modules

from .layer_cases import cases_of, family_names
from .layer_runs import key_of, recorded, run

ALL = [
    pytest.param(family, path, number, case, id=key_of(path, number))
    for family in family_names()
    for path, cases in cases_of(family).items()
    for number, case in enumerate(cases)
]
# Bases and containers show what they do in the classes built on them and in their own tests.
WITHOUT_CASES = {
    "LinearCrossEntropyOptions", "Module", "RNNBase", "RNNCellBase", *modules.HOMES["container"],
}  # fmt: skip


def test_every_class_has_a_case():
    covered = {path.rpartition(".")[2] for family in family_names() for path in cases_of(family)}
    assert sorted(set(modules.HOME_OF) - WITHOUT_CASES - covered) == []


@pytest.mark.parametrize("family", family_names())
def test_the_recording_is_of_these_cases(family):
    keys = [key_of(p, k) for p, found in cases_of(family).items() for k in range(len(found))]
    assert list(recorded(family)) == keys, f"run: python tools/record/record_layers.py {family}"


@pytest.mark.parametrize(("family", "path", "number", "case"), ALL)
def test_a_layer_does_what_pytorchs_does(family, path, number, case):
    expected = recorded(family)[key_of(path, number)]
    with pytest.warns(match=case.warning) if case.warning else contextlib.nullcontext():
        found = run(chainrule, path, case)
    assert found.texts == expected.texts
    assert list(found.arrays) == list(expected.arrays)
    for name, wanted in expected.arrays.items():
        compare(name, found.arrays[name], wanted, case.rtol)


def compare(name: str, values: np.ndarray, wanted: np.ndarray, rtol: float) -> None:
    """Initial values and random numbers are equal; the rest is close, in the same type."""
    assert values.dtype == wanted.dtype, name
    if name.startswith(("initial.", "next ")):
        np.testing.assert_array_equal(values, wanted, name)
    else:
        largest = float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0))
        np.testing.assert_allclose(values, wanted, rtol, rtol * largest, err_msg=name)
