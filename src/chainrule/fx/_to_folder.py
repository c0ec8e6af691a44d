"""A GraphModule as a Python package: code, parameters, and the submodules it calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..autograd import source
from ..nn import Module
from .codegen import checked_name, import_block, is_name

_REBUILT = ("Linear", "Conv1d", "Conv2d", "Conv3d", "ReLU", "Dropout", "BatchNorm1d", "BatchNorm2d",
            "BatchNorm3d", "GELU", "Tanh", "Sigmoid", "Identity", "Flatten")  # fmt: skip


def write(module: Any, folder: Path, name: str) -> None:
    """Write the package."""
    from .. import save

    checked_name(name, "the module")
    folder.mkdir(parents=True, exist_ok=True)
    save(module.state_dict(), folder / "state_dict.pt")
    lines = [
        "import torch", "from pathlib import Path", "from torch.nn import *", "",
        "_here = Path(__file__).parent", "", "", f"class {name}(torch.nn.Module):",
        "    def __init__(self):", "        super().__init__()",
    ]  # fmt: skip
    for number, (child_name, child) in enumerate(module.named_children()):
        # A name of a module can be any text, also one that leads out of the folder.
        stem = child_name if is_name(child_name) or child_name.isdigit() else f"module_{number}"
        lines.append(f"        setattr(self, {child_name!r}, {_built(child, stem, folder)})")
    for key, value in module._parameters.items():
        if value is not None:
            shape = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
            lines.append(
                f"        setattr(self, {key!r}, torch.nn.Parameter({shape}, "
                f"requires_grad={value.requires_grad}))"
            )
    for key, value in module._buffers.items():
        if value is not None:
            shape = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
            lines.append(f"        self.register_buffer({key!r}, {shape})")
    lines += ['        self.load_state_dict(torch.load(_here / "state_dict.pt"))', ""]
    lines += _body(module)
    (folder / "module.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "__init__.py").write_text("from .module import *\n", encoding="utf-8")


def _built(child: Module, stem: str, folder: Path) -> str:
    """The expression that makes a submodule again."""
    kind = type(child).__name__
    if source.is_own_name(type(child).__module__, "nn") and kind in _REBUILT:
        return repr(child)
    from .. import save

    save(child, folder / f"{stem}.pt")
    return f'torch.load(_here / "{stem}.pt", weights_only=False)'


def _body(module: Any) -> list[str]:
    code = module.graph.python_code(root_module="self")
    imports = [f"    {line}" for line in import_block(code.globals).split("\n")]
    source = [line for line in code.src.split("\n") if not line.startswith("torch.fx._sym")]
    inside = "\n".join(source).strip("\n").split("\n")
    head, rest = inside[0], inside[1:]
    return [f"    {head}", *(f"    {s}" for s in imports if s.strip()), *(f"    {s}" for s in rest)]
