"""The reference of the docs site, made of docstrings when the site is built (a hook of mkdocs).

Nothing of it is kept in the repository, so nothing can be out of date. `tests/test_reference.py`
asks that every public name has a docstring and runs the examples of `docs/reference_examples.txt`,
which the pages show for the names that programs use most.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "reference_examples.txt"

# Pages by title: where their names are found. Read `torch` as `chainrule`.
PAGES: dict[str, tuple[str, ...]] = {
    "Functions": ("torch",),
    "Tensor": ("torch.Tensor",),
    "Gradients": ("torch.autograd", "torch.autograd.functional", "torch.autograd.forward_ad",
                  "torch.autograd.graph", "torch.func"),
    "Layers": ("torch.nn",),
    "Layers as functions": ("torch.nn.functional", "torch.nn.init"),
    "Parameters": ("torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.utils.parametrize"),
    "Optimizers": ("torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils"),
    "Mathematics": ("torch.linalg", "torch.fft", "torch.special"),
    "Distributions": ("torch.distributions",),
    "Data": ("torch.utils.data", "torch.utils.checkpoint"),
}  # fmt: skip


def found(name: str) -> Any:
    """The object of a dotted name."""
    import chainrule

    thing: Any = chainrule
    for part in name.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


def public_names(space: str) -> list[str]:
    """The public names of a namespace that are functions, classes or attributes of a class."""
    home = found(space)
    names = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names kept for old programs say so
        listed = getattr(home, "__all__", None) if space != "torch" else None
        for name in sorted(listed or dir(home)):
            if name.startswith("_"):
                continue
            thing = inspect.getattr_static(home, name, None)
            thing = getattr(home, name) if thing is None or inspect.ismodule(home) else thing
            if _is_documented_kind(thing):
                names.append(f"{space}.{name}")
    return names


def _is_documented_kind(thing: Any) -> bool:
    if inspect.ismodule(thing) or getattr(thing, "__module__", None) in (
        "typing",
        "collections.abc",
    ):
        return False
    return callable(thing) or isinstance(thing, (property, staticmethod, classmethod))


def documentation(name: str) -> str:
    """The docstring of a name."""
    home, _, last = name.rpartition(".")
    thing = inspect.getattr_static(found(home), last, None)
    if not isinstance(thing, property):
        thing = getattr(found(home), last)
    return inspect.getdoc(thing) or ""


def examples() -> dict[str, str]:
    """The sessions of `docs/reference_examples.txt` by the names they are for."""
    parts = re.split(r"^## (\S+)\n", EXAMPLES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def page(title: str) -> str:
    """A page in Markdown."""
    shown = examples()
    lines = [f"# {title}", ""]
    for space in PAGES[title]:
        lines += [f"## {space}", ""]
        for name in public_names(space):
            lines += [f"### {name}", "", *_entry(name, shown.get(name, "")), ""]
    return "\n".join(lines)


def _entry(name: str, example: str) -> Iterator[str]:
    signature = _signature(name)
    if signature:
        yield from ("```python", signature, "```", "")
    text = documentation(name)
    if example and ">>>" not in text:
        text = f"{text}\n\n{example}"
    session: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith(">>>") or (session and line.strip()):
            session.append(line)
            continue
        if session:
            yield from ("```pycon", *textwrap.dedent("\n".join(session)).splitlines(), "```")
            session = []
        yield _plain(line)


def _plain(line: str) -> str:
    """Text as it is: no character of it means anything to Markdown outside of code."""
    parts = line.split("`")
    return "`".join(
        part if k % 2 else re.sub(r"([*_\[\]<>#])", r"\\\1", part) for k, part in enumerate(parts)
    )


def _signature(name: str) -> str:
    try:
        given = str(inspect.signature(found(name)))
    except (TypeError, ValueError):
        return ""
    given = re.sub(r" at 0x[0-9a-f]+", "", given)
    return f"{name}{given}".replace("'", "") if len(given) < 400 else f"{name}(...)"


def slug(title: str) -> str:
    """The file of a page."""
    return f"reference/{title.lower().replace(' ', '_')}.md"


# ---- hooks of mkdocs -----------------------------------------------------------------------------


def on_config(config: Any) -> Any:
    """Put the pages into the navigation."""
    sys.path.insert(0, str(ROOT / "src"))
    for part in config.nav or []:
        if "Look up" in part:
            part["Look up"].append({"Reference": [{t: slug(t)} for t in PAGES]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Write the pages; they exist in the site only."""
    from mkdocs.structure.files import File

    for title in PAGES:
        files.append(File.generated(config, slug(title), content=page(title)))
    return files
