"""`Timer`: how long a statement takes, run often enough to know."""

from __future__ import annotations

import enum
import textwrap
import time
import timeit
from collections.abc import Callable
from typing import Any

import chainrule as cr

from ...autograd.accidents import explain_module
from .measurement import Measurement, TaskSpec

timer = time.perf_counter
_SHORTEST_BLOCK = 5e-4  # seconds: the clock itself then takes less than a thousandth


class Language(enum.Enum):
    """What a statement is written in; C++ cannot be timed here."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Time a statement.

    Threads are set to `num_threads` while it runs. The statement sees `globals` and `torch`.

    >>> import chainrule as torch
    >>> from chainrule.utils.benchmark import Timer
    >>> m = Timer("x.exp()", globals={"x": torch.ones(10)}).timeit(100)
    >>> m.number_per_run, m.median > 0
    (100, True)
    """

    _timer_cls = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,  # noqa: A002 - PyTorch's name
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in (Language.PYTHON, "py", "python"):
            raise NotImplementedError("chainrule times statements of Python, not of C++")
        if global_setup:
            raise ValueError("global_setup is for C++, most likely you wanted to use setup")
        stmt, setup = textwrap.dedent(stmt).strip("\n"), textwrap.dedent(setup).strip("\n")
        space = dict(globals or {})
        space.setdefault("torch", cr)
        self._globals = space
        self._timer = self._timer_cls(stmt, setup or "pass", timer, space)
        self._task_spec = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )

    def _timeit(self, number: int) -> float:
        # Never zero: a clock can be too coarse for one run.
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run it `number` times after a warm-up; one time."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _runs_per_block(self, min_run_time: float) -> int:
        """How many runs make a block whose time the clock can tell; they warm up as well."""
        number = 1
        while self._timeit(number) < min(max(min_run_time / 1000, _SHORTEST_BLOCK), min_run_time):
            number *= 10
        return number

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Run it in blocks until `min_run_time` seconds have passed."""
        with set_torch_threads(self._task_spec.num_threads):
            number = self._runs_per_block(min_run_time)
            times = self._collect(number, lambda ts: sum(ts) > min_run_time, callback)
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Run it until its times lie close together, or `max_run_time` seconds have passed."""
        with set_torch_threads(self._task_spec.num_threads):
            number = self._runs_per_block(0.05)

            def enough(times: list[float]) -> bool:
                if sum(times) > max_run_time:
                    return True
                found = Measurement(number, times, self._task_spec)
                return sum(times) > min_run_time and found.meets_confidence(threshold)

            times = self._collect(number, enough, callback)
        return Measurement(number, times, self._task_spec)

    autorange = blocked_autorange

    def _collect(
        self,
        number: int,
        enough: Callable[[list[float]], bool],
        callback: Callable[[int, float], Any] | None,
    ) -> list[float]:
        times: list[float] = []
        while not (times and enough(times)):
            took = self._timeit(number)
            if callback is not None:
                callback(number, took)
            times.append(took)
        return times

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> Any:
        """Counts of instructions: refused, they need PyTorch's own tools around valgrind."""
        raise NotImplementedError(
            "collect_callgrind is not offered; use blocked_autorange(), or chainrule.profiler"
        )


class set_torch_threads:
    """The number of threads inside the block."""

    def __init__(self, n: int) -> None:
        self.number = n

    def __enter__(self) -> None:
        self.before = cr.get_num_threads()
        if self.before != self.number:
            cr.set_num_threads(self.number)

    def __exit__(self, *exc: object) -> None:
        if self.before != self.number:
            cr.set_num_threads(self.before)


explain_module(globals())
