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


class PaddingMask(Rule):
    """Watches embeddings with a `padding_idx`: where the inputs are padded at the ends of rows and
    at least a tenth of the targets of cross_entropy is that padding, it has to be ignored.

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
            saved["padding"]: saved["index"]
            for v in this.of("embedding")
            if _padded(saved := v.saved())
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
                    [f"padding_idx={pad} in the embedding, no ignore_index in {count} passes"],
                    f"cross_entropy(logits, target, ignore_index={pad})",
                )


def _padded(saved: dict[str, Any]) -> bool:
    ids, pad = saved.get("index"), saved.get("padding")
    if not isinstance(ids, np.ndarray) or ids.ndim != 2 or not isinstance(pad, int) or pad < 0:
        return False
    return bool((ids[:, -1] == pad).any())
