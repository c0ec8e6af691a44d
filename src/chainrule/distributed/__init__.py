"""`torch.distributed` over MPI: processes that train together, from two to a cluster.

Started by `chainrule launch -n 4 train.py` or `mpiexec -n 4 chainrule run train.py`. A program that
runs alone has a group of one process, without MPI. See docs/distributed.md.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..autograd.packages import keep_functions as _keep_functions
from ..standins import add_to as _add_stand_ins
from .coalescing import _coalescing_manager
from .collectives import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from .debug_level import (
    DebugLevel,
    get_debug_level,
    set_debug_level,
    set_debug_level_from_env,
)
from .device_mesh import DeviceMesh, init_device_mesh
from .errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from .group import (
    Backend,
    GroupMember,
    ProcessGroup,
    ReduceOp,
    Work,
    _get_default_group,
    _rank_not_in_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
)
from .launched import adopt as _adopt
from .messages import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    monitored_barrier,
    recv,
    send,
)
from .objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from .reduction import PremulSum as _make_nccl_premul_sum
from .settings import (
    get_default_backend_for_device,
    get_node_local_rank,
    get_pg_count,
    new_subgroups,
    new_subgroups_by_enumeration,
    supports_complex,
)
from .starting import destroy_process_group, init_process_group, new_group
from .stores import FileStore, HashStore, PrefixStore, Store, TCPStore

_adopt()  # scripts read RANK and WORLD_SIZE before they make a group
reduce_op = ReduceOp
_SUBMODULES = frozenset({"algorithms", "device_mesh", "fsdp", "nn", "settings"})
_ON_DEMAND = {
    "GradBucket": ".ddp", "check_same_state": ".ddp.sync", "estimate": ".planning"
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _ON_DEMAND:
        return getattr(importlib.import_module(_ON_DEMAND[name], __name__), name)
    from ..standins import finder

    return finder.member("distributed", name)


# Names that libraries import.
_PRIVATE = (_coalescing_manager, _get_default_group, _make_nccl_premul_sum, _rank_not_in_group)

__all__ = [
    "Backend",
    "DebugLevel",
    "DeviceMesh",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "GroupMember",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "QueueEmptyError",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
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
    "init_device_mesh",
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
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "set_debug_level",
    "set_debug_level_from_env",
    "supports_complex",
]  # fmt: skip

_add_stand_ins(globals())
_keep_functions(__name__)
