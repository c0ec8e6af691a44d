"""A place for faster matrix products that upper layers install; without one, NumPy's are used.

The ops know only this slot.  Whoever can make machine code installs a loader, which runs when the
first large product is asked for, so programs without large products pay nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numpy as np

Product = Callable[[np.ndarray, np.ndarray], np.ndarray]

# Products with fewer multiplications than this always go to NumPy.
LARGE = 2_000_000

_lock = threading.RLock()
_loader: Callable[[], Product | None] | None = None
_product: Product | None = None


def install(loader: Callable[[], Product | None]) -> None:
    """Give the function that makes the fast product, or None where there is none."""
    global _loader, _product
    with _lock:
        _loader, _product = loader, None


def large_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b for two large matrices of one float type."""
    return (_product or _load())(a, b)


def _load() -> Product:
    """Ask the loader once; NumPy's product stands in for what it cannot give."""
    global _loader, _product
    with _lock:
        if _product is None:
            loader, _loader = _loader, None
            made = None
            if loader is not None and os.environ.get("CHAINRULE_KERNELS") != "0":
                made = loader()
            _product = made or np.dot
        return _product
