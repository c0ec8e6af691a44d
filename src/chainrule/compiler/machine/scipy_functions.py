"""Where the functions of `scipy.special` are, for machine code: SciPy publishes it for Cython.

They take and give doubles, and touch no Python object.
"""

from __future__ import annotations

from functools import cache

from ...ops import interrupts
from .addresses import capsule_pointer
from .symbols import provide


@cache
def scipy_function(name: str) -> int | None:
    """The address of a function of real numbers; None where SciPy has none of this form."""
    try:
        interrupts.load("scipy.special.cython_special")
        from scipy.special import cython_special
    except ImportError:
        return None
    offered = cython_special.__pyx_capi__
    for spelling in (name, f"__pyx_fuse_1{name}", f"__pyx_fuse_0{name}"):
        capsule = offered.get(spelling)
        signature = repr(capsule).partition('"')[2].rpartition('"')[0]
        if _takes_doubles(signature):
            return capsule_pointer(capsule, signature.encode())
    return None


def _takes_doubles(signature: str) -> bool:
    result, _, rest = signature.partition(" (")
    arguments = rest.rstrip(")").split(", ")
    last = arguments.pop()
    return result == "double" and last.startswith("int ") and set(arguments) == {"double"}


provide("chainrule_special_", scipy_function)
