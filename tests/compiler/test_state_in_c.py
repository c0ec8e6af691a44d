"""State of objects that are made in C, or in tables of libraries: compiled calls notice."""

import collections
import contextvars
import ctypes
import os
import sqlite3
import warnings
import weakref
from os import getenv

import pytest

import chainrule as torch

pytestmark = pytest.mark.jit
CASES = {}


def case(function):
    """`function()` gives (what is read in the call, how it changes to one of two states)."""
    CASES[function.__name__] = function
    return function


@case
def longest_deque():
    box = {"d": collections.deque([1], maxlen=2)}
    return lambda: box["d"].maxlen, lambda k: box.update(d=collections.deque([1], maxlen=2 + k))


@case
def database():
    base = sqlite3.connect(":memory:")
    base.execute("create table t (v real)")
    base.execute("insert into t values (1)")
    return (
        lambda: base.execute("select v from t").fetchone()[0],
        lambda k: base.execute("update t set v = ?", (k + 2.0,)),
    )


@case
def context_run():
    variable = contextvars.ContextVar("variable", default=1.0)
    context = contextvars.copy_context()
    return lambda: context.run(variable.get), lambda k: context.run(variable.set, k + 2.0)


@case
def context_item():
    variable = contextvars.ContextVar("variable", default=1.0)
    context = contextvars.copy_context()
    context.run(variable.set, 1.0)
    return lambda: context[variable], lambda k: context.run(variable.set, k + 2.0)


@case
def finalizer():
    class Thing:
        pass

    thing = [Thing()]
    end = weakref.finalize(thing[0], int)
    return lambda: 2.0 if end.alive else 3.0, lambda k: thing.clear()


@case
def environment_by_its_function():
    os.environ["CHAINRULE_TEST_E"] = "1"
    return lambda: float(getenv("CHAINRULE_TEST_E", "")), lambda k: os.environ.update(
        CHAINRULE_TEST_E=str(k + 2)
    )


@case
def pointer():
    number = ctypes.c_double(1.0)
    place = ctypes.pointer(number)
    return lambda: place.contents.value, lambda k: setattr(number, "value", k + 2.0)


@case
def subclasses():
    class Base:
        pass

    kept = []
    return lambda: float(len(Base.__subclasses__())), lambda k: kept.append(
        type("Sub", (Base,), {})
    )


@case
def weak_references():
    class Thing:
        pass

    thing, kept = Thing(), []
    return lambda: float(weakref.getweakrefcount(thing)), lambda k: kept.append(
        weakref.ref(thing, print)
    )


@case
def power_of_three():
    numbers = {"n": 1}
    return lambda: pow(numbers["n"], 3, 7) + pow(2, numbers["n"], 7), lambda k: numbers.update(
        n=3 + k
    )


@case
def a_tensor_in_place_of_none():
    box = {"shift": None, "n": 1.0}
    return (
        lambda: box["n"] if box["shift"] is None else box["n"] + box["shift"].sum(),
        lambda k: box.update(shift=torch.ones(3), n=2.0 + k),
    )


@pytest.mark.parametrize("first", [1, 3, 5])
@pytest.mark.parametrize("name", CASES)
def test_compiled_calls_see_what_eager_calls_see(name, first, monkeypatch):
    monkeypatch.setenv("CHAINRULE_TEST_E", "1")

    def run(wrap):
        read, change = CASES[name]()
        f = wrap(lambda x: x * read())
        found = []
        for k in range(9):
            if k == first or k == first + 2:
                change(k)
            found.append(f(torch.ones(1)).item())
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(torch.compile) == run(lambda f: f)
