"""Functions, classes and methods take what PyTorch's take, with the same defaults.

`recorded/signatures.json` has PyTorch's (tools/record/record_signatures.py). What differs on
purpose is listed with its reason in `signature_differences.txt`, which may only shrink.
"""

import inspect
import json
from pathlib import Path

import pytest
import signatures
from public_names import blocks, has, imported

import chainrule.run
from chainrule.standins import kinds, table

HERE = Path(__file__).resolve().parent
RECORDED = json.loads((HERE / "recorded" / "signatures.json").read_text(encoding="utf-8"))
LISTED = {
    name: reason
    for reason, names in blocks(HERE / "signature_differences.txt").items()
    for name in names
}


def is_stand_in(value: object, module: str, name: str) -> bool:
    """Whether a callable is declared refused or inert, here or at home: it takes anything."""
    home = str(getattr(value, "__module__", "")).removeprefix("chainrule").removeprefix(".")
    rows = table.by_module()
    return any(
        each in row.names and not isinstance(row, kinds.Same)
        for place, each in ((home, getattr(value, "__name__", None)), (module, name))
        for row in rows.get(place.removeprefix("torch").removeprefix("."), [])
    )


def method(cls: type, name: str) -> list[str] | None:
    """The parameters of a method as it is called on an object; None where Python cannot tell."""
    if name == signatures.INIT:
        return signatures.parameters(cls)
    value = inspect.getattr_static(cls, name)
    if isinstance(value, property):
        return None
    static = isinstance(value, staticmethod)
    bound = not static and not isinstance(value, classmethod)
    return signatures.parameters(getattr(cls, name), bound=bound)


def of_class(path: str, cls: type, told: dict[str, list[str]]):
    """The methods of one class that differ."""
    for name, theirs in told.items():
        try:
            ours = method(cls, name)
        except AttributeError:
            yield f"{path}.{name}", ["it is missing"]
            continue
        if ours is not None and (found := signatures.differences(theirs, ours)):
            yield f"{path}.{name}", found


def differing():
    """Every callable that differs from PyTorch's, and how."""
    for module, names in RECORDED.items():
        here = imported(module)
        for name, told in names.items():
            if (
                here is None
                or not has(here, name)
                or is_stand_in(getattr(here, name), module, name)
            ):
                continue  # missing names have a list of their own
            value, path = getattr(here, name), f"{module}.{name}"
            if not isinstance(told, dict):
                ours = signatures.parameters(value)
                if ours is not None and (found := signatures.differences(told, ours)):
                    yield path, found
            elif not inspect.isclass(value):
                yield path, ["it is no class"]
            else:
                yield from of_class(path, value, told)


@pytest.mark.filterwarnings("ignore")
def test_callables_take_what_pytorchs_take():
    with chainrule.run.installed():
        found = dict(differing())
    new = {path: "; ".join(how) for path, how in found.items() if path not in LISTED}
    assert new == {}, "these are called differently"
    assert sorted(LISTED.keys() - found.keys()) == [], "these agree now: take them off the list"


@pytest.mark.parametrize(
    "theirs, ours",
    [
        (["a", "b=1"], ["b=1", "a"]),
        (["a", "b=1"], ["a", "b=2"]),
        (["a", "b=1"], ["a", "*", "b=1"]),
        (["a", "*", "b=1"], ["a"]),
        (["a"], ["a", "c"]),
        (["*args", "b=1"], ["a", "b=1"]),
        (["a", "**more"], ["a"]),
    ],
)
def test_the_comparison_sees_differences(theirs, ours):
    assert signatures.differences(theirs, ours)


@pytest.mark.parametrize(
    "theirs, ours",
    [
        (["a", "b=1"], ["a", "b=1", "c=2"]),
        (["a", "*", "b=1"], ["a", "b=1"]),
        (["a", "/", "b"], ["x", "b"]),
        (["a", "b"], ["*args", "**kwargs"]),
    ],
)
def test_the_comparison_lets_more_pass(theirs, ours):
    assert signatures.differences(theirs, ours) == []
