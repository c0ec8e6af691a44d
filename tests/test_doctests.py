"""The examples in docstrings print what they say."""

import doctest
import importlib.util
import pkgutil

import pytest

import chainrule

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def documented_modules() -> list[str]:
    """The modules of the package that have examples."""
    found = []
    for module in pkgutil.walk_packages(chainrule.__path__, "chainrule."):
        if module.name.endswith("__main__"):
            continue  # importing it runs the command line
        source = importlib.util.find_spec(module.name).origin
        with open(source, encoding="utf-8") as text:
            if ">>> " in text.read():
                found.append(module.name)
    return ["chainrule", *found]


MODULES = documented_modules()


def test_there_are_examples():
    assert len(MODULES) > 10


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert found.attempted > 0
    assert found.failed == 0
