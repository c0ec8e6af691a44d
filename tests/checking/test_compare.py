"""finite_difference and compare_derivatives: three ways to the same derivative."""

import numpy as np
import pytest

import chainrule as torch


def test_sin_of_x_squared_at_one_and_a_half():
    assert torch.finite_difference(lambda x: torch.sin(x**2), 1.5) == pytest.approx(
        -1.88452087, abs=1e-8
    )


@pytest.mark.parametrize(("method", "error"), [("central", 1e-9), ("forward", 1e-6),
                                               ("backward", 1e-6)])  # fmt: skip
def test_methods_reach_the_precision_of_their_kind(method, error):
    found = torch.finite_difference(torch.exp, 1.0, method=method)
    assert found == pytest.approx(np.e, rel=error)


def test_a_step_may_be_given():
    # (f(x + h) - f(x)) / h of x**2 at 1 is 2 + h.
    f = lambda x: x * x  # noqa: E731
    assert torch.finite_difference(f, 1.0, eps=0.5, method="forward") == 2.5
    assert torch.finite_difference(f, 1.0, eps=0.5, method="backward") == 1.5


def test_results_have_the_form_of_the_input():
    f = lambda x, w, b: (x * w + b) ** 2  # noqa: E731
    assert torch.finite_difference(f, (2.0, 3.0, 1.0)) == pytest.approx((42, 28, 14), rel=1e-8)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    slope = torch.finite_difference(lambda x: (x**2).sum(), x)
    assert isinstance(slope, torch.Tensor)
    assert torch.allclose(slope, 2 * x, rtol=1e-8)
    as_array = torch.finite_difference(lambda x: (x**2).sum(), x.numpy())
    assert isinstance(as_array, np.ndarray)


def test_a_tensor_valued_function_gives_its_jacobian():
    w = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64)
    found = torch.finite_difference(lambda x: w @ x, torch.zeros(3, dtype=torch.float64))
    assert torch.allclose(found, w)


def test_the_input_is_not_changed_and_float32_is_respected():
    x = torch.tensor([1.0, 2.0])
    seen = []

    def f(t):
        seen.append(t.dtype)
        return t.mul_(1.0).sum()

    assert torch.allclose(torch.finite_difference(f, x), torch.ones(2), atol=1e-3)
    assert x.tolist() == [1.0, 2.0]
    assert set(seen) == {torch.float32}


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="central, forward, backward, got 'simpson'"):
        torch.finite_difference(torch.sin, 1.0, method="simpson")


def test_the_three_derivatives_agree():
    c = torch.compare_derivatives(lambda x: torch.sin(x**2), 1.5)
    assert c.automatic[0] == pytest.approx(-1.88452086817, rel=1e-11)
    assert c.symbolic[0] == pytest.approx(c.automatic[0], rel=1e-14)
    assert c.numerical[0] == pytest.approx(c.automatic[0], rel=1e-9)
    assert str(c.formula.derivative()) == "2*x*cos(x**2)"


def test_the_error_falls_with_the_step_until_rounding_takes_over():
    c = torch.compare_derivatives(torch.exp, 1.0)
    errors = {row.step: row for row in c.curve}
    steps = sorted(errors, reverse=True)
    assert len(steps) == 15
    # Forward differences gain one digit per digit of step, central ones two.
    assert errors[steps[2]].forward / errors[steps[3]].forward == pytest.approx(10, rel=0.05)
    assert errors[steps[1]].central / errors[steps[2]].central == pytest.approx(100, rel=0.05)
    assert 1e-10 < c.best_step < 1e-6
    assert errors[steps[-1]].forward > 1e-3


def test_differences_take_n_plus_one_passes_where_backward_takes_one():
    c = torch.compare_derivatives(lambda x: (x**3).sum(), torch.ones(20, dtype=torch.float64))
    assert c.passes == {
        "automatic": (1, 1),
        "forward differences": (21, 0),
        "central differences": (40, 0),
    }
    assert c.formula is None
    assert c.no_formula == "x is a tensor"
    assert c.names[:2] == ("x[0]", "x[1]")


def test_many_inputs_are_moved_along_one_direction():
    calls = []

    def f(x):
        calls.append(1)
        return (x**2).sum()

    c = torch.compare_derivatives(f, torch.ones(100, dtype=torch.float64), steps=[1e-2, 1e-4])
    assert c.curve[0].forward > 50 * c.curve[1].forward
    assert len(calls) < 320  # 101 + 200 for the gradients, a handful for the curve


def test_the_report_is_a_plain_table():
    text = str(torch.compare_derivatives(lambda x, w, b: (x * w + b) ** 2, (2.0, 3.0, 1.0)))
    assert "d/d      numerical  symbolic  automatic" in text
    assert "df/dw = 2*x*(w*x + b)" in text
    assert "error against step size (relative)" in text
    assert "cost of the gradient of 3 inputs" in text
    assert "1e-08" in text
    text = str(torch.compare_derivatives(lambda x: 4 * x * (1 - x), 0.3))
    assert "size when f is applied again and again" in text
    assert "10    5,118         165,890    30" in text


def test_show_prints_with_or_without_rich(capsys, monkeypatch):
    c = torch.compare_derivatives(torch.sin, 1.0)
    c.show()
    assert "automatic" in capsys.readouterr().out
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    c.show()
    assert capsys.readouterr().out == str(c) + "\n"


def test_a_function_that_returns_no_single_number_is_refused():
    with pytest.raises(TypeError, match=r"returned Tensor of shape \[2\].*sum"):
        torch.compare_derivatives(lambda x: x * 2, torch.ones(2))


def test_what_the_first_run_prepares_is_not_timed():
    """Every way is run before it is timed: a slow first call does not count."""
    import time

    calls = []

    def slow_at_first(x):
        calls.append(x.requires_grad)
        if len(calls) == 1 or (not x.requires_grad and calls.count(False) == 1):
            time.sleep(0.05)  # the first run, and the first one without recording
        return (x * x).sum()

    x = torch.ones(1, dtype=torch.float64)
    found = torch.compare_derivatives(slow_at_first, x, depths=[], steps=[1e-6])
    assert found.passes["automatic"] == (1, 1)
    assert found.passes["forward differences"] == (2, 0)
    assert found.passes["central differences"] == (2, 0)
    assert all(spent < 0.05 for spent in found.seconds.values())
