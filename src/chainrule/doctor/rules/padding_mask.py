"""padding-mask: padding is counted as if it were text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule

ENOUGH = 3
SHARE = 0.1  # of the targets
LENGTHS = 4  # of rows, so different that what fills them up is no text


class PaddingMask(Rule):
    """Watches embeddings with a `padding_idx`, or whose rows all end in one token, in runs of many
    lengths, that is nowhere else: where the inputs are padded like that and at least a tenth of the
    targets of cross_entropy is that padding, it has to be ignored.

    Silent: `ignore_index` set to it, -100 as target, targets of other vocabularies, an end token
    that is predicted once per row.
    """

    id = "padding-mask"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._seen: dict[Position, tuple[int, int, float]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        pads = {
            pad: saved["index"]
            for v in this.of("embedding")
            if (pad := _padding(saved := v.saved())) is not None
        }
        for v in this.of("cross_entropy", "cross_entropy2d") if pads else ():
            saved = v.saved()
            target = saved.get("target")
            if not isinstance(target, np.ndarray) or (target == saved.get("ignore")).any():
                continue  # some are ignored: padding has a target of its own
            for pad, ids in pads.items():
                if saved.get("ignore") == pad or target.size < 8 or target.size % len(ids):
                    continue
                rows = target.reshape(len(ids), -1)
                share = float((rows[:, -2:] == pad).all(1).mean()) if rows.shape[1] >= 3 else 0.0
                whole = float((rows == pad).mean())
                if whole >= SHARE and share > 0:
                    count, _, _ = self._seen.get(of_node(v.node), (0, 0, 0.0))
                    self._seen[of_node(v.node)] = (count + 1, pad, whole)

    def findings(self) -> Iterator[Finding]:
        for where, (count, pad, share) in self._seen.items():
            if count >= ENOUGH:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    f"padding counts in the loss: {share:.0%} of the targets are the padding token "
                    f"{pad}",
                    [f"it fills rows of different lengths up; no ignore_index in {count} passes"],
                    f"cross_entropy(logits, target, ignore_index={pad})",
                )


def _padding(saved: dict[str, Any]) -> int | None:
    """The token that pads the ends of rows: the one that the embedding was told, or else one that
    the rows themselves show."""
    ids, told = saved.get("index"), saved.get("padding")
    if not isinstance(ids, np.ndarray) or ids.ndim != 2 or ids.shape[1] < 3:
        return None
    if isinstance(told, int) and told >= 0:
        return told if (ids[:, -1] == told).any() else None
    last, counts = np.unique(ids[:, -1], return_counts=True)
    pad = int(last[counts.argmax()])
    return pad if _ends_rows(ids == pad) else None


def _ends_rows(is_pad: np.ndarray) -> bool:
    """Whether a token is in the ends of rows and nowhere else, in runs of many lengths."""
    runs = np.logical_and.accumulate(is_pad[:, ::-1], axis=1).sum(1)
    nowhere_else = int(runs.sum()) == int(is_pad.sum())
    return (
        nowhere_else and len(set(runs.tolist())) >= LENGTHS and 2 * (runs >= 2).sum() >= len(runs)
    )
