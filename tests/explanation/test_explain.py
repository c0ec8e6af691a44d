"""What an explanation says and refuses, and how it is shown."""

import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.reading import track_modules


def leaf(value):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


@pytest.fixture
def revenue():
    supply = leaf(5.0)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    return torch.explain(revenue, wrt=supply)


def test_the_text_names_variables_lines_and_the_check(revenue):
    text = str(revenue)
    assert text.startswith("d revenue / d supply = -3992.5\n")
    assert "biggest multiplier: \N{MULTIPLICATION SIGN}798.5 from phones to revenue" in text
    assert '"phones = 0.1 * chips", line' in text
    assert "path 1 of 2: contributes -4000 (100.2% of the gradient)" in text
    assert "sum of all paths against backward: ok" in text


def test_the_tree_draws_what_paths_share_once(revenue, capsys):
    lines = revenue.tree().splitlines()
    assert lines[0] == "revenue" and len([t for t in lines if "800 * phones" in t]) == 1
    revenue.show()
    assert revenue.tree() in capsys.readouterr().out


def test_every_step_has_its_elasticity_and_their_product_is_the_whole(revenue):
    found = [step.elasticity for step in revenue.chain]
    assert math.prod(found) == pytest.approx(revenue.elasticity)
    assert found[1] == pytest.approx(1)


def test_json_has_everything_and_is_json(revenue):
    data = json.loads(revenue.to_json())
    assert data["gradient"] == pytest.approx(-3992.5)
    assert [s["multiplier"] for s in data["chain"]] == pytest.approx([798.5, 0.1, -50])
    assert data["path_count"] == 2 and data["check"]["ok"] is True
    x = leaf(0.0)
    data = json.loads(torch.explain(x.log(), wrt=x).to_json())
    assert data["gradient"] == "inf"


def test_json_describes_what_is_too_large_to_write_out():
    x = torch.ones(200, 100, requires_grad=True)
    data = json.loads(torch.explain((x * 2).sum(), wrt=x).to_json())
    assert data["gradient"]["shape"] == [200, 100] and data["gradient"]["largest"] == 2


def test_pictures_are_well_formed_and_pages_stand_alone(revenue, tmp_path):
    ElementTree.fromstring(revenue.to_svg())
    revenue.to_html(tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert "<svg" in page and "phones" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "src=" not in page
    assert revenue._repr_html_().startswith("<div")


def test_markup_in_names_is_escaped():
    values = {"<script>": leaf(2.0)}
    y = values["<script>"] ** 2
    e = torch.explain(y, wrt=values["<script>"])
    assert "<script>" not in e.to_html() and "<script>" not in e.to_svg()
    assert "<script>alert" not in torch.graph(y).to_html()


def test_the_waterfall_needs_matplotlib_and_says_so(revenue):
    try:
        import matplotlib as _  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            revenue.waterfall()


def test_groups_by_line_follow_the_gradient(revenue):
    lines = revenue.by_line()
    assert [g.name.partition(": ")[2] for g in lines] == [
        "revenue = 800 * phones - 0.01 * phones**2", "phones = 0.1 * chips",
        "chips = 1000 - 50 * supply",
    ]  # fmt: skip
    assert lines[1].gain == pytest.approx(0.1, rel=1e-2)


def test_groups_by_module_and_layer():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Sequential(nn.Linear(4, 2), nn.Tanh())
    )
    with track_modules(model) as calls:
        loss = model(torch.ones(1, 3)).sum()
    e = torch.explain(loss, wrt="0.0.weight", module=model, modules=calls)
    assert [g.name for g in e.by_layer()] == ["(outside of modules)", "1", "0"]
    assert [g.name for g in e.by_module()] == ["(outside of modules)", "1.1", "1.0", "0.1", "0.0"]
    assert e.paths[0].links[-1].module == "0.0"
    assert math.prod(g.gain for g in e.by_module()) == pytest.approx(
        e.gradient.norm().item() / 1, rel=1e-5
    )


