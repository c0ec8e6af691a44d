"""Several roots at once: leaves as roots, roots of one another, given twice; inputs anywhere.

Without PyTorch a pass from several roots is compared with one from their weighted sum, and passes
that record themselves with passes that do not.
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
# Where PyTorch raises because it saves more than we do.
MORE = "modified by an inplace operation|backward through the graph a second time"


def generate(seed: int) -> Script:
    rng = random.Random(f"roots {seed}")
    graph = Graph(rng)
    for _ in range(rng.randint(1, 6)):
        graph.step()
        if rng.random() < 0.08:
            graph.write()
        if rng.random() < 0.12:
            graph.chunks.append(f"{graph.any()}.retain_grad()")
    for _ in range(rng.choice([1, 1, 2, 3])):
        graph.chunks.append(_pass(rng, graph))
        if rng.random() < 0.1:
            graph.chunks.append(f"{rng.choice(graph.leaves)}.grad = None")
    graph.chunks += [f"show({n}.grad)" for n in (*graph.leaves, *graph.made)]
    return Script("roots", seed, tuple(graph.chunks))


def _pass(rng: random.Random, graph: Graph) -> str:
    names = graph.pairs * 2 + graph.others
    roots = [rng.choice(names) for _ in range(rng.randint(1, 4))]
    gradients = []
    for name in roots:
        scalar = name in graph.others
        menu = [f"torch.ones_like({name})", f"2 * torch.ones_like({name})", f"{name}.detach()"]
        given = "None" if scalar and rng.random() < 0.6 else rng.choice(menu)
        if rng.random() < 0.02:
            given = rng.choice(["None", "torch.ones(3)", "torch.ones(2, dtype=torch.float32)"])
        gradients.append(given)
    inputs = ", ".join(rng.choice(names) for _ in range(rng.randint(1, 3)))
    retain = rng.choice(["retain_graph=True", "retain_graph=True", ""])
    heads = f"[{', '.join(roots)}], [{', '.join(gradients)}]"
    if rng.random() < 0.55:
        extra = f"inputs=[{inputs}]" if rng.random() < 0.25 else ""
        options = ", ".join(filter(None, [retain, extra]))
        return f"torch.autograd.backward({heads}{', ' + options if options else ''})"
    options = ", ".join(filter(None, [
        retain, "allow_unused=True" if rng.random() < 0.8 else "",
        "create_graph=True" if rng.random() < 0.2 else "",
        "materialize_grads=True" if rng.random() < 0.1 else "",
    ]))  # fmt: skip
    given = f"[{', '.join(gradients)}]"
    return (f"show(torch.autograd.grad([{', '.join(roots)}], [{inputs}], {given}"
            f"{', ' + options if options else ''}))")  # fmt: skip


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    want = shown(script, {"torch": torch})
    if oracle is not None:
        _compare_with(oracle, script, want)
    if any(isinstance(item, Raised) for item in want):
        return "invalid" if oracle is None else "ok"
    recording = [chunk if "create_graph" in chunk else
                 chunk.replace("retain_graph=True", "create_graph=True")
                 for chunk in script.chunks]  # fmt: skip
    got = shown(replace(script, chunks=tuple(recording)), {"torch": torch})
    compare("create_graph", got, want, 1e-9, 1e-12)
    summed = _summed(script)
    if summed is not None:
        compare("weighted sum", shown(summed, {"torch": torch}), want, 1e-9, 1e-12)
    return "ok"


def _compare_with(oracle: Any, script: Script, want: list[Any]) -> None:
    """What PyTorch shows; a gradient given as `x.detach()` may become `.grad` itself there, and
    what is added to it later is written into x."""
    apart = tuple(chunk.replace(".detach()", ".detach().clone()") for chunk in script.chunks)
    for told in (script, replace(script, chunks=apart)):
        ours, theirs = to_first_error(want), to_first_error(shown(told, {"torch": oracle}))
        if isinstance(theirs[-1], Raised) and re.search(MORE, theirs[-1].words):
            ours, theirs = ours[: len(theirs) - 1], theirs[:-1]
        try:
            compare("PyTorch", ours, theirs, 1e-9, 1e-12)
        except Disagreement:
            if told is not script:
                raise
        else:
            return


HEADS = re.compile(r"torch\.autograd\.backward\(\[(.*?)\], \[(.*)\]((?:, retain_graph=True)?)\)$")


def _summed(script: Script) -> Script | None:
    """The same program with each backward pass from the sum of roots times their gradients."""
    if "retain_grad()" in script.text() or "inputs=" in script.text():
        return None  # gradients of the roots themselves are seen
    chunks = []
    for chunk in script.chunks:
        found = HEADS.match(chunk)
        if found:
            roots, given, retain = found.groups()
            weights = [w.strip() for w in re.split(r",\s*(?![^(]*\))", given)]
            terms = [f"({root} * {'1' if weight == 'None' else weight}).sum()"
                     for root, weight in zip(roots.split(", "), weights, strict=True)]  # fmt: skip
            options = retain.removeprefix(", ")
            chunk = f"({' + '.join(terms)}).backward({options})"
        elif chunk.startswith("torch.autograd.backward"):
            return None
        chunks.append(chunk)
    return replace(script, chunks=tuple(chunks))
