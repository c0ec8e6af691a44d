"""Variables of the environment that decide whether files may run code."""

import io
import pickle
from fractions import Fraction

import pytest

import chainrule as torch

SAFE, UNSAFE = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"


def loaded(**options):
    file = io.BytesIO()
    torch.save([Fraction(1, 3)], file)
    file.seek(0)
    return torch.load(file, **options)


def test_a_variable_lets_files_run_code_unless_the_call_refuses(monkeypatch) -> None:
    with pytest.raises(pickle.UnpicklingError):
        loaded()
    monkeypatch.setenv(UNSAFE, "1")
    assert loaded() == [Fraction(1, 3)]
    with pytest.raises(pickle.UnpicklingError):
        loaded(weights_only=True)


def test_a_variable_makes_every_load_safe(monkeypatch) -> None:
    assert loaded(weights_only=False) == [Fraction(1, 3)]
    monkeypatch.setenv(SAFE, "y")
    with pytest.raises(pickle.UnpicklingError):
        loaded(weights_only=False)
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        loaded(pickle_module=pickle)
    monkeypatch.setenv(UNSAFE, "1")
    with pytest.raises(RuntimeError, match="Only one of"):
        loaded()
