"""Matrix products and what is built from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.value import PLAIN
from ...ops.dtypes import INT, bool_, float32, promote_types
from ...ops.products import TYPE_WORDS, ProductError
from ..api import public
from ..legacy import WORDS
from ..scalars import number_for
from ..spellings import UNGIVEN, one_of
from .common import P, TensorBase

if TYPE_CHECKING:
    from ..annotations import DType, Number, Operand, Tensor

_FIX = (
    "the last dimension of the first factor must be as long as the second-last of the second; "
    "look at both .shape and transpose or reshape one"
)


def located(problem: Exception, fix: str = _FIX) -> RuntimeError:
    """A complaint from below with the user's line and what to do."""
    return refusal.runtime(f"{problem}", fix=f"{fix}.")


def _shown(x: Any) -> str:
    return "x".join(map(str, x.shape))


# ---- matmul --------------------------------------------------------------------------------------


@public(aliases=("linalg.matmul",), exact_out=True, autocast="lower")
def matmul(input: Tensor, other: Tensor = UNGIVEN, x2: Tensor = UNGIVEN) -> Tensor:
    """The matrix product: vectors, matrices, or batches of matrices that broadcast.

    >>> import chainrule as torch
    >>> torch.matmul(torch.tensor([[1., 2.]]), torch.tensor([3., 4.]))
    tensor([11.])
    """
    if x2 is not ... or other is ...:
        other = one_of("matmul", "other", other, x2)
    try:
        try:
            if input.__class__ in PLAIN and other.__class__ in PLAIN and input._a.ndim == 2:
                n = other._a.ndim
                if n == 2:
                    return P.mm(input, other)
                if n == 1:
                    return P.mv(input, other)
            return _matmul(input, other)
        except ProductError as problem:
            raise located(problem) from None
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _matmul(input: Any, other: Any) -> Any:
    _check_tensor(other)
    a, b = input.ndim, other.ndim
    if a == 2 and b == 2:
        return P.mm(input, other)
    if a >= 2 and b >= 2:
        return P.matmul(input, other)
    if a == 0 or b == 0:
        raise ProductError(
            f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"
        )
    if a == 1 and b == 1:
        return dot(input, other)
    if b == 1:
        if a == 2:
            return P.mv(input, other)
        product = P.matmul(input, other.unsqueeze(1))
        return P.unsafe_view(product, shape=tuple(product.shape[:-1]))
    product = (P.mm if b == 2 else P.matmul)(input.unsqueeze(0), other)
    return P.unsafe_view(product, shape=(*product.shape[:-2], product.shape[-1]))


def _check_tensor(other: Any) -> None:
    if not isinstance(other, TensorBase):
        raise refusal.wrong_type(
            f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}",
            fix="convert it with torch.as_tensor(...) first.",
        )


def operator_matmul(self: Tensor, other: Tensor) -> Tensor:
    """self @ other; NumPy's arrays are taken too."""
    if (
        other.__class__ not in PLAIN  # which is asked faster
        and not isinstance(other, TensorBase)
        and hasattr(other, "__array_interface__")
    ):
        from ..interop import from_numpy_quietly
        from ..shown_memory import array_shown_by

        other = from_numpy_quietly(array_shown_by(other))
    return matmul(self, other)


def reflected_matmul(self: Tensor, other: Operand) -> Tensor:
    """other @ self for an `other` that is no tensor."""
    return matmul(other if isinstance(other, TensorBase) else self.new_tensor(other), self)


@public(exact_out=True, autocast="lower")
def mm(input: Tensor, mat2: Tensor, out_dtype: DType | None = None) -> Tensor:
    """The product of two matrices."""
    try:
        _expect_matrix(input, "self")
        _expect_matrix(mat2, "mat2")
        try:
            return _with_type(P.mm, input, mat2, out_dtype)
        except ProductError as problem:
            raise located(problem) from None
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _with_type(multiply: Callable[..., Any], a: Any, b: Any, dtype: Any) -> Any:
    return multiply(a, b) if dtype is None else multiply(a.to(dtype), b.to(dtype))


