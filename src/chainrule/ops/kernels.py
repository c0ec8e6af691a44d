"""Places for faster matrix products and fused kernels that upper layers install; else NumPy's work.

The ops know only these slots.  Whoever can make machine code installs loaders, which run when the
first large product or a kernel is asked for, so programs without them pay nothing.
CHAINRULE_KERNELS=0 in the environment leaves everything to NumPy.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .allocation import settle
from .layout import in_order
from .locks import RLock, keep_through_forks

IMPORTED = time.time()  # files that are written later are not what this process runs

Product = Callable[..., np.ndarray]

# Products with fewer multiplications than this always go to NumPy.
LARGE = 2_000_000

_lock = keep_through_forks(RLock(), 0)
_loader: Callable[[], Product | None] | None = None
_product: Product | None = None


def install(loader: Callable[[], Product | None]) -> None:
    """Give the function that makes the fast product, or None where there is none."""
    global _loader, _product
    with _lock:
        _loader, _product = loader, None


def limit_by(limit: Callable[[int], None]) -> None:
    """Give the function that limits the threads of the products that are left to NumPy."""
    _limits[:] = [limit]


_limits: list[Callable[[int], None]] = []


def limit_threads(count: int) -> None:
    """Let NumPy's products use so many threads at most."""
    for limit in _limits:
        limit(count)


def large_product(a: np.ndarray, b: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """a @ b for two large matrices of one float type, plus a bias in every row."""
    return (_product or _load())(a, b, bias)


# Stacks of products with fewer multiplications in all than this always go to NumPy.
LARGE_STACK = 1_000_000


def stacked_product(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """np.matmul of stacks of matrices, on all threads where there are many."""
    if a.size * b.shape[-1] >= (LARGE_STACK if a.ndim > 2 else LARGE):
        way = getattr(_product or _load(), "stacked" if a.ndim > 2 else "into", None)
        made = None if way is None else way(a, b, out)
        if made is not None:
            return made
    done = np.matmul(a, b, out=out)
    return done if out is not None else in_order(done)


def product_of_halves(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """a @ b of large bfloat16 factors as float32; None where nothing multiplies them as such."""
    if a.size * b.shape[-1] < LARGE_STACK:
        return None
    halves = getattr(_product or _load(), "halves", None)
    return None if halves is None else halves(a, b)


def _numpy_product(a: np.ndarray, b: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    c = a.dot(b)
    if bias is not None:
        c += bias
    return c


def _load() -> Product:
    """Ask the loader once; NumPy's product stands in for what it cannot give."""
    global _loader, _product
    with _lock:
        if _product is None:
            settle()
            loader, _loader = _loader, None
            made = None
            if loader is not None and os.environ.get("CHAINRULE_KERNELS") != "0":
                made = loader()
            _product = made or _numpy_product
        return _product


def gathered_product(*arguments: Any) -> bool:
    """c = a @ (elements of images at rows + columns); False where nothing was computed."""
    gathered = getattr(_product or _load(), "gathered", None)
    return gathered is not None and gathered(*arguments)


def winograd_jobs() -> Any:
    """`forward` and `weight_gradient` of convolutions of 3x3 with stride 1; None without them."""
    return getattr(_product or _load(), "winograd", None)


def depthwise_jobs() -> Any:
    """`forward`, `weight_gradient` and `image_gradient` of convolutions with a kernel for each
    channel; None without them."""
    return getattr(_product or _load(), "depthwise", None)


def attention_jobs() -> Any:
    """`forward` and `backward` of attention in one call of the threads each; None without them."""
    return getattr(_product or _load(), "attention", None)


def recurrent_jobs() -> Any:
    """`forward` and `backward` of recurrent layers over whole sequences; None without them."""
    return getattr(_product or _load(), "recurrent", None)


# ---- fused ops -----------------------------------------------------------------------------------

Kernel = Callable[..., Any]


def _declines(*arguments: Any) -> None:
    """Stands where there is no kernel: None says that NumPy shall compute it."""


class Kernels:
    """Native kernels by name: `fast.softmax(x)` gives the result, or None: then NumPy computes it.

    A kernel is loaded when it is first called, so that what it computes never depends on how often
    it was called before.
    """

    def __init__(self) -> None:
        self._find: Callable[..., Kernel | None] | None = None
        self._sparing = 0  # how many callers want no kernel to be compiled now

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        with _lock:
            settle()
            found = None
            if self._find is not None and os.environ.get("CHAINRULE_KERNELS") != "0":
                found = self._find(name, not self._sparing)
            kernel = found or _declines
            if found is not None or not self._sparing:
                setattr(self, name, kernel)
            return kernel

    @contextmanager
    def sparing(self) -> Generator[None, None, None]:
        """Leave to NumPy what is not loaded yet and takes long to compile: for calls that are not
        repeated."""
        with _lock:
            self._sparing += 1
        try:
            yield
        finally:
            with _lock:
                self._sparing -= 1


fast = Kernels()


def provide(find: Callable[..., Kernel | None]) -> None:
    """Give the function that loads a native kernel by its name, or gives None; its second argument
    says whether it may compile one."""
    with _lock:
        for name in [n for n in vars(fast) if not n.startswith("_")]:
            delattr(fast, name)
        fast._find = find  # pyright: ignore[reportPrivateUsage]
