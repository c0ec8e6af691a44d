"""Record the signatures of PyTorch's ATen operators that our functions compute.

Needs torch, and chainrule on the path.
"""

from __future__ import annotations

from pathlib import Path

import torch

from chainrule.library import aten

HOME = Path(aten.__file__).with_name("aten_schemas.txt")
HOME.touch()

lines = []
for schema in torch._C._jit_get_all_schemas():
    space, _, name = schema.name.partition("::")
    text = str(schema).removeprefix("aten::")
    if space != "aten" or "Tensor" not in text or "..." in text or "out" in schema.overload_name:
        continue
    if aten.function_of(name) is not None and "Dimname" not in text:
        lines.append(text)
HOME.write_text("\n".join(sorted(set(lines))) + "\n", encoding="utf-8")

# Operators that PyTorch puts together of others before autograd: `__torch_dispatch__` sees those.
composites = []
for line in HOME.read_text(encoding="utf-8").splitlines():
    name = line[: line.index("(")]
    try:
        kernel = torch._C._dispatch_has_kernel_for_dispatch_key(
            f"aten::{name}", "CompositeImplicitAutograd"
        )
    except RuntimeError:  # an operator of the interpreter alone
        continue
    if kernel:
        composites.append(name)
HOME.with_name("aten_composites.txt").write_text("\n".join(composites) + "\n", encoding="utf-8")
