"""Training as people write it, compiled here and there: the same numbers as without.

Each script builds all it needs and takes `wrap`, which compiles a function or leaves it alone.
Those in EAGER cannot be captured, for the reason given; they must say so and still be right.
"""

import copy
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch
from chainrule.distributions import Categorical
from chainrule.nn.utils.parametrizations import spectral_norm, weight_norm
from chainrule.utils.checkpoint import checkpoint

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.jit
SCRIPTS, EAGER = {}, {}


def script(function=None, *, eager=None):
    if function is None:
        return lambda f: script(f, eager=eager)
    SCRIPTS[function.__name__] = function
    if eager is not None:
        EAGER[function.__name__] = eager
    return function


def batches(count=20, last=8):
    """Eight examples each; every fifth batch may be smaller."""
    rng = np.random.default_rng(0)
    for k in range(count):
        size = last if k % 5 == 4 else 8
        x = torch.tensor(rng.standard_normal((size, 6)).astype("f4"))
        yield x, torch.tensor(rng.integers(0, 4, size))


def mlp(dropout=0.0):
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 4))


def numbers(*modules):
    return [v.double().sum().item() for m in modules for v in m.state_dict().values()]


def stepping(model, optimizer, loss_of=None):
    """The step everybody writes."""

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y) if loss_of is None else loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def losses(step, **options):
    return [step(x, y).item() for x, y in batches(**options)]


def sgd(model, lr=0.1, **options):
    return torch.optim.SGD(model.parameters(), lr, **options)


# ---- loops ---------------------------------------------------------------------------------------


@script
def train_and_evaluate_with_modes_set_inside(wrap):
    model = nn.Sequential(
        nn.Linear(6, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(16, 4),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)

    def train_step(x, y):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    @torch.no_grad()
    def evaluate(x, y):
        model.eval()
        return F.cross_entropy(model(x), y)

    train_step, evaluate, found = wrap(train_step), wrap(evaluate), []
    for _ in range(4):
        found += losses(train_step, count=10, last=3) + losses(evaluate, count=6, last=5)
        found.append(float(model.training))
    return found + numbers(model)


@script
def a_trainer_class(wrap):
    class Trainer:
        def __init__(self):
            self.model = mlp(0.1)
            self.optimizer = torch.optim.Adam(self.model.parameters())
            self.history, self.epoch, self.best, self.clip = [], 0, 1e9, 1.0
            self.step = wrap(self._step)

        def _step(self, x, y):
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.optimizer.step()
            return loss

        def criterion(self, out, y):
            return F.cross_entropy(out, y)

        def fit(self):
            for self.epoch in range(4):
                self.history += losses(self.step, count=6, last=3)
                self.best = min(self.best, self.history[-1])

    trainer = Trainer()
    trainer.fit()
    return trainer.history + numbers(trainer.model)


@script
def model_and_optimizer_as_arguments(wrap):
    model = mlp()
    optimizer = sgd(model)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)

    def step(model, optimizer, x, y):
        return stepping(model, optimizer)(x, y)

    run, found = wrap(step), []
    for x, y in batches():
        found.append(run(model, optimizer, x, y).item())
        scheduler.step()
    return found


