"""Looking at and acting on the graph: nodes, edges, saved tensors, hooks."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from . import refusal
from .accidents import explain_module
from .backward import GradientEdge
from .hooks import register_multi_grad_hook
from .inplace import bump
from .node import AccumulateGrad, Node, OutSlot, accumulator
from .record import edge_inside
from .saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from .stand_ins import rest_of
from .value import TensorBase


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The place in the graph where this tensor's gradient arrives."""
    if not tensor._rg:
        raise refusal.runtime(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    e = edge_inside(tensor)
    if e.__class__ is OutSlot:
        found = GradientEdge(e.node, e.nr)
    elif isinstance(e, TensorBase):
        found = GradientEdge(accumulator(e), 0)
    else:
        found = GradientEdge(e, 0)
    found.like = (tuple(tensor.shape), tensor.dtype.np)
    return found


def increment_version(tensor: Any) -> None:
    """Tell autograd that a tensor's memory was changed by other means."""
    for t in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        bump(t, "increment_version")


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Generator[Any, None, None]:
    """Inside the block, saved tensors may be modified in place: backward uses their old values.

    Every saved tensor is copied when it is saved, so this costs its memory once more.
    """
    copies: list[Any] = []

    def pack(t: Any) -> Any:
        copies.append(True)
        return t.detach().clone()

    with saved_tensors_hooks(pack, lambda t: t):
        yield copies


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted for compatibility: there are no streams on a CPU."""


def walk(outputs: Any) -> Iterator[Any]:
    """Every node of the graph behind the outputs, latest first."""
    roots = (outputs,) if isinstance(outputs, TensorBase) else tuple(outputs)
    seen: set[int] = set()
    stack = [t.grad_fn for t in roots if t.grad_fn is not None]
    nodes: list[Any] = []
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        nodes.append(node)
        stack += [n for n, _ in node.next_functions if n is not None]
    # Accumulators are made when somebody looks, so their number says nothing: they go last.
    yield from sorted(nodes, key=lambda n: (isinstance(n, AccumulateGrad), n.key))


__all__: Sequence[str] = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks", "walk",
]  # fmt: skip


explain_module(globals(), "get_gradient_edge", "increment_version")

__getattr__ = rest_of(__name__)