def _expect_matrix(x: Any, name: str) -> None:
    if x.ndim != 2:
        raise refusal.runtime(
            f"{name} must be a matrix, but it is {x.ndim}D with shape {list(x.shape)}",
            fix="use torch.matmul for vectors and batches.",
        )


@public(exact_out=True, autocast="lower")
def bmm(input: Tensor, mat2: Tensor, out_dtype: DType | None = None) -> Tensor:
    """The products of two batches of matrices of equal length."""
    try:
        check_batches(input, mat2)
        try:
            return _with_type(P.bmm, input, mat2, out_dtype)
        except ProductError as problem:
            raise located(problem) from None
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def check_batches(a: Any, b: Any) -> None:
    """Both 3-D, of equal length, with fitting matrices."""
    for name, x in (("batch1", a), ("batch2", b)):
        if x.ndim != 3:
            raise refusal.runtime(
                f"{name} must be a 3D tensor, but its shape is {list(x.shape)}",
                fix="use torch.matmul, whose leading dimensions broadcast.",
            )
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise refusal.runtime(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{a.shape[0]}, {a.shape[2]}] but got: [{b.shape[0]}, {b.shape[1]}].",
            fix=f"the batches are {_shown(a)} and {_shown(b)}.",
        )


@public(exact_out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    try:
        return P.mv(input, vec)
    except ProductError as problem:
        fix = "the vector needs one element per column of the matrix, and one type"
        raise located(problem, fix) from None


def _same_types(name: str, call: Callable[..., Any], a: Any, b: Any, *rest: Any) -> Any:
    if any(x.dtype is not a.dtype for x in (b, *rest)):
        fix = "convert them to one type with .to(dtype)"
        raise refusal.runtime(
            _different_types(name, [x.dtype.name for x in (a, b, *rest)]), fix=f"{fix}."
        )
    return call(a, b, *rest)


def _different_types(name: str, types: list[str]) -> str:
    """What PyTorch says of factors of different types, which each product puts its own way."""
    words = [WORDS[t] for t in types]
    if name in ("addmm", "addbmm"):
        which, k = ("mat1", 1) if types[0] == types[2] else ("self", 0)
        return f"{which} and mat2 must have the same dtype, but got {words[k]} and {words[2]}"
    if name == "baddbmm":
        c, first, second = (TYPE_WORDS[t] for t in types)
        return f"Input dtypes must be the same, got: input {c}, batch1: {first}, batch2: {second}"
    if name == "addmv":
        listed = f"{words[0]}, {words[1]}, and {words[2]}"
        return f"addmv input tensors must have the same dtype, but got {listed}"
    return f"{name} : expected both vectors to have same dtype, but found {' and '.join(words)}"


@public(exact_out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors' elements."""
    _check_vectors(input, tensor)
    return _same_types("dot", P.dot, input, tensor)


@public(exact_out=True)
def vdot(input: Tensor, other: Operand) -> Tensor:
    """The sum of the products of conj(input) and other, for vectors."""
    _check_vectors(input, other)
    return _same_types("vdot", P.vdot, input, other)


def _check_vectors(a: Any, b: Any) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise refusal.runtime(
            f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors",
            fix="use torch.matmul, or (a * b).sum().",
        )
    if a.shape != b.shape:
        n, m = a.shape[0], b.shape[0]
        raise refusal.runtime(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same "
            f"number of elements, but got {n} and {m} elements respectively",
        )


# ---- products added to something -----------------------------------------------------------------


def _scalars(name: str, input: Any, beta: Any, alpha: Any) -> None:
    """addr refuses what the others cut to whole numbers."""
    if input.dtype.category <= INT:
        for which, value in (("beta", beta), ("alpha", alpha)):
            if isinstance(value, float):
                raise refusal.runtime(
                    f"For integral input tensors, argument {which} must not be a floating point "
                    f"number. {name} got {which}={value}",
                )


def _factors(dtype: Any, *factors: Any) -> Any:
    """beta and alpha as numbers that the type holds: cut to whole ones for integers, refused where
    they are too large."""
    return tuple(f if f.__class__ is int and f == 1 else _factor(dtype, f) for f in factors)


def _factor(dtype: Any, factor: Any) -> Any:
    if isinstance(factor, TensorBase):
        if factor.ndim or factor._rg:
            raise refusal.wrong_type(
                "received an invalid combination of arguments: beta and alpha are numbers, or "
                f"tensors of one that require no gradient, not a tensor {list(factor.shape)}",
                fix="multiply the operands by it.",
            )
        factor = factor.item()  # type: ignore[attr-defined]
    return factor if dtype is bool_ else number_for(factor, dtype)


def _wide_of(input: Any) -> Any:
    """The type that holds the factors of products of matrices: half precision is computed wide."""
    return float32 if input.dtype.itemsize == 2 and input.is_floating_point() else input.dtype


def _check_expands(input: Any, shape: tuple[int, ...]) -> None:
    have = tuple(input.shape)
    if len(have) <= len(shape):
        pairs = zip(reversed(have), reversed(shape), range(len(shape) - 1, -1, -1), strict=False)
        bad = [(n, m, k) for n, m, k in pairs if n not in (1, m)]
        if not bad:
            return
        n, m, k = bad[0]
    else:
        n, m, k = have[0], 1, 0
    raise refusal.runtime(
        f"The expanded size of the tensor ({m}) must match the existing size ({n}) at "
        f"non-singleton dimension {k}.  Target sizes: {list(shape)}.  Tensor sizes: {list(have)}",
    )


def _fits(c: Any, a: Any, b: Any) -> bool:
    """Whether plain tensors can go to addmm without a closer look: the usual call, made fast."""
    if c.__class__ not in PLAIN or a.__class__ not in PLAIN or b.__class__ not in PLAIN:
        return False
    c, a, b = c._a, a._a, b._a
    if a.ndim != 2 or b.ndim != 2 or not a.dtype is b.dtype is c.dtype or a.dtype.kind not in "fc":
        return False
    (rows, inner), (other, columns) = a.shape, b.shape
    return inner == other and c.shape in ((columns,), (rows, columns))


@public(inplace=True, exact_out=True, autocast="lower")
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    try:
        if _fits(input, mat1, mat2):
            if beta.__class__ is not int or alpha.__class__ is not int:
                beta, alpha = _factors(_wide_of(input), beta, alpha)
            return P.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
        _expect_matrix(mat1, "mat1")
        _expect_matrix(mat2, "mat2")
        beta, alpha = _factors(_wide_of(input), beta, alpha)
        if mat1.shape[1] != mat2.shape[0]:
            raise refusal.runtime(
                f"mat1 and mat2 shapes cannot be multiplied ({_shown(mat1)} and {_shown(mat2)})",
                fix=f"{_FIX}.",
            )
        _check_expands(input, (mat1.shape[0], mat2.shape[1]))
        return _same_types(
            "addmm", lambda *x: P.addmm(*x, beta=beta, alpha=alpha), input, mat1, mat2
        )
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(inplace=True, exact_out=True)
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise refusal.runtime(
            f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}"
        )
    if mat.shape[1] != vec.shape[0] or (input.ndim and input.shape[0] not in (1, mat.shape[0])):
        size = input.shape[0] if input.ndim else 1
        raise refusal.runtime(
            f"size mismatch, got input ({size}), mat ({_shown(mat)}), vec ({vec.shape[0]})"
        )
    beta, alpha = _factors(input.dtype, beta, alpha)
    return _same_types("addmv", lambda *x: P.addmv(*x, beta=beta, alpha=alpha), input, mat, vec)


@public(inplace=True, exact_out=True, autocast="lower")
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha times the sum of the products of matrix pairs."""
    for name, x in (("batch1", batch1), ("batch2", batch2)):
        if x.ndim != 3:
            raise refusal.runtime(f"{name} must be a 3D tensor, but its shape is {list(x.shape)}")
    if batch1.shape[0] != batch2.shape[0]:
        raise refusal.runtime(
            "batch1 and batch2 must have same number of batches, got "
            f"{batch1.shape[0]} and {batch2.shape[0]}"
        )
    if batch1.shape[2] != batch2.shape[1]:
        raise refusal.runtime(
            f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} and "
            f"{batch2.shape[1]}x{batch2.shape[2]})"
        )
    _check_expands(input, (batch1.shape[1], batch2.shape[2]))
    beta, alpha = _factors(_wide_of(input), beta, alpha)
    call = lambda *x: P.addbmm(*x, beta=beta, alpha=alpha)  # noqa: E731 - one line, used once
    return _same_types("addbmm", call, input, batch1, batch2)


@public(inplace=True, exact_out=True, autocast="lower")
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2) for batches of matrices."""
    check_batches(batch1, batch2)
    _check_expands(input, (*batch1.shape[:2], batch2.shape[2]))
    beta, alpha = _factors(_wide_of(input), beta, alpha)
    call = lambda *x: P.baddbmm(*x, beta=beta, alpha=alpha)  # noqa: E731 - one line, used once
    return _same_types("baddbmm", call, input, batch1, batch2)


@public(inplace=True)
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha times the outer product of two vectors."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise refusal.runtime(
            f"addr: Expected 1-D argument vec{1 if vec1.ndim != 1 else 2}, but got shapes "
            f"{list(vec1.shape)} and {list(vec2.shape)}"
        )
    _check_expands(input, (vec1.shape[0], vec2.shape[0]))
    _scalars("addr", input, beta, alpha)
    common = functools.reduce(promote_types, (x.dtype for x in (input, vec1, vec2)))
    given = (x.to(common) for x in (input, vec1, vec2))
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and common is not bool_:
            raise refusal.runtime(f"Boolean {name} only supported for Boolean results.")
    if common is bool_:  # a sum is "or", a product "and"
        beta, alpha = bool(beta), bool(alpha)
    else:
        beta, alpha = _factors(common, beta, alpha)
    return P.addr(*given, beta=beta, alpha=alpha).to(common)