@script
def gradients_are_accumulated(wrap):
    model = mlp(0.1)
    optimizer = sgd(model, momentum=0.9)

    def part(x, y):
        loss = F.cross_entropy(model(x), y) / 4
        loss.backward()
        return loss

    run, found = wrap(part), []
    for k, (x, y) in enumerate(batches(24)):
        found.append(run(x, y).item())
        if k % 4 == 3:
            nn.utils.clip_grad_value_(model.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
    return found + numbers(model)


@script
def only_the_optimizer_step(wrap):
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
    update, found = wrap(lambda: optimizer.step()), []
    for x, y in batches():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        update()
        scheduler.step()
        found.append(loss.item())
    return found + numbers(model)


@script
def layers_are_frozen_and_thawed(wrap):
    model = mlp()
    run, found = wrap(stepping(model, sgd(model))), []
    for k, (x, y) in enumerate(batches(24)):
        if k in (8, 16):
            model[0].requires_grad_(k == 16)
        found.append(run(x, y).item())
    return found + numbers(model)


@script
def a_checkpoint_is_loaded(wrap):
    model = mlp()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    run, found, saved = wrap(stepping(model, optimizer)), [], None
    for k, (x, y) in enumerate(batches()):
        if k == 8:
            saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
        if k == 14:
            model.load_state_dict(saved[0])
            optimizer.load_state_dict(saved[1])
        found.append(run(x, y).item())
    return found


@script
def a_group_of_parameters_is_added(wrap):
    model = mlp()
    optimizer = torch.optim.SGD(model[0].parameters(), 0.1)
    run, found = wrap(stepping(model, optimizer)), []
    for k, (x, y) in enumerate(batches()):
        if k == 7:
            optimizer.add_param_group({"params": model[3].parameters(), "lr": 0.01})
        found.append(run(x, y).item())
    return found + numbers(model)


@script
def gradients_are_kept_by_the_caller(wrap):
    model = mlp()
    run, kept = wrap(stepping(model, sgd(model))), []
    for x, y in batches(12):
        run(x, y)
        kept.append(model[0].weight.grad)
    return [g.norm().item() for g in kept]


@script
def automatic_mixed_precision(wrap):
    model = mlp()
    optimizer, scaler = sgd(model), torch.amp.GradScaler("cpu")

    def step(x, y):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return loss

    return [round(v, 1) for v in losses(wrap(step))]  # bfloat16 has 8 bits


@script
def every_optimizer(wrap):
    options = {
        "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True}, "AdamW": {"amsgrad": True},
        "RMSprop": {"centered": True},
    }  # fmt: skip
    found = []
    for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam",
                 "Adamax", "ASGD", "Rprop", "Lion", "LAMB", "Adafactor"):  # fmt: skip
        model = mlp()
        optimizer = getattr(torch.optim, name)(model.parameters(), **options.get(name, {}))
        found += [round(v, 4) for v in losses(wrap(stepping(model, optimizer)), count=8)]
    return found


# ---- models and losses ---------------------------------------------------------------------------


@script
def two_networks_and_two_optimizers(wrap):
    generator = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 6))
    critic = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    of_generator, of_critic = (
        torch.optim.Adam(m.parameters(), 1e-3, betas=(0.5, 0.999)) for m in (generator, critic)
    )
    bce = nn.BCEWithLogitsLoss()

    def step(x):
        real, fake = torch.ones(x.shape[0], 1), torch.zeros(x.shape[0], 1)
        made = generator(torch.randn(x.shape[0], 3))
        of_critic.zero_grad()
        loss = bce(critic(x), real) + bce(critic(made.detach()), fake)
        loss.backward()
        of_critic.step()
        of_generator.zero_grad()
        fooled = bce(critic(made), real)
        fooled.backward()
        of_generator.step()
        return loss.detach(), fooled.detach()

    run = wrap(step)
    found = [loss.item() for x, _ in batches(last=3) for loss in run(x)]
    return found + numbers(generator, critic)


@script
def a_function_with_its_own_backward(wrap):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x  # not the derivative

    model = mlp()
    loss = lambda x, y: F.cross_entropy(Square.apply(model(x)), y)  # noqa: E731
    return losses(wrap(stepping(model, sgd(model), loss)))


@script
def straight_through(wrap):
    model = mlp()

    def loss(x, y):
        h = model(x)
        return F.cross_entropy(h + (h.round() - h).detach(), y)

    return losses(wrap(stepping(model, sgd(model), loss)))


@script
def activations_are_computed_again(wrap):
    body, head = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.Tanh()), nn.Linear(16, 4)
    both = nn.ModuleList([body, head])
    loss = lambda x, y: F.cross_entropy(head(checkpoint(body, x, use_reentrant=False)), y)  # noqa: E731
    return losses(wrap(stepping(both, sgd(both), loss)))


@script(eager="a checkpointed function in it writes into a tensor from outside")
def statistics_are_collected_once_more_in_backward(wrap):
    body, head = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16)), nn.Linear(16, 4)
    both = nn.ModuleList([body, head])
    loss = lambda x, y: F.cross_entropy(head(checkpoint(body, x, use_reentrant=False)), y)  # noqa: E731
    return losses(wrap(stepping(both, sgd(both), loss))) + numbers(both)


