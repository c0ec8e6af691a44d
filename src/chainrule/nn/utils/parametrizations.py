"""Ready parametrizations: weight norm, spectral norm, orthogonal matrices."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import chainrule as torch

from ...autograd.accidents import explain_module
from ...autograd.modes import no_grad
from ...tensor import Tensor
from ..functional import normalize
from ..modules.module import Module
from . import parametrize
from .spectral_norm import MOST_ITERATIONS, as_matrix, output_dim
from .weight_norm import norm_except_dim, weight_of

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


# ---- orthogonal matrices -----------------------------------------------------------------------


def _is_orthogonal(q: Tensor) -> bool:
    rows, columns = q.size(-2), q.size(-1)
    identity = torch.eye(columns, dtype=q.dtype)
    return torch.allclose(q.mH @ q, identity, atol=10 * rows * torch.finfo(q.dtype).eps)


def _make_orthogonal(a: Tensor) -> Tensor:
    """The orthogonal factor of a matrix, its signs so that R has a positive diagonal."""
    x, tau = torch.geqrf(a)
    q = torch.linalg.householder_product(x, tau)
    return q * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _exponential(skew: Tensor) -> Tensor:
    return torch.matrix_exp(skew)


def _cayley(skew: Tensor) -> Tensor:
    identity = torch.eye(skew.size(-1), dtype=skew.dtype)
    return torch.linalg.solve(identity - 0.5 * skew, identity + 0.5 * skew)


class _Orthogonal(Module):
    """Any matrix -> an orthogonal (or unitary) one, or one with orthonormal columns or rows."""

    base: Any  # a tensor, once there is one

    def __init__(
        self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """The orthogonal matrix of X."""
        transposed = X.size(-2) < X.size(-1)
        x = X.mT if transposed else X
        if self.orthogonal_map is _OrthMaps.householder:
            q = self._reflections(x)
        else:
            q = self._from_skew(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def _from_skew(self, x: Tensor) -> Tensor:
        rows, columns = x.size(-2), x.size(-1)
        x = x.tril()
        if rows != columns:
            rest = x.new_zeros(rows, rows - columns).expand(*x.shape[:-2], -1, -1)
            x = torch.cat([x, rest], dim=-1)
        skew = x - x.mH
        is_exponential = self.orthogonal_map is _OrthMaps.matrix_exp
        q = _exponential(skew) if is_exponential else _cayley(skew)
        return q[..., :columns] if rows != columns else q

    @staticmethod
    def _reflections(x: Tensor) -> Tensor:
        """Householder vectors below the diagonal; the diagonal holds the signs of the columns."""
        a = x.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (a * a).sum(dim=-2))
        q = torch.linalg.householder_product(a, tau)
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, Q: Tensor) -> Tensor:
        """The matrix from which forward gives Q, made orthogonal if it is not."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}."
            )
        transposed = Q.size(-2) < Q.size(-1)
        q = Q.mT if transposed else Q
        if hasattr(self, "base"):
            self.base = self._completed(q)
            start = torch.zeros_like(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley "
                "parametrizations when use_trivialization=False."
            )
        a, tau = torch.geqrf(q)
        # Forward scales by the diagonal: keep its signs, negated where a reflection is missing.
        diagonal = a.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[tau == 0.0] *= -1
        return a.mT if transposed else a

    @staticmethod
    def _completed(q: Tensor) -> Tensor:
        """A square orthogonal matrix that starts with these columns."""
        rows, columns = q.size(-2), q.size(-1)
        if rows == columns:
            return q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
        rest = torch.randn(*q.shape[:-2], rows, rows - columns, dtype=q.dtype)
        return _make_orthogonal(torch.cat([q, rest], dim=-1))


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep a weight orthogonal (complex: unitary), whatever the optimizer does.

    >>> import chainrule as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 4))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(4), atol=1e-6)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


# ---- weight norm -------------------------------------------------------------------------------


class _WeightNorm(Module):
    """(g, v) -> g * v / |v|."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """v scaled to have the norms g."""
        return weight_of(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """(norms, direction) of a weight."""
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Train a weight's length and direction apart: `original0` and `original1`.

    >>> import chainrule as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> [name for name, _ in layer.named_parameters()][1:]
    ['parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_keys(
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            start = f"{prefix}parametrizations.{name}.original"
            state_dict[start + "0"] = state_dict.pop(g)
            state_dict[start + "1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(take_old_keys)
    return module


# ---- spectral norm -----------------------------------------------------------------------------


class _SpectralNorm(Module):
    """A weight -> the weight over its largest singular value."""

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but "
                f"got {dim})"
            )
        if not 0 < n_power_iterations <= MOST_ITERATIONS:
            most = "" if n_power_iterations <= 0 else f" and at most {MOST_ITERATIONS}"
            raise ValueError(
                f"Expected n_power_iterations to be positive{most}, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            u = matrix.new_empty(matrix.size(0)).normal_(0, 1)
            v = matrix.new_empty(matrix.size(1)).normal_(0, 1)
            self.register_buffer("_u", normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            # Close to the singular vectors from the start, so that one step a call follows them.
            self._power_method(matrix, 15)

    def _power_method(self, weight_mat: Tensor, n_power_iterations: int) -> None:
        with no_grad():
            for _ in range(n_power_iterations):
                u = normalize(torch.mv(weight_mat, self._v), dim=0, eps=self.eps)
                self._u.copy_(u)
                v = normalize(torch.mv(weight_mat.mH, self._u), dim=0, eps=self.eps)
                self._v.copy_(v)

    def forward(self, weight: Tensor) -> Tensor:
        """The weight with largest singular value (about) one."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Backward needs the vectors of this call, the next call changes them in place.
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself: it will be normalised when it is used."""
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value, found by power iteration in training mode.

    >>> import chainrule as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(20, 40))
    >>> round(torch.linalg.matrix_norm(layer.weight, 2).item(), 1)
    1.0
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = output_dim(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, made)


explain_module(globals())
