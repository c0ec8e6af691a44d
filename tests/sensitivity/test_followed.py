"""Programs as people write them: each derivative equals the differences of plain calls."""

import dataclasses
import functools
import math
import operator
import statistics
from collections import namedtuple
from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest

import chainrule
from chainrule.derivatives.numeric import best_step

from . import helper_module
from .helper_module import grown

TAX = 0.2


def with_helpers(x, y):
    return grown(x, y) + helper_module.utility(x)


def from_math_import(x, y):
    return exp(0.1 * x) * sqrt(y) + math.pow(x, 1.5)


def while_loop(x, y):
    total = x
    while total < 100:
        total = total * 1.3 + y
    return total


def recursion(x, y, depth=6):
    if depth == 0:
        return x * y
    return math.sin(recursion(x, y, depth - 1)) + x / (depth + y)


def comprehension(x, y):
    parts = [x * k + y**k for k in range(4)]
    return sum(p * p for p in parts) + max(parts) - min(parts)


def generator(x, y):
    def terms():
        value = x
        for k in range(5):
            value = value * y / (k + 1)
            yield value

    return sum(terms())


class Plant:
    efficiency = 0.8

    def __init__(self, load):
        self.load = load

    @property
    def heat(self):
        return self.load**2 * self.efficiency

    def run(self, y):
        self.out = self.heat + math.tanh(y)
        return self.out


def classes(x, y):
    return Plant(x).run(y) * 2


def default_arguments(x, y, rate=0.05, *, scale=TAX):
    return x * (1 + rate) ** y * scale


def builtins(x, y):
    _, r = divmod(x * 7, y)
    return abs(-x) + r + pow(x, 2) + max(x, y, 1.0) * min(x * 2, y) + sum([x, y], 1.0)


def conversions(x, y):
    return float(x) * float(y) + float("1.5") + float(np.float64(2)) * x


def checks_types(x, y):
    if not isinstance(x, (int, float)) or not isinstance(y, float):
        raise TypeError("numbers please")
    return x * y


def exceptions(x, y):
    try:
        lower = math.log(x - 100)
    except ValueError:
        lower = math.log(x)
    try:
        return lower / (y - y)
    except ZeroDivisionError:
        return lower * y


def prints(x, y):
    text = f"{x:.2f} {y!r} {x}" + "%.3f" % y + "{:.1f}".format(x)  # noqa: UP031, UP032
    assert text
    return x * y**2


@functools.lru_cache
def cached(x, y):
    return x**2 * y


def caching(x, y):
    return cached(x, y) + cached(x, y)


def numpy_scalars(x, y):
    return np.exp(-x / 5) * np.sqrt(y) + np.maximum(x, y) + np.where(x > y, x * 2, y * 3)


def numpy_lists(x, y):
    values = np.array([x, y, x * y, 2.0])
    return np.mean(values) + np.std([x, y, 1.0]) + np.dot([x, y], [1.0, 2.0]) + np.sum(values**2)


def numpy_mixed(x, y):
    values = np.array([x, 1.0, y * 2])
    return np.exp(-values).sum() + np.tanh([x, 0.5]).sum() + np.arctan2(values, [1.0, x, 2.0]).sum()


def numpy_arrays(x, y):
    t = np.linspace(0.1, 1, 5)
    return np.sum(np.exp(-x * t) * y) + (x * t).mean() + np.prod(1 + t * y)


def more_numpy(x, y):
    clipped = np.clip(x, 0, 2.5)
    return (
        clipped * np.log1p(y) + np.interp(x, [0, 2, 5, 9], [1, 4, 3, 8.0])
        + np.hypot(x, y) + np.arctan2(x, y) + np.cumsum([x, y, x])[-1] + np.polyval([1, x, y], 2.0)
        + np.power(x, y) + np.logaddexp(x, y) + np.median([x, y, 9.0])
        + np.linalg.norm([x, y])
    )  # fmt: skip


def of_statistics(x, y):
    data = [x, y, 4.0, x * y]
    return (
        statistics.mean(data) + statistics.fmean(data) + statistics.stdev(data)
        + statistics.pstdev(data) + statistics.median(data) + statistics.geometric_mean(data)
        + statistics.harmonic_mean(data) + statistics.variance(data)
    )  # fmt: skip


def of_math(x, y):
    return (
        math.log(x, 3) + math.log10(y) + math.hypot(x, y, 1.0) + math.dist([x, y], [1.0, 2.0])
        + math.erf(x / 5) + math.gamma(y) + math.lgamma(x) + math.cbrt(x) + math.atan2(y, x)
        + math.fsum([x, y, x]) + math.prod([x, y, 2]) + math.degrees(x) + math.fmod(x, y)
        + math.copysign(x, -1.0) + math.ldexp(x, 2) + math.expm1(y / 9) + math.modf(x)[0]
        + math.remainder(x, y) + math.fabs(-x) + math.exp2(y / 4)
    )  # fmt: skip


