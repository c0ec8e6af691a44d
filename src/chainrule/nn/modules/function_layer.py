"""Layers without parameters: a function of the input, with the options given to the constructor.

    class LeakyReLU(FunctionLayer):
        _call = "F.leaky_relu(input, negative_slope, inplace)"
        _shows = "negative_slope, inplace?"

        def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
            self._keep(locals())

`forward` is made of `_call`: a name that the constructor takes too is the option kept under it,
`training` is the layer's mode, and any other name is an input (`name?`: one that may be missing).
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import chainrule as torch

from ...autograd.source import is_own_name
from .. import functional as F
from .module import Module


class FunctionLayer(Module):
    """A layer that calls one function.

    `_shows` is what its repr shows: `name` as name=value, `*name` as the value alone, `name?` only
    where it is true, `name!r` with quotes. `{dims}` in `_call` is the number of dimensions that a
    class of a family says in `_dims`.
    """

    _call = ""
    _dims = 0
    _shows = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "forward" in own or not ("_call" in own or "_dims" in own):
            return
        # A user's subclass may mean something else by these names.
        if is_own_name(cls.__module__) and (cls._dims or "{dims}" not in cls._call):
            cls.forward = _written(cls)

    def _keep(self, given: dict[str, Any]) -> None:
        """Set the layer up with its constructor's arguments (`locals()`) as attributes."""
        Module.__init__(self)
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def extra_repr(self) -> str:
        """The options."""
        return ", ".join(filter(None, map(self._shown, self._shows.split(", "))))

    def _shown(self, entry: str) -> str:
        name = entry.strip("*?").removesuffix("!r")
        if not name or (entry.endswith("?") and not getattr(self, name)):
            return ""
        value = getattr(self, name)
        shown = repr(value) if entry.endswith("!r") else str(value)
        return shown if entry.startswith("*") else f"{name}={shown}"


def _written(cls: type[FunctionLayer]) -> Any:
    """The `forward` that `_call` describes."""
    function, _, arguments = cls._call.format(dims=cls._dims)[:-1].partition("(")
    taken = inspect.unwrap(cls.__init__).__code__
    options = taken.co_varnames[1 : taken.co_argcount + taken.co_kwonlyargcount]
    inputs: list[str] = []

    def value(found: re.Match[str]) -> str:
        name, may_be_missing = found.groups()
        if name in options or name == "training":
            return f"self.{name}"
        if name != "None":
            inputs.append(f"{name}=None" if may_be_missing else name)
        return name

    passed = re.sub(r"(?<!\.)\b([A-Za-z_]\w*)\b(?![.(=])(\??)", value, arguments)
    text = f"def forward(self, {', '.join(inputs)}): return {function}({passed})"
    space: dict[str, Any] = {"F": F, "torch": torch}
    exec(compile(text, f"<chainrule layer {cls.__name__}>", "exec"), space)
    made = space["forward"]
    made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.forward"
    made.__doc__ = f"{function}({', '.join(inputs)}) with the layer's options."
    return made
