"""Downloads of other people's models: refused, and why."""

from __future__ import annotations

import re
from typing import Any, NoReturn

# The part of a file's name that says what its contents hash to.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")


def load(repo_or_dir: Any, model: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: nothing is downloaded, and no downloaded code is run."""
    raise RuntimeError(
        f"torch.hub: chainrule downloads nothing and runs no downloaded code, so {repo_or_dir!r} "
        "was not loaded.\n  Fix: download the file yourself, build the model in Python, and read "
        "its parameters with model.load_state_dict(torch.load(path))."
    )


load_state_dict_from_url = download_url_to_file = list = help = load  # noqa: A001 - PyTorch's names


def get_dir() -> str:
    """Where PyTorch keeps downloads; chainrule puts nothing there."""
    import os

    base = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    home = os.environ.get("TORCH_HOME", os.path.join(base, "torch"))
    return os.path.join(os.path.expanduser(home), "hub")
