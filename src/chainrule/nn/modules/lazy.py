"""Modules that find out sizes from their first input."""

from __future__ import annotations

from typing import Any

from ...autograd import refusal
from ...autograd.modes import no_grad
from .lazy_tensors import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Put before a module class: parameters take their shapes at the first call.

    The class defines `initialize_parameters(input...)`, which materializes its parameters, and
    `cls_to_become`, the class the module turns into once that has happened.

    >>> import chainrule as torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> layer.weight
    <UninitializedParameter>
    >>> _ = layer(torch.ones(5, 3))
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        self._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = module.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _members(self) -> Any:
        module: Any = self
        yield from module._parameters.items()
        yield from module._buffers.items()

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        # A tensor without values cannot be detached: it is saved as it is.
        module: Any = self
        for name, value in self._members():
            if value is not None and name not in module._non_persistent_buffers_set:
                kept = value if is_lazy(value) or keep_vars else value.detach()
                destination[prefix + name] = kept

    def _lazy_load_hook(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Before loading: take the shapes of the values that are there."""
        for name, value in self._members():
            given = state_dict.get(prefix + name)
            if given is not None and is_lazy(value) and not is_lazy(given):
                with no_grad():
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters for these inputs; every lazy class defines it."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of this module still waits for its shape."""
        return any(is_lazy(value) for _, value in self._members())

    def _infer_parameters(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> None:
        """The first call: shapes from the input, then an ordinary module."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            waiting = [name for name, value in module._members() if is_lazy(value)]
            raise refusal.runtime(
                f"module {module._get_name()} has not been fully initialized",
                f"its initialize_parameters() left {', '.join(waiting)} without a shape",
            )
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )
