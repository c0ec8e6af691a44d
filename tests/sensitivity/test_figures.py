"""The known figures of supply chains, neurons and networks, from plain functions."""

import math

import pytest

import chainrule
from chainrule.sensitivity import from_changes


def multipliers(s, name):
    return [link.multiplier for link in s[name].chain]


def test_material_to_revenue():
    def model(material):
        cost = 10 * material + 50
        revenue = -5 * cost + 2000
        return revenue

    s = chainrule.sensitivity(model, at={"material": 3})
    assert s["material"].derivative == -50
    assert multipliers(s, "material") == [10, -5]
    assert s.output == "revenue"


def test_production_to_revenue():
    def model(cost):
        production = 1000 - 10 * cost
        sales = 0.8 * production
        return 50 * sales

    s = chainrule.sensitivity(model, at={"cost": 20})
    assert s["cost"].derivative == pytest.approx(-400)
    assert multipliers(s, "cost") == [-10, 0.8, 50]


def chips_to_revenue(shortage):
    chips = 1000 - 50 * shortage
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    return revenue


def test_chips():
    s = chainrule.sensitivity(chips_to_revenue, at={"shortage": 5})
    driver = s["shortage"]
    assert driver.derivative == pytest.approx(-3992.5)
    assert multipliers(s, "shortage") == pytest.approx([-50, 0.1, 798.5])
    assert driver.biggest_link.name == "phones -> revenue"
    assert driver.path_count == 1
    assert driver.elasticity == pytest.approx(-3992.5 * 5 / s.value)
    assert [step.name for step in driver.chain.steps] == ["shortage", "chips", "phones", "revenue"]
    assert driver.chain[0].target.code == "chips = 1000 - 50 * shortage"


def test_chips_swept():
    sweep = chainrule.sensitivity(chips_to_revenue, at={"shortage": 5}).sweep("shortage", 0, 10, 11)
    assert sweep.values == pytest.approx([chips_to_revenue(s) for s in range(11)])
    assert sweep.marginal == pytest.approx([-3990 - 0.5 * s for s in range(11)])
    assert sweep.maximum is None and sweep.diminishing_returns is None
    assert "revenue falls all along [0, 10]" in sweep.verdict


def followers_of(quality):
    shares = 10 * quality**2
    reach = 100 * math.log(shares + 1)
    followers = 0.05 * reach * (1 - reach / 10000)
    return followers


def test_followers():
    s = chainrule.sensitivity(followers_of, at={"quality": 8})
    assert multipliers(s, "quality") == pytest.approx([160, 0.1560, 0.0435], rel=1e-3)
    assert s["quality"].derivative == pytest.approx(1.0867, abs=5e-5)
    assert s["quality"].biggest_link.name == "quality -> shares"


def test_followers_swept_from_where_the_marginal_value_falls_already():
    sweep = chainrule.sensitivity(followers_of, at={"quality": 8}).sweep("quality", 1, 15)
    assert sweep.peak is None
    assert sweep.diminishing_returns is None
    assert sweep.maximum is None
    assert sweep.peak_outside.x == pytest.approx(0.31, abs=0.005)
    assert "falls from the start" in sweep.verdict
    assert "no optimum" in sweep.verdict
    assert all(a > b for a, b in zip(sweep.marginal, sweep.marginal[1:], strict=False))


def test_followers_swept_where_the_peak_lies_inside():
    sweep = chainrule.sensitivity(followers_of, at={"quality": 8}).sweep("quality", 0, 15)
    assert sweep.diminishing_returns == pytest.approx(0.31, abs=0.005)
    assert "diminishing returns from quality = 0.3" in sweep.verdict


def test_squared_line():
    s = chainrule.sensitivity(lambda x, w, b: (x * w + b) ** 2, at={"x": 2, "w": 3, "b": 1})
    assert {n: d.derivative for n, d in s.items()} == {"b": 14, "w": 28, "x": 42}


def network(w11, w12, w21, w22, b1, b2, v1, v2, b3, x1=1.0, x2=0.5):
    h1 = max(0.0, w11 * x1 + w12 * x2 + b1)
    h2 = max(0.0, w21 * x1 + w22 * x2 + b2)
    score = v1 * h1 + v2 * h2 + b3
    prediction = 1 / (1 + math.exp(-score))
    return -math.log(prediction)


