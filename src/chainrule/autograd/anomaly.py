"""Anomaly mode: find where NaN first arises, in backward (as PyTorch) and in forward.

While it is on, backward checks every node's gradients and names the forward line of the node that
made NaN, with the values that did it. `forward=True` also checks every result as it is computed,
remembers where each infinity began (`nan_origins.py`), and watches optimizer steps, so that the
message names the beginning: the data, the overflow, the step that blew up. Saved arrays get a
checksum, so a value changed behind autograd's back (`.data`, `.numpy()`, DLPack) is named too.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..ops.later import Later
from .source import warn_user
from .state import ANOMALY_FORWARD, CHECKSUMS, STATE

nonfinite = Later(".nonfinite", __package__)


class detect_anomaly:
    """Check for NaN inside the block; `forward=True` finds where it began.

    >>> import warnings, chainrule as torch
    >>> x = torch.tensor([[1.0, 2.0], [3.0, float("nan")]])
    >>> w = torch.ones(2, requires_grad=True)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     with torch.autograd.detect_anomaly(forward=True):
    ...         (x @ w).sum()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: nan values in the data: `x` (float32 [2, 2])
      it holds 1 nan among 4 values, in row 1, first at [1, 1].
    ...
    """

    def __init__(self, check_nan: bool = True, *, forward: bool = False) -> None:
        self.check_nan = check_nan
        self.forward = forward

    def __enter__(self) -> None:
        self.previous = (STATE.anomaly, STATE.anomaly_check_nan, STATE.anomaly_log)
        warn_user(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
        )
        switch(True, self.check_nan)
        if self.forward:
            watch_forward(True)

    def __exit__(self, *exc: object) -> None:
        anomaly, check_nan, log = self.previous
        switch(anomaly, check_nan)
        watch_forward(log is not None, log)


class set_detect_anomaly:
    """Switch anomaly mode on or off, at once and until the end of a `with` block."""

    def __init__(self, mode: bool, check_nan: bool = True, *, forward: bool = False) -> None:
        self.previous = (STATE.anomaly, STATE.anomaly_check_nan, STATE.anomaly_log)
        switch(mode, check_nan)
        watch_forward(mode and forward)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        anomaly, check_nan, log = self.previous
        switch(anomaly, check_nan)
        watch_forward(log is not None, log)


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off in this thread."""
    switch(enabled, check_nan)


def switch(anomaly: bool, check_nan: bool) -> None:
    """Set the thread's anomaly mode."""
    STATE.anomaly, STATE.anomaly_check_nan = anomaly, check_nan
    (STATE.turn_on if anomaly else STATE.turn_off)(CHECKSUMS)


def watch_forward(on: bool, log: Any = None) -> None:
    """Check results as they are computed, or stop; an outer block's notes are kept."""
    if not on:
        STATE.anomaly_log = None
        STATE.turn_off(ANOMALY_FORWARD)
        return
    if log is None and STATE.anomaly_log is None:
        from .nan_origins import Log

        log = Log()
    STATE.anomaly_log = log if log is not None else STATE.anomaly_log
    STATE.turn_on(ANOMALY_FORWARD)


@contextmanager
def unchecked() -> Generator[None, None, None]:
    """Results computed inside are the engine's own; what they become is checked afterwards."""
    if not STATE.unusual & ANOMALY_FORWARD:
        yield
        return
    STATE.turn_off(ANOMALY_FORWARD)
    try:
        yield
    finally:
        STATE.turn_on(ANOMALY_FORWARD)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread."""
    return STATE.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode raises on NaN."""
    return STATE.anomaly_check_nan


# ---- forward -------------------------------------------------------------------------------------


def check_forward(op: Any, tensors: Any, outs: Any, params: dict[str, Any]) -> None:
    """Note where infinity begins; raise where NaN does.

    Results without a gradient are working memory of fused layers, parts of it never written.
    """
    if not STATE.anomaly_check_nan:
        return
    aside = getattr(op, "nondiff_out", ())
    if aside:
        outs = tuple(out for k, out in enumerate(outs) if k not in aside)
    for out in outs:
        array = nonfinite.payload(out)
        if array is not None and not nonfinite.is_finite(array):
            from .anomaly_forward import judge

            judge(STATE.anomaly_log, op, tensors, outs, params)
            return


# ---- backward ------------------------------------------------------------------------------------


def check_backward(node: Any, g: Any, grads: Any, parents: Any, walk: Any) -> None:
    """Note where a gradient becomes infinite; raise when it is NaN, naming the forward line."""
    for k, gradient in enumerate(grads):
        array = nonfinite.payload(gradient) if gradient is not None else None
        if array is None or nonfinite.is_finite(array):
            continue
        from .anomaly_backward import note_infinite, raise_nan

        if STATE.anomaly_check_nan and nonfinite.has_nan(array):
            raise_nan(node, k, g, array, walk)
        note_infinite(node, k, g, array, parents, walk)


def blame(node: Any) -> None:
    """Say on which line the node was recorded whose backward is failing."""
    text = (
        f"Error detected in {node.name()}. The forward call that caused the error: {node.where()}"
    )
    try:
        warn_user(text)
    except Warning:  # warnings are errors here, and there is one already
        print(text, file=sys.stderr)


# ---- values changed behind autograd's back -------------------------------------------------------


def _checksum(array: np.ndarray) -> int:
    import zlib

    return zlib.crc32(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)


def note_checksums(node: Any, count: int) -> None:
    """Remember what the arrays a node saved look like."""
    saved: list[Any] = list(node.s[:count])
    sums = {k: _checksum(v) for k, v in enumerate(saved) if v.__class__ is np.ndarray}
    if sums:
        node.fix.checksums = sums


def check_unchanged(node: Any) -> None:
    """Raise when a saved array changed although its version did not: by .data, numpy, DLPack."""
    from .op_rules import saved_names
    from .running_rules import Fix

    fix = node.fix
    if not isinstance(fix, Fix) or fix.checksums is None or node.s is None:
        return
    names: Any = saved_names(node.op)
    tails = range(len(names), len(node.s), 2)
    if any(node.s[k][0] != node.s[k + 1] for k in tails):
        return  # an in-place operation: the rule says so, if it needs the value
    for k, then in fix.checksums.items():
        value: Any = node.s[k]
        if value.__class__ is np.ndarray and _checksum(value) != then:
            name = str(names[k])
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified behind "
                f"autograd's back: the array saved as '{name}' ({value.dtype} "
                f"{list(value.shape)}) no longer has the values it had.\n"
                f"  needed by:   {node.op.name} ({node.name()}) at {node.where()}\n"
                "  It was written through an alias that autograd does not track: .data, an array "
                "from .numpy(), or DLPack.\n"
                "  Fix: copy before writing (x.detach().clone()), or write in place on the tensor "
                "itself under no_grad(), which autograd notices."
            )
