"""Modules captured as graphs: they compute what the module computes, or say why not."""

import pytest

import chainrule as torch
from chainrule import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x, scale: float = 2.0):
        return torch.relu(self.linear(x)) * scale + self.shift


def test_a_program_runs_for_other_shapes_and_is_saved(tmp_path):
    net = Net()
    shapes = {"x": {0: torch.export.Dim("batch", min=1)}, "scale": None}
    example = (torch.ones(2, 3),), {"scale": 3.0}
    program = torch.export.export(net, *example, dynamic_shapes=shapes)
    x = torch.randn(5, 3)
    assert torch.equal(program.module()(x, 3.0), net(x, 3.0))
    assert program.graph_signature.parameters == ("linear.weight", "linear.bias")
    assert program.graph_signature.buffers == ("shift",)
    assert program.state_dict.keys() == net.state_dict().keys()
    with pytest.raises(AssertionError, match=r"specialized to have value 3\.0"):
        program.module()(x, 4.0)
    torch.export.save(program, tmp_path / "program.pt2")
    again = torch.export.load(tmp_path / "program.pt2")
    assert torch.equal(again.module()(x, 3.0), net(x, 3.0))


def test_what_depends_on_values_is_refused_with_the_reason():
    class Branch(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match="inputs to control flow"):
        torch.export.export(Branch(), (torch.ones(1),))
    with pytest.raises(ValueError, match=r"instance of `torch\.nn\.Module`"):
        torch.export.export(lambda x: x, (torch.ones(1),))
    program = torch.export.export(Net(), (torch.ones(1, 3),))
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        program(torch.ones(1, 3))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, y=None):
        self.calls.add_(1)
        out = torch.relu(self.linear(x))
        return out if y is None else out + y.sum()


def exported(shapes, *inputs):
    return torch.export.export(Counting(), inputs, dynamic_shapes=shapes).module()


def test_a_program_holds_for_the_shapes_of_its_example():
    module = exported(None, torch.ones(4, 3))
    assert module(torch.ones(4, 3)).shape == (4, 2)
    with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[0\] == 4"):
        module(torch.ones(5, 3))


def test_dimensions_that_may_change_are_held_to_their_bounds():
    batch = torch.export.Dim("batch", min=2, max=8)
    module = exported({"x": {0: batch}}, torch.ones(4, 3))
    assert module(torch.ones(8, 3)).shape == (8, 2)
    for rows, columns, text in ((9, 3, "<= 8"), (1, 3, ">= 2"), (4, 4, "== 3")):
        with pytest.raises(AssertionError, match=text):
            module(torch.ones(rows, columns))
    pair = exported(({0: batch}, {0: batch * 2}), torch.ones(4, 3), torch.ones(8))
    assert pair(torch.ones(3, 3), torch.ones(6)).shape == (3, 2)
    with pytest.raises(AssertionError, match=r"y.size\(\)\[0\] == 2\*x.size\(\)\[0\]"):
        pair(torch.ones(3, 3), torch.ones(10))
    auto = exported([(torch.export.Dim.AUTO, torch.export.Dim.STATIC)], torch.ones(4, 3))
    assert auto(torch.ones(100, 3)).shape == (100, 2)


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ({"z": {0: None}}, "its top-level keys must be the arg names"),
        ({"x": (None, None, None)}, "expected 2, but got 3"),
        ({"x": {0: "batch"}}, "Unexpected dimension mapped to index 0"),
        ({"x": {0: torch.export.Dim("b", min=5)}}, r"4 not in range \[5, int_oo\]"),
        ({"x": {0: 7}}, "Static shape constraint of 7"),
    ],
)
def test_specifications_that_do_not_fit_the_example(shapes, text):
    with pytest.raises(RuntimeError, match=text):
        exported(shapes, torch.ones(4, 3))


def test_what_a_program_writes_into_buffers_is_part_of_it():
    net = Counting()
    program = torch.export.export(net, (torch.ones(4, 3),))
    module = program.module()
    before = module.calls.item()
    module(torch.ones(4, 3))
    assert module.calls.item() == before + 1
    kinds = [(s.kind.name, s.arg.name, s.target) for s in program.graph_signature.input_specs]
    assert kinds[0] == ("PARAMETER", "p_linear_weight", "linear.weight")
    assert ("BUFFER", "b_calls", "calls") in kinds


def test_decomposed_programs_are_operators_of_lifted_inputs(tmp_path):
    program = torch.export.export(Counting(), (torch.ones(4, 3),))
    core = program.run_decompositions()
    names = [str(n.target) for n in core.graph.nodes if n.op == "call_function"]
    assert names == [
        "aten.add_.Tensor", "aten.permute.default", "aten.addmm.default", "aten.relu.default",
    ]  # fmt: skip
    assert "p_linear_weight" in [n.name for n in core.graph.nodes if n.op == "placeholder"]
    x = torch.randn(4, 3)
    assert torch.equal(core.module()(x), program.module()(x))
    with pytest.raises(AssertionError, match="Guard failed"):
        core.module()(torch.ones(5, 3))
    whole = torch.export.unflatten(program)
    assert [name for name, _ in whole.named_modules()] == ["", "linear"]
    torch.export.save(program, tmp_path / "p.pt2")
    with pytest.raises(AssertionError, match="Guard failed"):
        torch.export.load(tmp_path / "p.pt2").module()(torch.ones(5, 3))
