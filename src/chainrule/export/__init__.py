"""`torch.export`: a module as a graph that does not need its class.

The graph is that of `torch.fx`, with layers of `torch.nn` as single nodes: it holds for every shape
that the layers take, not only for that of the example, and is checked against the module with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..fx import GraphModule, Node, Tracer
from ..fx.proxy import TraceError
from ..nn import Module
from ..tensor import Tensor
from ..utils._pytree import tree_leaves


class Dim:
    """A dimension that may change between calls; all may, so it only names one.

    >>> Dim("batch", min=1).__name__
    'batch'
    """

    AUTO = DYNAMIC = STATIC = None

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
        self.__name__, self.min, self.max = name, min, max


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:  # noqa: A002
    """Several dimensions."""
    return tuple(Dim(name, min=min, max=max) for name in names)


@dataclass
class ExportGraphSignature:
    """The names of what goes into a graph and comes out of it."""

    user_inputs: tuple[str, ...]
    user_outputs: tuple[Any, ...]
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]


@dataclass
class ExportedProgram:
    """A captured module: `module()` runs it."""

    graph_module: GraphModule
    graph_signature: ExportGraphSignature
    example_inputs: tuple[Any, dict[str, Any]]
    range_constraints: dict[str, Any] = field(default_factory=dict)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self.graph_module.graph

    @property
    def state_dict(self) -> dict[str, Any]:
        """Parameters and buffers."""
        return self.graph_module.state_dict()

    def module(self, check_guards: bool = True) -> GraphModule:
        """The module that runs the graph."""
        return self.graph_module

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters by name."""
        return self.graph_module.named_parameters()

    def parameters(self) -> Iterator[Any]:
        """The parameters."""
        return self.graph_module.parameters()

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """The buffers by name."""
        return self.graph_module.named_buffers()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` "
            "instead."
        )

    def run_decompositions(self, decomp_table: Any = None) -> NoReturn:
        """Always an error: graphs hold public functions, not PyTorch's core operators."""
        raise NotImplementedError(
            "ExportedProgram.run_decompositions: chainrule's graphs call public functions and "
            "layers, which are not taken apart into PyTorch's core operators"
        )

    def __str__(self) -> str:
        readable = self.graph_module.print_readable(print_output=False)
        return f"ExportedProgram:\n{readable}\nGraph signature: {self.graph_signature}"


def export(
    mod: Any, args: tuple[Any, ...], kwargs: Any = None, *, dynamic_shapes: Any = None,
    strict: bool = False, preserve_module_call_signature: Any = (),
) -> ExportedProgram:  # fmt: skip
    """Capture a module with example arguments; an error where a branch depends on values.

    >>> import chainrule as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()).eval()
    >>> program = torch.export.export(net, (torch.ones(1, 2),))
    >>> x = torch.randn(3, 2)
    >>> torch.equal(program.module()(x), net(x))
    True
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise TypeError(
            f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}"
        )
    bound = inspect.signature(mod.forward).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    fixed = {k: v for k, v in bound.arguments.items() if not _has_tensor(v)}
    tracer = Tracer()
    try:
        graph = tracer.trace(mod, fixed or None)
    except (TraceError, NotImplementedError, RuntimeError, TypeError) as problem:
        raise RuntimeError(
            f"torch.export: {type(mod).__name__} cannot be captured, since its Python depends on "
            f"values or shapes: {problem}"
        ) from problem
    for node in graph.nodes:  # what was given a value keeps its name, and has it as default
        name = node.target[:-2] if node.op == "placeholder" else ""
        if name in fixed and node.target == f"{name}_1" and not _is_container(fixed[name]):
            node.target, node.args = name, (fixed[name],)
    made = GraphModule(mod, graph, type(mod).__name__)
    _check(mod, made, args, kwargs or {})
    return ExportedProgram(made, _signature(made), (args, dict(kwargs or {})))


def _is_container(value: Any) -> bool:
    """Whether a value is a container."""
    return isinstance(value, tuple | list | dict)


def _has_tensor(value: Any) -> bool:
    return any(isinstance(leaf, Tensor) for leaf in tree_leaves(value))


def _check(mod: Any, made: GraphModule, args: Any, kwargs: Any) -> None:
    """The graph gives what the module gives; of modules that draw random numbers only shapes."""
    from .. import allclose, get_rng_state, no_grad, set_rng_state

    state = get_rng_state()
    with no_grad():
        wanted = tree_leaves(mod(*args, **kwargs))
        set_rng_state(state)
        found = tree_leaves(made(*args, **kwargs))
    for a, b in zip(wanted, found, strict=True):
        if isinstance(a, Tensor) and not (
            a.shape == b.shape and allclose(a, b, equal_nan=True, rtol=1e-4, atol=1e-5)
        ):
            raise RuntimeError(
                f"torch.export: the captured graph of {type(mod).__name__} gives other values than "
                "the module: it keeps state that a graph does not\n  Fix: export it in eval mode."
            )


def _signature(made: GraphModule) -> ExportGraphSignature:
    nodes = made.graph.nodes
    returned = tree_leaves(made.graph.output_node().args[0])
    return ExportGraphSignature(
        tuple(n.name for n in nodes if n.op == "placeholder"),
        tuple(r.name if isinstance(r, Node) else r for r in returned),
        tuple(name for name, _ in made.named_parameters()),
        tuple(name for name, _ in made.named_buffers()),
    )


def save(ep: ExportedProgram, f: Any, **options: Any) -> None:
    """Write a program to a file of ours; PyTorch does not read it."""
    from .. import save as save_file

    save_file({"chainrule_export": ep.graph_module, "inputs": ep.example_inputs}, f)


def load(f: Any, **options: Any) -> ExportedProgram:
    """Read a program that `save` wrote. The file can run code: load only your own."""
    from .. import load as load_file

    found = load_file(f, weights_only=False)
    if not isinstance(found, dict) or "chainrule_export" not in found:
        raise RuntimeError("torch.export.load: this is no file that torch.export.save wrote here")
    made = found["chainrule_export"]
    return ExportedProgram(made, _signature(made), found["inputs"])


__all__ = ["Dim", "ExportGraphSignature", "ExportedProgram", "dims", "export", "load", "save"]
