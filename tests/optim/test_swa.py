"""Averages of weights are PyTorch's, and batch norms are renewed for them."""

import json
from pathlib import Path

import numpy as np
import optim_others
import pytest

import chainrule as torch
from chainrule.optim import swa_utils

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "optim_others.json"
EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))["averaged"]


@pytest.mark.parametrize("kind", optim_others.AVERAGES)
def test_averages_are_those_of_pytorch(kind):
    found = optim_others.averaged(torch, kind)
    assert [key for key, _ in found] == [key for key, _ in EXPECTED[kind]]
    for (key, value), (_, expected) in zip(found, EXPECTED[kind], strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6, err_msg=key)


def test_the_averaged_model_computes_with_the_averages():
    model = torch.nn.Linear(1, 1, bias=False)
    average = swa_utils.AveragedModel(model)
    for value in (1.0, 2.0, 6.0):
        model.weight.data.fill_(value)
        average.update_parameters(model)
    assert average(torch.ones(1, 1)).item() == pytest.approx(3.0)
    assert model.weight.item() == 6.0


def test_renewing_batch_norms_restores_mode_and_momentum():
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(1, momentum=0.3))
    model.eval()
    data = [torch.tensor([[1.0], [3.0]]), torch.tensor([[5.0], [7.0]])]
    swa_utils.update_bn(data, model)
    assert not model.training and model[0].momentum == 0.3
    assert model[0].running_mean.item() == pytest.approx(4.0)
    swa_utils.update_bn(None, torch.nn.Linear(1, 1))  # no batch norm: the data is not read


def test_bad_averages_are_refused():
    with pytest.raises(ValueError, match=r"Invalid decay value 1.5 provided"):
        swa_utils.get_ema_avg_fn(1.5)
    with pytest.raises(ValueError, match=r"Invalid decay value -1 provided"):
        swa_utils.get_ema_multi_avg_fn(-1)
    model = torch.nn.Linear(1, 1)
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(model, avg_fn=abs, multi_avg_fn=abs)
