"""Submodules of PyTorch: `import torch` has most of them, so programs use them unasked."""

import importlib

import pytest

import chainrule as torch
from chainrule.run import installed
from chainrule.run.aliases import KNOWN_AS


@pytest.mark.parametrize(
    "path", ["fx._pytree", "ao.quantization.utils", "utils._pytree", "signal.windows.windows"]
)
def test_a_submodule_is_there_without_an_import_of_its_own(path):
    with installed():
        found = importlib.import_module("torch")
        for name in path.split("."):
            found = getattr(found, name)
        assert found is importlib.import_module(f"chainrule.{path}")
        assert not hasattr(torch.fx, "no_such_submodule")


@pytest.mark.parametrize(("home", "path"), sorted(KNOWN_AS.items()))
def test_a_submodule_that_lives_elsewhere_is_there_too(home, path, monkeypatch):
    with installed():
        *parents, name = path.split(".")[1:]
        found = importlib.import_module(".".join(["torch", *parents]))
        monkeypatch.delitem(vars(found), name, raising=False)
        assert getattr(found, name) is importlib.import_module(home)


@pytest.mark.parametrize(
    ("module", "name", "home"),
    [
        ("nn.quantized.modules.conv", "Conv2d", "ao.nn.quantized.modules.conv"),
        ("nn.qat.modules.linear", "Linear", "ao.nn.qat.modules.linear"),
        ("nn.intrinsic.modules.fused", "ConvReLU2d", "ao.nn.intrinsic.modules.fused"),
        ("quantization.quantize_fx", "prepare_fx", "ao.quantization.quantize_fx"),
    ],
)
def test_old_paths_of_quantization_lead_to_the_new_ones(module, name, home):
    found = getattr(importlib.import_module(f"chainrule.{module}"), name)
    assert found is getattr(importlib.import_module(f"chainrule.{home}"), name)


def test_what_is_not_written_is_refused_when_it_is_used():
    from chainrule.ao.quantization.quantize_fx import prepare_fx  # pyright: ignore

    with pytest.raises(NotImplementedError, match="prepare_fx is not supported"):
        prepare_fx(torch.nn.Linear(1, 1), {}, ())
