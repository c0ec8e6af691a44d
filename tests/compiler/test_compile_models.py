"""Whole training steps of each model family: twenty compiled steps equal twenty eager ones.

Every program builds a model, an optimizer and a step from scratch, so that both runs start from
the same weights and the same random stream.
"""

import numpy as np
import pytest

import chainrule as torch

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.jit
STEPS = 20


def data(batch, *shape, classes=None, count=STEPS, seed=5):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x = torch.tensor(rng.standard_normal((batch, *shape)).astype("f4"))
        yield x, None if classes is None else torch.tensor(rng.integers(0, classes, batch))


def tokens(batch, length, vocabulary, count=STEPS, seed=5):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        line = rng.integers(0, vocabulary, (batch, length + 1))
        yield torch.tensor(line[:, :-1]), torch.tensor(line[:, 1:])


def classifying(model, optimizer, loss_of=F.cross_entropy, after=lambda model: None):
    def step(x, y):
        optimizer.zero_grad()
        logits = model(x)
        loss = loss_of(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
        loss.backward()
        after(model)
        optimizer.step()
        return loss

    return step


# ---- models --------------------------------------------------------------------------------------


def mlp(dropout=0.0):
    return nn.Sequential(
        nn.Linear(6, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 16), nn.Tanh(),
        nn.Dropout(dropout), nn.Linear(16, 4),
    )  # fmt: skip


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Dropout2d(0.2), nn.Flatten(), nn.Linear(36, 4),
    )  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.body = kind(6, 8, num_layers=2, dropout=0.1, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.body(x)[0][:, -1])


class GPT(nn.Module):
    def __init__(self, width=16, heads=2, length=6, vocabulary=11, dropout=0.1):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.drop = nn.Dropout(dropout)
        layer = nn.TransformerEncoderLayer(
            width, heads, 2 * width, dropout, "gelu", batch_first=True, norm_first=True, bias=False
        )  # (a key's bias has no gradient: Adam would follow its rounding errors)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight  # tied

    def forward(self, x):
        h = self.drop(self.tokens(x) + self.places(torch.arange(x.shape[1])))
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(self.norm(self.blocks(h, mask, is_causal=True)))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(6, 6), nn.Linear(3, 6)

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        divergence = -0.5 * (1 + log_var - mean**2 - log_var.exp()).sum(1).mean()
        return F.mse_loss(self.decode(code), x, reduction="sum") / len(x) + divergence


# ---- programs: each gives (step, batches, model) -------------------------------------------------


def train_mlp(make_optimizer=lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), **options):
    model = mlp(**options)
    return classifying(model, make_optimizer(model.parameters())), data(8, 6, classes=4), model


def train_cnn():
    model = cnn()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return classifying(model, optimizer), data(5, 1, 8, 8, classes=4), model


def train_recurrent(kind):
    model = Recurrent(kind)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01, momentum=0.5)
    step = classifying(
        model, optimizer, after=lambda m: nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    )
    return step, data(4, 5, 6, classes=4), model


def train_gpt():
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    step = classifying(
        model, optimizer, after=lambda m: nn.utils.clip_grad_value_(m.parameters(), 0.05)
    )
    return step, tokens(3, 6, 11), model


def train_vae():
    model = VAE()
    optimizer = torch.optim.Lion(model.parameters(), lr=1e-2)

    def step(x, _):
        optimizer.zero_grad(set_to_none=False)
        loss = model(x)
        loss.backward()
        optimizer.step()
        return loss

    return step, data(8, 6), model


PROGRAMS = {
    "mlp sgd": train_mlp,
    "mlp adam": lambda: train_mlp(lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True)),
    "mlp dropout adamw": lambda: train_mlp(lambda p: torch.optim.AdamW(p, lr=0.01), dropout=0.3),
    "cnn batch norm adam": train_cnn,
    "lstm rmsprop": lambda: train_recurrent(nn.LSTM),
    "gru rmsprop": lambda: train_recurrent(nn.GRU),
    "gpt dropout tied adamw": train_gpt,
    "vae lion": train_vae,
}


def train(program, compiled):
    """Losses, the final state of the model, and the final state of the random stream."""
    torch.manual_seed(3)
    step, batches, model = program()
    run = torch.compile(step, fullgraph=True) if compiled else step
    losses = [run(*batch).item() for batch in batches]
    if compiled:
        assert_compiled(run)
    state = {k: v.detach().numpy().copy() for k, v in model.state_dict().items()}
    return losses, state, torch.get_rng_state().numpy()


def assert_compiled(run, entries=1):
    """Every kind of call has a plan, and none was captured twice."""
    found = run._entries.values()
    assert len(found) == entries
    assert all(entry.captures == 1 and entry.runners for entry in found), run.explain()


def assert_same(program, rtol=2e-5, entries=1):
    (losses, state, stream), (want, want_state, want_stream) = (
        train(program, compiled) for compiled in (True, False)
    )
    np.testing.assert_allclose(losses, want, rtol=rtol)
    for name, value in want_state.items():
        np.testing.assert_allclose(state[name], value, rtol=rtol, atol=rtol, err_msg=name)
    np.testing.assert_array_equal(stream, want_stream)
    assert want[0] != want[-1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_twenty_steps(name):
    assert_same(PROGRAMS[name])
