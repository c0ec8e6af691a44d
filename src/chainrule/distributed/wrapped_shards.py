"""`FullyShardedDataParallel`: a module with `fully_shard` applied to it, under the older name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import chainrule as torch

from ..nn.modules.module import Module
from .device_mesh import DeviceMesh
from .fsdp.api import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    ShardingStrategy,
    StateDictSettings,
    StateDictType,
)
from .group import current, get_rank
from .sharded import MixedPrecisionPolicy, fully_shard
from .state_dicts import as_part, by_names, cut_state, put_back
from .tensor.dtensor import DTensor, whole_of


class FullyShardedDataParallel(Module):
    """A module whose parameters lie cut between processes.

    `state_dict` gives whole parameters, on all processes, unless `state_dict_type` says otherwise;
    `load_state_dict` takes them.
    """

    def __init__(
        self, module: Any, process_group: Any = None, sharding_strategy: Any = None,
        cpu_offload: Any = None, auto_wrap_policy: Any = None, backward_prefetch: Any = None,
        mixed_precision: Any = None, ignored_modules: Any = None, param_init_fn: Any = None,
        device_id: Any = None, sync_module_states: bool = False, forward_prefetch: bool = False,
        limit_all_gathers: bool = True, use_orig_params: bool = False, ignored_states: Any = None,
        device_mesh: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        group = current(process_group)
        mesh = device_mesh or DeviceMesh("cpu", list(group.ranks), _groups=[group])
        for inner in module.modules():
            if param_init_fn is not None and any(
                p.is_meta for p in inner.parameters(recurse=False)
            ):
                param_init_fn(inner)
        _broadcast_states(module, group)
        keeps = sharding_strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy.NO_SHARD)
        options = {
            "mesh": mesh, "mp_policy": _policy(mixed_precision),
            "reshard_after_forward": not keeps, "ignored_params": _ignored(ignored_modules),
        }  # fmt: skip
        for child in list(module.modules()):
            if child is not module and _wraps(auto_wrap_policy, child):
                fully_shard(child, **options)
        fully_shard(module, **options)
        self.module = module
        kind = FullStateDictConfig(), FullOptimStateDictConfig()
        object.__setattr__(self, "_kind", StateDictSettings(StateDictType.FULL_STATE_DICT, *kind))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*args, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients inside the block are kept, and averaged with the first ones after it."""
        self.module.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            self.module.set_requires_gradient_sync(True)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scale gradients by the norm over all processes."""
        total = torch.nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)
        return whole_of(total)

    # ---- states ----

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Parameters and buffers, under the names of the module itself."""
        state = self.module.state_dict(*args, **kwargs)
        return _of_kind(state, self._kind.state_dict_type, self._kind.state_dict_config)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Take this process's rows of whole parameters."""
        return self.module.load_state_dict(cut_state(self.module, state_dict), strict)

    @staticmethod
    def set_state_dict_type(
        module: Any, state_dict_type: Any, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Any:  # fmt: skip
        """Which form states have from now on; the form they had."""
        wrapped = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        before = wrapped[0]._kind
        kind = StateDictSettings(
            state_dict_type, state_dict_config or FullStateDictConfig(),
            optim_state_dict_config or FullOptimStateDictConfig(),
        )  # fmt: skip
        for m in wrapped:
            object.__setattr__(m, "_kind", kind)
        return before

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(
        module: Any, state_dict_type: Any, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Iterator[None]:  # fmt: skip
        """The form of states inside the block."""
        before = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            FullyShardedDataParallel.set_state_dict_type(
                module, before.state_dict_type, before.state_dict_config,
                before.optim_state_dict_config,
            )  # fmt: skip

    @staticmethod
    def get_state_dict_type(module: Any) -> Any:
        """Which form states have."""
        return module._kind

    @staticmethod
    def optim_state_dict(model: Any, optim: Any, **options: Any) -> dict[str, Any]:
        """The state of an optimizer by names of parameters, in the model's form."""
        kind = model._kind
        found = by_names(model.module, optim)
        state = {
            name: _of_kind(entry, kind.state_dict_type, kind.optim_state_dict_config)
            for name, entry in found["state"].items()
        }
        if getattr(kind.optim_state_dict_config, "rank0_only", False) and get_rank() != 0:
            return {}
        return {"state": state, "param_groups": found["param_groups"]}

    full_optim_state_dict = optim_state_dict

    @staticmethod
    def optim_state_dict_to_load(
        model: Any, optim: Any, optim_state_dict: dict[str, Any], **options: Any
    ) -> dict[str, Any]:
        """A state by names as `optim.load_state_dict` takes it: this process's parts."""
        parameters = dict(model.module.named_parameters())
        state = {
            name: {k: as_part(v, parameters[name]) for k, v in entry.items()}
            for name, entry in optim_state_dict["state"].items()
        }
        return put_back(
            model.module, optim,
            {"state": state, "param_groups": optim_state_dict["param_groups"]},
        )  # fmt: skip

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module: Any, recurse: bool = True, writeback: bool = True, rank0_only: bool = False,
        offload_to_cpu: bool = False, with_grads: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """Whole parameters inside the block; what is written to them is kept."""
        groups = [g for m in module.modules() if (g := m.__dict__.get("_sharded_group"))]
        for group in groups:
            group.unshard()
        try:
            yield
        finally:
            for group in groups:
                if writeback:
                    group.take_back()
                group.reshard(free=True)


def _policy(mixed: Any) -> Any:
    if mixed is None:
        return None
    return MixedPrecisionPolicy(mixed.param_dtype, mixed.reduce_dtype or mixed.param_dtype)


def _ignored(modules: Any) -> set[Any]:
    return {p for m in modules or () for p in m.parameters()}


def _of_kind(state: dict[str, Any], kind: Any, config: Any) -> dict[str, Any]:
    """Whole tensors, parts with their places, or this process's part."""
    if kind is StateDictType.SHARDED_STATE_DICT:
        return dict(state)
    if kind is StateDictType.LOCAL_STATE_DICT:
        return {k: v.to_local() if isinstance(v, DTensor) else v for k, v in state.items()}
    found = {k: whole_of(v) for k, v in state.items()}
    return {} if getattr(config, "rank0_only", False) and get_rank() != 0 else found


def _broadcast_states(module: Any, group: Any) -> None:
    from .ddp.sync import broadcast_all

    if group.size() > 1:
        broadcast_all([*module.parameters(), *module.buffers()], group)


def _wraps(policy: Any, module: Any) -> bool:
    if policy is None:
        return False
    classes = getattr(policy, "_module_classes", None)
    if classes is not None:
        return isinstance(module, tuple(classes))
    count = sum(p.numel() for p in module.parameters())
    return bool(policy(module=module, recurse=False, nonwrapped_numel=count))


__all__ = ["FullyShardedDataParallel"]