@script
def a_hook_scales_a_gradient(wrap):
    model = mlp()
    model[0].weight.register_hook(lambda g: g * 0.5)
    return losses(wrap(stepping(model, sgd(model)))) + numbers(model)


@script
def a_moving_average(wrap):
    model = mlp()
    average, step = copy.deepcopy(model), stepping(model, sgd(model))

    def with_average(x, y):
        loss = step(x, y)
        with torch.no_grad():
            for a, b in zip(average.parameters(), model.parameters(), strict=True):
                a.lerp_(b, 0.1)
        return loss

    return losses(wrap(with_average)) + numbers(average)


@script
def a_teacher(wrap):
    teacher, student = mlp().eval(), mlp()

    def loss(x, y):
        with torch.no_grad():
            target = F.softmax(teacher(x) / 2, -1)
        return F.kl_div(F.log_softmax(student(x) / 2, -1), target, reduction="batchmean")

    return losses(wrap(stepping(student, sgd(student), loss)))


@script
def truncated_backpropagation_through_time(wrap):
    cell, head = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 4)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], 0.1)

    def step(x, y, state):
        optimizer.zero_grad()
        out, state = cell(x, state)
        loss = F.cross_entropy(head(out[:, -1]), y)
        loss.backward()
        optimizer.step()
        return loss, tuple(s.detach() for s in state)

    run, found = wrap(step), []
    state = (torch.zeros(1, 8, 8), torch.zeros(1, 8, 8))
    for x, y in batches():
        loss, state = run(x[:, None].expand(8, 5, 6), y, state)
        found.append(loss.item())
    return [*found, state[0].sum().item()]


@script
def sharpness_aware_steps(wrap):
    model = mlp()
    optimizer = sgd(model)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
            moves = [p.grad * (0.05 / (norm + 1e-12)) for p in model.parameters()]
            for p, move in zip(model.parameters(), moves, strict=True):
                p.add_(move)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p, move in zip(model.parameters(), moves, strict=True):
                p.sub_(move)
        optimizer.step()
        return loss

    return losses(wrap(step)) + numbers(model)


@script
def adversarial_examples(wrap):
    model = mlp()
    step = stepping(model, sgd(model))

    def attack_and_step(x, y):
        offset = torch.zeros_like(x, requires_grad=True)
        (g,) = torch.autograd.grad(F.cross_entropy(model(x + offset), y), offset)
        return step(x + 0.1 * g.sign(), y)

    return losses(wrap(attack_and_step)) + numbers(model)


@script
def a_target_network(wrap):
    model = mlp()
    target, optimizer = copy.deepcopy(model), torch.optim.Adam(model.parameters(), 1e-3)

    def loss(x, y):
        with torch.no_grad():
            goal = 1 + 0.9 * target(x.flip(0)).max(1).values
        return F.smooth_l1_loss(model(x).gather(1, y[:, None]).squeeze(1), goal)

    run, found = wrap(stepping(model, optimizer, loss)), []
    for k, (x, y) in enumerate(batches()):
        found.append(run(x, y).item())
        if k % 5 == 4:
            target.load_state_dict(model.state_dict())
    return found


@script
def discrete_codes(wrap):
    model = mlp()
    loss = lambda x, y: F.gumbel_softmax(model(x), tau=0.7, hard=True)[:, 0].mean()  # noqa: E731
    return losses(wrap(stepping(model, sgd(model), loss)))


@script
def parametrized_weights(wrap):
    model = nn.Sequential(spectral_norm(nn.Linear(6, 16)), nn.ReLU(), weight_norm(nn.Linear(16, 4)))
    return losses(wrap(stepping(model, sgd(model)))) + numbers(model)


@script
def a_transformer_with_padding(wrap):
    layer = nn.TransformerEncoderLayer(6, 2, 12, batch_first=True, dropout=0.1)
    body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    head = nn.Linear(6, 4)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.01)

    def step(x, y, padding):
        optimizer.zero_grad()
        loss = F.cross_entropy(head(body(x, src_key_padding_mask=padding).mean(1)), y)
        loss.backward()
        optimizer.step()
        return loss

    run, found = wrap(step), []
    for k, (x, y) in enumerate(batches()):
        padding = torch.arange(5).expand(8, 5) >= 3 + k % 2
        found.append(run(x[:, None].expand(8, 5, 6), y, padding).item())
    return found