def exotic_numbers(x, y):
    return x * Fraction(1, 3) + Fraction(2, 7) * y + operator.mul(x, y) + True * x + np.int64(3) * y


def reduces(x, y):
    return functools.reduce(operator.mul, [x, y, x + y]) + sum(map(math.exp, [x / 9, y / 9]))


def sorts(x, y):
    ranked = sorted([x * 3, y, x + y], reverse=True)
    return ranked[0] * 2 + ranked[1] - ranked[2] + {"a": x, "b": y}["b"]


def closure_of(exp=math.exp):
    rate = 0.3

    def inner(x, y):
        return x * rate + y

    return inner


def swallows(x, y):
    kept = []
    for k in range(3):
        kept.append(x / (k + y))
    a, *rest = kept
    return a + sum(rest) if (n := len(rest)) else n


PROGRAMS = [
    with_helpers, from_math_import, while_loop, recursion, comprehension, generator, classes,
    default_arguments, builtins, conversions, checks_types, exceptions, prints, caching,
    numpy_scalars, numpy_lists, numpy_arrays, numpy_mixed, more_numpy, of_statistics, of_math,
    exotic_numbers,
    reduces, sorts, closure_of(), swallows, lambda x, y: x**y,
    functools.partial(default_arguments, rate=0.1), lambda x, y: Plant(x).run(y),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::chainrule.sensitivity.SensitivityWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: getattr(f, "__name__", "partial"))
def test_the_derivative_is_that_of_the_differences(f):
    point = {"x": 3.7, "y": 2.3}
    s = chainrule.sensitivity(f, at=point)
    assert s.value == pytest.approx(float(f(**point)), rel=1e-14)
    for name, middle in point.items():
        h = best_step("central") * middle
        up, down = f(**{**point, name: middle + h}), f(**{**point, name: middle - h})
        assert s[name].derivative == pytest.approx((up - down) / (2 * h), rel=2e-7, abs=1e-9), name


@pytest.mark.filterwarnings("ignore::chainrule.sensitivity.SensitivityWarning")
def test_nothing_of_it_stays_behind():
    before = {id(n): dict(vars(n)) for n in (math, statistics, np, helper_module)}
    mine = dict(globals())
    for f in PROGRAMS:
        chainrule.sensitivity(f, at={"x": 3.7, "y": 2.3})
    for module in (math, statistics, np, helper_module):
        assert dict(vars(module)) == before[id(module)]
    assert dict(globals()) == mine
    assert type(cached(3.7, 2.3)) is float


def test_a_failing_function_leaves_nothing_behind_either():
    import sys

    def fails(x):
        raise RuntimeError("mine")

    tracer, exponential = sys.gettrace(), math.exp
    with pytest.raises(RuntimeError, match="mine"):
        chainrule.sensitivity(fails, at={"x": 1.0})
    with pytest.raises(chainrule.sensitivity.TraceError):
        chainrule.sensitivity(lambda x: np.zeros(1).__setitem__(0, x) or x, at={"x": 1.0})
    assert sys.gettrace() is tracer
    assert math.exp is exponential
    assert "float" not in globals()


# ---- inputs and results of other forms -----------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Order:
    price: float
    quantity: int
    customer: str = "anna"


def test_dataclasses_lists_dicts_and_arrays_are_inputs():
    def total(order, discounts, fees, weights):
        paid = order.price * order.quantity * (1 - discounts[0]) * (1 - discounts[1])
        return paid + fees["ship"] + (weights**2).sum()

    s = chainrule.sensitivity(
        total,
        at={
            "order": Order(10.0, 3), "discounts": [0.1, 0.2], "fees": {"ship": 4.0},
            "weights": np.array([1.0, 2.0]),
        },
    )  # fmt: skip
    assert s["order.price"].derivative == pytest.approx(3 * 0.9 * 0.8)
    assert s["order.quantity"].derivative == pytest.approx(10 * 0.9 * 0.8)
    assert s["discounts[1]"].derivative == pytest.approx(-27.0)
    assert s["fees['ship']"].derivative == 1.0
    assert s["weights[1]"].derivative == 4.0


