"""`checkpoint_budget`: give a model a number of bytes for its activations, and it keeps to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd import grad
from ..autograd.modes import enable_grad, is_grad_enabled
from ..autograd.value import TensorBase
from ..ops.allocation import in_units as size
from ..tensor.random import fork_rng
from .checkpoint_chain import Chain
from .checkpoint_measure import ActivationMeter, BlockMeasurement, restored_buffers
from .checkpoint_schedule import (
    BlockCost,
    Keep,
    Schedule,
    cheapest_within,
    every_block,
    least_memory,
    memory_of,
    square_root,
)

SCHEDULES = ("optimal", "sqrt", "blocks")


def checkpoint_budget(
    model: Any,
    bytes: float,  # noqa: A002 - it is what it is
    *example_inputs: Any,
    blocks: Sequence[Any] | None = None,
    schedule: str = "optimal",
    verify: bool = True,
    **example_kwargs: Any,
) -> CheckpointPlan:
    """Checkpoint as little of a model as a budget for its activations allows.

    The model's blocks (the children of its largest Sequential or ModuleList, or `blocks`) are
    measured in one forward pass on the example inputs; without any, on the inputs of the first
    training step. The schedule with the least recomputation whose peak is within `bytes` is put
    into force on the model in place; `plan.remove()` undoes it. "sqrt" and "blocks" are the classic
    schedules: about sqrt(n) segments, or every block. A budget nothing fits into is an error that
    names the smallest one possible.

    Counted is what the tape holds for backward at the worst moment, recomputed values included; not
    counted are parameters, buffers, gradients, the optimizer's state and the inputs themselves.

    >>> import chainrule as torch
    >>> model = torch.nn.Sequential(*[torch.nn.Tanh() for _ in range(16)])
    >>> x = torch.ones(1000, requires_grad=True)
    >>> plan = checkpoint_budget(model, 32_000, x)
    >>> plan.predicted <= 32_000, plan.extra_forwards < 1
    (True, True)
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule should be one of {list(SCHEDULES)}, but got {schedule!r}")
    plan = CheckpointPlan(model, bytes, find_blocks(model) if blocks is None else blocks, schedule)
    if not example_inputs and not example_kwargs:
        model.forward = _PlanOnFirstCall(plan)
        return plan
    plan.make(example_inputs, example_kwargs)
    if verify:
        plan.measure(*example_inputs, **example_kwargs)
    return plan


class _PlanOnFirstCall:
    """The forward of a model whose plan waits for its first training input."""

    def __init__(self, plan: CheckpointPlan) -> None:
        self.plan = plan
        self.forward = plan.model.forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_grad_enabled():
            del self.plan.model.forward
            self.plan.make(args, kwargs)
        return self.forward(*args, **kwargs)


def find_blocks(model: Any) -> list[Any]:
    """The chain a model mainly consists of: the children of its largest list of modules."""
    from .. import nn

    if isinstance(model, nn.Sequential):
        return list(model.children())
    lists = [m for m in model.modules() if isinstance(m, nn.ModuleList | nn.Sequential)]
    lists = [m for m in lists if len(list(m.children())) > 1]
    if lists:
        best = max(lists, key=lambda m: sum(p.numel() for p in m.parameters()))
        return list(best.children())
    found = list(model.children())
    if not found:
        raise ValueError(
            f"checkpoint_budget: {type(model).__name__} has no child modules to checkpoint.\n"
            "  Fix: pass blocks=[...], the modules its forward calls one after the other."
        )
    return found


