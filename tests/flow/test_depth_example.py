"""The example of gradients against depth: the figures of SPEC section 6."""

import importlib.util
from pathlib import Path

import pytest

from chainrule import nn

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def example():
    path = ROOT / "examples" / "gradient_flow_depth.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("depth", "slope"), [(1, 0.25), (10, 9.5e-7), (19, 3.6e-12), (50, 8e-31)])
def test_a_chain_of_sigmoids_passes_a_quarter_per_layer(example, depth, slope):
    assert example.sigmoid_chain(depth) == pytest.approx(0.25**depth, rel=1e-12)
    assert example.sigmoid_chain(depth) == pytest.approx(slope, rel=0.02)


def test_one_and_a_half_per_layer_explodes_and_an_open_relu_passes_one(example):
    assert example.scaled_chain(50) == pytest.approx(6.4e8, rel=0.01)
    assert example.relu_chain(50) == 1.0


def test_the_networks_show_it(example):
    sigmoid, relu = example.flow_of(nn.Sigmoid, 12), example.flow_of(nn.ReLU, 12)
    assert sigmoid.verdict == "vanishing" and sigmoid.amplification < 0.25
    assert relu.verdict == "healthy" and relu.amplification > 0.5


def test_it_runs_and_draws(example, tmp_path, capsys):
    example.main(str(tmp_path / "depth.svg"))
    assert "9.5e-07" in capsys.readouterr().out
    assert (tmp_path / "depth.svg").read_text().startswith("<svg")
