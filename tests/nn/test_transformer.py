"""The transformer: what users see beyond the recorded comparison with PyTorch."""

import copy

import pytest

import chainrule as torch
from chainrule import nn, optim

TEXT = "the chain rule turns a long sum of small steps into one gradient; " * 6


def small(kind=nn.TransformerEncoderLayer, **options):
    torch.manual_seed(0)
    return kind(8, 2, dim_feedforward=12, dropout=0.0, **options)


def test_layers_of_a_stack_are_copies_with_parameters_of_their_own():
    layer = small()
    encoder = nn.TransformerEncoder(layer, 2)
    first, second = encoder.layers
    assert torch.equal(first.linear1.weight, second.linear1.weight)
    assert first.linear1.weight is not second.linear1.weight
    assert layer.linear1.weight is not first.linear1.weight
    assert torch.equal(copy.deepcopy(encoder)(torch.ones(3, 2, 8)), encoder(torch.ones(3, 2, 8)))


def test_a_causal_mask_hides_the_future():
    encoder = nn.TransformerEncoder(small(batch_first=True), 2)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    x = torch.randn(1, 5, 8, requires_grad=True)
    # (Not the plain sum: that of a layer norm is constant, and its gradient rounding errors.)
    (encoder(x, mask)[0, 2] * torch.randn(8)).sum().backward()
    assert x.grad[0, 3:].abs().max() == 0
    assert x.grad[0, :3].abs().min() > 0


def test_a_causal_mask_is_recognised_by_its_values():
    encoder = nn.TransformerEncoder(small(), 1)
    x, mask = torch.randn(5, 2, 8), nn.Transformer.generate_square_subsequent_mask(5)
    seen = []
    encoder.layers[0].register_forward_pre_hook(
        lambda layer, args, kwargs: seen.append(kwargs["is_causal"]), with_kwargs=True
    )
    expected = encoder(x, mask, is_causal=False)
    torch.testing.assert_close(encoder(x, mask), expected)
    encoder(x, mask * 0)
    assert seen == [False, True, False]


def test_padding_has_no_influence():
    encoder = nn.TransformerEncoder(small(batch_first=True), 2)
    x = torch.randn(2, 5, 8)
    padded = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    out = encoder(x, src_key_padding_mask=padded)
    torch.testing.assert_close(out[1, :3], encoder(x[1:, :3])[0])
    with torch.no_grad():
        still = encoder.eval()(x, src_key_padding_mask=padded)
    torch.testing.assert_close(still[0], out[0].detach())
    assert still[1, 3:].abs().max() == 0  # as PyTorch's nested tensors leave it


def test_derivatives():
    layer = small(norm_first=True, activation="gelu").double()
    x = torch.randn(2, 1, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,), check_forward_ad=True)


def test_any_function_can_be_the_activation():
    assert small(activation=torch.tanh).activation is torch.tanh
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not tanh"):
        small(activation="tanh")


def test_errors():
    model = nn.Transformer(8, 2, 1, 1, 12)
    x = torch.ones(3, 2, 8)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        model(x, torch.ones(3, 3, 8))
    with pytest.raises(RuntimeError, match="must be equal to d_model, got 8, 7 and 8"):
        model(x, torch.ones(3, 2, 7))
    with pytest.raises(AssertionError, match="only bool and floating types of src_key_padding"):
        model.encoder(x, src_key_padding_mask=torch.ones(2, 3).long())
    mixed = {"src_mask": torch.zeros(3, 3), "src_key_padding_mask": torch.zeros(2, 3) > 0}
    with pytest.warns(UserWarning, match="mismatched src_key_padding_mask and src_mask"):
        model.encoder.layers[0](x, **mixed)


class Characters(nn.Module):
    """A small language model of characters."""

    def __init__(self, letters, width=32, block=32):
        super().__init__()
        self.letter = nn.Embedding(letters, width)
        self.place = nn.Embedding(block, width)
        layer = nn.TransformerEncoderLayer(
            width, 4, 64, dropout=0.0, batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width))
        self.head = nn.Linear(width, letters)
        mask = nn.Transformer.generate_square_subsequent_mask(block)
        self.register_buffer("mask", mask)

    def forward(self, text):
        x = self.letter(text) + self.place(torch.arange(text.shape[1]))
        return self.head(self.body(x, self.mask, is_causal=True))


def test_a_transformer_learns_a_text():
    torch.manual_seed(0)
    letters = sorted(set(TEXT))
    data = torch.tensor([letters.index(c) for c in TEXT])
    model = Characters(len(letters))
    optimizer = optim.AdamW(model.parameters(), lr=3e-3)
    windows = data.unfold(0, 33, 1)
    for _ in range(120):
        rows = windows[torch.randint(0, len(windows), (8,))]
        logits = model(rows[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.6  # the letters alone have an entropy of 2.7
