"""The engine in 200 lines computes what ours does."""

import ast
import importlib.util
import random
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch

PATH = Path(__file__).resolve().parents[2] / "examples" / "engine_in_200_lines.py"


@pytest.fixture(scope="module")
def engine():
    spec = importlib.util.spec_from_file_location("engine_in_200_lines", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_pure_python_of_at_most_200_lines():
    text = PATH.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    imported = {
        alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {"math", "random"}


def matrix(draw, rows, columns):
    return [[draw.uniform(-2, 2) for _ in range(columns)] for _ in range(rows)]


PROGRAMS = {
    "mlp": (lambda a, b, c: ((a @ b).relu() * 2.0 + c).mean(), [(3, 4), (4, 5), (1, 5)]),
    "column": (lambda a, b: ((a + b) * (a - b)).mean(), [(3, 4), (3, 1)]),
    "outer": (lambda a, b: (a * b).mean(), [(1, 4), (3, 1)]),
    "shared": (lambda a: ((a @ a) * a + a).relu().mean(), [(3, 3)]),
    "chain": (lambda a: (((a * a) * a).relu() + a * -1.5).mean(), [(2, 2)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients_are_those_of_ours(engine, name):
    program, shapes = PROGRAMS[name]
    draw = random.Random(3)
    data = [matrix(draw, *shape) for shape in shapes]
    small = [engine.Array(d) for d in data]
    ours = [torch.tensor(d, dtype=torch.float64, requires_grad=True) for d in data]
    result, expected = program(*small), program(*ours)
    result.backward()
    expected.backward()
    assert result.data == pytest.approx(expected.item())
    for a, t in zip(small, ours, strict=True):
        np.testing.assert_allclose(np.array(a.grad), t.grad.numpy(), rtol=1e-12)


def test_the_mean_of_three_squares(engine):
    x = engine.Array([[1.0, 1.0], [1.0, 1.0]])
    y = x + 2.0
    out = (y * y * 3.0).mean()
    out.backward()
    assert out.data == 27
    assert x.grad == [[4.5, 4.5], [4.5, 4.5]]


def test_gradients_add_up_and_depth_is_no_matter(engine):
    x = engine.Array(1.5)
    for _ in range(2):
        (x * x).backward()
    assert x.grad == 6.0
    y = x
    for _ in range(5000):
        y = y * 1.0
    x.grad = None
    y.backward()
    assert x.grad == 1.0


def test_mistakes_are_told(engine):
    a, b = engine.Array([[1.0, 2.0]]), engine.Array([[1.0], [2.0], [3.0]])
    with pytest.raises(ValueError, match=r"cannot multiply shapes \(1, 2\) and \(3, 1\)"):
        a @ b
    with pytest.raises(ValueError, match="starts at a single number"):
        a.backward()
    with pytest.raises(ValueError, match="do not go together"):
        a + engine.Array([[1.0, 2.0, 3.0]])


def test_it_learns_as_ours_does(engine):
    losses = engine.train(steps=60)
    assert losses[-1] < losses[0] / 5
    draw = random.Random(0)
    points = [[draw.uniform(-1, 1), draw.uniform(-1, 1)] for _ in range(32)]
    x = torch.tensor(points, dtype=torch.float64)
    y = x[:, :1] * x[:, 1:]
    first, second = engine.weights(2, 8, draw).data, engine.weights(8, 1, draw).data
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
    ).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor(first, dtype=torch.float64).T)
        model[2].weight.copy_(torch.tensor(second, dtype=torch.float64).T)
        model[0].bias.zero_()
        model[2].bias.zero_()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    ours = []
    for _ in range(60):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ours.append(loss.item())
    assert losses == pytest.approx(ours, rel=1e-9)
