"""Straight-line programs over three inputs: values and derivatives of every kind agree.

Arithmetic, views, in-place writes, indexing, reductions, products; run eagerly, with
`create_graph`, in forward mode, on a transform level, under vmap, nested to depth 3, traced and
compiled, and by finite differences.
"""

from __future__ import annotations

from .check import check
from .generate import Program, generate

WEIGHT = 2

__all__ = ["WEIGHT", "Program", "check", "generate"]
