"""Patterns of training as users write them: what shares, what is cut off, what adds up."""

import copy

import pytest

import chainrule as torch
import chainrule.nn as nn
import chainrule.nn.functional as F

CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


def gradients(model):
    return [p.grad.clone() for p in model.parameters()]


def test_gradient_accumulation_equals_the_big_batch():
    x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
    whole, parts = network(), network()
    F.cross_entropy(whole(x), y).backward()
    for inputs, targets in zip(x.split(4), y.split(4), strict=True):
        loss = F.cross_entropy(parts(inputs), targets) / 3
        loss.backward()
    torch.testing.assert_close(gradients(parts), gradients(whole), **CLOSE)
    for model in (whole, parts):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        optimizer.step()
        optimizer.zero_grad()
        assert all(p.grad is None for p in model.parameters())
    torch.testing.assert_close(dict(parts.state_dict()), dict(whole.state_dict()), **CLOSE)


def test_truncated_bptt_stops_at_the_detached_state():
    torch.manual_seed(0)
    rnn, head = nn.LSTM(2, 4, batch_first=True), nn.Linear(4, 1)
    x = torch.randn(3, 8, 2, requires_grad=True)
    hidden = None
    for chunk in x.split(4, dim=1):
        out, hidden = rnn(chunk, hidden)
        hidden = tuple(h.detach() for h in hidden)
    head(out).sum().backward()
    assert torch.count_nonzero(x.grad[:, :4]) == 0
    assert torch.count_nonzero(x.grad[:, 4:]) == x.grad[:, 4:].numel()

    x.grad = None
    out, hidden = rnn(x[:, :4])
    out, _ = rnn(x[:, 4:], hidden)
    head(out).sum().backward()
    assert torch.count_nonzero(x.grad[:, :4]) > 0


def test_truncated_bptt_frees_the_graph_of_earlier_chunks():
    rnn = nn.GRUCell(2, 4)
    hidden = torch.zeros(1, 4)
    for _ in range(3):
        hidden = rnn(torch.randn(1, 2), hidden)
        hidden.sum().backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            rnn(torch.randn(1, 2), hidden).sum().backward()
        hidden = hidden.detach()


def test_shared_weights_are_one_parameter_with_the_sum_of_both_gradients():
    torch.manual_seed(0)

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(5, 4)
            self.out = nn.Linear(4, 5, bias=False)
            self.out.weight = self.embed.weight

        def forward(self, tokens):
            return self.out(self.embed(tokens))

    model = Tied()
    assert len(list(model.parameters())) == 1
    assert sorted(model.state_dict()) == ["embed.weight", "out.weight"]
    tokens, targets = torch.tensor([0, 3, 1]), torch.tensor([3, 1, 2])
    F.cross_entropy(model(tokens), targets).backward()
    first = model.embed.weight.detach().clone().requires_grad_()
    second = model.embed.weight.detach().clone().requires_grad_()
    F.cross_entropy(F.linear(F.embedding(tokens, first), second), targets).backward()
    torch.testing.assert_close(model.embed.weight.grad, first.grad + second.grad, **CLOSE)
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    assert model.out.weight is model.embed.weight
    assert copy.deepcopy(model).out.weight.shape == (5, 4)
    copied = copy.deepcopy(model)
    assert copied.out.weight is copied.embed.weight


def test_frozen_layers_keep_their_values_and_get_no_gradient():
    model = network()
    for p in model[0].parameters():
        p.requires_grad = False
    before = copy.deepcopy(model.state_dict())
    optimizer = torch.optim.SGD(
        [p for p in model.parameters() if p.requires_grad], lr=0.5, weight_decay=0.1
    )
    x = torch.randn(4, 6)
    loss = model(x).pow(2).sum()
    loss.backward()
    optimizer.step()
    assert all(p.grad is None for p in model[0].parameters())
    after = model.state_dict()
    same = [name for name in after if torch.equal(after[name], before[name])]
    assert same == ["0.weight", "0.bias"]

    inputs = torch.randn(4, 6, requires_grad=True)
    model.requires_grad_(False)
    model(inputs).sum().backward()
    assert inputs.grad is not None and model[2].weight.grad.abs().sum() > 0  # of before
    assert not torch.nn.Sequential(model)(x).requires_grad


