"""The names of options under `__constants__`, which layers of other libraries extend."""

from typing import ClassVar

import pytest

import chainrule as torch
from chainrule import nn


@pytest.mark.parametrize(
    "layer",
    [
        nn.Linear(2, 3), nn.Conv2d(1, 2, 3), nn.BatchNorm1d(2), nn.LayerNorm(2), nn.Dropout(),
        nn.MaxPool2d(2), nn.AvgPool3d(2), nn.LSTM(2, 3), nn.GRUCell(2, 3), nn.Embedding(2, 3),
        nn.CrossEntropyLoss(), nn.MultiheadAttention(4, 2), nn.Upsample(scale_factor=2),
        nn.ReflectionPad2d(1), nn.ReLU(), nn.Softmax(1), nn.TransformerEncoderLayer(4, 2),
    ],
    ids=lambda layer: type(layer).__name__,
)  # fmt: skip
def test_a_layer_names_the_options_it_keeps(layer):
    names = type(layer).__constants__
    assert isinstance(names, list) and names
    assert [name for name in names if not hasattr(layer, name)] == []


def test_a_derived_layer_adds_its_own():
    class Mine(nn.LayerNorm):
        __constants__: ClassVar[list[str]] = [*nn.LayerNorm.__constants__, "mine"]
        mine = 3

    assert Mine.__constants__[-1] == "mine" and "eps" in Mine.__constants__
    assert not hasattr(nn.Module, "__constants__")
    assert nn.Module.T_destination is torch.nn.modules.module.T_destination
