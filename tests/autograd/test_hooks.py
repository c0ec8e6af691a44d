"""SPEC row: hooks of all kinds; saved-tensor hooks; graph utilities."""

from collections import OrderedDict

import pytest

import chainrule as torch
from chainrule.autograd import graph


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_a_tensor_hook_replaces_the_gradient_and_can_be_removed():
    x = leaf(1.0)
    handle = x.register_hook(lambda g: g * 10)
    (x * 2).backward()
    handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 22


def test_hooks_run_in_order_on_the_summed_gradient():
    x = leaf(1.0)
    seen = []
    x.register_hook(lambda g: seen.append(("first", g.item())))
    x.register_hook(lambda g: seen.append(("second", g.item())))
    (x * 2 + x * 3).backward()
    assert seen == [("first", 5.0), ("second", 5.0)]


def test_hook_inside_the_graph():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    assert x.grad.tolist() == [6, 6]


def test_hook_errors():
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        torch.ones(2).register_hook(print)
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: g.sum())
    with pytest.raises(RuntimeError, match="has changed the size of value"):
        x.sum().backward()


def test_post_accumulate_grad_hook_sees_the_new_grad():
    x = leaf(1.0)
    seen = []

    def step(t):
        seen.append((t is x, t.grad.item()))
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 4).backward()
    (x * 5).backward()
    assert seen == [(True, 4.0), (True, 5.0)] and x.grad is None
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 2).register_post_accumulate_grad_hook(print)


def test_post_accumulate_hook_fires_before_earlier_layers_are_done():
    first, last = leaf(2.0), leaf(3.0)
    order = []
    first.register_post_accumulate_grad_hook(lambda t: order.append("first"))
    last.register_post_accumulate_grad_hook(lambda t: order.append("last"))
    hidden = first * 2
    hidden.register_hook(lambda g: order.append("hidden"))
    (hidden.tanh() * last).backward()
    assert order == ["last", "hidden", "first"]


def test_retain_grad():
    x = leaf(2.0)
    y = x * 3
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * y).backward()
    assert y.grad.item() == 12
    with pytest.raises(RuntimeError, match="requires_grad=False"):
        torch.ones(1).retain_grad()


def test_node_hooks_and_prehooks():
    x = leaf(1.0)
    y = x * 3
    node = y.grad_fn
    seen = []
    node.register_prehook(lambda gs: (gs[0] * 2,))

    def post(grad_inputs, grad_outputs):
        seen.append((grad_inputs[0].item(), grad_outputs[0].item()))
        return (grad_inputs[0] * 100, grad_inputs[1])

    handle = node.register_hook(post)
    y.backward(retain_graph=True)
    assert seen == [(6.0, 2.0)] and x.grad.item() == 600
    handle.remove()
    y.backward()
    assert x.grad.item() == 606


def test_accumulate_grad_node_is_one_object_with_hooks():
    x = leaf(1.0)
    node = (x * 2).grad_fn.next_functions[0][0]
    assert node.name() == "torch::autograd::AccumulateGrad" and node.variable is x
    assert (x * 3).grad_fn.next_functions[0][0] is node
    seen = []
    node.register_hook(lambda gi, go: seen.append(go[0].item()))
    (x * 5).backward()
    assert seen == [5.0]


def test_multi_grad_hook():
    x, y, unused = leaf(1.0), leaf(2.0), leaf(3.0)
    seen = []
    graph.register_multi_grad_hook((x, y), lambda gs: seen.append([g.item() for g in gs]))
    graph.register_multi_grad_hook((x, unused), lambda g: seen.append("any"), mode="any")
    (x * y).backward()
    assert sorted(map(str, seen)) == ["[2.0, 1.0]", "any"]


def test_saved_tensors_hooks_pack_and_unpack():
    log = []

    def pack(t):
        log.append("pack")
        return t.tolist()

    def unpack(values):
        log.append("unpack")
        return torch.tensor(values, dtype=torch.float64)

    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).sum()
    assert log == ["pack", "pack"]
    y.backward()
    assert x.grad.tolist() == [2, 4] and log == ["pack", "pack", "unpack", "unpack"]


