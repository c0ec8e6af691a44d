"""The products of this process: of matrices, of images, and the layers made of them."""

from __future__ import annotations

import functools
from typing import Any

from ...ops.dtypes import bfloat16
from ..machine import host, machine_code, worker_threads
from ..machine.symbols import provide
from . import gemm
from .attention import Attention
from .convolution import Gathered
from .depthwise import Depthwise
from .gemm_text import TILES
from .recurrent import Recurrent
from .winograd import Winograd


class Products(gemm.Product):
    """The blocked product, and what is made of it when first asked for."""

    @functools.cached_property
    def gathered(self) -> Any:
        """The product whose right factor is gathered: convolutions."""
        return Gathered(self._tiles, self._load)

    @functools.cached_property
    def winograd(self) -> Any:
        """Convolutions of 3x3 with fewer multiplications."""
        return Winograd(self, self._tiles)

    @functools.cached_property
    def depthwise(self) -> Any:
        """Convolutions with a kernel for each channel."""
        return Depthwise(self._tiles, self._load)

    @functools.cached_property
    def attention(self) -> Any:
        """Attention, whose blocks are products that never leave a thread."""
        return Attention(self, self._tiles)

    @functools.cached_property
    def recurrent(self) -> Any:
        """Recurrent layers, whose weights are packed once for all steps."""
        return Recurrent(self._tiles, self._load)


@functools.cache
def shared() -> Products | None:
    """The product of this process, as eager code and plans use it; None where there is none."""
    return load()


def load() -> Products | None:
    """A new product for this machine; None where there is none."""
    if host.llvm_found() is None:
        return None
    tiles = TILES.get(host.target().vector_bytes)
    threads = worker_threads.shared()
    return None if tiles is None or threads is None else Products(tiles, machine_code.named)


def _address(kind: str) -> int | None:
    product = shared()
    dtype = bfloat16.np if kind == "bf16" else {"f32": "float32", "f64": "float64"}[kind]
    return None if product is None else product.address(dtype)


provide("chainrule_gemm_", _address)
