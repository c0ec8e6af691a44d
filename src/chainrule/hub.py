"""Files of parameters from the network, and models from folders with a `hubconf.py`.

A file is downloaded when a program asks for it and the folder of `get_dir()` lacks it. Code is
never downloaded: `load` runs the `hubconf.py` of a folder that is there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from urllib.parse import urlparse

from .autograd import refusal
from .autograd.accidents import explain_module, in_words

# The part of a file's name that says what its contents hash to.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
MODULE_HUBCONF = "hubconf.py"
VAR_DEPENDENCY = "dependencies"
READ_DATA_CHUNK = 128 * 1024
_folder: str | None = None


def _get_torch_home() -> str:
    base = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(base, "torch")))


def get_dir() -> str:
    """Where downloaded files are kept, PyTorch's among them."""
    return _folder if _folder is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: Any) -> None:
    """Say where downloaded files are kept."""
    global _folder
    _folder = os.path.expanduser(d)


# ---- files ---------------------------------------------------------------------------------------


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Write what a URL holds to a file, if its SHA-256 begins with `hash_prefix`.

    The file appears when it is complete; an interrupted download leaves nothing behind.
    """
    from urllib.request import Request, urlopen

    dst = os.path.expanduser(dst)
    found = hashlib.sha256()
    handle, part = tempfile.mkstemp(dir=os.path.dirname(dst) or ".", suffix=".partial")
    try:
        request = Request(url, headers={"User-Agent": "torch.hub"})
        with os.fdopen(handle, "wb") as file, urlopen(request) as answer:
            size = answer.headers.get("Content-Length")
            total = int(size) if size and size.isdecimal() else None
            with _bar(total, progress) as bar:
                while piece := answer.read(READ_DATA_CHUNK):
                    file.write(piece)
                    found.update(piece)
                    bar.update(len(piece))
        digest = found.hexdigest()
        if hash_prefix is not None and not digest.startswith(hash_prefix):
            raise refusal.runtime(
                f'invalid hash value (expected "{hash_prefix}", got "{digest}")',
                f"{url} does not hold what its name says",
            )
        os.replace(part, dst)
    finally:
        if os.path.exists(part):
            os.remove(part)


def _bar(total: int | None, progress: bool) -> Any:
    made: Any = __getattr__("tqdm")
    return made(total=total, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
    check_hash: bool = False, file_name: str | None = None, weights_only: bool = True,
) -> Any:  # fmt: skip
    """The parameters of a file, downloaded unless `model_dir` has it.

    Nothing that the file says is run, unless `weights_only=False` asks for it.
    """
    from . import load as load_file

    if not isinstance(url, str):
        raise refusal.wrong_type(
            f"the URL is {in_words(url)}, not a str", "load_state_dict_from_url"
        )
    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        print(f'Downloading: "{url}" to {path}', file=sys.stderr)
        matched = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, matched.group(1) if matched else None, progress)
    elif check_hash:
        _check_hash(path)
    return load_file(path, map_location=map_location, weights_only=weights_only)


def _check_hash(path: str) -> None:
    """Compare a file with the beginning of its hash, which its name holds."""
    named = HASH_REGEX.search(os.path.basename(path))
    if named is None:
        return
    from .serialization.files import open_regular

    with open_regular(path) as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    if not found.startswith(named[1]):
        raise RuntimeError(
            f'invalid hash value (expected "{named[1]}", got "{found[: len(named[1])]}"): {path} '
            "is not the file that its name promises, or it is damaged.\n  Fix: download it again."
        )


# ---- models --------------------------------------------------------------------------------------


def load(
    repo_or_dir: Any, model: str, *args: Any, source: str = "github", trust_repo: Any = "check",
    force_reload: bool = False, verbose: bool = True, skip_validation: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """What an entry point of a `hubconf.py` makes of the other arguments.

    `source="local"`: of the folder `repo_or_dir`. `source="github"`: of a repository that is in
    the folder of `get_dir()` already.
    """
    if source not in ("github", "local"):
        raise refusal.value(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = os.fspath(repo_or_dir) if source == "local" else _kept(repo_or_dir, force_reload)
    with _hubconf(folder) as module:
        return _entry(module, model)(*args, **kwargs)


def list(  # noqa: A001 - PyTorch's name
    github: str, force_reload: bool = False, skip_validation: bool = False,
    trust_repo: Any = "check", verbose: bool = True,
) -> Any:  # fmt: skip
    """The entry points of a repository."""
    with _hubconf(_kept(github, force_reload)) as module:
        return [n for n, f in vars(module).items() if callable(f) and not n.startswith("_")]


def help(  # noqa: A001 - PyTorch's name
    github: str, model: str, force_reload: bool = False, skip_validation: bool = False,
    trust_repo: Any = "check",
) -> str | None:  # fmt: skip
    """The docstring of an entry point."""
    with _hubconf(_kept(github, force_reload)) as module:
        return _entry(module, model).__doc__


def _kept(github: str, force_reload: bool) -> str:
    """The folder that has a repository `owner/name[:branch]`; no code is downloaded."""
    repository, _, branch = str(github).partition(":")
    owner, _, name = repository.partition("/")
    endings = [branch] if branch else ["main", "master"]
    for ending in endings:
        stem = "_".join((owner, name, ending.replace("/", "_")))
        path = os.path.join(get_dir(), stem)
        if os.path.isdir(path) and not force_reload:
            return path
    raise refusal.runtime(
        f"torch.hub: chainrule downloads no code, so {github!r} was not loaded",
        f"{get_dir()} has no {owner}_{name}_{endings[0]}",
        fix=f"git clone https://github.com/{repository}, look at its hubconf.py, and call "
        "torch.hub.load(folder, model, source='local').",
    )


@contextmanager
def _hubconf(folder: str) -> Any:
    """The module of a folder's `hubconf.py`, which may import what lies beside it."""
    path = os.path.join(folder, MODULE_HUBCONF)
    if not os.path.exists(path):
        raise FileNotFoundError(f"torch.hub: there is no {path}")
    sys.path.insert(0, folder)
    try:
        spec: Any = importlib.util.spec_from_file_location(MODULE_HUBCONF, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _check_dependencies(module)
        yield module
    finally:
        sys.path.remove(folder)


def _check_dependencies(module: ModuleType) -> None:
    needed = getattr(module, VAR_DEPENDENCY, None) or ()
    lacking = [name for name in needed if importlib.util.find_spec(name) is None]
    if lacking:
        raise RuntimeError(f"Missing dependencies: {', '.join(lacking)}. Fix: pip install them.")


def _entry(module: ModuleType, model: str) -> Callable[..., Any]:
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(module, model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


# ---- progress ------------------------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    if name != "tqdm":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    try:  # the bar that PyTorch shows where it is installed
        from tqdm import tqdm  # type: ignore[import-not-found, import-untyped]
    except ImportError:
        return _Plain
    return tqdm


class _Plain:
    """What stands for a progress bar where tqdm is not installed: the iterable itself."""

    def __init__(self, iterable: Any = None, **options: Any) -> None:
        self.iterable = iterable

    def __iter__(self) -> Any:
        return iter(self.iterable if self.iterable is not None else ())

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        """Nothing is shown."""


explain_module(globals())
