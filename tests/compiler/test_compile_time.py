"""What keeps compiling short: small traces, code shared by equal layers, plans out of the cache."""

import pytest

import chainrule as torch
from chainrule.compiler.calls import Call

OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 1e-2, "amsgrad": True},
    "AdamW": {"lr": 1e-2},
    "Adamax": {"lr": 1e-2},
    "Adagrad": {"lr": 1e-2, "lr_decay": 0.1},
    "Adadelta": {"lr": 1e-1},
    "RMSprop": {"lr": 1e-2, "centered": True, "momentum": 0.5},
    "RAdam": {"lr": 1e-2},
    "NAdam": {"lr": 1e-2},
    "ASGD": {"lr": 1e-2},
    "Rprop": {"lr": 1e-2},
}
OP_BY_OP = {"RAdam", "NAdam", "ASGD"}


def training(name, layers=2, **options):
    torch.manual_seed(0)
    blocks = []
    for _ in range(layers):
        blocks += [torch.nn.LayerNorm(8), torch.nn.Linear(8, 8), torch.nn.GELU()]
    model = torch.nn.Sequential(*blocks)
    optimizer = getattr(torch.optim, name)(model.parameters(), **options)

    def step(x):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, step


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_compiled_optimizer_follows_the_eager_one_while_its_rate_changes(name):
    x = torch.linspace(-1, 1, 32).reshape(4, 8)
    runs = []
    for wrap in (lambda f: f, torch.compile):
        model, optimizer, step = training(name, **OPTIMIZERS[name])
        step = wrap(step)
        losses = []
        for k in range(8):
            losses.append(step(x).item())
            if k == 5:
                optimizer.param_groups[0]["lr"] *= 0.5
        runs.append((losses, [p.detach().numpy() for p in model.parameters()]))
    assert runs[1][0] == pytest.approx(runs[0][0], rel=1e-5)
    for eager, compiled in zip(runs[0][1], runs[1][1], strict=True):
        assert compiled == pytest.approx(eager, rel=2e-4, abs=2e-6)
    if name not in OP_BY_OP:
        assert "extern" not in step.explain()
        assert ".step" not in step.explain(), "the update was not taken apart"


@pytest.mark.parametrize("name", sorted(set(OPTIMIZERS) - OP_BY_OP))
def test_a_traced_update_is_one_instruction_for_all_parameters(name):
    x = torch.ones(4, 8)
    _, _, step = training(name, **OPTIMIZERS[name])
    step(x)
    call = Call(step, (x,), {})
    call.run(step, (x,), {}, True)
    assert [i.op for i in call.trace.graph.instrs].count(f"{name}.step") == 1


def test_a_trace_grows_by_a_few_instructions_for_each_layer():
    lengths = []
    for layers in (2, 3):
        x = torch.ones(4, 8)
        _, _, step = training("AdamW", layers, lr=1e-2)
        step(x)
        call = Call(step, (x,), {})
        call.run(step, (x,), {}, True)
        lengths.append(len(call.trace.graph.instrs))
    assert lengths[1] - lengths[0] < 20


def test_equal_layers_share_their_kernels():
    kernels = []
    for layers in (2, 5):
        x = torch.linspace(-1, 1, 32).reshape(4, 8)
        _, _, step = training("AdamW", layers, lr=1e-2)
        step = torch.compile(step)
        for _ in range(4):
            step(x)
        (entry,) = step._entries.values()
        kernels.append(len(entry.runners[0].plan.module.kernels))
    assert kernels[0] == kernels[1]