def test_branches_that_cancel_are_shown():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    y = (h * 3 - h * 2.9).sum()
    (merge,) = torch.explain(y, wrt=x).merges
    assert merge.alignment == pytest.approx(0.1 / 5.9, rel=1e-3)
    assert sorted(round(c) for _, _, c in merge.branches) == [-1, 1]


def test_a_model_gives_one_explanation_per_parameter():
    model = nn.Linear(3, 2)
    found = torch.explain(model(torch.ones(1, 3)).sum(), wrt=model)
    assert list(found) == ["weight", "bias"] and found["bias"].gradient.tolist() == [1, 1]
    assert "weight" in str(found) and json.loads(found.to_json())["bias"]["gradient"] == [1, 1]
    with pytest.raises(KeyError, match="explained were weight, bias"):
        found["wait"]


def test_an_output_that_is_no_number_takes_a_gradient():
    x = leaf([1.0, 2.0])
    y = x**2
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar"):
        torch.explain(y, wrt=x)
    e = torch.explain(y, wrt=x, gradient=torch.tensor([1.0, 10.0], dtype=torch.float64))
    assert e.gradient.tolist() == [2, 40]
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        torch.explain(y, wrt=x, gradient=torch.ones(3))


def test_intermediate_values_and_the_output_itself():
    x = leaf(2.0)
    h = x * 3
    y = h.exp() * h
    e = torch.explain(y, wrt=h)
    assert e.count == 2 and e.gradient.item() == pytest.approx(7 * math.exp(6))
    itself = torch.explain(y, wrt=y)
    assert itself.gradient.item() == 1 and itself.paths[0].links == ()
    assert "y is y itself" in str(itself)


def test_outputs_of_one_op_are_told_apart():
    x = leaf([3.0, 1.0, 2.0])
    first, second, third = x.unbind()
    y = first * second + third**2
    e = torch.explain(y, wrt=x)
    assert e.count == 3 and e.check.ok
    assert torch.explain(y, wrt=third).gradient.item() == 4


def test_custom_functions_and_hooks():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    y = Square.apply(x) * 2
    e = torch.explain(y, wrt=x)
    assert e.gradient.item() == 12 and e.paths[0].links[1].op == "Square"
    seen = []
    x.register_hook(lambda g: seen.append(g) or g * 100)
    e = torch.explain(Square.apply(x), wrt=x)
    assert e.gradient.item() == 6 and seen == [] and "they were not run" in str(e)


def test_nothing_is_changed():
    x = leaf(3.0)
    y = x.exp() * x
    torch.explain(y, wrt=x)
    torch.graph(y).to_html()
    assert x.grad is None
    y.backward()
    assert x.grad.item() == pytest.approx(4 * math.exp(3))


def test_complex_and_half_precision():
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    assert torch.explain((z * z).abs().sum(), wrt=z).check.ok
    with pytest.raises(RuntimeError, match="complex"):
        torch.explain((z * z).sum(), wrt=z)
    h = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    e = torch.explain((h * 2).sum(), wrt=h)
    assert e.gradient.tolist() == [2, 2, 2] and e.check.ok


# ---- bad input -----------------------------------------------------------------------------------


def test_an_input_that_was_not_used_is_named():
    x, other = leaf(1.0), leaf(2.0)
    y = x.exp()
    with pytest.raises(RuntimeError, match=r"other appears to not have been used.*\n.*\n.*x"):
        torch.explain(y, wrt=other)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.explain(y, wrt=torch.tensor(1.0))


def test_a_used_up_graph_and_a_detached_output():
    x = leaf(1.0)
    y = x.exp()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.explain(y, wrt=x)
    assert "used this graph up" in str(torch.graph(y))
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.explain(x.exp().detach(), wrt=x)
    with pytest.raises(TypeError, match="expected a tensor"):
        torch.explain(3.0, wrt=x)


