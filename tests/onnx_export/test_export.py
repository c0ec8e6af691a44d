"""Models as ONNX files, read and computed by hand (onnxruntime's tests are in test_runtime.py)."""

import io

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn as nn
from chainrule.onnx import OnnxExporterError

from . import models
from .reader import Read


def exported(model, *args, **options):
    file = io.BytesIO()
    torch.onnx.export(model, args, file, **options)
    return Read(file.getvalue())


def test_weights_keep_their_names_and_values():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    found = exported(model, torch.ones(5, 3), input_names=["data"], output_names=["scores"])
    assert {n: a.tolist() for n, a in found.weights.items()} == {
        n: p.tolist() for n, p in model.named_parameters()
    }
    assert found.inputs == [("data", "float32", [5, 3])]
    assert found.outputs == [("scores", "float32", [5, 2])]
    assert [node[0] for node in found.nodes] == ["Gemm", "Relu", "Gemm", "Identity"]


def test_the_graph_computes_what_the_model_does():
    x = torch.randn(4, 3)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2), nn.GELU())
    found = exported(model, x).run(x.numpy())
    np.testing.assert_allclose(found[0], model(x).detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fused", [True, False])
def test_lengths_may_vary(fused):
    model = models.GPT(fused).eval()
    tokens = torch.randint(0, 11, (2, 6))
    found = exported(model, tokens, dynamic_axes={"x": {0: "batch", 1: "length"}})
    assert found.inputs == [("x", "int64", ["batch", "length"])]
    assert found.outputs == [("output", "float32", ["batch", "length", 11])]
    for shape in [(2, 6), (1, 1), (3, 11)]:
        x = torch.randint(0, 11, shape)
        with torch.no_grad():
            expected = model(x).numpy()
        np.testing.assert_allclose(found.run(x.numpy())[0], expected, rtol=1e-4, atol=1e-5)


def test_dynamic_shapes_are_written_as_export_writes_them():
    model = models.Wrapped(nn.Linear(3, 2))
    for shapes in ({"x": {0: torch.export.Dim("n")}}, ({0: "n"},), ({0: torch.export.Dim("n")},)):
        assert exported(model, torch.ones(2, 3), dynamic_shapes=shapes).inputs[0][2] == ["n", 3]


def test_a_shared_weight_is_written_once():
    found = exported(models.GPT(), torch.zeros(1, 3, dtype=torch.long))
    assert "token.weight" in found.weights and "head.weight" not in found.weights


def test_the_model_is_left_as_it_was():
    model = nn.Sequential(
        nn.Conv2d(3, 2, 1), nn.BatchNorm2d(2), nn.Dropout(), models.Wrapped(nn.ReLU())
    )
    model[2].eval()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    state = torch.get_rng_state()
    exported(model, torch.randn(2, 3, 4, 4), training=torch.onnx.TrainingMode.EVAL)
    assert [m.training for m in model] == [True, True, False, True]
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    torch.set_rng_state(state)
    assert not torch.onnx.is_in_onnx_export()


def test_nodes_know_their_lines():
    found = exported(models.Wrapped(lambda x: x.cos()), torch.ones(2))
    assert "test_export.py" in found.nodes[0][4] and "x.cos()" in found.nodes[0][4]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: torch.linalg.svdvals(x), r"svdvals on \(torch.float32 \[2, 3\]\) has no ONNX"),
        (lambda x: x if x.sum() > 0 else -x, "reads values of a tensor that depends on the inputs"),
        (lambda x: x * x.mean().item(), "reads values of a tensor that depends on the inputs"),
        (lambda x: x + torch.rand(3), "right for the example alone"),
        (lambda x: x[x > 0], "a mask as index"),
        (lambda x: nn.functional.dropout(x), "dropout in training mode"),
        (lambda x: (x[0].mul_(2), x), "memory that it shares was written"),
        (lambda x: _late_view(x * 1), "memory that it shares was written"),
        (lambda x: "text", "returned str without tensors"),
    ],
)
def test_what_a_graph_cannot_say_is_an_error(function, text):
    with pytest.raises(OnnxExporterError, match=text) as error:
        exported(models.Wrapped(function), torch.randn(2, 3))
    assert "test_export.py" in str(error.value) or "str" in text


def _late_view(y):
    part = y[0]
    torch.relu_(y)
    return part


def test_writing_in_place_is_a_new_value():
    x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]])

    def written(x):
        y = (x * 1).view(-1)
        y.add_(1)
        return nn.functional.relu(y, inplace=True)

    assert exported(models.Wrapped(written), x).run(x.numpy())[0].tolist() == [0.0, 3.0, 4.0, 0.0]
    assert exported(models.Wrapped(lambda x: x.mul_(2)), x).run(x.numpy())[0][0, 0] == -2
    assert x[0, 0] == -1
    same = lambda x: x.mT + x.contiguous().to(torch.float32).mT  # noqa: E731 - nothing is written
    assert exported(models.Wrapped(same), x).run(x.numpy())[0][0, 1] == 6


def test_values_that_escape_to_numpy_are_found():
    with pytest.raises(OnnxExporterError, match="right for the example alone"):
        exported(models.Wrapped(lambda x: x * unseen(x)), torch.randn(2, 3))


def unseen(x):
    """Computed where no mode can see it."""
    return torch.from_numpy(np.sin(x._a))


def test_a_length_that_cannot_vary_is_an_error():
    with pytest.raises(OnnxExporterError, match="does not run when batch has another length"):
        exported(
            models.Wrapped(lambda x: x.view(2, 3, 1)),
            torch.ones(2, 3),
            dynamic_axes={"x": {0: "batch"}},
        )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"opset_version": 9}, "opset_version=9 is not written here; 13 to 23 are"),
        ({"output_names": ["a", "b"]}, "2 output_names for 1 outputs"),
        ({"export_params": False}, "export_params=False"),
        ({"input_names": ["y"], "output_names": ["y"]}, "name inputs and outputs both"),
    ],
)
def test_options_that_cannot_be_met_are_errors(options, text):
    with pytest.raises(OnnxExporterError, match=text):
        exported(nn.ReLU(), torch.ones(2), **options)


def test_users_say_how_an_operator_is_written():
    model = models.Wrapped(lambda x: torch.linalg.det(x))
    torch.onnx.register_custom_op_symbolic("aten::det", lambda g, x: g.op("Det", x), 18)
    try:
        assert [n[0] for n in exported(model, torch.eye(2)).nodes] == ["Det", "Identity"]
    finally:
        torch.onnx.unregister_custom_op_symbolic("aten::det", 18)
    with pytest.raises(ValueError, match="domain::name"):
        torch.onnx.register_custom_op_symbolic("det", None, 18)


def test_a_file_on_disk_and_what_is_returned(tmp_path):
    path = tmp_path / "model.onnx"
    assert torch.onnx.export(nn.ReLU(), torch.ones(2), str(path), dynamo=False) is None
    program = torch.onnx.export(nn.ReLU(), (torch.ones(2),), path)
    assert path.read_bytes() == program.to_bytes() and "Relu" in repr(program)
    assert torch.onnx.is_available()


def test_a_formula_that_writes_in_place_is_seen_by_what_follows():
    class Model(nn.Module):
        def forward(self, x):
            y = x + 0
            return nn.functional.threshold(y, 0.5, 9.0, inplace=True) + y

    x = torch.tensor([0.25, 1.0])
    found = exported(Model(), x).run(x.numpy())
    np.testing.assert_array_equal(found[0], Model()(x).numpy())  # y itself is thresholded: 18, 2
