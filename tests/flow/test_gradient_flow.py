"""SPEC: gradient flow by layer as table and plot, and the plain reading of a gradient's sign."""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn, optim

NAN = float("nan")


def trained(*layers, batch=16, width=4, loss=lambda y: y.square().mean()):
    """A model after one backward pass, and the batch."""
    model = nn.Sequential(*layers)
    x = torch.randn(batch, width)
    loss(model(x)).backward()
    return model, x


def layer(flow, name):
    return next(x for x in flow.layers if x.name == name)


# ---- numbers -------------------------------------------------------------------------------------


def test_norms_are_those_of_the_parameters():
    model, _ = trained(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    flow = torch.gradient_flow(model)
    for name, module in (("0", model[0]), ("2", model[2])):
        found = layer(flow, name)
        grads = np.concatenate([p.grad.numpy().ravel() for p in module.parameters()])
        values = np.concatenate([p.detach().numpy().ravel() for p in module.parameters()])
        assert found.gradient == pytest.approx(np.linalg.norm(grads), rel=1e-6)
        assert found.weight == pytest.approx(np.linalg.norm(values), rel=1e-6)
        assert found.zeros == pytest.approx((grads == 0).mean())
    first, last = flow.layers
    assert first.amplification == pytest.approx(first.gradient / last.gradient)
    assert flow.amplification == pytest.approx(first.gradient / last.gradient)


@pytest.mark.parametrize(
    "make",
    [
        lambda ps: optim.SGD(ps, lr=0.1, momentum=0.9),
        lambda ps: optim.Adam(ps, lr=0.01),
        lambda ps: optim.AdamW(ps, lr=0.01, weight_decay=0.1),
    ],
    ids=["SGD", "Adam", "AdamW"],
)
def test_the_ratio_is_that_of_the_step_the_optimizer_then_takes(make):
    model, _ = trained(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = make(model.parameters())
    optimizer.step()  # with a history
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    state = json.dumps(str(optimizer.state_dict()))
    flow = torch.gradient_flow(model, optimizer)
    assert all(torch.equal(p, before[n]) for n, p in model.named_parameters())
    assert json.dumps(str(optimizer.state_dict())) == state
    optimizer.step()
    for name, module in (("0", model[0]), ("2", model[2])):
        moved = [p.detach() - before[f"{name}.{n}"] for n, p in module.named_parameters()]
        size = math.sqrt(sum(m.square().sum().item() for m in moved))
        assert layer(flow, name).update == pytest.approx(size, rel=1e-4)


def test_trying_the_step_calls_no_hooks_and_leaves_a_scheduler_alone():
    model, _ = trained(nn.Linear(4, 1))
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1)
    calls = []
    optimizer.register_step_pre_hook(lambda *_: calls.append("pre"))
    optimizer.register_step_post_hook(lambda *_: calls.append("post"))
    with torch.gradient_flow.watch(model, optimizer, every=1, callback=calls.append) as watch:
        assert torch.gradient_flow(model, optimizer).layers[0].update > 0
    assert calls == [] and watch.step == 0 and schedule.last_epoch == 0


def test_an_optimizer_that_needs_a_closure_has_no_known_step():
    model, _ = trained(nn.Linear(4, 1))
    flow = torch.gradient_flow(model, optim.LBFGS(model.parameters()))
    assert flow.layers[0].update is None and "update/weight" not in str(flow)


def test_with_a_rate_alone_the_step_is_that_of_plain_descent():
    model, _ = trained(nn.Linear(4, 1))
    flow = torch.gradient_flow(model, lr=0.1)
    assert flow.layers[0].update == pytest.approx(0.1 * flow.layers[0].gradient)


def test_dead_units_are_counted_from_gradients_and_from_activations():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    with torch.no_grad():
        model[0].bias[:6] = -100.0  # closed for every example
    x = torch.rand(16, 4)
    model(x).square().mean().backward()
    for flow in (torch.gradient_flow(model), torch.gradient_flow(model, inputs=x)):
        assert layer(flow, "0").dead == pytest.approx(0.75)
        assert layer(flow, "0").verdict == "75% dead"
        assert flow.verdict == "dead units"
        assert any("0 (75%)" in line for line in flow.reasons)


@pytest.mark.parametrize("functional", [False, True])
def test_saturated_activations_are_seen_called_as_module_or_function(functional):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.out = nn.Linear(4, 8), nn.Linear(8, 1)
            self.act = nn.Tanh()

        def forward(self, x):
            h = self.wide(x)
            return self.out(torch.tanh(h) if functional else self.act(h))

    model, x = Net(), torch.randn(16, 4)
    with torch.no_grad():
        model.wide.weight.mul_(100)
    model(x).mean().backward()
    flow = torch.gradient_flow(model, inputs=x)
    found = layer(flow, "wide")
    slope = 1 - torch.tanh(model.wide(x)).square()
    assert found.saturated == pytest.approx((slope < 0.05).double().mean().item())
    assert found.saturated > 0.8 and found.activation == "tanh" and flow.verdict == "saturated"


def test_looking_at_a_batch_changes_nothing():
    middle = (nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout())
    model = nn.Sequential(nn.Linear(4, 8), *middle, nn.Linear(8, 1))
    x = torch.randn(16, 4)
    model(x).mean().backward()
    buffers = {n: b.clone() for n, b in model.named_buffers()}
    grads = {n: p.grad.clone() for n, p in model.named_parameters()}
    random = torch.get_rng_state()
    torch.gradient_flow(model, inputs=x)
    assert all(torch.equal(b, buffers[n]) for n, b in model.named_buffers())
    assert all(torch.equal(p.grad, grads[n]) for n, p in model.named_parameters())
    assert torch.equal(torch.get_rng_state(), random)


def test_shared_weights_count_once_and_frozen_layers_are_named():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.frozen = nn.Linear(4, 4).requires_grad_(False)
            self.out = nn.Linear(4, 10, bias=False)
            self.out.weight = self.embed.weight

        def forward(self, i):
            return self.out(self.frozen(self.embed(i)))

    model = Tied()
    model(torch.arange(5)).square().mean().backward()
    flow = torch.gradient_flow(model)
    assert [x.name for x in flow.layers] == ["embed", "frozen"]
    assert layer(flow, "frozen").verdict == "no gradient"
    assert any("No gradient reached frozen" in line for line in flow.reasons)


# ---- verdicts ------------------------------------------------------------------------------------


def test_no_backward_yet_is_said():
    flow = torch.gradient_flow(nn.Linear(2, 1))
    assert flow.verdict == "no gradients" and "backward()" in flow.reasons[0]
    assert "no gradients" in str(flow)


def test_exploding_and_not_finite():
    model, _ = trained(nn.Linear(4, 4), nn.Linear(4, 1), loss=lambda y: (1e5 * y).sum())
    assert torch.gradient_flow(model).verdict == "exploding"
    model[0].weight.grad[0, 0] = NAN
    flow = torch.gradient_flow(model)
    assert flow.verdict == "not finite" and "detect_anomaly" in flow.reasons[0]
    assert layer(flow, "0").verdict == "not finite"


def test_depth_with_sigmoids_vanishes_and_with_relu_does_not():
    def deep(act, gain):
        layers = []
        for _ in range(10):
            linear = nn.Linear(32, 32)
            nn.init.normal_(linear.weight, std=gain / math.sqrt(32))
            layers += [linear, act()]
        model, _ = trained(*layers, nn.Linear(32, 1), width=32)
        return torch.gradient_flow(model)

    sigmoid, relu = deep(nn.Sigmoid, 1.0), deep(nn.ReLU, math.sqrt(2))
    assert sigmoid.verdict == "vanishing" and sigmoid.amplification < 0.3
    assert f"{sigmoid.amplification:.3g} per layer" in sigmoid.reasons[0]
    assert relu.verdict == "healthy" and relu.amplification > 0.5


def test_norms_and_embeddings_are_no_steps_of_the_way_back():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(1000, 8)
            self.first, self.norm, self.second = nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 1)

        def forward(self, i):
            return self.second(self.norm(self.first(self.embed(i) * 1e-4)))

    model = Net()
    model(torch.arange(4)).mean().backward()
    flow = torch.gradient_flow(model)
    first, second = layer(flow, "first"), layer(flow, "second")
    assert first.amplification == pytest.approx(first.gradient / second.gradient)
    assert layer(flow, "norm").amplification is None
    assert flow.reasons[0].startswith("From second back to first")


