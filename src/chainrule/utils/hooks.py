"""The handle that removes a hook, and what hooks may say about being saved."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..autograd.node import RemovableHandle
from ..autograd.source import warn_user
from ..standins.finder import rest_of as _rest_of


def unserializable_hook(f: Any) -> Any:
    """A decorator: saving a tensor with this hook warns."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn that the hooks of a tensor are not saved with it."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn_user(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
            )


__all__ = ["OrderedDict", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

__getattr__ = _rest_of(__name__)
