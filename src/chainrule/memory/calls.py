"""The module call under way, for those who watch a run."""

from __future__ import annotations

from typing import Any

from ..reading.modules import track_modules


class ModuleCalls(track_modules):
    """`track_modules` that also names the modules of models it was not told about.

    The first module called while no other runs is a model: its parts are called by their paths.
    """

    def _enter(self, module: Any, args: Any) -> None:
        if not self._open and id(module) not in self._paths:
            known = {p.split(".")[0] for p in self._paths.values()}
            self._name("" if not self._paths else f"{type(module).__name__}{len(known)}", module)
            self._keep = (*self._keep, module)
        super()._enter(module, args)

    @property
    def path(self) -> str:
        """The path of the innermost call; "" outside of modules and in the model itself."""
        return self._open[-1].path if self._open else ""

    @property
    def inside(self) -> bool:
        """Whether a module's call is under way."""
        return bool(self._open)

    def stack(self) -> list[tuple[str, Any]]:
        """(path, module) of the calls under way, outermost first."""
        return [(c.path, c.module) for c in self._open]
