"""`GradScaler`: keep small half-precision gradients from vanishing, and skip steps that overflow.

The loss is multiplied by a scale before backward, the gradients are divided by it before the step.
When a gradient is not finite the step is skipped and the scale shrinks; after enough good steps it
grows. fp16 ends at 6e-8: a scale of 2^16 lifts what would vanish.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.modes import no_grad
from ..autograd.source import warn_user
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase
from ..ops.dtypes import float16, float32, int32
from ..tensor.creation import full
from . import traced

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """Where an optimizer is between two updates of the scale."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


_MOST = 1 << 128  # about the largest number of a float
_SAVED = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")


def _check_state(state: Any) -> None:
    """Refuse a state from a file that is none, before any of it is taken over."""
    for name in _SAVED:
        found = state.get(name) if isinstance(state, dict) else None
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < _MOST:
            raise refusal.value(
                f"the state given to a GradScaler has no number as {name!r}",
                "load_state_dict",
                fix="give what state_dict() of another GradScaler returned.",
            )


class GradScaler:
    """Scales losses, unscales gradients, skips steps with non-finite ones and adapts the scale.

    >>> import chainrule as torch
    >>> scaler = torch.amp.GradScaler("cpu")
    >>> w = torch.ones(2, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> scaler.scale(w.sum()).backward()
    >>> w.grad
    tensor([65536., 65536.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w
    tensor([0.5000, 0.5000], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warn_user(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling. "
                "(chainrule computes on the CPU: use GradScaler('cpu').)",
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Any = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Any = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(
            _refresh_per_optimizer_state
        )

    # -- scaling --

    def scale(self, outputs: Any) -> Any:
        """A tensor, or tensors in lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._scale = full((), self._init_scale, dtype=float32)
                self._growth_tracker = full((), self._init_growth_tracker, dtype=int32)
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, e.g. to clip them."""
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        record = self._per_optimizer_states[id(optimizer)]
        if record["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if record["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        if STATE.unusual & TRACE:
            flag = traced.unscale(optimizer, scale)
            record["found_inf_per_device"] = {flag.device: flag}
        else:
            record["found_inf_per_device"] = self._unscale(optimizer, 1.0 / scale.item(), False)
        record["stage"] = OptState.UNSCALED

    def _unscale(self, optimizer: Any, factor: float, allow_fp16: bool) -> dict[Any, Any]:
        """Multiply all gradients by a factor; whether one of them was not finite."""
        found: dict[Any, Any] = {}
        with no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if p.grad.dtype is float16 and not allow_fp16:
                        raise ValueError(
                            "Attempting to unscale FP16 gradients. Keep the parameters in float32 "
                            "and let autocast convert them."
                        )
                    flag = found.setdefault(p.grad.device, full((), 0.0, dtype=float32))
                    if not np.isfinite(p.grad._a).all():
                        flag.fill_(1.0)
                    if factor != 1.0:
                        p.grad.mul_(factor)
        return found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step() on unscaled gradients, unless one of them is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        record = self._per_optimizer_states[id(optimizer)]
        if record["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if record["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not record["found_inf_per_device"]:
            raise AssertionError(
                "No inf checks were recorded for this optimizer: none of its parameters has a "
                "gradient."
            )
        result = None
        if STATE.unusual & TRACE:
            (flag,) = record["found_inf_per_device"].values()
            result = traced.step_unless(flag, optimizer, args, kwargs)
        elif not any(flag.item() for flag in record["found_inf_per_device"].values()):
            result = optimizer.step(*args, **kwargs)
        record["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapt the scale after the steps of an iteration, or set it."""
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is not None:
            self._set_scale(new_scale)
        else:
            found = [
                flag
                for record in self._per_optimizer_states.values()
                for flag in record["found_inf_per_device"].values()
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if STATE.unusual & TRACE:
                traced.adapt(scale, tracker, sum(found), self._growth_factor,
                             self._backoff_factor, self._growth_interval)  # fmt: skip
            elif any(flag.item() for flag in found):
                scale.mul_(self._backoff_factor)
                tracker.fill_(0)
            elif tracker.item() + 1 == self._growth_interval:
                grown = np.float32(scale.item()) * np.float32(self._growth_factor)
                if np.isfinite(grown):  # a scale that overflows would make every gradient infinite
                    scale.fill_(float(grown))
                tracker.fill_(0)
            else:
                tracker.add_(1)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _set_scale(self, new_scale: Any) -> None:
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
            return
        if new_scale.numel() != 1 or new_scale.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False."
            )
        self._scale.copy_(new_scale)

    def _check_scale_growth_tracker(self, name: str) -> tuple[Any, Any]:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale, self._growth_tracker

    def _check_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        found = self._unscale(optimizer, 1.0, True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]

    # -- settings --

    def get_scale(self) -> float:
        """The scale (1.0 when disabled)."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_scale_async(self) -> Any:
        return self._scale

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Choose by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Choose by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps in a row the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Choose after how many good steps in a row the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else tracker.item()

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    # -- saving --

    def state_dict(self) -> dict[str, Any]:
        """Scale, factors and the count of good steps; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a state_dict()."""
        if not self._enabled:
            return
        if isinstance(state_dict, dict) and not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        _check_state(state_dict)
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, "
                    "or at the end after scaler.update()."
                )
            kept["_init_scale"] = self.get_scale()
            kept["_init_growth_tracker"] = self._get_growth_tracker()
            kept["_scale"] = kept["_growth_tracker"] = None
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


explain_module(globals(), "GradScaler")