def test_wrong_names_and_arguments():
    model = nn.Linear(3, 2)
    y = model(torch.ones(1, 3)).sum()
    with pytest.raises(KeyError, match=r"no parameter 'wieght'; it has 'weight'"):
        torch.explain(y, wrt="wieght", module=model)
    with pytest.raises(TypeError, match="module="):
        torch.explain(y, wrt="weight")
    with pytest.raises(TypeError, match="got int"):
        torch.explain(y, wrt=3)
    with pytest.raises(ValueError, match="names no tensor"):
        torch.explain(y, wrt=[])
    with pytest.raises(ValueError, match="paths must be"):
        torch.explain(y, wrt=model.bias, paths=0)
    with pytest.raises(ValueError, match="fold must be"):
        torch.graph(y, fold="sideways")
    with pytest.raises(ValueError, match="single number"):
        np.asarray(torch.explain(y * torch.ones(2), wrt=model.bias, gradient=[1.0, 1.0]).elasticity)


def test_inside_a_transform_it_says_what_to_do():
    def f(x):
        torch.explain(x.sin(), wrt=x)
        return x

    with pytest.raises(RuntimeError, match="func transform"):
        torch.func.grad(f)(torch.tensor(1.0))


def test_reading_never_writes_gradients():
    from chainrule.utils.checkpoint import checkpoint

    layer = nn.Linear(3, 3)
    x = torch.randn(2, 3, requires_grad=True)
    y = checkpoint(layer, x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match="use_reentrant=True"):
        torch.explain(y, wrt=x)
    assert "gradients are not shown" in str(torch.graph(y))
    assert layer.weight.grad is None
    h = x * 2
    h.retain_grad()
    e = torch.explain(h.sum(), wrt=x)
    assert h.grad is None and "may change" not in str(e)


def test_checkpointed_blocks_are_recomputed_and_explained():
    from chainrule.utils.checkpoint import checkpoint

    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
    x = torch.randn(2, 3, requires_grad=True)
    y = checkpoint(model, x, use_reentrant=False).sum()
    e = torch.explain(y, wrt=x)
    assert e.check.ok
    y.backward()
    np.testing.assert_allclose(e.gradient.numpy(), x.grad.numpy(), rtol=1e-6)


def test_in_place_writes_double_backward_and_compiled_functions():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 2
    y[0] = y[1] * 3
    y[1:].mul_(x[1:])
    e = torch.explain((y**2).sum(), wrt=x, paths=100)
    total = sum(p.contribution.numpy() for p in e.paths)
    np.testing.assert_allclose(total, e.gradient.numpy(), rtol=1e-12)
    (g,) = torch.autograd.grad((x.relu() * x.sin()).sum(), x, create_graph=True)
    assert torch.explain((g**2).sum(), wrt=x).check.ok
    f = torch.compile(lambda t: (t * t).tanh().sum())
    assert torch.explain(f(x), wrt=x).check.ok


def test_nan_in_both_is_no_difference():
    x = leaf(0.0)
    e = torch.explain(x / x + x, wrt=x)
    assert math.isnan(e.gradient.item()) and e.check.ok
    assert "DIFFERENT" not in str(e)


def test_parameters_that_were_not_used_are_named():
    model = nn.ModuleDict({"used": nn.Linear(2, 2), "idle": nn.Linear(2, 2)})
    found = torch.explain(model["used"](torch.ones(1, 2)).sum(), wrt=model)
    assert list(found) == ["used.weight", "used.bias"]
    assert "not used: idle.weight, idle.bias" in str(found)


def test_layers_are_the_numbered_modules_that_have_parts():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 8, dropout=0.0)
    model = nn.Sequential(nn.TransformerEncoder(layer, 3), nn.Linear(8, 1))
    loss = model(torch.randn(4, 8)).mean()
    e = torch.explain(loss, wrt="0.layers.0.linear1.weight", module=model)
    names = [g.name for g in e.by_layer()]
    assert [n for n in names if n.startswith("0.")] == ["0.layers.2", "0.layers.1", "0.layers.0"]
