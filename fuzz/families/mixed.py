"""Programs that mix what the tape knows: functions of one's own, hooks, checkpoints, saved-tensor
hooks, forward mode, transforms, views and writes, with PyTorch for comparison.

Without PyTorch a program is compared with itself under hooks that keep copies of what is saved.
"""

from __future__ import annotations

import random
import re
from typing import Any

import chainrule

from ..script import Disagreement, Raised, Script, Seen, compare, shown, to_first_error

WEIGHT = 2
SETUP = """torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
from functools import partial
nn, F, func, fw = torch.nn, torch.nn.functional, torch.func, torch.autograd.forward_ad
checkpoint = torch.utils.checkpoint.checkpoint
seen = []
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t ** 3
    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        return g * 3 * t ** 2
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, k):
        y = a.sin() * b
        ctx.save_for_backward(a, b, y)
        ctx.k = k
        return y, a + b * k
    @staticmethod
    def backward(ctx, g, h):
        a, b, y = ctx.saved_tensors
        return g * a.cos() * b + h, g * a.sin() + h * ctx.k, None
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a)
        return a * 2, b * 3
    @staticmethod
    def backward(ctx, g, h):
        seen.append((g is None, h is None))
        return None if g is None else g * 2, None if h is None else h * 3
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.mul_(b)
        ctx.mark_dirty(a)
        ctx.save_for_backward(b)
        return a
    @staticmethod
    def backward(ctx, g):
        b, = ctx.saved_tensors
        return g * b, None
class Modern(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(a, b):
        return a * b, a.exp()
    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b = inputs
        ctx.save_for_backward(a, b, output[1])
        ctx.save_for_forward(a, b, output[1])
    @staticmethod
    def backward(ctx, g, h):
        a, b, e = ctx.saved_tensors
        return g * b + h * e, g * a
    @staticmethod
    def jvp(ctx, s, t):
        a, b, e = ctx.saved_tensors
        return s * b + t * a, s * e
class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        i = (a > 0).to(a.dtype)
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return a * i, i
    @staticmethod
    def backward(ctx, g, _):
        return g * ctx.saved_tensors[0]
class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return (a * 4).round() / 4
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view_as(a)
    @staticmethod
    def backward(ctx, g):
        return g * 2
def packed(pack, unpack, f, *args):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return f(*args)
lin = nn.Linear(3, 3)
bn = nn.BatchNorm1d(3)
w = nn.Parameter(torch.tensor([0.5, -0.7, 1.1]))
x = torch.tensor([[0.3, -0.4, 0.9], [1.2, 0.1, -0.6]], requires_grad=True)
z = torch.tensor([[0.2, 0.5, -0.3], [0.7, -1.1, 0.4]], requires_grad=True)
u = torch.tensor([[1.0, 0.5, -0.5], [0.3, 0.2, 0.9]])
def leaves():
    grads = x.grad, z.grad, w.grad, lin.weight.grad, lin.bias.grad, bn.weight.grad
    return [*grads, bn.running_mean.clone(), bn.running_var.clone()]"""
