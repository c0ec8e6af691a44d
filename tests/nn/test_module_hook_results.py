"""What backward hooks may return, and which modules they can see."""

import pytest

import chainrule as torch
from chainrule import nn


class Doubled(nn.Module):
    """Returns 2x in the container it is given."""

    def __init__(self, container) -> None:
        super().__init__()
        self.container = container

    def forward(self, x):
        return self.container(2 * x)


@pytest.mark.parametrize(
    ("returned", "error", "text"),
    [
        (lambda grads: grads[:-1], RuntimeError, r"got 0, but expected 1"),
        (lambda grads: (*grads, torch.ones(2)), RuntimeError, r"got 2, but expected 1"),
        (lambda grads: grads[0], TypeError, "expected tuple, but hook returned 'Tensor'"),
        (lambda grads: [*grads], TypeError, "expected tuple, but hook returned 'list'"),
        (lambda grads: (torch.ones(3),), RuntimeError, "has changed the size of value"),
    ],
)
def test_a_node_hook_returns_a_tuple_of_as_many_gradients(returned, error, text) -> None:
    for place in ("register_hook", "register_prehook"):
        y = torch.ones(2, requires_grad=True).exp()
        hook = (lambda gi, go: returned(gi)) if place == "register_hook" else returned
        getattr(y.grad_fn, place)(hook)
        with pytest.raises(error, match=text):
            y.sum().backward()


def test_a_gradient_that_nobody_wants_cannot_be_replaced() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.register_hook(lambda gi, go: (torch.ones(2), torch.ones(2)))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        y.sum().backward()


@pytest.mark.filterwarnings("ignore:Using a non-full")
def test_an_old_style_module_hook_is_held_to_the_same() -> None:
    layer = nn.Sigmoid()
    layer.register_backward_hook(lambda m, gi, go: gi[:-1])
    with pytest.raises(RuntimeError, match="got 0, but expected 1"):
        layer(torch.ones(2, requires_grad=True)).sum().backward()


def test_outputs_in_a_dict_or_list_pass_by_full_hooks_with_a_warning() -> None:
    x = torch.ones(2, requires_grad=True)
    seen = []
    for container, first in ((lambda y: {"y": y}, "y"), (lambda y: [y], 0)):
        layer = Doubled(container)
        layer.register_full_backward_hook(lambda *args: seen.append(args))
        layer.register_full_backward_pre_hook(lambda *args: seen.append(args))
        with pytest.warns(UserWarning, match="For backward hooks to be called"):
            y = layer(x)[first]
        y.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0] and seen == []


def test_a_full_hook_without_inputs_that_need_gradients_says_when_it_fires() -> None:
    layer, seen = nn.Linear(2, 3), []
    layer.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].shape)))
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients"):
        layer(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), torch.Size([1, 3]))]


def test_a_parameter_may_be_set_to_other_memory_while_nothing_is_recorded() -> None:
    layer = nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        layer.weight.set_(torch.zeros(2, 2))
    with torch.no_grad():
        layer.weight.set_(torch.zeros(2, 2))
    assert layer.weight.tolist() == [[0.0, 0.0], [0.0, 0.0]] and layer.weight.requires_grad
    with pytest.raises(RuntimeError, match="Could not set tensor of type double"):
        torch.ones(2).set_(torch.ones(2, dtype=torch.float64))


def test_lazy_parameters_take_one_size_and_are_refused_by_normalisations() -> None:
    weight = nn.UninitializedParameter()
    weight.materialize(10)
    assert weight.shape == (10,)
    with pytest.raises(ValueError, match="can't have uninitialized parameters"):
        nn.utils.spectral_norm(nn.LazyLinear(7))
    with (
        pytest.warns(FutureWarning, match="deprecated"),
        pytest.raises(ValueError, match="can't have uninitialized parameters"),
    ):
        nn.utils.weight_norm(nn.LazyLinear(7))


def test_spectral_norm_loads_states_that_hold_the_divided_weight() -> None:
    layer = nn.utils.spectral_norm(nn.Linear(3, 5))
    x = torch.randn(2, 3)
    for _ in range(3):
        layer(x)
    layer.eval()
    expected = layer(x)
    state = layer.state_dict()
    old = {"weight_orig": state["weight_orig"], "weight_u": state["weight_u"],
           "weight": layer.weight.detach().clone(), "bias": state["bias"]}  # fmt: skip
    fresh = nn.utils.spectral_norm(nn.Linear(3, 5)).eval()
    fresh.load_state_dict(old)
    torch.testing.assert_close(fresh(x), expected)
