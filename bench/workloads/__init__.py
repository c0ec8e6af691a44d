"""All workloads, in the order in which they are reported."""

from ..case import Workload
from . import derivatives, elementwise, inference, mlp, modes, ops, readers, step, train

WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for family in (ops, mlp, step, train, elementwise, derivatives, inference, modes, readers)
    for workload in family.workloads()
}
GROUPS = tuple(dict.fromkeys(workload.group for workload in WORKLOADS.values()))
