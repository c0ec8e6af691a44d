"""Types of TorchScript's annotations: `BroadcastingList2[int]` is an int or two."""

from __future__ import annotations

import typing
from typing import Any

from ..standins.finder import rest_of as _rest_of

# PyTorch's module shows Python's own words for types, and libraries import them from here.
Dict, List, Optional, Tuple, Union = (
    typing.Dict, typing.List, typing.Optional, typing.Tuple, typing.Union,  # noqa: UP006
)  # fmt: skip


class _Broadcasting:
    """`BroadcastingListN[int]`: for annotations only."""

    def __class_getitem__(cls, item: Any) -> Any:
        return Any


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _Broadcasting
BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = _Broadcasting

__getattr__ = _rest_of(__name__)
