"""What `strict=True` refuses in autograd.functional: results that do not depend on the inputs.

Each error begins with the phrase people search for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NOT_ALLOWED = "This is not allowed in strict mode"


def outputs_have_history(outs: Sequence[Any]) -> None:
    """Every output must have been computed from something that requires grad."""
    for k, out in enumerate(outs):
        if not out._rg:
            raise RuntimeError(
                f"Output {k} of the user-provided function does not require gradients. "
                f"{_NOT_ALLOWED}: compute it from the inputs with differentiable operations, "
                "without detach() or no_grad()."
            )


def inputs_have_gradients(
    grads: Sequence[Any], create_graph: bool, what: str = "The output"
) -> None:
    """Every input must have a part in the output, and in the gradient where that is recorded."""
    for k, g in enumerate(grads):
        if g is None:
            raise RuntimeError(
                f"{what} of the user-provided function is independent of input {k}. {_NOT_ALLOWED}."
            )
        if create_graph and not g._rg:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {k}. "
                f"{_NOT_ALLOWED} when create_graph=True: a second derivative would be zero."
            )


def jacobian_has_history(grads: Any) -> None:
    """The first derivatives must depend on the inputs."""
    for k, g in enumerate(grads if isinstance(grads, tuple) else (grads,)):
        if g is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {k}. "
                f"{_NOT_ALLOWED}."
            )
        if not g._rg:
            raise RuntimeError(
                f"The jacobian of the user-provided function with respect to input {k} is "
                f"independent of the input. {_NOT_ALLOWED}: the function is linear in it, or not "
                "differentiable twice."
            )


def jacobian_depends_on_inputs(grads: Sequence[Any], create_graph: bool) -> None:
    """Every input must have a part in the first derivatives."""
    for k, g in enumerate(grads):
        if g is None:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {k}. "
                f"{_NOT_ALLOWED}."
            )
        if create_graph and not g._rg:
            raise RuntimeError(
                f"The hessian of the user-provided function is independent of input {k}. "
                f"{_NOT_ALLOWED} when create_graph=True: a third derivative would be zero."
            )
