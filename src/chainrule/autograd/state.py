"""What is switched on in this thread: grad mode, inference mode, and everything unusual.

`STATE.w` is the one word an op's fast path tests:

    0  recording      1  no_grad      2  inference_mode      > 2  something unusual is active

Unusual means: a trace, autocast, saved-tensor hooks, anomaly mode, a profiler, another default
device... Each is a bit above the first two; the general path looks at the details. Transform levels
need no bit: their tensors are of classes the fast path does not accept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.locks import local  # pyright: ignore[reportPrivateUsage]

NO_GRAD, INFERENCE = 1, 2
TRACE, SAVED_HOOKS, ANOMALY_FORWARD, AUTOCAST, CHECKSUMS, OBSERVE = 4, 8, 16, 32, 64, 128
SELECT, WATCH, FUNCTION_MODE, DISPATCH, DEVICE = 256, 512, 1024, 2048, 4096


class State(local):
    """The thread's modes. A new thread starts with the defaults, as in PyTorch."""

    def __init__(self) -> None:
        self.w = 0
        self.grad_enabled = True  # whether ops are recorded: not in inference mode
        self.wants_grad = True  # what enable_grad and no_grad say
        self.inference = False
        self.unusual = 0
        self.forward_grad_enabled = True
        self.anomaly = False
        self.anomaly_check_nan = True
        self.multithreading = True
        self.anomaly_log: Any = None  # where infinities began, while forward results are checked
        self.levels: list[Any] = []
        self.saved_hooks: list[Any] = []
        self.saved_hooks_disabled: str | None = None
        self.partial_passes = 0  # backward passes under way that were asked for some inputs only
        self.nested = 0  # custom backwards under way inside each other
        self.passes: list[Any] = []  # backward passes under way that hooks can ask about
        self.trace: Any = None
        self.autocast: Any = None
        self.observers: list[Any] = []
        self.selections: list[Any] = []  # they decide whether an op runs or its result is known
        self.watchers: list[Any] = []  # see `watching`
        self.function_modes: list[Any] = []  # they are asked what public functions do
        self.overriding = 0  # who is asked: see `tensor.overriding`
        self.dispatch_modes: list[Any] = []  # they are asked what ops do, below autograd
        self.below_autograd = 0  # handlers of ops that are running inside each other
        self.dispatching = True  # whether modes and classes are asked about ops
        self.stand_in: Any = None  # says what ops return, in place of computing it
        # NaN and infinity are ordinary values here, as in PyTorch. NumPy keeps this setting per
        # thread; setting it once costs nothing, an errstate around every op costs 0.9 µs.
        np.seterr(all="ignore")

    def refresh(self) -> None:
        """Recompute the word after a mode changed."""
        base = INFERENCE if self.inference and not self.grad_enabled else 0
        if not base and not self.grad_enabled:
            base = NO_GRAD
        self.w = base | self.unusual

    def set_grad_enabled(self, enabled: bool) -> None:
        """For the engine's own use, also where a transform records in inference mode."""
        if enabled is not self.grad_enabled:
            self.grad_enabled = self.wants_grad = enabled
            self.refresh()

    def in_transform(self) -> bool:
        """Whether a function is being transformed (a dual_level opened by hand is none)."""
        return any(not getattr(level, "by_hand", False) for level in self.levels)

    def turn_on(self, bit: int) -> None:
        self.unusual |= bit
        self.refresh()

    def turn_off(self, bit: int) -> None:
        self.unusual &= ~bit
        self.refresh()


STATE = State()
