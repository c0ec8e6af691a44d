"""Constructors and calls take what PyTorch's take, by position and by keyword."""

import pytest

from chainrule.nn import modules

from .layer_cases import cases_of, family_names
from .layer_signatures import recorded, signatures

CLASSES = sorted({path.rpartition(".")[2] for f in family_names() for path in cases_of(f)})


@pytest.mark.parametrize("name", CLASSES)
def test_signatures(name):
    expected = recorded()[name]
    home = getattr(modules, modules.HOME_OF.get(name, "linear"))
    found = signatures(getattr(home, name))
    for method, wanted in expected.items():
        if wanted == ["*args", "**kwargs"]:  # PyTorch's says nothing
            continue
        assert found.get(method) == wanted, method
