"""`make_fx`, and tensors without values."""

import pytest

import chainrule as torch
from chainrule._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from chainrule.fx.experimental.proxy_tensor import get_proxy_mode, make_fx


def code(graph):
    return [line.partition(";")[0].strip() for line in graph.code.strip().splitlines()[1:]]


def test_a_program_becomes_its_operators():
    graph = make_fx(lambda x, y: (x.sin() + y).relu())(torch.ones(3), torch.ones(3))
    assert code(graph) == [
        "sin = torch.ops.aten.sin.default(x_1)",
        "add = torch.ops.aten.add.Tensor(sin, y_1)",
        "relu = torch.ops.aten.relu.default(add)",
        "return relu",
    ]
    assert graph.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default)
    assert graph(torch.zeros(3), torch.ones(3)).tolist() == [1, 1, 1]
    assert get_proxy_mode() is None


def test_gradients_are_part_of_the_graph():
    def program(x, w):
        x = x.detach().requires_grad_()
        return torch.autograd.grad((x @ w).relu().sum(), x)

    x, w = torch.randn(2, 3), torch.randn(3, 4)
    graph = make_fx(program)(x, w)
    names = [str(n.target) for n in graph.graph.nodes if n.op == "call_function"]
    assert names[-3:] == ["aten.threshold_backward.default", "aten.t.default", "aten.mm.default"]
    other = torch.randn(2, 3)
    assert torch.allclose(graph(other, w)[0], program(other, w)[0])


def test_what_comes_from_outside_is_held_by_the_graph():
    layer, shift = torch.nn.Linear(3, 2), torch.ones(2)
    graph = make_fx(lambda x: layer(x) + shift)(torch.ones(1, 3))
    held = [n.target for n in graph.graph.nodes if n.op == "get_attr"]
    assert held == ["_param_constant0", "_param_constant1", "_tensor_constant0"]
    x = torch.randn(4, 3)
    assert torch.equal(graph(x), layer(x) + shift)


def test_decompositions_writes_trees_and_transforms():
    aten = torch.ops.aten

    def softmax(x, dim, half_to_float):
        e = torch.exp(x)
        return e / e.sum(dim, keepdim=True)

    table = {aten._softmax.default: softmax}
    graph = make_fx(lambda x: torch.softmax(x, 0), decomposition_table=table)(torch.ones(3))
    assert [n.name for n in graph.graph.nodes] == ["x_1", "exp", "sum_1", "div", "output"]

    def writes(x):
        x = x.clone()
        x.add_(1)
        x[0] = 5
        return {"x": x, "pair": [x * 2, 3]}

    graph = make_fx(writes)(torch.zeros(2))
    made = graph(torch.tensor([1.0, 2.0]))
    assert made["x"].tolist() == [5, 3] and made["pair"][0].tolist() == [10, 6]
    assert made["pair"][1] == 3
    graph = make_fx(torch.vmap(lambda x: (x * x).sum()))(torch.ones(2, 3))
    assert graph(torch.ones(2, 3) * 2).tolist() == [12, 12]
    graph = make_fx(lambda d: d["a"] + d["b"][0])({"a": torch.ones(2), "b": [torch.ones(2)]})
    assert graph({"a": torch.zeros(2), "b": [torch.ones(2)]}).tolist() == [1, 1]


def test_a_branch_on_a_value_is_refused():
    with pytest.raises(RuntimeError, match="get value out of a tracing tensor"):
        make_fx(lambda x: x if x.sum() > 0 else -x)(torch.ones(2))
    with pytest.raises(ValueError, match="Unexpected tracing type"):
        make_fx(lambda x: x, tracing_mode="none")


def test_fake_tensors_have_shapes_and_no_values():
    with FakeTensorMode() as mode:
        layer = torch.nn.Linear(100_000, 100_000)  # 40 GB
        out = layer(torch.randn(2, 100_000))
        out.sum().backward()
    assert isinstance(out, FakeTensor) and out.shape == (2, 100_000) and str(out.device) == "cpu"
    assert layer.weight.grad.shape == layer.weight.shape and isinstance(layer.weight, FakeTensor)
    with pytest.raises(DataDependentOutputException):
        out[0, 0].item()
    with pytest.raises(DynamicOutputShapeException):
        torch.nonzero(out)
    made = mode.from_tensor(torch.ones(2, 3, dtype=torch.float64))
    assert repr(made) == "FakeTensor(..., size=(2, 3), dtype=torch.float64)"
    assert (made @ made.T).shape == (2, 2)


def test_real_tensors_are_refused_in_a_fake_mode():
    x = torch.ones(2)
    with pytest.raises(AssertionError, match="Please convert all Tensors"), FakeTensorMode():
        x + 1
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert isinstance(x + 1, FakeTensor)


def test_shapes_are_propagated_on_fake_tensors():
    from chainrule.fx.passes.fake_tensor_prop import FakeTensorProp

    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU()))
    FakeTensorProp(traced).propagate(torch.ones(2, 3))
    assert [tuple(n.meta["val"].shape) for n in traced.graph.nodes if n.op != "output"] == [
        (2, 3), (2, 4), (2, 4),
    ]  # fmt: skip


def test_support_of_nodes_and_their_order():
    from chainrule.fx.passes import operator_support, tools_common

    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    nodes = [n for n in traced.graph.nodes if n.op == "call_function"]
    relu = operator_support.create_op_support(lambda modules, n: n.target is torch.relu)
    every = operator_support.create_op_support(lambda modules, n: True)
    assert [relu.is_node_supported({}, n) for n in nodes] == [True, False]
    assert [operator_support.chain(relu, every).is_node_supported({}, n) for n in nodes] == [
        True, False,
    ]  # fmt: skip
    assert all(operator_support.any_chain(relu, every).is_node_supported({}, n) for n in nodes)
    nodes[1].append(nodes[0])  # relu after what uses it
    tools_common.legalize_graph(traced).recompile()
    assert traced(torch.tensor([-1.0, 2.0])).tolist() == [1, 3]
