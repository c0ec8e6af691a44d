"""How this library was built: it was not, it is Python; what NumPy was built with."""

from __future__ import annotations


def show() -> str:
    """A text for people: the versions, and the BLAS that NumPy calls.

    >>> import chainrule as torch
    >>> print(torch.__config__.show())
    chainrule ...
    """
    import platform

    import numpy

    from . import __version__

    settings = numpy.show_config(mode="dicts") or {}
    blas = settings.get("Build Dependencies", {}).get("blas", {})
    return "\n".join((
        f"chainrule {__version__}, written in Python: nothing was built",
        f"  - Python {platform.python_version()} on {platform.machine()}",
        f"  - NumPy {numpy.__version__}",
        f"  - BLAS of NumPy: {blas.get('name', 'unknown')} {blas.get('version', '')}".rstrip(),
        "  - no CUDA, no MKL-DNN, no OpenMP",
        "",
    ))  # fmt: skip


def parallel_info() -> str:
    """A text for people: how many threads compute."""
    import os

    from . import get_num_interop_threads, get_num_threads

    return (
        f"threads for one operation: {get_num_threads()}\n"
        f"threads for several operations: {get_num_interop_threads()}\n"
        f"processors: {os.cpu_count()}\n"
    )


def _cxx_flags() -> str:
    """Flags of a C++ compiler: none was used."""
    return ""


__all__ = ["parallel_info", "show"]
