"""Hooks on tensors, nodes, leaves and several tensors at once: what they get, when, how often.

Without PyTorch, programs whose only hooks are on tensors are compared with the same programs in
which an identity with a backward of its own stands in for each hook, and a pass that records itself
with one that does not.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import chainrule

from ..script import Disagreement, Raised, Script, compare, shown, to_first_error
from .graphs import Graph

WEIGHT = 3
# Where PyTorch raises and we can go on.
MORE = (
    "not supported|modified by an inplace operation|through the graph a second time"
    "|more than one element of the written-to tensor"
)
# Where PyTorch asks for the node of such a view when it gets its first hook, not its second.
LESS = "This view is the output of a function that returns multiple views"
CHANGE = ("g * 2", "-g", "g + 1", "g * 0", "g.clone()", "g", "None", "g.sin()", "g * g")
ON_TENSORS = (
    "{t} = hooked({t}, lambda g: log('{n}', g))", "{t} = hooked({t}, lambda g: {c})",
    "{t} = hooked({t}, lambda g: log('{n}', g) or {c})",
)  # fmt: skip
HOOKS = (
    "{t}.register_hook(lambda g: log('{n}', g))", "{t}.register_hook(lambda g: {c})",
    "{t}.register_hook(lambda g: log('{n}', g) or {c})",
    "h_{n} = {t}.register_hook(lambda g: log('{n}', g) or h_{n}.remove())",
    "h_{n} = {t}.register_hook(lambda g: {c})\nh_{n}.remove()",
    "{t}.register_hook(lambda g: {t}.register_hook(lambda g: log('{n}', g)) and None)",
    "{t}.grad_fn.register_hook(lambda gi, go: log('{n}', *gi, *go))",
    "{t}.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else {q} for g in gi))",
    "{t}.grad_fn.register_prehook(lambda go: log('{n}', *go))",
    "{t}.grad_fn.register_prehook(lambda go: tuple(None if g is None else {q} for g in go))",
    "h_{n} = {t}.grad_fn.register_hook(lambda gi, go: log('{n}', *gi))\nh_{n}.remove()",
    "{l}.register_post_accumulate_grad_hook(lambda p: log('{n}', p.grad))",
    "{l}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', p.grad * 2))",
    "{l}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "h_{n} = {l}.register_post_accumulate_grad_hook(lambda p: log('{n}', p.grad))\nh_{n}.remove()",
    "n_{n} = torch.autograd.graph.get_gradient_edge({l}).node\n"
    "n_{n}.register_hook(lambda gi, go: log('{n}', *gi, *go))",
    "n_{n} = torch.autograd.graph.get_gradient_edge({l}).node\n"
    "n_{n}.register_prehook(lambda go: log('{n}', *go))",
    "torch.autograd.graph.register_multi_grad_hook([{m}], lambda gs: log('{n}', *gs))",
    "torch.autograd.graph.register_multi_grad_hook([{m}], lambda gs: log('{n}', *gs), mode='all')",
    "torch.autograd.graph.register_multi_grad_hook([{m}], lambda g: log('{n}', g), mode='any')",
    "h_{n} = torch.autograd.graph.register_multi_grad_hook(({m},), lambda gs: log('{n}', *gs))\n"
    "h_{n}.remove()",
    "{t}.retain_grad()", "{t}.retain_grad()", "{t}.retain_grad()\n{t}.retain_grad()",
    "{t}.register_hook(lambda g: 1 / 0)", "{t}.register_hook(lambda g: g[:1])",
    "{t}.register_hook(lambda g: g.float())", "{t}.register_hook(lambda g: 3)",
    "{t}.register_hook(None)", "{t}.register_hook(lambda g: (g.mul_(2), None)[1])",
    "{t}.register_hook(lambda g: g.mul_(2))",
)  # fmt: skip
PASSES = (
    "out.backward()", "out.backward()", "out.backward(retain_graph=True)\nout.backward()",
    "show(torch.autograd.grad(out, [{m}], allow_unused=True))", "out.backward(inputs=[{m}])",
    "out.backward(create_graph=True)", "torch.autograd.backward([out, {t}.sum()])",
    "show(torch.autograd.grad(out, [{m}], retain_graph=True, allow_unused=True))\nout.backward()",
    "out.backward(retain_graph=True)\n{t}.retain_grad()\nout.backward()",
    "g = torch.autograd.grad(out, [{m}], create_graph=True, allow_unused=True)[0]\nshow(g)\n"
    "g.sum().backward()",
)  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"hooks {seed}")
    plain = rng.random() < 0.3  # only what a function of one's own can do as well
    writes = not plain and rng.random() < 0.3
    graph = Graph(
        rng, not writes, every_leaf=True
    )  # PyTorch crashes on some hooks of views written to
    count = 0
    for _ in range(rng.randint(2, 7)):
        t = graph.step()
        if writes and rng.random() < 0.4:
            graph.write()
        while rng.random() < 0.5:
            if plain:
                if t not in graph.pairs or f"{t} = hooked" in graph.chunks[-1]:
                    break  # the order of two hooks on one tensor is not that of two functions
                text = rng.choice(ON_TENSORS)
            else:
                # What a write through a view is made of inside is each engine's own.
                text = rng.choice([h for h in HOOKS if not (writes and ".grad_fn" in h)])
                t = graph.any() if rng.random() < 0.6 else t
            graph.chunks.append(_filled(text, rng, graph, t, f"h{count}"))
            count += 1
    graph.total()
    passes = PASSES[:3] if plain else PASSES
    graph.chunks.append(_filled(rng.choice(passes), rng, graph, graph.any(), "p"))
    graph.chunks.append("show(seen)")
    names = [*graph.leaves, *graph.made]
    graph.chunks += [f"show({n}.grad)" for n in names]
    return Script("hooks", seed, tuple(graph.chunks))


def _filled(text: str, rng: random.Random, graph: Graph, t: str, name: str) -> str:
    names = graph.pairs + graph.others
    many = rng.sample(names, min(len(names), rng.randint(1, 3)))
    changed = [c for c in CHANGE if c != "None"]
    return text.format(t=t, n=name, c=rng.choice(CHANGE), q=rng.choice(changed),
                       l=rng.choice(graph.leaves), m=", ".join(many))  # fmt: skip


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    want = run(script, torch)
    if oracle is not None:
        _compare_with(oracle, script, want)
    if any(isinstance(item, Raised) for item in want):
        return "invalid" if oracle is None else "ok"
    recording = _recording(script)
    if recording is not None:
        compare("create_graph", run(recording, torch), want, 1e-9, 1e-12)
    if "hooked(" in script.text():
        compare("own function", run(script, torch, by_function), want, 1e-9, 1e-12)
    return "ok"


def _compare_with(oracle: Any, script: Script, got: list[Any]) -> None:
    try:
        _compare(oracle, script, got)
    except Disagreement:
        if "g.mul_(2)" not in script.text():
            raise
        # There another tensor, or the caller, may have the gradient that a hook writes to.
        try:
            _compare(oracle, _out_of_place(script), got)
        except Disagreement:
            _compare(oracle, _with_copies(script), got)


def _compare(oracle: Any, script: Script, got: list[Any]) -> None:
    ours, theirs = to_first_error(got), to_first_error(run(script, oracle))
    if isinstance(theirs[-1], Raised) and re.search(MORE, theirs[-1].words):
        ours, theirs = ours[: len(theirs) - 1], theirs[:-1]
    if ours and isinstance(ours[-1], Raised) and LESS in ours[-1].words:
        ours, theirs = ours[:-1], theirs[: len(ours) - 1]
    compare("PyTorch", ours, theirs, 1e-9, 1e-12)


def _out_of_place(script: Script) -> Script:
    """The program with hooks that return another gradient."""
    hooks = (("(g.mul_(2), None)[1]", "g * 2"), ("g.mul_(2)", "g * 2"))
    chunks = script.chunks
    for written, made in hooks:
        chunks = tuple(chunk.replace(written, made) for chunk in chunks)
    return replace(script, chunks=chunks)


def _with_copies(script: Script) -> Script:
    """The program in which every tensor gets a copy of its gradient before its other hooks."""
    chunks = []
    for chunk in script.chunks:
        chunks.append(chunk)
        for name in re.findall(r"(?m)^([abc]|v\d+)(?:, v\d+)? = ", chunk):
            copied = f"{name}.register_hook(lambda g: g.clone())"
            chunks.append(f"if {name}.requires_grad: {copied}")
    return replace(script, chunks=tuple(chunks))


def _recording(script: Script) -> Script | None:
    """The same program with passes that record themselves, where nothing writes to gradients."""
    text = script.text()
    if "g.mul_(2)" in text or "create_graph" in text or "p.grad" in text:
        return None
    changed = [chunk.replace("out.backward()", "out.backward(create_graph=True)")
               for chunk in script.chunks]  # fmt: skip
    return replace(script, chunks=tuple(changed)) if tuple(changed) != script.chunks else None


def run(script: Script, torch: Any, hooked: Any = None) -> list[Any]:
    def register(tensor: Any, hook: Any) -> Any:
        if hooked is not None:
            return hooked(torch, tensor, hook)
        tensor.register_hook(hook)
        return tensor

    return shown(script, {"torch": torch, "hooked": register})


def by_function(torch: Any, tensor: Any, hook: Any) -> Any:
    """An identity whose backward is the hook."""

    class Hooked(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            made = hook(g)
            return g if made is None else made

    return Hooked.apply(tensor)
