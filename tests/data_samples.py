"""Objects that the recorded data expressions name, for the recorder and for the tests alike."""

import array
import collections
import decimal
import fractions

import numpy as np


class Entries:
    """A sequence by ``__len__`` and ``__getitem__`` alone."""

    def __init__(self, *entries):
        self.entries = entries

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, index):
        return self.entries[index]


class BrokenEntries:
    """Has a length and refuses to give entries."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise KeyError(index)


class Indexed:
    """An integer by ``__index__``."""

    def __index__(self):
        return 5


class Floating:
    """A float by ``__float__``."""

    def __float__(self):
        return 5.5


class Opaque:
    """No number at all."""


class Ints(int):
    """A number by inheritance."""


class ThroughDlpack:
    """Hands its numbers over by DLPack only."""

    def __init__(self):
        self.numbers = np.arange(3.0)

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


def named_objects() -> dict:
    """What a recorded expression may refer to; `tensor` is added by the caller."""
    itself: list = []
    itself.append(itself)
    return {
        "np": np,
        "nan": float("nan"),
        "inf": float("inf"),
        "array": array.array,
        "deque": collections.deque,
        "Decimal": decimal.Decimal,
        "Fraction": fractions.Fraction,
        "Entries": Entries,
        "BrokenEntries": BrokenEntries,
        "Indexed": Indexed,
        "Floating": Floating,
        "Opaque": Opaque,
        "Ints": Ints,
        "ThroughDlpack": ThroughDlpack,
        "itself": itself,
    }