Result = namedtuple("Result", "revenue profit")


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda revenue, profit: (revenue, profit), ["revenue", "profit"]),
        (lambda revenue, profit: {"r": revenue, "p": profit}, ["r", "p"]),
        (lambda revenue, profit: Result(revenue, profit), ["revenue", "profit"]),
        (lambda revenue, profit: np.array([revenue, profit]), ["revenue", "profit"]),
    ],
)
def test_several_outputs(make, names):
    def model(price, volume):
        revenue = price * volume
        profit = revenue - 3 * volume
        return make(revenue, profit)

    s = chainrule.sensitivity(model, at={"price": 10, "volume": 7})
    assert list(s.outputs) == names
    assert s["volume"].derivative == 10
    assert s[names[1], "volume"].derivative == 7
    assert s.of(1)["price"].derivative == 7
    picked = chainrule.sensitivity(model, at={"price": 10, "volume": 7}, output=names[1])
    assert picked.value == 49


def test_whole_numbers_that_count_are_held_and_told():
    def balance(amount, rate, years):
        for _ in range(years):
            amount = amount * (1 + rate)
        return amount

    s = chainrule.sensitivity(balance, at={"amount": 1000, "rate": 0.05, "years": 10})
    assert s["rate"].derivative == pytest.approx(1000 * 10 * 1.05**9)
    assert list(s) == ["amount", "rate"]
    assert s.counts["years"] == pytest.approx(1000 * 1.05**10 * 0.05)
    with pytest.raises(KeyError, match=r"years is used as a whole number .*range\(years\)"):
        s["years"]
    assert "years is held" in str(s)


def test_other_inputs_may_be_anything():
    def f(x, mode):
        return x * 2 if mode == "double" else x

    s = chainrule.sensitivity(f, at={"x": 1.0, "mode": "double"}, wrt="x")
    assert s["x"].derivative == 2
    assert list(s) == ["x"]


def test_a_global_that_the_function_sets_is_a_number_again():
    space = {}
    exec("last = 0.0\ndef f(x):\n    global last\n    last = x * 3\n    return last", space)
    assert chainrule.sensitivity(space["f"], at={"x": 2.0})["x"].derivative == 3
    assert type(space["last"]) is float


def test_a_quick_bend_is_no_kink():
    s = chainrule.sensitivity(lambda x: math.sin(1e5 * x), at={"x": 2.7})
    assert s["x"].derivative == pytest.approx(1e5 * math.cos(2.7e5))
    assert s.notes == []


def test_long_loops_take_time_in_proportion():
    def total(x):
        s = 0.0
        for k in range(3000):
            s += x / (k + 1)
        return s

    s = chainrule.sensitivity(total, at={"x": 2.7})
    assert s["x"].derivative == pytest.approx(sum(1 / (k + 1) for k in range(3000)))
    assert [step.name for step in s["x"].chain.steps] == ["x", "s"]
    assert s["x"].path_count == 1


KEPT: dict = {}
LISTED: list = []


def test_what_the_function_keeps_becomes_plain_again():
    plant = Plant(1.0)

    def f(x, y):
        plant.load = x
        KEPT["last"] = x * y
        LISTED.append(x + y)
        return plant.run(y)

    s = chainrule.sensitivity(f, at={"x": 3.0, "y": 2.0})
    assert s["x"].derivative == pytest.approx(2 * 3 * 0.8)
    assert type(plant.load) is float and type(plant.out) is float
    assert type(KEPT["last"]) is float
    assert {type(v) for v in LISTED} == {float}


def test_many_inputs_are_checked_along_one_direction():
    calls = []

    def spread(weights):
        calls.append(1)
        return (weights**2).sum() + math.exp(weights[3])

    s = chainrule.sensitivity(spread, at={"weights": np.linspace(0.1, 2, 200)})
    assert s["weights[3]"].derivative == pytest.approx(
        2 * s.at["weights[3]"] + math.exp(s.at["weights[3]"])
    )
    assert len(calls) < 20


def test_one_wrong_among_many_is_found_and_named():
    def spread(weights):
        total = sum(w * w for w in weights)
        return total + float("%.17g" % weights[7]) * 3  # noqa: UP031

    with pytest.raises(
        chainrule.sensitivity.TraceError, match=r"d spread / d weights\[7\] is 3.4 by the"
    ):
        chainrule.sensitivity(spread, at={"weights": [0.1 * k + 1 for k in range(80)]})


def test_functions_as_defaults_are_followed():
    def f(x, transform=math.exp, scale=2.0):
        return scale * transform(x)

    assert chainrule.sensitivity(f, at={"x": 0.5})["x"].derivative == pytest.approx(
        2 * math.exp(0.5)
    )
    assert f.__defaults__ == (math.exp, 2.0)


def test_fractions_are_numbers():
    s = chainrule.sensitivity(lambda x: x * x, at={"x": Fraction(3, 2)})
    assert s["x"].derivative == 3.0