@script
def gradients_of_inputs(wrap):
    model = mlp()
    run, found = wrap(lambda x: model(x).square().mean()), []
    for x, _ in batches(10):
        run(x.requires_grad_()).backward()
        found.append(x.grad.sum().item())
    return found


@script
def a_method_that_is_decorated(wrap):
    class Model(nn.Module):
        def __init__(self, scale):
            super().__init__()
            self.layer, self.scale = nn.Linear(6, 4), scale

        @wrap
        def forward(self, x):
            return self.layer(x) * self.scale

    one, two = Model(1.0), Model(2.0)
    return [m(x).sum().item() for x, _ in batches(8) for m in (one, two)]


@script
def a_wrong_target_now_and_then(wrap):
    model = mlp()
    run, found = wrap(lambda x, y: F.cross_entropy(model(x), y)), []
    for k, (x, y) in enumerate(batches(10)):
        try:
            found.append(run(x, y + 4 * (k == 6)).item())
        except IndexError:
            found.append(-1.0)
    return found


@script
def a_step_with_a_wrong_target_changes_nothing(wrap):
    model = mlp()
    run, found = wrap(stepping(model, sgd(model))), []
    for k, (x, y) in enumerate(batches(10)):
        try:
            found.append(run(x, y + 4 * (k == 6)).item())
        except IndexError:
            found += numbers(model)
    return found + numbers(model)


@script
def greedy_decoding(wrap):
    tokens, head = nn.Embedding(11, 6), nn.Linear(6, 11)

    @torch.no_grad()
    def decode(line):
        for _ in range(4):
            line = torch.cat([line, head(tokens(line)).mean(1).argmax(-1, keepdim=True)], 1)
        return line

    run = wrap(decode)
    return [t for k in range(10) for t in run(torch.tensor([[k, 1]]))[0].tolist()]


# ---- what cannot be captured ---------------------------------------------------------------------


@script(eager=r"item\(\) needs the value")
def a_loss_that_is_returned_as_a_number(wrap):
    model = mlp()
    step = stepping(model, sgd(model))
    run = wrap(lambda x, y: step(x, y).item())
    return [run(x, y) for x, y in batches()]


@script(eager="needs the value of a tensor")
def a_step_that_is_skipped(wrap):
    model = mlp()
    optimizer = sgd(model)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        if torch.isnan(loss) or loss > 1.5:
            return loss
        loss.backward()
        optimizer.step()
        return loss

    return losses(wrap(step)) + numbers(model)


@script(eager="masked_get needs the value of a tensor for the shape")
def examples_that_are_selected(wrap):
    model = mlp()
    return losses(wrap(lambda x, y: model(x)[y > 1].sum()))


@script(eager="needs the value")
def reinforcement(wrap):
    model = mlp()

    def loss(x, y):
        policy = Categorical(logits=model(x))
        action = policy.sample()
        reward = (action == y).float()
        return -(policy.log_prob(action) * (reward - reward.mean())).mean()

    return losses(wrap(stepping(model, sgd(model), loss)))


@script(eager="numpy.* needs the value")
def a_function_of_numpy(wrap):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = torch.from_numpy(np.exp(x.detach().numpy()))
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    model = mlp()
    loss = lambda x, y: F.cross_entropy(Exp.apply(model(x) * 0.1), y)  # noqa: E731
    return losses(wrap(stepping(model, sgd(model), loss)))


@script(eager="puts another tensor in the place of|changes the length of a container")
def a_hook_that_keeps_activations(wrap):
    model, seen = mlp(), {}
    model[1].register_forward_hook(lambda module, args, out: seen.update(out=out.detach()))
    run, found = wrap(model), []
    for x, _ in batches(10):
        run(x)
        found.append(seen["out"].sum().item())
    return found


@script(eager="a hook waits for gradients inside")
def a_hook_that_watches_gradients(wrap):
    model, seen = mlp(), []
    model[3].register_full_backward_hook(lambda module, into, out: seen.append(out[0].norm()))
    run = wrap(model)
    for x, y in batches(10):
        F.cross_entropy(run(x), y).backward()
    return [s.item() for s in seen]


