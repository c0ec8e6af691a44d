"""The signatures of the nn classes, as data that two frameworks can be compared by."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "recorded" / "layers_signatures.json"
METHODS = (
    "__init__", "forward", "reset_parameters", "from_pretrained", "convert_sync_batchnorm",
    "reset_running_stats", "log_prob", "predict", "initialize_parameters",
)  # fmt: skip


def signatures(cls: type) -> dict[str, list[str]]:
    """The parameters of a class's methods, each as `name`, `name=default` or `*name`."""
    return {name: parameters(getattr(cls, name)) for name in METHODS if hasattr(cls, name)}


def parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters of a function, after self; `*` before those that are keyword-only."""
    found, only_keywords = [], False
    for p in list(inspect.signature(function).parameters.values()):
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not only_keywords:
            only_keywords = True
            found.append("*")
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        shown = getattr(p.default, "__name__", repr(p.default))  # a function has no other repr
        default = "" if p.default is p.empty else f"={shown}"
        found.append(f"{stars}{p.name}{default}")
    return found


def write(classes: dict[str, type]) -> None:
    """Record the signatures of these classes."""
    lines = (f"{json.dumps(n)}: {json.dumps(signatures(c))}" for n, c in classes.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def recorded() -> dict[str, dict[str, list[str]]]:
    """The signatures of PyTorch's classes."""
    return json.loads(FILE.read_text())
