"""Compiled functions that do something besides returning a tensor.

What a call prints, counts, remembers or puts into an object must happen in every call, compiled or
not; what it returns of the caller's own must be the caller's own.
"""

from __future__ import annotations

import random

SETUP = """import collections, contextvars, io, logging, os
out, counter, log, seen, array = io.StringIO(), {'n': 0}, [], set(), np.zeros(2)
queue, variable, total = collections.deque([0] * 99), contextvars.ContextVar('v', default=0), 0
class Box:
    n, last = 0, None
box, w, it, text = Box(), torch.zeros(3), iter(range(99)), bytearray(1)
os.environ['FUZZ_E'] = ''
layer = torch.nn.Module()
layer.register_buffer('mean', torch.zeros(3))
layer.n = 0
class Keep(logging.Handler):
    def emit(self, record):
        log.append(record.getMessage())
logger = logging.getLogger('fuzz.effects')
logger.handlers, level = [Keep()], logger.setLevel(10)
p = torch.nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([p], lr=0.1)
rate, history = 0.5, []
def state():
    said = out.getvalue(), counter, len(log), sorted(seen), array, len(queue), variable.get(), total
    mine = box.n, box.last, w, bytes(text), os.environ['FUZZ_E'], layer.mean, layer.n, p, p.grad
    return [said, mine, opt.param_groups[0]['lr'], len(history)]"""
EFFECTS = (
    "print('a', file=out)", "out.write('b')", "counter['n'] += 1", "log.append(1)",
    "seen.add(len(seen))", "array[0] += 1", "array += 1", "queue.popleft()", "total += 1",
    "variable.set(variable.get() + 1)", "box.n += 1", "box.last = y", "box.last = y.detach()",
    "w.add_(1)", "w += y.detach().sum()", "y = y * next(it)", "text[0] += 1",
    "os.environ['FUZZ_E'] += 'a'", "layer.mean = layer.mean + 1", "layer.mean += 1", "layer.n += 1",
    "logger.info('a')", "history.append(y)", "history.append(float(rate))", "setattr(box, 'n', 7)",
    "counter['m'] = len(counter)", "counter.update(k=rate)", "p.grad = torch.ones(3)",
    "opt.param_groups[0]['lr'] *= 0.5", "opt.zero_grad()\n(p * x.detach()).sum().backward()",
    "opt.step()", "p.data.mul_(2)", "p.requires_grad_(not p.requires_grad)", "Box.n += 1",
    "del box.last\nbox.last = 3", "w.t_()", "w.resize_(3)", "queue.rotate(1)", "log.clear()",
)  # fmt: skip
RETURNS = (
    "y", "y", "(y, counter)", "(y, log)", "[y, box.n]", "(y, w)", "(y, queue[0])", "dict(y=y, w=w)",
    "(y, [log, counter])", "(y, p.grad)", "(y, total, history)",
)  # fmt: skip
BETWEEN = (
    "counter['n'] = 7", "box.n = 3", "log.append(2)", "w.fill_(2)", "layer.mean = torch.ones(3)",
    "logger.setLevel(50)", "logger.setLevel(10)", "rate = 2", "p.grad = None", "seen.clear()",
    "opt.param_groups[0]['lr'] = 0.3", "layer.mean = layer.mean.double()", "w = torch.ones(3)",
    "w.data = torch.full((3,), 4.0)", "box = Box()", "box.last = None",
)  # fmt: skip


def effects(rng: random.Random, calls: int) -> list[str]:
    """The chunks of one program."""
    body = ["global total", f"y = x * {rng.choice(['2', 'rate', 'w', 'p', 'layer.mean'])}"]
    for _ in range(rng.choice([1, 1, 2])):
        effect = rng.choice(EFFECTS).split("\n")
        if rng.random() < 0.25:
            effect = [f"if rate {rng.choice('<>')} 1:", *("    " + line for line in effect)]
        body += effect
    body.append(f"return {rng.choice(RETURNS)}")
    chunks = [SETUP, "\n".join(["def f(x):", *("    " + line for line in body)])]
    chunks.append("f = compiled(f)")
    for k in range(calls):
        if rng.random() < 0.3:
            chunks.append(rng.choice(BETWEEN))
        chunks.append(f"got = f(torch.tensor([0.5, -1.25, {k + 1}.0]))")
        chunks.append("show(got)")
        chunks.append("show([q is mine for q in got for mine in (counter, log, w)])")
        chunks.append("show(state())")
    return chunks
