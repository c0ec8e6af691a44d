"""Models trained over processes must have the parameters of one process with the whole batch."""

import contextlib
import sys

import numpy as np

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from chainrule.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
EACH, STEPS = 4, 20


class GPT(nn.Module):
    """A small transformer with tied weights."""

    def __init__(self, words=17, width=16, length=6):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norm, self.last = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.inner = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        n = tokens.shape[1]
        x = self.words(tokens) + self.places(torch.arange(n))
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        y = self.norm(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return self.head(self.last(x + self.inner(x)))


def mlp():
    return nn.Sequential(
        nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3)
    )


def cnn():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 3),
        nn.BatchNorm2d(3, momentum=None), nn.Flatten(), nn.Linear(3 * 4 * 4, 3),
    )  # fmt: skip


def batch(kind, step):
    """The whole batch of a step."""
    rng = np.random.default_rng(step)
    n = EACH * SIZE
    target = torch.tensor(rng.integers(0, 3, n))
    if kind == "mlp":
        return torch.tensor(rng.normal(size=(n, 8)), dtype=torch.float32), target
    if kind == "cnn":
        return torch.tensor(rng.normal(1.0, 2.0, size=(n, 2, 6, 6)), dtype=torch.float32), target
    tokens = torch.tensor(rng.integers(0, 17, (n, 7)))
    return tokens[:, :-1], tokens[:, 1:]


def loss_of(model, kind, x, y):
    out = model(x)
    if kind == "gpt":
        return nn.functional.cross_entropy(out.reshape(-1, 17), y.reshape(-1))
    return nn.functional.cross_entropy(out, y)


MODELS = {"mlp": mlp, "cnn": cnn, "gpt": GPT}


def mine(t):
    return t[RANK * EACH : (RANK + 1) * EACH]


def train(kind, model, share, optimizer_of, accumulate=1, clip=None, steps=STEPS):
    optimizer = optimizer_of(model.parameters())
    for step in range(steps):
        optimizer.zero_grad()
        for part in range(accumulate):
            x, y = batch(kind, step * accumulate + part)
            last = part == accumulate - 1
            quiet = share and not last and isinstance(model, DDP)
            with model.no_sync() if quiet else contextlib.nullcontext():
                loss = loss_of(model, kind, *((mine(x), mine(y)) if share else (x, y)))
                (loss / accumulate).backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
    return model


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def state(model):
    inner = model.module if isinstance(model, DDP) else model
    return {k: v.detach().double().numpy() for k, v in inner.state_dict().items()}


def same_on_all_ranks(model, what):
    inner = model.module if isinstance(model, DDP) else model
    data = b"".join(np.ascontiguousarray(v.numpy()).tobytes() for v in inner.state_dict().values())
    everybody = [None] * SIZE
    dist.all_gather_object(everybody, data)
    assert all(other == data for other in everybody), f"{what}: ranks differ"


