"""func on modules, and the Jacobian that picks its mode."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.func import functional_call, grad, jacobian, stack_module_state, vmap


class Layer:
    """Just enough of a module: named parameters and a call."""

    training = True

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self._parameters = {"weight": torch.tensor(rng.normal(size=(3, 2)), requires_grad=True)}
        self._buffers = {"shift": torch.tensor(rng.normal(size=3))}

    def __getattr__(self, name):
        for kept in ("_parameters", "_buffers"):
            if name in self.__dict__.get(kept, {}):
                return self.__dict__[kept][name]
        raise AttributeError(name)

    def named_parameters(self):
        return list(self._parameters.items())

    def named_buffers(self):
        return list(self._buffers.items())

    def __call__(self, x):
        return (self.weight @ x + self.shift).tanh()


def test_functional_call_swaps_and_restores():
    layer = Layer(0)
    own = layer.weight
    x = torch.tensor([1.0, -1.0]).double()
    made = functional_call(layer, {"weight": torch.zeros(3, 2).double()}, (x,))
    np.testing.assert_allclose(made.numpy(), np.tanh(layer.shift.numpy()))
    assert layer.weight is own
    with pytest.raises(RuntimeError, match="no parameter or buffer 'bias'"):
        functional_call(layer, {"bias": x}, (x,))
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
