"""What cannot be followed is an error with the user's line, never a wrong number."""

import decimal
import json
import math
import random
import warnings

import numpy as np
import pytest

import chainrule
from chainrule.sensitivity import SensitivityWarning, TraceError

CACHE: dict = {}
TABLE_OF_FUNCTIONS = {"exp": math.exp}
count = 0


def refused(f, match, at=None):
    with pytest.raises(TraceError, match=match) as caught:
        chainrule.sensitivity(f, at=at or {"x": 2.5})
    return str(caught.value)


def test_text_and_back():
    def swallowing(x):
        try:
            return float(str(x)) * 3
        except TypeError:
            return x * 3

    def f(x):
        shown = f"{x:.6f}"
        return float(shown) * 3

    text = refused(f, "written out as text and is read back")
    assert "return float(shown) * 3" in text
    refused(swallowing, "written out as text and is read back")


@pytest.mark.parametrize("digits", [1, 6, 17])
def test_text_and_back_by_another_way(digits):
    text = refused(
        lambda x: 3 * float(decimal.Decimal(f"{x:.{digits}f}")),
        r"is 0 by the trace, but (3|2.9\d*) by differences",
        at={"x": 20.5},
    )
    assert "turned into text at test_refused.py" in text


def test_decimals():
    refused(lambda x: float(decimal.Decimal(str(x)) * 2), "by the trace, but 2 by differences")
    text = refused(
        lambda x: float(decimal.Decimal(x) * 2), "runs on plain numbers, but on traced ones"
    )
    assert "test_refused.py" in text and "Decimal" in text


def test_an_original_reached_under_another_name():
    text = refused(lambda x: TABLE_OF_FUNCTIONS["exp"](x), "would become a plain one here")
    assert 'TABLE_OF_FUNCTIONS["exp"](x)' in text


def test_arrays_of_floats():
    def f(x):
        kept = np.zeros(3)
        kept[1] = x
        return kept.sum()

    assert "kept[1] = x" in refused(f, "would become a plain one here")
    refused(lambda x: np.array([x, 1.0], dtype=float).sum(), "would become a plain one here")
    refused(lambda x: np.array([x, 1.0]).astype(np.float64).sum(), "would become a plain one")


def test_an_error_that_the_function_swallows_is_raised_all_the_same():
    def f(x):
        try:
            return TABLE_OF_FUNCTIONS["exp"](x)
        except Exception:
            return 1.0

    def plain(x):
        try:
            return np.linalg.norm(np.array([x, 1.0], dtype=float))
        except TypeError:
            return x * 2.0

    refused(f, "would become a plain one here")
    refused(plain, "would become a plain one here")


def test_functions_without_a_rule():
    refused(lambda x: np.i0(x), "sensitivity cannot follow")
    refused(lambda x: np.spacing(x) + x, "no derivative rule here")
    refused(lambda x: np.linalg.det([[x, 1.0], [2.0, 3.0]]), "cannot follow")
    refused(lambda x: json.loads(json.dumps(x)) * 2, "sensitivity cannot follow")
    refused(lambda x: abs((x - 5) ** 0.5), "complex")
    refused(lambda x: math.nextafter(x, 9), "has no derivative")


def test_random_numbers():
    refused(lambda x: x * random.random(), "no function of its inputs alone")
    seeded = lambda x: x * random.Random(3).gauss(x, 1)  # noqa: E731
    assert chainrule.sensitivity(seeded, at={"x": 2.5})["x"].derivative


def test_memory_between_calls():
    def counts(x):
        global count
        count += 1
        return x * count

    def remembers(x):
        if "first" not in CACHE:
            CACHE["first"] = x
        return CACHE["first"] * 2

    refused(counts, "no function of its inputs alone")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = chainrule.sensitivity(remembers, at={"x": 2.5})  # it is constant, and says so
    assert s["x"].derivative == 0
    assert remembers(7.0) == 5.0


def test_exact_types_and_sets():
    refused(lambda x: x * 2 if type(x) is float else x * 3, "instead of")
    refused(lambda x: 1.0 * x if x in {2.5} else 2.0 * x, "instead of")


