"""Methods of Tensor that do not come from the public table, gathered from their modules."""

from __future__ import annotations

from . import attributes, creation, interop, pickling, storage
from .functions import casts, inplace_views, random_functions


def install_tensor_methods(cls: type) -> None:
    """Give the Tensor class its methods about memory, types, copies and random values."""
    for module in (
        attributes, creation, interop, pickling, storage, casts, inplace_views, random_functions,
    ):  # fmt: skip
        for name, method in module.METHODS.items():
            setattr(cls, name, method)
