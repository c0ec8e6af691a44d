"""Graphs and generated code are PyTorch's, name by name, and compute what the program computes."""

import copy
import json
import operator
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule as torch
import chainrule.run
from chainrule import fx, nn

from . import programs

RECORDED = json.loads(
    (Path(__file__).parent.parent / "recorded" / "fx.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda p: p.__name__)
def test_graph_and_code_are_those_of_pytorch(program):
    assert programs.described(torch, program) == RECORDED[program.__name__]


def _flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _flat(v)]
    if isinstance(value, list | tuple):
        return [t for v in value for t in _flat(v)]
    return [torch.tensor(float(hash(str(value)) % 1000))]


def _same(a, b):
    found, wanted = _flat(a), _flat(b)
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        assert torch.equal(x, y) or (x != x).all()


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda p: p.__name__)
def test_traced_interpreted_copied_and_transformed_equal_eager(program):
    traced, root, inputs = programs.trace(torch, program)
    if inputs is None:
        return
    traced.graph.lint()
    wanted = root(*inputs)
    _same(traced(*inputs), wanted)
    _same(fx.Interpreter(traced).run(*inputs), wanted)
    _same(copy.deepcopy(traced)(*inputs), wanted)
    if not isinstance(traced.graph._codegen, fx.graph._PyTreeCodeGen):
        _same(fx.Transformer(traced).transform()(*inputs), wanted)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.unused = nn.Linear(1, 1)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return torch.relu(self.linear(x)) * self.scale


def test_gradients_flow_through_traced_modules():
    net = Net()
    traced = fx.symbolic_trace(net)
    x = torch.randn(4, 3)
    traced(x).sum().backward()
    found = {name: p.grad.clone() for name, p in traced.named_parameters()}
    net.zero_grad()
    net(x).sum().backward()
    assert found.keys() == {"linear.weight", "linear.bias", "scale"}
    for name, grad in found.items():
        assert torch.equal(grad, net.get_parameter(name).grad)


def test_pickles_and_folders_rebuild_the_module(tmp_path, monkeypatch):
    traced = fx.symbolic_trace(Net())
    x = torch.randn(4, 3)
    again = pickle.loads(pickle.dumps(traced))
    assert again.code == traced.code
    assert torch.equal(again(x), traced(x))
    traced.to_folder(tmp_path / "written", "Written")
    with chainrule.run.installed():
        monkeypatch.syspath_prepend(str(tmp_path))
        from written import Written  # type: ignore[import-not-found]

        assert torch.equal(Written()(x), traced(x))
    sys.modules.pop("written", None)


def test_editing_a_graph():
    traced = fx.symbolic_trace(Net())
    graph = traced.graph
    relu = next(n for n in graph.nodes if n.target is torch.relu)
    with graph.inserting_after(relu):
        new = graph.call_function(torch.sigmoid, (relu.args[0],))
    relu.replace_all_uses_with(new)
    graph.erase_node(relu)
    graph.lint()
    traced.recompile()
    x = torch.randn(4, 3)
    assert torch.equal(traced(x), torch.sigmoid(traced.linear(x)) * traced.scale)
    with pytest.raises(RuntimeError, match="still had 1 users"):
        graph.erase_node(new)
    with pytest.raises(TypeError, match="does not support mutation"):
        new.kwargs["a"] = 1


def test_dead_code_goes_and_effects_stay():
    def f(x):
        torch.exp(x)
        y = x.clone()
        y.add_(1)
        return y

    traced = fx.symbolic_trace(f)
    assert traced.graph.eliminate_dead_code()
    assert [n.name for n in traced.graph.nodes] == ["x", "clone", "add_", "output"]
    assert not traced.graph.eliminate_dead_code()


def test_lint_names_what_is_wrong():
    graph = fx.Graph()
    x = graph.placeholder("x")
    add = graph.call_function(operator.add, (x, 1))
    graph.output(add)
    x.prepend(add)
    with pytest.raises(RuntimeError, match="used before it has been defined"):
        graph.lint()


def test_what_cannot_be_traced_says_why():
    def branches(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(fx.proxy.TraceError, match="inputs to control flow"):
        fx.symbolic_trace(branches)
    with pytest.raises(fx.proxy.TraceError, match="cannot be iterated"):
        fx.symbolic_trace(lambda x: [y for y in x])
    with pytest.raises(RuntimeError, match="'len' is not supported"):
        fx.symbolic_trace(lambda x: len(x))
    with pytest.raises(NameError, match="not installed as a submodule"):
        outside = nn.Linear(2, 2)
        fx.symbolic_trace(lambda x: outside(x))
    assert nn.Module.__call__.__qualname__ == "Module.__call__"  # everything is as it was


def test_unpacking_makes_items():
    def f(x):
        a, b = torch.chunk(x, 2)
        return a + b

    assert [n.name for n in fx.symbolic_trace(f).graph.nodes] == [
        "x", "chunk", "getitem", "getitem_1", "add", "output",
    ]  # fmt: skip


def test_a_tracer_chooses_leaves_and_sees_module_paths():
    class Inside(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    net = Net()
    graph = Inside().trace(net)
    names = [n.name for n in graph.nodes]
    assert names == ["x", "linear_weight", "linear_bias", "linear", "relu", "scale", "mul",
                     "output"]  # fmt: skip
    linear = next(n for n in graph.nodes if n.name == "linear")
    assert dict(linear.meta["nn_module_stack"]) == {"linear": ("linear", nn.Linear)}
    x = torch.randn(2, 3)
    assert torch.equal(fx.GraphModule(net, graph)(x), net(x))


def test_patterns_are_replaced():
    def f(x, w):
        a = torch.cat([x, w]).sum()
        b = torch.cat([w, x]).sum()
        return a + b

    def pattern(x, w):
        return torch.cat([x, w]).sum()

    traced = fx.symbolic_trace(f)
    found = fx.replace_pattern(traced, pattern, lambda x, w: torch.stack([x, w]).sum())
    assert len(found) == 2
    assert "cat" not in traced.code
    x, w = torch.randn(3), torch.randn(3)
    assert torch.allclose(traced(x, w), f(x, w))


def test_a_pattern_whose_inside_is_used_elsewhere_stays():
    def f(x):
        y = torch.relu(x)
        return torch.neg(y) + y

    traced = fx.symbolic_trace(f)
    assert fx.replace_pattern(traced, lambda x: torch.neg(torch.relu(x)), lambda x: x) == []


def test_submodules_are_added_and_removed():
    traced = fx.symbolic_trace(Net())
    assert traced.add_submodule("a.b", nn.Linear(1, 1))
    assert not traced.add_submodule("scale.b", nn.Linear(1, 1))
    traced.delete_all_unused_submodules()
    assert [n for n, _ in traced.named_modules()] == ["", "linear"]
    assert not traced.delete_submodule("linear.nothing")


def test_tables_and_readable_code(capsys):
    from chainrule.fx.passes.shape_prop import ShapeProp

    traced = fx.symbolic_trace(Net())
    ShapeProp(traced).propagate(torch.ones(4, 3))
    assert '"f32[4, 2]"' in traced.print_readable(print_output=False)
    traced.graph.print_tabular()
    assert capsys.readouterr().out.splitlines()[0].split() == [
        "opcode", "name", "target", "args", "kwargs",
    ]  # fmt: skip


def test_functions_called_with_proxies_made_by_hand_are_recorded():
    # A new process: functions that met no overriding object before.
    code = """
import chainrule as torch
from chainrule import fx
graph = fx.Graph()
tracer = fx.proxy.GraphAppendingTracer(graph)
a, b = (fx.Proxy(graph.placeholder(name), tracer) for name in "ab")
joined = torch.broadcast_tensors(a, b)[0]
graph.output(torch.einsum("ij,jk->ik", [joined, torch.relu(b)]).node)
print([(n.name, n.args) for n in graph.nodes][2:])

class Swap(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is torch.sigmoid:
            return torch.neg(*args, **kwargs)
        return super().call_function(target, args, kwargs)

swapped = Swap(fx.symbolic_trace(lambda x: torch.sigmoid(x).exp())).transform()
print([n.name for n in swapped.graph.nodes])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        "[('broadcast_tensors', (a, b)), ('getitem', (broadcast_tensors, 0)), ('relu', (b,)), "
        "('einsum', ('ij,jk->ik', getitem, relu)), ('output', (einsum,))]",
        "['x', 'neg', 'exp', 'output']",
    ]


def test_functions_are_found_to_be_overridden_in_the_middle_of_a_trace():
    code = """
import chainrule as torch
from chainrule import fx, relu
class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__
graph = fx.symbolic_trace(lambda x: relu(x) + torch.relu(x)).graph  # the first is not replaced
print([n.name for n in graph.nodes], torch.detach(Duck()), torch.relu(Duck()))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout == "['x', 'relu', 'relu_1', 'add', 'output'] detach relu\n", ran.stderr
