"""func on modules, and the Jacobian that picks its mode."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.func import functional_call, grad, jacobian, stack_module_state, vmap


class Layer(torch.nn.Module):
    """tanh of a product and a shift that is a buffer."""

    def __init__(self, seed):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.weight = torch.nn.Parameter(torch.tensor(rng.normal(size=(3, 2))))
        self.register_buffer("shift", torch.tensor(rng.normal(size=3)))

    def forward(self, x):
        return (self.weight @ x + self.shift).tanh()


def test_functional_call_swaps_and_restores():
    layer = Layer(0)
    own = layer.weight
    x = torch.tensor([1.0, -1.0]).double()
    made = functional_call(layer, {"weight": torch.zeros(3, 2).double()}, (x,))
    np.testing.assert_allclose(made.numpy(), np.tanh(layer.shift.numpy()))
    assert layer.weight is own
    with pytest.raises(AttributeError, match="Layer has no attribute `sub`"):
        functional_call(layer, {"weight": own * 2, "sub.bias": x}, (x,))
    assert layer.weight is own
    with pytest.raises(RuntimeError, match="Unexpected key"):
        functional_call(layer, {"bias": x}, (x,), strict=True)
    assert layer.weight is own


def test_gradient_with_respect_to_a_modules_parameters():
    layer = Layer(1)
    x = torch.tensor([0.5, 2.0]).double()
    parameters = {"weight": layer.weight.detach()}
    made = grad(lambda p: functional_call(layer, p, (x,)).sum())(parameters)["weight"]
    layer(x).sum().backward()
    np.testing.assert_allclose(made.numpy(), layer.weight.grad.numpy())


def test_an_ensemble_in_one_vmap():
    layers = [Layer(k) for k in range(4)]
    parameters, buffers = stack_module_state(layers)
    assert parameters["weight"].shape == (4, 3, 2) and parameters["weight"].requires_grad
    x = torch.tensor([0.3, -0.7]).double()
    made = vmap(lambda p, b: functional_call(layers[0], (p, b), (x,)))(parameters, buffers)
    for k, layer in enumerate(layers):
        np.testing.assert_allclose(made[k].detach().numpy(), layer(x).detach().numpy())
    with pytest.raises(RuntimeError, match="at least one model"):
        stack_module_state([])


@pytest.mark.parametrize("inputs, outputs, mode", [(2, 50, "DualTensor"), (50, 2, "GradTensor")])
def test_jacobian_picks_the_cheap_mode(inputs, outputs, mode):
    w = torch.tensor(np.random.default_rng(0).normal(size=(outputs, inputs)))
    seen = []

    def f(x):
        seen.append(type(x).__name__)
        return (w @ x).sin()

    x = torch.ones(inputs).double()
    made = jacobian(f)(x)
    np.testing.assert_allclose(
        made.numpy(), np.cos(w.numpy() @ np.ones(inputs))[:, None] * w.numpy()
    )
    assert mode in seen


def test_batch_norms_without_running_statistics_run_under_vmap():
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Sequential(torch.nn.BatchNorm1d(3)))
    assert torch.func.replace_all_batch_norm_modules_(net) is net
    assert net[1][0].running_var is None and not net[0].track_running_stats
    x = torch.arange(24.0).reshape(2, 4, 3)
    mapped = torch.func.vmap(net)(x)
    assert torch.allclose(mapped, torch.stack([net(part) for part in x]), atol=1e-6)
