"""Functions of functions: derivatives and batching that compose in any order."""

from typing import Any

from ..autograd.jacobians import hessian, jacfwd, jacobian, jacrev
from ..autograd.transforms import grad, grad_and_value, jvp, linearize, vjp
from ..autograd.vmap import vmap
from .functionalize import functionalize
from .stateless import functional_call, replace_all_batch_norm_modules_, stack_module_state

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

# Of the old package `functorch`, which is this module under another name.
_OLD = ("FunctionalModule", "FunctionalModuleWithBuffers", "make_functional",
        "make_functional_with_buffers")  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _OLD:
        from .._functorch import make_functional

        return getattr(make_functional, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
