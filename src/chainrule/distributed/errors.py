"""What goes wrong between processes."""

from __future__ import annotations


class DistError(RuntimeError):
    """Something went wrong between processes."""


class DistBackendError(DistError):
    """A collective failed or took too long."""


class DistNetworkError(DistError):
    """Another process cannot be reached."""


class DistStoreError(DistError):
    """A store has no such key, or not in time."""


class QueueEmptyError(DistStoreError):
    """A queue of a store is empty."""


for _kind in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _kind.__module__ = "chainrule.distributed"