def test_a_gan_step_trains_one_network_at_a_time():
    torch.manual_seed(0)
    generator, critic = nn.Linear(2, 4), nn.Linear(4, 1)
    noise, real = torch.randn(8, 2), torch.randn(8, 4)
    fake = generator(noise)
    loss = F.binary_cross_entropy_with_logits(critic(real), torch.ones(8, 1))
    loss = loss + F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(8, 1))
    loss.backward()
    assert all(p.grad is None for p in generator.parameters())
    of_critic = gradients(critic)
    F.binary_cross_entropy_with_logits(critic(fake), torch.ones(8, 1)).backward()
    assert all(p.grad.abs().sum() > 0 for p in generator.parameters())
    assert not torch.equal(critic.weight.grad, of_critic[0]), "it adds up until zero_grad"
    critic.zero_grad()
    assert critic.weight.grad is None


def test_a_target_network_follows_and_gets_no_gradient():
    online = network()
    target = copy.deepcopy(online).requires_grad_(False)
    states, rewards = torch.randn(5, 6), torch.randn(5)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    for _ in range(3):
        with torch.no_grad():
            wanted = rewards + 0.9 * target(states).max(dim=1).values
        loss = F.smooth_l1_loss(online(states).max(dim=1).values, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        old = copy.deepcopy(target.state_dict())
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
                slow.lerp_(fast, 0.25)
        for name, value in target.state_dict().items():
            mixed = 0.75 * old[name] + 0.25 * online.state_dict()[name]
            torch.testing.assert_close(value, mixed, **CLOSE)
    assert all(p.grad is None and not p.requires_grad for p in target.parameters())
    target.load_state_dict(online.state_dict())
    assert torch.equal(target(states), online(states))
    assert target[0].weight is not online[0].weight


def test_an_averaged_model_is_the_exponential_mean_of_the_parameters():
    from chainrule.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = nn.Linear(2, 1, bias=False)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.5))
    for value in (1.0, 2.0, 4.0):
        with torch.no_grad():
            model.weight.fill_(value)
        ema.update_parameters(model)
    assert ema.module.weight.tolist() == [[2.75, 2.75]]  # 1, then 1.5, then 2.75
    assert model.weight.tolist() == [[4.0, 4.0]]


def test_a_student_learns_from_a_teacher_that_stays_as_it_is():
    torch.manual_seed(0)
    teacher = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.5), nn.Linear(16, 3)).eval()
    student = nn.Linear(6, 3)
    x = torch.randn(64, 6)
    optimizer = torch.optim.Adam(student.parameters(), lr=0.05)
    before = copy.deepcopy(teacher.state_dict())
    losses = []
    for _ in range(60):
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 2.0, dim=1)
        loss = F.kl_div(F.log_softmax(student(x) / 2.0, dim=1), soft, reduction="batchmean") * 4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.02 * losses[0]
    assert all(p.grad is None for p in teacher.parameters())
    assert all(torch.equal(before[k], v) for k, v in teacher.state_dict().items())


# ---- training reaches what it should -------------------------------------------------------------

GLYPHS = [
    "01110 10001 10001 10001 01110", "00100 01100 00100 00100 01110",
    "11110 00001 01110 10000 11111", "11110 00001 01110 00001 11110",
    "10010 10010 11111 00010 00010", "11111 10000 11110 00001 11110",
    "01110 10000 11110 10001 01110", "11111 00001 00010 00100 00100",
    "01110 10001 01110 10001 01110", "01110 10001 01111 00001 01110",
]  # fmt: skip


def digits(count, seed):
    """Digits drawn from bitmaps at a random place, with noise."""
    generator = torch.Generator().manual_seed(seed)
    bitmaps = torch.tensor([[[float(c) for c in row] for row in g.split()] for g in GLYPHS])
    labels = torch.randint(0, 10, (count,), generator=generator)
    images = 0.2 * torch.randn(count, 1, 8, 8, generator=generator)
    corners = torch.randint(0, 4, (count, 2), generator=generator).tolist()
    for image, label, (y, x) in zip(images, labels.tolist(), corners, strict=True):
        image[0, y : y + 5, x : x + 5] += bitmaps[label]
    return images, labels


def test_a_cnn_learns_generated_digits():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(32 * 2 * 2, 10),
    )  # fmt: skip
    images, labels = digits(1500, seed=1)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(images, labels), batch_size=50, shuffle=True
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    model.eval()
    images, labels = digits(500, seed=2)
    with torch.inference_mode():
        accuracy = (model(images).argmax(dim=1) == labels).float().mean().item()
    assert accuracy > 0.95


def test_xor_is_learned():
    torch.manual_seed(2)
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    for _ in range(300):
        loss = F.binary_cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.01
    assert model(x).round().tolist() == y.tolist()
