"""Questions about files that PyTorch's own reader asks, and libraries that imitate it."""

from __future__ import annotations

import contextlib
import zipfile
from typing import Any

from ..autograd import refusal
from .files import is_path


def _is_zipfile(f: Any) -> bool:
    """Whether a file that is open for reading is an archive; its position stays."""
    start = f.tell()
    first = f.read(4)
    f.seek(start)
    return first == b"PK\x03\x04"


def _open_file_like(name_or_buffer: Any, mode: str) -> Any:
    """A context with the file of a name, or with the file that is given, which stays open."""
    if is_path(name_or_buffer):
        return open(name_or_buffer, mode)
    return contextlib.nullcontext(name_or_buffer)


def _is_torchscript_zip(zip_file: Any) -> bool:
    """Whether an archive holds a TorchScript program."""
    if isinstance(zip_file, zipfile.ZipFile):
        return any(name.endswith("constants.pkl") for name in zip_file.namelist())
    return "constants.pkl" in zip_file.get_all_records()


def _check_dill_version(pickle_module: Any) -> None:
    """Refuse releases of `dill` that cannot write what PyTorch's files hold."""
    if getattr(pickle_module, "__name__", "") != "dill":
        return
    found = tuple(int(part) for part in pickle_module.__version__.split(".")[:3])
    if found < (0, 3, 1):
        raise refusal.value(
            f"'torch' supports dill >= 0.3.1, but you have dill {pickle_module.__version__}",
            fix="pip install --upgrade dill",
        )


__all__ = ["_check_dill_version", "_is_torchscript_zip", "_is_zipfile", "_open_file_like"]
