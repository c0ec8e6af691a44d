"""Compiled training loops whose settings, modules, optimizers and modes change between calls.

A step reads its settings from dataclasses, enums, context variables, closures, generators and
class attributes; between two calls modules are replaced, frozen or hooked, parameter groups added,
states loaded, modes and default types switched. Everything that training leaves behind must be as
in eager code.
"""

from __future__ import annotations

import random

SETUP = """torch.set_grad_enabled(True)
torch.use_deterministic_algorithms(False)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
import collections, contextlib, contextvars, copy, dataclasses, enum, functools, itertools
import threading, types
nn, F = torch.nn, torch.nn.functional
class Mode(enum.Enum):
    PLAIN = 'plain'
    ROOT = 'root'
class Flag(enum.IntFlag):
    CLIP = 1
    NOISE = 2
    EMA = 4
@dataclasses.dataclass
class Inner:
    decay: float = 0.5
    norms: list = dataclasses.field(default_factory=lambda: [1.0, 0.1])
@dataclasses.dataclass
class Config:
    clip: float = 1.0
    every: int = 2
    mode: Mode = Mode.PLAIN
    flags: Flag = Flag.CLIP
    inner: Inner = dataclasses.field(default_factory=Inner)
    @property
    def doubled(self):
        return self.clip * 2
Pair = collections.namedtuple('Pair', 'x y')
config, var, limits = Config(), contextvars.ContextVar('v', default=0.5), {'a': 1.0, 'b': [2, 3]}
step_count, log, ticks = 0, [], itertools.count()
weights_cycle = itertools.cycle([1.0, 0.5, 2.0])
class Net(nn.Module):
    scale = 1.0
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 3)
        self.norm, self.act = nn.LayerNorm(4), nn.Tanh()
        self.bn = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.0)
        self.layers = nn.ModuleList([nn.Linear(3, 3)])
        self.register_buffer('seen', torch.zeros(()))
        self.gain, self.depth = 1.0, 1
    @property
    def factor(self):
        return self.gain * self.scale
    def forward(self, x, *more, shift=None, **named):
        self.seen += 1
        for t in more:
            x = x + t
        y = self.drop(self.act(self.norm(self.a(x))))
        y = self.b(y) * self.factor
        for layer in itertools.chain(*[self.layers] * self.depth):
            y = y + layer(x)
        if shift is not None:
            y = y + shift
        for name in named:
            y = y * named[name]
        return y
net = Net()
extra = nn.Linear(3, 3)
handles = []
@functools.cache
def schedule(k):
    return 1 / (1 + k)
def generate():
    k = 1.0
    while True:
        k = yield_value(k)
        yield k
def yield_value(k):
    return k * 0.9
decays = generate()
def closure_setting():
    value = 1.0
    def get():
        return value
    def put(new):
        nonlocal value
        value = new
    return get, put
get, put = closure_setting()
def state():
    return [[t.detach().clone() for t in net.state_dict().values()],
            [None if t.grad is None else t.grad.clone() for t in net.parameters()],
            [t.detach().clone() for t in extra.parameters()], len(log), step_count, net.training,
            [g['lr'] for g in opt.param_groups]]
def memory():
    return [[v for v in s.values()] for s in opt.state.values()]"""
LATER = """shadow = [p.detach().clone() for p in net.parameters()]
averaging = torch.optim.swa_utils
ema = averaging.AveragedModel(net, multi_avg_fn=averaging.get_ema_multi_avg_fn(0.5))
scaler = torch.amp.GradScaler('cpu', init_scale=4.0)
first, first_state = copy.deepcopy(net.state_dict()), copy.deepcopy(opt.state_dict())
w = torch.full((3,), 0.5)
x = torch.ones(2, 3)
parts, named = (x,), {}
first_forward = Net.forward
def other_forward(self, x, *more, **named):
    return self.b(self.a(x).relu())
class Half(nn.Module):
    def forward(self, w):
        return w * get() * 0.5
def inner(x):
    return net(x) * 2
def broken(x):
    raise ValueError
def fragile(x):
    return net(x)"""