# ---- reading signs -------------------------------------------------------------------------------


def test_the_sign_says_which_way_the_loss_falls():
    model = nn.Linear(1, 1)
    with torch.no_grad():
        model.weight.fill_(1.0)
        model.bias.fill_(0.0)
    x, y = torch.tensor([[2.0]]), torch.tensor([[5.0]])

    def loss():
        return (model(x) - y).square().mean()

    loss().backward()
    flow = torch.gradient_flow(model)
    text = flow.reading("weight")
    assert text == "weight[0, 0] = 1, gradient -12: increase it: the loss falls, by 0.12 per 0.01"
    before = loss().item()
    with torch.no_grad():
        model.weight.add_(0.01)
    assert before - loss().item() == pytest.approx(0.12, rel=0.01)
    assert flow.readings(1) == [text]
    with pytest.raises(KeyError, match="no parameter 'wieght'"):
        flow.reading("wieght")


def test_signs_of_nothing():
    model = nn.Linear(2, 1)
    model(torch.zeros(1, 2)).sum().backward()
    flow = torch.gradient_flow(model)
    assert "standstill" in flow.reading("weight", (0, 1))
    assert "decrease it" in flow.reading("bias")
    assert "no gradient" in torch.gradient_flow(nn.Linear(2, 1)).reading("bias")


