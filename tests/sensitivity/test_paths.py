"""Chains through the function's own variables: names, links, and sums of paths."""

import math
import random

import pytest

import chainrule
import chainrule as torch


def random_program(seed: int) -> str:
    """A straight program of named steps with branches and shared variables."""
    draw = random.Random(seed)
    names = ["a", "b", "c"]
    lines = ["def f(a, b, c):"]
    for k in range(draw.randint(3, 12)):
        u, v, w = (draw.choice(names) for _ in range(3))
        expression = draw.choice([
            f"{u} * {v} + {draw.uniform(-2, 2):.3f}", f"{u} - {v} * {w}",
            f"sin({u}) * {v}", f"{u} / (1.5 + {v} * {v})", f"exp(-{u} * {u}) + {w}",
            f"({u} if {v} > 0.1 else {w}) * 2", f"tanh({u} + {v})", f"abs({u}) + max({v}, {w})",
        ])  # fmt: skip
        lines.append(f"    v{k} = {expression}")
        names.append(f"v{k}")
    lines.append(f"    return {names[-1]} + {draw.choice(names)} * {draw.choice(names)}")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_path_sums_are_the_derivative_and_the_engines(seed):
    source = random_program(seed)
    space = {"sin": math.sin, "exp": math.exp, "tanh": math.tanh}
    exec(source, space)
    point = {"a": 0.7, "b": -0.4, "c": 1.3}
    s = chainrule.sensitivity(space["f"], at=point)
    tensors = {
        n: torch.tensor(v, dtype=torch.float64, requires_grad=True) for n, v in point.items()
    }
    twin = {
        "sin": torch.sin, "exp": torch.exp, "tanh": torch.tanh,
        "max": torch.maximum, "abs": torch.abs,
    }  # fmt: skip
    exec(source, twin)
    twin["f"](**tensors).backward()
    for name, tensor in tensors.items():
        expected = 0.0 if tensor.grad is None else tensor.grad.item()
        driver = s[name]
        assert driver.derivative == pytest.approx(expected, rel=1e-12, abs=1e-13), source
        paths = s._graph.paths(s._run.inputs[name], most=100_000)
        assert len(paths) == driver.path_count
        total = math.fsum(p.contribution for p in paths)
        assert total == pytest.approx(driver.derivative, rel=1e-10, abs=1e-12), source
        sizes = [abs(p.contribution) for p in paths]
        assert sizes == sorted(sizes, reverse=True)


def test_more_paths_than_could_be_listed_are_counted():
    lines = ["def doubling(v0):"]
    for k in range(60):  # two ways from each step to the next
        lines.append(f"    u{k} = 0.4 * v{k}")
        lines.append(f"    v{k + 1} = u{k} + 0.5 * v{k}")
    space: dict = {}
    exec("\n".join([*lines, "    return v60"]), space)
    driver = chainrule.sensitivity(space["doubling"], at={"v0": 1.0})["v0"]
    assert driver.derivative == pytest.approx(0.9**60)
    assert driver.path_count == 2**60
    assert len(driver.paths) == 10
    assert driver.remaining == pytest.approx(
        driver.derivative - sum(p.contribution for p in driver.paths)
    )


def helper(amount):
    fee = 0.1 * amount
    return amount + fee


class Shop:
    def __init__(self, rent):
        self.rent = rent

    def profit(self, price):
        self.sales = 100 - price
        return price * self.sales - self.rent


def names_of(f, at, wrt):
    return [step.name for step in chainrule.sensitivity(f, at=at)[wrt].chain.steps]


def test_names_are_those_of_the_outermost_variables():
    def f(x):
        paid = helper(x)
        return paid**2

    assert names_of(f, {"x": 2.0}, "x") == ["x", "paid", "f"]


def test_results_without_a_variable_are_named_by_their_function():
    assert names_of(lambda x: helper(helper(x)) * 2, {"x": 2.0}, "x")[-2:] == ["helper()", "result"]


def test_attributes_entries_and_reassigned_variables_have_names():
    def shop(price, rent):
        return Shop(rent).profit(price)

    s = chainrule.sensitivity(shop, at={"price": 30.0, "rent": 5.0})
    assert "self.sales" in str(s["price"].paths[1])

    def table(x):
        costs = {"fix": 3.0, "var": x * 2}
        return costs["var"] ** 2

    assert names_of(table, {"x": 2.0}, "x") == ["x", "costs['var']", "table"]

    def again(x):
        y = x * 2
        y = y**2
        return y

    steps = chainrule.sensitivity(again, at={"x": 3.0})["x"].chain.steps
    assert [step.name.split(" ")[0] for step in steps] == ["x", "y", "y"]
    assert steps[1].name.startswith("y (line ")


def test_a_loop_is_one_step():
    def grow(x):
        total = x
        for _ in range(10):
            total = total * 1.1
        return total

    chain = chainrule.sensitivity(grow, at={"x": 2.0})["x"].chain
    assert [link.name for link in chain] == ["x -> total"]
    assert chain[0].multiplier == pytest.approx(1.1**10)


def test_steps_tell_both_derivatives():
    def f(x):
        y = x * 3
        z = y**2
        return z

    s = chainrule.sensitivity(f, at={"x": 2.0})
    told = {step.name: (ahead, back) for step, ahead, back in s.steps("x")}
    assert told == {"x": (1, 36), "y": (3, 12), "z": (36, 1)}


def test_an_input_that_is_the_result():
    driver = chainrule.sensitivity(lambda x, y: x, at={"x": 2.0, "y": 1.0})
    assert driver["x"].derivative == 1
    assert driver["x"].chain[0].multiplier == 1
    assert driver["y"].derivative == 0
    assert driver["y"].biggest_link is None
    assert "does not answer to y" in str(driver)
