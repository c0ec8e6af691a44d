"""The iteration of torch.lobpcg: the best vectors among the present ones, their residuals and the
directions in which they moved last, again and again (Knyazev, 2001)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .common import P
from .decompositions import cholesky
from .joining import cat
from .linalg import solve_triangular
from .spectral import eigh


class LOBPCG:
    """The state of the iteration for one pair of matrices, as a tracker sees it.

    A, B, iK are the arguments; X the present vectors, E their values, R = A X - B X diag(E) the
    residuals, S the space that was searched last. Parameters are in `iparams`, `fparams` and
    `bparams`, what changes in `ivars`, `fvars`, `bvars` and `tvars`: the number of steps in
    ivars["istep"], of converged pairs in ivars["converged_count"], the sizes of the residuals in
    tvars["rerr"]. A tracker that sets bvars["force_stop"] ends the iteration.
    """

    def __init__(
        self, A: Any, B: Any, X: Any, iK: Any, iparams: dict[str, int],
        fparams: dict[str, float], bparams: dict[str, bool], method: str,
        tracker: Callable[[LOBPCG], None] | None,
    ) -> None:  # fmt: skip
        self.A, self.B, self.iK = A, B, iK
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method, self.tracker = method, tracker
        self.ivars: dict[str, int] = {
            "istep": 0, "converged_count": 0, "iterations_left": iparams["niter"]
        }  # fmt: skip
        self.fvars: dict[str, float] = {
            "A_norm": _ratio(self._A(X), X), "B_norm": _ratio(self._B(X), X)
        }  # fmt: skip
        self.bvars: dict[str, bool] = {"force_stop": False}
        self.tvars: dict[str, Any] = {}
        self.S = self._orthonormal(X, 0.0)
        self._choose(self.S, None)

    def run(self) -> tuple[Any, Any]:
        """(values, vectors) of the wanted pairs."""
        self._look()
        while not self._is_over():
            space = self._space()
            if space is None:  # nothing is left to search
                break
            self.S, weights = space
            self._choose(self.S, weights)
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] -= 1
            self._look()
        k = self.iparams["k"]
        return self.E[:k].clone(), self.X[:, :k].clone()

    # ---- a step ------------------------------------------------------------------------------

    def _space(self) -> tuple[Any, Any] | None:
        """The next space to search and, unless its basis is orthonormal, its Gram matrix by B."""
        open_ = self.R[:, self.ivars["converged_count"] :]
        W = open_ if self.iK is None else self.iK @ open_
        known = self.X if self.P is None else cat([self.X, self.P], 1)
        if self.method == "ortho":
            W = self._orthogonal_to(known, W)
            return None if W is None else (cat([known, W], 1), None)
        S = cat([known, _of_length_one(W)], 1)
        return S, S.mH @ self._B(S)

    def _choose(self, S: Any, gram: Any) -> None:
        """X, E, R and the directions P by the best combinations of the columns of S."""
        n = self.iparams["n"]
        values, weights = _eigenpairs(S.mH @ self._A(S), gram, self.bparams["largest"])
        self.E, Z = values[:n], weights[:, :n]
        self.X = S @ Z
        self.P = self._directions(S, Z) if S.shape[1] > n else None
        self.R = self._A(self.X) - self._B(self.X) * self.E

    def _directions(self, S: Any, Z: Any) -> Any:
        """How the vectors that have not converged moved: the part of them that is new."""
        n = self.iparams["n"]
        moved = (S[:, n:] @ Z[n:])[:, self.ivars["converged_count"] :]
        if self.method == "ortho":
            return self._orthogonal_to(self.X, moved)
        return _of_length_one(moved)

    # ---- convergence -------------------------------------------------------------------------

    def _look(self) -> None:
        """How far the pairs have converged: the first ones, one after the other."""
        size = self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]
        error = self.R.norm(dim=0) / (self.X.norm(dim=0) * size)
        self.tvars["rerr"] = error
        count = 0
        for e in error.tolist():
            if not e < self.fparams["tol"]:
                break
            count += 1
        self.ivars["converged_count"] = max(count, self.ivars["converged_count"])
        if self.tracker is not None:
            self.tracker(self)

    def _is_over(self) -> bool:
        return (
            self.bvars["force_stop"]
            or self.ivars["iterations_left"] == 0
            or self.ivars["converged_count"] >= self.iparams["k"]
        )

    # ---- bases -------------------------------------------------------------------------------

    def _A(self, X: Any) -> Any:
        return self.A @ X

    def _B(self, X: Any) -> Any:
        return X if self.B is None else self.B @ X

    def _orthogonal_to(self, known: Any, V: Any) -> Any:
        """An orthonormal basis of what V adds to the orthonormal columns of `known`; None if that
        is nothing. Rounding leaves a part of them in it, so it is taken out until it is small."""
        drop = self.fparams["ortho_tol_drop"] * 1e-2
        image = self._B(known)
        for _ in range(max(1, self.iparams["j_max"])):
            V = _of_length_one(V)
            V = V - known @ (image.mH @ V)
            V = self._orthonormal(V, drop)
            if V is None:
                return None
            if float((image.mH @ V).norm()) < _rounding(V):
                break
        return V

    def _orthonormal(self, V: Any, drop: float) -> Any:
        """A basis of V's columns that is orthonormal by B; columns that others make are dropped."""
        for _ in range(max(1, self.iparams.get("i_max", 3))):
            gram = V.mH @ self._B(V)
            scale = gram.diagonal().real.clamp_min(_tiny(V)).rsqrt()
            values, vectors = eigh(gram * scale * scale.unsqueeze(1))
            most = float(values[-1])
            if not most > 0:
                return None
            kept = values > max(drop, _rounding(V)) * most
            values, vectors = values[kept], vectors[:, kept]
            V = V * scale @ (vectors * values.rsqrt())
            if float(values[0]) > 0.5 * float(values[-1]):
                return V
        return V


def _eigenpairs(a: Any, gram: Any, largest: bool) -> tuple[Any, Any]:
    """All eigenpairs of a small matrix (by the Gram matrix), the wanted end of them first."""
    a = (a + a.mH) / 2
    if gram is None:
        values, vectors = eigh(a)
    else:
        factor = cholesky((gram + gram.mH) / 2)
        half = solve_triangular(factor, a, upper=False)
        values, vectors = eigh(solve_triangular(factor, half.mH, upper=False))
        vectors = solve_triangular(factor.mH, vectors, upper=True)
    if not largest:
        return values, vectors
    return P.flip(values, axis=(0,)), P.flip(vectors, axis=(1,))


def _of_length_one(V: Any) -> Any:
    return V / V.norm(dim=0).clamp_min(_tiny(V))


def _ratio(image: Any, X: Any) -> float:
    return float(image.norm() / X.norm())


def _rounding(V: Any) -> float:
    """What rounding leaves of a zero."""
    return 1e-6 if V.dtype.name in ("float32", "complex64") else 1e-14


def _tiny(V: Any) -> float:
    return 1e-30 if V.dtype.name in ("float32", "complex64") else 1e-280
