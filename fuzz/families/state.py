"""Compiled functions that read Python state which changes between calls.

A function reads numbers from places (`state_places.py`), uses them (`state_uses.py`), and is called
eight times while the numbers change by value, by type, by the sign of zero. What the compiled
function returns, or raises, must be what the plain function does in every call; what it returned
earlier must stay as it was.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import chainrule

from ..script import Disagreement, Raised, Script, code_generation, compare, shown
from .state_effects import effects
from .state_gradients import gradients
from .state_libraries import LIBRARIES
from .state_loops import loops
from .state_odd import odd
from .state_overlooked import OVERLOOKED
from .state_places import PLACES, Place
from .state_tensors import tensors
from .state_uses import HUGE, PAIRS, RETURNS, USES, schedule

CALLS = 8
WEIGHT = 3
HEADER = "import ast, bisect, decimal, fractions, json, math, numbers\nkeep = 0.5"
GRADIENT = """def gradient(out, x):
    many = out.values() if isinstance(out, dict) else out
    tensors = [out] if torch.is_tensor(out) else [t for t in many if torch.is_tensor(t)]
    return torch.autograd.grad((tensors[0] * tensors[0]).sum(), x)"""
ALL_PLACES = [*PLACES.values(), *OVERLOOKED.values(), *LIBRARIES.values()]
NOT_FLOATS = ("None", "'a'", "1 + 2j", "b'a'", "[]", "torch.float64")
REPEATS = ("range(", "[y] *", "while", "ones(", "arange(", "zeros(", "eye(", "repeat(", "expand(")
INPUTS = (
    "torch.tensor([0.5, -1.25, {k}.0])", "torch.tensor([0.5, -1.25, {k}.0])",
    "torch.tensor([0.5, -1.25, {k}.0])", "torch.tensor([[0.5, 1.5, {k}.0]])",
    "torch.tensor([0.5, -1.25, {k}.0], dtype=torch.float64)", "torch.tensor([2, -1, {k}])",
    "torch.tensor([0.5, {k}.0], dtype=torch.float16)",
    "torch.tensor([0.5, -1.25, {k}.0], requires_grad=True)",
)  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"state {seed}")
    kind = rng.random()
    if kind < 0.08:
        return Script("state", seed, tuple(_training(rng)))
    if kind < 0.16:
        return Script("state", seed, tuple(_aliases(rng)))
    if kind < 0.28:
        return Script("state", seed, tuple(tensors(rng, CALLS)))
    if kind < 0.36:
        return Script("state", seed, tuple(effects(rng, CALLS)))
    if kind < 0.44:
        return Script("state", seed, tuple(gradients(rng, CALLS)))
    if kind >= 0.95:
        return Script("state", seed, tuple(loops(rng, CALLS)))
    if kind >= 0.88:
        return Script("state", seed, tuple(odd(rng, CALLS)))
    return Script("state", seed, tuple(_numbers(rng)))


def _numbers(rng: random.Random) -> list[str]:
    """One or two numbers in places of their own."""
    names = ["a"] if rng.random() < 0.7 else ["a", "b"]
    places: dict[str, Place] = {}
    for name in names:
        fits = [p for p in ALL_PLACES if not (places and (p.parameter or p.inside))]
        places[name] = rng.choice(fits)
    plans = {name: schedule(rng, CALLS) for name in names}
    if rng.random() < 0.2 and len(names) == 2:
        plans["b"] = ["2"] * CALLS  # one of them stays
    for name in names:
        if places[name].floats_only:
            plans[name] = ["0.75" if v in NOT_FLOATS else v for v in plans[name]]
    body = _body(rng, names, places)
    if any(word in line for line in body for word in REPEATS):
        plans = {n: ["7" if v in HUGE else v for v in values] for n, values in plans.items()}
    source = rng.choice(INPUTS)
    chunks = [HEADER, *([GRADIENT] if "requires_grad" in source else [])]
    chunks += [place.setup.format(n=n, v=plans[n][0]) for n, place in places.items() if place.setup]
    chunks += _definition(body, places, plans)
    for k in range(CALLS):
        for n, place in places.items():
            if place.write and (k == 0 or plans[n][k] != plans[n][k - 1]):
                write = "set_{n}({v})" if place.inside else place.write
                chunks.append(write.format(n=n, v=plans[n][k]))
        given = [p.argument.format(n=n, v=plans[n][k]) for n, p in places.items() if p.argument]
        chunk = f"x = {source.format(k=k + 1)}\nresults.append(f({', '.join(['x', *given])}))"
        if "requires_grad" in source:
            chunk += "\nshow(lambda: gradient(results[-1], x))"
        chunks.append(chunk + "\nshow(results[-1])")
    chunks.append("show(results)")
    return chunks


def _body(rng: random.Random, names: list[str], places: dict[str, Place]) -> list[str]:
    reads = {n: places[n].read.format(n=n) for n in names}
    lines = ["y = x"]
    if rng.random() < 0.3:  # read once, used by a local name
        lines += [f"{n}_now = {reads[n]}" for n in names]
        reads = {n: f"{n}_now" for n in names}
    if len(names) == 2:
        text = rng.choice(PAIRS).format(v=reads["a"], w=reads["b"])
        lines += text.split("\n")
    for _ in range(rng.choice([1, 1, 2, 3])):
        name = rng.choice(names)
        use = rng.choice(USES[rng.choice(list(USES))])
        lines += use.format(v=reads[name]).split("\n")
    lines.append(rng.choice(RETURNS).format(v=reads[rng.choice(names)]))
    return lines


def _definition(
    body: list[str], places: dict[str, Place], plans: dict[str, list[str]]
) -> list[str]:
    parameters = ["x", *(p.parameter.format(n=n, v=plans[n][0]) for n, p in places.items()
                         if p.parameter)]  # fmt: skip
    lines = [f"def f({', '.join(parameters)}):", *("    " + line for line in body)]
    for n, place in places.items():
        if place.inside:
            lines = [
                "def make():", f"    {n} = {plans[n][0]}", *("    " + line for line in lines),
                f"    def set_{n}(value):", f"        nonlocal {n}", f"        {n} = value",
                f"    return f, set_{n}", f"f, set_{n} = make()",
            ]  # fmt: skip
    chunks = ["\n".join(lines), "original = f"]
    chunks += [p.later.format(n=n, v=plans[n][0]) for n, p in places.items() if p.later]
    return [*chunks, "f = compiled(f)\nresults = []"]


OPTIMIZERS = {
    "SGD": ["lr", "momentum", "weight_decay", "dampening", "nesterov", "maximize"],
    "Adam": ["lr", "betas", "eps", "weight_decay", "amsgrad", "maximize"],
    "AdamW": ["lr", "betas", "eps", "weight_decay", "maximize"],
    "RMSprop": ["lr", "alpha", "eps", "momentum", "weight_decay", "centered"],
    "Adagrad": ["lr", "lr_decay", "eps", "weight_decay"],
    "Adadelta": ["lr", "rho", "eps"],
    "Adamax": ["lr", "betas", "eps"],
    "NAdam": ["lr", "betas", "momentum_decay"],
    "RAdam": ["lr", "betas", "weight_decay"],
    "Rprop": ["lr", "etas", "step_sizes"],
}
OPTIONS = {
    "betas": ["(0.9, 0.99)", "(0.5, 0.99)", "(0.9, 0.9)"], "etas": ["(0.5, 1.2)", "(0.3, 1.5)"],
    "step_sizes": ["(1e-6, 50)", "(1e-3, 0.2)"], "nesterov": ["True", "False"],
    "maximize": ["True", "False"], "amsgrad": ["True", "False"], "centered": ["True", "False"],
    "eps": ["1e-8", "1e-3", "0.1"], "weight_decay": ["0", "0.1", "0.5", "0.0"],
    "lr": ["0.1", "0.01", "1", "0.5", "0.0", "torch.tensor(0.1)"],
}  # fmt: skip


def _training(rng: random.Random) -> list[str]:
    """A training step whose optimizer's options change."""
    name = rng.choice(list(OPTIMIZERS))
    option = rng.choice(OPTIMIZERS[name])
    menu = OPTIONS.get(option, ["0.9", "0.5", "0.0", "0.1"])
    first = "lr=0.1, momentum=0.9" if name in ("SGD", "RMSprop") else "lr=0.1"
    step = ["opt.zero_grad()", "loss = ((w * x).sin() ** 2).sum() + b", "loss.backward()",
            "opt.step()", "return loss.detach()"]  # fmt: skip
    if rng.random() < 0.3:
        step.insert(3, "torch.nn.utils.clip_grad_norm_([w, b], opt.param_groups[0]['lr'])")
    lines = ["def f(x):", *("    " + line for line in step)]
    chunks = [
        "torch.set_default_dtype(torch.float64)",
        "w = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)",
        "b = torch.tensor(0.3, requires_grad=True)",
        f"opt = torch.optim.{name}([w, b], {first})",
        "\n".join(lines),
        "f = compiled(f)",
    ]
    for k in range(CALLS):
        if rng.random() < 0.5:
            chunks.append(f"opt.param_groups[0]['{option}'] = {rng.choice(menu)}")
        chunks.append(f"show(f(torch.tensor([0.5, -1.25, {k + 1}.0])))\nshow([w, b, w.grad])")
    return chunks


