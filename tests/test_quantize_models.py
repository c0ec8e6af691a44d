"""Quantized tensors and models have PyTorch's numbers (tools/record/record_quantize.py)."""

import copy
import io
import json
from pathlib import Path

import pytest
from quantize_programs import PROGRAMS, run

import chainrule as torch
from chainrule import nn

Q = torch.ao.quantization
FILE = Path(__file__).resolve().parent / "recorded" / "quantize.json"
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_show_what_pytorch_shows(name):
    assert run(name, torch) == RECORDED[name]


def test_a_quantized_model_is_small_and_can_be_saved():
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).eval()
    small = Q.quantize_dynamic(model, {nn.Linear})
    assert small[0].weight().int_repr().nbytes * 4 == model[0].weight.nbytes
    assert list(small.parameters()) == []
    file = io.BytesIO()
    torch.save(small.state_dict(), file)
    file.seek(0)
    other = Q.quantize_dynamic(copy.deepcopy(model), {nn.Linear})
    other[0].set_weight_bias(other[0].weight().relu(), None)
    x = torch.randn(3, 64)
    assert not torch.equal(other(x), small(x))
    other.load_state_dict(torch.load(file, weights_only=False))
    assert torch.equal(other(x), small(x))
    assert torch.equal(copy.deepcopy(small)(x), small(x))


def test_the_float_model_is_left_alone():
    model = nn.Sequential(nn.Linear(4, 4))
    before = model.state_dict()["0.weight"].clone()
    Q.quantize_dynamic(model, {nn.Linear})
    assert type(model[0]) is nn.Linear and model.training
    assert torch.equal(model[0].weight, before) and not hasattr(model[0], "qconfig")
    changed = Q.quantize_dynamic(model, {nn.Linear}, inplace=True)
    assert changed is model and type(model[0]) is not nn.Linear


def test_a_converted_layer_says_that_it_needs_quantized_input():
    model = nn.Sequential(nn.Linear(4, 2))
    model.qconfig = Q.get_default_qconfig("qnnpack")
    prepared = Q.prepare(model.eval())
    prepared(torch.randn(8, 4))
    converted = Q.convert(prepared)
    with pytest.raises(NotImplementedError, match="put a QuantStub before it"):
        converted(torch.randn(1, 4))


def test_arithmetic_with_quantized_tensors_is_refused_with_a_way_out():
    x = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    for refused in (lambda: x + 1, lambda: x.sum(), lambda: x.exp(), lambda: x.tolist()):
        with pytest.raises(NotImplementedError, match="QuantizedCPU"):
            refused()
    with pytest.raises(RuntimeError, match="no format of quantized tensors"):
        torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.int8)
    with pytest.raises(RuntimeError, match="per-channel"):
        x.q_per_channel_scales()


def test_quantization_aware_training_asks_for_training_mode():
    model = nn.Sequential(nn.Linear(2, 2)).eval()
    model.qconfig = Q.get_default_qat_qconfig("x86")
    with pytest.raises(AssertionError, match="training mode"):
        Q.prepare_qat(model)
    prepared = Q.prepare_qat(model.train())
    prepared(torch.ones(1, 2)).sum().backward()
    assert prepared[0].weight.grad is not None
    assert type(model[0]) is nn.Linear


def test_marks_around_leaves_and_whole_flows():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU()).eval()
    model[0].qconfig = Q.QConfig(Q.default_observer, Q.default_weight_observer)
    marked = Q.add_quant_dequant(copy.deepcopy(model))
    x = torch.randn(16, 3)
    quantized = Q.quantize(marked, lambda m, data: m(data), [x])
    assert torch.allclose(quantized(x), model(x), atol=0.1)
    assert type(quantized[0].quant).__name__ == "Quantize"
