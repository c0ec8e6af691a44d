"""Tensors of a mesh against plain ones: values and gradients, however they lie."""

import itertools
import sys
import warnings

import numpy as np

import chainrule as torch
import chainrule.distributed as dist
import chainrule.nn.functional as F
from chainrule import nn
from chainrule.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
)
from chainrule.distributed.tensor import zeros as zeros_of_mesh

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
EVERYTHING = "everything" in sys.argv
MESH = dist.init_device_mesh("cpu", (2, SIZE // 2) if SIZE % 2 == 0 else (SIZE,))

# What is computed of two tensors, by the shapes they have.
SQUARE = {
    "add": lambda a, b: a + b,
    "with a number": lambda a, b: (a + 1) * 2 - b / 3,
    "where": lambda a, b: torch.where(a > b, a, b * 2),
    "relu": lambda a, b: torch.relu(a) * b.sigmoid(),
    "sum": lambda a, b: a.sum() * b,
    "mean": lambda a, b: a.mean(0) + b.mean(1, keepdim=True),
    "amax": lambda a, b: a.amax(1) - b.amin(0),
    "max": lambda a, b: a.max(1).values + b.max(),
    "var": lambda a, b: a.var(0) + b.std(),
    "norm": lambda a, b: a.norm() * b.norm(dim=1),
    "softmax": lambda a, b: a.softmax(0) + b.log_softmax(-1),
    "transposed": lambda a, b: a.t() @ b,
    "product": lambda a, b: a @ b + b,
    "addmm": lambda a, b: torch.addmm(a[0], a, b, beta=0.5, alpha=2),
    "view": lambda a, b: a.view(2, 3, -1).sum(1) + b.reshape(-1)[:6],
    "flat": lambda a, b: a.flatten() * b.flatten(),
    "split": lambda a, b: a.chunk(2, 1)[0] + b.split([2, 4], 0)[1][:, :3].sum(),
    "cat": lambda a, b: torch.cat([a, b], 1).sum(0) + torch.stack([a, b]).sum(),
    "indices": lambda a, b: a[:, 2] + b[1:, :2].sum() + a[-1, 0],
    "masked": lambda a, b: a.masked_fill(b > 0, 0.5),
    "cumsum": lambda a, b: a.cumsum(0) + b.cumsum(1),
    "sort": lambda a, b: a.sort(1).values + b.flip(0),
    "layer norm": lambda a, b: F.layer_norm(a, (6,), b[0], b[1]),
    "cross entropy": lambda a, b: F.cross_entropy(a, b.softmax(1)) + b.sum(),
    "expand": lambda a, b: a.unsqueeze(0).expand(3, 6, 6).mean(0) * b.squeeze(),
    "einsum": lambda a, b: torch.einsum("ij,kj->ik", a, b),
    "outer": lambda a, b: torch.outer(a[0], b[0]) + torch.dot(a[1], b[1]),
    "triangle": lambda a, b: torch.tril(a) + b.diagonal(),
    "clamp": lambda a, b: a.clamp(-0.5, 0.5) + b.abs().sqrt(),
}
PLACES = [(Replicate(),), (Shard(0),), (Shard(1),)]


def layouts():
    return [tuple(x[0] for x in one) for one in itertools.product(PLACES, repeat=MESH.ndim)]


def close(got, want, what):
    if want is None:
        assert got is None, what
        return
    got = got.full_tensor() if isinstance(got, DTensor) else got
    assert got.shape == want.shape, (what, got.shape, want.shape)
    got, want = got.detach().double().numpy(), want.detach().double().numpy()
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5, err_msg=what)


def values(seed, shape=(6, 6)):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape)).float()


def check_ops():
    for name, function in SQUARE.items():
        a, b = values(1).requires_grad_(), values(2).requires_grad_()
        want = function(a, b)
        weight = values(3, tuple(want.shape))
        (want * weight).sum().backward()
        every = layouts()
        first = 0 if EVERYTHING else len(name)
        for k in range(first, first + (len(every) if EVERYTHING else 2)):
            placed = every[k % len(every)]
            other = every[(3 * k + first) % len(every)]  # not all pairs for every op
            what = f"rank {RANK}: {name} of {placed} and {other}"
            da, db = (
                distribute_tensor(a.detach(), MESH, placed),
                distribute_tensor(b.detach(), MESH, other),
            )
            da.requires_grad_()
            db.requires_grad_()
            out = function(da, db)
            close(out, want, what)
            (out * distribute_tensor(weight, MESH, None)).sum().backward()
            close(da.grad, a.grad, f"{what}, first gradient")
            close(db.grad, b.grad, f"{what}, second gradient")


