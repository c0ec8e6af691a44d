"""`DataParallel`: without several devices, the module itself under PyTorch's keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd import refusal
from ..modules.module import Module


def _check_devices(device_ids: Sequence[Any] | None, output_device: Any = None) -> None:
    """Only what names the CPU, or nothing, can be had."""
    asked = [d for d in (*(device_ids or ()), output_device) if d is not None]
    others = [d for d in asked if not str(d).startswith("cpu")]
    if others:
        raise refusal.runtime(
            f"module must have its parameters and buffers on device {others[0]}: chainrule "
            f"computes on the CPU only, but device_ids={list(device_ids or ())} was asked for",
            fix="leave device_ids out; the batch is then not split.",
        )


class DataParallel(Module):
    """Calls the module in it; its state dict has the prefix `module.`, as PyTorch's.

    >>> import chainrule as torch
    >>> model = torch.nn.DataParallel(torch.nn.Linear(3, 2))
    >>> model(torch.ones(4, 3)).shape
    torch.Size([4, 2])
    >>> list(model.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        _check_devices(device_ids, output_device)
        self.dim = dim
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result for the whole batch."""
        return self.module(*inputs, **kwargs)

    def replicate(self, module: Module, device_ids: Sequence[Any]) -> list[Module]:
        """The module itself: there is one place to compute."""
        return [module]

    def scatter(self, inputs: Any, kwargs: Any, device_ids: Any) -> Any:
        """The whole batch as the one part of it."""
        return (tuple(inputs),), (dict(kwargs or {}),)

    def parallel_apply(self, replicas: Sequence[Any], inputs: Any, kwargs: Any) -> list[Any]:
        """The result of each part, one after the other."""
        calls = zip(replicas, inputs, kwargs or ({},) * len(replicas), strict=False)
        return [module(*args, **more) for module, args, more in calls]

    def gather(self, outputs: Sequence[Any], output_device: Any) -> Any:
        """The parts along the batch as one."""
        first = outputs[0]
        if len(outputs) == 1:
            return first
        import chainrule as torch

        return torch.cat(list(outputs), self.dim)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Call a module on the whole batch: there are no devices to split it over."""
    _check_devices(device_ids, output_device)
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*given, **(module_kwargs or {}))
