"""`ModuleTracker`: which modules' calls are under way."""

from __future__ import annotations

from typing import Any

from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook


class ModuleTracker:
    """Inside the block, `parents` has the names of the modules under way, and "Global".

    >>> import chainrule as torch
    >>> from chainrule.utils.module_tracker import ModuleTracker
    >>> class Show(torch.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return x
    >>> model = torch.nn.Sequential(Show())
    >>> with ModuleTracker() as tracker:
    ...     y = model(torch.ones(1))
    ['Global', 'Sequential', 'Sequential.0']
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # so that ids stay theirs
        self._open: list[tuple[Any, str, bool]] = []
        self._handles: list[Any] = []

    def __enter__(self) -> ModuleTracker:
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._open.clear()
        self.parents = {"Global"}

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is under way."""
        from ..autograd.state import STATE

        return bool(STATE.passes)

    def name_of(self, module: Any) -> str:
        """`Sequential.0`: the outermost module's class, then the path in it."""
        known = self._names.get(id(module))
        if known is None:
            root = type(module).__name__
            for path, inner in module.named_modules():
                name = f"{root}.{path}" if path else root
                if self._names.setdefault(id(inner), name) is name:
                    self._kept.append(inner)
            known = self._names[id(module)]
        return known

    def _enter(self, module: Any, args: Any) -> None:
        name = self.name_of(module)
        self._open.append((module, name, name not in self.parents))
        self.parents = self.parents | {name}

    def _leave(self, module: Any, args: Any, result: Any) -> None:
        while self._open:  # a call that raised did not say that it ended
            inner, name, new = self._open.pop()
            if new:
                self.parents = self.parents - {name}
            if inner is module:
                break


__all__ = ["ModuleTracker"]
