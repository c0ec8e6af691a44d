"""The CPU's abilities."""

from __future__ import annotations


def get_cpu_capability() -> str:
    """The instruction set PyTorch would name; kernels here are compiled for the host by LLVM."""
    return "DEFAULT"
