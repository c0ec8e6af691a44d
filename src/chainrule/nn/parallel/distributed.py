"""`DistributedDataParallel` for one process: the module itself under PyTorch's keys."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

from ...autograd import source
from ..modules.module import Module
from .data_parallel import _check_devices


def _world_size() -> int:
    """How many processes train together; 1 without a process group."""
    name = __name__.split(".")[0] + ".distributed"
    if importlib.util.find_spec(name) is None:
        return 1
    distributed = importlib.import_module(name)
    return distributed.get_world_size() if distributed.is_initialized() else 1


class DistributedDataParallel(Module):
    """Calls the module in it. One process only: gradients are not exchanged.

    >>> import chainrule as torch
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
    >>> list(model.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        _check_devices(device_ids, output_device)
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter "
                f"that requires a gradient.\n  at {source.here(2)}"
            )
        if (processes := _world_size()) > 1:
            raise NotImplementedError(
                f"DistributedDataParallel over {processes} processes: this class exchanges no "
                f"gradients, each process would train on its own\n  at {source.here(2)}"
            )
        self.module = module
        self.device_ids = None
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside the block gradients are only accumulated, as they are anyway."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before
