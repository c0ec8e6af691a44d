"""Samples of decompositions, solvers, determinants and norms.

Vectors of decompositions are known up to a sign or phase: their magnitudes or products are
compared. Functions of symmetric matrices get `a @ a.mH`, so that every direction is a valid one.
"""

import numpy as np

from ..sample import Sample, cplx, matrix, normal, spd

INF = float("inf")
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def cmatrix(*shape: int, seed: int = 0) -> np.ndarray:
    """A well-conditioned complex matrix (or batch)."""
    u, _, vh = np.linalg.svd(cplx(*shape, seed=seed), full_matrices=False)
    return np.asarray((u * np.linspace(1.0, 3.0, min(shape[-2:]))) @ vh)


def some(*shapes: tuple[int, ...], **kwargs) -> list[Sample]:
    """Real and complex matrices of these shapes, and one in which all are empty."""
    made = [Sample(matrix(*s), **kwargs) for s in shapes]
    return [*made, Sample(cmatrix(*shapes[0]), **kwargs)]


def squares(**kwargs) -> list[Sample]:
    """Square matrices: one, a batch, complex, of size 0."""
    return [*some((3, 3), (2, 2, 2), **kwargs), Sample(np.zeros((0, 0)), **kwargs)]


def definite(a):
    """A positive-definite matrix made of any."""
    return (a @ a.mH + a.mH @ a,)


def hermitian(a):
    """A Hermitian matrix made of any."""
    return (a + a.mH,)


def positive(**kwargs) -> list[Sample]:
    """Positive-definite matrices."""
    return [s.prepared(definite) for s in some((3, 3), (2, 2, 2), **kwargs)]


def magnitudes(result):
    """The magnitudes of all results."""
    return tuple(x.abs() for x in result)


def systems(**kwargs) -> list[Sample]:
    """Right-hand sides with columns, vectors, batches, complex numbers."""
    return [Sample(matrix(3, 3), normal(3, 2), **kwargs),
            Sample(matrix(2, 3, 3), normal(3, 2), **kwargs),
            Sample(cmatrix(3, 3), cplx(3, 2), **kwargs)]  # fmt: skip


def triangular() -> list[Sample]:
    """Every side, triangle and kind of diagonal."""
    a, b, c = matrix(3, 3) + 2 * np.eye(3), normal(3, 2), normal(2, 3)
    made = [
        Sample(a, b if left else c, upper=upper, left=left, unitriangular=unit)
        for upper in (True, False) for left in (True, False) for unit in (False, True)
    ]  # fmt: skip
    return [*made, Sample(cmatrix(2, 2), cplx(3, 2, 2), upper=True)]


def eigen() -> list[Sample]:
    """Hermitian matrices with distinct eigenvalues."""
    return [Sample(spd(3)).prepared(hermitian), Sample(spd(2, 2)).prepared(hermitian),
            Sample(cmatrix(3, 3)).prepared(definite)]  # fmt: skip


def rebuilt(result):
    """A function of a Hermitian matrix from its eigenvalues and eigenvectors."""
    values, vectors = result
    return (vectors * (values**3).unsqueeze(-2)) @ vectors.mH


def cube(result):
    """A function of a square matrix from its eigenvalues and eigenvectors."""
    values, vectors = result
    return ((vectors * (values**3).unsqueeze(-2)) @ vectors.inverse()).abs()


def product(result):
    """A matrix from its singular values and vectors, the values squared."""
    u, s, vh = result
    k = s.shape[-1]
    return (u[..., :k] * (s * s).unsqueeze(-2)) @ vh[..., :k, :]


def factored(a):
    """The factors of a matrix that lu_solve takes."""
    return a.tril(-1) + a.triu()


PIVOTS = np.array([2, 3, 3], np.int32)
SHAPES = ((4, 3), (3, 3), (2, 3, 4))
ZERO_BY_LU = "PyTorch's LU of a singular matrix gives zero for the cofactors"
NOT_NARROW = "half precision has no decompositions; other types differ in sign"

NORMS = [Sample(normal(3, 4), order) for order in (2, 1, 3.5, INF, -INF, 0, 0.5, -1)]

_DRAWS = "it draws random numbers, which every example would share"


