"""A model's graph for TensorBoard: one forward pass, read from its tape.

What is drawn is what the tape holds: every differentiable operation between the inputs, the
parameters and the outputs, inside of the module that ran it. The pass leaves no traces: buffers,
random state and `requires_grad` are as before.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

import chainrule as torch

from .._pytree import tree_leaves
from . import messages


def graph_of(model: Any, given: Any) -> bytes:
    """The encoded graph of `model(*given)`."""
    from ...reading.modules import track_modules

    _check(model, given)
    arguments = tuple(given) if isinstance(given, tuple | list) else (given,)
    with _left_as_it_was(model), torch.enable_grad():
        arguments = tuple(_recorded_copy(a) for a in arguments)
        with track_modules(model) as calls:
            result = model(*arguments)
    outputs = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
    if not any(t.grad_fn is not None for t in outputs):
        raise ValueError(
            "add_graph: nothing leads from the inputs and parameters to the outputs of "
            f"{type(model).__name__} that could be drawn: it returned "
            f"{', '.join(type(t).__name__ for t in tree_leaves(result)) or 'nothing'} without a "
            "graph (detached, or computed without differentiable operations)."
        )
    return _Drawing(model, calls, arguments, outputs).encoded()


def _check(model: Any, given: Any) -> None:
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"add_graph draws an nn.Module, got {type(model).__name__}")
    if given is None:
        raise ValueError(
            "add_graph needs an input to run the model on: writer.add_graph(model, x), where x is "
            "a tensor or a tuple of tensors"
        )


def _recorded_copy(a: Any) -> Any:
    if isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex()):
        return a.detach().clone().requires_grad_()
    return a


@contextlib.contextmanager
def _left_as_it_was(model: Any) -> Iterator[None]:
    """Every parameter takes part in the graph; what the pass changes is put back."""
    parameters = [p for p in model.parameters() if p.is_floating_point()]
    frozen = [p for p in parameters if not p.requires_grad]
    buffers = [(b, b.detach().clone()) for b in model.buffers()]
    random = torch.get_rng_state()
    for p in frozen:
        p.requires_grad_(True)
    try:
        yield
    finally:
        for p in frozen:
            p.requires_grad_(False)
        with torch.no_grad():
            for b, before in buffers:
                b.copy_(before)
        torch.set_rng_state(random)


class _Drawing:
    """Names for everything on the tape, and the nodes of the file."""

    def __init__(self, model: Any, calls: Any, arguments: Any, outputs: list[Any]) -> None:
        from ...reading.nodes import Tape

        self.model, self.calls, self.outputs = model, calls, outputs
        self.tapes = [Tape.of(t) for t in outputs if t.grad_fn is not None]
        self.names: dict[int, str] = {}  # key of a vertex -> name of its node
        self.taken: set[str] = set()
        self.modules = dict(model.named_modules())
        self.leaves = {id(p): self._inside(path) for path, p in model.named_parameters()}
        self.leaves |= {id(b): self._inside(path) for path, b in model.named_buffers()}
        self.inputs = {
            id(a): f"input/{name}" for name, a in zip(_names(model), arguments, strict=False)
        }
        self.nodes: list[bytes] = []

    def encoded(self) -> bytes:
        vertices: dict[int, Any] = {}
        for tape in self.tapes:
            tape.name(tape.names)
            self.calls.assign(tape)
            vertices.update((v.key, v) for v in tape.order)
        leaves = [v for v in vertices.values() if v.leaf is not None]
        # The latest node has the smallest key: the file has them in the order of the pass.
        for v in [*leaves, *sorted((v for v in vertices.values() if v.node), key=lambda v: -v.key)]:
            self._add(v)
        tapes = iter(self.tapes)
        for number, output in enumerate(self.outputs, 1):
            sources = []
            if output.grad_fn is not None:
                tape = next(tapes)
                sources = [_port(self.names[tape.root.key], tape.root_nr)]
            name = self._unique(f"output/output.{number}")
            shape = tuple(output.shape)
            self.nodes.append(messages.graph_node(name, "IO Node", sources, shape, ""))
        return messages.graph(self.nodes)

    def _add(self, v: Any) -> None:
        from ...reading.nodes import shape_of

        if v.leaf is not None:
            known = self.inputs.get(id(v.leaf))
            kind = "IO Node" if known else "Parameter"
            wanted = known or self.leaves.get(id(v.leaf)) or f"{self._scope('')}/constant"
        else:
            kind = v.op
            wanted = f"{self._scope(v.module)}/{v.op}"
        name = self.names[v.key] = self._unique(wanted)
        sources = [_port(self.names[link.parent.key], link.nr) for link in v.inputs]
        found = shape_of(v)
        shape = None if found is None else found[0]
        self.nodes.append(messages.graph_node(name, kind, sources, shape, _settings(v)))

    def _unique(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name

    def _scope(self, path: str) -> str:
        """`Net/Sequential[body]/Linear[0]` for `body.0`."""
        parts = [type(self.model).__name__]
        known = ""
        for step in path.split(".") if path else ():
            known = f"{known}.{step}" if known else step
            module = self.modules.get(known)
            parts.append(step if module is None else f"{type(module).__name__}[{step}]")
        return "/".join(parts)

    def _inside(self, path: str) -> str:
        owner, _, name = path.rpartition(".")
        return f"{self._scope(owner)}/{name}"


def _port(name: str, nr: int) -> str:
    return f"{name}:{nr}" if nr else name


def _names(model: Any) -> list[str]:
    """What the model calls its inputs."""
    try:
        parameters = inspect.signature(model.forward).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    names: list[str] = []
    for p in parameters:
        several = p.kind is p.VAR_POSITIONAL
        names += [f"{p.name}.{k}" for k in range(16)] if several else [p.name]
    return names


def _settings(v: Any) -> str:
    """The settings of an op as text: axis=1, keepdims=False."""
    if v.leaf is not None:
        return ""
    known = {n: value for n, value in v.parameters().items() if not hasattr(value, "shape")}
    return ", ".join(f"{name}={value}" for name, value in known.items())