PARTS = (
    "p = y.chunk(2)", "p = y.split(2)", "p = y.split([1, 3])", "p = y.unbind(0)",
    "p = (y[1:], y[:2])",
    "p = (y.t(), y)", "p = (y.view(-1), y)", "p = (y[0], y[0])", "p = (y, y)",
    "p = (y.detach(), y)",
    "p = (y.unsqueeze(0), y.expand(2, 4, 4))", "p = (y.diagonal(), y[::2])", "p = (x, y)",
    "p = (x[1:], y)", "p = (x.view(-1), x)", "p = [y.clone(), y]",
    "p = (y.reshape(2, 8), y[:, 1:3])",
    "p = y.tensor_split(3)", "p = (y.mT, y.unfold(0, 2, 1))", "p = (y.contiguous(), y)",
    "p = (y.to(torch.float32), y)", "p = y.hsplit(2)", "p = (w, y)", "p = (w[1:], w * 2)",
)  # fmt: skip
WRITES = (
    "p[0].mul_(2)", "p[1].add_(1)", "p[0][0] = 7", "p[1].zero_()", "x.mul_(2)", "w.add_(1)",
    "p[0].copy_(p[1].sum())", "p[-1].fill_(3)",
)  # fmt: skip


def _aliases(rng: random.Random) -> list[str]:
    """Results that share memory with each other or with the argument, written by the caller."""
    start = rng.choice(["y = x * 2", "y = x", "y = x + w", "y = x.clone()", "y = x.sin()"])
    inner = rng.choice(["", "", "", "y.add_(1)", "x.mul_(0.5)", "w.mul_(0.5)"])
    body = [start, *([inner] if inner else []), rng.choice(PARTS), "return p"]
    chunks = [
        "w = torch.ones(4, 4)",
        "\n".join(["def f(x):", *("    " + line for line in body)]),
        "f = compiled(f)\nresults = []",
    ]
    for k in range(CALLS):
        made = f"x = torch.arange(16.0).reshape(4, 4) + {k}"
        if rng.random() < 0.1:
            made += "\nx = x.t()"
        if rng.random() < 0.1:
            made += "\nx.requires_grad_()"
        chunks.append(f"{made}\np = f(x)\nresults.append(p)\nshow(p)")
        if rng.random() < 0.6:
            chunks.append(f"{rng.choice(WRITES)}\nshow([p, x, w])")
    return [*chunks, "show(results)"]


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    """Compiled must equal eager: interpreted, and as machine code for a share of the programs."""
    want = run(script, torch, lambda f: f)
    with code_generation(False):
        got = run(script, torch, torch.compile)
    if any(_is_modified(w) and not _is_modified(g) for g, w in zip(got, want, strict=False)):
        # A plan may have kept a value of its own, where eager code kept the user's tensor.
        want = run_keeping_copies(script, torch)
    if _writes_unseen(script):
        want = _nearest(script, torch, got, want)
    _compare(script, "interpreted", got, want, 1e-6, _bound(script), _has_signs(script))
    if script.seed % 16 == 0 and ways.get("machine_code", True):
        with code_generation(True):
            got = run(script, torch, torch.compile)
        _compare(script, "compiled", got, want, 1e-5, max(1e-6, _bound(script)))
    return "ok"


