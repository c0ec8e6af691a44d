"""All workloads, in the order in which they are reported."""

from bench.case import Workload
from bench.workloads import mlp, modes, ops, step, train

WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        *ops.workloads(),
        *mlp.workloads(),
        *step.workloads(),
        *train.workloads(),
        *modes.workloads(),
    )
}
