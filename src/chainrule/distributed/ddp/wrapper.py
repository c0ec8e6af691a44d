"""`DistributedDataParallel`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import chainrule as torch

from ...autograd import refusal
from ...nn.modules.module import Module
from ...nn.parallel.data_parallel import _check_devices
from ...utils._pytree import tree_leaves
from .. import captured
from ..algorithms.join import Join, Joinable, JoinHook
from ..collectives import all_reduce
from ..debug_level import DebugLevel, get_debug_level
from ..group import current, is_initialized
from ..reduction import ReduceOp
from .parts import own
from .reducer import Reducer
from .sync import broadcast_all, check_same_model, check_same_state


class DistributedDataParallel(Module, Joinable):
    """A module of which every process has a copy; backward averages the gradients of all.

    Gradients are reduced bucket by bucket while backward goes on.

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
        Module.__init__(self)
        Joinable.__init__(self)
        _check_devices(device_ids, output_device)
        named = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
        if not named:
            raise refusal.runtime(
                "DistributedDataParallel is not needed when a module doesn't have any parameter "
                "that requires a gradient."
            )
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        named = [(n, p) for n, p in named if n not in ignored]
        self.module = module
        self.device_ids = None
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = True
        # Without a group, a module of the only process: it is called, and no more.
        mesh = options.get("device_mesh")
        if mesh is not None and process_group is None:
            process_group = mesh.get_group()
        self.process_group: Any = current(process_group) if is_initialized() else None
        object.__setattr__(self, "reducer", None)
        if self.process_group is None or self.process_group.size() == 1:
            return
        if init_sync:
            everything = list(module.named_parameters())
            check_same_model(everything, self.process_group)
            broadcast_all([own(p) for n, p in everything if n not in ignored], self.process_group)
            broadcast_all([own(b) for b in module.buffers()], self.process_group)
        reducer = Reducer(
            named, self.process_group, bucket_cap_mb, gradient_as_bucket_view,
            find_unused_parameters, static_graph,
        )  # fmt: skip
        object.__setattr__(self, "reducer", reducer)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result; notes that the gradients of its backward pass are to be averaged."""
        reducer = self.reducer
        if reducer is None:
            return self.module(*inputs, **kwargs)
        syncs = torch.is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            reducer.check_finished()
            if get_debug_level() is DebugLevel.DETAIL:
                check_same_state(dict(self.module.named_parameters()), group=self.process_group)
        if self._join_config.enable:
            found = captured.trace()
            if found is not None:
                found.fail("join() lets every call take part in other reductions")
            active = Join.notify_join_context(self)
            if active is not None:
                active.wait()
                reducer.divide_by = (
                    self.process_group.size()
                    if self._divide_by_initial_world_size
                    else int(self._join_count.item())
                )
        if self.require_backward_grad_sync:  # in evaluation too: all see one set of statistics
            self._sync_buffers()
        result = self.module(*inputs, **kwargs)
        if syncs:
            reducer.begin(tree_leaves(result))
        else:
            reducer.expects = False
        return result

    def _sync_buffers(self, src: int = 0) -> None:
        buffers = [own(b) for b in self.module.buffers()] if self.broadcast_buffers else []
        if buffers:
            broadcast_all(buffers, self.process_group, src)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients of forward passes inside the block are only accumulated, not averaged."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None:
        """Let `hook(state, bucket)` reduce the buckets; it gives a future of a tensor."""
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self.reducer is None:
            return
        if self.reducer.hook is not None:
            raise RuntimeError(
                "register_comm_hook or register_builtin_comm_hook can only be called once."
            )
        self.reducer.hook, self.reducer.hook_state = hook, state
        self._comm_hooks = [hook]  # where guards of compiled functions see it

    # ---- uneven inputs ----

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:  # fmt: skip
        """A context in which processes may have different numbers of inputs."""
        return Join(
            [self], enable, throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )  # fmt: skip

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process does when its inputs have ended."""
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return _ShadowSteps(self)

    @property
    def join_device(self) -> Any:
        """Where it computes."""
        return torch.device("cpu")

    @property
    def join_process_group(self) -> Any:
        """With whom."""
        return self.process_group

    # ---- copies ----

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("reducer", "process_group", "_join_config"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        again = DistributedDataParallel(
            self.module, broadcast_buffers=self.broadcast_buffers,
            find_unused_parameters=self.find_unused_parameters,
            gradient_as_bucket_view=self.gradient_as_bucket_view, static_graph=self.static_graph,
        )  # fmt: skip
        self.__dict__.update({k: v for k, v in again.__dict__.items() if k not in state})


class _ShadowSteps(JoinHook):
    """Steps with zeros, as long as others have inputs; then everybody's state from one of them."""

    def __init__(self, ddp: DistributedDataParallel) -> None:
        self.ddp = ddp

    def main_hook(self) -> None:
        """One step of the others."""
        ddp = self.ddp
        if ddp.require_backward_grad_sync:
            ddp._sync_buffers()
        ddp.reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        """The final state: that of the highest rank which had inputs to the end."""
        group = self.ddp.process_group
        rank = torch.tensor([group.rank() if is_last_joiner else -1])
        all_reduce(rank, ReduceOp.MAX, group)
        tensors = [own(t) for t in (*self.ddp.module.parameters(), *self.ddp.module.buffers())]
        broadcast_all(tensors, group, int(rank.item()))


__all__ = ["DistributedDataParallel"]
