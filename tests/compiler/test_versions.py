"""Guards on dictionaries: every change is seen, and no unchanged dictionary is asked again."""

from collections import OrderedDict

import pytest

import chainrule as torch
from chainrule.compiler.capture import versions
from chainrule.compiler.capture.versions import Versions, dictionary_of

pytestmark = [
    pytest.mark.jit,
    pytest.mark.skipif(versions.comparer() is None, reason="dictionaries have no versions here"),
]

SPACE = {"c0": {"a": 1, "b": True}, "c1": 1, "c2": [1], "c3": OrderedDict(), "K": ["k"]}


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("c0['b'] is True", "c0"),
        ("c0[K[0]] is c1", "c0"),
        ("(c0['a'] is c1 or same(c0['a'], c1))", "c0"),
        ("len(c0) == 2", "c0"),
        ("not c3", "c3"),
        ("(c0['a'] is c2 or same(c0['a'], c2))", None),  # a list may change inside
        ("c0['a']['b'] is c1", None),
        ("c0['a'].b is c1", None),
        ("c0['a'] == c0['b']", None),
        ("c2[0] is c1", None),
        ("not c2", None),
        ("c1._rg", None),
    ],
)
def test_which_guards_a_version_decides(test, name):
    assert dictionary_of(test, SPACE) == name


def checked(**items):
    """A check of many items of one dictionary, and how often they are asked."""
    thing = dict(items)
    tests = [f"c0[{key!r}] is c{i}" for i, key in enumerate(items, 1)]
    made = Versions(tests, {"c0": thing} | {f"c{i}": v for i, v in enumerate(items.values(), 1)})
    asked = []
    ask = made.ask
    made.ask = lambda: asked.append(0) or ask()
    return thing, made, asked


ITEMS = {name: object() for name in "abcdefgh"}


def test_an_unchanged_dictionary_is_asked_once():
    _, made, asked = checked(**ITEMS)
    assert [made.check() for _ in range(5)] == [True] * 5
    assert len(asked) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(a=0),
        lambda d: d.pop("b"),
        lambda d: d.clear(),
        lambda d: d.setdefault("z", 1) and d.update(h=None),
    ],
)
def test_every_change_is_seen(change):
    thing, made, _ = checked(**ITEMS)
    assert made.check()
    change(thing)
    with pytest.raises(KeyError) if len(thing) < 8 else pytest.MonkeyPatch.context():
        assert not made.check()
        assert not made.check()
    thing.update(ITEMS)
    assert made.check()


def test_a_restless_dictionary_is_asked_in_every_call(monkeypatch):
    thing, made, asked = checked(**ITEMS)
    for k in range(20):
        thing["counter"] = k
        assert made.check()
    assert len(asked) == versions._RESTLESS
    thing["a"] = None
    assert not made.check()


def test_without_version_numbers_all_is_asked(monkeypatch):
    monkeypatch.setattr(versions, "comparer", lambda: None)
    thing = dict(ITEMS)
    tests = [f"c0[{key!r}] is c1[{key!r}]" for key in thing]
    check = Versions(tests, {"c0": thing, "c1": dict(thing)}).check
    assert check()
    thing["a"] = None
    assert not check()


def test_attributes_of_modules_are_seen_however_they_are_set():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.ReLU())
    model.eval()
    run = torch.compile(lambda x: model(x))
    x = torch.ones(2, 3)
    for _ in range(5):
        want = run(x)
    assert run(x).equal(want)
    for _ in range(300):  # often enough for the interpreter's shortcuts
        model[1].training = True
        model[1].training = False
    assert run(x).equal(want)
    model[1].training = True
    torch.manual_seed(0)
    first = run(x)
    torch.manual_seed(0)
    assert first.equal(model(x)) and not first.equal(want)
    vars(model[1])["training"] = False
    for _ in range(3):
        assert run(x).equal(want)
    model[2] = torch.nn.Tanh()
    for _ in range(4):
        assert run(x).allclose(model(x))
    model[0].register_forward_hook(lambda module, inputs, result: result + 1)
    for _ in range(4):
        assert run(x).allclose(model(x))
