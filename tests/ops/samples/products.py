"""Samples of matrix products and what is built from them."""

import numpy as np

from ..sample import Sample, cplx, ints, matrix, normal


def pair(first: tuple[int, ...], second: tuple[int, ...], **kwargs) -> Sample:
    """Two factors with different values."""
    return Sample(normal(*first, seed=1), normal(*second, seed=2), **kwargs)


def complex_pair(first: tuple[int, ...], second: tuple[int, ...]) -> Sample:
    """Two complex factors with different values."""
    return Sample(cplx(*first, seed=1), cplx(*second, seed=2))


def added(shape: tuple[int, ...], first: tuple[int, ...], second: tuple[int, ...]) -> list[Sample]:
    """A product added to something: plain, scaled, complex, and with a beta that ignores it."""
    c, a, b = normal(*shape, seed=1), normal(*first, seed=2), normal(*second, seed=3)
    return [
        Sample(c, a, b),
        Sample(c, a, b, beta=0.5, alpha=-2.0).dtypes("float32", "bfloat16", "complex64"),
        Sample(cplx(*shape), cplx(*first), cplx(*second), beta=1 + 2j, alpha=0.5j).dtypes(),
    ]


EINSUM = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "bij,bjk->bik": ((2, 3, 2), (2, 2, 4)),
    "ij->ji": ((2, 3),),
    "ii->i": ((3, 3),),
    "ij->": ((3, 2),),
    "i,j->ij": ((3,), (4,)),
    "...ij,...jk->...ik": ((3, 2, 2), (1, 2, 2)),
    "bqhd,bkhd->bhqk": ((2, 3, 2, 4), (2, 5, 2, 4)),
    "ij,jk": ((2, 1), (4, 3)),
    "i,ij,j->": ((2,), (2, 3), (3,)),
    "ab,bc,cd->ad": ((2, 3), (3, 4), (4, 2)),
    "iij->j": ((3, 3, 2),),
    "ij,ij->i": ((2, 3), (2, 3)),
}

SAMPLES = {
    "mm": [pair((2, 3), (3, 4)), complex_pair((2, 3), (3, 2)),
           pair((2, 0), (0, 3)).dtypes("float32"), Sample(ints(2, 3), ints(3, 2, seed=1))],
    "bmm": [pair((2, 2, 3), (2, 3, 4)), complex_pair((2, 1, 3), (2, 3, 2))],
    "matmul": [pair((2, 3), (3, 4)), pair((3,), (3,)), pair((2, 3), (3,)), pair((3,), (3, 4)),
               pair((2, 3, 4), (4, 5)), pair((2, 3, 4), (2, 4, 5)), pair((3, 4), (2, 4, 5)),
               pair((2, 1, 3, 4), (3, 4, 2)), pair((2, 3, 4), (4,)), pair((4,), (2, 4, 3)),
               complex_pair((2, 2, 3), (3, 2))],
    "linalg.matmul": [pair((2, 3), (3, 4))],
    "__rmatmul__": [pair((3, 4), (2, 3))],
    "mv": [pair((2, 3), (3,)), complex_pair((2, 3), (3,))],
    "dot": [pair((4,), (4,)), complex_pair((3,), (3,)), Sample(ints(3), ints(3, seed=1))],
    "vdot": [pair((4,), (4,)), complex_pair((3,), (3,))],
    "outer": [pair((2,), (3,)), complex_pair((2,), (3,))],
    "ger": [pair((2,), (3,))],
    "inner": [pair((3,), (3,)), pair((2, 3), (4, 3)), pair((), (2, 3)), complex_pair((3,), (2, 3))],
    "addmm": [*added((2, 4), (2, 3), (3, 4)), *added((4,), (2, 3), (3, 4))[:1],
              *added((2, 1), (2, 3), (3, 4))[:2],
              Sample(np.full((2, 2), np.nan), normal(2, 3), normal(3, 2), beta=0).without(
                  "vjp", "mask", "jvp", "second", because="the ignored input is NaN")],
    "addmv": [*added((2,), (2, 3), (3,)), *added((1,), (2, 3), (3,))[:1]],
    "addr": [*added((2, 3), (2,), (3,)), *added((3,), (2,), (3,))[:1]],
    "addbmm": [*added((2, 4), (5, 2, 3), (5, 3, 4)),
               *(s.without("inplace", because="the result does not fit into the first input")
                 for s in added((4,), (5, 2, 3), (5, 3, 4))[:1])],
    "baddbmm": [*added((5, 2, 4), (5, 2, 3), (5, 3, 4)), *added((2, 4), (5, 2, 3), (5, 3, 4))[:1]],
    "einsum": [Sample(equation, *(normal(*s, seed=k) for k, s in enumerate(shapes)))
               for equation, shapes in EINSUM.items()]
    + [Sample("bij,bjk->bik", cplx(2, 2, 3), cplx(2, 3, 2)),
       Sample(normal(2, 3), [0, 1], normal(3, 4), [1, 2], [0, 2])],
    "tensordot": [pair((2, 3), (3, 4), dims=1), pair((2, 3), (2, 3)),
                  pair((2, 3, 4), (3, 5, 2), dims=([1, 0], [0, 2])), pair((2,), (3,), dims=0)],
    "kron": [pair((2, 3), (4, 1)), pair((3,), (2, 2)), pair((), (2,))],
    "linalg.vecdot": [pair((3, 2), (3, 2)), complex_pair((2, 3), (2, 1)),
                      pair((3, 2), (3, 2), dim=0)],
    "linalg.multi_dot": [Sample([normal(2, 3), normal(3, 4), normal(4, 2)]),
                         Sample([normal(3), normal(3, 4), normal(4)]),
                         Sample([normal(5, 3), normal(3, 4), normal(4, 2), normal(2, 6)])],
    "cross": [pair((2, 3), (2, 3), dim=1), pair((3, 2), (3, 2)), complex_pair((3,), (3,))],
    "linalg.cross": [pair((2, 3), (2, 3)), pair((2, 1, 3), (1, 4, 3)), pair((3, 2), (3, 2), dim=0)],
    "trace": [Sample(normal(3, 4)), Sample(cplx(2, 2)), Sample(ints(2, 2))],
    "cdist": [pair((3, 4), (5, 4)), pair((2, 3, 4), (5, 4), p=1.0), pair((3, 4), (2, 4), p=3.0),
              pair((3, 4), (2, 4), p=float("inf")), pair((3, 4), (2, 4), p=1.5),
              pair((3, 4), (2, 4), compute_mode="use_mm_for_euclid_dist"), pair((27, 2), (3, 2)),
              Sample(normal(3, 2), normal(3, 2)).without(
                  "vjp", "mask", because="equal rows have no derivative")],
    "linalg.matrix_power": [Sample(matrix(3, 3), n) for n in (3, 1, 0, -2)]
    + [Sample(cplx(2, 2, 2), 2)],
    "matrix_power": [Sample(matrix(3, 3), 2)],
}  # fmt: skip