def check_layouts():
    """Every layout to every other; parts of different lengths."""
    whole = values(4, (5, 3))
    pairs = list(itertools.product(layouts(), repeat=2))
    for placed, wanted in pairs if EVERYTHING else pairs[1::4]:
        d = distribute_tensor(whole, MESH, placed).requires_grad_()
        again = d.redistribute(placements=wanted)
        assert again.placements == wanted and again.shape == (5, 3)
        close(again, whole, f"{placed} to {wanted}")
        (again * again).sum().backward()
        assert d.grad.placements == placed
        close(d.grad, 2 * whole, f"gradient of {placed} to {wanted}")
    terms = [Partial()] + [Replicate()] * (MESH.ndim - 1)
    part = torch.ones(4, 3) * (MESH.get_coordinate()[0] + 1)
    d = DTensor.from_local(part, MESH, terms)
    total = MESH.size(0) * (MESH.size(0) + 1) / 2
    assert d.full_tensor().unique().tolist() == [total]
    assert (d * 2 + d).placements == tuple(terms) and (d + 1).full_tensor()[0, 0] == total + 1
    cut = d.redistribute(placements=[Shard(0), *terms[1:]])
    assert cut.full_tensor().unique().tolist() == [total]


def check_writes():
    d = distribute_tensor(values(5), MESH, [Shard(0)] + [Replicate()] * (MESH.ndim - 1))
    want = values(5)
    for t in (d, want):
        t.mul_(2).add_(1)
        t[:, 1] = 7.0
        t.clamp_(max=3.0)
        t.masked_fill_(t < 0, 0.25)
    close(d, want, "writes")
    raises("writing through a view", lambda: d[0].zero_())
    raises("got mixed torch.Tensor and DTensor", lambda: d + torch.ones(6, 6))
    raises("plain tensors", lambda: dist.all_reduce(d))
    raises("different placements", lambda: distribute_tensor(d, MESH, [Shard(1)] * MESH.ndim))
    raises("Can not redistribute to Partial",
           lambda: d.redistribute(placements=[Partial()] * MESH.ndim))  # fmt: skip
    torch.manual_seed(RANK)  # random numbers are the first process's, on all
    d.normal_()
    drawn = nn.Dropout(0.5)(d).full_tensor()
    assert 0 < (drawn == 0).sum() < 36
    everybody = [torch.empty(6, 6) for _ in range(SIZE)]
    dist.all_gather(everybody, drawn)
    assert all(torch.equal(one, drawn) for one in everybody)


def raises(text, function):
    try:
        function()
    except (RuntimeError, TypeError, ValueError) as problem:
        assert text in str(problem), f"{text!r} is not in {problem}"
    else:
        raise AssertionError(f"nothing raised {text!r}")


def check_training():
    """A module of tensors of the mesh, with every kind of step."""
    for kind in (torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad, torch.optim.Muon,
                 torch.optim.Adafactor):  # fmt: skip
        for placed in layouts():
            if not EVERYTHING and placed != layouts()[4 % len(layouts())]:
                continue
            plain, cut = (nn.Linear(4, 3, bias=False) for _ in range(2))
            cut.load_state_dict(plain.state_dict())
            with torch.no_grad():
                plain.weight.copy_(values(6, (3, 4)))
            cut.weight = nn.Parameter(distribute_tensor(plain.weight.detach(), MESH, placed))
            steps = kind(plain.parameters(), lr=0.1), kind(cut.parameters(), lr=0.1)
            for step in range(3):
                x = values(10 + step, (5, 4))
                plain(x).square().sum().backward()
                cut(distribute_tensor(x, MESH, None)).square().sum().backward()
                for model, optimizer in zip((plain, cut), steps, strict=True):
                    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                    optimizer.step()
                    optimizer.zero_grad()
            assert isinstance(norm, DTensor)
            close(cut.weight, plain.weight, f"{kind.__name__} of {placed}")


def check_embedding_rows():
    plain = nn.Embedding(7, 4)
    with torch.no_grad():
        plain.weight.copy_(values(8, (7, 4)))
    numbers = torch.tensor([[0, 6, 3], [3, 2, 5]])
    want = plain(numbers)
    want.square().sum().backward()
    for placed in layouts():
        weight = distribute_tensor(plain.weight.detach(), MESH, placed).requires_grad_()
        out = F.embedding(distribute_tensor(numbers, MESH, None), weight)
        close(out, want, f"embedding of {placed}")
        out.square().sum().backward()
        close(weight.grad, plain.weight.grad, f"gradient of embedding of {placed}")
    made = zeros_of_mesh(7, 4, device_mesh=MESH, placements=[Shard(0)] * MESH.ndim)
    assert made.shape == (7, 4) and made.full_tensor().abs().sum() == 0


check_ops()
check_layouts()
check_writes()
check_training()
check_embedding_rows()
dist.destroy_process_group()
print(f"rank {RANK} is content")
sys.stdout.flush()
