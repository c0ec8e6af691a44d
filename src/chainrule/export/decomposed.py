"""An exported program in PyTorch's operators: `ExportedProgram.run_decompositions`."""

from __future__ import annotations

from typing import Any

from ..autograd.modes import no_grad
from ..func import functional_call
from ..fx import GraphModule
from ..fx.experimental.proxy_tensor import make_fx
from ..nn import Module
from ..ops.overloads import namespace
from ..tensor import Tensor
from ..utils._pytree import tree_flatten, tree_unflatten
from .dynamic_shapes import Guards
from .signature import ExportGraphSignature, placeholder_name


def default_table() -> dict[Any, Any]:
    """Operators that are not among PyTorch's core ones, by what they are put together of."""
    aten = namespace("aten")
    return {aten.t.default: lambda x: aten.permute.default(x, [1, 0]) if x.ndim == 2 else x}


class Lifted(Module):
    """Runs a graph whose first inputs are the parameters and buffers of a module."""

    def __init__(self, graph: GraphModule, held: Module, names: list[str], out: Any) -> None:
        super().__init__()
        self.__dict__["held"] = held
        self.__dict__["lifted"] = graph
        self.__dict__["names"], self.__dict__["out"] = names, out
        for name, module in held.named_children():
            self.add_module(name, module)
        for name, p in held.named_parameters(recurse=False):
            self.register_parameter(name, p)
        for name, b in held.named_buffers(recurse=False):
            self.register_buffer(name, b)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The graph on the present values of parameters and buffers."""
        state = dict(self.held.named_parameters()) | dict(self.held.named_buffers())
        flat = [v for v in tree_flatten((args, kwargs))[0] if isinstance(v, Tensor)]
        made = self.lifted(*(state[name] for name in self.names), *flat)
        return tree_unflatten(list(made), self.out)


def decomposed(program: Any, table: Any) -> Any:
    """The program with parameters and buffers as inputs, in operators."""
    held = program.graph_module
    args, kwargs = program.example_inputs
    parameters, buffers = dict(held.named_parameters()), dict(held.named_buffers())
    names = [*parameters, *buffers]
    leaves, spec = tree_flatten((args, kwargs))
    places = [k for k, v in enumerate(leaves) if isinstance(v, Tensor)]
    outs: list[Any] = []

    def run(*flat: Any) -> Any:
        state = dict(zip(names, flat, strict=False))
        given = list(leaves)
        for k, v in zip(places, flat[len(names) :], strict=True):
            given[k] = v
        inner, named = tree_unflatten(given, spec)
        made, form = tree_flatten(functional_call(held, state, inner, named))
        outs.append(form)
        return tuple(made)

    flat = [t.detach().clone() for t in (*parameters.values(), *buffers.values())]
    flat += [leaves[k] for k in places]
    with no_grad():
        graph = make_fx(run, default_table() if table is None else table)(*flat)
    _rename(graph, list(parameters), list(buffers), program.graph_signature.user_inputs)
    module: Any = Lifted(graph, held, names, outs[0])
    given = {n: a for n, a in zip(program.guards.names, args, strict=False)} | kwargs
    guards = Guards(program.guards.names, given, None)
    old = program.graph_signature
    results = tuple(n.name for n in graph.graph.output_node().args[0] if hasattr(n, "name"))
    signature = ExportGraphSignature(
        old.user_inputs, results, old.parameters, old.buffers, old.input_specs
    )
    return _Decomposed(graph, signature, program.example_inputs, {}, guards, module, type(program))


def _rename(graph: GraphModule, parameters: Any, buffers: Any, users: Any) -> None:
    wanted = [placeholder_name("p", n) for n in parameters]
    wanted += [placeholder_name("b", n) for n in buffers]
    wanted += list(users)
    nodes = [n for n in graph.graph.nodes if n.op == "placeholder"]
    for node, name in zip(nodes, wanted, strict=False):
        node._rename(name)
        node.target = node.name
    graph.recompile()


def _Decomposed(
    graph: Any, signature: Any, inputs: Any, ranges: Any, guards: Any, module: Any, base: Any
) -> Any:
    """A program whose module feeds the lifted state to its graph."""
    made = base(graph, signature, inputs, ranges, guards)

    def run(check_guards: bool = True) -> Any:
        module._forward_pre_hooks.clear()
        if check_guards:
            module.register_forward_pre_hook(guards, with_kwargs=True)
        return module

    made.module = run
    return made
