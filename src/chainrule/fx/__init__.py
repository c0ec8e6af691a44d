"""Programs as graphs: record a module, look at it, change it, run it (`torch.fx`).

>>> import chainrule as torch
>>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) * 2)
>>> print(gm.code.strip())
def forward(self, x):
    relu = torch.relu(x);  x = None
    mul = relu * 2;  relu = None
    return mul
"""

from __future__ import annotations

from . import immutable_collections, node, proxy, subgraph_rewriter, traceback
from ._symbolic_trace import symbolic_trace
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern
from .tracer import PH, Tracer
from .wrapped import ProxyableClassMeta, wrap

__all__ = [
    "PH", "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "ProxyableClassMeta",
    "Tracer", "Transformer", "has_side_effect", "immutable_collections", "map_arg", "node",
    "proxy", "replace_pattern", "subgraph_rewriter", "symbolic_trace", "traceback", "wrap",
]  # fmt: skip
