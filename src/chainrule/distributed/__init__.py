"""`torch.distributed` for programs that run as one process.

A group of one process can be made, asked about and used: every collective has the result it has
with one participant. More than one process is refused when the group is made.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..autograd.packages import keep_functions as _keep_functions
from ..standins import add_to as _add_stand_ins
from .collectives import (
    all_gather,
    all_gather_into_tensor,
    all_gather_object,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    broadcast_object_list,
    gather,
    gather_object,
    irecv,
    isend,
    monitored_barrier,
    recv,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
    scatter_object_list,
    send,
)
from .group import (
    Backend,
    GroupMember,
    ProcessGroup,
    ReduceOp,
    Work,
    _get_default_group,
    _rank_not_in_group,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
)
from .settings import (
    DebugLevel,
    get_debug_level,
    get_default_backend_for_device,
    get_node_local_rank,
    get_pg_count,
    new_subgroups,
    set_debug_level,
    set_debug_level_from_env,
    supports_complex,
)

reduce_op = ReduceOp
_SUBMODULES = frozenset({"device_mesh", "fsdp", "nn", "settings"})


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    from ..standins import finder

    return finder.member("distributed", name)


_PRIVATE = (_get_default_group, _rank_not_in_group)  # which libraries import

__all__ = [
    "Backend",
    "DebugLevel",
    "GroupMember",
    "ProcessGroup",
    "ReduceOp",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_debug_level",
    "get_default_backend_for_device",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_pg_count",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "set_debug_level",
    "set_debug_level_from_env",
    "supports_complex",
]  # fmt: skip

_add_stand_ins(globals())
_keep_functions(__name__)