def _product(parts):
    left, values, right = parts
    return (left * values.unsqueeze(-2)) @ right.mH


def cubed(result):
    """A function of the eigenpairs that does not depend on the vectors' signs."""
    return result[0], rebuilt(result)


def extreme() -> list[Sample]:
    """Matrices that are three times as large as what is wanted: the second step is exact."""
    found = [
        Sample(spd(6), k=2), Sample(spd(6), k=2, largest=False), Sample(spd(3, 2), k=1),
        Sample(spd(3), k=1, method="basic"),
    ]  # fmt: skip
    return [
        sample.prepared(hermitian).through(cubed)
        .without("batch", because=_DRAWS).without("dtypes", because=NOT_NARROW)
        for sample in found
    ]  # fmt: skip


SAMPLES = {
    "lobpcg": extreme(),
    "svd_lowrank": [
        # With as many columns as the matrix has, the product of the parts is the matrix.
        Sample(normal(4, 3), q=3).through(_product).without("batch", because=_DRAWS),
        Sample(normal(2, 3, 4), q=3, niter=1).through(_product).without("batch", because=_DRAWS),
        Sample(normal(4, 3), q=3, M=normal(1, 3)).through(_product).without(
            "batch", because=_DRAWS
        ),
    ],
    "pca_lowrank": [
        Sample(normal(4, 3), q=3).through(_product).without("batch", because=_DRAWS),
        Sample(normal(4, 3), q=3, center=False).through(_product).without("batch", because=_DRAWS),
    ],
    "linalg.cholesky": [*positive(), Sample(spd(3), upper=True).prepared(hermitian),
                        Sample(np.zeros((0, 3, 3)))],
    "linalg.cholesky_ex": positive(),
    "cholesky": [s.without("vjp", "mask", "second", because="checked as linalg.cholesky")
                 for s in positive()],
    "cholesky_inverse": [Sample(np.linalg.cholesky(spd(3))).prepared(lambda a: (a.tril(),))
                         .dtypes("float32"),
                         Sample(np.linalg.cholesky(spd(2)).T.copy(), upper=True).prepared(
                             lambda a: (a.triu(),)).dtypes("float32")],
    "cholesky_solve": [Sample(normal(3, 2), np.linalg.cholesky(spd(3))).prepared(
                           lambda b, a: (b, a.tril())),
                       Sample(normal(2, 2, 1), np.linalg.cholesky(spd(2)).T.copy(), True).prepared(
                           lambda b, a, upper: (b, a.triu(), upper))],
    "linalg.inv": squares(),
    "linalg.inv_ex": squares(),
    "inverse": squares(),
    "linalg.det": [*squares(), *(Sample(a).without("recorded_gradient", because=ZERO_BY_LU)
                                 for a in (SINGULAR, np.diag([1.0, 2.0, 0.0]))),
                   Sample(normal(1, 1))],
    "det": squares(),
    "linalg.slogdet": squares(),
    "logdet": [*positive()[:2], Sample(cmatrix(3, 3))],
    "linalg.solve": [*systems(), Sample(matrix(3, 3), normal(3)),
                     Sample(matrix(3, 3), normal(2, 3), left=False),
                     Sample(matrix(2, 3, 3), normal(2, 3))],
    "linalg.solve_ex": systems(),
    "linalg.solve_triangular": triangular(),
    "triangular_solve": [Sample(normal(3, 2), matrix(3, 3) + np.eye(3)),
                         Sample(normal(3, 2), matrix(3, 3) + np.eye(3), False, True)],
    "linalg.qr": [*some(*SHAPES), Sample(matrix(3, 4), mode="complete"),
                  Sample(matrix(4, 3), mode="complete").without(
                      "vjp", "mask", "jvp", "second", because="Q has arbitrary columns")],
    "qr": some((4, 3)),
    "geqrf": some((4, 3)),
    "linalg.householder_product": [Sample(normal(4, 3), normal(3)), Sample(normal(4, 3), normal(2)),
                                   Sample(cplx(2, 4, 2), cplx(2, 2))],
    "orgqr": [Sample(normal(4, 3), normal(3))],
    "ormqr": [Sample(normal(4, 3), normal(3), normal(4, 2)),
              Sample(normal(4, 3), normal(3), normal(2, 4), False, True),
              Sample(cplx(4, 2), cplx(2), cplx(4, 2), True, True)],
    "linalg.lu": some(*SHAPES),
    "linalg.lu_factor": some(*SHAPES),
    "linalg.lu_factor_ex": some(*SHAPES),
    "lu": some((3, 3)),
    "lu_unpack": [Sample(normal(3, 3), PIVOTS), Sample(normal(4, 3), PIVOTS),
                  Sample(normal(3, 3), PIVOTS, unpack_data=False).without(
                      "vjp", "mask", because="only the permutation is asked for")],
    "linalg.lu_solve": [Sample(matrix(3, 3) + np.eye(3), PIVOTS, b, left=left, adjoint=adjoint)
                        for left, b in ((True, normal(3, 2)), (False, normal(2, 3)))
                        for adjoint in (False, True)]
    + [Sample(cmatrix(3, 3), PIVOTS, cplx(3, 2), adjoint=True)],
    "lu_solve": [Sample(normal(3, 2), matrix(3, 3) + np.eye(3), PIVOTS)],
    "linalg.ldl_factor": [Sample(spd(3)).without("dtypes", because=NOT_NARROW)],
    "linalg.ldl_factor_ex": [Sample(spd(3, 2))],
    "linalg.ldl_solve": [Sample(spd(3), normal(3, 2)).prepared(
        lambda a, b: (a, a.new_tensor([1, 2, 3]).int(), b)).without(
            "vjp", "mask", because="not differentiable")],
    "linalg.eigh": [s.through(rebuilt) for s in eigen()]
    + [Sample(spd(3), UPLO="U").prepared(hermitian).through(magnitudes)],
    "linalg.eigvalsh": eigen(),
    "linalg.eig": [s.through(cube) for s in some((3, 3), (2, 2, 2))]
    + [Sample(cmatrix(3, 3)).through(lambda r: r[1].abs())],
    "linalg.eigvals": [s.through(lambda r: r.abs().sum(-1)) for s in some((3, 3), (2, 2, 2))],
    "linalg.svd": [s.through(product) for s in some(*SHAPES)]
    + [s.through(magnitudes) for s in some((4, 3), (2, 4), full_matrices=False)],
    "linalg.svdvals": some(*SHAPES),
    "svd": [s.through(magnitudes) for s in some((4, 3))],
    "linalg.pinv": [*some(*SHAPES), Sample(spd(3), hermitian=True).prepared(hermitian)],
    "pinverse": some((4, 3)),
    "linalg.lstsq": [Sample(matrix(5, 3), normal(5, 2)), Sample(matrix(5, 3), normal(5)),
                     Sample(matrix(3, 5), normal(3, 2)), Sample(cmatrix(4, 2), cplx(4, 1)),
                     Sample(matrix(2, 4, 3), normal(2, 4, 2), driver="gelsd"),
                     Sample(matrix(4, 3), normal(4, 2), driver="gels")],
    # PyTorch's exponential in half precision has one digit.
    "linalg.matrix_exp": [s.dtypes("float32", "complex64") for s in squares()]
    + [Sample(normal(3, 3))],
    "matrix_exp": [s.dtypes("float32", "complex64") for s in some((3, 3))],
    "linalg.matrix_rank": [Sample(matrix(4, 3)), Sample(SINGULAR), Sample(SINGULAR, hermitian=True),
                           Sample(np.diag([1.0, 2.0, 4.0]), atol=3.0), Sample(matrix(2, 3, 3))],
    "linalg.cond": [*some((3, 3), (4, 3)), Sample(matrix(3, 3), -2), Sample(matrix(3, 3), "nuc"),
                    Sample(matrix(3, 3), INF).without(
                        "vjp", because="PyTorch overwrites what its own gradient needs")],
    "linalg.tensorinv": [Sample(normal(4, 2, 2), ind=1), Sample(normal(2, 2, 4), ind=2)],
    "linalg.tensorsolve": [Sample(normal(2, 3, 6), normal(2, 3)),
                           Sample(normal(2, 4, 2), normal(2, 2), dims=(1,))],
    "linalg.vander": [Sample(normal(3)), Sample(normal(2, 3), N=4), Sample(cplx(3))],
    "linalg.diagonal": [Sample(normal(3, 4)), Sample(normal(2, 3, 3), offset=1),
                        Sample(cplx(3, 3), offset=-1)],
    "linalg.vector_norm": [*NORMS, Sample(normal(3, 4), dim=1, keepdim=True), Sample(cplx(3, 2)),
                           Sample(np.zeros(3)).kink()],
    "linalg.matrix_norm": [Sample(normal(3, 4), order)
                           for order in ("fro", "nuc", 1, -1, 2, -2, INF, -INF)]
    + [Sample(normal(2, 3, 4), 1, dim=(0, 2), keepdim=True), Sample(cmatrix(3, 2), "nuc"),
       Sample(normal(2, 3, 4), 2, dim=(2, 0), keepdim=True)],
    "linalg.norm": [Sample(normal(2, 3, 4)), Sample(normal(3, 4), "nuc"), Sample(normal(3, 4), 1),
                    Sample(normal(4), 3), Sample(normal(3, 4), 2, dim=1),
                    Sample(cplx(3, 2), "fro", dim=(0, 1), keepdim=True)],
}  # fmt: skip

