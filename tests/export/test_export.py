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
    program = torch.export.export(net, (torch.ones(1, 3),), {"scale": 3.0})
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
    with pytest.raises(NotImplementedError, match="run_decompositions"):
        program.run_decompositions()
