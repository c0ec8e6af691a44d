"""Extensions in C++: refused, because there is no C++ here that they could call.

Importing works, so that scripts which only try get to their fallback.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..autograd import refusal
from ..standins import add_to as _add_stand_ins

CUDA_HOME = None
ROCM_HOME = None


def _refuse(name: str) -> NoReturn:
    raise refusal.not_implemented(
        f"torch.utils.cpp_extension.{name} is not supported: chainrule is written in Python and "
        "has no C++ interface",
        fix="write the operation with tensor functions (chainrule.compile makes one kernel of "
        "it), or as an autograd.Function on NumPy arrays.",
    )


def load(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: compiles C++ sources."""
    _refuse("load")


def load_inline(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: compiles C++ text."""
    _refuse("load_inline")


def CppExtension(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: describes a C++ extension."""
    _refuse("CppExtension")


def CUDAExtension(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: describes a CUDA extension."""
    _refuse("CUDAExtension")


def is_ninja_available() -> bool:
    """False: nothing is built."""
    return False


class BuildExtension:
    """Refused: builds extensions."""

    @classmethod
    def with_options(cls, **options: Any) -> NoReturn:
        """Refused."""
        _refuse("BuildExtension")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse("BuildExtension")


def include_paths(*args: Any, **kwargs: Any) -> list[str]:
    """Nowhere: there are no headers."""
    return []


_add_stand_ins(globals())
