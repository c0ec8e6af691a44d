"""`torch._custom_ops`: where libraries import operators from; see `torch.library`."""

from __future__ import annotations

from .library import custom_op, impl, register_fake
from .standins.finder import rest_of as _rest_of

impl_abstract = register_fake

__all__ = ["custom_op", "impl", "impl_abstract", "register_fake"]

__getattr__ = _rest_of(__name__)
