"""Generators and seeds: the state behind every random draw."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import source
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase, make
from ..ops import rng
from .device import CPU
from .device import device as device_class

if TYPE_CHECKING:
    from .annotations import Tensor


class Generator(rng.Generator):
    """A stream of random numbers, equal to PyTorch's CPU stream for the same seed."""

    __slots__ = ()

    def __init__(self, device: Any = "cpu") -> None:
        super().__init__(device if isinstance(device, device_class) else device_class(device))

    def manual_seed(self, seed: Any) -> Generator:
        """Restart from a seed."""
        super().manual_seed(seed)
        if STATE.unusual & TRACE:
            STATE.trace.seed(self, seed)
        return self

    def seed(self) -> int:
        """Restart from a seed given by the operating system; returns the seed."""
        _tell_trace("seed()")
        return super().seed()

    def get_state(self) -> Any:
        """The whole state as a uint8 tensor, in PyTorch's byte layout."""
        _tell_trace("get_state()")
        return make(self._pack())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a saved state, ours or PyTorch's."""
        if not isinstance(new_state, TensorBase | np.ndarray):
            raise TypeError(
                f"expected a torch.ByteTensor, but got {type(new_state).__name__}: pass what "
                "get_state() returned"
            )
        _tell_trace("set_state()")
        self._unpack(new_state._a if isinstance(new_state, TensorBase) else new_state)
        return self

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {hex(id(self))}>"


def _tell_trace(what: str) -> None:
    """A compiled call would not do it: only draws are part of its program."""
    if STATE.unusual & TRACE:
        STATE.trace.fail(f"{what} of a random generator is called at {source.here()}")


rng.default_generator.__class__ = Generator
rng.default_generator.device = CPU
rng.default_generator.seed()  # as in PyTorch, only a seeded run repeats itself
default_generator: Any = rng.default_generator


def manual_seed(seed: Any) -> Any:
    """Restart the default stream from a seed; returns its generator.

    >>> import chainrule as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    try:
        return default_generator.manual_seed(int(seed))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def seed() -> int:
    """Restart the default stream from a seed given by the operating system; returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default stream was last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default stream, as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Continue the default stream from a saved state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(
    devices: Any = None, enabled: bool = True, _caller: str = "fork_rng",
    _devices_kw: str = "devices", device_type: str | None = None,
) -> Iterator[None]:  # fmt: skip
    """Draws inside the block do not change the stream outside it."""
    if not enabled:
        yield
        return
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)
