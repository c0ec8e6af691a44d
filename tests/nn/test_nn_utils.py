"""nn.utils and nn.parallel: what is ours beside what test_module_programs.py compares."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn.utils import parametrizations, parametrize, prune
from chainrule.nn.utils._named_member_accessor import NamedMemberAccessor


def gradients(*arrays):
    made = [
        nn.Parameter(torch.zeros(a.shape, dtype=torch.float32)) for a in map(np.asarray, arrays)
    ]
    for p, a in zip(made, arrays, strict=True):
        p.grad = torch.tensor(np.asarray(a, np.float32))
    return made


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e18])
def test_a_norm_is_right_at_every_scale(scale):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) * scale for s in [(3, 4), (5,), ()]]
    wanted = np.sqrt(sum((a.astype(np.float32).astype(float) ** 2).sum() for a in arrays))
    parameters = gradients(*arrays)
    np.testing.assert_allclose(
        nn.utils.clip_grad_norm_(parameters, scale).item(), wanted, rtol=2e-6
    )
    after = nn.utils.get_total_norm([p.grad for p in parameters]).item()
    # PyTorch's rule has 1e-6 in it: gradients far below it become smaller still.
    np.testing.assert_allclose(after, wanted * min(1.0, scale / (wanted + 1e-6)), rtol=1e-5)


def test_clipping_is_seen_by_version_counters_and_leaves_small_gradients_alone():
    (p,) = gradients([3.0, 4.0])
    before = p.grad._version
    nn.utils.clip_grad_norm_(p, 10.0)
    assert p.grad.tolist() == [3.0, 4.0]
    nn.utils.clip_grad_norm_(p, 1.0)
    assert p.grad._version > before
    np.testing.assert_allclose(p.grad.numpy(), [0.6, 0.8], rtol=1e-6)


def test_an_infinite_norm_is_refused_with_its_value_and_the_gradients_stay():
    (p,) = gradients([np.inf, 1.0])
    with pytest.raises(RuntimeError, match=r"(?s)non-finite.*The norm is inf.*test_nn_utils.py"):
        nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)
    assert p.grad.tolist() == [np.inf, 1.0]


def test_an_empty_generator_and_the_old_name_are_warned_about():
    with pytest.warns(UserWarning, match="empty generator"):
        nn.utils.clip_grad_norm_(iter(()), 1.0)
    with pytest.warns(FutureWarning, match="clip_grad_norm_"):
        nn.utils.clip_grad_norm(gradients([1.0]), 1.0)


def test_a_vector_that_is_too_short_changes_nothing():
    layer = nn.Linear(2, 2)
    before = layer.weight.tolist()
    with pytest.raises(RuntimeError, match=r"'\[2\]' is invalid for input of size 1.*5 elements"):
        nn.utils.vector_to_parameters(torch.ones(5), layer.parameters())
    assert layer.weight.tolist() == before


def test_a_vector_round_trip_trains():
    layer = nn.Linear(3, 2)
    vector = nn.utils.parameters_to_vector(layer.parameters()).detach().clone()
    nn.utils.vector_to_parameters(vector * 2, layer.parameters())
    again = nn.utils.parameters_to_vector(layer.parameters())
    assert torch.equal(again, vector * 2)
    layer(torch.ones(1, 3)).sum().backward()
    assert layer.weight.grad is not None


@pytest.mark.parametrize("make", [parametrizations.weight_norm, parametrizations.spectral_norm])
def test_a_parametrized_layer_trains_and_its_gradient_is_right(make):
    torch.manual_seed(0)
    layer = make(nn.Linear(3, 2, bias=False).double()).eval()
    x = torch.randn(4, 3, dtype=torch.float64)
    originals = list(layer.parameters())

    def f(*values):
        names = [name for name, _ in layer.named_parameters()]
        return torch.func.functional_call(layer, dict(zip(names, values, strict=True)), x)

    values = [p.detach().clone().requires_grad_() for p in originals]
    assert torch.autograd.gradcheck(f, values)


def test_an_orthogonal_layer_stays_orthogonal_while_it_trains():
    torch.manual_seed(0)
    layer = parametrizations.orthogonal(nn.Linear(4, 4, bias=False))
    for _ in range(5):
        layer.zero_grad()
        (layer(torch.randn(8, 4)) - 1).square().mean().backward()
        with torch.no_grad():
            for p in layer.parameters():
                p -= 0.1 * p.grad
        product = layer.weight @ layer.weight.T
        assert torch.allclose(product, torch.eye(4), atol=1e-5)


def test_a_right_inverse_is_needed_to_assign_and_the_error_says_so():
    class Exp(nn.Module):
        def forward(self, x):
            return x.exp()

    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Exp())
    with pytest.raises(RuntimeError, match=r"(?s)Exp does not implement right_inverse.*Fix"):
        layer.weight = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match=r"only supported through state_dict"):
        layer.__reduce_ex__(4)


def test_a_failed_pruning_leaves_the_module_as_it_was():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    with pytest.raises(AssertionError, match=r"must match self.mask shape"):
        prune.custom_from_mask(layer, "weight", torch.ones(3))
    assert layer.weight is weight and list(layer.state_dict()) == ["weight", "bias"]
    assert not prune.is_pruned(layer)


def test_a_pruned_layer_trains_and_keeps_its_zeros():
    torch.manual_seed(0)
    layer = prune.l1_unstructured(nn.Linear(4, 3), "weight", 0.5)
    zeros = layer.weight == 0
    for _ in range(3):
        layer.zero_grad()
        layer(torch.randn(8, 4)).square().mean().backward()
        with torch.no_grad():
            for p in layer.parameters():
                p -= 0.1 * p.grad
    layer(torch.ones(1, 4))
    assert zeros.sum() == 6 and bool((layer.weight[zeros] == 0).all())


def test_members_by_path():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    access = NamedMemberAccessor(model)
    old = access.get_tensor("0.weight")
    assert access.swap_tensor("0.weight", torch.zeros(2, 2)) is old
    assert model[0].weight.sum() == 0
    access.set_tensor("0.weight", old)
    assert model[0].weight is old
    before, missing = access.swap_tensors_dict({"0.bias": torch.ones(2)})
    assert missing == [] and before["0.bias"].shape == (2,)
    with pytest.raises(RuntimeError, match="Missing key"):
        access.swap_tensors_dict({"0.weight": torch.ones(2, 2), "0.nothing": torch.ones(1)})
    assert model[0].weight is old and not hasattr(model[0], "nothing")
    missing, unexpected = access.check_keys(["0.weight", "x"])
    assert unexpected == ["x"] and "1.running_mean" in missing and "0.weight" not in missing
    with pytest.raises(TypeError, match=r"is not an instance of torch.Tensor"):
        access.set_tensor("0.weight", 3)


def test_parallel_wrappers_run_the_module_and_refuse_other_devices():
    layer = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    assert torch.equal(nn.DataParallel(layer)(x), layer(x))
    assert torch.equal(nn.parallel.data_parallel(layer, (x,)), layer(x))
    wrapped = nn.parallel.DistributedDataParallel(layer)
    with wrapped.no_sync():
        wrapped(x).sum().backward()
    assert layer.weight.grad is not None and "module.weight" in wrapped.state_dict()
    for make in (nn.DataParallel, nn.parallel.DistributedDataParallel):
        with pytest.raises(RuntimeError, match=r"(?s)computes on the CPU.*device_ids=\[0, 1\]"):
            make(layer, device_ids=[0, 1])
    with pytest.raises(RuntimeError, match="doesn't have any parameter"):
        nn.parallel.DistributedDataParallel(nn.ReLU())


def test_skipped_initial_values_draw_no_random_numbers():
    torch.manual_seed(3)
    nn.utils.skip_init(nn.Linear, 100, 100)
    after = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(after, torch.rand(1))


def test_old_names_warn():
    layer = nn.Linear(2, 2)
    with pytest.warns(FutureWarning, match=r"parametrizations.weight_norm"):
        nn.utils.weight_norm(layer)
    with pytest.warns(FutureWarning, match=r"torch.func.functional_call"):
        nn.utils.stateless.functional_call(nn.Identity(), {}, torch.ones(1))
    with pytest.warns(FutureWarning, match=r"nn.Container is deprecated"):
        nn.Container(a=nn.ReLU())
    with pytest.warns(FutureWarning, match=r"Positional args"):
        assert list(nn.Linear(1, 1).state_dict(None, "p.")) == ["p.weight", "p.bias"]
