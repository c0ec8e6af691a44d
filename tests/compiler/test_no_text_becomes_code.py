"""Guards are generated source: nothing a user's data says may become a part of it."""

import types
from collections.abc import Callable
from typing import Any

import pytest

import chainrule as torch
from chainrule import nn

RAN: list[str] = []


class Evil(str):
    """A string that is source when it is printed as a literal."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"'{self!s}'] or __import__('{__name__}').RAN.append('ran') or R[0"

    def isidentifier(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()
    yield
    assert not RAN


NAMES = [
    "class", "x y", "a'] or RAN.append(1) or R['a", "a; RAN.append(1)", "é", "", "\n", "None",
    'a"b', "a\\'b", "{0}", "__import__('os')",
]  # fmt: skip


def alternate(function: Callable[..., Any], change: Callable[[float], None]) -> None:
    """Compiled = eager while a number that the function reads changes."""
    compiled = torch.compile(function)
    for value in (1.0, 2.0, 2.0, 3.0, 0.5, 0.5, 4.0, 1.0):
        change(value)
        x = torch.ones(3)
        assert compiled(x).tolist() == function(x).tolist()


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("name", [*NAMES, Evil("scale")], ids=repr)
def test_attributes_of_any_name_are_read_as_data(name):
    thing = types.SimpleNamespace()
    alternate(lambda x: x * getattr(thing, name), lambda v: setattr(thing, name, v))


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("name", [*NAMES, Evil("scale")], ids=repr)
def test_keys_of_any_text_are_read_as_data(name):
    table: dict[str, float] = {}
    alternate(lambda x: x * table[name], lambda v: table.__setitem__(name, v))


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("name", [*NAMES, Evil("scale")], ids=repr)
def test_attributes_of_a_module_are_read_as_data(name):
    class Scaled(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.__dict__[name]

    module = Scaled()
    alternate(module.__call__, lambda v: module.__dict__.__setitem__(name, v))


@pytest.mark.filterwarnings("ignore:chainrule.compile")
def test_a_switch_that_the_call_sets_is_data():
    state = {"mode": Evil("train")}

    def function(x: torch.Tensor) -> torch.Tensor:
        state["mode"] = Evil("eval") if state["mode"] == "train" else state["mode"]
        return x * (2 if state["mode"] == "eval" else 3)

    def reset(_: float) -> None:
        state["mode"] = Evil("train")

    alternate(function, reset)