STEPS = (
    "{t} = {a} * {b}", "{t} = {a} + {b} * 0.5", "{t} = {a}.sin()", "{t} = {a}.exp() * 0.2",
    "{t} = {a} * w", "{t} = lin({a})", "{t} = Cube.apply({a})",
    "{t}, {s} = Pair.apply({a}, {b}, 2.0)", "{t}, {s} = Lazy.apply({a}, {b})",
    "{t} = Dirty.apply({a} * 1, u)", "{t}, {s} = Modern.apply({a}, {b})",
    "{t}, {s} = Marked.apply({a})", "{t} = Rounded.apply({a})", "{t} = Same.apply({a})",
    "{t} = checkpoint(lambda a, b: (a * b).tanh() + lin(a), {a}, {b}, use_reentrant=False)",
    "{t} = checkpoint(lambda a: Cube.apply(a.sin()), {a}, use_reentrant=False)",
    "{t} = checkpoint(lambda a: bn(a) * w, {a}, use_reentrant={tf})",
    "{t} = checkpoint(lambda a: F.dropout(a, 0.0) * 2, {a}, use_reentrant=True)",
    "{t} = bn({a})",
    "{t} = packed(lambda q: q.clone(), lambda q: q, lambda a: a.exp() * a, {a})",
    "{t} = packed(lambda q: (q.float(), q.dtype), lambda q: q[0].to(q[1]), torch.sigmoid, {a})",
    "{t} = packed(lambda q: seen.append(tuple(q.shape)) or q, lambda q: q, lambda a: "
    "Cube.apply(a * 2), {a})",
    "with torch.no_grad():\n    {t} = {a} * 2\n{t} = {t} * {b}", "{t} = {a}.detach() * {b}",
    "{t} = {a}.clone()\n{t}.mul_({b})", "{t} = {a} * 1\n{t}[0] = {b}[1]",
    "{t} = {a} * 1\n{t}[:, 1:].add_({b}[:, :2])", "{t} = {a} * 1\n{s} = {t}[0]\n{s}.exp_()",
    "{t} = {a} * 1\n{t}.view(-1)[::2].mul_(w)", "{t} = torch.cat([{a}, {b}])[1:3]",
    "{t} = torch.stack([{a}, {b}]).sum(0)", "{t} = torch.where({a} > 0, {a}, {b})",
    "{t} = {a}.expand(2, 2, 3).mean(0)", "{t} = ({a} @ lin.weight).softmax(-1)",
    "{t} = {a}.t().contiguous().t()", "{t} = {a}.flip(0).cumsum(1)",
    "{t} = func.vmap(lambda r, q: r * q.sum())({a}, {b})",
    "{t} = func.grad(lambda r: (r * r * {b}).sum())({a})",
    "{t} = func.vmap(func.grad(lambda r: (r ** 3).sum()))({a})",
    "{t} = func.jvp(lambda r: r.sin() * {b}, ({a},), (u,))[1]",
    "{t} = func.vjp(lambda r: r.exp() * w, {a})[1](u)[0]",
    "{t} = func.jacrev(lambda r: r.sum(0) * w)({a}).sum(0)",
    "{t} = func.jacfwd(lambda r: (r * r).sum(0))({a}).sum(0)",
    "{t} = func.functional_call(lin, dict(weight=lin.weight * 2, bias=w), ({a},))",
    "{t} = func.hessian(lambda r: (r ** 3 * w).sum())({a}[0])[:2]",
    "{t} = func.vmap(lambda r: Modern.apply(r, w)[0])({a})",
    "with fw.dual_level():\n    d = fw.make_dual({a}, u)\n    {t} = fw.unpack_dual(d * d * "
    "{b}).tangent",
    "with fw.dual_level():\n    {t} = fw.unpack_dual(Modern.apply(fw.make_dual({a}, u), "
    "{b})[0]).tangent",
    "{t} = torch.autograd.grad(({a} * {b}).sin().sum(), {a}, create_graph=True)[0]",
    "{t} = torch.autograd.grad(Cube.apply({a}).sum(), {a}, create_graph=True)[0]",
    "{t} = torch.autograd.functional.vjp(lambda r: r ** 3, {a}, u, create_graph=True)[1]",
    "{t} = torch.autograd.functional.hvp(lambda r: (r ** 3).sum(), {a}, u, create_graph=True)[1]",
    "{t} = {a}.masked_fill({b} > 0.5, 0.3)",
    "{t} = {a}.gather(1, torch.tensor([[0, 2, 2], [1, 1, 0]]))",
    "{t} = {a}.index_put((torch.tensor([0, 0]),), {b}, accumulate=True)",
    "{t} = {a}.scatter_add(1, torch.tensor([[0, 2, 2], [1, 1, 0]]), {b})",
    "{t}, _ = {a}.sort(1)", "{t} = {a}.max(0).values * {b}",
    "{t} = torch.linalg.norm({a}, dim=1, keepdim=True) * {b}",
    "{t} = {a}.prod(1, keepdim=True) + {b}",
    "{t} = torch.einsum('ij,kj,k->ij', {a}, {b}, torch.tensor([0.5, 2.0]))",
    "{t} = F.layer_norm({a}, (3,), w)", "{t} = F.gelu({a}) * F.softplus({b})",
    "{t} = nn.functional.normalize({a}, dim=1)",
    "with torch.autograd.graph.save_on_cpu():\n    {t} = {a} * {b}",
    "with torch.autograd.graph.allow_mutation_on_saved_tensors():\n    {t} = {a} * {b}",
    "{t} = torch.utils.checkpoint.checkpoint_sequential([nn.Tanh(), nn.Sigmoid()], 2, {a}, "
    "use_reentrant=False)",
    "{t} = torch.view_as_real(torch.complex({a}, {b}) ** 2).sum(-1)",
    "{t} = torch.fft.rfft({a}).abs()[:, :1] * {b}",
    "{t} = torch.complex({a}, {b}).conj().imag * 2", "{t} = {a}.double().float().double()",
    "{t} = {a}.bfloat16().double() * {b}",
)  # fmt: skip
HOOKS = (
    "{a}.register_hook(lambda g: g * 2)", "{a}.register_hook(lambda g: seen.append(g.clone()))",
    "{a}.retain_grad()", "{a}.register_hook(lambda g: Cube.apply(g))",
    "x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda gs: [seen.append(g) for g in "
    "gs if g is not None])", "{a}.register_hook(seen.append)", "x.register_hook(seen.append)",
    "{a}.register_hook(lambda g: seen.append(g) or g * 2)",
    "h = {a}.register_hook(lambda g: g * 5)\nh.remove()",
    "lin.register_full_backward_hook(lambda m, gi, go: seen.append(go[0].clone()))",
    "lin.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))",
    "lin.register_forward_hook(lambda m, i, o: o * 0.5)",
    "lin.weight.register_hook(lambda g: g * 0.5)", "{a}.data.mul_(1.0)", "{a}.detach().add_(0)",
    "with torch.no_grad():\n    lin.weight.mul_(0.9)", "bn.eval()",
    "lin.weight.requires_grad_(False)", "lin.train(False)", "w.grad = torch.ones(3)",
)  # fmt: skip
# PyTorch crashes on hooks of some views that were written to: a program has one or the other.
WRITES = ("{a}.mul_(2)", "{a}[0].zero_()", "{a}.add_({b})", "{a}.retain_grad()", "w.grad = u[0]")
ENDS = (
    "out.backward()", "out.backward(retain_graph=True)\nshow(leaves())\nout.backward()",
    "out.backward(create_graph=True)\nshow(leaves())\n(x.grad ** 2).sum().backward()",
    "show(torch.autograd.grad(out, [x, z, w, lin.weight], allow_unused=True))",
    "g = torch.autograd.grad(out, [x, z], create_graph=True, allow_unused=True, "
    "materialize_grads=True)\nshow(g)\n(g[0] ** 2).sum().backward(inputs=[x, w])",
    "show(torch.autograd.grad(out, {a}, retain_graph=True, allow_unused=True))\nout.backward()",
    "out.backward(inputs=[x, lin.weight])", "torch.autograd.backward([out, {a}.sum()])",
    "show(torch.autograd.grad([out, {a}], [x, {b}], [None, torch.ones_like({a})], "
    "allow_unused=True))",
    "show(torch.autograd.grad({a}, x, torch.eye(6).reshape(6, 2, 3), is_grads_batched=True, "
    "allow_unused=True))",
    "with torch.autograd.set_detect_anomaly(True, check_nan=False):\n    out.backward()",
    "with torch.autograd.graph.disable_saved_tensors_hooks('no'):\n    out.backward()",
    "out.backward()\nshow(leaves())\nout2 = ({a} * 1).sum()\nout2.backward()",
)  # fmt: skip
# Where PyTorch raises and we can go on, or both say something of their own.
MORE = (
    "modified by an inplace|not implemented|does not support|second time|view was created"
    "|is a view|leaf V|vmap|atching rule|forward AD|Trying to|once_differentiable|forward mode"
    "|is not supported|currently not supported|functorch|inside|gradient function to be set"
    "|'NoneType'"
)


