"""Layers call `nn.functional` as it is when they run: profilers and other tools replace it."""

import pytest

import chainrule as torch
import chainrule.nn.functional as F
from chainrule import nn


def attend(x, **options):
    return nn.MultiheadAttention(8, 2)(x, x, x, **options)


SEQUENCE, IMAGE, VOLUME = (2, 3, 8), (2, 4, 6, 6), (2, 2, 4, 4, 4)


@pytest.mark.parametrize(
    ("name", "make", "shape"),
    [
        ("relu", nn.ReLU, SEQUENCE),
        ("relu", lambda: nn.ReLU(inplace=True), SEQUENCE),
        ("gelu", nn.GELU, SEQUENCE),
        ("linear", lambda: nn.Linear(8, 4), SEQUENCE),
        ("conv1d", lambda: nn.Conv1d(3, 2, 3), SEQUENCE),
        ("conv2d", lambda: nn.Conv2d(4, 2, 3), IMAGE),
        ("conv3d", lambda: nn.Conv3d(2, 2, 3), VOLUME),
        ("conv_transpose2d", lambda: nn.ConvTranspose2d(4, 2, 3), IMAGE),
        ("pad", lambda: nn.Conv2d(4, 2, 3, padding=1, padding_mode="circular"), IMAGE),
        ("batch_norm", lambda: nn.BatchNorm2d(4), IMAGE),
        ("layer_norm", lambda: nn.LayerNorm(8), SEQUENCE),
        ("rms_norm", lambda: nn.RMSNorm(8), SEQUENCE),
        ("group_norm", lambda: nn.GroupNorm(2, 4), IMAGE),
        ("instance_norm", lambda: nn.InstanceNorm2d(4), IMAGE),
        ("interpolate", lambda: nn.Upsample(scale_factor=2), IMAGE),
        ("dropout", nn.Dropout, SEQUENCE),
        ("dropout", lambda: nn.Dropout().eval(), SEQUENCE),
        ("pad", lambda: nn.ConstantPad1d(1, 0.0), SEQUENCE),
    ],
)
def test_a_layer_calls_the_function_that_is_there(monkeypatch, name, make, shape):
    layer, x = make(), torch.randn(shape)
    calls, original = [], getattr(F, name)
    monkeypatch.setattr(F, name, lambda *a, **k: calls.append(name) or original(*a, **k))
    layer(x)
    assert calls == [name]


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("embedding", lambda: nn.Embedding(5, 3)(torch.tensor([1, 2]))),
        ("embedding_bag", lambda: nn.EmbeddingBag(5, 3)(torch.tensor([[1, 2]]))),
        ("bilinear", lambda: nn.Bilinear(2, 2, 2)(torch.ones(1, 2), torch.ones(1, 2))),
        ("cross_entropy", lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 1]))),
        ("multi_head_attention_forward", lambda: attend(torch.ones(3, 8))),
        ("multi_head_attention_forward", lambda: attend(torch.ones(3, 1, 8), need_weights=False)),
    ],
)
def test_a_layer_of_several_inputs_does_too(monkeypatch, name, run):
    calls, original = [], getattr(F, name)
    monkeypatch.setattr(F, name, lambda *a, **k: calls.append(name) or original(*a, **k))
    run()
    assert calls == [name]


@pytest.mark.parametrize("layer", [nn.Dropout().eval(), nn.MultiheadAttention(8, 2)])
def test_modes_see_layers_that_could_do_without_their_function(layer):
    seen = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = torch.ones(3, 1, 8)
    with Watch():
        layer(x) if isinstance(layer, nn.Dropout) else layer(x, x, x, need_weights=False)
    assert {F.dropout, F.multi_head_attention_forward} & set(seen)