# ---- chains of matrices --------------------------------------------------------------------------


@public(namespace="linalg", exact_out=True, autocast="lower")
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise refusal.runtime(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for k, t in enumerate(tensors):
        ends = k in (0, len(tensors) - 1)
        if t.ndim != 2 and not (ends and t.ndim == 1):
            which = "first" if k == 0 else "last" if ends else str(k)
            sizes = "1D or 2D" if ends else "2D"
            raise refusal.runtime(f"multi_dot(): {which} tensor must be {sizes} but got {t.ndim}D")
    row_first, column_last = tensors[0].ndim == 1, tensors[-1].ndim == 1
    matrices = list(tensors)
    if row_first:
        matrices[0] = matrices[0].unsqueeze(0)
    if column_last:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    for k in range(len(matrices) - 1):
        if matrices[k].shape[1] != matrices[k + 1].shape[0]:
            raise refusal.runtime(
                f"multi_dot(): tensors {k} and {k + 1} with shapes {list(tensors[k].shape)} and "
                f"{list(tensors[k + 1].shape)} cannot be multiplied"
            )
    result = _chain(matrices)
    shape = [n for n, drop in zip(result.shape, (row_first, column_last), strict=True) if not drop]
    return result.reshape(shape)


def _chain(matrices: list[Any]) -> Any:
    """Multiply along the cheapest bracketing (dynamic programming over sub-chains)."""
    sizes = [matrices[0].shape[0], *(m.shape[1] for m in matrices)]
    count = len(matrices)
    cost = [[0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                ((cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                 for k in (range(i, j) if count != 3 else range(j - 1, i - 1, -1))),
                key=lambda found: found[0],  # of equal ones the first; of three, (a b) c
            )  # fmt: skip

    def multiply(i: int, j: int) -> Any:
        if i == j:
            return matrices[i]
        k = split[i][j]
        return mm(multiply(i, k), multiply(k + 1, j))

    return multiply(0, count - 1)


@public(method=False, exact_out=True, autocast="lower")
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices; `linalg.multi_dot` is its newer form."""
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices)
