"""`torch.export`: a module as a graph that does not need its class.

The graph is that of `torch.fx`, with layers of `torch.nn` as single nodes, and is checked against
the module with the example. Calls are checked against the example's shapes and `dynamic_shapes`;
`run_decompositions` gives the graph in PyTorch's operators, for the shapes of the example.
"""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..autograd.accidents import explain_module
from ..autograd.packages import keep_functions as _keep_functions
from ..fx import GraphModule, Tracer
from ..fx.proxy import TraceError
from ..nn import Module
from ..tensor import Tensor
from ..utils._pytree import tree_leaves
from .dynamic_shapes import Dim, Guards, UserError, dims
from .shape_collections import AdditionalInputs, ShapesCollection
from .signature import (
    ExportBackwardSignature,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    ModuleCallEntry,
    ModuleCallSignature,
    OutputKind,
    OutputSpec,
    TensorArgument,
    signature_of,
)


@dataclass
class ExportedProgram:
    """A captured module: `module()` runs it."""

    graph_module: GraphModule
    graph_signature: ExportGraphSignature
    example_inputs: tuple[Any, dict[str, Any]]
    range_constraints: dict[str, Any] = field(default_factory=dict)
    guards: Any = None

    @property
    def graph(self) -> Any:
        """The graph."""
        return self.graph_module.graph

    @property
    def state_dict(self) -> dict[str, Any]:
        """Parameters and buffers."""
        return self.graph_module.state_dict()

    def module(self, check_guards: bool = True) -> GraphModule:
        """The module that runs the graph, for inputs of the shapes that it holds for."""
        if not check_guards or self.guards is None:
            return self.graph_module
        made = copy.copy(self.graph_module)
        made._forward_pre_hooks = OrderedDict()
        made._forward_pre_hooks_with_kwargs = OrderedDict()
        made.register_forward_pre_hook(self.guards, with_kwargs=True)
        return made

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters by name."""
        return self.graph_module.named_parameters()

    def parameters(self) -> Iterator[Any]:
        """The parameters."""
        return self.graph_module.parameters()

    def buffers(self) -> Iterator[Any]:
        """The buffers."""
        return self.graph_module.buffers()

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """The buffers by name."""
        return self.graph_module.named_buffers()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` "
            "instead."
        )

    def run_decompositions(
        self, decomp_table: Any = None, decompose_custom_triton_ops: bool = False, **ignored: Any
    ) -> ExportedProgram:
        """The program in PyTorch's operators, for the shapes of the example inputs.

        Parameters and buffers become inputs of the graph; what is written into buffers stays a
        write.
        """
        from .decomposed import decomposed

        return decomposed(self, decomp_table)

    def __str__(self) -> str:
        readable = self.graph_module.print_readable(print_output=False)
        return f"ExportedProgram:\n{readable}\nGraph signature: {self.graph_signature}"


def export(
    mod: Any, args: tuple[Any, ...], kwargs: Any = None, *, dynamic_shapes: Any = None,
    strict: bool = False, preserve_module_call_signature: Any = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:  # fmt: skip
    """Capture a module with example arguments; an error where a branch depends on values.

    >>> import chainrule as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()).eval()
    >>> program = torch.export.export(net, (torch.ones(1, 2),), dynamic_shapes=[{0: Dim.AUTO}])
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
    if isinstance(dynamic_shapes, ShapesCollection | AdditionalInputs):
        dynamic_shapes = dynamic_shapes.dynamic_shapes(mod, args, kwargs)
    guards = Guards(_names(mod), _given(mod, args, kwargs or {}), dynamic_shapes)
    tracer = Tracer()
    tracer.proxy_buffer_attributes = True  # what a program writes into buffers is part of it
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
    example = (args, dict(kwargs or {}))
    return ExportedProgram(made, signature_of(made), example, dict(guards.ranges), guards)


def _names(mod: Any) -> list[str]:
    return list(inspect.signature(mod.forward).parameters)


def _given(mod: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of an example by name, without those left to their defaults."""
    names = _names(mod)
    found = (
        dict(zip(names, args, strict=False))
        if len(args) <= len(names)
        else {f"args_{k}": a for k, a in enumerate(args)}
    )
    return found | kwargs


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


UnflattenedModule = GraphModule  # graphs here keep the submodules of what they were made of


def unflatten(module: ExportedProgram, flat_args_adapter: Any = None) -> GraphModule:
    """The program as a module with the submodules of the original one."""
    return module.module()


def draft_export(mod: Any, args: tuple[Any, ...], kwargs: Any = None, **options: Any) -> Any:
    """`export`: nothing is left out that a draft would forgive."""
    return export(mod, args, kwargs, **options)


class CustomDecompTable(dict[Any, Any]):
    """The operators that `run_decompositions` takes apart; entries can be taken out and added."""

    def __init__(self) -> None:
        from .decomposed import default_table

        super().__init__(default_table())

    def materialize(self) -> dict[Any, Any]:
        """A plain dict."""
        return dict(self)

    def copy(self) -> CustomDecompTable:
        """Another table with the same entries."""
        made = CustomDecompTable()
        made.clear()
        made.update(self)
        return made


def default_decompositions() -> CustomDecompTable:
    """The operators that `run_decompositions` takes apart without a table."""
    return CustomDecompTable()


def register_dataclass(cls: Any, *, serialized_type_name: str | None = None) -> None:
    """Let objects of a dataclass go into and come out of exported programs."""
    from ..utils._pytree import register_dataclass as register

    register(cls)


def save(ep: ExportedProgram, f: Any, **options: Any) -> None:
    """Write a program to a file of ours; PyTorch does not read it."""
    from .. import save as save_file

    held = {"chainrule_export": ep.graph_module, "inputs": ep.example_inputs, "guards": ep.guards}
    save_file(held, f)


def load(f: Any, **options: Any) -> ExportedProgram:
    """Read a program that `save` wrote. The file can run code: load only your own."""
    from .. import load as load_file

    found = load_file(f, weights_only=False)
    if not isinstance(found, dict) or "chainrule_export" not in found:
        raise RuntimeError("torch.export.load: this is no file that torch.export.save wrote here")
    made = found["chainrule_export"]
    guards = found.get("guards")
    ranges = {} if guards is None else dict(guards.ranges)
    return ExportedProgram(made, signature_of(made), found["inputs"], ranges, guards)


_keep_functions(__name__)  # `unflatten` is a function and a module


def __getattr__(name: str) -> Any:
    from ..standins.finder import member

    if name == "FlatArgsAdapter":
        return member("export.unflatten", name)
    if name == "Constraint":
        return Dim
    return member("export", name)


__all__ = [
    "AdditionalInputs",
    "CustomDecompTable",
    "Dim",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "ExportedProgram",
    "InputKind",
    "InputSpec",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "OutputKind",
    "OutputSpec",
    "ShapesCollection",
    "TensorArgument",
    "UnflattenedModule",
    "UserError",
    "default_decompositions",
    "dims",
    "draft_export",
    "export",
    "load",
    "register_dataclass",
    "save",
    "unflatten",
]  # fmt: skip

explain_module(globals(), "export", "unflatten", "save", "load")
