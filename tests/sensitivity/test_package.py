"""The package is a function and a namespace."""

import importlib
import types

import chainrule
from chainrule import sensitivity


def test_the_package_is_called_and_has_names():
    assert chainrule.sensitivity is importlib.import_module("chainrule.sensitivity") is sensitivity
    assert isinstance(sensitivity, types.ModuleType) and callable(sensitivity)
    assert sensitivity(lambda x: 3 * x, at={"x": 1.0})["x"].derivative == 3
    assert sensitivity.from_changes({"a": 1, "b": 2}).total == 2
    assert all(hasattr(sensitivity, name) for name in sensitivity.__all__)
