"""Buckets: gradients of several parameters in one piece of memory, reduced together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd.value import make
from .parts import own

FIRST_BYTES = 1 << 20  # a small first bucket: its reduction begins early
DEFAULT_MEGABYTES = 25


class Bucket:
    """Gradients that are reduced together."""

    unguarded = True  # for guards of compiled functions: its state is of one pass

    def __init__(self, index: int, parameters: Sequence[Any]) -> None:
        self.index = index
        self.parameters = list(parameters)
        self.flat = np.zeros(sum(own(p).numel() for p in parameters), parameters[0].dtype.np)
        self.views: list[np.ndarray] = []
        start = 0
        for p in parameters:
            end = start + own(p).numel()
            self.views.append(self.flat[start:end].reshape(tuple(own(p).shape)))
            start = end
        self.tensor = make(self.flat)
        self.waiting = len(self.parameters)
        self.work: Any = None

    def begin(self) -> None:
        """Before a backward pass: no gradient is here."""
        self.waiting, self.work = len(self.parameters), None


def sizes_of(parameters: Sequence[Any], megabytes: float | None) -> list[list[Any]]:
    """Parameters in the order their gradients are expected, cut into lists of about one size."""
    limit = (DEFAULT_MEGABYTES if megabytes is None else megabytes) * (1 << 20)
    limits = [min(FIRST_BYTES, limit) if megabytes is None else limit]
    done: list[list[Any]] = []
    filling: dict[Any, tuple[list[Any], float]] = {}
    for p in parameters:
        members, size = filling.get(p.dtype, ([], 0.0))
        members.append(p)
        size += own(p).numel() * p.element_size()
        filling[p.dtype] = (members, size)
        if size >= limits[0]:
            done.append(members)
            del filling[p.dtype]
            limits[0] = limit
    done += [members for members, _ in filling.values()]
    return done


class GradBucket:
    """What a communication hook is given."""

    def __init__(self, bucket: Bucket, is_last: bool) -> None:
        self._bucket, self._is_last = bucket, is_last

    def index(self) -> int:
        """Its number: the first one has the gradients that come first."""
        return self._bucket.index

    def buffer(self) -> Any:
        """All gradients, flat."""
        return self._bucket.tensor

    def set_buffer(self, buffer: Any) -> None:
        """Replace the gradients."""
        self._bucket.flat[...] = buffer._a.reshape(-1)

    def gradients(self) -> list[Any]:
        """The gradients as views of the buffer."""
        return [make(view) for view in self._bucket.views]

    def parameters(self) -> list[Any]:
        """The parameters."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether it is the last of this pass."""
        return self._is_last
