"""The import hook: `torch` and everything below it are chainrule's own module objects."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from ..autograd import source
from ..tensor.namespaces import names_so_far
from . import imported, naming
from .aliases import ALIASES, KNOWN_AS, speaks_torch
from .missing import missing_error, missing_module, public_name

_OWN_GETATTR = "_getattr_without_hook"


class TorchFinder(MetaPathFinder):
    """Answers imports of `torch...` with chainrule's modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        head = fullname.partition(".")[0]
        if head == "torch" or fullname in ALIASES:
            return self._stand_in(fullname)
        if head == "chainrule":
            return self._watched(fullname, path, target)
        return None

    def _stand_in(self, fullname: str) -> ModuleSpec | None:
        """The spec of our module under PyTorch's name; nothing is loaded for the question."""
        found, module = _counterpart(fullname)
        if found is None:
            if _only_asked():
                return None
            raise missing_module(fullname, _deepest_package(fullname))
        spec = ModuleSpec(fullname, _SameModule(found, module), origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        spec.has_location = found.has_location
        return spec

    def _watched(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        """The ordinary spec of one of our modules, which gets the hook's errors once loaded."""
        speaks = speaks_torch(fullname) or fullname in KNOWN_AS
        if not speaks and fullname not in naming.homes():
            return None
        for finder in sys.meta_path:
            found = None if finder is self else finder.find_spec(fullname, path, target)
            if found is not None:
                loader: Any = found.loader
                execute = loader.exec_module

                def exec_module(module: ModuleType, execute: Any = execute) -> None:
                    execute(module)
                    if speaks:
                        explain_missing(module)
                    naming.adopt(module)

                loader.exec_module = exec_module
                return found
        return None


class _SameModule(InspectLoader):
    """Loads nothing of its own: hands out the module that exists under our name."""

    def __init__(self, spec: ModuleSpec, module: ModuleType | None) -> None:
        self.spec = spec  # of our module
        self.module = module  # where it is loaded already

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module or importlib.import_module(self.spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just written the other one

    def is_package(self, fullname: str) -> bool:
        return self.spec.submodule_search_locations is not None

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of our module, for `python -m torch.utils.collect_env` and the like."""
        loader: Any = self.spec.loader
        return loader.get_code(self.spec.name) if hasattr(loader, "get_code") else None

    def get_source(self, fullname: str) -> str | None:
        loader: Any = self.spec.loader
        return loader.get_source(self.spec.name) if hasattr(loader, "get_source") else None


def _counterpart(fullname: str) -> tuple[ModuleSpec | None, ModuleType | None]:
    """The spec of our module for a module of PyTorch, and the module itself if it is loaded."""
    ours = ALIASES.get(fullname) or "chainrule" + fullname.removeprefix("torch")
    loaded: Any = sys.modules.get(ours)
    if loaded is None:
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError as problem:
            if problem.name is None or not f"{ours}.".startswith(f"{problem.name}."):
                raise  # something else is not installed
            found = None
        if found is not None:
            return found, None
        parent, _, last = ours.rpartition(".")
        loaded = getattr(sys.modules.get(parent), last, None)  # not a file of its own
    if not isinstance(loaded, ModuleType):
        return None, None
    return loaded.__spec__ or ModuleSpec(ours, None), loaded


def _deepest_package(fullname: str) -> ModuleType | None:
    while "." in fullname:
        fullname = fullname.rpartition(".")[0]
        if fullname in sys.modules:
            return sys.modules[fullname]
    return None


def _only_asked() -> bool:
    """Whether `importlib.util.find_spec` asks if a module exists, which is no error."""
    frame = sys._getframe(1)
    while frame is not None and (
        frame.f_globals is globals() or "importlib" in frame.f_code.co_filename
    ):
        if frame.f_code.co_name == "find_spec" and frame.f_globals["__name__"] == "importlib.util":
            return True
        frame = frame.f_back
    return False


def explain_missing(module: ModuleType) -> None:
    """Let failed look-ups in the module say what is missing, on which line, and what is close."""
    space = names_so_far(module)
    if _OWN_GETATTR in space:
        return
    own = space[_OWN_GETATTR] = space.get("__getattr__")
    of = module.__name__
    theirs = public_name(of, "torch")

    def __getattr__(name: str) -> Any:
        frame = sys._getframe(1)
        try:
            if own is not None:
                return own(name)
        except (AttributeError, ModuleNotFoundError) as problem:
            elsewhere = isinstance(problem, ImportError) and problem.name != f"{of}.{name}"
            if elsewhere or name.startswith("__") or source.is_library(frame.f_code.co_filename):
                raise
        submodule = sys.modules.get(f"{of}.{name}")
        if submodule is not None:
            return submodule
        if name.startswith("__") or source.is_library(frame.f_code.co_filename):
            raise AttributeError(f"module {of!r} has no attribute {name!r}", name=name)
        value = imported.found_in(theirs, name)
        if value is not None:
            return value
        # `import torch` loads most submodules of PyTorch, so programs do not import each of them.
        ours = _counterpart(f"{theirs}.{name}")[0]
        if ours is not None:
            return importlib.import_module(ours.name)
        raise missing_error(module, name, frame) from None

    space["__getattr__"] = __getattr__


def forget_missing(module: ModuleType) -> None:
    """Undo `explain_missing`."""
    space = names_so_far(module)
    if _OWN_GETATTR in space:
        own = space.pop(_OWN_GETATTR)
        space.pop("__getattr__")
        if own is not None:
            space["__getattr__"] = own
