"""Types of TorchScript's annotations: `BroadcastingList2[int]` is an int or two."""

from __future__ import annotations

from typing import Any


class _Broadcasting:
    """`BroadcastingListN[int]`: for annotations only."""

    def __class_getitem__(cls, item: Any) -> Any:
        return Any


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _Broadcasting
BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = _Broadcasting
