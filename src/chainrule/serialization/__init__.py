"""Saving and loading: `save`, `load`, and what a file may make.

The name of the file decides its format: `.safetensors` holds a dict of tensors; any other name is
PyTorch's archive (`.pt`, `.pth`), which real PyTorch reads and writes as well.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, TypeAlias

from ..autograd import refusal, source
from ..autograd.accidents import PROBLEMS, explain_here
from ..standins.finder import rest_of as _rest_of
from ..tensor.device import device
from . import reader, tensors_file, writer
from .allowed import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .files import is_path, name_of, open_regular, writing
from .limits import allow_memory
from .rebuild import _get_layout
from .settings import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    set_crc32_options,
    set_default_load_endianness,
)
from .storages import CannotSave, Placement, StorageType

DEFAULT_PROTOCOL = 2
# What `load` takes as map_location.
MAP_LOCATION: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None

__all__ = [
    "MAP_LOCATION",
    "LoadEndianness",
    "StorageType",
    "_get_layout",
    "add_safe_globals",
    "allow_memory",
    "clear_safe_globals",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "read_metadata",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
]


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
    *,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write an object to a file (a name, or something with `write`).

    A name ending in `.safetensors` takes a dict of tensors (and `metadata`, text for text); every
    other file is an archive that real PyTorch loads too. A named file is replaced as a whole: a
    crash leaves the old one or the new one.

    >>> import os, tempfile
    >>> import chainrule as torch
    >>> path = os.path.join(tempfile.mkdtemp(), "point.pt")
    >>> torch.save({"x": torch.tensor([1.0, 2.0]), "step": 3}, path)
    >>> torch.load(path)
    {'x': tensor([1., 2.]), 'step': 3}
    """
    try:
        if is_path(f) and os.fspath(f).endswith(".safetensors"):
            with writing(f) as file:
                tensors_file.write(obj, file, metadata)
            return
        if metadata is not None:
            raise refusal.value(
                f"metadata can be kept in .safetensors files only, not in {name_of(f)}",
                "save",
                fix="put it into the saved dict.",
            )
        if not _use_new_zipfile_serialization:
            raise refusal.not_implemented(
                "the format of PyTorch before 1.6 can be read but is not written",
                f"save to {name_of(f)}",
                fix="leave _use_new_zipfile_serialization out; PyTorch reads the new format since "
                "1.6.",
            )
        if pickle_protocol < 1:
            raise pickle.PicklingError(
                "persistent IDs in protocol 0 must be ASCII strings: tensors cannot be pickled "
                f"with it\n  save to {name_of(f)} at {source.here()}\n"
                "  Fix: leave pickle_protocol out."
            )
        try:
            with writing(f) as file:
                writer.write_archive(
                    obj, file, writer.folder_name(f), pickle_protocol, pickle_module,
                    get_crc32_options(),
                )  # fmt: skip
        except CannotSave as problem:
            what, fix = problem.args
            raise refusal.runtime(f"{what}", f"save to {name_of(f)}", fix=f"{fix}") from None
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save` wrote, here or in PyTorch; nothing in the file is run.

    A file that names more than tensors, numbers, text and containers is refused, with what it
    would have run; `weights_only=False` runs it, for files you trust. `map_location` says where
    tensors go, `mmap=True` reads the pages of a file when they are used.

    >>> import io
    >>> import chainrule as torch
    >>> file = io.BytesIO()
    >>> torch.save([torch.ones(2), "text"], file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    [tensor([1., 1.]), 'text']
    """
    try:
        weights_only = _only_weights(weights_only, pickle_module)
        if weights_only and pickle_module is not None:
            raise refusal.runtime(
                "Can not safely load weights when explicit pickle_module is specified",
                f"load of {name_of(f)}",
                fix="leave one of the two out.",
            )
        if mmap and not is_path(f):
            raise refusal.value(
                f"f must be a file path in order to use the mmap argument, not {name_of(f)}", "load"
            )
        how = reader.How(
            name_of(f), Placement(map_location), weights_only=weights_only,
            pickle_module=pickle_module or pickle, options=pickle_load_args,
        )  # fmt: skip
        with _opened(f) as file, _naming_the_file(how.name):
            return _read(f, file, how, bool(mmap))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


_SAFE, _UNSAFE = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"


def _only_weights(asked: bool | None, pickle_module: Any) -> bool:
    """Whether nothing in a file may run: the argument, unless the environment overrules it.

    One variable makes every load safe, the other those that do not say `weights_only=True`.
    """
    safe, unsafe = (os.environ.get(name, "0") in ("1", "y", "yes", "true") for name in
                    (_SAFE, _UNSAFE))  # fmt: skip
    if safe and unsafe:
        raise RuntimeError(f"Only one of `{_SAFE}` or `{_UNSAFE}` should be set, but both are")
    if safe:
        return True
    if asked is None:
        return pickle_module is None and not unsafe
    return asked


def _read(f: Any, file: BinaryIO, how: reader.How, mapped: bool) -> Any:
    head = file.read(9)
    file.seek(0)
    if not head:
        raise refusal.of_kind(EOFError, f"Ran out of input: {how.name} is empty", "load")
    named_tensors = is_path(f) and os.fspath(f).endswith(".safetensors")
    if named_tensors or tensors_file.looks_like(head):
        return tensors_file.read(file, how.placement, mapped)
    if head.startswith(b"PK\3\4"):
        return reader.read_archive(file, how, mapped)
    if mapped:
        raise RuntimeError(
            "mmap can only be used with files saved with "
            "torch.save(_use_new_zipfile_serialization=True), and this one is older. Fix: load it "
            "without mmap and save it again"
        )
    if not head.startswith(b"\x80"):
        raise pickle.UnpicklingError(
            f"Weights only load failed: {how.name} is no file of PyTorch's or chainrule's: it "
            f"starts with the bytes {head!r}\n  load at {source.here()}"
        )
    return reader.read_legacy(file, how)


@contextlib.contextmanager
def _opened(f: Any) -> Iterator[BinaryIO]:
    """The file, to be read from its start."""
    if is_path(f):
        with open_regular(f) as file:
            yield file
        return
    for needed in ("read", "seek", "tell"):
        if not hasattr(f, needed):
            raise refusal.of_kind(
                AttributeError,
                f"'{type(f).__name__}' object has no attribute '{needed}'. You can only "
                "torch.load from a file that is seekable. Please pre-load the data into a buffer "
                "like io.BytesIO and try to load from it instead.",
                "load",
            )
    try:
        at_start = f.tell() == 0
    except (OSError, ValueError):
        at_start = False
    yield f if at_start else io.BytesIO(f.read())


@contextlib.contextmanager
def _naming_the_file(name: str) -> Iterator[None]:
    """Errors about the content say which file it is."""
    try:
        yield
    except (EOFError, NotImplementedError, pickle.UnpicklingError):
        raise  # these name it already
    except OSError as problem:  # of the disk, in the middle of the file
        if problem.filename is not None or problem.errno is None:
            raise
        raise type(problem)(
            problem.errno, f"{problem.strerror}: {name} cannot be read, loaded at {source.here()}"
        ) from None
    except RuntimeError as problem:
        if name in str(problem):
            raise
        raise type(problem)(f"{problem}\n  in {name}, loaded at {source.here()}") from None


def read_metadata(f: Any) -> dict[str, str]:
    """The text that a `.safetensors` file carries beside its tensors."""
    with _opened(f) as file, _naming_the_file(name_of(f)):
        return tensors_file.read_header(file)[1]


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `load` would refuse."""
    with _opened(f) as file, _naming_the_file(name_of(f)):
        return reader.names_in_archive(file, name_of(f))


_table = _rest_of(__name__)
_HELPERS = ("_check_dill_version", "_is_torchscript_zip", "_is_zipfile", "_open_file_like")


def __getattr__(name: str) -> Any:
    if name == "mkdtemp":  # a name of Python's that PyTorch's module shows
        from tempfile import mkdtemp

        return mkdtemp
    if name in _HELPERS:
        import importlib

        return getattr(importlib.import_module(".helper_names", __name__), name)
    return _table(name)
