"""The import hook put in and taken out: what it changes in this process and in its children."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ..tensor.namespaces import names_so_far
from ..torch_version import TorchVersion
from . import naming
from .aliases import ALIASES, KNOWN_AS
from .finder import TorchFinder, explain_missing, forget_missing, speaks_torch

REPORTED_VERSION = TorchVersion("2.13.0+chainrule")
_SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "for_children")
_FINDER = TorchFinder()
_own_all: list[str] = []


def install() -> None:
    """Make `import torch` mean chainrule, here and in processes started from here.

    `torch.__version__` then reports the PyTorch release whose interface is offered, with the label
    `+chainrule`. Calling it again changes nothing.
    """
    stand_in()
    _tell_children()


def stand_in() -> None:
    """Make `import torch` mean chainrule in this process; others find their own way to it."""
    import chainrule

    there = sys.modules.get("torch")
    if there is not None and there is not chainrule:
        raise ImportError(
            f"torch is already imported from {getattr(there, '__file__', '?')}, so chainrule "
            "cannot stand in for it: objects of both would be mixed.\n"
            "  Fix: restart the kernel or process and call chainrule.run.install() before the "
            "first `import torch`."
        )
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
        for name, module in _modules_of_ours():
            if speaks_torch(name) or name in KNOWN_AS:
                explain_missing(module)
        naming.begin()
    # `from torch import *` means the functions that are made on demand, too.
    _own_all[:] = _own_all or chainrule.__all__  # pyright: ignore[reportAttributeAccessIssue]
    chainrule.__all__ = sorted(n for n in dir(chainrule) if _is_exported(chainrule, n))  # pyright: ignore[reportAttributeAccessIssue]
    _report_version(REPORTED_VERSION)


def _is_exported(module: Any, name: str) -> bool:
    """Whether a star import brings the name: no submodules, they would hide Python's `random`."""
    is_module = name in module._SUBMODULES or isinstance(names_so_far(module).get(name), ModuleType)
    return not (is_module or name.startswith("_") or name in ("annotations", "Any"))


def uninstall() -> None:
    """Take back what `install` did; modules that a program holds stay chainrule's."""
    from ..version import chainrule as own_version

    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    for name in [n for n in sys.modules if n.partition(".")[0] == "torch" or n in ALIASES]:
        del sys.modules[name]
    for _, module in _modules_of_ours():
        forget_missing(module)
    naming.end()
    _report_version(own_version)
    if _own_all:
        import chainrule

        chainrule.__all__ = list(_own_all)  # pyright: ignore[reportAttributeAccessIssue]
    sys.path[:] = [p for p in sys.path if p != _SHIM]
    paths = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != _SHIM]
    if paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    else:
        os.environ.pop("PYTHONPATH", None)


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """`torch` is chainrule inside the block."""
    install()
    try:
        yield
    finally:
        uninstall()


def _modules_of_ours() -> list[tuple[str, Any]]:
    return [
        (name, module)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "chainrule" and module is not None
    ]


def _report_version(version: str) -> None:
    import chainrule
    from chainrule import version as module

    chainrule.__version__ = module.__version__ = version


def _tell_children() -> None:
    """New interpreters find the stand-in of `for_children` when they import torch.

    By PYTHONPATH, which `subprocess` and every start method of `multiprocessing` pass on, and by
    sys.path, which `multiprocessing` copies into the processes it spawns.
    """
    inherited = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != _SHIM]
    os.environ["PYTHONPATH"] = os.pathsep.join([_SHIM, *inherited])
    if _SHIM not in sys.path:
        sys.path.insert(1, _SHIM)