class CheckpointPlan:
    """What `checkpoint_budget` decided, in numbers and (printed) in words."""

    def __init__(self, model: Any, budget: float, blocks: Sequence[Any], schedule: str) -> None:
        self.model = model
        self.budget = budget
        self.blocks = list(blocks)
        self.schedule_name = schedule
        self.costs: list[BlockCost] = []
        self.outside = 0  # bytes held outside of the blocks, whatever the schedule
        self.schedule: Schedule | None = None
        self.measured: int | None = None
        self.chain: Chain | None = None

    # -- making --

    def make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Measure the blocks on these inputs, choose the schedule and put it into force."""
        measurement = BlockMeasurement(self.model, self.blocks)
        self.costs = measurement.run(args, kwargs)
        self.blocks = [self.blocks[k] for k in measurement.order]
        if not self.blocks:
            raise ValueError(
                "checkpoint_budget: none of the blocks ran in the model's forward pass.\n"
                "  Fix: pass blocks=[...], the modules its forward calls one after the other."
            )
        self.outside = measurement.outside + self.costs[0].input
        self.schedule = self._choose()
        self.chain = Chain(self.blocks, self.schedule.items)
        self.chain.install()

    def _choose(self) -> Schedule:
        room = self.budget - self.outside
        everything = tuple(Keep(k) for k in range(len(self.costs)))
        if memory_of(self.costs, everything) <= room:
            return Schedule(memory_of(self.costs, everything), 0.0, everything)
        if self.schedule_name == "optimal":
            found = cheapest_within(self.costs, room)
            least = least_memory(self.costs)
        else:
            made = {"sqrt": square_root, "blocks": every_block}[self.schedule_name](self.costs)
            found = made if made.memory <= room else None
            least = made.memory
        if found is None:
            raise ValueError(
                f"checkpoint_budget: the activations do not fit into {size(self.budget)} "
                f"({int(self.budget)} bytes).\n"
                f"  The least feasible budget for these inputs with schedule="
                f"{self.schedule_name!r} is {self.outside + least} bytes "
                f"({size(self.outside + least)}): {size(self.outside)} are held outside of the "
                f"{len(self.blocks)} blocks, {size(least)} inside.\n"
                "  Fix: raise the budget, use a smaller batch, or split the model into more blocks."
            )
        return found

    # -- what it says --

    @property
    def ready(self) -> bool:
        """Whether the blocks have been measured (without example inputs: at the first step)."""
        return self.schedule is not None

    @property
    def predicted(self) -> int:
        """Bytes of activations at the worst moment under the plan."""
        return self.outside + self._made().memory

    @property
    def without(self) -> int:
        """Bytes of activations when nothing is checkpointed."""
        self._made()
        return self.outside + memory_of(self.costs, tuple(Keep(k) for k in range(len(self.costs))))

    @property
    def extra_forwards(self) -> float:
        """Work of all recomputations, as a share of one forward pass of the blocks."""
        return self._made().work / (sum(c.work for c in self.costs) or 1.0)

    @property
    def order(self) -> str:
        """The schedule as nested brackets; what is inside is computed again."""
        return diagram(self._made().items)

    def _made(self) -> Schedule:
        if self.schedule is None:
            raise RuntimeError(
                "checkpoint_budget was given no example inputs: the plan is made in the model's "
                "first forward pass with gradients. Run a step first."
            )
        return self.schedule

    def measure(self, *args: Any, **kwargs: Any) -> int:
        """The bytes really held at the worst moment of a forward and backward pass.

        Leaves `.grad`, buffers and the random stream alone.
        """
        parameters = [p for p in self.model.parameters() if p.requires_grad]
        given = [a for a in (*args, *kwargs.values()) if isinstance(a, TensorBase)]
        wanted = [*parameters, *(t for t in given if t.requires_grad)]
        meter = ActivationMeter([*self.model.parameters(), *self.model.buffers(), *given])
        with restored_buffers(self.model), fork_rng(), enable_grad():
            try:
                with meter:
                    outputs = _tensors(self.model(*args, **kwargs))
                total = sum(o.sum() for o in outputs if o.requires_grad)
                del outputs  # what the caller holds is not the tape's
                grad(total, wanted, allow_unused=True)
            finally:
                meter.close()
        self.measured = meter.peak
        return self.measured

    def remove(self) -> None:
        """Give the model its own forward back."""
        if isinstance(self.model.__dict__.get("forward"), _PlanOnFirstCall):
            del self.model.forward
        if self.chain is not None:
            self.chain.remove()

    def __str__(self) -> str:
        if self.schedule is None:
            return f"checkpoint plan: made in the first training step, within {size(self.budget)}"
        saved = 1 - self.predicted / self.without if self.without else 0.0
        lines = [
            f"checkpoint plan: {len(self.blocks)} blocks within {size(self.budget)} "
            f"(schedule: {self.schedule_name})",
            f"  without checkpointing  {size(self.without)}",
            f"  predicted peak         {size(self.predicted)}  ({saved:.0%} less)",
        ]
        if self.measured is not None:
            lines.append(f"  measured peak          {size(self.measured)}")
        lines.append(f"  extra forward work     {self.extra_forwards:.2f} of one pass")
        lines.append(f"  held outside           {size(self.outside)}")
        lines.append(f"  order                  {self.order}")
        lines.append("  [..] is computed again in backward, innermost brackets last")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def diagram(items: tuple[Any, ...]) -> str:
    """A schedule as nested brackets.

    >>> from chainrule.utils.checkpoint_schedule import Keep, Segment
    >>> diagram((Segment(0, 2, (Keep(0), Keep(1))), Keep(2)))
    '[0 1] 2'
    """
    return " ".join(
        str(item.block) if isinstance(item, Keep) else f"[{diagram(item.items)}]" for item in items
    )


def _tensors(value: Any) -> list[Any]:
    """All tensors in a model's result."""
    if isinstance(value, TensorBase):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    return [t for part in value for t in _tensors(part)]
