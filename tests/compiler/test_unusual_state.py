"""State that no op takes and code can still read: compiled calls notice what eager calls notice.

Facts about tensors (`is_leaf`, `.grad`, a shape), caches, settings, metaclasses, memory that
results share, numbers that decide. Each case is a program; compiled, it must give the same.
"""

import functools
import sys
import types
import warnings

import numpy as np
import pytest

import chainrule as torch

nn = torch.nn
F = nn.functional
pytestmark = pytest.mark.jit
CASES = {}


def case(function):
    """`function(wrap)` is a program; `wrap` compiles a function or leaves it as it is."""
    CASES[function.__name__] = function
    return function


def seq(n=10):
    return range(n)


@case
def req_grad_of_unused(wrap):
    w = torch.ones(2)
    f = wrap(lambda x: x * 2 if w.requires_grad else x * 3)
    out = []
    for k in seq():
        if k == 5:
            w.requires_grad_()
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def grad_none_of_unused(wrap):
    w = torch.ones(2, requires_grad=True)
    f = wrap(lambda x: x * 2 if w.grad is None else x * 3)
    out = []
    for k in seq():
        if k == 5:
            w.grad = torch.ones(2)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def shape_of_unused(wrap):
    w = torch.ones(2)
    f = wrap(lambda x: x * w.shape[0])
    out = []
    for k in seq():
        if k == 5:
            w.data = torch.ones(5)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def dtype_of_unused(wrap):
    w = torch.ones(2)
    f = wrap(lambda x: x * (2 if w.dtype == torch.float32 else 3))
    out = []
    for k in seq():
        if k == 5:
            w.data = torch.ones(5, dtype=torch.float64)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def is_leaf_arg(wrap):
    f = wrap(lambda x: x * 2 if x.is_leaf else x * 3)
    out = []
    for k in seq():
        x = torch.ones(1, requires_grad=True)
        if k >= 5:
            x = x * 1
        out.append(f(x).tolist())
    return out


@case
def grad_of_arg(wrap):
    f = wrap(lambda x: x * 2 if x.grad is None else x * 3)
    out = []
    for k in seq():
        x = torch.ones(1, requires_grad=True)
        if k >= 5:
            x.grad = torch.ones(1)
        out.append(f(x).tolist())
    return out


