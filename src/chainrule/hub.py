"""Downloads of other people's models: refused, and why."""

from __future__ import annotations

import os
import re
from typing import Any, NoReturn
from urllib.parse import urlparse


def load(repo_or_dir: Any, model: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: nothing is downloaded, and no downloaded code is run."""
    raise RuntimeError(
        f"torch.hub: chainrule downloads nothing and runs no downloaded code, so {repo_or_dir!r} "
        "was not loaded.\n  Fix: download the file yourself, build the model in Python, and read "
        "its parameters with model.load_state_dict(torch.load(path))."
    )


download_url_to_file = list = help = load  # noqa: A001 - PyTorch's names
# The part of a file's name that says what its contents hash to.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_folder: str | None = None


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
    check_hash: bool = False, file_name: str | None = None, weights_only: bool = True,
) -> Any:  # fmt: skip
    """The parameters of a file that was downloaded before; nothing is downloaded."""
    from . import load as load_file

    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(model_dir or os.path.join(get_dir(), "checkpoints"), name)
    if not os.path.exists(path):
        raise RuntimeError(
            f"torch.hub: chainrule downloads nothing, and {path} does not exist.\n"
            f"  Fix: download {url} yourself and put the file there."
        )
    return load_file(path, map_location=map_location, weights_only=weights_only)


def _get_torch_home() -> str:
    base = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(base, "torch")))


def get_dir() -> str:
    """Where PyTorch keeps downloads; chainrule puts nothing there."""
    return _folder if _folder is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: Any) -> None:
    """Say where downloaded files are."""
    global _folder
    _folder = os.path.expanduser(d)


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
