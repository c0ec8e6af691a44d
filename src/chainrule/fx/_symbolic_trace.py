"""`symbolic_trace`: a program as a GraphModule; and the names that PyTorch has beside it."""

from __future__ import annotations

from typing import Any

from ..autograd.accidents import explain_module
from ..nn import Module
from .graph_module import GraphModule
from .patching import _maybe_revert_all_patches
from .tracer import PH, PHBase, PHWithMeta, Tracer, _assert_is_none
from .wrapped import (
    ProxyableClassMeta,
    _create_wrapped_func,
    _create_wrapped_method,
    _wrapped_fns_to_patch,
    _wrapped_methods_to_patch,
    is_fx_symbolic_tracing,
    is_fx_tracing,
    wrap,
)

__all__ = [
    "PH", "GraphModule", "PHBase", "PHWithMeta", "ProxyableClassMeta", "Tracer",
    "_assert_is_none", "_create_wrapped_func", "_create_wrapped_method",
    "_maybe_revert_all_patches", "_wrapped_fns_to_patch", "_wrapped_methods_to_patch",
    "is_fx_symbolic_tracing", "is_fx_tracing", "symbolic_trace", "wrap",
]  # fmt: skip


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A module or function as a GraphModule: its operations recorded, its code generated.

    >>> import chainrule as torch
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    >>> [(n.op, n.target) for n in gm.graph.nodes]
    [('placeholder', 'input'), ('call_module', '0'), ('call_module', '1'), ('output', 'output')]
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


explain_module(globals(), "symbolic_trace")
