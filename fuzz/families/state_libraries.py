"""Places inside of libraries that a compiled function may read a number from.

The libraries are written here, and bear names of files of installed packages.
"""

from __future__ import annotations

from .state_places import Place

_LIBRARY = (
    "import types\ndef library_{n}(text):\n    made = types.ModuleType('library_{n}')\n"
    "    made.__file__ = '/lib/site-packages/library_{n}.py'\n"
    "    exec(compile(text, made.__file__, 'exec'), vars(made))\n    return made\n"
)


def _library(text: str, setup: str, read: str, write: str) -> Place:
    return Place(f"{_LIBRARY}lib_{{n}} = library_{{n}}({text!r})\n{setup}", read, write)


LIBRARIES: dict[str, Place] = {
    "global of a library": _library(
        "value = 0.5\ndef give():\n    return value",
        "lib_{n}.value = {v}", "lib_{n}.give()", "lib_{n}.value = {v}",
    ),
    "table of a library": _library(
        "table = dict(value=0.5)\ndef give():\n    return inner()\n"
        "def inner():\n    return table['value']",
        "lib_{n}.table['value'] = {v}", "lib_{n}.give()", "lib_{n}.table['value'] = {v}",
    ),
    "attribute that a library reads": _library(
        "def give(thing):\n    return thing.special",
        "class Box_{n}:\n    pass\nbox_{n} = Box_{n}()\nbox_{n}.special = {v}",
        "lib_{n}.give(box_{n})", "box_{n}.special = {v}",
    ),
    "slot of a library's object": _library(
        "class Box:\n    __slots__ = ('_hidden',)\n    def give(self):\n"
        "        return self._hidden",
        "box_{n} = lib_{n}.Box()\nbox_{n}._hidden = {v}",
        "box_{n}.give()", "box_{n}._hidden = {v}",
    ),
    "field of a library's object": _library(
        "class Box:\n    def give(self):\n        return self._hidden",
        "box_{n} = lib_{n}.Box()\nbox_{n}._hidden = {v}",
        "box_{n}.give()", "box_{n}._hidden = {v}",
    ),
    "private field of a fraction": Place(
        "import fractions\n{n} = fractions.Fraction(1, 2)\n{n}._numerator = {v}",
        "{n}.numerator", "{n}._numerator = {v}",
    ),
}  # fmt: skip
