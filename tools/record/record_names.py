"""Record the public names of PyTorch's modules and how they are called. Needs torch.

python tools/record/record_names.py      writes tests/recorded/names.txt

A line with no indent is a module; below it, one name a line: `class Name(parameters)`,
`def name(parameters)` or `value name`. A parameter with a default ends in `=`. A module with no
path component that begins with `_` is recorded whole; of private modules only those in `PRIVATE`,
whose names programs are known to import.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "recorded" / "names.txt"

# Compared elsewhere: op by op (tests/ops), or a compiler's own rooms.
LEFT_OUT = (
    "torch.onnx.", "torch.fx.", "torch.utils.data.datapipes", "torch.utils.hipify",
    "torch.testing.", "torch.return_types", "torch.ao.quantization.fx.",
    "torch.utils.serialization",
    "torch.ao.quantization.backend_config.", "torch.ao.quantization.pt2e.",
    "torch.distributed.flight_recorder", "torch.distributed.debug", "torch.backends.python_native",
    "torch.export.experimental", "torch.export.passes", "torch.distributed.elastic.rendezvous.",
    "torch.utils.benchmark.examples", "torch.utils.benchmark.op_fuzzers",
    "torch.ao.pruning.sparsifier.", "torch.quantization.fx.", "torch.nn.qat", "torch.nn.quantized.",
    "torch.nn.intrinsic.", "torch.nn.quantizable.", "torch.numa", "torch.nativert",
    "torch.package.analyze", "torch.utils.viz", "torch.ao.ns", "torch.utils.jit",
    "torch.ao.quantization.quantize_fx", "torch.quantization.quantize_fx",
)  # fmt: skip
PRIVATE = (
    "torch._jit_internal", "torch._lowrank", "torch._ops", "torch._sources", "torch._tensor",
    "torch._tensor_str", "torch._utils", "torch._vmap_internals", "torch.__config__",
    "torch.__future__", "torch.nn.parallel._functions", "torch.nn.utils._named_member_accessor",
    "torch.utils._pytree", "torch.utils._contextlib", "torch.utils._foreach_utils",
    "torch.distributed._functional_collectives",
)  # fmt: skip


def is_recorded(name: str) -> bool:
    hidden = any(part.startswith("_") for part in name.split(".")[1:])
    return not hidden and not f"{name}.".startswith(LEFT_OUT) and not name.startswith(LEFT_OUT)


def modules(package: ModuleType) -> dict[str, ModuleType]:
    """The package and every recorded module below it that can be imported, by name."""
    found = {package.__name__: package}
    for entry in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if entry.name.endswith("__main__") or not is_recorded(entry.name):
            continue
        try:
            module = importlib.import_module(entry.name)
        except (Exception, SystemExit) as problem:
            print(f"left out: {entry.name}: {problem}", file=sys.stderr)
            continue
        found |= modules(module) if entry.ispkg else {entry.name: module}
    return found


def public_names(module: ModuleType) -> list[str]:
    """`__all__`, or the functions and classes that PyTorch defined and the module shows."""
    stated = getattr(module, "__all__", None)
    if stated is not None:
        return sorted({n for n in stated if hasattr(module, n)})
    return sorted(n for n, v in vars(module).items() if not n.startswith("_") and is_shown(v))


def is_shown(value: Any) -> bool:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return False
    return str(getattr(value, "__module__", None)).partition(".")[0] == "torch"


def parameters(value: Any) -> str | None:
    """`(a, b=, *, c=)`, or None where PyTorch does not tell."""
    try:
        found = list(inspect.signature(value).parameters.values())
    except (ValueError, TypeError):
        return None
    parts, seen_star = [], False
    for index, one in enumerate(found):
        if one.kind is one.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        seen_star |= one.kind is one.VAR_POSITIONAL
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        parts.append(mark + one.name + ("=" if one.default is not one.empty else ""))
        if one.kind is one.POSITIONAL_ONLY:
            following = found[index + 1].kind if index + 1 < len(found) else None
            if following is not one.POSITIONAL_ONLY:
                parts.append("/")
    return f"({', '.join(parts)})"


def line_of(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if isinstance(value, ModuleType):
        return f"module {name}"
    if inspect.isclass(value):
        return f"class {name}{parameters(value) or ''}"
    if callable(value):
        return f"def {name}{parameters(value) or ''}"
    return f"value {name}"


def main() -> None:
    warnings.simplefilter("ignore")
    import torch

    lines = [f"# The public names of PyTorch {torch.__version__} (tools/record/record_names.py)."]
    private = {name: importlib.import_module(name) for name in PRIVATE}
    for name, module in sorted((modules(torch) | private).items()):
        lines.append(name)
        lines += [f"  {line_of(module, each)}" for each in public_names(module)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(lines)} lines")


if __name__ == "__main__":
    main()