OPTIMIZERS = (
    "torch.optim.SGD(net.parameters(), lr=0.1)",
    "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)",
    "torch.optim.Adam(net.parameters(), lr=0.05)",
    "torch.optim.AdamW([dict(params=net.a.parameters(), lr=0.1), "
    "dict(params=[*net.b.parameters(), *net.layers.parameters()])], lr=0.03)",
    "torch.optim.RMSprop(net.parameters(), lr=0.01, momentum=0.5, centered=True)",
    "torch.optim.Adagrad(net.parameters(), lr=0.1)",
    "torch.optim.NAdam(net.parameters(), lr=0.02)",
    "torch.optim.SGD(net.parameters(), lr=torch.tensor(0.1))",
    "torch.optim.Adam(net.parameters(), lr=0.05, amsgrad=True, foreach=False)",
)  # fmt: skip
SCHEDULERS = (
    "torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)",
    "torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)",
    "torch.optim.lr_scheduler.LambdaLR(opt, lambda k: get() / (k + 1))",
    "torch.optim.lr_scheduler.OneCycleLR(opt, 0.3, total_steps=20)",
    "torch.optim.lr_scheduler.SequentialLR(opt, [torch.optim.lr_scheduler.ConstantLR(opt, 0.3, "
    "2), torch.optim.lr_scheduler.ExponentialLR(opt, 0.7)], [3])",
    "torch.optim.lr_scheduler.ExponentialLR(opt, 0.8)",
)  # fmt: skip
FORWARDS = (
    "out = net(x)", "out = net(x, x * 0.5)", "out = net(x, shift=w)",
    "out = net(x, g=2.0, h=get())", "out = net(*parts, **named)", "out = net.bn(net(x))",
    "out = net(x) @ extra.weight", "pair = Pair(x, x * config.clip)\nout = net(pair.x) + pair.y",
    "out = sum(net(t) for t in (x, x * var.get()))",
    "out = F.dropout(net(x), 0.0, training=net.training)",
    "with torch.autocast('cpu', dtype=torch.bfloat16, enabled=config.mode is Mode.ROOT):\n    "
    "out = net.a(x)\nout = out.float()[:, :3]",
    "out = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=False)", "out = inner(x)",
    "out = torch.func.functional_call(net, dict(net.named_parameters()), (x,))",
    "with torch.no_grad():\n    h = net.a(x)\nout = net.b(h)",
    "outs = {}\nfor name, layer in net.named_children():\n    if name in ('a', 'act', 'b'):\n   "
    "     outs[name] = layer(x if not outs else [*outs.values()][-1])\nout = outs['b']",
    "out = net(x)\nif out.requires_grad:\n    out.register_hook(lambda g: g * get())",
    "h = net.a(x)\nh.retain_grad()\nout = net.b(h)",
    "try:\n    out = fragile(x)\nexcept ValueError:\n    out = net(x) * 0.5",
)  # fmt: skip
LOSSES = (
    "loss = (out ** 2).mean()", "loss = F.mse_loss(out, x.detach()[:, :3])",
    "loss = (out - out.detach()).abs().sum() + out.sum()",
    "loss = F.cross_entropy(out, torch.zeros(len(out), dtype=torch.long), label_smoothing=0.1 * "
    "(config.flags & Flag.NOISE > 0))",
    "loss = (out ** 2).sum()\nfor k, p in enumerate(net.parameters()):\n    loss = loss + "
    "p.pow(2).sum() * limits['a'] * (k < 2)",
    "loss = out.sum() * next(weights_cycle)", "loss = (out * next(decays)).sum()",
    "loss = (out ** 2).mean() * schedule(step_count)",
    "loss = out.norm() if config.mode is Mode.ROOT else out.sum()",
    "match config.mode:\n    case Mode.PLAIN:\n        loss = out.mean()\n    case _:\n        "
    "loss = out.abs().sqrt().mean()",
    "loss = (out ** 2).mean() + config.inner.decay * sum(config.inner.norms) * out.sum()",
    "loss = out.sum() * config.doubled",
    "g, = torch.autograd.grad(out.sum(), net.a.weight, create_graph=True, allow_unused=True, "
    "materialize_grads=True)\nloss = (out ** 2).mean() + (g ** 2).sum()",
)  # fmt: skip
BACKWARDS = (
    "loss.backward()", "loss.backward()", "loss.backward()", "(loss / config.every).backward()",
    "scaler.scale(loss).backward()\nscaler.unscale_(opt)",
    "loss.backward(inputs=[p for p in net.parameters() if p.requires_grad])",
    "loss.backward(retain_graph=True)\nloss.backward()",
    "for p, g in zip(net.parameters(), torch.autograd.grad(loss, [*net.parameters()], "
    "allow_unused=True)):\n    p.grad = g",
)  # fmt: skip
UPDATES = (
    "opt.step()", "opt.step()", "opt.step()",
    "if step_count % config.every == 0:\n    opt.step()\n    opt.zero_grad()",
    "nn.utils.clip_grad_norm_(net.parameters(), config.clip)\nopt.step()",
    "if Flag.CLIP in config.flags:\n    log.append(nn.utils.clip_grad_norm_(net.parameters(), "
    "limits['a']))\nopt.step()",
    "nn.utils.clip_grad_value_(net.parameters(), config.clip * 0.1)\nopt.step()",
    "scaler.step(opt)\nscaler.update()", "opt.step()\nsched.step()", "opt.step()\nsched.step()",
    "opt.step()\nema.update_parameters(net)",
    "with torch.no_grad():\n    for p in net.parameters():\n        if p.grad is not None:\n    "
    "        p -= limits['a'] * 0.01 * p.grad",
    "with torch.no_grad():\n    for p, s in zip(net.parameters(), shadow):\n        s.lerp_(p, "
    "1 - config.inner.decay)\nopt.step()",
    "torch._foreach_mul_([p.grad for p in net.parameters() if p.grad is not None], get())\n"
    "opt.step()",
    "opt.param_groups[0]['lr'] = 0.1 * schedule(step_count)\nopt.step()",
    "log.append(float(loss))\nopt.step()",
    "for p in net.parameters():\n    p.data.add_(p.grad if p.grad is not None else 0, "
    "alpha=-0.05)",
)  # fmt: skip
RETURNS = (
    "loss.detach()", "loss", "(loss.detach(), out)",
    "dict(loss=loss.detach(), out=out.detach())", "Pair(loss.detach(), out.detach())",
    "loss.item()", "[out, out[:1]]", "(loss.detach(), step_count)",
)  # fmt: skip
CHANGES = (
    "config.clip = 0.1", "config.clip = 3", "config.every = 3", "config.every = 1",
    "config.mode = Mode.ROOT", "config.mode = Mode.PLAIN", "config.flags |= Flag.NOISE",
    "config.flags ^= Flag.CLIP", "config.inner.decay = 0.9", "config.inner.norms.append(0.5)",
    "config.inner.norms[0] = 3.0", "config = dataclasses.replace(config, clip=0.3)",
    "config.inner = Inner(0.1)", "var.set(2.0)", "limits['a'] = 0.2", "limits['b'].append(1)",
    "put(0.25)", "put(2)", "Net.scale = 2.0", "Net.scale = 1.0", "net.gain = 0.5",
    "net.gain = 3", "net.scale = 0.3", "net.depth = 2", "net.depth = 0", "net.eval()",
    "net.train()", "net.bn.eval()", "net.act = nn.ReLU()", "net.act = nn.Tanh()",
    "net.b = nn.Linear(4, 3)", "net.drop.p = 0.5", "net.layers.append(nn.Linear(3, 3))",
    "net.layers[0] = nn.Identity()", "net.norm = nn.Identity()", "net.a.requires_grad_(False)",
    "net.a.requires_grad_(True)", "net.b.bias = None", "net.requires_grad_(False)",
    "net.requires_grad_(True)", "net.layers[0].weight = extra.weight",
    "net.b.weight = nn.Parameter(net.a.weight.detach().t().clone()[:, :].reshape(3, 4))",
    "handles.append(net.a.register_forward_hook(lambda m, a, out: out * 2))",
    "handles.append(net.register_forward_pre_hook(lambda m, a: (a[0] * 0.5, *a[1:])))",
    "handles.append(net.b.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None "
    "else g * 2 for g in gi)))",
    "handles.append(net.a.weight.register_hook(lambda g: g * 0.5))",
    "handles.append(net.a.weight.register_post_accumulate_grad_hook(lambda p: "
    "(p.grad.mul_(0.5), None)[1]))",
    "handles.append(opt.register_step_post_hook(lambda o, a, k: log.append(1)))",
    "handles.append(opt.register_step_pre_hook(lambda o, a, k: net.a.bias.data.mul_(0.9)))",
    "while handles:\n    handles.pop().remove()", "net.zero_grad(set_to_none=False)",
    "net.zero_grad()", "opt.zero_grad()", "opt = torch.optim.SGD(net.parameters(), lr=0.2)",
    "opt.param_groups[0]['lr'] = 0.01", "opt.param_groups[0]['weight_decay'] = 0.1",
    "opt.add_param_group(dict(params=extra.parameters()))",
    "saved = copy.deepcopy(opt.state_dict())\nopt.load_state_dict(saved)",
    "opt.load_state_dict(first_state)", "opt.state.clear()", "net.load_state_dict(first)",
    "net.load_state_dict(first, assign=True)", "net.double()\nx = x.double()", "net.float()",
    "net.a.weight.data.zero_()", "net.a.weight.data = torch.ones(4, 3)",
    "torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.float32)",
    "torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)", "schedule.cache_clear()",
    "schedule = functools.cache(lambda k: 0.5)", "weights_cycle = itertools.cycle([3.0])",
    "net.forward = types.MethodType(lambda self, x, *a, **k: self.a(x)[:, :3], net)",
    "vars(net).pop('forward', None)", "Net.forward = other_forward",
    "Net.forward = first_forward", "nn.utils.parametrizations.weight_norm(net.b)",
    "nn.utils.parametrize.register_parametrization(net.a, 'weight', Half())",
    "nn.utils.prune.l1_unstructured(net.layers[0], 'weight', 2)", "net.seen = torch.ones(())",
    "net.extra = nn.Linear(3, 3)", "del net.layers[0]", "net.share_memory()",
    "net.a, net.spare = nn.Linear(3, 4), net.a", "extra.weight.grad = torch.ones(3, 3)",
    "for p in net.parameters():\n    p.grad = None",
    "for p in net.parameters():\n    p.grad = torch.ones_like(p)",
    "sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)", "sched.last_epoch = 0",
    "sched.gamma = 0.9", "scaler = torch.amp.GradScaler('cpu', init_scale=8.0)",
    "scaler.update(2.0)", "inner = compiled(lambda x: net(x) * 2)",
    "inner = lambda x: net(x) * get()", "parts, named = [x * 1, x * 0.1], {'h': 0.5}",
    "parts, named = (x * 1,), {}", "fragile = broken", "fragile = lambda x: net(x)",
    "torch.manual_seed(5)", "torch.use_deterministic_algorithms(True)",
    "torch.use_deterministic_algorithms(False)", "w = w * 2",
    "w = torch.ones(3, dtype=torch.float64)", "w.mul_(3)", "w.requires_grad_(True)",
    "net = copy.deepcopy(net)", "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)",
)  # fmt: skip
INPUTS = (
    "torch.arange(6.0).reshape(2, 3) * 0.1 * {k}", "torch.arange(6.0).reshape(2, 3) * 0.1 * {k}",
    "torch.linspace(-1, 1, 12).reshape(4, 3) + {k}",
    "(torch.arange(6.0).reshape(2, 3) * 0.1).requires_grad_()",
    "torch.arange(6.0).reshape(3, 2).t() * 0.1",
    "(torch.arange(6.0).reshape(2, 3) * 0.1 * {k}).to(next(net.parameters()).dtype)",
)  # fmt: skip
ZEROS = (
    "opt.zero_grad()", "opt.zero_grad(set_to_none=False)", "net.zero_grad()",
    "if step_count % 2:\n    opt.zero_grad()",
)  # fmt: skip
SCALED = "scaler.step(opt)\nscaler.update()"
CLIPPED = "scaler.unscale_(opt)\nnn.utils.clip_grad_norm_(net.parameters(), limits['a'])\n"
COMPILED = (
    "f = compiled(f)", "f = compiled(f)", "f = compiled(functools.partial(f))",
    "class Trainer:\n    def run(self, x):\n        return self.inner(x)\n"
    "trainer = Trainer()\ntrainer.inner = f\nf = compiled(trainer.run)",
)  # fmt: skip
MODELS = (
    "model = compiled(net)", "model = compiled(net)",
    "inner = compiled(inner)\nmodel = lambda x: inner(x)",
)  # fmt: skip
CALLS = (
    "with torch.no_grad():\n    found = f(x)",
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    found = f(x)",
    "found = contextvars.copy_context().run(f, x)",
    "box = []\nthread = threading.Thread(target=lambda: box.append(f(x)))\nthread.start()\n"
    "thread.join()\nfound = box[0]",
)  # fmt: skip


