"""What a training run does, as the rules see it: backward passes, steps, optimizers, modules.

Nothing is watched op by op. The tape already holds every op with its line and what it saved, so a
rule reads the tape of a loss when `backward()` is called. Every pass is counted and its loss kept;
the tape is read on the first passes of each `backward()` line and on some later ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import ref

import numpy as np

from ..autograd import node as nodes
from ..autograd.value import TensorBase
from ..ops.weak import WeakTable
from ..reading.nodes import Tape, Vertex
from .positions import NOWHERE, Position, here, users_frame
from .series import Series

LOOKED_FIRST = 20  # passes of a site that are read one by one
AGAIN, MOST_AGAIN = 8, 3  # passes that are read when the model changes later on, and how often
HELD_AT = (4, 9, 19)  # passes of a site after which what it trains is held until the end
MOST_HELD = 32  # models and optimizers
MOST_FREE = 4  # parameters that belong to neither


class Site:
    """A line that calls backward(): one training among those that a program may hold."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.losses = Series()
        self.count = 0
        self.next_look = LOOKED_FIRST
        self.last_key = 0  # nodes with greater keys are older than its latest pass

    @property
    def label(self) -> str:
        return self.position.short


class Pass:
    """One backward pass. `tape` is there while a looked-at pass begins and ends."""

    def __init__(self, number: int, site: Site, roots: tuple[Any, ...]) -> None:
        self.number = number
        self.site = site
        self.roots = roots
        self.in_site = site.count  # how many passes the site had before
        self.value: float | None = None
        self.looked = False
        self.tape: Tape | None = None
        self.retain = False
        self.create = False
        self.seeded = False
        self.keep = False  # a rule wants the graph after the pass
        self.frame: Any = None  # the user's frame, while the pass runs
        self.error: BaseException | None = None
        self._leaves: list[Any] | None = None
        self._nodes: list[Vertex] | None = None
        self._by_op: dict[str, list[Vertex]] | None = None

    @property
    def loss(self) -> Any:
        return self.roots[0] if self.roots else None

    @property
    def leaves(self) -> list[Any]:
        """The leaf tensors of the graph."""
        if self._leaves is None:
            self._leaves = [] if self.tape is None else [v.leaf for v in self.tape.leaves]
        return self._leaves

    @property
    def nodes(self) -> list[Vertex]:
        """The nodes of the graph, the latest first."""
        if self._nodes is None:
            self._nodes = [] if self.tape is None else self.tape.nodes
        return self._nodes

    def of(self, *ops: str) -> list[Vertex]:
        """The nodes of some ops, the latest first."""
        if self._by_op is None:
            self._by_op = {}
            for v in self.nodes:
                self._by_op.setdefault(v.op, []).append(v)
        found = [known for op in ops if (known := self._by_op.get(op))]
        if len(found) < 2:
            return found[0] if found else []
        return sorted((v for some in found for v in some), key=lambda v: v.key)

    def read(self) -> Tape | None:
        """The graph, read now if it was not to be looked at."""
        if self.tape is None:
            self.tape = tape_of(self.loss)
            self._leaves = self._nodes = self._by_op = None
        return self.tape

    def forget(self) -> None:
        """Let go of the graph: it is freed when the program drops it."""
        if self.tape is not None:
            forget(self.tape)
        self.tape = self.frame = self._leaves = self._nodes = self._by_op = None
        self.roots = ()


class OptimizerRecord:
    """An optimizer and what is known of it."""

    def __init__(self, optimizer: Any, position: Position) -> None:
        self.ref = ref(optimizer)
        self.kind = type(optimizer).__name__
        self.position = position
        self.steps = 0
        self.stepped_at: Position = NOWHERE

    @property
    def parameters(self) -> list[Any]:
        optimizer = self.ref()
        if optimizer is None:
            return []
        return [p for group in optimizer.param_groups for p in group["params"]]

    def rates(self) -> list[float]:
        optimizer = self.ref()
        groups = [] if optimizer is None else optimizer.param_groups
        return [float(g["lr"]) for g in groups if "lr" in g]


class Step:
    """One call of an optimizer's step()."""

    def __init__(self, number: int, optimizer: OptimizerRecord, position: Position) -> None:
        self.number = number
        self.optimizer = optimizer
        self.position = position
        self.looked = False


class ModuleRecord:
    """A module and the lines that made it, the innermost first."""

    def __init__(self, module: Any, lines: tuple[Position, ...]) -> None:
        self.ref = ref(module)
        self.lines = lines

    @property
    def position(self) -> Position:
        return self.lines[0] if self.lines else NOWHERE


EVENTS = (
    "pass_begins", "pass_ends", "pass_failed", "step_begins", "step_ends", "optimizer_made",
    "mode_set", "scheduler_stepped", "gradients_clipped", "grad_switched", "permuted", "indexed",
    "rows_taken", "loader_made", "scaler_used", "zeroed", "cut", "model_called", "scheduler_made",
    "listening_began", "listening_ended", "dropped_out", "data_set", "batch_taken",
)  # fmt: skip


