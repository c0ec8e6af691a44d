"""nn.functional.ctc_loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.value import make
from ..api import public
from ..interop import readable_array
from .common import P
from .nn_common import check_reduction, reduced

if TYPE_CHECKING:
    from ..annotations import Tensor


def _lengths(value: Any, count: int, name: str) -> tuple[int, ...]:
    """Lengths given as a tensor, a sequence or one int."""
    if hasattr(value, "tolist"):
        if getattr(value, "dtype", None) is not None and "float" in str(value.dtype):
            raise refusal.runtime(
                f"{name} must be integral, got {value.dtype}", "ctc_loss", fix=f"{name}.long()."
            )
        value = value.tolist()
    values = (value,) if isinstance(value, int) else tuple(int(v) for v in value)
    if len(values) != count:
        raise refusal.runtime(
            f"{name} must be of size batch_size: expected {count} lengths, got {len(values)}",
            "ctc_loss",
        )
    if min(values, default=0) < 0:
        raise refusal.runtime(
            f"Expected {name} to have value at least 0, but got value {min(values)}", "ctc_loss"
        )
    return values


def _rows(targets: Any, lengths: tuple[int, ...]) -> Any:
    """Targets as one padded row per example."""
    if targets.ndim == 2:
        if targets.shape[1] < max(lengths, default=0):
            raise refusal.runtime(
                f"Expected tensor to have size at least {max(lengths)} at dimension 1, but got "
                f"size {targets.shape[1]} for argument #2 'targets'",
                "ctc_loss",
            )
        return targets
    flat = readable_array(targets.detach(), "ctc_loss()")
    if flat.size != sum(lengths):
        raise refusal.runtime(
            f"Expected tensor to have size {sum(lengths)} at dimension 0, but got size "
            f"{flat.size} for argument #2 'targets': one after the other they have the sum of "
            "target_lengths",
            "ctc_loss",
        )
    rows = np.zeros((len(lengths), max(lengths, default=0)), np.int64)
    start = 0
    for i, n in enumerate(lengths):
        rows[i, :n] = flat[start : start + n]
        start += n
    return make(rows)


@public(namespace="nn.functional", out=False, aliases=(".ctc_loss",), autocast="float32")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log-probability of label sequences, summed over all alignments to the frames."""
    if not isinstance(reduction, str):
        reduction = ("none", "mean", "sum")[reduction]
    check_reduction(reduction)
    single = log_probs.ndim == 2
    lp = log_probs.unsqueeze(1) if single else log_probs
    frames, n, classes = lp.shape
    if not lp.numel():
        raise refusal.runtime(
            f"log_probs tensor must not be empty, got {list(log_probs.shape)}", "ctc_loss"
        )
    if not 0 <= blank < classes:
        raise refusal.runtime(
            f"blank must be in label range: {blank} is none of 0..{classes - 1}", "ctc_loss"
        )
    inputs = _lengths(input_lengths, n, "input_lengths")
    labels = _lengths(target_lengths, n, "target_lengths")
    if max(inputs) > frames:
        raise refusal.runtime(
            f"Expected input_lengths to have value at most {frames}, but got value {max(inputs)}",
            "ctc_loss",
        )
    rows = _rows(targets.unsqueeze(0) if single and targets.ndim == 1 else targets, labels)
    loss = P.ctc_loss(
        lp, rows, input_lengths=inputs, target_lengths=labels, blank=blank,
        zero_infinity=bool(zero_infinity),
    )  # fmt: skip
    if reduction == "mean":
        per_label = make(np.maximum(np.asarray(labels), 1).astype(lp.dtype.np))
        return (loss / per_label).mean()
    return reduced(loss.squeeze(0) if single else loss, reduction)
