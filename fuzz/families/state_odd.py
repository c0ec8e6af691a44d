"""Compiled functions with unusual arguments, results and ways of being called.

Named tuples, dataclasses and objects as results, generators, recursion, context managers that
swallow errors, nested compiled functions, calls in threads, transforms, dual levels and modes; what
is returned is written to, differentiated twice, or kept.
"""

from __future__ import annotations

import random

SETUP = """torch.set_grad_enabled(True)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
import collections, contextlib, copy, dataclasses, functools, itertools, operator, threading
import weakref
nn, F, func, fw = torch.nn, torch.nn.functional, torch.func, torch.autograd.forward_ad
P = collections.namedtuple('P', 'x y')
@dataclasses.dataclass
class D:
    x: object
    y: object = None
    k: float = 2.0
class Box: pass
class Sub(torch.Tensor): pass
w = nn.Parameter(torch.tensor([0.5, -0.7, 1.1]))
buf = torch.ones(3)
calls, log = [], []
count = 0
class Ctx:
    def __init__(self, k): self.k = k
    def __enter__(self): log.append('in'); return self
    def __exit__(self, *e): log.append('out'); return self.k > 2
def gen(t):
    yield t * 2
    yield t * 3
def rec(t, n):
    return t if n == 0 else rec(t * w, n - 1) + n
@contextlib.contextmanager
def scope(k):
    global count
    count += k
    yield count
    count -= k
def deco(g):
    @functools.wraps(g)
    def inner(*a, **k):
        return g(*a, **k) * w
    return inner
class Mod(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.items = nn.Parameter(torch.ones(3)), [1.0]
        self.cfg, self.fn = {'a': {'b': 2.0}}, torch.sin
        self.sub = nn.ModuleDict(dict(l=nn.Linear(3, 3)))
    def forward(self, x, *, flag=False, **kw):
        y = self.fn(x) * self.w * self.cfg['a']['b'] + sum(self.items)
        return {'y': y, 'l': self.sub['l'](y), 'kw': kw.get('z', 0)} if flag else y
mod = Mod()
def tensors(v):
    if torch.is_tensor(v):
        return [v]
    if isinstance(v, dict): return [t for q in v.values() for t in tensors(q)]
    if isinstance(v, (list, tuple)): return [t for q in v for t in tensors(q)]
    if dataclasses.is_dataclass(v): return tensors([v.x, v.y])
    if isinstance(v, Box): return tensors(list(vars(v).values()))
    return []
def grads(v):
    ts = [t for t in tensors(v) if t.requires_grad]
    wanted = [q for q in (x, z, w, *mod.parameters()) if q.requires_grad]
    if ts:
        total = sum((t * t).sum() for t in ts)
        return torch.autograd.grad(total, wanted, allow_unused=True, retain_graph=True)
def second(v):
    ts = [t for t in tensors(v) if t.requires_grad]
    if not ts or not x.requires_grad: return None
    total = sum((t ** 3).sum() for t in ts)
    g, = torch.autograd.grad(total, x, create_graph=True, allow_unused=True)
    if g is not None and g.requires_grad:
        return torch.autograd.grad((g * g).sum(), [x, w], allow_unused=True)
def plain(v):
    if isinstance(v, (D,)): return ['D', v.x, v.y, v.k]
    if isinstance(v, Box): return ['Box', {k: plain(q) for k, q in vars(v).items()}]
    if isinstance(v, (list, tuple)): return [type(v).__name__, *map(plain, v)]
    if isinstance(v, dict): return {str(k): plain(q) for k, q in v.items()}
    return v"""
