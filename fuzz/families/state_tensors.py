"""Compiled functions of two tensors whose kinds change from call to call.

Type, strides, overlap, history, class and memory of the arguments change; the function takes views,
writes into its arguments and into a tensor it closes over, and returns what shares their memory.
What is returned, what was written, which results share memory and what gradients they have must be
as in eager code.
"""

from __future__ import annotations

import random

SETUP = """w = torch.ones(4, 4)
q = (torch.arange(16.0) + 1).reshape(4, 4)
r = w[1:]
p = torch.nn.Parameter(torch.full((4, 4), 0.5))
def sharing(*given):
    tensors = []
    def gather(value):
        if torch.is_tensor(value):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            for item in value:
                gather(item)
    gather(given)
    arrays = [t.detach().numpy() for t in tensors if not t.is_conj() and not t.is_neg()]
    pairs = [(a, b) for i, a in enumerate(arrays) for b in arrays[:i] if a.size and b.size]
    return [bool(np.shares_memory(a, b)) for a, b in pairs]
def gradients(out, x, z):
    tensors = [t for t in out if torch.is_tensor(t) and t.requires_grad]
    loss = sum(t.sum() if not t.is_complex() else t.abs().sum() for t in tensors)
    wanted = [t for t in (x, z, p) if t.requires_grad]
    return torch.autograd.grad(loss, wanted, allow_unused=True)
def watched(out, x, z):
    tensors = {id(t): t for t in out if torch.is_tensor(t) and t.requires_grad and not t.is_leaf}
    tensors = [t for t in tensors.values() if not t._is_view() and not t.is_complex()]
    for t in tensors:
        t.register_hook(lambda g: g * 2)
        t.retain_grad()
    sum(t.sin().sum() for t in tensors).backward()
    return [t.grad for t in tensors], [t.grad for t in (x, z) if t.is_leaf]"""

