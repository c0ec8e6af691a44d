"""Compiled functions whose world changes between the call and the backward pass.

A function reads a layer, a parameter, a buffer and a number. Before some calls, and between some
calls and their backward passes, these are written (through `.data` too, which nobody counts),
replaced, frozen, or given hooks. Results, gradients, strides, counters of writes and all that was
written must be as in eager code.
"""

from __future__ import annotations

import random

SETUP = """torch.manual_seed(0)
import copy
m = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 3))
bn = torch.nn.BatchNorm1d(3)
p, b, q = torch.nn.Parameter(torch.ones(3)), torch.full((3,), 2.0), torch.arange(3.0)
base = torch.arange(6.0)
half, k, hooks, log, held = base[:3], 2.0, [], [], []
opt = torch.optim.SGD([p], lr=0.1, momentum=0.5)
saved = copy.deepcopy(m.state_dict())
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
def flat(found):
    if torch.is_tensor(found):
        return [found]
    return [t for t in (found.values() if isinstance(found, dict) else found) if torch.is_tensor(t)]
def gradients():
    kept = (p, *m.parameters(), *bn.parameters(), *([x] if x.is_leaf else []))
    return [None if t.grad is None else t.grad.clone() for t in kept]
def state():
    return [t.detach().clone() for t in (p, b, q, base, bn.running_mean, *m.parameters())]"""
BODIES = (
    "y = m(x)", "y = x * p", "y = m(x) * b", "y = m(x).relu()", "y = x * k", "y = x + half",
    "y = torch.nn.functional.dropout(m(x), 0.5)", "y = x * p.detach()", "y = x * p.data",
    "y = Square.apply(x * p)", "y = x.clone()\ny[0] = p * k", "y = x * p\ny = y.add_(1)",
    "y = torch.stack([x * p, x * b]).sum(0)", "y = x.exp() * p", "y = m(x) + m(x * 2)",
    "y = p.expand_as(x) * x", "y = (x * p).softmax(-1)", "y = x.cumsum(0) * p",
    "y = torch.nn.functional.layer_norm(x, (3,), p, b)", "y = torch.where(x > 0, x * p, x * b)",
    "y = m[0](x)[:, :3]", "y = torch.cat([x * p, x], 0)", "y = x * p\ny = y / (y.norm() + 1)",
    "y = x.sort(0).values * p", "y = x.masked_fill(x > 1, k) * p", "y = x * (p * 2).sin()",
    "with torch.no_grad():\n    b.mul_(0.9)\ny = x * b * p", "b.copy_(x.detach()[0])\ny = x * p",
    "with torch.no_grad():\n    y = x * p", "y = x * (2 if p.grad is None else 3)",
    "y = half * x",
    "half.add_(1)\ny = x * base[:3]", "y = x * q.mul_(1.5)", "y = x * p + bn(x.detach())",
)  # fmt: skip
RESULTS = (
    "y", "y", "y", "(y, y)", "(y, y * 2)", "(y, y.detach())", "(y, y[:1])", "(y[:1], y[1:])",
    "y.split(1)", "y.split(99)", "y.chunk(2)", "[y, x]", "dict(a=y, b=p)", "(y, p)", "(y, b)",
    "(y, p * 1)", "(y.view(-1), y)", "(y, y.sum())", "y.t()", "y.sum()", "(y, half)",
    "(y, x.view(-1))", "y.unbind(0)", "y.mean(0)", "(y.sum(), y.max())", "(y, y.t())", "y[:, 1]",
    "y[None].expand(2, *y.shape)", "(y, b[1:])", "(y, p.data)", "(y, m[0].weight.t())",
    "(y, base)", "(y, torch.ones(2))", "(y, x.detach())", "y[::2]", "y.diagonal()",
)  # fmt: skip
BEFORE = (
    "p.data.mul_(2)", "p.data = torch.full((3,), 3.0)", "p.grad = None", "p.grad = torch.ones(3)",
    "p.requires_grad_(False)", "p.requires_grad_(True)",
    "p = torch.nn.Parameter(torch.ones(3) * k)",
    "b = torch.ones(3)", "b.add_(1)", "k = 3.0", "k = 0.5", "k = 2", "bn.eval()", "bn.train()",
    "m.load_state_dict(saved)", "m[0].weight.requires_grad_(False)", "m[1] = torch.nn.ReLU()",
    "hooks.append(p.register_hook(lambda g: g * 2))", "half = base[1:4]", "base.mul_(2)",
    "hooks.append(m[0].register_forward_hook(lambda module, given, out: out * 2))",
    "[hook.remove() for hook in hooks]\nhooks.clear()", "base.data = torch.ones(6)",
    "torch.manual_seed(3)", "m[0].bias = None", "p.data = b", "b = p.data", "b = p.detach()",
    "hooks.append(p.register_post_accumulate_grad_hook(lambda t: log.append(1)))", "q = b",
    "half = p.detach()", "m[0].weight.data = m[0].weight.data.clone()",
)  # fmt: skip
BETWEEN = (
    "p.data.mul_(2)", "p.data = torch.full((3,), 3.0)", "b.mul_(2)", "k = 7.0", "p.grad = None",
    "p.requires_grad_(False)", "with torch.no_grad():\n    p.add_(1)", "b = torch.ones(3)",
    "bn.eval()", "hooks.append(p.register_hook(lambda g: g * 3))", "m[0].weight.data.zero_()",
    "x.data.mul_(2)", "with torch.no_grad():\n    x.mul_(2)",
    "first.register_hook(lambda g: g * 2)",
    "first.retain_grad()", "torch.manual_seed(9)", "base.mul_(2)", "opt.step()", "first.mul_(b)",
    "last.mul_(2)", "p = torch.nn.Parameter(torch.ones(3))",
)  # fmt: skip
AFTER = (
    "first.sum().backward()", "(first * first).sum().backward()", "last.sum().backward()",
    "show(lambda: torch.autograd.grad(first.sum(), [x, p], allow_unused=True))",
    "sum(t.sum() for t in results).backward()", "first.backward(torch.ones_like(first))",
    "show(lambda: torch.autograd.grad((first**2).sum(), x, create_graph=True, allow_unused=True))",
    "first.sum().backward(retain_graph=True)\nfirst.sum().backward()",
    "first.sum().backward(inputs=[p])", "opt.step()",
    "show(lambda: torch.autograd.grad(first.sum(), last, allow_unused=True))",
    "first.sum().backward()\nshow([t.grad for t in results if t.is_leaf or t.retains_grad])",
)  # fmt: skip
INPUTS = (
    "torch.arange(6.0).reshape(2, 3) * 0.3 + 0.1 * {k}", "torch.ones(4, 3).requires_grad_() * {k}",
    "(torch.arange(6.0).reshape(2, 3) * 0.3 + 0.1 * {k}).requires_grad_()",
    "(torch.arange(6.0).reshape(2, 3) * 0.3 + 0.1 * {k}).requires_grad_()",
    "(torch.arange(6.0).reshape(2, 3) * 0.3 + 0.1 * {k}).requires_grad_() * 1",
    "(torch.arange(6.0).reshape(3, 2) * 0.3).t().requires_grad_()",
    "torch.arange(12.0).reshape(4, 3)[::2].requires_grad_()",
)  # fmt: skip