FUNCTIONS = (
    "def f(a, b, k=2.0):\n    return P(a * b, a + k)",
    "def f(a, b, k=2.0):\n    return D(a * b, y=a.sin(), k=k)",
    "def f(a, b, k=2.0):\n    r = Box()\n    r.p, r.q = a * k, (b, a)\n    return r",
    "def f(a, b, k=2.0):\n    return {'r': [a * b, (b * k, None)], 3: a}",
    "def f(a, b, k=2.0):\n    a.mul_(1.5)\n    return a, b * k",
    "def f(a, b, k=2.0):\n    c = a.view(-1)\n    c[0] = k\n    return c, a * 1",
    "def f(a, b, k=2.0):\n    buf.add_(a.detach().sum())\n    return buf * a, buf",
    "def f(a, b, k=2.0):\n    global count\n    count += 1\n    log.append(count)\n    return a "
    "* count",
    "def f(a, b, k=2.0):\n    return rec(a, int(k))",
    "def f(a, b, k=2.0):\n    return sum(gen(a)) + next(gen(b))",
    "def f(a, b, k=2.0):\n    with Ctx(k) as c:\n        y = a * c.k\n        if k > 2:\n       "
    "     raise ValueError\n        return y\n    return b",
    "def f(a, b, k=2.0):\n    with scope(k) as s:\n        return a * s",
    "def f(a, b, k=2.0):\n    try:\n        y = a.reshape(7) * k\n    except RuntimeError:\n    "
    "    y = b * k\n    finally:\n        log.append(k)\n    return y",
    "@deco\ndef f(a, b, k=2.0):\n    return a * b * k",
    "def f(a, b, k=2.0):\n    return mod(a, flag=k > 2, z=b)",
    "def f(a, b, k=2.0):\n    mod.items[0] += 1\n    return mod(a)",
    "def f(a, b, k=2.0):\n    return func.grad(lambda t: (t ** 3 * b).sum() * k)(a)",
    "def f(a, b, k=2.0):\n    return func.vmap(lambda t, s: t * s.sum() * k)(a, b)",
    "def f(a, b, k=2.0):\n    return func.jvp(lambda t: t.sin() * k, (a,), (b,))",
    "def f(a, b, k=2.0):\n    return torch.autograd.grad((a * a * w).sum() * k, a, "
    "create_graph=True)[0] if a.requires_grad else a * k",
    "def f(a, b, k=2.0):\n    out = torch.empty(2, 3)\n    torch.mul(a.detach(), k, out=out)\n  "
    "  return out + b",
    "def f(a, b, k=2.0):\n    return torch.stack([a, b]).unbind(), a.split(1), b.chunk(3, 1)",
    "def f(a, b, k=2.0):\n    parts = [a[i] * i * k for i in range(len(a))]\n    return "
    "torch.cat(parts), parts",
    "def f(a, b, k=2.0):\n    d = {n: t for n, t in zip('ab', (a, b))}\n    d['c'] = d.pop('a') "
    "* k\n    return d",
    "def f(a, b, k=2.0):\n    acc = a * 0\n    for t, s in itertools.product((a, b), (1, k)):\n "
    "       acc = acc + t * s\n    return acc",
    "def f(a, b, k=2.0):\n    return functools.reduce(operator.mul, [a, b, k, w])",
    "def f(a, b, k=2.0):\n    return inner(a) + b * k",
    "def f(a, b, k=2.0):\n    return a.detach() * k, a.data, b.clone().requires_grad_(), b is a",
    "def f(a, b, k=2.0):\n    return a.to(torch.float32) * k, b.half().float(), a.dtype == "
    "torch.float64, a.shape, a.stride(), a.requires_grad, a.is_leaf",
    "def f(a, b, k=2.0):\n    return torch.where(a > b, a * k, b), (a > 0).sum(), a.argmax()",
    "def f(a, b, k=2.0):\n    y = a * k\n    y.retain_grad() if y.requires_grad else None\n    "
    "y.sum().backward() if y.requires_grad else None\n    return y, y.grad",
    "def f(a, b, k=2.0):\n    with torch.no_grad():\n        y = a * k\n    with "
    "torch.enable_grad():\n        return y, a * b",
    "def f(a, b, k=2.0):\n    return F.dropout(a, 0.5), torch.rand(2) * k, torch.randn_like(b)",
    "def f(a, b, k=2.0):\n    a2 = a.clone()\n    a2[a2 > 0] = k\n    return a2",
    "def f(a, b, k=2.0):\n    return copy.copy(a) * k, copy.deepcopy(b.detach()), [*b]",
    "def f(a, b, k=2.0):\n    a.my = k\n    return a * getattr(b, 'my', 3.0)",
    "def f(a, b, k=2.0):\n    ref = weakref.ref(a)\n    return ref() * k",
    "def f(*args, k=2.0):\n    return args[0] * k, len(args), args[-1]",
    "def f(a, b=None, *rest, k=2.0, **kw):\n    return a * k + (b if b is not None else 0), "
    "len(rest), sorted(kw)",
    "def f(a, b, k=2.0):\n    z.add_(0.1) if not z.requires_grad else None\n    return a * z",
    "def f(a, b, k=2.0):\n    h = a * w\n    if h.requires_grad: h.register_hook(lambda g: g * "
    "k)\n    return h",
    "def f(a, b, k=2.0):\n    return torch.utils.checkpoint.checkpoint(lambda t: (t * w).sin() "
    "* k, a, use_reentrant=False)",
    "def f(a, b, k=2.0):\n    w2 = w.detach()\n    w2.mul_(1.01)\n    return a * w * k",
    "def f(a, b, k=2.0):\n    w.data = w.data * 1.01\n    return a * w",
    "def f(a, b, k=2.0):\n    return (lambda *q, **p: q[0] * p['s'])(a, b, s=k)",
    "def f(a, b, k=2.0):\n    if isinstance(a, Sub): return b\n    return a * k",
)  # fmt: skip
CALLS = (
    "r = f(x, z)", "r = f(x, z, k)", "r = f(x, z, k=k)", "r = f(b=z, a=x)", "r = f(x, x)",
    "r = f(x, x[:1].expand(2, 3))", "r = f(x, x.detach())", "r = f(x.t().contiguous().t(), z)",
    "r = f(x.as_subclass(Sub), z)", "r = f(nn.Parameter(x.detach()), z)", "r = f(x, z, True)",
    "r = f(x, z, k=np.float64(k))", "r = f(x, z, torch.tensor(k))", "r = f(x[0], z[0])",
    "r = f(x.float(), z)", "with torch.no_grad():\n    r = f(x, z, k)",
    "with torch.inference_mode():\n    r = f(x, z, k)",
    "box = []\ndef run():\n    with torch.enable_grad():\n        box.append(f(x, z, k))\nt = "
    "threading.Thread(target=run)\nt.start()\nt.join()\nr = box[0]",
    "with fw.dual_level():\n    o = f(fw.make_dual(x.detach(), torch.ones(2, 3)), z, k)\n    r "
    "= [fw.unpack_dual(t).tangent for t in tensors(o)]",
    "r = func.vmap(lambda t: tensors(f(t, z, k))[0])(torch.stack([x.detach(), x.detach() * 2]))",
    "r = func.grad(lambda t: sum(q.sum() for q in tensors(f(t, z, k)) if "
    "q.is_floating_point()))(x.detach())",
    "r = func.jvp(lambda t: tensors(f(t, z, k))[0], (x.detach(),), (torch.ones(2, 3),))",
    "r = [f(x, z, k), f(x, z, k)]",
    "r = f(f(x, z, k) if torch.is_tensor(f(x, z, k)) else x, z, k)",
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    r = f(x, z, k)",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):\n    r = "
    "f(x, z, k)",
)  # fmt: skip
AFTER = (
    "show(lambda: grads(r))", "show(lambda: grads(r))\nshow(lambda: grads(r))",
    "show(lambda: second(r))", "tensors(r)[0].mul_(2)\nshow([plain(r), x, z])",
    "tensors(r)[-1].zero_()\nshow([plain(r), x, z])", "x.data.add_(1)",
    "sum(t.sum() for t in tensors(r) if t.requires_grad).backward()\nshow([x.grad, w.grad])",
    "show(lambda: copy.deepcopy([t.detach() for t in tensors(r)]))", "kept = r",
    "show(lambda: torch.autograd.grad(tensors(r)[0].sum(), tensors(r)[-1], allow_unused=True))",
    "show([t._version for t in tensors(r)])",
    "show([(t.grad_fn is None, t.is_leaf) for t in tensors(r)])",
)  # fmt: skip
CHANGES = (
    "k = 3.0", "k = 0.5", "k = 2", "buf.zero_()", "buf = torch.zeros(3)", "mod.fn = torch.cos",
    "mod.cfg['a']['b'] = 3.0", "mod.items.append(2.0)", "mod.w.requires_grad_(False)",
    "mod.eval()", "w = nn.Parameter(torch.ones(3))", "w.requires_grad_(False)", "w.grad = None",
    "count = 5", "z = z.detach()", "z = torch.ones(2, 3, requires_grad=True)",
    "inner = compiled(lambda t: t * k)", "inner = lambda t: t * 2",
    "torch.set_default_dtype(torch.float32)", "torch.set_default_dtype(torch.float64)",
    "rec = lambda t, n: t * n", "Ctx.__exit__ = lambda self, *e: True",
    "gen = lambda t: iter([t, t * 5])", "Mod.forward = lambda self, x, **kw: x * self.w",
    "torch.manual_seed(4)", "mod.sub['l'] = nn.Identity()",
)  # fmt: skip
COMPILED = (
    "f = compiled(f)", "f = compiled(f)", "f = compiled(f)", "f = compiled(compiled(f))",
    "f0 = compiled(f)\nf = compiled(lambda *a, **q: f0(*a, **q))",
    "f = functools.partial(compiled(f))",
)  # fmt: skip
START = "k, z = 2.0, torch.full((2, 3), 0.7)\ninner = lambda t: t * k\nx = torch.ones(2, 3)"


def odd(rng: random.Random, calls: int) -> list[str]:
    """The chunks of one program."""
    chunks = [SETUP, START, rng.choice(FUNCTIONS), rng.choice(COMPILED)]
    called = rng.sample(CALLS, rng.choice([1, 2, 2, 3]))
    after, changes = rng.sample(AFTER, 2), rng.sample(CHANGES, 3)
    wanted, start = rng.random() < 0.7, rng.choice([1, 3, 4, 5])
    for k in range(calls):
        if k >= start and rng.random() < 0.45:
            chunks.append(rng.choice(changes))
        x = f"(torch.arange(6.0).reshape(2, 3) * 0.2 + 0.1 * {k + 1})"
        x += (".requires_grad_()" if wanted else "") + (" * 1" if rng.random() < 0.2 else "")
        call = called[0] if k < start else rng.choice(called)
        chunks.append(f"x = {x}\n{call}\nshow(plain(r))")
        if rng.random() < 0.6:
            chunks.append(rng.choice(after))
    return [*chunks, "show([log, count, buf, w, w.grad, mod.w, mod.items, x, z])"]