def loops(rng: random.Random, calls: int) -> list[str]:
    """The chunks of one program."""
    chunks = [SETUP, f"opt = {rng.choice(OPTIMIZERS)}\nsched = {rng.choice(SCHEDULERS)}\n{LATER}"]
    defined, outside = _defined(rng)
    chunks += defined
    inputs = rng.sample(INPUTS, rng.choice([1, 1, 2]))
    changes = rng.sample(CHANGES, rng.choice([1, 2, 3, 4]))
    start = rng.choice([1, 3, 4, 4, 5])
    for k in range(1, calls + 1):
        if k >= start and rng.random() < 0.55:
            chunks.append(rng.choice(changes))
        call = "found = f(x)" if rng.random() < 0.88 else rng.choice(CALLS)
        chunks.append(
            f"x = {rng.choice(inputs).format(k=k)}\n{call}\n"
            "show(round(found, 5) if isinstance(found, float) else found)"
        )
        chunks += [outside, "show(state())"] if outside else ["show(state())"]
    return [*chunks, "show(memory())", "torch.set_grad_enabled(True)"]


def _defined(rng: random.Random) -> tuple[list[str], str]:
    """The step: compiled as a whole, up to its loss, or with a compiled model inside; and what
    goes on outside after each call."""
    back, update = rng.choice(BACKWARDS), rng.choice(UPDATES)
    if "scaler" in back + update:
        back, update = "scaler.scale(loss).backward()", rng.choice(["", CLIPPED]) + SCALED
    body = ["global step_count, net\nstep_count += 1"]
    if rng.random() < 0.7:
        body.append(rng.choice(ZEROS))
    how = rng.random()
    if how < 0.15:
        body += ["out = model(x)", rng.choice(LOSSES), back, update]
        return [rng.choice(MODELS), _function(body, rng.choice(RETURNS))], ""
    body += [rng.choice(FORWARDS), rng.choice(LOSSES)]
    if how < 0.4:
        result = rng.choice(["loss", "(loss, out)"])
        outside = "loss = found[0] if isinstance(found, tuple) else found"
        return [_function(body, result), "f = compiled(f)"], f"{outside}\n{back}\n{update}"
    return [_function([*body, back, update], rng.choice(RETURNS)), rng.choice(COMPILED)], ""


def _function(body: list[str], result: str) -> str:
    lines = "\n".join([*body, f"return {result}"]).split("\n")
    return "\n".join(["def f(x):", *("    " + line for line in lines)])
