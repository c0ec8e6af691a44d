"""Switches of compute libraries. They can be set and read; none of them changes a result here."""

from . import cpu, cuda, cudnn, mha, miopen, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = [
    "cpu", "cuda", "cudnn", "mha", "miopen", "mkl", "mkldnn", "mps", "openmp", "opt_einsum",
]  # fmt: skip