def _bound(script: Script) -> float:
    """Gradients of norms are differences of terms a hundred times their size."""
    return 3e-5 if re.search(r"norm\(|bn\(", script.text()) else 2e-6


def _has_signs(script: Script) -> bool:
    """Whether the sign of a zero says something; that of no gradient of a softmax does."""
    return "softmax" not in script.text()


def _writes_unseen(script: Script) -> bool:
    return re.search(r"^\w+(\[0\]\.weight)?\.data\.", script.text(), re.MULTILINE) is not None


def _nearest(script: Script, torch: Any, got: Any, want: Any) -> Any:
    """What eager code shows, with copies of what it saves if only so it shows the same: a write
    through `.data` reaches what eager code saved, and not what a plan computed of it or kept."""
    try:
        _compare(script, "", got, want, 1e-6, _bound(script), _has_signs(script))
    except Disagreement:
        return run_keeping_copies(script, torch)
    return want


def _with_converted_copies(script: Script, got: Any, want: Any) -> tuple[Any, Any]:
    """What both show until a compiled call refuses that its argument was written: where operands
    are of several types, eager code has saved a converted copy, and a plan its argument."""
    mixed = any(word in script.text() for word in (".half()", ".double()", "arange(16).", "1j"))
    for k, (a, b) in enumerate(zip(got, want, strict=False)):
        if mixed and _is_modified(a) and not _is_modified(b):
            return got[:k], want[:k]
    return got, want