# A tensor of 4 x 4 (mostly); `{k}` is the number of the call.
KINDS = (
    "torch.arange(16.0).reshape(4, 4) + {k}", "torch.arange(16.0).reshape(4, 4) + {k}",
    "torch.arange(16.0).reshape(4, 4) + {k}", "(torch.arange(16.0).reshape(4, 4) + {k}).t()",
    "(torch.arange(16.0).reshape(4, 4) + {k}).double()",
    "(torch.arange(16.0).reshape(4, 4) + {k}).half()", "torch.arange(16).reshape(4, 4) + {k}",
    "torch.arange(16).reshape(4, 4) % 2 == 0",
    "(torch.arange(16.0).reshape(4, 4) + {k}).requires_grad_()",
    "(torch.arange(16.0).reshape(4, 4) + {k}).requires_grad_() * 1",
    "torch.nn.Parameter(torch.arange(16.0).reshape(4, 4) + {k})",
    "(torch.arange(4.0) + {k}).expand(4, 4)", "(torch.arange(4.0)[:, None] + {k}).expand(4, 4)",
    "(torch.arange(10.0) + {k}).as_strided((4, 4), (2, 1))",
    "(torch.arange(32.0) + {k}).reshape(4, 8)[:, ::2]",
    "(torch.arange(20.0) + {k}).reshape(5, 4)[1:]", "torch.zeros(0, 4)", "torch.zeros(4, 0)",
    "torch.tensor({k}.5)", "torch.tensor({k})", "torch.full((1, 4), {k}.0)",
    "torch.from_numpy(np.arange(16.0, dtype=np.float32).reshape(4, 4) + {k})",
    "(torch.arange(16.0).reshape(4, 4) + {k}j).conj()", "(torch.arange(16.0).reshape(4, 4) + {k}j)",
    "(torch.arange(16.0).reshape(4, 4) * 1j).conj().imag", "w", "w[1:]", "w.t()", "p", "p.detach()",
    "torch.arange(16.0).reshape(4, 4)[[0, 1, 2, 3]].flip(0)",
)  # fmt: skip
SECOND = ("x", "x[:1]", "x.t()", "x.detach()", "x.data", "x.view(x.shape)", "w", "w[:1]", "p")
STEPS = (
    "y = x + z", "y = x * 2", "y = x", "y = x * z", "y = z - w", "y = x @ z", "y = x.sum(0)",
    "y = x.clone()", "y = torch.where(z > 1, x, w)", "y = x.sin()", "y = x / (z + 20)",
    "y = x.sort(0).values", "y = x.cumsum(0)", "y = x.long() // 3", "y = x + q", "y = q @ q * x",
    "y = r.sum() * x", "y = p * x", "y = x.t()", "y = x[1:]", "y = x.reshape(-1)",
    "y = torch.maximum(x, z)",
)  # fmt: skip
WRITES = (
    "x.mul_(2)", "z.add_(1)", "x[0] = 3", "z[..., 0] = 5", "w.mul_(0.5)", "w[1:].add_(1)",
    "x.view(-1)[:2].zero_()", "y.add_(1)", "y[0].mul_(3)", "x.copy_(z)", "x.t().mul_(2)",
    "z.data.mul_(2)", "x.detach().add_(1)", "w.copy_(x)", "x.add_(z)", "y.t_()", "w.zero_()",
)  # fmt: skip
RESULTS = (
    "(y,)", "(y, x)", "(y, z)", "(y, w)", "(x, z)", "(y, y)", "(y, y[:2])", "(y[0], y[1:])",
    "(*y.chunk(2),)", "(*y.split(1),)", "(*y.unbind(0),)", "(y.detach(), y)", "(y.data, y)",
    "(x.data, y)", "(x.detach(), x)", "(y.t(), y)", "(y.view(-1), y)", "(y.expand(2, *y.shape), y)",
    "(y, p)", "(p * 1, y)", "(x[1:], y)", "(y.contiguous(), y)", "(y.to(torch.float32), y)",
    "(y.stride(), y)", "(y, x.is_contiguous())", "(y, x.requires_grad)", "(y, x.is_leaf)",
    "(y, y.shape)", "(y, x is z)", "(y, x.dtype == torch.float32)", "(y, isinstance(x, type(p)))",
    "(y.diagonal(), y)", "(w, y)", "(w[1:], w * 1)", "(y, y.clone())", "(y.real, y)", "[y, [x, y]]",
    "(y, y.sin(), y * x)", "(y, (y * 2).sum())",
)  # fmt: skip
AFTER = (
    "out[0].mul_(2)", "out[-1].add_(1)", "x.mul_(2)", "w.add_(1)", "out[0][0] = 7", "z.zero_()",
    "p.data.mul_(2)", "q.t_()", "q.data = torch.ones(4, 4)", "q.mul_(2)", "w.t_()", "r.t_()",
    "r.data = torch.full((3, 4), 2.0)", "w.data = torch.full((4, 4), 3.0)", "q.unsqueeze_(0)",
)  # fmt: skip


def tensors(rng: random.Random, calls: int) -> list[str]:
    """The chunks of one program."""
    body = [rng.choice(STEPS)]
    if rng.random() < 0.5:
        body.insert(rng.randrange(2), rng.choice(WRITES[:7] if len(body) == 1 else WRITES))
    if rng.random() < 0.3:
        body.append(rng.choice(WRITES))
    body.append(f"return {rng.choice(RESULTS)}")
    chunks = [SETUP, "\n".join(["def f(x, z):", *("    " + line for line in body)]),
              "f = compiled(f)\nresults = []"]  # fmt: skip
    menu = [(_first(rng), _second(rng)) for _ in range(rng.choice([1, 2, 2, 3]))]
    change = rng.randint(2, 6)
    for k in range(calls):
        first, second = menu[0 if k < change else k % len(menu)]
        chunks.append(
            f"x = {first.format(k=k + 1)}\nz = {second.format(k=k + 2)}\nout = f(x, z)\n"
            "results.append(out)\nshow([out, x, z, w])\nshow(sharing(out, x, z, w, p))"
        )
        if rng.random() < 0.3:
            chunks.append("show(lambda: gradients(out, x, z))")
        elif rng.random() < 0.2:
            chunks.append("show(lambda: watched(out, x, z))\np.grad = None")
        if rng.random() < 0.4:
            chunks.append(f"{rng.choice(AFTER)}\nshow([out, x, z, w])")
    return [*chunks, "show(results)"]


def _first(rng: random.Random) -> str:
    return rng.choice(KINDS)


def _second(rng: random.Random) -> str:
    return rng.choice(SECOND) if rng.random() < 0.3 else rng.choice(KINDS[:3] + KINDS)
