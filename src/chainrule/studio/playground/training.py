"""A run of the playground: steps, pauses, goes back, and shows itself."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from math import isfinite
from types import ModuleType
from typing import Any

from ..programs import ProgramError, load
from ..values import number
from .frames import Look
from .listening import Listening
from .script import checked, script

FILE = "playground.py"
AT_ONCE = 0.03  # seconds of training between two looks at the requests
SHARE = 0.02  # of the time that showing may take
FASTEST = 0.2  # seconds between two frames
KEEP_EVERY, MOST_KEPT = 1000, 100  # steps between states to go back to; how many there are
IN_A_ROW = 64  # batches without a look at the clock
NOT_FINITE = "The loss is no finite number any more."
MOST_POINTS = 300  # of the loss curve


class Training:
    """One run; `advance` trains a little, `control` does what the page asks."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = checked(config)
        self.text = script(self.config)
        self.running = False
        self._doctor = Listening()
        try:
            self._start()
        except BaseException:  # of the user's lines, as they run or as their model is looked at
            self._doctor.stop()
            raise

    def _start(self) -> None:
        self.script: ModuleType = load(self.text, FILE)
        self.steps = 0
        self.losses: list[float] = []
        self.sizes: list[int] = []  # rows of each step, to take it again
        self.epoch, self._rows, self._next = 0, None, 0
        self._count, self._parts = len(self.script.inputs), None
        self._every, self._kept = KEEP_EVERY, {}
        self.problem = ""
        self._findings: list[dict[str, Any]] = []
        self._asked = 0.0
        self.look = Look(self.script, self.config)
        self._shown_at, self._cost, self._speed = time.perf_counter(), 0.0, 0.0
        self._pace = 0.0
        self._clock = (time.perf_counter(), 0)
        self._keep()

    # ---- training --------------------------------------------------------------------------------

    def advance(self, send: Callable[[dict[str, Any]], None]) -> None:
        """Train for a moment; show it when it is time to. An error ends the run alone."""
        try:
            self._advance(send)
        except (Exception, SystemExit) as problem:
            self._fail(problem)
            send(self.frame())

    def _advance(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._doctor.begin_if_due(self.script.model, self.script.optimizer)
        clock, batch = time.perf_counter, self.config["batch"]
        end = clock() + AT_ONCE
        if self._pace:
            self._stroll(end, send)
            return
        while self.running and clock() < end:
            if not self._sprint(batch):
                self._step(batch)
        now = time.perf_counter()
        if now - self._shown_at >= max(FASTEST, self._cost / SHARE) or not self.running:
            send(self.frame())
            self._cost = time.perf_counter() - now

    def _stroll(self, end: float, send: Callable[[dict[str, Any]], None]) -> None:
        """The steps that are due at the pace that was asked for, no more."""
        began, first = self._clock
        now = time.perf_counter()
        due = first + int((now - began) * self._pace)
        while self.running and self.steps < due - 1 and time.perf_counter() < end:
            self._step(self.config["batch"])
        if self.running and self.steps < due and now - self._shown_at < FASTEST:
            self._step(self.config["batch"])
        elif self.running and self.steps >= due:
            time.sleep(0.01)
            return
        if now - self._shown_at >= FASTEST or not self.running:
            send(self.frame())  # takes the step that it shows

    def _sprint(self, batch: int) -> bool:
        """Whole batches in a row, with nothing between them; False where that is not possible."""
        watched = self._doctor.listens or self.look.on_a_surface
        if self._parts is None or watched or self._next % batch:
            return False
        first = self._next // batch
        room = self._every - 1 - self.steps % self._every  # the state after it is to be kept
        parts = self._parts[first : first + min(room, IN_A_ROW)]
        s, losses = self.script, []
        step, inputs, targets = s.train_step, s.inputs, s.targets
        try:
            for rows in parts:
                value = step(inputs[rows], targets[rows]).item()
                losses.append(value)
                if value - value != 0.0:  # not finite
                    self.running, self.problem = False, NOT_FINITE
                    break
        except (Exception, SystemExit) as problem:
            self._fail(problem)
        self.steps += len(losses)
        self.losses += losses
        for _ in losses:
            size = min(batch, self._count - self._next)
            self.sizes.append(size)
            self._next += size
        return bool(losses) or not self.running

    def _step(self, most: int, measured: bool = False) -> None:
        start, s = self._next, self.script
        rows = self._take(most)
        size = self._next - (start if self._next > start else 0)
        try:
            before = self.look.before(rows) if measured else None
            loss = s.train_step(s.inputs[rows], s.targets[rows])
        except (Exception, SystemExit) as problem:
            self._fail(problem)
            return
        self.steps += 1
        self.sizes.append(size)
        value = loss.item()
        self.losses.append(value)
        self.look.note_place(self.steps)
        if before is not None:
            self.look.after(before, self.steps)
        if self.steps % self._every == 0:
            self._keep()
        if self._doctor.listens:
            self._doctor.step_ends()
        if not isfinite(value):
            self.running, self.problem = False, NOT_FINITE

    def _fail(self, problem: BaseException) -> None:
        """An error of the user's model ends the run; the page says it."""
        said = str(problem) if isinstance(problem, ProgramError) else ""
        self.running, self.problem = False, said or f"{type(problem).__name__}: {problem}"

    def _take(self, most: int) -> Any:
        """The next rows of this epoch, up to the end of their batch."""
        if self._rows is None or self._next >= self._count:
            torch = self.script.torch
            self._rows = torch.randperm(self._count, generator=self.script.order)
            self._parts = self._rows.split(self.config["batch"])
            self.epoch, self._next = self.epoch + 1, 0
        batch = self.config["batch"]
        end = min(self._next + most, (self._next // batch + 1) * batch, self._count)
        if most >= batch and not self._next % batch and self._parts is not None:
            rows = self._parts[self._next // batch]
            self._next = end
            return rows
        rows = self._rows[self._next : end]
        self._next = end
        return rows

    # ---- going back ------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Remember this state; where there are many, every other one is let go."""
        s = self.script
        self._kept[self.steps] = copy.deepcopy(
            (s.model.state_dict(), s.optimizer.state_dict(), s.order.get_state(), self._rows,
             self._next, self.epoch)
        )  # fmt: skip
        if len(self._kept) > MOST_KEPT:
            self._every *= 2
            self._kept = {k: v for k, v in self._kept.items() if k % self._every == 0}

    def rewind(self, to: int) -> None:
        """Be at an earlier step again: from the last state kept before it, by the same steps."""
        to = max(0, min(int(to), self.steps))
        start = max(k for k in self._kept if k <= to)
        s = self.script
        model, optimizer, order, self._rows, self._next, self.epoch = copy.deepcopy(
            self._kept[start]
        )
        s.model.load_state_dict(model)
        s.optimizer.load_state_dict(optimizer)
        s.order.set_state(order)
        self._parts = None
        again = self.sizes[start:to]
        self._kept = {k: v for k, v in self._kept.items() if k <= start}
        self.steps = start
        self.look.note_place(start)
        self.look.forget()
        self.sizes, self.losses = self.sizes[:start], self.losses[:start]
        self.running, self.problem = False, ""
        for count, size in enumerate(again, 1):
            self._step(size, measured=count == len(again))

    # ---- what the page asks ----------------------------------------------------------------------

    def control(self, action: str, to: int = 0, pace: float = 0.0) -> dict[str, Any]:
        """Do it, and show what is there then; `pace` is in steps per second, 0 is all there is."""
        if action == "run":
            self.running = not self.problem
            self._pace = min(max(0.0, float(pace)), 1e6)
            self._clock = (time.perf_counter(), self.steps)
        elif action == "pause":
            self.running = False
        elif action in ("example", "batch", "epoch"):
            self._walk(action)
        elif action == "rewind":
            self.rewind(to)
        elif action != "look":
            raise ProgramError(f"training knows no {action!r}")
        return self.frame()

    def _walk(self, how: str) -> None:
        self.running = False
        if how == "epoch":
            epoch = self.epoch + (self._rows is None or self._next >= len(self._rows))
            while not self.problem:
                last = self._next + self.config["batch"] >= len(self.script.inputs)
                self._step(self.config["batch"], measured=last)
                if self.epoch > epoch or self._next >= len(self._rows):  # pyright: ignore[reportArgumentType]
                    return
        self._step(1 if how == "example" else self.config["batch"], measured=True)

    def frame(self) -> dict[str, Any]:
        """Everything that the page draws."""
        began = time.perf_counter()
        if self.running:
            self._step(self.config["batch"], measured=True)
            since, steps = self._clock
            self._speed = (self.steps - steps) / max(began - since, 1e-9)
        try:
            seen = self.look.picture()
        except ProgramError as problem:
            self._fail(problem)
            seen = self.look.measures()
        made = {
            "step": self.steps, "epoch": self.epoch, "row": self._next, "running": self.running,
            "problem": self.problem, "config": self.config, "losses": self._curve(),
            "loss": number(self.losses[-1]) if self.losses else None, "speed": self._speed,
            "findings": self._found(), "script": self.text, **seen,
        }  # fmt: skip
        self._shown_at = time.perf_counter()
        self._cost = self._shown_at - began
        return made

    def _curve(self) -> dict[str, Any]:
        """The losses; of many steps the mean of as many as make one point."""
        every = max(1, -(-len(self.losses) // MOST_POINTS))
        parts = [self.losses[k : k + every] for k in range(0, len(self.losses), every)]
        return {
            "x": [k * every + len(p) for k, p in enumerate(parts)],
            "y": [number(sum(p) / len(p)) for p in parts],
        }

    def _found(self) -> list[dict[str, Any]]:
        """What the doctor says so far; asked once a second while it runs."""
        now = time.perf_counter()
        if not self.running or now - self._asked > 1.0:
            self._findings = self._doctor.findings()
            self._asked = time.perf_counter()
        return self._findings

    def close(self) -> None:
        """Listen no longer."""
        self._doctor.stop()


__all__ = ["Training"]
