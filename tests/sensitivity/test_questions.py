"""What if, tornado, sweeps, interactions, and how results are shown."""

import json
import math
import xml.etree.ElementTree as xml

import pytest

import chainrule


def profit(price, cost, ads):
    volume = 1000 - 40 * price + 30 * math.sqrt(ads)
    return (price - cost) * volume - ads


@pytest.fixture(scope="module")
def s():
    return chainrule.sensitivity(profit, at={"price": 12, "cost": 4, "ads": 100})


def test_what_if_predicts_and_recomputes(s):
    found = s.what_if(price=+0.10)
    assert found.predicted_change == pytest.approx(s["price"].derivative * 0.10)
    assert found.recomputed == profit(12.1, 4, 100)
    assert found.residual == pytest.approx(-40 * 0.1**2)
    both = s.what_if({"ads": "+20%"}, price=-1)
    assert both.changes == {"ads": 20, "price": -1}
    assert both.recomputed == profit(11, 4, 120)
    assert "residual" in str(both)


def test_a_straight_function_leaves_no_residual():
    found = chainrule.sensitivity(lambda x: 3 * x + 1, at={"x": 2}).what_if(x=5)
    assert found.residual == 0
    assert "straight" in str(found)


def test_tornado_recomputes_and_sorts(s):
    tornado = s.tornado(0.1)
    assert [w.name for w in tornado] == ["price", "cost", "ads"]
    assert tornado["cost"].at_low == profit(12, 3.6, 100)
    assert tornado["cost"].at_high == profit(12, 4.4, 100)
    wide = s.tornado(ranges={"ads": (0, 10_000)})
    assert wide[0].name == "ads"
    assert wide[0].swing == pytest.approx(abs(profit(12, 4, 1e4) - profit(12, 4, 0)))


def test_tornado_at_zero_and_outside_of_the_function():
    s = chainrule.sensitivity(lambda x, y: x + math.sqrt(y), at={"x": 0.0, "y": 1.0})
    tornado = s.tornado(2.0)
    assert tornado["x"].swing == 4
    assert math.isnan(tornado["y"].at_low)
    assert any("y = -1 is outside" in n for n in tornado.notes)
    assert any("x is 0" in n for n in tornado.notes)


def test_interactions_are_second_derivatives(s):
    found = s.interactions()
    assert found["price", "price"] == pytest.approx(-80)
    assert found["price", "cost"] == found["cost", "price"] == pytest.approx(40)
    assert found["price", "ads"] == pytest.approx(15 / math.sqrt(100))
    assert found["ads", "ads"] == pytest.approx((12 - 4) * 30 * -0.25 * 100**-1.5)
    assert found["cost", "cost"] == 0


def test_a_sweep_finds_the_maximum_inside(s):
    sweep = s.sweep("price", 0, 30, 31)
    best = (1000 + 300 + 160) / 80
    assert sweep.maximum.x == pytest.approx(best)
    assert sweep.maximum.value == pytest.approx(profit(best, 4, 100))
    assert sweep.values == pytest.approx([profit(p, 4, 100) for p in range(31)])
    assert "highest at price = 18.25" in sweep.verdict


def test_a_minimum_inside_and_a_slope_that_still_rises():
    sweep = chainrule.sensitivity(lambda x: (x - 1) ** 2, at={"x": 0.0}).sweep("x", -2, 3)
    assert sweep.minimum.x == pytest.approx(1.0, abs=1e-6)
    assert sweep.maximum is None
    assert "still rises at the end" in sweep.verdict and "no optimum" in sweep.verdict


def test_an_s_curve_has_its_point_of_diminishing_returns():
    s = chainrule.sensitivity(lambda spend: 1 / (1 + math.exp(-(spend - 5))), at={"spend": 1})
    sweep = s.sweep("spend", 0, 10, 40)
    assert sweep.diminishing_returns == pytest.approx(5, abs=1e-3)
    assert sweep.peak.slope == pytest.approx(0.25)


def test_a_sweep_tells_where_another_branch_is_taken():
    def tax(income):
        if income > 10:
            return 1 + 0.4 * (income - 10)
        return 0.1 * income

    sweep = chainrule.sensitivity(tax, at={"income": 5.0}).sweep("income", 0, 20, 11)
    assert any("another branch is taken at income = 10: slope 0.1 before, 0.4" in n
               for n in sweep.notes)  # fmt: skip

    def fee(income):
        return 0.1 * income + (5 if income > 10 else 0)

    sweep = chainrule.sensitivity(fee, at={"income": 5.0}).sweep("income", 0, 20, 11)
    assert any("fee jumps from 1 to 6" in n for n in sweep.notes)


def test_a_sweep_leaves_out_what_is_outside_of_the_function():
    sweep = chainrule.sensitivity(lambda x: math.log(x), at={"x": 1.0}).sweep("x", -1, 3, 9)
    assert math.isnan(sweep.values[0]) and sweep.values[-1] == math.log(3)
    assert any("outside of the function" in n for n in sweep.notes)
    with pytest.raises(ValueError, match="has no value anywhere"):
        chainrule.sensitivity(lambda x: math.log(x), at={"x": 1.0}).sweep("x", -3, -1)


def test_a_constant_slope_is_said():
    sweep = chainrule.sensitivity(lambda x: 2 * x, at={"x": 1.0}).sweep("x", 0, 1, 5)
    assert "constant (2)" in sweep.verdict


def test_every_result_can_be_shown(s, capsys):
    c = chainrule.sensitivity.from_changes([("a & b", 1), ("<c>", -2)])
    for one in (s, s.tornado(), s.sweep("price", 0, 30, 5), s.what_if(price=1), c):
        assert repr(one) == str(one) != ""
        one.show()
        assert capsys.readouterr().out.strip()
        xml.fromstring(one.to_svg())
        assert one.to_html().startswith("<!doctype html>")
        assert "<svg" in one._repr_html_()
        json.loads(one.to_json())
    assert "<c>" not in c.to_html() and "&lt;c&gt;" in c.to_html()


def test_a_page_can_be_written_to_a_file(s, tmp_path):
    text = s.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text


def test_json_is_strict():
    s = chainrule.sensitivity(lambda x: x - 1.0, at={"x": 1.0})
    assert json.loads(s.to_json())["inputs"]["x"]["elasticity"] is None


def test_plots_without_matplotlib_say_what_to_do(s, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install matplotlib, or use to_svg"):
        s.plot()
