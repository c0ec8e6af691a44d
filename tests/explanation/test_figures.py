"""Known figures, as a user would ask for them."""

import math

import pytest

import chainrule as torch


def leaf(value):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def multipliers(e):
    return [step.multiplier for step in e.chain]


def test_revenue_by_material():
    material = leaf(3.0)
    cost = 10 * material + 50
    revenue = -5 * cost + 2000
    e = torch.explain(revenue, wrt=material)
    assert multipliers(e) == [-5, 10]
    assert e.gradient.item() == -50 and e.check.ok


def test_production_sales_revenue():
    cost = leaf(20.0)
    production = 1000 - 10 * cost
    sales = 0.8 * production
    revenue = 50 * sales
    e = torch.explain(revenue, wrt=cost)
    assert multipliers(e) == [50, 0.8, -10]
    assert e.gradient.item() == -400
    assert (e.largest_link().result, e.largest_link().by) == ("revenue", "sales")


def test_chips_phones_revenue():
    supply = leaf(5.0)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    e = torch.explain(revenue, wrt=supply)
    assert multipliers(e) == pytest.approx([798.5, 0.1, -50], rel=1e-15)
    assert e.gradient.item() == pytest.approx(-3992.5, rel=1e-15)
    assert sorted(p.contribution for p in e.paths) == pytest.approx([-4000, 7.5])
    assert e.largest_link().multiplier == 798.5
    assert e.largest_link().place.text == "revenue = 800 * phones - 0.01 * phones**2"


def test_shares_reach_followers():
    quality = leaf(8.0)
    shares = 10 * quality**2
    reach = 100 * (shares + 1).log()
    followers = 0.05 * reach * (1 - reach / 10000)
    e = torch.explain(followers, wrt=quality)
    assert [round(m, 4) for m in multipliers(e)] == [0.0435, 0.1560, 160]
    assert round(e.gradient.item(), 4) == 1.0867


def test_square_of_a_line():
    x, w, b = leaf(2.0), leaf(3.0), leaf(1.0)
    y = (x * w + b) ** 2
    found = torch.explain(y, wrt=[b, w, x])
    assert {name: e.gradient.item() for name, e in found.items()} == {"b": 14, "w": 28, "x": 42}
    assert [link.derivative for link in found["x"].paths[0].links] == [14, 1, 3]


def test_two_two_one_network():
    x = torch.tensor([1.0, 0.5], dtype=torch.float64)
    w, b = leaf([[0.3, 0.7], [-0.2, 0.5]]), leaf([0.1, 0.0])
    v, c = leaf([0.6, -0.4]), leaf(0.1)
    hidden = (w @ x + b).relu()
    prediction = (v @ hidden + c).sigmoid()
    loss = -prediction.log()
    assert round(loss.item(), 4) == 0.4629
    found = torch.explain(loss, wrt={"w": w, "b": b, "v": v, "c": c})
    figures = {n: [round(g, 4) for g in e.gradient.reshape(-1).tolist()] for n, e in found.items()}
    assert figures == {
        "w": [-0.2223, -0.1112, 0.1482, 0.0741], "b": [-0.2223, 0.1482],
        "v": [-0.2779, -0.0185], "c": [-0.3705],
    }  # fmt: skip
    assert all(e.check.ok for _, e in found.items())


def test_mean_of_squares():
    x = torch.ones(2, 2, requires_grad=True)
    z = 3 * (x + 2) ** 2
    out = z.mean()
    e = torch.explain(out, wrt=x)
    assert out.item() == 27 and e.gradient.tolist() == [[4.5, 4.5], [4.5, 4.5]]
    assert e.kind == "tensor" and e.paths[0].share == pytest.approx(1)


def test_sine_of_a_square_and_one_neuron():
    x = leaf(1.5)
    assert round(torch.explain((x * x).sin(), wrt=x).gradient.item(), 5) == -1.88452
    w = leaf(0.5)
    prediction = (2.0 * w + 0.1).sigmoid()
    loss = (prediction - 1.0) ** 2
    e = torch.explain(loss, wrt=w)
    assert (round(prediction.item(), 4), round(loss.item(), 4)) == (0.7503, 0.0624)
    assert round(e.gradient.item(), 4) == -0.1872


@pytest.mark.parametrize(("depth", "size"), [(10, 9.5e-7), (19, 3.6e-12), (50, 8e-31)])
def test_sigmoid_chains_lose_a_factor_four_per_layer(depth, size):
    x = h = leaf(0.0)
    for _ in range(depth):
        h = h.sigmoid() - 0.5
    e = torch.explain(h, wrt=x)
    assert all(link.derivative in (0.25, 1) for link in e.paths[0].links)
    assert e.gradient.item() == pytest.approx(size, rel=0.02)


def test_growth_and_an_open_relu():
    x = h = leaf(1.0)
    for _ in range(50):
        h = (h * 1.5).relu()
    e = torch.explain(h, wrt=x)
    assert e.gradient.item() == pytest.approx(6.4e8, rel=0.01)
    assert {link.derivative for link in e.paths[0].links if link.op == "relu"} == {1.0}


def test_the_sum_of_a_softmax_does_not_depend_on_anything():
    x = leaf([1.0, 2.0, 3.0])
    e = torch.explain(torch.softmax(x, 0).sum(), wrt=x)
    assert e.gradient.abs().max().item() < 1e-15 and e.check.ok


def test_elasticity_and_a_finite_change():
    price = leaf(10.0)

    def revenue_at(price):
        demand = 1000 - 20 * price
        return price * demand

    revenue = revenue_at(price)
    e = torch.explain(revenue, wrt=price)
    assert e.gradient.item() == 600
    assert e.elasticity == pytest.approx(600 * 10 / 8000)
    found = e.what_if(1.0, revenue_at)
    assert (found.predicted, found.actual, found.residual) == (8600, 8580, -20)
    again = e.what_if(1.0, lambda: revenue_at(price))
    assert (again.actual, price.item()) == (8580, 10)
    assert "20" in str(found) and math.isclose(found.error, 20 / 580)