# Transforms and batches of gradients know no saved-tensor hooks.
_UNFIT = re.compile(r"disable_saved|func\.|functional\.|is_grads_batched|dual_level")


def generate(seed: int) -> Script:
    rng = random.Random(f"mixed {seed}")
    chunks, names = [SETUP], ["x", "z"]
    menu = HOOKS if rng.random() < 0.7 else WRITES
    for k in range(2, 2 * rng.randint(3, 10), 2):
        t, s, text = f"t{k}", f"t{k + 1}", rng.choice(STEPS)
        a, b = (rng.choice(names[-4:] if rng.random() < 0.7 else names) for _ in range(2))
        chunks.append(text.format(t=t, s=s, a=a, b=b, tf=rng.choice(["True", "False"])))
        if rng.random() < 0.15 or "jac" in text or "hessian" in text:
            chunks.append(f"{t} = {t} * 1 if {t}.shape == (2, 3) else {t}.sum() * x")
        names.append(t)
        if "{t}, {s} = " in text:
            names.append(s)
        if rng.random() < 0.3:
            chunks.append(rng.choice(menu).format(a=rng.choice(names[2:]), b=rng.choice(names)))
    chosen = [*rng.sample(names, min(len(names), rng.randint(1, 3))), names[-1]]
    total = " + ".join(f"({k} * {t}).sum()" for k, t in enumerate(chosen, 1))
    chunks += [f"show([{', '.join(names)}])", f"out = {total}\nshow(out)"]
    end = rng.choice(ENDS)
    if "batched" in end and any("_hook(" in chunk for chunk in chunks[1:]):
        end = ENDS[0]  # what hooks see there is each engine's own
    chunks.append(end.format(a=rng.choice(names[2:]), b=rng.choice(names)))
    chunks.append("show(leaves())\nshow(seen)")
    facts = "(t.requires_grad, t.is_leaf, t._version)"
    chunks.append(f"show([{facts} for t in ({', '.join(names)},)])")
    return Script("mixed", seed, tuple(chunks))


