"""Switches of compute libraries. They can be set and read; none of them changes a result here."""

import contextlib
from collections.abc import Iterator

from . import cpu, cuda, cudnn, mha, miopen, mkl, mkldnn, mps, openmp, opt_einsum

fp32_precision = "none"  # nothing here computes float32 in less


@contextlib.contextmanager
def __allow_nonbracketed_mutation() -> Iterator[None]:
    """A block in which switches may be set one by one: they always may."""
    yield


__all__ = [
    "cpu", "cuda", "cudnn", "mha", "miopen", "mkl", "mkldnn", "mps", "openmp", "opt_einsum",
]  # fmt: skip