ERRORS = {
    "mm": [
        (pair((2, 3), (4, 5)), RuntimeError,
         "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        (pair((2, 3, 4), (4, 5)), RuntimeError, "self must be a matrix"),
        (Sample(normal(2, 2), normal(2, 2).astype("float32")), RuntimeError,
         "expected m1 and m2 to have the same dtype, but got: double != float"),
        (Sample(np.ones((2, 2), bool), np.ones((2, 2), bool)), NotImplementedError,
         "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
    ],
    "matmul": [
        (pair((2, 3), (4, 5)), RuntimeError,
         "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        (pair((2, 3, 4), (2, 3, 5)), RuntimeError,
         "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3]."),
        (pair((2, 3, 4), (3, 4, 5)), RuntimeError,
         "The size of tensor a (2) must match the size of tensor b (3) at non-singleton"),
        (pair((), (3,)), RuntimeError, "both arguments to matmul need to be at least 1D"),
        (pair((2, 3), (4,)), RuntimeError, "size mismatch, got input (2), mat (2x3), vec (4)"),
    ],
    "bmm": [(pair((2, 2, 3), (3, 3, 2)), RuntimeError, "Expected size for first two dimensions"),
            (pair((2, 3), (2, 3, 2)), RuntimeError, "batch1 must be a 3D tensor")],
    "dot": [(pair((3,), (4,)), RuntimeError,
             "inconsistent tensor size, expected tensor [3] and src [4] to have the same number"),
            (pair((3, 2), (4,)), RuntimeError, "1D tensors expected, but got 2D and 1D tensors")],
    "mv": [(pair((2, 3), (4,)), RuntimeError, "size mismatch, got input (2), mat (2x3), vec (4)")],
    "addmm": [(Sample(normal(2, 5), normal(2, 3), normal(3, 4)), RuntimeError,
               "The expanded size of the tensor (4) must match the existing size (5)")],
    "outer": [(pair((2, 2), (3,)), RuntimeError, "outer: Expected 1-D argument self, but got 2-D")],
    "inner": [(pair((2, 3), (4, 5)), RuntimeError, "inner() the last dimension must match")],
    "einsum": [
        (Sample("ij,jk->ik", normal(2, 3), normal(4, 4)), RuntimeError,
         "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously "
         "seen size 3"),
        (Sample("ij,jk->iz", normal(2, 3), normal(3, 4)), RuntimeError,
         "einsum(): output subscript z does not appear in the equation for any input operand"),
        (Sample("ijk->i", normal(2, 3)), RuntimeError,
         "einsum(): the number of subscripts in the equation (3) does not match the number of"),
        (Sample("ij->i", normal(2, 3), normal(2, 3)), RuntimeError,
         "einsum(): more operands were provided than specified in the equation"),
        (Sample("i1->i", normal(2, 3)), RuntimeError,
         "einsum(): invalid subscript given at index 1"),
    ],
    "tensordot": [(pair((2, 3), (4, 5), dims=([1], [0])), RuntimeError,
                   "contracted dimensions need to match, but first has size 3 in dim 1")],
    "linalg.multi_dot": [(Sample([normal(3, 2), normal(3, 2)]), RuntimeError,
                          "multi_dot(): tensors 0 and 1 with shapes [3, 2] and [3, 2] cannot be")],
    "cdist": [(pair((3, 4), (3, 2)), RuntimeError,
               "X1 and X2 must have the same number of columns. X1: 4 X2: 2")],
    "linalg.cross": [(pair((2, 4), (2, 4)), RuntimeError,
                      "linalg.cross: inputs dimension -1 must have length 3. Got 4 and 4")],
    "trace": [(Sample(normal(2, 2, 2)), RuntimeError, "trace: expected a matrix")],
}  # fmt: skip
