"""Parts of a graph as modules: PyTorch 2.13's partitioner proposes the same parts."""

import operator

import pytest

import chainrule as torch
from chainrule.fx import symbolic_trace
from chainrule.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from chainrule.fx.passes.operator_support import create_op_support
from chainrule.fx.passes.utils.fuser_utils import validate_partition

ARITHMETIC = (operator.add, operator.mul, operator.sub)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(3, 3)

    def forward(self, x, y):
        a = x + y
        b = torch.relu(a)
        d = self.l(b) + b
        f = d * torch.sigmoid(d)
        return torch.relu(y) + f, (a - y)


def arithmetic(modules, node):
    return node.op == "call_function" and node.target in ARITHMETIC


def functions(modules, node):
    return node.op == "call_function"


ALONE = {"allows_single_node_partition": True}
APART = {**ALONE, "skip_horizontal_fusion": True}
# As PyTorch proposes them (printed by the same program under it).
PROPOSED = [
    (arithmetic, {}, [["add_2", "mul", "sub"]]),
    (arithmetic, ALONE, [["add"], ["add_1"], ["add_2", "mul", "sub"]]),
    (functions, {}, [["add", "relu"], ["add_1", "add_2", "mul", "relu_1", "sigmoid", "sub"]]),
    (functions, APART, [["add", "relu", "sub"], ["add_1", "add_2", "mul", "relu_1", "sigmoid"]]),
]


@pytest.mark.parametrize("supported, options, expected", PROPOSED)
def test_parts_are_those_of_pytorch_and_compute_the_same(supported, options, expected):
    graph_module = symbolic_trace(Net())
    x, y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
    before = graph_module(x, y)
    partitioner = CapabilityBasedPartitioner(graph_module, create_op_support(supported), **options)
    parts = partitioner.propose_partitions()
    assert sorted(sorted(node.name for node in part.nodes) for part in parts) == expected
    assert all(validate_partition(list(part.nodes)) for part in parts)
    fused = partitioner.fuse_partitions(parts)
    fused.graph.lint()
    assert {f"fused_{k}" for k in range(len(parts))} <= dict(fused.named_children()).keys()
    assert all(torch.equal(a, b) for a, b in zip(before, fused(x, y), strict=True))


def test_a_part_that_would_depend_on_itself_is_refused():
    graph_module = symbolic_trace(Net())
    by_name = {node.name: node for node in graph_module.graph.nodes}
    assert not validate_partition([by_name["relu"], by_name["add_1"]])  # the layer lies between


@pytest.mark.parametrize("as_tuple", [False, True])
def test_parts_return_a_tuple_of_one_where_that_is_asked_for(as_tuple):
    from chainrule.fx.passes.split_module import split_module

    gm = torch.fx.symbolic_trace(lambda x: (x + 1) * 2 - 1)
    parts = split_module(gm, gm, lambda n: int(n.name == "sub"), tuple_return=as_tuple)
    results = [part(torch.ones(2)) for part in parts.children()]
    assert [isinstance(r, tuple) for r in results] == [as_tuple, as_tuple]
    assert parts(torch.ones(2)).tolist() == [3.0, 3.0]
    assert ("getitem" in parts.code) is as_tuple
