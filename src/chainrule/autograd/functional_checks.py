"""What autograd.functional refuses: arguments that are no tensors, and what `strict` forbids."""

from __future__ import annotations

from typing import Any

from . import refusal
from .trees import several
from .value import TensorBase


def as_tuple(x: Any, what: str, function: str) -> tuple[tuple[Any, ...], bool]:
    """(the tensors, whether it was one alone); nothing but a tensor or a tuple of them passes."""
    if isinstance(x, TensorBase):
        return (x,), True
    begin = f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but"
    if not isinstance(x, tuple):
        raise refusal.wrong_type(f"{begin} the given {what} has type {type(x)}.")
    for k, t in enumerate(several(x)):
        if not isinstance(t, TensorBase):
            raise refusal.wrong_type(f"{begin} the value at index {k} has type {type(t)}.")
    return several(x), False


def vectors(v: Any, like: tuple[Any, ...], single: bool, missing: str, name: str) -> Any:
    """The vector v as a tuple, one tensor of the same shape for each in `like`."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise refusal.runtime(
                f"The vector v can only be None if the {missing} a single Tensor with a single "
                "element.",
                f"{name}",
            )
        return None
    values, _ = as_tuple(v, "v", name)
    if len(values) != len(like):
        if single or len(like) == 1:
            raise refusal.runtime(
                "The given v should contain a single Tensor.", f"it has {len(values)}, {name}"
            )
        raise refusal.runtime(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(values)}.",
            f"{name}",
        )
    for k, (a, b) in enumerate(zip(values, like, strict=True)):
        if tuple(a.shape) != tuple(b.shape):
            entry = "" if len(like) == 1 else f"Entry {k} in "
            raise refusal.runtime(
                f"{entry}v has invalid size: should be {b.shape!r} but got {a.shape!r}.", f"{name}"
            )
    return values


def check_outputs_depend(outs: tuple[Any, ...]) -> None:
    """strict: every output comes from the inputs."""
    for k, out in enumerate(outs):
        if not out._rg:
            raise refusal.runtime(
                f"Output {k} of the user-provided function does not require gradients. The outputs "
                "must be computed in a differentiable manner from the input when running in strict "
                "mode."
            )


def check_used(grads: Any, output: str = "The output") -> None:
    """strict: the output depends on every input."""
    for k, g in enumerate(grads):
        if g is None:
            raise refusal.runtime(
                f"{output} of the user-provided function is independent of input {k}. This is not "
                "allowed in strict mode."
            )


def check_jacobian_depends(results: Any, create_graph: bool) -> None:
    """strict with create_graph: what is to be differentiated again depends on the inputs."""
    for k, result in enumerate(results):
        if create_graph and not result._rg:
            raise refusal.runtime(
                f"The jacobian of the user-provided function is independent of input {k}. This is "
                "not allowed in strict mode when create_graph=True."
            )


def check_hessian_depends(jacobian: Any) -> None:
    """strict: the first derivatives depend on the inputs."""
    for k, row in enumerate(jacobian):
        if not row._rg:
            raise refusal.runtime(
                "While computing the hessian, found that the jacobian of the user-provided "
                f"function with respect to input {k} is independent of the input. This is not "
                "allowed in strict mode. You should ensure that your function is twice "
                "differentiable."
            )


def check_strategy(strategy: str) -> None:
    """A mode of jacobian()."""
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            f"function has more outputs than inputs, use forward-mode; got {strategy!r}"
        )


def check_forward_switches(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """What the forward strategy is not made for, as in PyTorch."""
    text = (
        'torch.autograd.functional.jacobian: `{0}=True` and `strategy="forward-mode"` are not '
        'supported together (yet). Please either set `{0}=False` or `strategy="reverse-mode"`.'
    )
    if create_graph:
        raise NotImplementedError(
            f"{text.format('create_graph')}\n  func.jacfwd nests in all transforms."
        )
    if strict:
        raise RuntimeError(text.format("strict"))
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`."
        )


def check_single(outs: tuple[Any, ...], single: bool, name: str) -> Any:
    """The one element that second derivatives are taken of."""
    if not single:
        raise refusal.runtime(
            f"The function given to {name} should return a single Tensor",
            f"it returned a tuple of {len(outs)}",
        )
    if outs[0].numel() != 1:
        raise refusal.runtime(
            f"The Tensor returned by the function given to {name} should contain a single element",
            f"its shape is {list(outs[0].shape)}",
        )
    return outs[0]
