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
    assert all(entry.captures == 1 and entry.runners for entry in found)


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


# ---- what training loops do besides --------------------------------------------------------------


def with_scheduler(kind):
    """The learning rate is set outside of the step: one program serves all rates."""

    def program():
        model = mlp()
        optimizer = torch.optim.AdamW(
            [
                {"params": model[0].parameters(), "lr": 0.02},
                {"params": model[3:].parameters(), "weight_decay": 0.1},
            ],
            lr=0.01,
        )
        schedulers = torch.optim.lr_scheduler
        scheduler = {
            "cosine": lambda: schedulers.CosineAnnealingLR(optimizer, 15),
            "steps": lambda: schedulers.StepLR(optimizer, 7, 0.3),  # constant while it is traced
            "warm-up": lambda: schedulers.LambdaLR(optimizer, lambda k: min(1, (k + 1) / 5)),
        }[kind]()
        step = classifying(model, optimizer)

        def batches():
            for batch in data(8, 6, classes=4):
                yield batch
                scheduler.step()

        return step, batches(), model

    return program


@pytest.mark.parametrize("kind", ["cosine", "steps", "warm-up"])
def test_a_scheduler_outside_costs_no_capture(kind):
    assert_same(with_scheduler(kind))


def test_gradient_accumulation_with_zero_grad_outside():
    """Gradients that are there, or not, at the start of a call: a plan for each."""

    def train(compiled):
        torch.manual_seed(0)
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def micro_step(x, y):
            loss = F.cross_entropy(model(x), y) / 3
            loss.backward()
            return loss

        run = torch.compile(micro_step, fullgraph=True) if compiled else micro_step
        losses = []
        for k, (x, y) in enumerate(data(8, 6, classes=4, count=24)):
            losses.append(run(x, y).item())
            if k % 3 == 2:
                optimizer.step()
                optimizer.zero_grad()
        if compiled:
            (entry,) = run._entries.values()
            assert entry.captures == len(entry.runners) == 2
        return losses

    np.testing.assert_allclose(train(True), train(False), rtol=2e-5)


def test_gradient_accumulation_inside():
    def program():
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x, y):
            optimizer.zero_grad()
            total = 0.0
            for part, target in zip(x.chunk(4), y.chunk(4), strict=True):
                loss = F.cross_entropy(model(part), target) / 4
                loss.backward()
                total = total + loss.detach()
            optimizer.step()
            return total

        return step, data(8, 6, classes=4), model

    assert_same(program)


def test_a_smaller_last_batch_has_a_plan_of_its_own():
    def train(compiled):
        torch.manual_seed(0)
        model = mlp()
        step = classifying(model, torch.optim.SGD(model.parameters(), lr=0.1))
        run = torch.compile(step, fullgraph=True) if compiled else step
        losses = []
        for _ in range(5):
            for batch in (8, 8, 3):
                ((x, y),) = data(batch, 6, classes=4, count=1)
                losses.append(run(x, y).item())
        if compiled:
            assert_compiled(run, entries=2)
        return losses

    np.testing.assert_allclose(train(True), train(False), rtol=2e-5)


def test_training_and_evaluation_mode_keep_their_plans():
    torch.manual_seed(0)
    model = cnn()
    run = torch.compile(model, fullgraph=True)
    ((x, _),) = data(5, 1, 8, 8, count=1)
    with torch.no_grad():
        for _ in range(3):  # epochs
            model.train()
            for _ in range(4):
                run(x)
            model.eval()
            for _ in range(4):
                have = run(x)
            np.testing.assert_allclose(have.numpy(), model(x).numpy(), rtol=1e-4, atol=1e-5)
    compiled = run.__dict__["_compiled"]
    (entry,) = compiled._entries.values()
    assert entry.captures == len(entry.runners) == 2
    assert model[1].num_batches_tracked.item() == 12


def test_frozen_parameters_stay():
    def program():
        model = mlp()
        for p in model[0].parameters():
            p.requires_grad_(False)
        wanted = [p for p in model.parameters() if p.requires_grad]
        step = classifying(model, torch.optim.Adam(wanted, lr=0.01))
        program.first = model[0].weight.detach().numpy().copy(), model
        return step, data(8, 6, classes=4), model

    assert_same(program)
    first, model = program.first
    np.testing.assert_array_equal(model[0].weight.detach().numpy(), first)
    assert model[0].weight.grad is None


def test_an_average_of_the_weights():
    def program():
        model, average = mlp(), mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        train = classifying(model, optimizer)

        def step(x, y):
            loss = train(x, y)
            with torch.no_grad():
                for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
                    slow.mul_(0.9).add_(fast, alpha=0.1)
            return loss

        return step, data(8, 6, classes=4), average

    assert_same(program)


def test_several_results_and_numbers_of_the_closure():
    def program():
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        smoothing, names = 0.1, {"task": "digits"}

        def step(x, y):
            optimizer.zero_grad()
            logits = model(x)
            loss = F.cross_entropy(logits, y, label_smoothing=smoothing)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            right = (logits.argmax(1) == y).float().mean()
            return {"loss": loss, "more": (norm, [right, names["task"], 3])}

        def run(x, y):
            out = step(x, y)
            assert out["more"][1][1:] == ["digits", 3]
            return out["loss"] + out["more"][0] + out["more"][1][0]

        return run, data(8, 6, classes=4), model

    assert_same(program)


def test_autocast_inside_and_around():
    def inside():
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x, y):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        return step, data(8, 6, classes=4), model

    assert_same(inside, rtol=2e-2)  # bfloat16 has 8 bits
    double = torch.compile(lambda a, b: a @ b, fullgraph=True)
    a = torch.ones(2, 2)
    for _ in range(4):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert double(a, a).dtype is torch.bfloat16
        assert double(a, a).dtype is torch.float32


def test_a_gradient_scaler():
    """Steps with infinite gradients are skipped inside of the plan."""

    def program():
        model = mlp()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=4)

        def step(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            return loss

        def batches():
            for k, (x, y) in enumerate(data(8, 6, classes=4)):
                yield (x * float("inf") if k in (6, 13) else x), y
            program.scale = scaler.get_scale()

        return step, batches(), model

    def train_one(compiled):
        losses, state, _ = train(program, compiled)
        return np.nan_to_num(losses), state, program.scale

    (have, state, scale), (want, want_state, want_scale) = train_one(True), train_one(False)
    np.testing.assert_allclose(have, want, rtol=2e-5)
    assert scale == want_scale
    for name, value in want_state.items():
        np.testing.assert_allclose(state[name], value, rtol=1e-4, atol=1e-5)
