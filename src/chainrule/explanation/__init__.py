"""Why a gradient is what it is: `explain`, `graph`, `chain_rule`."""

from .blackboard import Derivation, chain_rule
from .explain import Explanations, explain
from .explanation import Check, Explanation
from .finite import WhatIf
from .graph import Graph, graph
from .paths import Path, PathLink, Step

__all__ = [
    "Check",
    "Derivation",
    "Explanation",
    "Explanations",
    "Graph",
    "Path",
    "PathLink",
    "Step",
    "WhatIf",
    "chain_rule",
    "explain",
    "graph",
]
