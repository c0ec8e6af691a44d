"""Linear systems, inverses, determinants, norms and their relatives, with PyTorch's signatures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from ...ops.errors import LinAlgError
from ..api import public
from ..return_types import named
from .common import P, TensorBase, axis_of
from .products import matmul, mm

if TYPE_CHECKING:
    from ..annotations import Tensor

# ---- checks --------------------------------------------------------------------------------------

TYPE_WORDS = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "float16": "Half", "bfloat16": "BFloat16", "float32": "Float",
    "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def type_word(x: Any) -> str:
    """PyTorch's word for a tensor's type."""
    name: str = x.dtype.name
    return TYPE_WORDS.get(name, name)


def checked(call: Callable[..., Any], *args: Any, **params: Any) -> Any:
    """Run an op; a complaint about the values of a matrix gets the user's line."""
    try:
        return call(*args, **params)
    except LinAlgError as problem:
        raise refusal.of_kind(LinAlgError, f"{problem}") from None


def matrices(x: Any, name: str, letter: str = "A") -> Any:
    """x, when it consists of matrices of floating-point or complex numbers."""
    if x.ndim < 2:
        raise refusal.runtime(
            f"{name}: The input tensor {letter} must have at least 2 dimensions.",
            fix=f"its shape is {list(x.shape)}.",
        )
    return floating(x, name)


def floating(x: Any, name: str) -> Any:
    """x, when it has a type with a decomposition."""
    if x.dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            f"{name}: Expected a floating point or complex tensor as input. Got {type_word(x)}",
            fix="convert it first, e.g. x.float().",
        )
    if x.dtype.itemsize == 2:
        raise refusal.not_implemented(
            f"\"{name.rpartition('.')[2]}_cpu\" not implemented for '{type_word(x)}'",
            fix="convert it first, e.g. x.float().",
        )
    return x


def square(x: Any, name: str, letter: str = "A") -> Any:
    """x, when it consists of square matrices."""
    if x.ndim >= 2 and x.shape[-1] != x.shape[-2]:
        raise refusal.runtime(
            f"{name}: {letter} must be batches of square matrices, but they are {x.shape[-2]} by "
            f"{x.shape[-1]} matrices",
        )
    return matrices(x, name, letter)


def same_type(a: Any, b: Any, name: str) -> None:
    """Both must have one type."""
    if a.dtype is not b.dtype:
        raise refusal.runtime(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{type_word(a)} and B of type {type_word(b)} instead",
        )


def same_solver_type(b: Any, A: Any, name: str) -> None:
    """Right-hand sides and matrices must have one type."""
    if b.dtype is not A.dtype:
        raise refusal.runtime(
            f"Expected b and A to have the same dtype, but found b of type {type_word(b)} and A "
            f"of type {type_word(A)} instead, in {name}",
            fix="convert one with .to(dtype).",
        )


def one_scalar_type(a: Any, b: Any, name: str) -> None:
    """Operands that are not promoted must have one type."""
    if a.dtype is not b.dtype:
        raise refusal.runtime(
            f"expected scalar type {type_word(a)} but found {type_word(b)}: {name} keeps types",
            fix="convert one with .to(dtype).",
        )


# ---- inverses and linear systems -----------------------------------------------------------------

_INV_EX = named("linalg_inv_ex", "inverse", "info")
_SOLVE_EX = named("linalg_solve_ex", "result", "info")


@public(namespace="linalg", autocast="float32")
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each in a batch."""
    return checked(P.inv_ex, square(A, "linalg.inv"), check="linalg.inv")[0]


@public(autocast="float32")
def inverse(input: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each in a batch; `linalg.inv`."""
    return checked(P.inv_ex, square(input, "linalg.inv"), check="linalg.inv")[0]


@public(namespace="linalg", autocast="float32")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and per matrix the row whose pivot is zero (0: there is none)."""
    check = "linalg.inv_ex" if check_errors else ""
    return _INV_EX(checked(P.inv_ex, square(A, "linalg.inv_ex"), check=check))


def _solve(A: Any, B: Any, left: bool, name: str, check: str) -> Any:
    square(A, name)
    same_type(A, B, name)
    vector = left and B.ndim in (1, A.ndim - 1) and tuple(B.shape) == tuple(A.shape[:-1])
    if B.ndim == 1:
        vector = True
    rows = B.shape[-1] if vector or not left else B.shape[-2]
    if rows != A.shape[-1] or (vector and not left):
        sizes = f"{A.shape[-2]}x{A.shape[-1]} and {B.shape[-2] if B.ndim > 1 else 1}x{B.shape[-1]}"
        equation = "AX = B" if left else "XA = B"
        raise refusal.runtime(
            f"{name}: Incompatible shapes of A and B for the equation {equation} ({sizes})",
        )
    if vector:
        return P.solve_vector_ex(A, B, check=check)
    return P.solve_ex(A, B, left=left, check=check)


@public(namespace="linalg", autocast="float32")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X of A X = B (or of X A = B when left is False)."""
    return checked(_solve, A, B, left, "linalg.solve", "linalg.solve")[0]


