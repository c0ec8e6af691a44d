"""The table of ops. Importing a family's module declares its ops."""

from . import contract, elementwise, index, reduce, shape
from .schema import HELPERS, TABLE, Op, helper, op
from .worlds import ARRAYS, World

__all__ = ["ARRAYS", "HELPERS", "TABLE", "Op", "World", "contract", "elementwise", "helper",
           "index", "op", "reduce", "shape"]  # fmt: skip
