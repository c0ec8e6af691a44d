"""The CPU's abilities."""

from __future__ import annotations

import os

_ASKED_FOR = {"avx512": "AVX512", "avx2": "AVX2", "default": "DEFAULT"}
# What a CPU must have for PyTorch to name it so, as NumPy calls these features.
_NEEDS = {
    "AVX512": ("AVX512F", "AVX512BW", "AVX512VL", "AVX512DQ", "FMA3"),
    "AVX2": ("AVX2", "FMA3"),
}


def get_cpu_capability() -> str:
    """The instruction set of this CPU that PyTorch would name; kernels are compiled for the host.

    Libraries choose their algorithms by it: torchvision resizes bytes as whole numbers on AVX2.
    """
    features = _features()
    present = [name for name, needs in _NEEDS.items() if all(features.get(n) for n in needs)]
    wanted = _ASKED_FOR.get(os.environ.get("ATEN_CPU_CAPABILITY", ""))
    if wanted is not None and (wanted == "DEFAULT" or wanted in present):
        return wanted
    return present[0] if present else "DEFAULT"


def _features() -> dict[str, bool]:
    from numpy._core import _multiarray_umath  # pyright: ignore[reportAttributeAccessIssue]

    return getattr(_multiarray_umath, "__cpu_features__", {})
