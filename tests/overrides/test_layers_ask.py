"""Layers leave no function out that their inputs decide about."""

import pytest

import chainrule as torch
from chainrule import nn


class Noting(torch.Tensor):
    """Writes down the functions that are called with it."""

    called: list[str] = []  # noqa: RUF012 - one list for all of them is the point

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = func.__name__
        if name not in ("__get__", "dim", "size"):
            cls.called.append(name)
        return super().__torch_function__(func, types, args, kwargs)


ATTENTION = ["transpose", "multi_head_attention_forward", "transpose"]
REST = ["dropout", "add", "layer_norm", "linear", "relu", "dropout", "linear", "dropout", "add",
        "layer_norm"]  # fmt: skip
LAYERS = {
    "attention": (lambda: nn.MultiheadAttention(8, 2, batch_first=True), ATTENTION),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), ATTENTION + REST),
    "decoder": (
        lambda: nn.TransformerDecoderLayer(8, 2, 16),
        [ATTENTION[1], *REST[:3], ATTENTION[1], *REST],
    ),
    "dropout": (nn.Dropout, ["dropout"]),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("training", [True, False])
def test_inputs_that_override_are_asked_about_every_function(name, training):
    make, expected = LAYERS[name]
    layer = make().train(training)
    x = torch.randn(2, 5, 8).as_subclass(Noting)
    given = {"attention": (x, x, x), "decoder": (x, x)}.get(name, (x,))
    Noting.called.clear()
    options = {"need_weights": False} if name == "attention" else {}
    found = layer(*given, **options)
    assert type(found[0] if name == "attention" else found) is Noting
    assert Noting.called == expected


def test_weights_that_override_are_asked_too():
    layer = nn.MultiheadAttention(8, 2)
    layer.in_proj_weight = nn.Parameter(layer.in_proj_weight.detach().as_subclass(Noting))
    x = torch.randn(5, 2, 8)
    Noting.called.clear()
    layer(x, x, x, need_weights=False)
    assert Noting.called == ["multi_head_attention_forward"]


def test_a_subclass_gets_the_numbers_of_a_plain_tensor():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(layer(x.as_subclass(Noting)).as_subclass(torch.Tensor), layer(x))
