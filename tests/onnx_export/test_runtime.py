"""Exported models computed by onnxruntime: the values are the model's, for other lengths too."""

import io

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn as nn
from chainrule.onnx.exporting import tensors_in

from . import models

onnx = pytest.importorskip("onnx", reason="pip install 'chainrule[onnx]' to run exported models")
runtime = pytest.importorskip("onnxruntime", reason="pip install 'chainrule[onnx]'")

BATCH = {"x": {0: "batch"}}


def check(model, example, other=None, axes=BATCH, opset=18):
    torch.manual_seed(0)
    file = io.BytesIO()
    torch.onnx.export(model, (example,), file, dynamic_axes=axes, opset_version=opset)
    onnx.checker.check_model(onnx.load_from_string(file.getvalue()), full_check=True)
    session = runtime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    model.eval()
    for x in (example, other) if other is not None else (example,):
        with torch.no_grad():
            expected = tensors_in(model(x))
        found = session.run(None, {"x": x.numpy()})
        for one, wanted in zip(found, expected, strict=True):
            assert one.dtype == wanted.numpy().dtype
            np.testing.assert_allclose(one, wanted.numpy(), 1e-4, 1e-4)


def image(batch):
    return torch.randn(batch, 4, 6, 6)


@pytest.mark.parametrize("layer", models.layers(), ids=str)
def test_layers(layer):
    check(models.Wrapped(layer), image(2), image(3))


@pytest.mark.parametrize("name", models.FUNCTIONS)
def test_functions(name):
    check(models.Wrapped(models.FUNCTIONS[name]), image(2), image(3))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize(
    "options",
    [{}, {"batch_first": True}, {"num_layers": 2, "bidirectional": True}, {"bias": False}],
)
def test_recurrence(kind, options):
    check(models.Wrapped(kind(4, 5, **options)), torch.randn(3, 2, 4), torch.randn(5, 2, 4))


@pytest.mark.parametrize("opset", [13, 15, 17, 18, 20, 21])
def test_whole_models_in_many_versions(opset):
    for model in (models.Residual(), models.Wrapped(models.cnn()), models.Cells()):
        check(model, image(2), image(3), opset=opset)
    tokens = torch.randint(0, 11, (2, 6)), torch.randint(0, 11, (3, 9))
    for fused in (True, False) if opset >= 14 else (False,):  # triangles came with 14
        check(models.GPT(fused), *tokens, axes={"x": {0: "batch", 1: "length"}}, opset=opset)


@pytest.mark.parametrize(
    "model",
    [
        models.Attention(batch_first=True), models.Attention(),
        models.Wrapped(nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu")),
        models.Wrapped(nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False)),
    ],
    ids=["batch first", "attention", "layer", "encoder"],
)  # fmt: skip
def test_attention(model):
    check(model, torch.randn(2, 5, 8), torch.randn(3, 5, 8))


def test_a_program_runs_and_verifies_itself():
    model = nn.Linear(3, 2)
    program = torch.onnx.export(model, torch.ones(2, 3), verify=True)
    torch.testing.assert_close(program(torch.ones(2, 3))[0], model(torch.ones(2, 3)).detach())
    assert program.model_proto.graph.node[0].op_type == "Gemm"