def test_network():
    at = {"w11": 0.3, "w12": 0.7, "w21": -0.2, "w22": 0.5, "b1": 0.1, "b2": 0, "v1": 0.6,
          "v2": -0.4, "b3": 0.1}  # fmt: skip
    s = chainrule.sensitivity(network, at=at)
    assert s.value == pytest.approx(0.4629, abs=5e-5)
    expected = {"w11": -0.2223, "w12": -0.1112, "w21": 0.1482, "w22": 0.0741, "b1": -0.2223,
                "b2": 0.1482, "v1": -0.2779, "v2": -0.0185, "b3": -0.3705}  # fmt: skip
    assert {n: round(d.derivative, 4) for n, d in s.items()} == expected
    assert any("was True" in b and "h1 = max(" in b for b in s.branches)


def test_mean_of_squares():
    def f(x):
        y = x + 2
        z = 3 * y * y
        return z.mean()

    import numpy as np

    s = chainrule.sensitivity(f, at={"x": np.ones((2, 2))})
    assert s.value == 27
    assert [d.derivative for d in s.values()] == pytest.approx([4.5] * 4)


def test_sine_and_neuron():
    s = chainrule.sensitivity(lambda x: math.sin(x**2), at={"x": 1.5})
    assert s["x"].derivative == pytest.approx(-1.88452, abs=5e-6)

    def loss(w, x=2, b=0.1, y=1):
        prediction = 1 / (1 + math.exp(-(w * x + b)))
        return (prediction - y) ** 2

    s = chainrule.sensitivity(loss, at={"w": 0.5})
    assert s.value == pytest.approx(0.0624, abs=5e-5)
    assert s["w"].derivative == pytest.approx(-0.1872, abs=5e-5)
    assert s["w"].chain.steps[1].value == pytest.approx(0.7503, abs=5e-5)


@pytest.mark.parametrize(("depth", "size"), [(10, 9.5e-7), (19, 3.6e-12), (50, 8e-31)])
def test_sigmoids_in_a_row(depth, size):
    def f(x):
        for _ in range(depth):
            x = 1 / (1 + math.exp(-x)) - 0.5
        return x

    assert chainrule.sensitivity(f, at={"x": 0.0})["x"].derivative == pytest.approx(size, rel=0.02)


# ---- cascades of observed changes ----------------------------------------------------------------

CHANGES = [("material", +0.10), ("cost", +1), ("price", +5), ("volume", -1000),
           ("revenue", -50000)]  # fmt: skip


def test_a_cascade_of_observed_changes():
    c = from_changes(CHANGES)
    assert c.links == pytest.approx([10, 5, -200, 50])
    assert c.total == pytest.approx(-500_000)
    assert c.biggest_link.name == "price -> volume"
    assert c.cheapest_break.name == "material"
    assert c.cheapest_break.undo == pytest.approx(-0.10)
    assert c.last_chance.name == "price"
    assert [round(b.leverage) for b in c.breaks] == [-500_000, -50_000, -10_000, 50]
    text = str(c)
    assert "revenue changes by -500,000 per unit of material" in text
    assert "<- biggest" in text.splitlines()[5]
    assert "cheapest at material: undoing 0.1 there saves 50,000 of revenue" in text


def test_prices_decide_where_a_cascade_is_cheapest_to_break():
    c = from_changes(dict(CHANGES), cost_per_unit={"material": 1e6, "cost": 1000, "price": 100})
    assert c.cheapest_break.name == "price"
    assert c.cheapest_break.cost == 500


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ([("a", 1)], "at least two"),
        ([("a", 0), ("b", 1)], "a did not change"),
        ([("a", 1), ("a", 2)], "named twice"),
        ([("a", "x"), ("b", 1)], "pair of a name and a number"),
        ([("a", None), ("b", 1)], "is no number"),
        ([("a", math.nan), ("b", 1)], "is nan"),
        ([1, 2], "pair of a name and a number"),
    ],
)
def test_wrong_changes(changes, match):
    with pytest.raises((TypeError, ValueError), match=match):
        from_changes(changes)