ERRORS = {
    "linalg.cholesky": [
        (Sample(-np.eye(2)), RuntimeError,
         "linalg.cholesky: The factorization could not be completed because the input is not "
         "positive-definite (the leading minor of order 1 is not positive-definite)."),
        (Sample(np.stack([np.eye(2), -np.eye(2)])), RuntimeError, "(Batch element 1)"),
        (Sample(normal(3, 4)), RuntimeError,
         "linalg.cholesky: A must be batches of square matrices, but they are 3 by 4 matrices"),
        (Sample(normal(3)), RuntimeError, "The input tensor A must have at least 2 dimensions."),
        (Sample(np.eye(2, dtype=int)), RuntimeError,
         "Expected a floating point or complex tensor as input. Got Long"),
        (Sample(np.eye(2, dtype="float16")), NotImplementedError,
         "\"cholesky_cpu\" not implemented for 'Half'"),
    ],
    "linalg.inv": [
        (Sample(SINGULAR), RuntimeError,
         "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because "
         "the input matrix is singular."),
        (Sample(np.zeros((2, 3, 3))), RuntimeError,
         "linalg.inv: (Batch element 0): The diagonal element 1 is zero"),
    ],
    "linalg.solve": [
        (Sample(SINGULAR, SINGULAR), RuntimeError,
         "torch.linalg.solve: The solver failed because the input matrix is singular."),
        (Sample(normal(3, 3), normal(4, 3)), RuntimeError,
         "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 4x3)"),
    ],
    "linalg.lu_factor": [(Sample(SINGULAR), RuntimeError,
                          "torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve"),
                         (Sample(normal(2, 2), pivot=False), RuntimeError,
                          "LU without pivoting is not implemented on the CPU")],
    "linalg.svd": [(Sample(np.full((2, 2), np.nan)), RuntimeError,
                    "linalg.svd: The algorithm failed to converge because the input matrix "
                    "contained non-finite values")],
    "linalg.eigh": [(Sample(normal(3, 3), UPLO="X"), RuntimeError,
                     "Expected UPLO argument to be 'L' or 'U', but got X")],
    "linalg.qr": [(Sample(normal(3, 3), mode="bad"), RuntimeError,
                   "qr received unrecognized mode 'bad'")],
    "linalg.matrix_norm": [(Sample(normal(3, 3), 3), RuntimeError,
                            "linalg.matrix_norm: Order 3 not supported."),
                           (Sample(normal(3, 3), dim=(0, 0)), RuntimeError,
                            "linalg.matrix_norm: dims must be different. Got (0, 0)")],
    "linalg.vector_norm": [(Sample(np.arange(3)), RuntimeError,
                            "linalg.vector_norm: Expected a floating point or complex tensor")],
    "linalg.lstsq": [(Sample(normal(4, 3), normal(3)), RuntimeError,
                      "torch.linalg.lstsq: input.size(-2) should match other.size(-1)")],
}  # fmt: skip
