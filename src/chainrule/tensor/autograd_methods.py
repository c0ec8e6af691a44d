"""The Tensor methods that belong to autograd's hooks."""

from __future__ import annotations

from ..autograd import hooks


def install_autograd_methods(cls: type) -> None:
    """Give a Tensor class its hook methods."""
    for name in ("register_hook", "register_post_accumulate_grad_hook", "retain_grad"):
        setattr(cls, name, getattr(hooks, name))
    both = property(hooks.backward_hooks, hooks.set_backward_hooks)
    cls._backward_hooks = both  # type: ignore[attr-defined]
    cls.retains_grad = property(hooks.retains_grad)  # type: ignore[attr-defined]
