"""Names of nodes: each once, none that Python or the generated code needs itself."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections import defaultdict
from typing import Any, NamedTuple

_ILLEGAL = re.compile("[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")


class _CustomBuiltin(NamedTuple):
    """A name that generated code may use without asking, and how files import it."""

    import_str: str
    obj: Any


_custom_builtins: dict[str, _CustomBuiltin] = {}


def _register_custom_builtin(name: str, import_str: str, obj: Any) -> None:
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)


def custom_builtins() -> dict[str, _CustomBuiltin]:
    """The names that generated code may use, filled when first needed."""
    if "torch" not in _custom_builtins:
        import sys

        from ..utils import _pytree as pytree
        from . import _pytree as fx_pytree

        package: Any = sys.modules[__name__.partition(".")[0]]
        for name, text, found in (
            ("inf", "from math import inf", math.inf),
            ("nan", "from math import nan", math.nan),
            ("NoneType", "NoneType = type(None)", type(None)),
            ("torch", "import torch", package),
            ("device", "from torch import device", package.device),
            ("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree),
            ("pytree", "import torch.utils._pytree as pytree", pytree),
        ):
            _custom_builtins.setdefault(name, _CustomBuiltin(text, found))
    return _custom_builtins


_RESERVED = {"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}


def snake_case(text: str) -> str:
    """`BatchNorm2d` as `batch_norm2d`.

    >>> snake_case("BatchNorm2d"), snake_case("relu")
    ('batch_norm2d', 'relu')
    """
    return re.sub("(?<=[a-z])([A-Z])", r"_\1", text).lower()


class _Namespace:
    """Hands out names: `add`, `add_1`, `add_2`."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any) -> str:
        """A free name like the candidate; an object keeps the name it was given."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        numbered = _NUMBERED.match(candidate)
        base, count = (numbered[1], int(numbered[2])) if numbered else (candidate, 0)
        count = count or self._base_count[base]
        if numbered is None or int(numbered[2]) == 0:
            candidate = base if numbered is None else f"{base}_0"
        while candidate in self._used_names or self._is_illegal_name(candidate, obj):
            count += 1
            candidate = f"{base}_{count}"
        self._used_names.add(candidate)
        self._base_count[base] = count
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Note that an object has a name already."""
        found = self._obj_to_name.setdefault(obj, name)
        if found != name:
            raise AssertionError(f"obj already has the name {found}, not {name}")

    def _is_illegal_name(self, name: str, obj: Any) -> bool:
        if keyword.iskeyword(name):
            return True
        if name in builtins.__dict__:
            return obj is not builtins.__dict__[name]
        if name in _RESERVED or name in _custom_builtins:
            return name not in _custom_builtins or obj is not _custom_builtins[name].obj
        return False

    def _rename_object(self, obj: Any, name: str) -> None:
        self._obj_to_name[obj] = name
        self._used_names.add(name)