@script(eager="changes requires_grad of a tensor that it was given")
def an_argument_that_is_made_to_require_grad(wrap):
    model = mlp()
    run, found = wrap(lambda x: model(x.requires_grad_()).sum()), []
    for x, _ in batches(10):
        run(x).backward()
        found.append(x.grad.sum().item())
    return found


@script(eager="gives a tensor other memory")
def parameters_whose_data_are_replaced(wrap):
    model = mlp()

    def step(x, y):
        loss = F.cross_entropy(model(x), y)
        for p, g in zip(
            model.parameters(), torch.autograd.grad(loss, list(model.parameters())), strict=True
        ):
            p.data = p.data - 0.1 * g
        return loss.detach()

    return losses(wrap(step)) + numbers(model)


@script(eager="puts another tensor in the place of")
def a_buffer_that_is_replaced(wrap):
    class Centred(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 4)
            self.register_buffer("mean", torch.zeros(6))

        def forward(self, x):
            self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
            return self.layer(x - self.mean)

    model = Centred()
    return losses(wrap(stepping(model, sgd(model)))) + numbers(model)


@script(eager="an iterator")
def batches_that_are_fetched_inside(wrap):
    model, waiting = mlp(), iter(list(batches()))
    step = stepping(model, sgd(model))
    run = wrap(lambda: step(*next(waiting)))
    return [run().item() for _ in range(20)]


@script
def updates_by_hand(wrap):
    model = mlp()

    def step(x, y):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
                p.grad.zero_()
        return loss

    return losses(wrap(step)) + numbers(model)


@script
def a_term_that_comes_in_a_later_epoch(wrap):
    class Trainer:
        def __init__(self):
            self.model, self.epoch = mlp(), 0
            self.step = wrap(stepping(self.model, sgd(self.model), self.loss))

        def loss(self, x, y):
            loss = F.cross_entropy(self.model(x), y)
            if self.epoch >= 2:
                loss = loss + 0.01 * sum(p.abs().sum() for p in self.model.parameters())
            return loss

    trainer, found = Trainer(), []
    for trainer.epoch in range(5):
        found += losses(trainer.step, count=6)
    return found


@script
def residual_equations(wrap):
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer, run, found = sgd(model, 0.01), wrap(model), []
    for _ in range(10):
        x = torch.rand(10, 1, requires_grad=True)
        u = run(x)
        (slope,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (bend,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
        loss = (bend + u).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@script
def a_weight_of_the_loss_that_is_annealed(wrap):
    model, settings = mlp(), {"beta": 0.0}

    def loss(x, y):
        out = model(x)
        return F.cross_entropy(out, y) + settings["beta"] * (out**2).mean()

    run, found = wrap(stepping(model, sgd(model), loss)), []
    for k, (x, y) in enumerate(batches()):
        settings["beta"] = min(1.0, k / 10)
        found.append(run(x, y).item())
    return found


@script
def a_momentum_that_cycles(wrap):
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=25)
    run, found = wrap(stepping(model, optimizer)), []
    for x, y in batches():
        found.append(run(x, y).item())
        scheduler.step()
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_same_numbers(name):
    torch.manual_seed(3)
    want = SCRIPTS[name](lambda f: f)
    torch.manual_seed(3)
    if name in EAGER:
        with pytest.warns(UserWarning, match=EAGER[name]):
            have = SCRIPTS[name](torch.compile)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            have = SCRIPTS[name](lambda f: torch.compile(f, fullgraph=True))
    np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5)


def test_without_llvmlite_every_script_still_runs():
    """Plans are interpreted then: the same numbers, and the same reasons."""
    program = f"""
import sys, warnings
sys.modules["llvmlite"] = None
sys.path[:0] = {[str(Path(__file__).parents[1]), *sys.path]!r}
import numpy as np
import chainrule as torch
from compiler import test_training_scripts as scripts
from chainrule.compiler.machine.host import llvm_available
assert not llvm_available()
for name, run in scripts.SCRIPTS.items():
    results = []
    for wrap in (lambda f: f, lambda f: torch.compile(f, fullgraph=name not in scripts.EAGER)):
        torch.manual_seed(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(run(wrap))
    np.testing.assert_allclose(results[1], results[0], rtol=1e-4, atol=1e-5, err_msg=name)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
