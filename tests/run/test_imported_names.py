"""Names are found in the modules of PyTorch that only import them."""

import importlib
import warnings

import pytest

import chainrule.run
from chainrule.run import imported


@pytest.mark.parametrize(
    ("module", "name", "home"),
    [
        ("torch.nn.modules.dropout", "Module", "torch.nn"),
        ("torch.nn.functional", "_Reduction", "torch.nn._reduction"),
        ("torch.functional", "F", "torch.nn.functional"),
        ("torch.backends.cuda", "SDPBackend", "torch.nn.attention"),
        ("torch.optim.adam", "Optimizer", "torch.optim"),
        ("torch._tensor", "OrderedDict", "collections"),
        ("torch.functional", "itertools", "itertools"),
    ],
)
def test_a_name_is_found_where_pytorch_imports_it(module, name, home):
    with chainrule.run.installed():
        found = getattr(importlib.import_module(module), name)
        there = importlib.import_module(home)
        assert found is getattr(there, name, there)


def test_what_nobody_imports_is_still_missing():
    with chainrule.run.installed():
        import torch.storage

        with pytest.raises(AttributeError, match=r"torch\.storage.* has no attribute 'nothing'"):
            torch.storage.nothing  # noqa: B018


def test_every_listed_name_is_found():
    lost = []
    with chainrule.run.installed(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module, names in imported.table().items():
            here = importlib.import_module(module)
            lost += [f"{module}.{name}" for name in names if not hasattr(here, name)]
    assert lost == []