@case
def version_of_arg(wrap):
    f = wrap(lambda x: x * (1 + x._version))
    out = []
    for k in seq():
        x = torch.ones(1)
        for _ in range(k // 4):
            x.add_(0)
        out.append(f(x).tolist())
    return out


@case
def attr_of_arg(wrap):
    f = wrap(lambda x: x * x.scale)
    out = []
    for k in seq():
        x = torch.ones(1)
        x.scale = k // 3 + 1.0
        out.append(f(x).tolist())
    return out


@case
def lru(wrap):
    S = {"v": 2.0}

    @functools.lru_cache
    def get():
        return S["v"]

    f = wrap(lambda x: x * get())
    out = []
    for k in seq(14):
        if k == 5:
            S["v"] = 3.0
        if k == 9:
            get.cache_clear()
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def generator_state(wrap):
    g = torch.Generator()
    f = wrap(lambda x: x + torch.rand(1, generator=g))
    out = []
    for k in seq():
        if k in (0, 6):
            g.manual_seed(3)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def own_random(wrap):
    import random

    r = random.Random(3)
    f = wrap(lambda x: x * (2 if r.random() < 0.7 else 3))
    return [f(torch.ones(1)).tolist() for _ in seq(20)]


@case
def np_gen(wrap):
    r = np.random.default_rng(3)
    f = wrap(lambda x: x * (2 if r.random() < 0.7 else 3))
    return [f(torch.ones(1)).tolist() for _ in seq(20)]


@case
def import_inside(wrap):
    m = types.ModuleType("cfg_adv")
    m.scale = 2.0
    sys.modules["cfg_adv"] = m

    def f(x):
        import cfg_adv

        return x * cfg_adv.scale

    f = wrap(f)
    out = []
    for k in seq():
        if k == 5:
            m.scale = 5.0
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def from_import_inside(wrap):
    m = types.ModuleType("cfg_adv2")
    m.scale = 2.0
    sys.modules["cfg_adv2"] = m

    def f(x):
        from cfg_adv2 import scale

        return x * scale

    f = wrap(f)
    out = []
    for k in seq():
        if k == 5:
            m.scale = 5.0
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def evald(wrap):
    d = {"a": 2.0}
    f = wrap(lambda x: x * eval("a*2", d))
    out = []
    for k in seq():
        d["a"] = 1.0 + k // 3
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def default_dtype_made(wrap):
    f = wrap(lambda x: torch.zeros(2) + x.double().sum())
    out = []
    for k in seq():
        torch.set_default_dtype(torch.float64 if k >= 5 else torch.float32)
        out.append(str(f(torch.ones(1)).dtype))
    torch.set_default_dtype(torch.float32)
    return out


@case
def num_threads(wrap):
    f = wrap(lambda x: x * torch.get_num_threads())
    out = []
    for k in seq():
        torch.set_num_threads(2 if k >= 5 else 1)
        out.append(f(torch.ones(1)).tolist())
    torch.set_num_threads(1)
    return out


@case
def returns_grad(wrap):
    w = torch.ones(2, requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        return w.grad

    f = wrap(step)
    out = []
    for k in seq():
        g = f(torch.full((2,), float(k)))
        g.add_(1)
        out.append((g.tolist(), w.grad.tolist(), g is w.grad))
    return out


@case
def returns_param(wrap):
    w = torch.ones(2, requires_grad=True)
    f = wrap(lambda x: (w, w * x))
    out = []
    for k in seq():
        a, b = f(torch.full((2,), float(k)))
        out.append((a is w, b.tolist()))
    return out


@case
def in_place_arg_return(wrap):
    f = wrap(lambda x: x.mul_(2))
    out = []
    for _k in seq():
        x = torch.ones(2)
        y = f(x)
        y.add_(1)
        out.append((x.tolist(), y is x))
    return out


@case
def data_swap(wrap):
    w = torch.ones(2)
    f = wrap(lambda x: x * w)
    out = []
    for k in seq():
        if k == 5:
            w.data = torch.full((2,), 7.0)
        if k == 7:
            w.set_(torch.full((2,), 9.0))
        out.append(f(torch.ones(2)).tolist())
    return out


@case
def view_alias_closure(wrap):
    base = torch.ones(4)
    w = base[:2]
    f = wrap(lambda x: (x * w, base * 1))
    out = []
    for _k in seq():
        base.add_(1)
        out.append([t.tolist() for t in f(torch.ones(2))])
    return out


@case
def write_alias_closure(wrap):
    base = torch.ones(4)
    w = base[:2]

    def g(x):
        w.add_(x)
        return base * 1

    f = wrap(g)
    out = []
    for _k in seq():
        out.append(f(torch.ones(2)).tolist())
    return out


@case
def args_overlap(wrap):
    f = wrap(lambda a, b: (a.add_(1), b * 2)[1])
    out = []
    for k in seq():
        base = torch.arange(4.0)
        a, b = (base[:2], base[1:3]) if k % 2 else (torch.zeros(2), torch.ones(2))
        out.append(f(a, b).tolist())
    return out


@case
def numpy_view_arg(wrap):
    arr = np.ones(3, "f4")
    t = torch.from_numpy(arr)
    f = wrap(lambda x: x * t)
    out = []
    for k in seq():
        arr[:] = k
        out.append(f(torch.ones(3)).tolist())
    return out


@case
def big_numpy(wrap):
    arr = np.ones(3000, "f4")
    f = wrap(lambda x: x * torch.from_numpy(arr))
    out = []
    for k in seq():
        if k == 6:
            arr[2999] = k
        out.append(f(torch.ones(3000))[2999].item())
    return out


@case
def list_10k(wrap):
    items = [1.0] * 12000
    f = wrap(lambda x: x * items[11999])
    out = []
    for k in seq():
        if k >= 5:
            items[11999] = float(k)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def module_epoch(wrap):
    m = nn.Linear(1, 1)
    m.epoch = 0
    nn.init.ones_(m.weight)
    nn.init.zeros_(m.bias)
    f = wrap(lambda x: m(x) * 2 if m.epoch < 5 else m(x) * 3)
    out = []
    for k in seq():
        m.epoch = k
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def eval_mode_bn(wrap):
    m = nn.BatchNorm1d(2)
    f = wrap(m)
    out = []
    for k in seq():
        m.train(k % 3 != 0)
        m.momentum = 0.1 if k < 6 else 0.5
        out.append(f(torch.arange(4.0).view(2, 2) + k).tolist())
    return [*out, m.running_mean.tolist()]


@case
def dropout_p(wrap):
    m = nn.Dropout(0.5)
    f = wrap(m)
    out = []
    torch.manual_seed(0)
    for k in seq():
        m.p = 0.1 * (k // 2)
        out.append(f(torch.ones(4)).tolist())
    return out


@case
def zero_sign(wrap):
    d = {"z": 0.0}
    f = wrap(lambda x: x * d["z"])
    out = []
    for k in seq():
        d["z"] = -0.0 if k % 2 else 0.0
        out.append(str(f(torch.ones(1)).tolist()))
    return out


@case
def sched_in_step(wrap):
    w = torch.ones(2, requires_grad=True)
    o = torch.optim.SGD([w], lr=0.1)
    s = torch.optim.lr_scheduler.StepLR(o, 2, 0.5)

    def step(x):
        o.zero_grad()
        (w * x).sum().backward()
        o.step()
        s.step()
        return w.detach().clone()

    f = wrap(step)
    return [f(torch.ones(2)).tolist() for _ in seq(12)]


@case
def opt_every_third(wrap):
    w = torch.ones(2, requires_grad=True)
    o = torch.optim.Adam([w], lr=0.1)
    st = {"k": 0}

    def step(x):
        (w * x).sum().backward()
        if st["k"] % 3 == 0:
            o.step()
            o.zero_grad()
        return w.detach().clone()

    f = wrap(step)
    out = []
    for k in seq(20):
        st["k"] = k
        out.append([round(v, 5) for v in f(torch.ones(2)).tolist()])
    return out


@case
def temp_div(wrap):
    c = types.SimpleNamespace(tau=4)
    f = wrap(lambda x: F.softmax(x / c.tau, -1))
    out = []
    for tau in (4, 3, 2, 1, 0.5, 0.25, 0.1, 2):
        c.tau = tau
        out.append([round(v, 6) for v in f(torch.arange(3.0)).tolist()])
    return out


@case
def warm(wrap):
    import math

    c = types.SimpleNamespace(s=0)
    f = wrap(lambda x: x * (0.5 * (1 + math.cos(math.pi * c.s / 10))))
    out = []
    for s in seq(20):
        c.s = s
        out.append(round(f(torch.ones(1)).item(), 6))
    return out


@case
def pow_number(wrap):
    c = types.SimpleNamespace(p=2)
    f = wrap(lambda x: x**c.p)
    out = []
    for p in (2, 3, 2.0, 0.5, -1, 0, 1, 2.5):
        c.p = p
        out.append([round(v, 5) for v in f(torch.tensor([2.0, 3.0])).tolist()])
    return out


@case
def pow_grad(wrap):
    c = types.SimpleNamespace(p=2)
    f = wrap(lambda x: (x**c.p).sum())
    out = []
    for p in (2, 3, 2.0, 0.5, -1, 0, 1, 2.5, 2, 2, 3, 3):
        c.p = p
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        f(x).backward()
        out.append([round(v, 5) for v in x.grad.tolist()])
    return out


@case
def clampn(wrap):
    c = types.SimpleNamespace(m=1.0)
    f = wrap(lambda x: x.clamp(max=c.m) + torch.full((2,), c.m) + x.masked_fill(x > 1, c.m))
    out = []
    for m in (1.0, 0.5, 2.0, 3, 1, 0.25, 0.1, 7.0):
        c.m = m
        out.append([round(v, 5) for v in f(torch.tensor([0.3, 3.0])).tolist()])
    return out


@case
def subclass_dict(wrap):
    class D(dict):
        def __getitem__(self, k):
            return super().__getitem__(k) * self.f

    d = D(a=2.0)
    d.f = 1.0
    f = wrap(lambda x: x * d["a"])
    out = []
    for k in seq():
        if k == 5:
            d.f = 3.0
        if k == 7:
            d["a"] = 5.0
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def metaclass(wrap):
    class M(type):
        scale = 2.0

    class C(metaclass=M):
        pass

    f = wrap(lambda x: x * C.scale)
    out = []
    for k in seq():
        if k == 5:
            M.scale = 3.0
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def nested_compiled(wrap):
    c = {"a": 2.0}
    inner = torch.compile(lambda x: x * c["a"])
    f = wrap(lambda x: inner(x) + 1)
    out = []
    for k in seq():
        if k >= 5:
            c["a"] = float(k)
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def func_transform(wrap):
    c = {"a": 2.0}
    f = wrap(lambda x: torch.func.grad(lambda y: (y * c["a"]).sin().sum())(x))
    out = []
    for k in seq():
        c["a"] = 1.0 + k // 2
        out.append([round(v, 5) for v in f(torch.ones(1)).tolist()])
    return out


@case
def ckpt(wrap):
    from chainrule.utils.checkpoint import checkpoint

    c = {"a": 2.0}
    f = wrap(lambda x: checkpoint(lambda y: (y * c["a"]).sin(), x, use_reentrant=False).sum())
    out = []
    for k in seq():
        c["a"] = 1.0 + k // 2
        x = torch.ones(1, requires_grad=True)
        f(x).backward()
        out.append([round(v, 5) for v in x.grad.tolist()])
    return out


@case
def custom_fn(wrap):
    c = {"a": 2.0}

    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.scale = c["a"]
            return x * c["a"]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.scale

    f = wrap(lambda x: Fn.apply(x).sum())
    out = []
    for k in seq():
        c["a"] = 1.0 + k // 2
        x = torch.ones(1, requires_grad=True)
        f(x).backward()
        out.append([round(v, 5) for v in x.grad.tolist()])
    return out


@case
def hook_number(wrap):
    c = {"a": 2.0}
    m = nn.Linear(1, 1)
    nn.init.ones_(m.weight)
    nn.init.zeros_(m.bias)
    m.register_forward_hook(lambda mod, i, o: o * c["a"])
    f = wrap(m)
    out = []
    for k in seq():
        c["a"] = 1.0 + k // 2
        out.append(f(torch.ones(1)).tolist())
    return out


@case
def ema(wrap):
    st = {"d": 0.9}
    e = torch.zeros(2)

    def g(x):
        e.mul_(st["d"]).add_(x, alpha=1 - st["d"])
        return e.clone()

    f = wrap(g)
    out = []
    for k in seq():
        st["d"] = min(0.999, (1 + k) / (10 + k))
        out.append([round(v, 5) for v in f(torch.ones(2)).tolist()])
    return out


@case
def chunk_alias(wrap):
    f = wrap(lambda x: (x * 2).chunk(2))
    out = []
    for _k in seq():
        a, b = f(torch.arange(4.0))
        a.add_(b)
        out.append((a.tolist(), b.tolist(), a._base is None))
    return out


@case
def chunk_arg(wrap):
    f = wrap(lambda x: x.chunk(2))
    out = []
    for _k in seq():
        x = torch.arange(4.0)
        a, b = f(x)
        a.add_(b)
        out.append((a.tolist(), x.tolist()))
    return out


@case
def alias_grad(wrap):
    f = wrap(lambda x: ((y := x * 2), y[:2]))
    out = []
    for _k in seq():
        x = torch.arange(4.0, requires_grad=True)
        y, v = f(x)
        v.mul_(3)
        (y * y).sum().backward()
        out.append((x.grad.tolist(), y.tolist()))
    return out


@case
def same_twice(wrap):
    f = wrap(lambda x: (x * 2,) * 2)
    out = []
    for _k in seq():
        a, b = f(torch.arange(4.0))
        a.add_(1)
        out.append((b.tolist(), a is b))
    return out


@case
def ret_arg_view_grad(wrap):
    f = wrap(lambda x: (x[1:], x * 2))
    out = []
    for _k in seq():
        x = torch.arange(4.0, requires_grad=True)
        a, b = f(x)
        (a.sum() + b.sum()).backward()
        out.append(x.grad.tolist())
    return out


@pytest.mark.parametrize("name", CASES)
def test_compiled_calls_notice(name):
    want = CASES[name](lambda function: function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some stay eager and say why
        assert CASES[name](torch.compile) == want