# ---- forms ---------------------------------------------------------------------------------------


def test_every_form_tells_the_same():
    model, x = trained(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    flow = torch.gradient_flow(model, lr=0.1, inputs=x)
    data = json.loads(json.dumps(flow.to_json()))
    assert data["verdict"] == flow.verdict and len(data["layers"]) == 2
    assert data["layers"][0]["ratio"] == pytest.approx(flow.layers[0].ratio)
    ET.fromstring(flow.to_svg())
    for text in (str(flow), flow._repr_html_(), flow.to_html()):
        assert "gradient flow: healthy" in text and f"{flow.layers[0].gradient:.3g}" in text
    assert "http" not in flow.to_html().replace("http://www.w3.org/2000/svg", "")


def test_the_plot_has_a_bar_per_layer_on_a_logarithmic_axis():
    class Axes:
        """What the plot asks of matplotlib's axes."""

        def __init__(self):
            self.asked = {}

        def __getattr__(self, name):
            return lambda *args, **options: self.asked.setdefault(name, args)

    model, _ = trained(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    flow = torch.gradient_flow(model)
    asked = flow.plot(ax=Axes()).asked
    assert asked["barh"] == (["0", "2"], [x.gradient for x in flow.layers])
    assert asked["set_xscale"] == ("log",) and asked["set_title"] == ("gradient flow: healthy",)


def test_it_takes_modules_only():
    with pytest.raises(TypeError, match="takes a module, got list"):
        torch.gradient_flow([torch.ones(2)])


# ---- live ----------------------------------------------------------------------------------------


def run(model, optimizer, steps):
    x, y = torch.randn(32, 4), torch.randn(32, 1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def fresh():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    return model, optim.Adam(model.parameters(), lr=0.01)


def test_watching_measures_every_few_steps_and_changes_nothing():
    plain = run(*fresh(), 7)
    model, optimizer = fresh()
    seen = []
    with torch.gradient_flow.watch(model, optimizer, every=3, callback=seen.append) as flow:
        watched = run(model, optimizer, 7)
    assert watched == pytest.approx(plain, rel=1e-5)  # the kernels it looks into may round so
    assert [m.step for m in flow.history] == [0, 3, 6] and seen == flow.history
    assert all(m.layers[0].ratio and m.layers[0].saturated is not None for m in flow.history)
    assert len(flow.norms()["0"]) == len(flow.ratios()["2"]) == 3
    assert flow.last is flow.history[-1] and "every 3 measured" in str(flow)
    ET.fromstring(flow.to_svg())
    json.dumps(flow.to_json())
    assert "step 6" in flow.to_html() and "svg" in flow._repr_html_()


def test_nothing_is_left_behind_when_the_block_ends_or_fails():
    model, optimizer = fresh()
    with pytest.raises(ZeroDivisionError):
        with torch.gradient_flow.watch(model, optimizer, every=1):
            model(torch.ones(1, 4))
            raise ZeroDivisionError
    watch = torch.gradient_flow.watch(model, optimizer, every=1)
    with pytest.raises(RuntimeError), watch:
        model(torch.ones(1, 3))  # the forward pass fails: the modes are checked after the test
    assert not model._forward_hooks and not model._forward_pre_hooks
    assert not optimizer._optimizer_step_pre_hooks
    assert "no step was measured" in str(watch)


def test_steps_of_the_watched_run_have_the_ratio_that_was_taken():
    model, optimizer = fresh()
    start = {n: p.detach().clone() for n, p in model.named_parameters()}
    with torch.gradient_flow.watch(model, optimizer, every=10) as flow:
        run(model, optimizer, 1)
    moved = [(p.detach() - start[n]).square().sum() for n, p in model[0].named_parameters("0")]
    assert flow.last.layers[0].update == pytest.approx(math.sqrt(sum(moved)), rel=1e-5)


@pytest.mark.parametrize("bad", [{"every": 0}, {"optimizer": None}, {"model": 3}])
def test_bad_arguments_of_watch(bad):
    model, optimizer = fresh()
    given = {"model": model, "optimizer": optimizer, **bad}
    with pytest.raises((TypeError, ValueError), match=r"watch takes|every must"):
        torch.gradient_flow.watch(given.pop("model"), given.pop("optimizer"), **given)
