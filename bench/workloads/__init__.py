"""All workloads, in the order in which they are reported."""

from ..case import Workload
from . import (
    derivatives,
    elementwise,
    families,
    generation,
    inference,
    large,
    lengths,
    loops,
    mlp,
    modes,
    ops,
    pinn,
    readers,
    step,
    train,
)

FAMILIES = (
    ops, mlp, step, train, families, elementwise, derivatives, pinn, loops, inference, generation,
    lengths, large, modes, readers,
)  # fmt: skip
WORKLOADS: dict[str, Workload] = {
    workload.name: workload for family in FAMILIES for workload in family.workloads()
}
GROUPS = tuple(dict.fromkeys(workload.group for workload in WORKLOADS.values()))
