"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All values of the parameters one after the other.

    >>> import chainrule as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    return torch.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters consecutive parts of a vector as their values; they share its memory."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    listed = list(parameters)
    left = vec.numel()
    for p in listed:
        if p.numel() > left:
            raise refusal.runtime(
                f"shape '{list(p.shape)}' is invalid for input of size {left}: the vector has "
                f"{vec.numel()} elements, the parameters {sum(q.numel() for q in listed)}"
            )
        left -= p.numel()
    start = 0
    for p in listed:
        stop = start + p.numel()
        p.data = vec[start:stop].view_as(p).data
        start = stop


explain_module(globals())
