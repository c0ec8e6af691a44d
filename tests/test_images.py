"""The pictures of the README and the pages are drawn by the library, and can be drawn again."""

import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"


def load():
    path = ROOT / "tools" / "draw_images.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load()


def texts(svg: str) -> list[str]:
    """What is written in a picture."""
    return [e.text or "" for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def words(svg: str) -> set[str]:
    """The same with numbers left out."""
    found = {re.sub(r"[-+\d.e]+", "#", text) for text in texts(svg)}
    return {text for text in found if text.strip("# x")}


@pytest.mark.parametrize("name", TOOL.EXACT)
def test_what_is_exact_is_up_to_date(name):
    kept = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert texts(kept) == texts(TOOL.PICTURES[name]()), f"run: tools/draw_images.py {name}"


@pytest.mark.parametrize("name", sorted(set(TOOL.PICTURES) - set(TOOL.EXACT)))
def test_what_was_measured_can_be_drawn_again(name):
    kept = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert words(TOOL.PICTURES[name]()) == words(kept)


def test_every_picture_is_shown_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = "".join(p.read_text(encoding="utf-8") for p in pages)
    assert [n for n in TOOL.PICTURES if f"images/{n}.svg" not in shown] == []