class Run:
    """The events of a run, handed to the rules that listen."""

    def __init__(self, rules: Iterable[type[Any]], *, every: int | None = None) -> None:
        self.every = every
        self.ignored: frozenset[str] = frozenset()  # rules whose findings nobody wants to see
        self.passes = 0
        self.steps = 0
        self.sites: dict[Position, Site] = {}
        self.optimizers: list[OptimizerRecord] = []
        self.modules: dict[int, ModuleRecord] = {}
        self.problem: BaseException | None = None  # what the program raised
        self.began = time.perf_counter()
        self.looking = True  # whether the latest pass was read
        self.failures: dict[str, str] = {}  # rules that stumbled over something
        self.compiled = 0  # compiled calls, whose inside is not seen
        self.made = WeakTable()  # parameters: the user's lines that made them
        self.made_when = WeakTable()  # parameters: how many optimizers there were then
        self.frozen_at = WeakTable()  # parameters: the line that set requires_grad to False
        self._held: dict[int, Any] = {}  # functions end before the run does: their models stay
        self._again = self._looked_again = 0
        self._shared: dict[type[Any], Any] = {}
        self.rules = [rule(self) for rule in rules]
        listeners = [*self._shared.values(), *self.rules]
        self._listeners = {
            event: [getattr(r, event) for r in listeners if hasattr(r, event)] for event in EVENTS
        }
        self._of_every_pass = {
            event: [m for m in self._listeners[event] if getattr(m.__self__, "hears_all", False)]
            for event in ("pass_begins", "pass_ends", "step_begins", "step_ends")
        }

    def shared(self, kind: type[Any]) -> Any:
        """What several rules watch in common: one object of this class, told before the rules."""
        if kind not in self._shared:
            self._shared[kind] = kind(self)
        return self._shared[kind]

    def tell(self, event: str, *args: Any) -> None:
        """Hand an event to every rule that has a method of its name."""
        for listen in self._listeners[event]:
            try:
                listen(*args)
            except Exception as problem:
                self._failed(listen, problem)

    def _failed(self, listen: Any, problem: Exception) -> None:
        """A rule stumbled: the program goes on, and the rule is not asked again."""
        rule = listen.__self__
        self.failures[type(rule).__name__] = f"{type(problem).__name__}: {problem}"
        for kept in (*self._listeners.values(), *self._of_every_pass.values()):
            kept[:] = [one for one in kept if one.__self__ is not rule]
        self.rules = [r for r in self.rules if r is not rule]

    def _tell_of(self, this: Pass | Step, event: str) -> None:
        """Hand a pass or step to the rules; one that is not looked at to those that count all."""
        listeners = self._listeners if this.looked else self._of_every_pass
        for listen in listeners[event]:
            try:
                listen(this)
            except Exception as problem:
                self._failed(listen, problem)

    def hears(self, event: str) -> bool:
        return bool(self._listeners[event])

    # ---- backward passes -------------------------------------------------------------------------

    def pass_begins(self, roots: tuple[Any, ...], retain: Any, create: bool, seeded: bool) -> Pass:
        """A backward pass is about to run."""
        frame = users_frame(2)
        position = NOWHERE if frame is None else Position(frame.f_code, frame.f_lasti)
        site = self.sites.get(position)
        if site is None:
            site = self.sites[position] = Site(position)
        this = Pass(self.passes, site, roots)
        this.value = scalar(this.loss)
        this.retain = bool(create if retain is None else retain)
        this.create, this.seeded, this.frame = create, seeded, frame
        self.looking = this.looked = self._looks(site)
        if this.looked:
            this.tape = tape_of(this.loss)
        self._tell_of(this, "pass_begins")
        return this

    def pass_ends(self, this: Pass) -> None:
        """It ended."""
        self._tell_of(this, "pass_ends")
        if this.in_site in HELD_AT:
            self._hold(this)
        self._count(this)

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        """It raised."""
        this.error = problem
        self.tell("pass_failed", this, problem)
        self._count(this)

    def _count(self, this: Pass) -> None:
        site = this.site
        if this.value is not None:
            site.losses.add(site.count, this.value)
        site.count += 1
        site.last_key = nodes.next_key()
        self.passes += 1
        this.forget()

    def _hold(self, this: Pass) -> None:
        reached = {id(leaf) for leaf in this.leaves}
        found = [m for m in self.roots() if any(id(p) in reached for p in m.parameters())]
        found += [o for record in self.optimizers if (o := record.ref()) is not None]
        known = {id(p) for m in found if hasattr(m, "parameters") for p in m.parameters()}
        known |= self.in_optimizers()
        free = [leaf for leaf in this.leaves if leaf._rg and id(leaf) not in known]
        found += free[:MOST_FREE]
        for thing in found:
            self._held[id(thing)] = thing
        while len(self._held) > MOST_HELD:
            del self._held[next(iter(self._held))]

    def _looks(self, site: Site) -> bool:
        if site.count < LOOKED_FIRST:
            return True
        if self._again > 0:
            self._again -= 1
            return True
        # Two in a row: rules compare a pass with the one before it.
        if site.count > site.next_look:
            site.next_look = site.count + (self.every or max(50, site.count // 5)) - 1
            return True
        return site.count == site.next_look

    def look_again(self) -> None:
        """Parameters or optimizers came late: the next passes are read one by one."""
        if self.passes and self._again == 0 and self._looked_again < MOST_AGAIN:
            self._looked_again += 1
            self._again = AGAIN

    # ---- steps and what they belong to -----------------------------------------------------------

    def step_begins(self, optimizer: Any) -> Step:
        """An optimizer is about to step."""
        record = self.record_of(optimizer)
        this = Step(self.steps, record, here(2))
        record.stepped_at = this.position
        this.looked = self.looking
        self._tell_of(this, "step_begins")
        return this

    def step_ends(self, this: Step) -> None:
        """It stepped."""
        self.steps += 1
        this.optimizer.steps += 1
        self._tell_of(this, "step_ends")

    def knows(self, module: Any) -> bool:
        """Whether a module's construction was seen (copies and loaded ones have none)."""
        record = self.modules.get(id(module))
        return record is not None and record.ref() is module

    def record_of(self, optimizer: Any) -> OptimizerRecord:
        """The record of an optimizer; made now if it was there before the doctor came."""
        for record in self.optimizers:
            if record.ref() is optimizer:
                return record
        return self.optimizer_made(optimizer, NOWHERE)

    def optimizer_made(self, optimizer: Any, position: Position) -> OptimizerRecord:
        self.look_again()
        record = OptimizerRecord(optimizer, position)
        self.optimizers.append(record)
        self.tell("optimizer_made", record)
        return record

    # ---- modules ---------------------------------------------------------------------------------

    def module_made(self, module: Any, lines: tuple[Position, ...]) -> None:
        """A module was constructed."""
        self.modules[id(module)] = ModuleRecord(module, lines)

    def living_modules(self) -> Iterator[tuple[Any, Position]]:
        """Every module that is still there, with the line that made it."""
        for record in list(self.modules.values()):
            module = record.ref()
            if module is not None:
                yield module, record.position

    def roots(self) -> list[Any]:
        """The modules that are part of no other."""
        living = [m for m, _ in self.living_modules()]
        inner = {id(child) for m in living for child in m._modules.values() if child is not None}
        return [m for m in living if id(m) not in inner]

    def names(self) -> dict[int, str]:
        """Parameters by the name that their model gives them, as in a state_dict."""
        found: dict[int, str] = {}
        for module in self.roots():
            for name, p in module.named_parameters(remove_duplicate=False):
                found.setdefault(id(p), name)
        return found

    def owner(self, parameter: Any) -> tuple[Any, Position] | None:
        """The module that holds a parameter, and the line that made the module."""
        for module, position in self.living_modules():
            if any(p is parameter for p in module._parameters.values()):
                return module, position
        return None

    def made_at(self, parameter: Any, beside: Position = NOWHERE) -> Position:
        """The line that made a parameter; of the lines that led there, the one in the same function
        as `beside`, if there is one."""
        lines = self.made.get(parameter, ())
        if not lines and (owner := self.owner(parameter)) is not None:
            lines = self.modules[id(owner[0])].lines
        near = [line for line in lines if line.is_beside(beside)]
        return near[0] if near else lines[0] if lines else NOWHERE

    def position_of(self, module: Any) -> Position:
        record = self.modules.get(id(module))
        return NOWHERE if record is None or record.ref() is not module else record.position

    # ---- how it goes -----------------------------------------------------------------------------

    def in_optimizers(self) -> set[int]:
        """The ids of all parameters that some optimizer was given."""
        return {id(p) for record in self.optimizers for p in record.parameters}

    def learns(self, by: float = 0.2) -> bool:
        """Whether some loss of the run is clearly falling."""
        return any(site.losses.falls(by) for site in self.sites.values())


def scalar(loss: Any) -> float | None:
    """The value of a loss of one element."""
    if not isinstance(loss, TensorBase) or not isinstance(loss._a, np.ndarray):
        return None
    return float(loss._a.reshape(-1)[0].real) if loss._a.size == 1 else None


def tape_of(loss: Any) -> Tape | None:
    """The graph behind a loss; None where there is none."""
    try:
        return Tape.of(loss)
    except (RuntimeError, TypeError):
        return None


def forget(tape: Tape) -> None:
    """Undo the cycles of a tape that was read: the graph is freed when the program drops it."""
    for v in tape.order:
        v.inputs = ()
        v.uses.clear()


def is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


__all__ = ["ModuleRecord", "OptimizerRecord", "Pass", "Run", "Site", "Step", "is_finite", "scalar"]