def _compare(script: Script, way: str, got: Any, want: Any, *how: Any) -> None:
    """As far as both can be compared."""
    compare(way, *_to_first_refusal(*_with_converted_copies(script, got, want)), *how)


# What compiled functions say that they cannot do, where eager code can.
_REFUSALS = (
    "its own backward is known to the plan only",
    "got other memory",
    "changed between the",
    "was changed through x.data or NumPy",
    "was set to False between",
)


def _to_first_refusal(got: Any, want: Any) -> tuple[Any, Any]:
    """What both show until a compiled function refuses what docs/compiler.md says it does: with
    `create_graph`, also that something was written which eager code does not need."""
    for k, (a, b) in enumerate(zip(got, want, strict=False)):
        if isinstance(a, Raised) and not isinstance(b, Raised):
            if any(words in a.words for words in _REFUSALS) or _is_modified(a):
                return got[:k], want[:k]
    return got, want


def run(script: Script, torch: Any, compiled: Callable[..., Any]) -> list[Any]:
    """What the program shows with its function wrapped in this way."""
    default = torch.get_default_dtype()
    try:
        return shown(script, {"torch": torch, "compiled": compiled}, _flags)
    finally:
        torch.set_default_dtype(default)


def _is_modified(item: Any) -> bool:
    return isinstance(item, Raised) and "modified by an inplace operation" in item.words


def run_keeping_copies(script: Script, torch: Any) -> list[Any]:
    """What eager code shows when it saves copies for backward."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: t.detach().clone(), lambda t: t):
        return run(script, torch, lambda f: f)


def _flags(tensor: Any) -> tuple[Any, ...]:
    return (tensor.requires_grad,)