def run(script: Script, torch: Any) -> list[Any]:
    default = torch.get_default_dtype()
    try:
        return shown(script, {"torch": torch}, lambda t: (t.requires_grad,))
    finally:
        torch.set_default_dtype(default)


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    got = to_first_error(run(script, torch))
    if oracle is None:
        return _check_with_copies(script, torch, got)
    want = to_first_error(run(script, oracle))
    last = len(min(got, want, key=len)) - 1
    if isinstance(want[last], Raised) and re.search(MORE, want[last].words):
        got, want = got[:last], want[:last]
    try:
        alike = [_alike(a, b) for a, b in zip(got, want, strict=False)]
        compare("PyTorch", got, alike + want[len(got) :], 1e-6, 1e-7)
    except Disagreement:
        if "Lazy" not in script.text():
            raise
        return "invalid"  # what comes before a gradient left undefined runs in PyTorch, with zeros
    return "ok"


def _alike(got: Any, want: Any) -> Any:
    """What is wanted; where one side has no gradient and the other zeros, what there is."""
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        return [_alike(a, b) for a, b in zip(got, want, strict=True)]
    one, other = (got, want) if isinstance(got, Seen) else (want, got)
    absent = other == "NoneType None" and isinstance(one, Seen) and not one.values.any()
    return got if absent else want


def _check_with_copies(script: Script, torch: Any, got: list[Any]) -> str:
    if any(isinstance(item, Raised) for item in got) or _UNFIT.search(script.text()):
        return "invalid"
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        again = run(script, torch)
    compare("copies", again, got, 1e-9, 1e-12)
    return "ok"