def test_saved_hooks_with_double_backward():
    x = leaf(2.0)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x * x
    (g,) = torch.autograd.grad(y, x, torch.ones(1).double(), create_graph=True)
    g.backward()
    assert g.item() == 12 and x.grad.item() == 12


def test_save_on_cpu_and_disable():
    x = leaf(3.0)
    with graph.save_on_cpu():
        y = x * x
    y.backward()
    assert x.grad.item() == 6
    with graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass


def test_allow_mutation_on_saved_tensors():
    x = leaf(2.0)
    with graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y.add_(10)
        z.backward()
    assert x.grad.item() == 4


def test_gradient_edges():
    x = leaf(2.0)
    y = x * x
    edge = graph.get_gradient_edge(y)
    z = y * 3
    assert edge.node is y.grad_fn and edge.output_nr == 0
    (g,) = torch.autograd.grad(z, edge, torch.ones(1).double())
    assert g.item() == 3
    with pytest.raises(RuntimeError, match="does not require gradients"):
        graph.get_gradient_edge(torch.ones(1))


def test_increment_version_is_caught():
    x = leaf(2.0)
    y = x * 1
    z = y * y
    graph.increment_version(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_hooks_write_to_their_own_gradient_also_when_the_pass_is_recorded():
    b, c = leaf(2.0), leaf(3.0)
    total = c + b
    c.register_hook(lambda g: (g.mul_(2), None)[1])
    (total + 2 * b).sum().backward(create_graph=True)
    assert (b.grad.item(), c.grad.item()) == (3, 2)


@pytest.mark.parametrize("shape", [(4, 2), (4, 5, 2), (2,)])
def test_hooks_of_a_dense_layer_run_in_pytorchs_order(shape):
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
    seen = []
    for name, parameter in net.named_parameters():
        parameter.register_hook(lambda g, name=name: seen.append(name))
    net(torch.ones(shape)).sum().backward()
    assert seen == ["2.bias", "2.weight", "0.bias", "0.weight"]


def test_the_table_of_hooks_can_be_replaced():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: g * 100)
    table = OrderedDict({0: lambda g: g * 5})
    x._backward_hooks = table
    handle = x.register_hook(lambda g: g + 1)
    assert len(table) == 2
    x.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
    handle.remove()
    x._backward_hooks = None
    x.grad = None
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and x._backward_hooks is None
    constant = torch.ones(2)
    constant._backward_hooks = OrderedDict()
    constant._backward_hooks["kept"] = print  # nothing calls it
    (x * constant).sum().backward()


@pytest.mark.parametrize("function", [torch.var_mean, torch.std_mean])
def test_spread_and_mean_are_one_node_with_two_gradients(function):
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    spread, mean = function(x)
    assert spread.grad_fn is mean.grad_fn and (spread.output_nr, mean.output_nr) == (0, 1)
    arrived = []
    mean.grad_fn.register_prehook(arrived.append)
    (spread + 2 * mean).backward()
    assert [[g.item() for g in pair] for pair in arrived] == [[1.0, 2.0]]
    other = x.detach().requires_grad_()
    alone = torch.var(other) if function is torch.var_mean else torch.std(other)
    (alone + 2 * other.mean()).backward()
    assert torch.allclose(x.grad, other.grad)


def test_the_gradient_of_a_mean_beside_an_unused_infinite_variance():
    x = torch.tensor([1.0, float("inf"), 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(torch.var_mean(x)[1], x)
    assert torch.allclose(g, torch.full((3,), 1 / 3))


def test_hooks_of_a_linear_layer_get_the_gradient_of_its_bias_first():
    layer, x = torch.nn.Linear(2, 3), torch.ones(4, 2, requires_grad=True)
    y = layer(x)
    leaves = [node.variable for node, _ in y.grad_fn.next_functions]
    assert leaves[0] is layer.bias and leaves[1] is x and leaves[2] is layer.weight
    shapes = []
    y.grad_fn.register_hook(lambda inputs, outputs: shapes.extend(g.shape for g in inputs))
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 2, *inputs[1:]))
    y.sum().backward()
    assert shapes == [(3,), (4, 2), (3, 2)]
    assert layer.bias.grad.tolist() == [8.0] * 3 and layer.weight.grad.tolist() == [[4.0] * 2] * 3
