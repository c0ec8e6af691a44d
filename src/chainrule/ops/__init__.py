"""The table of ops. Importing a family's module declares its ops."""

import functools
import importlib
import os
from typing import Any

from . import (
    binary,
    compare,
    contract,
    convert,
    division,
    index,
    reduce,
    select,
    shape,
    trigonometric,
    unary,
)

from . import masks, moments, scan, scatter, softmax, sort  # isort: skip
from . import arrange, chains, strided, copies, random  # isort: skip - copies derives from the views
from . import activation, attention, conv, ctc, embedding, loss, norm  # isort: skip
from . import cells, grid, pointwise_loss, pool, recurrent, vision  # isort: skip
from . import fft, gamma_draws, special  # isort: skip
from . import decompositions, determinant, distance, least_squares, linalg, lu, spectral  # isort: skip
from .overloads import LIBRARY, namespace
from .schema import HELPERS, TABLE, Op, helper, op
from .worlds import ARRAYS, World

__all__ = [
    "ARRAYS", "HELPERS", "LIBRARY", "TABLE", "Op", "World", "activation", "arrange", "attention",
    "binary", "cells", "chains", "compare", "contract", "conv", "convert", "copies", "ctc",
    "decompositions", "determinant", "distance", "division", "embedding", "fft", "gamma_draws",
    "grid", "helper", "index", "least_squares", "linalg", "loss", "lu", "masks", "moments", "norm",
    "op", "pointwise_loss", "pool", "random", "recurrent", "reduce", "scan", "scatter", "select",
    "shape", "softmax", "sort", "special", "spectral", "strided", "trigonometric", "unary",
    "vision",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """`torch.ops.aten` and other libraries of operators, and what PyTorch's `torch.ops` offers."""
    if name.startswith("__") or not LIBRARY:
        raise AttributeError(f"module 'chainrule.ops' has no attribute {name!r}")
    if name in ("load_library", "loaded_libraries", "import_module"):
        return getattr(LIBRARY[0](), name)
    if _is_module(name):
        return importlib.import_module(f".{name}", __name__)
    return namespace(name)


@functools.cache
def _is_module(name: str) -> bool:
    """Whether it is a module of this folder that nobody has loaded yet."""
    return os.path.exists(os.path.join(os.path.dirname(__file__), f"{name}.py"))
