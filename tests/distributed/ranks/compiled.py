"""Compiled steps whose reductions are parts of the plan train as plain ones do, on all ranks."""

import warnings

import numpy as np
from chainrule.distributed.optim import ZeroRedundancyOptimizer
from training import (
    DDP,
    MODELS,
    RANK,
    SIZE,
    batch,
    dist,
    loss_of,
    made,
    mine,
    nn,
    same_on_all_ranks,
    sgd,
    torch,
)

STEPS = 8


def adam(parameters):
    return torch.optim.AdamW(parameters, lr=1e-2)


MODELS["cnn"] = lambda: nn.Sequential(
    nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3)
)


def zero(parameters):
    return ZeroRedundancyOptimizer(parameters, torch.optim.AdamW, lr=1e-2)


def step_of(model, kind, optimizer, accumulate=False, clear=True):
    def step(x, y):
        optimizer.zero_grad(set_to_none=clear)
        if accumulate:
            with model.no_sync():
                loss_of(model, kind, x, y).backward()
        loss = loss_of(model, kind, x, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach(), next(model.parameters()).grad.clone()

    return step


def train(kind, wrap, compiled, optimizer_of=adam, sync=True, **options):
    model = DDP(made(kind, sync), **wrap)
    step = step_of(model, kind, optimizer_of(model.parameters()), **options)
    if compiled:
        step = torch.compile(step, fullgraph=True)  # an error where it would run eagerly
    kept = []
    for number in range(STEPS):
        x, y = batch(kind, number)
        kept.append(step(mine(x), mine(y)))
    if compiled:
        assert step.explain().count(" = group.start(") == len(model.reducer.buckets)
    return model, kept


def check(kind, tolerance=2e-5, options=None, **wrap):
    plain, seen = train(kind, wrap, False, **(options or {}))
    compiled, found = train(kind, wrap, True, **(options or {}))
    if (options or {}).get("sync", True):  # else each rank's statistics are its own until forward
        same_on_all_ranks(compiled, kind)
    for (a, da), (b, db) in zip(seen, found, strict=True):
        assert torch.allclose(a, b, atol=tolerance) and torch.allclose(da, db, atol=10 * tolerance)
    for (name, p), q in zip(
        plain.state_dict().items(), compiled.state_dict().values(), strict=True
    ):
        np.testing.assert_allclose(
            q.numpy(), p.numpy(), rtol=tolerance, atol=tolerance, err_msg=f"{kind}: {name}"
        )


def check_collectives():
    @torch.compile(fullgraph=True)
    def mean(x):
        y = x * 2
        dist.all_reduce(y, dist.ReduceOp.AVG)
        z = x + 1
        dist.broadcast(z, SIZE - 1)
        return y + 1, z

    for number in range(5):
        y, z = mean(torch.full((3,), float(number + RANK)))
        assert y.tolist() == [2 * number + SIZE] * 3, y  # 2 * (number + mean of the ranks) + 1
        assert z.tolist() == [number + SIZE] * 3, z


def why(call, times=4):
    """What is said about a compiled function that runs eagerly."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(times):
            call()
    return "\n".join(str(w.message) for w in said)


def check_what_stays_eager():
    x, y = (mine(t) for t in batch("mlp", 0))
    waits = torch.compile(lambda x: (dist.barrier(), x + 1)[1])
    assert "barrier speaks to other processes" in why(lambda: waits(x))
    model = DDP(made("mlp"))
    forward = torch.compile(model)
    said = why(lambda: loss_of(forward, "mlp", x, y).backward())
    assert "compile the whole step" in said, said
    same_on_all_ranks(model, "forward alone")
    unused = DDP(made("mlp"), find_unused_parameters=True)
    step = torch.compile(step_of(unused, "mlp", adam(unused.parameters())))
    assert "find_unused_parameters=True" in why(lambda: step(x, y))
    same_on_all_ranks(unused, "unused parameters")


def check_hooks_are_seen():
    """A hook that is registered after the capture counts."""
    model = DDP(made("mlp"))
    step = torch.compile(step_of(model, "mlp", adam(model.parameters())))
    x, y = (mine(t) for t in batch("mlp", 0))
    for _ in range(5):
        step(x, y)
    calls = []

    def hook(state, bucket):
        calls.append(bucket.index())
        flat = bucket.buffer().div_(SIZE)
        return dist.all_reduce(flat, async_op=True).get_future().then(lambda f: f.value()[0])

    model.register_comm_hook(None, hook)
    said = why(lambda: step(x, y))
    assert calls and "communication hook" in said, said
    same_on_all_ranks(model, "hooks")


def check_wrong_classes():
    """An index that is wrong on one rank is an error there, before anything is sent."""
    model = DDP(made("mlp"))
    step = torch.compile(step_of(model, "mlp", adam(model.parameters())))
    x, y = (mine(t) for t in batch("mlp", 0))
    for _ in range(5):
        step(x, y)
    before = [p.detach().clone() for p in model.parameters()]
    try:
        step(x, torch.full_like(y, 7))
    except IndexError as problem:
        assert "Target 7 is out of bounds" in str(problem), problem
    else:
        raise AssertionError("no error")
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


check("mlp", bucket_cap_mb=0.001)
check("mlp", options={"accumulate": True})
check("mlp", options={"clear": False})
check("mlp", gradient_as_bucket_view=True, bucket_cap_mb=0.001)
check("gpt", 1e-4, {"optimizer_of": sgd}, bucket_cap_mb=0.005)
check("cnn", 1e-4, {"optimizer_of": sgd})
check("cnn", 1e-4, {"optimizer_of": sgd, "sync": False})
check("mlp", options={"optimizer_of": zero})
check_collectives()
check_what_stays_eager()
check_hooks_are_seen()
check_wrong_classes()
dist.destroy_process_group()
print(f"rank {RANK} is content")
