"""What a script is told when it uses a name that chainrule lacks: which, where, what is close."""

from __future__ import annotations

import dis
import os
import sys
from types import CodeType, FrameType, ModuleType
from typing import Any

from ..autograd import source
from .aliases import KNOWN_AS

_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
_IMPORT_MACHINERY = ("<frozen importlib", os.path.dirname(__import__("importlib").__file__))
# Where else a name may live when it was looked for in the wrong place.
_NAMESPACES = (
    "", "nn", "nn.functional", "nn.init", "nn.utils", "linalg", "special", "fft", "optim",
    "optim.lr_scheduler", "autograd", "func", "utils.data", "distributions",
)  # fmt: skip
_ADVICE = (
    "write it in operations that exist. If PyTorch 2.13 has this name, that is a gap of chainrule "
    "worth reporting."
)


def public_name(module_name: str, package: str | None = None) -> str:
    """`torch.nn` for `chainrule.nn` under the hook: the name that the script knows."""
    head, _, rest = KNOWN_AS.get(module_name, module_name).partition(".")
    head = (package or _package()) if head in ("chainrule", "torch") else head
    return f"{head}.{rest}" if rest else head


def _package() -> str:
    return sys.modules["chainrule"].__name__


class MissingAttribute(AttributeError):
    """`torch.x` where chainrule has no x. The text is made only when somebody reads it."""

    def __init__(self, module: Any, name: str = "", frame: FrameType | None = None) -> None:
        # No `obj`: Python would append a suggestion of its own to the last line.
        super().__init__(*(() if name else (module,)), name=name or None)
        self.lacks = _Lack(module, name, frame) if name else None  # made again from its text

    def __str__(self) -> str:
        if self.lacks is None:
            return super().__str__()
        return self.lacks.text(f"module {self.lacks.of!r} has no attribute {self.lacks.name!r}")

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


class MissingImport(ImportError):
    """`from torch.x import y` where chainrule has no y."""

    def __init__(self, module: Any, name: str = "", frame: FrameType | None = None) -> None:
        super().__init__("" if name else module, name=public_name(module.__name__) if name else "")
        self.lacks = _Lack(module, name, frame) if name else None  # made again from its text

    def __str__(self) -> str:
        if self.lacks is None:
            return super().__str__()
        return self.lacks.text(f"cannot import name {self.lacks.name!r} from {self.lacks.of!r}")

    def __reduce__(self) -> Any:
        return ImportError, (str(self),)


for _kind in (MissingAttribute, MissingImport):  # tracebacks show the name that programs catch
    _kind.__module__, _kind.__qualname__ = "builtins", _kind.__base__.__name__  # pyright: ignore[reportOptionalMemberAccess]


class _Lack:
    """A name that is not there, and the line that asked for it."""

    __slots__ = ("code", "lasti", "module", "name", "of", "package")

    def __init__(self, module: ModuleType, name: str, frame: FrameType | None) -> None:
        self.module = module
        self.name = name
        self.package = _package()  # as it is called now; the text may be read after the hook
        self.of = public_name(module.__name__)
        self.code: CodeType | None = None if frame is None else frame.f_code
        self.lasti = 0 if frame is None else frame.f_lasti

    def text(self, phrase: str) -> str:
        close = suggestions(self.module, self.name, self.package)
        return (
            f"{phrase}\n  at {source.describe(self.code, self.lasti)}\n"
            f"  chainrule has no {self.of}.{self.name}."
            f"{advice(close)}"
        )


def advice(close: str) -> str:
    """The end of each message: what is close, and what to do."""
    if not close:
        return f"\n  Fix: {_ADVICE}"
    return f" Close: {close}.\n  Fix: use a name above, or {_ADVICE}"


def suggestions(module: ModuleType, name: str, package: str | None = None) -> str:
    """Names like it in the module, and the same name elsewhere."""
    from difflib import get_close_matches

    package = package or _package()
    own = public_name(module.__name__, package)
    near = get_close_matches(name, [n for n in dir(module) if not n.startswith("_")], n=3)
    elsewhere = [
        path
        for space in _NAMESPACES
        if (path := _path_in(space, name, package)) and path != f"{own}.{name}"
    ]
    return ", ".join(dict.fromkeys([*elsewhere[:2], *(f"{own}.{n}" for n in near)]))


def _path_in(space: str, name: str, package: str) -> str | None:
    module: Any = sys.modules.get(f"chainrule.{space}" if space else "chainrule")
    if module is None or name not in dir(module):
        return None
    return f"{package}.{space}.{name}" if space else f"{package}.{name}"


def missing_error(module: ModuleType, name: str, frame: FrameType | None) -> Exception:
    """The error for a failed look-up from `frame`: of an import statement, or of an attribute."""
    if frame is not None and frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM:
        return MissingImport(module, name, frame)
    return MissingAttribute(module, name, asking_frame(frame))


def missing_module(name: str, existing: ModuleType | None) -> ModuleNotFoundError:
    """The error for `import torch.x.y`, with the deepest package of it that exists."""
    frame = asking_frame(sys._getframe(1))
    where = source.describe(None if frame is None else frame.f_code, frame.f_lasti if frame else 0)
    close = "" if existing is None else suggestions(existing, name.rpartition(".")[2])
    return ModuleNotFoundError(
        f"No module named {name!r}\n  at {where}\n  chainrule has no {name}.{advice(close)}",
        name=name,
    )


def asking_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that is neither ours nor of the import machinery."""
    while frame is not None and _is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _is_machinery(filename: str) -> bool:
    return filename.startswith(_IMPORT_MACHINERY) or source.is_library(filename)


def note_for(problem: BaseException) -> str | None:
    """What to add to an uncaught error about a method or attribute of one of our objects."""
    if not isinstance(problem, AttributeError) or isinstance(problem, MissingAttribute):
        return None
    owner, name = getattr(problem, "obj", None), problem.name
    if owner is None or name is None or isinstance(owner, ModuleType):
        return None
    kind = owner if isinstance(owner, type) else type(owner)
    if not source.is_own_name(kind.__module__):
        return None
    return (
        f"chainrule's {kind.__name__} has no {name!r}. If PyTorch 2.13's has it, that is a gap "
        "worth reporting; until then, write it in operations that exist."
    )
