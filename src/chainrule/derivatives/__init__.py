"""Three ways to a derivative: by differences, by formula, automatically; and how they compare."""

from .compare import Comparison, compare_derivatives, expression_growth
from .formula import Formula, symbolic
from .numeric import finite_difference

__all__ = [
    "Comparison",
    "Formula",
    "compare_derivatives",
    "expression_growth",
    "finite_difference",
    "symbolic",
]
