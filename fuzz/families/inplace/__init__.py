"""Views and in-place writes: every kind of view, every in-place method, modes and leaves.

A tame program is run in all the ways of the straight-line family. With PyTorch at hand, what is
seen of every variable is compared too: values, gradients, versions, flags, and which lines raise.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule

from ...script import Disagreement, Raised, Script, Seen, compare, shown
from ..straight.check import check as check_straight
from ..straight.generate import INPUTS, Program
from .writer import write

WEIGHT = 6


@dataclass
class InPlace(Program):
    """A straight-line program of views and writes."""

    kind: str = "real"
    wild: bool = False

    def arrays(self, seed: int | None = None) -> list[np.ndarray]:
        if self.kind != "integer":
            return super().arrays(seed)
        rng = np.random.default_rng(self.seed if seed is None else seed)
        return [rng.integers(-5, 9, self.shapes[name]) for name in INPUTS]

    def script(self) -> str:
        return "\n".join(
            ["import chainrule as torch", *self.setup(), *self.lines, "out.backward()"]
        )

    def setup(self) -> list[str]:
        used = set(re.findall(r"\bx[012]\b", self.text()))
        wants = "" if self.kind == "integer" else ".requires_grad_()"
        dtype = {"real": "float64", "complex": "complex128", "integer": "int64"}[self.kind]
        return [f"{name} = torch.tensor({a.tolist()}, dtype=torch.{dtype}){wants}"
                for name, a in zip(INPUTS, self.arrays(), strict=True) if name in used]  # fmt: skip


def generate(seed: int) -> InPlace:
    rng = random.Random(f"kind {seed}")
    kind = rng.choices(["real", "complex", "integer"], [0.8, 0.12, 0.08])[0]
    wild = kind == "integer" or rng.random() < 0.45
    lines, shapes = write(seed, kind, wild)
    return InPlace(lines, shapes, seed, kind == "complex", set(), kind, wild)


def check(program: InPlace, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    outcome = "ok"
    if oracle is not None:
        outcome = check_oracle(program, torch, oracle)
    if program.wild:
        check_again(program, torch)
        return outcome
    try:
        return check_straight(program, torch, **ways)
    except Disagreement:
        raise
    except Exception:
        if oracle is None and _runs(program, torch):
            raise
        return "invalid" if oracle is None else outcome


def _runs(program: InPlace, torch: Any) -> bool:
    """Whether the program runs as it stands; what raises is compared with PyTorch only."""
    return not any(isinstance(item, Raised) for item in seen(program, torch))


def seen(program: InPlace, torch: Any, create: bool = False) -> list[Any]:
    """What is seen of each line, of each variable at the end, and of the gradients.

    If the backward pass raises it is the last thing: which gradients were there by then is not
    promised.
    """
    count = len(program.lines)
    chunks = [*program.setup(), *program.lines]
    chunks += [f"if 'v{k}' in globals(): show(v{k})" for k in range(count)]
    chunks.append("show(out)")
    space: dict[str, Any] = {"torch": torch}
    # PyTorch forgets to count some, and others are views of nothing afterwards.
    counted = not re.search(r"\.(apply|map|map2|set|resize|resize_as)_\(", program.text())
    seeing = flags if counted else unversioned
    before = shown(Script("inplace", program.seed, tuple(chunks)), space, seeing)
    backward = shown(
        Script("inplace", program.seed, (f"out.backward(create_graph={create})",)), space
    )
    if backward:
        return [*before, *backward]
    names = [*INPUTS, *(f"v{k}" for k in range(count))]
    grads = tuple(f"if '{n}' in globals(): show({n}.grad)" for n in names)
    return before + shown(Script("inplace", program.seed, grads), space)


# Where PyTorch raises in backward and we may be able to go on: it saves more, or has no rule.
MORE = (
    "modified by an inplace|derivative for .* is not implemented|returned an invalid gradient"
    "|Cannot convert a ZeroTensor|has been detached in-place"
)  # What we refuse always, and PyTorch in most methods.
LESS = (
    "more than one element of the written-to tensor refers to a single memory location"
    "|whose shape was changed in place since|A view was created in no_grad mode"
)
# Operands that lie partly in the memory written to: not every method of ours refuses them, since
# results are computed before they are written.
APART = (
    "some elements of the input tensor and the written-to tensor refer to a single memory"
    "|more than one element of the written-to tensor refers|INTERNAL ASSERT FAILED"
    "|A view was created in no_grad mode"
)


def flags(tensor: Any) -> tuple[Any, ...]:
    """Besides the values: standing in the graph, version."""
    return tensor.requires_grad, tensor.is_leaf, tensor._version, tensor._is_view()


def unversioned(tensor: Any) -> tuple[Any, ...]:
    return flags(tensor)[:2]


def check_again(program: InPlace, torch: Any) -> None:
    """A backward pass that records itself gives the same gradients."""
    first, again = seen(program, torch), seen(program, torch, create=True)
    if not any(isinstance(item, Raised) for item in (*first, *again)):
        compare("create_graph", again, first, 1e-7, 1e-9)


def check_oracle(program: InPlace, torch: Any, oracle: Any) -> str:
    got, want = seen(program, torch), seen(program, oracle)
    if isinstance(want[-1], Raised) and re.search(MORE, want[-1].words):
        got, want = got[: len(want) - 1], want[:-1]
    for k, (a, b) in enumerate(zip(got, want, strict=False)):
        ours = isinstance(a, Raised) and re.search(LESS, a.words)
        if ours or (isinstance(b, Raised) and re.search(APART, b.words)):
            got, want = got[:k], want[:k]
            break
        for item in (a, b):
            if isinstance(item, Raised) and item.kind in ("IndexError", "NotImplementedError"):
                item.kind = "RuntimeError"  # which of two mistakes is told first
    if any(isinstance(t, Seen) and np.abs(t.values).max(initial=0) > 1e5 for t in want):
        return "invalid"  # whose sine is a matter of rounding
    compare("PyTorch", got, want, 1e-6, 1e-8)
    return "ok"