@public(namespace="linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """X of A X = B, and per matrix the row whose pivot is zero (0: there is none)."""
    check = "linalg.solve_ex" if check_errors else ""
    return _SOLVE_EX(checked(_solve, A, B, left, "linalg.solve", check))


@public(namespace="linalg")
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """X of A X = B (or of X A = B) for triangular A."""
    name = "linalg.solve_triangular"
    square(A, name)
    matrices(B, name, "B")
    same_type(A, B, name)
    if A.shape[-1] != B.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        raise refusal.runtime(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})"
        )
    return P.solve_triangular(A, B, upper=upper, left=left, unit=unitriangular)


@public(aliases=(), autocast="float32")
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """X of A X = input for triangular A, and a copy of A; `linalg.solve_triangular` is newer."""
    square(A, "triangular_solve")
    same_solver_type(input, A, "triangular_solve")
    if input.ndim < 2 or input.shape[-2] != A.shape[-1]:
        raise refusal.runtime(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by "
            f"{A.shape[-1]} but each b matrix has the shape {list(input.shape[-2:])}"
        )
    left = A.transpose(-2, -1) if transpose else A
    x = P.solve_triangular(
        left, input, upper=upper != transpose, left=True, unit=unitriangular
    )  # fmt: skip
    return named("triangular_solve", "solution", "cloned_coefficient")((x, A.clone()))


# ---- determinants --------------------------------------------------------------------------------


@public(namespace="linalg", aliases=(".det",), method=True)
def det(A: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each in a batch."""
    return P.det(square(A, "linalg.det"))


@public(namespace="linalg")
def slogdet(A: Tensor) -> Any:
    """The sign (or phase) of the determinant and the logarithm of its magnitude."""
    return named("linalg_slogdet", "sign", "logabsdet")(P.slogdet(square(A, "linalg.slogdet")))


@public(name="slogdet")
def slogdet_method(input: Tensor) -> Any:
    """The sign (or phase) of the determinant and the logarithm of its magnitude."""
    return named("slogdet", "sign", "logabsdet")(P.slogdet(square(input, "linalg.slogdet")))


@public()
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: NaN where it is negative, -inf where it is zero."""
    sign, size = P.slogdet(square(input, "logdet"))
    if input.dtype.is_complex:
        return sign.log() + size
    return P.where(sign == -1, float("nan"), size)


# ---- powers and exponentials ---------------------------------------------------------------------


@public(namespace="linalg", aliases=(".matrix_exp",), method=True)
def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential."""
    if A.dtype.itemsize == 2 and A.dtype.category == dtypes.FLOAT:
        return matrix_exp(A.to(dtypes.float32)).to(A.dtype)
    return P.matrix_exp(square(A, "linalg.matrix_exp"))


@public(namespace="linalg", aliases=(".matrix_power",), method=True, exact_out=True)
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A multiplied by itself n times; a negative n takes the inverse, 0 the identity."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        square(A, "linalg.matrix_power")
    if n == 0:
        return P.blank(A) + P.eye_like(A)
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 1:
        return A.clone()
    multiply = mm if A.ndim == 2 else matmul
    result: Any = None
    power = A
    while n:
        if n & 1:
            result = power if result is None else multiply(result, power)
        n >>= 1
        if n:
            power = multiply(power, power)
    return result


# ---- pseudo-inverse and least squares ------------------------------------------------------------


def tolerances(A: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Both tolerances as tensors; without any, relative to the size of the matrix."""
    real = A.dtype.to_real()
    if rtol is None:
        given = atol is not None and (isinstance(atol, TensorBase) or atol > 0)
        rtol = 0.0 if given else max(A.shape[-2:]) * eps_of(real)
    return _as_tensor(0.0 if atol is None else atol, real), _as_tensor(rtol, real)


def eps_of(real: Any) -> float:
    """The distance from 1 to the next number of a type."""
    return 2.0**-23 if real is dtypes.float32 else 2.0**-52


def _as_tensor(value: Any, dtype: Any) -> Any:
    from ..creation import tensor

    if isinstance(value, TensorBase):
        return value.detach().to(dtype)  # type: ignore[attr-defined]
    return tensor(value, dtype=dtype)


@public(namespace="linalg")
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """The pseudo-inverse; singular values at most max(atol, rtol * the largest) count as zero."""
    matrices(A, "linalg.pinv")
    if hermitian:
        square(A, "linalg.pinv")
    return P.pinv(A, *tolerances(A, atol, rcond if rtol is None else rtol), hermitian=hermitian)


@public(autocast="float32")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse; singular values at most rcond times the largest count as zero."""
    return pinv(input, rcond)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@public(namespace="linalg", autocast="float32")
def lstsq(
    input: Tensor, b: Tensor, rcond: float | Tensor | None = None, *, driver: str | None = None
) -> Any:
    """The X that makes input @ X closest to b; residuals, ranks and singular values by driver."""
    name = "torch.linalg.lstsq"
    matrices(input, name)
    same_type(input, b, name)
    if driver not in (None, *_DRIVERS):
        raise refusal.runtime(
            f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss). Got {driver}"
        )
    vector = b.ndim == 1 or (
        b.ndim == input.ndim - 1 and tuple(b.shape) == tuple(input.shape[:-1])
    )  # fmt: skip
    if input.shape[-2] != b.shape[-1 if vector else -2]:
        which = "-1" if vector else "-2"
        raise refusal.runtime(f"{name}: input.size(-2) should match other.size({which})")
    used = driver or "gelsy"
    cut = max(input.shape[-2:]) * eps_of(input.dtype.to_real()) if rcond is None else float(rcond)
    right = b.unsqueeze(-1) if vector else b
    cut = 0.0 if used == "gels" else cut
    x, residuals, rank, values = P.lstsq(input, right, rcond=cut, residuals=used != "gelsy")
    if vector:
        x = x.squeeze(-1)
        if residuals.ndim == right.ndim - 1:
            residuals = residuals.squeeze(-1)
    if used == "gels":
        rank = rank.reshape(-1)[:0]
    if used in ("gels", "gelsy"):
        values = values.reshape(-1)[:0]
    result = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
    return result((x, residuals, rank, values))


# ---- tensors as matrices -------------------------------------------------------------------------


@public(namespace="linalg", autocast="float32")
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A as a map from its last dimensions to its first `ind`."""
    if ind <= 0:
        raise refusal.runtime("Expected a strictly positive integer for 'ind'")
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    rows, columns = math.prod(first), math.prod(last)
    if rows != columns:
        raise refusal.runtime(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows}"
        )
    return inv(A.reshape(rows, columns)).reshape(*last, *first)


@public(namespace="linalg", autocast="float32")
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """X such that tensordot(A, X, X.ndim) is B."""
    if dims is not None:
        moved = [axis_of(d, A.ndim) for d in dims]
        A = A.permute(*(d for d in range(A.ndim) if d not in moved), *moved)
    shape = tuple(A.shape[B.ndim :])
    count = math.prod(shape)
    if math.prod(A.shape[: B.ndim]) != count:
        raise refusal.runtime(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {count} != {math.prod(A.shape[: B.ndim])}"
        )
    return solve(A.reshape(count, count), B.reshape(-1)).reshape(shape)


@public(namespace="linalg", out=False)
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers 0, 1, ..., N - 1 of the elements of x, as a last dimension."""
    x = x if x.ndim else x.reshape(1)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise refusal.runtime(f"N must be greater than 1. Got {count}")
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    ones = P.blank(x.unsqueeze(-1)) + 1
    return P.cat(ones, powers, axis=x.ndim)


@public(method=False, name="vander", out=False)
def vander_of_vector(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of the elements of a vector, the highest first unless `increasing`."""
    if x.ndim != 1:
        raise refusal.runtime(f"x must be a one-dimensional tensor, but it has {x.ndim} dimensions")
    count = x.shape[0] if N is None else N
    if count < 2:  # powers of 0 depend on nothing
        none = P.blank(x.detach().unsqueeze(-1).expand(*x.shape, count)) + 1
        return none.to(dtypes.int64) if x.dtype.category < dtypes.FLOAT else none
    made = vander(x, N=count)
    return made if increasing else made.flip(-1)


@public(namespace="linalg", out=False)
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of two dimensions (the last two by default), as a view."""
    return A.diagonal(offset, dim1, dim2)


@public(autocast="float32")
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if input.ndim != 2:
        raise refusal.runtime(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype.category < dtypes.FLOAT:
        input = input.to(dtypes.int64)
    return P.trace(input)


# ---- cross products ------------------------------------------------------------------------------


@public(namespace="linalg", name="cross")
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three elements along `dim`; other dimensions broadcast."""
    if input.ndim != other.ndim:
        raise refusal.runtime(
            "linalg.cross: inputs must have the same number of dimensions, got "
            f"{input.ndim} and {other.ndim}"
        )
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise refusal.runtime(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[dim]} and "
            f"{other.shape[dim]}"
        )
    shape = tuple(
        max(n, m) if 0 not in (n, m) else 0 for n, m in zip(input.shape, other.shape, strict=True)
    )
    one_scalar_type(input, other, "cross")
    a, b = (x.expand(shape) for x in (input, other))
    return P.cross(a, b, axis=axis_of(dim, len(shape)))


@public()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along `dim`, by default the first dimension of length 3."""
    if dim is None:
        found = [k for k, n in enumerate(input.shape) if n == 3]
        if not found:
            raise refusal.runtime("no dimension of size 3 in input")
        dim = found[0]
    return linalg_cross(input, other, dim=dim)