def gradients(rng: random.Random, calls: int) -> list[str]:
    """The chunks of one program."""
    body = rng.choice(BODIES).split("\n")
    if rng.random() < 0.3:
        second = rng.choice(BODIES)
        body += second.replace("y = ", "y = y + ", 1).split("\n")
    lines = [*body, f"return {rng.choice(RESULTS)}"]
    chunks = [SETUP, "\n".join(["def f(x):", *("    " + line for line in lines)])]
    chunks.append("f = compiled(f)")
    inputs = rng.sample(INPUTS, rng.choice([1, 1, 2, 3]))
    before, after = rng.sample(BEFORE, rng.choice([1, 2, 3])), rng.sample(AFTER, rng.choice([1, 2]))
    between = rng.sample(BETWEEN, rng.choice([0, 0, 1, 2]))
    start = rng.choice([1, 3, 4, 4, 4, 5])
    for k in range(1, calls + 1):
        if k >= start and rng.random() < 0.6:
            chunks.append(rng.choice(before))
        chunks.append(
            f"x = {rng.choice(inputs).format(k=k)}\nfound = f(x)\nresults = flat(found)\n"
            "first, last = results[0], results[-1]\nheld.append(found)\nshow(found)\n"
            "show([(t.stride(), t.is_leaf, t._version) for t in results])"
        )
        if between and k >= start - 1 and rng.random() < 0.6:
            chunks.append(rng.choice(between))
        if rng.random() < 0.9:
            chunks.append(rng.choice(after))
        chunks.append("show([gradients(), state(), log])")
    return [*chunks, "show(held)"]
