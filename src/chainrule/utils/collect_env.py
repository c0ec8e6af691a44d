"""A report of what this runs on, for bug reports: `python -m chainrule.utils.collect_env`."""

from __future__ import annotations

import os
import platform
import sys

import numpy

import chainrule as torch

from ..standins.finder import rest_of as _rest_of

_PACKAGES = ("numpy", "scipy", "ml_dtypes", "llvmlite", "rich", "mpi4py")


def get_env_info() -> dict[str, str]:
    """What is installed and what it runs on."""
    from importlib import metadata

    found = {
        "chainrule version": torch.__version__,
        "Speaks the API of": "PyTorch 2.13",
        "Devices": "cpu (no CUDA, no other accelerator)",
        "Python version": sys.version.replace("\n", " "),
        "Platform": platform.platform(),
        "Processor": platform.processor() or platform.machine(),
        "Processors": str(os.cpu_count()),
        "Threads": str(torch.get_num_threads()),
        "BLAS of NumPy": _blas(),
    }
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _blas() -> str:
    settings = numpy.show_config(mode="dicts")
    blas = settings.get("Build Dependencies", {}).get("blas", {}) if settings else {}
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def get_pretty_env_info() -> str:
    """The report as text.

    >>> print(get_pretty_env_info())
    chainrule version: 0...
    ...
    """
    return "\n".join(f"{name}: {value}" for name, value in get_env_info().items())


def main() -> None:
    """Print the report."""
    print(get_pretty_env_info())


__getattr__ = _rest_of(__name__)

if __name__ == "__main__":
    main()