def check_states_are_compared():
    """Modules and optimizers that trained together are equal; one that was changed is named."""
    model = DDP(made("mlp"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(3):
        x, y = batch("mlp", step)
        optimizer.zero_grad()
        loss_of(model, "mlp", mine(x), mine(y)).backward()
        optimizer.step()
    dist.check_same_state(model, optimizer)
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    model(mine(x))
    if RANK == SIZE - 1:
        with torch.no_grad():
            model.module[0].bias[3] += 1e-7
    for call in (lambda: dist.check_same_state(model, optimizer), lambda: model(mine(x))):
        try:
            call()
        except RuntimeError as problem:
            text = str(problem)
            assert f"state of rank {SIZE - 1} is not that of rank 0: 1 of" in text, text
            assert "0.bias" in text, text
        else:
            raise AssertionError("no error")
    dist.set_debug_level(dist.DebugLevel.OFF)


def made(kind, sync=True):
    torch.manual_seed(3)
    model = MODELS[kind]()
    if sync:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return model


def compare(kind, what, optimizer_of=sgd, tolerance=2e-5, accumulate=1, clip=None, **options):
    alone = train(kind, made(kind, False), False, optimizer_of, accumulate, clip)
    torch.manual_seed(100 + RANK)  # another start on every rank: rank 0's counts
    model = made(kind) if RANK == 0 else nn.SyncBatchNorm.convert_sync_batchnorm(MODELS[kind]())
    together = train(kind, DDP(model, **options), True, optimizer_of, accumulate, clip)
    same_on_all_ranks(together, what)
    want, got = state(alone), state(together)
    for name in want:
        np.testing.assert_allclose(
            got[name], want[name], rtol=tolerance, atol=tolerance, err_msg=f"{what}: {name}"
        )


class Forked(nn.Module):
    """Uses one of two branches; a third is used by nobody."""

    def __init__(self):
        super().__init__()
        self.trunk, self.left, self.right, self.never = (nn.Linear(4, 4) for _ in range(4))

    def forward(self, x, left):
        return (self.left if left else self.right)(self.trunk(x))


def check_unused():
    torch.manual_seed(0)
    model = DDP(Forked(), find_unused_parameters=True, bucket_cap_mb=0.0001)
    model(torch.ones(2, 4) * (RANK + 1), RANK == 0).sum().backward()
    inner = model.module
    assert inner.never.weight.grad is None
    # Only rank 0 used `left`, with inputs of 1.
    with torch.no_grad():
        want = inner.trunk(torch.ones(1, 4)).expand(4, 4) * 2 / SIZE
    assert torch.allclose(inner.left.weight.grad, want, atol=1e-6)
    everybody = [None] * SIZE
    dist.all_gather_object(everybody, inner.right.weight.grad.tolist())
    assert all(other == everybody[0] for other in everybody)
    # Without the option the next step says which parameters had no gradient.
    model = DDP(Forked())
    model(torch.ones(2, 4), True).sum().backward()
    try:
        model(torch.ones(2, 4), True)
    except RuntimeError as problem:
        assert "Expected to have finished reduction" in str(problem), problem
        assert "right.weight" in str(problem), problem
    else:
        raise AssertionError("no error")


def check_join():
    """Ranks with different numbers of inputs: like the mean over those that have one."""
    torch.manual_seed(0)
    model = DDP(nn.Linear(3, 1), bucket_cap_mb=0.00001)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    alone = nn.Linear(3, 1)
    alone.load_state_dict(model.module.state_dict())
    plain = torch.optim.SGD(alone.parameters(), lr=0.1)

    def inputs(rank, step):
        return torch.tensor(np.random.default_rng((rank, step)).normal(size=(2, 3))).float()

    with model.join(divide_by_initial_world_size=False):
        for step in range(2 + RANK):
            optimizer.zero_grad()
            model(inputs(RANK, step)).square().mean().backward()
            optimizer.step()
    for step in range(2 + SIZE - 1):
        active = [r for r in range(SIZE) if step < 2 + r]
        plain.zero_grad()
        sum(alone(inputs(r, step)).square().mean() / len(active) for r in active).backward()
        plain.step()
    assert torch.allclose(model.module.weight, alone.weight, atol=1e-6)
    same_on_all_ranks(model, "join")


def check_hooks():
    for hook, tolerance in ((default_hooks.allreduce_hook, 1e-6),
                            (default_hooks.fp16_compress_hook, 2e-2),
                            (default_hooks.bf16_compress_hook, 5e-2)):  # fmt: skip
        plain = train("mlp", DDP(made("mlp")), True, sgd, steps=5)
        model = DDP(made("mlp"))
        model.register_comm_hook(None, hook)
        train("mlp", model, True, sgd, steps=5)
        same_on_all_ranks(model, hook.__name__)
        for a, b in zip(plain.parameters(), model.parameters(), strict=True):
            assert torch.allclose(a, b, atol=tolerance), hook.__name__
    setting = powerSGD_hook.PowerSGDState(None, 2, start_powerSGD_iter=2)
    model = DDP(made("mlp"))
    model.register_comm_hook(setting, powerSGD_hook.powerSGD_hook)
    first = loss_of(model, "mlp", *batch("mlp", 0)).item()
    losses = []
    optimizer = sgd(model.parameters())
    x, y = batch("mlp", 0)
    for _ in range(30):
        optimizer.zero_grad()
        loss_of(model, "mlp", mine(x), mine(y)).backward()
        optimizer.step()
    losses = loss_of(model, "mlp", x, y).item()
    same_on_all_ranks(model, "PowerSGD")
    assert losses < 0.5 * first and setting.compression_stats()[0] > 1.3


def check_different_models():
    try:
        DDP(nn.Linear(3, 2 + RANK))
    except RuntimeError as problem:
        assert "appears not to match sizes" in str(problem), problem
    else:
        raise AssertionError("no error")


def check_mixed_precision():
    model = DDP(made("mlp"))
    optimizer, scaler = sgd(model.parameters()), torch.amp.GradScaler("cpu", init_scale=64.0)
    for number in range(3):
        x, y = batch("mlp", number)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(model, "mlp", mine(x), mine(y))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    same_on_all_ranks(model, "mixed precision")


def check_data_loader():
    data = torch.utils.data.TensorDataset(torch.arange(10.0))
    sampler = torch.utils.data.DistributedSampler(data, shuffle=True)
    for workers in (0, 2):
        sampler.set_epoch(1)
        loader = torch.utils.data.DataLoader(data, 2, sampler=sampler, num_workers=workers)
        seen = [x for (batch_,) in loader for x in batch_.tolist()]
        everybody = [None] * SIZE
        dist.all_gather_object(everybody, seen)
        assert {x for part in everybody for x in part} == set(range(10))


def check_gradients_through_collectives():
    from chainrule.distributed.nn import functional

    x = torch.full((2,), float(RANK + 1), requires_grad=True)
    total = functional.all_reduce(x)
    (total * (RANK + 1)).sum().backward()
    assert x.grad.tolist() == [SIZE * (SIZE + 1) / 2] * 2
    x.grad = None
    parts = functional.all_gather(x)
    sum(p.sum() * (k + 1) for k, p in enumerate(parts)).backward()
    assert x.grad.tolist() == [SIZE * (RANK + 1.0)] * 2
    x.grad = None
    functional.broadcast(x, 0).sum().backward()
    assert x.grad.tolist() == ([SIZE, SIZE] if RANK == 0 else [0, 0])
    lists = [torch.ones(1, requires_grad=True) for _ in range(SIZE)]
    out = functional.reduce_scatter(torch.empty(1), lists)
    (out * (RANK + 1)).sum().backward()
    assert [t.grad.item() for t in lists] == [k + 1 for k in range(SIZE)]
    y = torch.arange(float(SIZE), requires_grad=True)
    functional.all_to_all_single(torch.empty(SIZE), y).mul(RANK + 1).sum().backward()
    assert y.grad.tolist() == [k + 1 for k in range(SIZE)]


if __name__ == "__main__":
    compare("mlp", "MLP", bucket_cap_mb=0.001)
    compare("cnn", "CNN with SyncBatchNorm", tolerance=2e-4)
    compare("gpt", "GPT", tolerance=1e-4, bucket_cap_mb=0.005)
    if "all" in sys.argv:
        compare("mlp", "views of buckets", bucket_cap_mb=0.001, gradient_as_bucket_view=True)
        compare("mlp", "accumulation and clipping", accumulate=3, clip=0.3)
        compare("mlp", "static graph", static_graph=True)
        check_unused()
        check_join()
        check_hooks()
        check_different_models()
        check_gradients_through_collectives()
        check_mixed_precision()
        check_data_loader()
        check_states_are_compared()
    dist.destroy_process_group()
    print(f"rank {RANK} is content")
