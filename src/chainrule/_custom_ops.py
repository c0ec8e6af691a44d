"""`torch._custom_ops`: where libraries import operators from; see `torch.library`."""

from __future__ import annotations

from .library import custom_op, impl, register_fake

impl_abstract = register_fake

__all__ = ["custom_op", "impl", "impl_abstract", "register_fake"]
