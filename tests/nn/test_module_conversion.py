"""Converting and loading modules: which objects stay, and the switches of `torch.__future__`."""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.utils import swap_tensors


@contextmanager
def swapping() -> Iterator[None]:
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        yield
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)


@contextmanager
def overwriting() -> Iterator[None]:
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        yield
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(False)


def trained() -> nn.Linear:
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    return layer


# ---- conversions -------------------------------------------------------------------------------


def test_a_conversion_keeps_the_parameter_and_its_gradient_as_objects() -> None:
    layer = trained()
    weight, grad = layer.weight, layer.weight.grad
    layer.double()
    assert layer.weight is weight and layer.weight.grad is grad
    assert weight.dtype is grad.dtype is torch.float64
    assert grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_conversion_that_changes_nothing_keeps_a_gradient_that_requires_grad() -> None:
    layer = nn.Linear(2, 2)
    layer.weight.grad = torch.ones(2, 2, requires_grad=True)
    layer.to(torch.float32)
    assert layer.weight.grad.requires_grad


def test_overwriting_puts_new_parameters_into_the_module() -> None:
    layer = trained()
    weight, grad = layer.weight, layer.weight.grad
    with overwriting():
        layer.double()
    assert layer.weight is not weight and weight.dtype is grad.dtype is torch.float32
    assert layer.weight.dtype is layer.weight.grad.dtype is torch.float64
    assert weight.grad is grad and layer.weight.requires_grad


def test_swapping_keeps_objects_and_the_optimizer_still_moves_them() -> None:
    layer = trained()
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
    weight, grad = layer.weight, layer.weight.grad
    before = weight.detach().double()
    with swapping():
        layer.double()
    assert layer.weight is weight and layer.weight.grad is grad
    assert grad.dtype is torch.float64 and isinstance(weight, nn.Parameter)
    optimizer.step()
    assert torch.equal(layer.weight, before - 1)


def test_meta_parameters_become_real_in_the_same_objects_when_swapping() -> None:
    layer = nn.Linear(2, 2, device="meta")
    weight = layer.weight
    with swapping():
        layer.to_empty(device="cpu")
    assert layer.weight is weight and not weight.is_meta


# ---- loading -----------------------------------------------------------------------------------


def test_loading_by_swapping_takes_the_values_and_keeps_the_objects() -> None:
    layer, other = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    with torch.no_grad():
        other.weight.fill_(3.0)
        other.running_mean.fill_(2.0)
    weight, mean = layer.weight, layer.running_mean
    state = {name: value.double() for name, value in other.state_dict().items()}
    with swapping():
        layer.load_state_dict(state)
    assert layer.weight is weight and layer.running_mean is mean
    assert weight.tolist() == [3.0, 3.0] and mean.tolist() == [2.0, 2.0]
    assert weight.dtype is torch.float32 and weight.requires_grad


def test_loading_by_swapping_with_assign_takes_the_type_too() -> None:
    layer = nn.Linear(2, 2)
    weight = layer.weight
    state = {name: value.double() for name, value in nn.Linear(2, 2).state_dict().items()}
    with swapping():
        layer.load_state_dict(state, assign=True)
    assert layer.weight is weight and weight.dtype is torch.float64


def test_module_load_decides_what_is_loaded_and_must_not_return_its_arguments() -> None:
    class Halved(torch.Tensor):
        def module_load(self, other, assign=False):
            return (other / 2).detach()

    class Careless(torch.Tensor):
        def module_load(self, other, assign=False):
            return other

    for kind in (Halved, Careless):
        holder = nn.Module()
        holder.register_buffer("x", torch.ones(2).as_subclass(kind))
        with swapping():
            if kind is Careless:
                with pytest.raises(RuntimeError, match="module_load returned one of self or other"):
                    holder.load_state_dict({"x": torch.full((2,), 8.0)})
            else:
                holder.load_state_dict({"x": torch.full((2,), 8.0)})
                assert holder.x.tolist() == [4.0, 4.0]


# ---- swap_tensors ------------------------------------------------------------------------------


def test_swapping_exchanges_values_class_attributes_and_gradient() -> None:
    a, b = torch.ones(2, requires_grad=True), nn.Parameter(torch.zeros(3))
    a.note, a.grad = "a", torch.full((2,), 5.0)
    swap_tensors(a, b)
    assert type(a) is nn.Parameter and type(b) is torch.Tensor
    assert a.tolist() == [0.0, 0.0, 0.0] and a.grad is None and not hasattr(a, "note")
    assert b.note == "a" and b.grad.tolist() == [5.0, 5.0]
    (a.sum() + (2 * b).sum()).backward()
    assert a.grad.tolist() == [1.0, 1.0, 1.0] and b.grad.tolist() == [7.0, 7.0]


def test_a_graph_from_before_a_swap_is_refused_in_backward() -> None:
    layer = nn.Linear(2, 2)
    loss = layer(torch.ones(1, 2)).sum()
    with swapping():
        layer.double()
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        loss.backward()
    assert layer.weight.grad is None
    layer(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    assert layer.weight.grad.dtype is torch.float64


def test_weak_references_and_views_refuse_a_swap() -> None:
    a, b = torch.ones(2), torch.zeros(2)
    reference = weakref.ref(b)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref"):
        swap_tensors(a, b)
    assert reference() is b
    view = a[:1]
    with pytest.raises(RuntimeError, match="it has views"):
        swap_tensors(a, torch.zeros(3))
    assert view.tolist() == [1.0] and a.tolist() == [1.0, 1.0]
    layer = nn.Linear(2, 2)
    reference = weakref.ref(layer.weight)
    with swapping(), pytest.raises(RuntimeError, match="Couldn't swap Linear"):
        layer.double()
    assert layer.weight.dtype is torch.float32


def test_old_and_new_graphs_of_an_exchanged_leaf_are_told_apart() -> None:
    w, x = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    old = (w * x).sum()
    swap_tensors(w, torch.full((2,), 3.0, requires_grad=True))
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        (old + (w * x).sum()).backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        torch.autograd.grad(old, [w], retain_graph=True)
    x.grad = None
    (w * x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and w.grad.tolist() == [1.0, 1.0]


def test_a_hook_and_an_accumulator_go_with_the_contents() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    a.register_hook(lambda g: g * 10)
    node = torch.autograd.graph.get_gradient_edge(a).node
    swap_tensors(a, b)
    (a + b).sum().backward()
    assert a.grad.tolist() == [1.0, 1.0] and b.grad.tolist() == [10.0, 10.0]
    assert node.variable is b


def test_storages_say_whether_they_are_shared() -> None:
    layer = nn.Linear(2, 2)
    assert not layer.weight.untyped_storage().is_shared()
    layer.share_memory()
    assert layer.weight.untyped_storage().is_shared() and layer.bias.storage().is_shared()
