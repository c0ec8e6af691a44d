"""The derivatives of torch.lobpcg's eigenpairs, by one linear system for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.function import Function
from .linalg import solve


def symmetric(A: Any) -> Any:
    """A itself for symmetric matrices; its gradient is symmetric then, too."""
    return (A + A.mT) / 2


class Eigenpairs(Function):
    """(E, U) with their derivatives by A and B, by one linear system for each eigenvector."""

    @staticmethod
    def forward(ctx: Any, A: Any, B: Any, solved: Callable[[Any, Any], Any]) -> Any:
        E, U = solved(A.detach(), None if B is None else B.detach())
        ctx.save_for_backward(A, B, E, U)
        ctx.save_for_forward(A, B, E, U)
        return E, U

    @staticmethod
    def backward(ctx: Any, gE: Any, gU: Any) -> Any:
        A, B, E, U = _real(ctx.saved_tensors)
        gained = gE.unsqueeze(-2) * U + _moved(A, B, E, U, gU)  # gradient by (A - E B) U
        by_A = symmetric(gained @ U.mT) if ctx.needs_input_grad[0] else None
        by_B = None
        if B is not None and ctx.needs_input_grad[1]:
            shrunk = (gU * U).sum(-2, keepdim=True) * U / 2  # U^T B U stays the identity
            by_B = symmetric(-(gained * E.unsqueeze(-2) + shrunk) @ U.mT)
        return by_A, by_B, None

    @staticmethod
    def jvp(ctx: Any, tA: Any, tB: Any, _: Any) -> Any:
        A, B, E, U = _real(ctx.saved_tensors)
        pushed = U * 0.0 if tA is None else tA @ U
        if tB is not None:
            pushed = pushed - tB @ U * E.unsqueeze(-2)
        tE = (U * pushed).sum(-2)
        tU = _moved(A, B, E, U, pushed, transposed=True)
        if tB is not None:
            tU = tU - (U * (tB @ U)).sum(-2, keepdim=True) * U / 2
        return tE, tU


def _real(saved: Any) -> Any:
    if saved[0].dtype.is_complex:
        raise ValueError("lobpcg.backward does not support complex input yet.")
    return saved


def _moved(A: Any, B: Any, E: Any, U: Any, V: Any, transposed: bool = False) -> Any:
    """How eigenvectors move: column by column the solution y of (E B - A) y = v without the part
    along its own eigenvector u, for which that matrix is made regular by B u (B u)^T."""
    BU = U if B is None else B @ U
    if transposed:
        V = V - BU * (U * V).sum(-2, keepdim=True)
    own = BU.mT
    shift = E[..., None, None]
    spread = shift if B is None else shift * B.unsqueeze(-3)
    eye = A.new_ones(A.shape[-1]).diag() if B is None else 1.0
    matrices = spread * eye - A.unsqueeze(-3) + own.unsqueeze(-1) * own.unsqueeze(-2)
    Y = solve(matrices, V.mT).mT
    return Y if transposed else Y - U * (BU * Y).sum(-2, keepdim=True)
