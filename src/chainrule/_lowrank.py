"""Factors of low rank, where PyTorch keeps them."""

from __future__ import annotations

from . import pca_lowrank, svd_lowrank

__all__ = ["pca_lowrank", "svd_lowrank"]
