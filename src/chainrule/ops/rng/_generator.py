"""The Mersenne Twister behind every draw: seeding, raw words and saved states.

The engine is NumPy's own MT19937, so raw words cost what C code costs. Only the state around it
is ours: the seed as the user gave it, and the second half of a Box-Muller pair that is still
waiting to be handed out.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..later import Later
from ..locks import RLock, keep_through_forks

interrupts = Later("..interrupts", __package__)

DEFAULT_SEED = 67280421310721
"""The seed of a generator nobody has seeded."""

_WORD_COUNT = 624

# The layout of a saved state, byte for byte: a state saved by PyTorch loads here and the reverse.
# `left` and `next` are the twister's position, `normal_y` the waiting half of a double pair. The
# single-precision pair is never filled by CPU draws, but it is kept so that a round trip is exact.
_STATE_LAYOUT = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("words", "<u8", _WORD_COUNT),
        ("normal_x", "<f8"),
        ("normal_y", "<f8"),
        ("normal_rho", "<f8"),
        ("normal_is_valid", "<i4"),
        ("padding", "<i4"),
        ("float_normal", "<f4"),
        ("float_normal_is_valid", "u1"),
        ("tail_padding", "u1", 3),
    ]
)
STATE_BYTES = _STATE_LAYOUT.itemsize


class Generator:
    """A stream of random numbers, equal to PyTorch's CPU stream for the same seed.

    Draws from several threads are safe: each holds `lock` while it takes words. Nothing is
    computed, and `numpy.random` is not imported, before the first draw.
    """

    __slots__ = (
        "__weakref__",
        "_address",
        "_engine",
        "_float_normal",
        "_legacy_seeder",
        "_seed",
        "_unread_since_seeding",
        "device",
        "lock",
        "waiting_normal",
    )

    def __init__(self, device: Any = "cpu") -> None:
        _require_cpu(device)
        self.device = device
        self.lock = RLock()
        self._legacy_seeder = None
        self._engine = None
        self._address = 0
        self._restart(DEFAULT_SEED)

    # --- seeding ---

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from `seed` and return the generator itself."""
        if not isinstance(seed, int) or isinstance(seed, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RuntimeError(
                f"manual_seed expected a long, but got {type(seed).__name__}. "
                f"The seed was {seed!r}: pass int(seed)"
            )
        self._restart(wrap_seed(seed))
        return self

    def seed(self) -> int:
        """Restart from a seed given by the operating system and return that seed."""
        seed = int.from_bytes(os.urandom(8), "little")
        self._restart(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed this stream was last started from."""
        return self._seed

    def _restart(self, seed: int) -> None:
        with self.lock:
            self._seed = seed
            self._unread_since_seeding = True
            self.waiting_normal: float | None = None
            self._float_normal = (0.0, 0)
            if self._legacy_seeder is not None:
                self._legacy_seeder.seed(seed & 0xFFFFFFFF)

    # --- raw words ---

    def words(self, count: int) -> np.ndarray:
        """The next `count` 32-bit words of the stream, each in a uint64. Hold `lock`."""
        if count:
            self._unread_since_seeding = False
        return self._started_engine().random_raw(count)

    def state_address(self) -> int:
        """Where the twister's words and position are, for a kernel that will draw. Hold `lock`."""
        self._unread_since_seeding = False
        if not self._address:
            self._address = self._started_engine().ctypes.state_address
        return self._address

    def skip_words(self, count: int) -> None:
        """Advance past `count` words. Hold `lock`."""
        if count:
            self._unread_since_seeding = False
            self._started_engine().random_raw(count, output=False)

    def double_words(self, count: int) -> np.ndarray:
        """The next `count` 64-bit words; the word drawn first is the upper half. Hold `lock`."""
        pairs = self.words(2 * count)
        joined = pairs[0::2] << np.uint64(32)
        joined |= pairs[1::2]
        return joined

    def position(self) -> dict[str, Any]:
        """A mark that `rewind` returns to. Hold `lock` from one call to the other."""
        return self._started_engine().state

    def rewind(self, position: dict[str, Any]) -> None:
        """Go back to a mark made by `position`."""
        self._started_engine().state = position

    def _started_engine(self) -> Any:
        if self._engine is None:
            # numpy.random takes longer to import than the rest of this package together.
            interrupts.load("numpy.random")
            from numpy.random import MT19937, RandomState

            engine = MT19937(0)
            self._legacy_seeder = RandomState(engine)
            self._legacy_seeder.seed(self._seed & 0xFFFFFFFF)
            self._engine = engine
        return self._engine

    # --- saved states ---

    def get_state(self) -> np.ndarray:
        """The whole state as uint8, in the byte layout of `torch.get_rng_state()`."""
        return self._pack()

    def set_state(self, state: np.ndarray) -> Generator:
        """Continue from a saved state, ours or PyTorch's."""
        self._unpack(state)
        return self

    def clone_state(self) -> Generator:
        """A new, independent generator that continues from the same point."""
        clone = type(self)(self.device)
        clone._unpack(self._pack())
        return clone

    def get_offset(self) -> int:
        raise RuntimeError(_NO_OFFSET)

    def set_offset(self, offset: int) -> Generator:
        raise RuntimeError(_NO_OFFSET)

    def graphsafe_get_state(self) -> Generator:
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> Generator:
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def _pack(self) -> np.ndarray:
        with self.lock:
            twister = self._started_engine().state["state"]
            record = np.zeros(1, _STATE_LAYOUT)
            record["seed"] = self._seed
            record["seeded"] = 1
            record["words"] = twister["key"]
            # NumPy marks an untwisted block by position 624; PyTorch tells a freshly seeded
            # block (next = 0) from one read to its end (next = 624).
            next_word = 0 if self._unread_since_seeding else twister["pos"]
            record["next"] = next_word
            record["left"] = 1 if self._unread_since_seeding else _WORD_COUNT + 1 - next_word
            if self.waiting_normal is not None:
                record["normal_y"] = self.waiting_normal
                record["normal_is_valid"] = 1
            record["float_normal"], record["float_normal_is_valid"] = self._float_normal
            return record.view(np.uint8).copy()

    def _unpack(self, state: Any) -> None:
        record = _checked_record(state)
        with self.lock:
            untwisted = record["left"] == 1
            engine = self._started_engine()
            engine.state = {
                "bit_generator": "MT19937",
                "state": {
                    "key": record["words"].astype(np.uint32),
                    "pos": _WORD_COUNT if untwisted else int(record["next"]),
                },
            }
            self._seed = int(record["seed"])
            self._unread_since_seeding = bool(untwisted and record["next"] == 0)
            valid = record["normal_is_valid"]
            self.waiting_normal = float(record["normal_y"]) if valid else None
            float_valid = record["float_normal_is_valid"]
            self._float_normal = (float(record["float_normal"]), 1) if float_valid else (0.0, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.device,), (self._seed, None, self._pack())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _seed, _offset, packed = state
        self._unpack(packed)


_NO_OFFSET = "CPU Generator does not use offset. Save and restore get_state() instead"


def wrap_seed(seed: int) -> int:
    """Any seed PyTorch accepts as an unsigned 64-bit number; negative ones count down from 2**64.

    Raises ValueError for a seed that fits neither int64 nor uint64.
    """
    if not -(2**63) <= seed < 2**64:
        raise ValueError(
            f"Overflow when unpacking long long. The seed {seed} must lie between -2**63 and "
            "2**64 - 1; pass seed % 2**64 to fold it into range"
        )
    return seed % 2**64


def _require_cpu(device: Any) -> None:
    kind = getattr(device, "type", device)
    if isinstance(kind, str) and kind.split(":")[0] == "cpu":
        return
    raise RuntimeError(
        f"Cannot get a generator for device {device!r}: chainrule computes on the CPU only. "
        "Use Generator(device='cpu')"
    )


def _checked_record(state: Any) -> np.void:
    data = np.asarray(state)
    if data.dtype != np.uint8:
        raise TypeError(
            f"RNG state must be a torch.ByteTensor, but its dtype is {data.dtype}. "
            "Pass what get_state() returned, unchanged"
        )
    if data.size != STATE_BYTES:
        raise RuntimeError(
            f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG "
            f"state size to be {data.size}. Pass what get_state() returned, unchanged"
        )
    record = np.ascontiguousarray(data.reshape(-1)).view(_STATE_LAYOUT)[0]
    position_is_valid = 0 < record["left"] <= _WORD_COUNT and record["next"] <= _WORD_COUNT
    if not record["seeded"] or not position_is_valid:
        raise RuntimeError(
            f"Invalid mt19937 state: seeded={record['seeded']}, left={record['left']}, "
            f"next={record['next']} cannot come from get_state(). The saved bytes are damaged"
        )
    return record


default_generator = Generator()
"""The generator used by every draw that names none."""
keep_through_forks(default_generator.lock, 4)
