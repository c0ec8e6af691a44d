"""What ranks that end tell the others, and how those who wait for them look."""

from __future__ import annotations

import time
from typing import Any

from ..autograd import refusal
from . import mpi
from .errors import DistBackendError

LEFT_TAG = 7
GRACE = 3.0  # seconds in which what a rank sent before it left may still arrive


class Notices:
    """The notices that have come."""

    control: Any = None  # a communicator for them alone
    left: dict[int, float] = {}  # noqa: RUF012 - ranks that have ended, and when that was seen


def read_notices() -> None:
    """Note which ranks have said that they end."""
    mpi_library, control = mpi.library(), Notices.control
    status = mpi_library.Status()
    while control.Iprobe(mpi_library.ANY_SOURCE, LEFT_TAG, status):
        control.Recv([bytearray(1), 1, mpi_library.BYTE], status.Get_source(), LEFT_TAG)
        Notices.left[status.Get_source()] = time.monotonic()


class Look:
    """Looks, while something is waited for, whether a rank it needs has ended."""

    def __init__(self, name: str, group: Any) -> None:
        self._name, self._group = name, group

    def __call__(self) -> None:
        if Notices.control is None or self._group is None:
            return
        read_notices()
        gone = [r for r in self._group.job_ranks() if r in Notices.left]
        if gone and time.monotonic() - min(Notices.left[r] for r in gone) > GRACE:
            raise refusal.of_kind(
                DistBackendError,
                f"Connection closed by peer: rank {gone[0]} has ended its program while rank "
                f"{self._group.job_rank()} waits for it in {self._name}",
                why=f"Every rank of the group must call {self._name} as often as the others; "
                "TORCH_DISTRIBUTED_DEBUG=DETAIL compares the calls.",
            )
