"""Views and in-place writes: every kind of view, every in-place method, modes and leaves.

A tame program is run in all the ways of the straight-line family. With PyTorch at hand, what is
seen of every variable is compared too: values, gradients, versions, flags, and which lines raise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import chainrule

from ...script import Disagreement, Raised, Script, Seen, compare, shown
from ..straight.check import check as check_straight
from ..straight.generate import INPUTS, Program
from .writer import write

WEIGHT = 6
UNCOUNTED = re.compile(r"\.(apply|map|map2|resize|resize_as)_\(")


@dataclass
class InPlace(Program):
    """A straight-line program of views and writes."""

    kind: str = "real"
    wild: bool = False
    nearness: complex = 0.0
    moved: tuple[int, int, complex] | None = None  # an input, its element, how far

    def arrays(self, seed: int | None = None) -> list[np.ndarray]:
        if self.kind != "integer":
            arrays = [np.asarray(a * (1 + self.nearness)) for a in super().arrays(seed)]
            if self.moved is not None:
                arrays[self.moved[0]].flat[self.moved[1]] += self.moved[2]
            return arrays
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
    counted = not UNCOUNTED.search(program.text())
    seeing = flags if counted else unversioned
    if counted and ".set_(" in program.text():
        # What was a view stays one in PyTorch, wherever its memory is now, and stands in the graph
        # as the tensor does whose memory it was.
        seeing = version_only
    before = shown(Script("inplace", program.seed, tuple(chunks)), space, seeing)
    backward = shown(
        Script("inplace", program.seed, (f"out.backward(create_graph={create})",)), space
    )
    if backward:
        return [*before, *backward]
    names = [*INPUTS, *(f"v{k}" for k in range(count))]
    grads = tuple(f"if '{n}' in globals(): show({n}.grad)" for n in names)
    return before + shown(Script("inplace", program.seed, grads), space)


# Where PyTorch raises in backward and we may be able to go on: it saves more, or has no rule, or
# copies into a part of a complex tensor that had another shape before `unsqueeze_`.
MORE = (
    "modified by an inplace|derivative for .* is not implemented|returned an invalid gradient"
    "|Cannot convert a ZeroTensor|has been detached in-place|must match the size of tensor b"
    "|doesn't match the broadcast shape"
)  # What we refuse always, and PyTorch in most methods.
LESS = (
    "more than one element of the written-to tensor refers to a single memory location"
    "|some elements of the input tensor and the written-to tensor refer to a single memory"
    "|whose shape was changed in place since|A view was created in no_grad mode"
    "|cannot resize variables that require grad"
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


def version_only(tensor: Any) -> tuple[Any, ...]:
    return flags(tensor)[2:3]


def check_again(program: InPlace, torch: Any) -> None:
    """A backward pass that records itself gives the same gradients."""
    first, again = seen(program, torch), seen(program, torch, create=True)
    if not any(isinstance(item, Raised) for item in (*first, *again)):
        compare("create_graph", again, first, 1e-7, 1e-9)


def check_oracle(program: InPlace, torch: Any, oracle: Any) -> str:
    ours, theirs = seen(program, torch), seen(program, oracle)
    if any(isinstance(t, Seen) and np.abs(t.values).max(initial=0) > 1e5 for t in theirs):
        return "invalid"  # whose sine is a matter of rounding
    if ".set_(" in program.text() and re.search(r"\.resize_\(", program.text()):
        return "invalid"  # memory that several tensors show cannot grow here
    got, want = comparable(ours, theirs)
    if _modified_uncounted(program, got):
        got, want = got[:-1], want[: len(got) - 1]
    if _agree(got, want):
        return "ok"
    if any(_agree(*comparable(ours, again)) for again in told_otherwise(program, oracle)):
        return "ok"
    if any(not _agree(again, want, "values") for again in told_apart(program, oracle)):
        return "invalid"
    if _agree(_without_gradients(got), _without_gradients(want)) and is_exact(program, torch):
        return "ok"  # and PyTorch's gradients are not
    compare("PyTorch", got, want, 1e-6, 1e-8)
    return "ok"


def _modified_uncounted(program: InPlace, got: list[Any]) -> bool:
    """Whether a method that PyTorch forgets to count has modified what was saved."""
    raised = bool(got) and isinstance(got[-1], Raised)
    modified = raised and "modified by an inplace" in got[-1].words
    return modified and bool(UNCOUNTED.search(program.text()))


def comparable(got: list[Any], want: list[Any]) -> tuple[list[Any], list[Any]]:
    """What both have shown up to where one of them may raise alone."""
    if isinstance(want[-1], Raised) and re.search(MORE, want[-1].words):
        got, want = got[: len(want) - 1], want[:-1]
    for k, (a, b) in enumerate(zip(got, want, strict=False)):
        ours = isinstance(a, Raised) and re.search(LESS, a.words)
        if ours or (isinstance(b, Raised) and re.search(APART, b.words)):
            return got[:k], want[:k]
        for item in (a, b):
            if isinstance(item, Raised) and item.kind in ("IndexError", "NotImplementedError"):
                item.kind = "RuntimeError"  # which of two mistakes is told first
    return got, want


def _agree(got: list[Any], want: list[Any], kind: str = "") -> bool:
    """Whether no disagreement (of this kind) is found in what both have shown."""
    try:
        compare("", got, want, 1e-6, 1e-8)
    except Disagreement as found:
        return kind not in found.way
    return True


def told_otherwise(program: InPlace, torch: Any) -> Iterator[list[Any]]:
    """What PyTorch shows of a program that means the same to us."""
    text = program.text()
    if re.search(r"\.data\b|\.detach\(\)", text):  # such writes do not reach what the tape saved
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            yield seen(program, torch)
    # A view learns what became of its base when somebody asks for its node.
    ask = "for t in list(globals().values()):\n    if hasattr(t, 'grad_fn'): t.grad_fn"
    asked = [part for line in program.lines for part in (f"{line}", f"try:\n{_indented(ask)}\n"
             "except Exception: pass")]  # fmt: skip
    yield seen(replace(program, lines=asked), torch)


def told_apart(program: InPlace, torch: Any) -> Iterator[list[Any]]:
    """Programs that must show the same values, unless these depend on loops or on rounding."""
    yield seen(replace(program, lines=[with_copies(line) for line in program.lines]), torch)
    # Also across the cuts of complex functions, where the sign of a zero decides.
    ways = {"real": (1e-14,), "complex": (1e-14, 1e-14j, -1e-14j), "integer": ()}
    # Of these PyTorch knows nine digits, with an error for each element, which one step for all of
    # them may hide: it changes elements up and down.
    inexact = (1e-9, 1e-8) if re.search(r"igammac?_\(|polygamma_\(", program.text()) else ()
    for nearness in (*ways[program.kind], *inexact):
        yield seen(replace(program, nearness=nearness), torch)


def _without_gradients(shown: list[Any]) -> list[Any]:
    """What was shown until the backward pass: the last of these is `out`."""
    scalars = [k for k, t in enumerate(shown) if isinstance(t, Seen) and t.flags and not t.shape]
    return shown[: scalars[-1] + 1] if scalars else shown


def is_exact(program: InPlace, torch: Any, step: float = 1e-6) -> bool:
    """Whether our gradients are what the results differ by when the inputs are moved."""
    space = _space(program, torch)
    for i, name in enumerate(INPUTS):
        leaf = space.get(name)
        if leaf is None or not leaf.is_leaf:
            continue
        got = np.zeros(leaf.shape, leaf.numpy(force=True).dtype)
        if leaf.grad is not None:
            got = leaf.grad.numpy()
        slopes = np.zeros_like(got)
        for k in range(got.size):
            for unit in (1, 1j)[: 2 if got.dtype.kind == "c" else 1]:
                ends = [_space(replace(program, moved=(i, k, sign * step * unit)), torch)["out"]
                        for sign in (1, -1)]  # fmt: skip
                slopes.flat[k] += unit * (ends[0] - ends[1]).item() / (2 * step)
        scale = max(1.0, np.abs(slopes).max(initial=0.0))
        if not np.allclose(got, slopes, 1e-4, 1e-4 * scale):
            return False
    return True


def _space(program: InPlace, torch: Any) -> dict[str, Any]:
    """The variables of a program, after its backward pass."""
    space: dict[str, Any] = {"torch": torch}
    lines = (*program.setup(), *program.lines, "out.backward()")
    shown(Script("inplace", program.seed, lines), space)
    return space


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


_WRITES = re.compile(r"\w_\(|\] = |[-+*/%&|^<>]= ")


def with_copies(text: str) -> str:
    """The text with copies for the operands of methods that write in place."""
    lines = []
    for line in text.split("\n"):
        writes = re.fullmatch(r"(.*\w_\(|.* .?.?= )(.*)", line) if _WRITES.search(line) else None
        if writes:
            line = writes[1] + re.sub(r"\b([vx]\d+)\b", r"\1.clone()", writes[2])
        lines.append(line)
    return "\n".join(lines)