# ---- told, not refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [lambda x: round(x, 1) * 2, lambda x: int(x) * 3, lambda x: math.floor(x), lambda x: x // 1,
     lambda x: np.round(x) + np.floor(x), lambda x: np.rint(x)],
)  # fmt: skip
def test_steps_are_flat_and_it_is_said(f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        s = chainrule.sensitivity(f, at={"x": 2.53})
    assert s["x"].derivative == 0
    assert any("flat between its jumps" in str(w.message) for w in caught)
    assert all("test_refused.py" in str(w.message) for w in caught)


def test_a_jump_at_the_very_place():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chainrule.sensitivity(lambda x: math.floor(x) + x, at={"x": 2.0})
    assert "result jumps at this x" in str(caught[0].message)


@pytest.mark.parametrize("f", [abs, lambda x: max(x, 0.0), lambda x: np.maximum(x, 2 * x)])
def test_a_kink_is_told_with_both_slopes(f):
    def named(x):
        return f(x) + 1

    with pytest.warns(SensitivityWarning, match=r"has a kink at this x: its slope is"):
        chainrule.sensitivity(named, at={"x": 0.0})


def test_a_branch_is_followed_and_told_with_its_line():
    def price(x):
        if x > 2:
            return 3 * x
        return x

    s = chainrule.sensitivity(price, at={"x": 2.5})
    assert s["x"].derivative == 3
    assert len(s.branches) == 1
    assert "2.5 > 2 was True at test_refused.py" in s.branches[0]
    assert "if x > 2:" in str(s)


def test_an_edge_of_the_domain():
    with pytest.warns(SensitivityWarning, match="could not be checked"):
        s = chainrule.sensitivity(lambda x: math.sqrt(x), at={"x": 0.0})
    assert s["x"].derivative == math.inf
    assert chainrule.sensitivity(lambda x: math.asin(x) * 0 + x, at={"x": 0.5})["x"].derivative == 1


# ---- bad input -----------------------------------------------------------------------------------


def cost(price, quantity, tax=0.1):
    return price * quantity * (1 + tax)


@pytest.mark.parametrize(
    ("at", "error", "match"),
    [
        ({"price": 1, "quantity": 2, "taxx": 3}, ValueError, "no input 'taxx'.*Did you mean 'tax'"),
        ({"price": 1}, ValueError, "cost needs quantity"),
        ({"price": "ten", "quantity": 2}, TypeError, "price='ten' is not a number"),
        ({"price": None, "quantity": 2}, TypeError, "price=None is not a number"),
        ({"price": True, "quantity": 2}, TypeError, "price=True is not a number"),
        ({"price": 1j, "quantity": 2}, TypeError, "not a number"),
        ({"price": math.nan, "quantity": 2}, ValueError, "price=nan is not a finite number"),
        ({}, TypeError, "at= must name"),
        ([1, 2], TypeError, "at= must name"),
    ],
)
def test_wrong_inputs(at, error, match):
    with pytest.raises(error, match=match):
        chainrule.sensitivity(cost, at=at)


@pytest.mark.parametrize("result", [None, "text", True, [], {"a": "b"}, 1j])
def test_results_that_are_no_numbers(result):
    with pytest.raises(TypeError, match="which is not a number"):
        chainrule.sensitivity(lambda x: result, at={"x": 1.0})


def total(*values):
    return sum(values)


def test_other_wrong_calls():
    with pytest.raises(ValueError, match=r"the inputs of total\(\*values\) have no names"):
        chainrule.sensitivity(total, at={"values": [1.0, 2.0]})
    with pytest.raises(TypeError, match="needs a function"):
        chainrule.sensitivity(3, at={"x": 1})
    s = chainrule.sensitivity(cost, at={"price": 10, "quantity": 2})
    with pytest.raises(KeyError, match="Did you mean 'price'"):
        s["prize"]
    with pytest.raises(KeyError, match="no output 'profit'"):
        s.of("profit")
    with pytest.raises(ValueError, match="no input 'prise'"):
        s.what_if(prise=1)
    with pytest.raises(ValueError, match="is no change"):
        s.what_if(price="lots")
    with pytest.raises(ValueError, match="needs a change"):
        s.what_if()
    with pytest.raises(ValueError, match="from a number to a larger"):
        s.sweep("price", 5, 5)
    with pytest.raises(ValueError, match="no input 'p'"):
        s.tornado(ranges={"p": (1, 2)})
    with pytest.raises(ValueError, match="wrt names 'p'"):
        chainrule.sensitivity(cost, at={"price": 1, "quantity": 2}, wrt="p")
