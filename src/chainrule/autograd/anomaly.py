"""Anomaly mode: find where NaN first arises, in backward (as PyTorch) and in forward.

While it is on, backward checks every node's gradients and names the forward line of the node that
made NaN or infinity; `forward=True` also checks every result as it is computed. Saved arrays get a
checksum, so a value changed behind autograd's back (`.data`, `.numpy()`, DLPack) is named too.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from typing import Any

import numpy as np

from .state import ANOMALY_FORWARD, CHECKSUMS, STATE
from .value import TensorBase


class detect_anomaly:
    """Check for NaN inside the block; `forward=True` also checks forward results."""

    def __init__(self, check_nan: bool = True, *, forward: bool = False) -> None:
        self.check_nan = check_nan
        self.forward = forward

    def __enter__(self) -> None:
        self.previous = (STATE.anomaly, STATE.anomaly_check_nan, STATE.unusual & ANOMALY_FORWARD)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )
        switch(True, self.check_nan)
        if self.forward:
            STATE.turn_on(ANOMALY_FORWARD)

    def __exit__(self, *exc: object) -> None:
        anomaly, check_nan, forward = self.previous
        switch(anomaly, check_nan)
        if not forward:
            STATE.turn_off(ANOMALY_FORWARD)


class set_detect_anomaly:
    """Switch anomaly mode on or off, at once and until the end of a `with` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = (STATE.anomaly, STATE.anomaly_check_nan)
        switch(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        switch(*self.previous)


def switch(anomaly: bool, check_nan: bool) -> None:
    """Set the thread's anomaly mode."""
    STATE.anomaly, STATE.anomaly_check_nan = anomaly, check_nan
    (STATE.turn_on if anomaly else STATE.turn_off)(CHECKSUMS)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread."""
    return STATE.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode raises on NaN."""
    return STATE.anomaly_check_nan


def _bad(value: Any) -> str | None:
    """'nan' when an array has one."""
    array = value
    while isinstance(array, TensorBase):
        array = array._a
    if not isinstance(array, np.ndarray | np.generic) or array.dtype.kind not in "fcV":
        return None
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    return "nan" if bool(np.isnan(array).any()) else None


def check_backward(node: Any, grads: Any, raw: bool) -> None:
    """Raise when a node returned NaN, naming the forward op and line."""
    if not STATE.anomaly_check_nan:
        return
    for k, g in enumerate(grads):
        if g is not None and _bad(g):
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {k}th output.\n"
                f"  forward: {node.op.name if node.op is not None else node.name()} at "
                f"{node.where()}\n"
                "  The gradient became NaN in the backward of that line. Look at its inputs: 0/0, "
                "inf - inf, log or sqrt of 0 or less, or an inf that came from later lines."
            )


def check_forward(op: Any, tensors: tuple[Any, ...], outs: tuple[Any, ...]) -> None:
    """Raise where NaN first arises: finite inputs, NaN output."""
    from . import source

    if not any(_bad(o) for o in outs if isinstance(o, TensorBase)):
        return
    if any(_bad(t) for t in tensors if isinstance(t, TensorBase)):
        return
    shapes = ", ".join(str(list(t.shape)) for t in tensors if isinstance(t, TensorBase))  # type: ignore[attr-defined]
    raise RuntimeError(
        f"{op.name} returned nan values from inputs without any (shapes {shapes})\n"
        f"  at {source.here(3)}\n  This is where NaN first arises in the forward pass."
    )


def blame(node: Any) -> None:
    """Say on which line the node was recorded whose backward is failing."""
    text = (
        f"Error detected in {node.name()}. The forward call that caused the error: {node.where()}"
    )
    try:
        warnings.warn(text, stacklevel=2)
    except Warning:  # warnings are errors here, and there is one already
        print(text, file=sys.stderr)


# ---- values changed behind autograd's back -------------------------------------------------------


def _checksum(array: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)


def note_checksums(node: Any, count: int) -> None:
    """Remember what the arrays a node saved look like."""
    sums = {k: _checksum(v) for k, v in enumerate(node.s[:count]) if isinstance(v, np.ndarray)}
    if sums:
        node.fix.checksums = sums


def check_unchanged(node: Any) -> None:
    """Raise when a saved array changed although its version did not: by .data, numpy, DLPack."""
    from .record import Fix, saved_names

    fix = node.fix
    if not isinstance(fix, Fix) or fix.checksums is None or node.s is None:
        return
    names = saved_names(node.op)
    tails = range(len(names), len(node.s), 2)
    if any(node.s[k][0] != node.s[k + 1] for k in tails):
        return  # an in-place operation: the rule says so, if it needs the value
    for k, then in fix.checksums.items():
        value = node.s[k]
        if isinstance(value, np.ndarray) and _checksum(value) != then:
            name = names[k]
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
