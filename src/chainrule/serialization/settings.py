"""What can be set for all saves and loads."""

from __future__ import annotations

import enum
import sys

from ..autograd.accidents import explain_module


class LoadEndianness(enum.Enum):
    """The byte order to assume for files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Settings:
    checksums = True
    endianness: LoadEndianness | None = None


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order assumed for files that do not say theirs; None means little."""
    return _Settings.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order to assume for files that do not say theirs."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError(
            "Invalid argument type in function set_default_load_endianness: "
            f"{type(endianness).__name__}; pass a LoadEndianness or None"
        )
    _Settings.endianness = endianness


def assumed_byteorder() -> str:
    """'little' or 'big', for a file that does not say."""
    if _Settings.endianness is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if _Settings.endianness is LoadEndianness.BIG else "little"


def get_crc32_options() -> bool:
    """Whether `save` writes checksums."""
    return _Settings.checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Choose whether `save` writes checksums, by which `load` notices changed bytes."""
    _Settings.checksums = bool(compute_crc32)


explain_module(globals())
