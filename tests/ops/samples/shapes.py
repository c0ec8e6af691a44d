"""Samples of views, shapes, joining, repeating and turning."""

from ..sample import Sample, cplx, ints, normal

A34, B34 = normal(3, 4), normal(3, 4, seed=1)
CUBE = normal(2, 3, 4)
VECTOR = normal(4)
SCALAR = normal()
EMPTY = normal(0, 3)
STRIDES = "the strides of the input decide what it reads"
VIEWABLE = "not every layout can be viewed"


def unary(*more: Sample) -> list[Sample]:
    """A matrix, a cube, a vector, and what is special about a function."""
    return [Sample(A34), Sample(CUBE), *more]


SAMPLES = {
    "T": [Sample(A34), Sample(cplx(2, 3))],
    "H": [Sample(A34), Sample(cplx(2, 3))],
    "mT": [Sample(A34), Sample(CUBE)],
    "mH": [Sample(CUBE), Sample(cplx(2, 2, 3))],
    "adjoint": [Sample(A34), Sample(cplx(2, 3, 2))],
    "as_strided": [
        Sample(A34, (2, 3), (4, 1)).without("strides", "batch", because=STRIDES),
        Sample(A34, (3, 2), (1, 2), 1).without("strides", "batch", because=STRIDES),
        Sample(VECTOR, (2, 3), (1, 1)).without("strides", "batch", because=STRIDES),
        Sample(A34, (), ()).without("strides", "batch", because=STRIDES),
    ],
    "atleast_1d": [Sample(SCALAR), Sample(A34), Sample([SCALAR, VECTOR])],
    "atleast_2d": [Sample(SCALAR), Sample(VECTOR), Sample(CUBE), Sample([SCALAR, VECTOR])],
    "atleast_3d": [Sample(SCALAR), Sample(VECTOR), Sample(A34), Sample([VECTOR, CUBE])],
    "block_diag": [
        Sample(A34, normal(2, 2), VECTOR),
        Sample(SCALAR, A34),
        Sample(normal(2, 2), cplx(2, 1)),
    ],
    "broadcast_shapes": [Sample((2, 3), (3,), (1, 1)), Sample((4,), 1), Sample()],
    "broadcast_tensors": [Sample(A34, VECTOR), Sample(normal(3, 1), normal(1, 2), SCALAR)],
    "broadcast_to": [Sample(VECTOR, (3, 4)), Sample(normal(3, 1), (2, 3, 4)), Sample(SCALAR, (2,))],
    "cartesian_prod": [
        Sample(VECTOR, normal(2)),
        Sample(VECTOR),
        Sample(normal(2), normal(3), VECTOR),
    ],
    "cat": [
        Sample([A34, B34]),
        Sample([A34, normal(3, 2)], 1),
        Sample([CUBE, CUBE, CUBE], dim=-1),
        Sample([VECTOR]),
        Sample([A34, normal(0), B34]),
        Sample([VECTOR, ints(3)]),
    ],
    "concat": [Sample([A34, B34], 1)],
    "concatenate": [Sample([A34, B34], axis=1)],
    "chunk": [Sample(A34, 2), Sample(A34, 3, 1), Sample(normal(7), 3), Sample(normal(5), 8)],
    "clone": unary(Sample(SCALAR), Sample(EMPTY), Sample(cplx(2, 2))),
    "column_stack": [Sample([VECTOR, normal(4, 2)]), Sample([A34, B34]), Sample([SCALAR, SCALAR])],
    "combinations": [
        Sample(VECTOR),
        Sample(VECTOR, 3),
        Sample(VECTOR, r=2, with_replacement=True),
        Sample(VECTOR, 1),
    ],
    "contiguous": unary(Sample(SCALAR)),
    "diag": [
        Sample(A34),
        Sample(VECTOR),
        Sample(A34, 1),
        Sample(A34, -2),
        Sample(VECTOR, diagonal=-1),
        Sample(VECTOR, 2),
    ],
    "diag_embed": [
        Sample(A34),
        Sample(A34, 1),
        Sample(A34, -1, 0, 2),
        Sample(VECTOR, offset=2, dim1=1, dim2=0),
    ],
    "diagflat": [Sample(VECTOR), Sample(A34, 1), Sample(SCALAR, -1)],
    "diagonal": [
        Sample(A34),
        Sample(A34, 1),
        Sample(A34, -1),
        Sample(CUBE, 0, 1, 2),
        Sample(CUBE, offset=1, dim1=2, dim2=0),
        Sample(A34, 9),
    ],
    "dsplit": [Sample(CUBE, 2), Sample(CUBE, (1, 3))],
    "dstack": [Sample([A34, B34]), Sample([VECTOR, VECTOR]), Sample([CUBE, CUBE])],
    "expand": [Sample(VECTOR, 3, 4), Sample(normal(3, 1), (-1, 4)), Sample(SCALAR, 2, 2)],
    "expand_as": [Sample(VECTOR, A34), Sample(normal(3, 1), A34)],
    "flatten": [Sample(CUBE), Sample(CUBE, 1), Sample(CUBE, 0, 1), Sample(SCALAR), Sample(VECTOR)],
    "flip": [Sample(A34, (0,)), Sample(CUBE, (0, 2)), Sample(CUBE, (-1,)), Sample(A34, ())],
    "fliplr": [Sample(A34), Sample(CUBE)],
    "flipud": [Sample(A34), Sample(VECTOR)],
    "hsplit": [Sample(A34, 2), Sample(VECTOR, (1, 3)), Sample(CUBE, 3)],
    "hstack": [Sample([VECTOR, normal(2)]), Sample([A34, normal(3, 1)]), Sample([SCALAR, SCALAR])],
    "item": [
        Sample(x).without("batch", because="a batch has one number per example")
        for x in (SCALAR, normal(1, 1), ints())
    ],
    "meshgrid": [
        Sample(VECTOR, normal(3), indexing="ij"),
        Sample([VECTOR, normal(3), normal(2)], indexing="xy"),
        Sample(SCALAR, VECTOR, indexing="ij"),
    ],
    "movedim": [Sample(CUBE, 0, 2), Sample(CUBE, (0, 1), (-1, 0)), Sample(CUBE, -1, 0)],
    "moveaxis": [Sample(CUBE, 1, 0)],
    "narrow": [Sample(A34, 0, 1, 2), Sample(A34, 1, -3, 2), Sample(A34, -1, 0, 0)],
    "permute": [Sample(CUBE, (2, 0, 1)), Sample(A34, (1, 0)), Sample(CUBE, (0, -1, 1))],
    "ravel": unary(Sample(SCALAR)),
    "repeat": [
        Sample(A34, 2, 1),
        Sample(VECTOR, (3, 2)),
        Sample(SCALAR, 3),
        Sample(A34, 0, 2),
        Sample(CUBE, 1, 2, 3),
    ],
    "reshape": [
        Sample(A34, (4, 3)),
        Sample(CUBE, (-1, 6)),
        Sample(SCALAR, (1, 1)),
        Sample(EMPTY, (3, 0)),
        Sample(A34, shape=(2, 6)),
    ],
    "reshape_as": [Sample(A34, normal(2, 6))],
    "roll": [
        Sample(A34, 1),
        Sample(A34, 1, 0),
        Sample(A34, (1, -2), (0, 1)),
        Sample(CUBE, -3, 2),
        Sample(VECTOR, 9, 0),
    ],
    "rot90": [Sample(A34), Sample(A34, 2), Sample(CUBE, -1, (0, 2)), Sample(A34, 3, [1, 0]),
              Sample(A34, 0)],
    "select": [Sample(A34, 0, 1), Sample(A34, -1, -2), Sample(VECTOR, 0, 3)],
    "split": [
        Sample(A34, 2),
        Sample(A34, [1, 3], 1),
        Sample(normal(7), 3),
        Sample(CUBE, 1, dim=-1),
    ],
    "split_with_sizes": [Sample(A34, [1, 2]), Sample(A34, (2, 0, 2), 1)],
    "squeeze": [
        Sample(normal(1, 3, 1)),
        Sample(normal(1, 3, 1), 0),
        Sample(normal(1, 3, 1), (0, 1)),
        Sample(normal(1, 3, 1), -2),
        Sample(SCALAR),
    ],
    "stack": [Sample([A34, B34]), Sample([A34, B34], 1), Sample([SCALAR, SCALAR], -1),
              Sample([VECTOR, ints(4)], dim=0)],
    "swapaxes": [Sample(CUBE, 0, 2)],
    "swapdims": [Sample(CUBE, 0, -1)],
    "t": [Sample(A34), Sample(VECTOR), Sample(SCALAR)],
    "tensor_split": [
        Sample(normal(7), 3),
        Sample(A34, (1, 3), 1),
        Sample(A34, 5),
        Sample(A34, [2, 1]),
    ],
    "tile": [Sample(A34, (2,)), Sample(VECTOR, (2, 3)), Sample(CUBE, (2, 1))],
    "transpose": [Sample(A34, 0, 1), Sample(CUBE, -1, 0), Sample(SCALAR, 0, -1)],
    "tril": unary(Sample(A34, 1), Sample(A34, diagonal=-2), Sample(cplx(3, 3))),
    "triu": unary(Sample(A34, 1), Sample(A34, diagonal=-2), Sample(cplx(3, 3))),
    "unbind": [Sample(A34), Sample(A34, 1), Sample(VECTOR), Sample(CUBE, -1)],
    "unflatten": [Sample(A34, 1, (2, 2)), Sample(A34, -1, (-1, 2)), Sample(CUBE, 0, (2, 1))],
    "unfold": [Sample(VECTOR, 0, 2, 1), Sample(A34, 1, 3, 1), Sample(normal(7, 2), 0, 3, 2),
               Sample(SCALAR, 0, 1, 1)],
    "unsafe_chunk": [Sample(A34, 2, 1)],
    "unsafe_split": [Sample(A34, 2)],
    "unsqueeze": [Sample(A34, 0), Sample(A34, -1), Sample(SCALAR, 0), Sample(A34, 1)],
    "view": [
        Sample(A34, 4, 3).without("strides", because=VIEWABLE),
        Sample(CUBE, (6, -1)).without("strides", because=VIEWABLE),
        Sample(SCALAR, 1),
    ],
    "view_as": [Sample(A34, normal(2, 6)).without("strides", because=VIEWABLE)],
    "view_as_complex": [
        Sample(normal(3, 2)).without("strides", because=VIEWABLE).dtypes("float32"),
        Sample(normal(2, 3, 2)).without("strides", because=VIEWABLE).dtypes("float32"),
    ],
    "view_as_real": [Sample(cplx(3)), Sample(cplx(2, 2)), Sample(cplx())],
    "vsplit": [Sample(normal(4, 3), 2), Sample(A34, (1,))],
    "vstack": [Sample([A34, VECTOR]), Sample([VECTOR, VECTOR]), Sample([SCALAR, SCALAR])],
    "row_stack": [Sample([A34, VECTOR])],
    # copies
    "alias_copy": [Sample(A34)],
    "as_strided_copy": [
        Sample(A34, (3, 2), (1, 2), 1).without("strides", "batch", because=STRIDES),
    ],
    "diagonal_copy": [Sample(A34), Sample(CUBE, 1, 0, 2)],
    "detach_copy": [Sample(A34)],
    "expand_copy": [Sample(VECTOR, (3, 4))],
    "narrow_copy": [Sample(A34, 1, 1, 2)],
    "permute_copy": [Sample(CUBE, (2, 0, 1))],
    "split_copy": [Sample(A34, 2), Sample(A34, 3, 1)],
    "split_with_sizes_copy": [Sample(A34, [1, 2])],
    "squeeze_copy": [Sample(normal(1, 3, 1)), Sample(normal(1, 3, 1), 0)],
    "t_copy": [Sample(A34)],
    "transpose_copy": [Sample(CUBE, 0, 2)],
    "unbind_copy": [Sample(A34), Sample(A34, 1)],
    "unfold_copy": [Sample(A34, 1, 2, 1)],
    "unsqueeze_copy": [Sample(A34, 1)],
    "view_copy": [Sample(A34, (2, 6)).without("strides", because=VIEWABLE)],
}  # fmt: skip


ERRORS = {
    "as_strided": [
        (Sample(VECTOR, (9,), (1,)), RuntimeError, "are out of bounds for storage of size"),
        (Sample(VECTOR, (2,), (-1,)), RuntimeError, "Negative strides are not supported"),
        (Sample(VECTOR, (2,), (1, 1)), RuntimeError, "mismatch in length of strides and shape"),
        (Sample(VECTOR, (2,), (1,), -1), RuntimeError, "invalid storage offset -1"),
    ],
    "broadcast_shapes": [
        (Sample((2, 3), (4,)), RuntimeError, "Attempting to broadcast a dimension of length 4"),
    ],
    "broadcast_tensors": [
        (Sample(A34, normal(3)), RuntimeError,
         "The size of tensor a (4) must match the size of tensor b (3) at non-singleton"),
    ],
    "block_diag": [(Sample(CUBE), RuntimeError, "Input tensors must have 2 or fewer dimensions")],
    "cartesian_prod": [(Sample(A34), RuntimeError, "Expect a 1D vector, but got shape")],
    "cat": [
        (Sample([]), ValueError, "expected a non-empty list of Tensors"),
        (Sample([A34, VECTOR]), RuntimeError,
         "Tensors must have same number of dimensions: got 2 and 1"),
        (Sample([A34, normal(2, 3)]), RuntimeError,
         "Sizes of tensors must match except in dimension 0"),
        (Sample(A34), TypeError, "must be tuple of Tensors, not Tenso"),
        (Sample([A34, 1]), TypeError, "expected Tensor as element 1 in argument 0, but got int"),
        (Sample([SCALAR]), RuntimeError, "zero-dimensional tenso"),
        (Sample([A34], 2), IndexError, "Dimension out of range"),
    ],
    "chunk": [(Sample(A34, 0), RuntimeError, "chunk expects `chunks` to be greater than 0")],
    "column_stack": [(Sample([]), RuntimeError, "expects a non-empty TensorList")],
    "combinations": [(Sample(A34), RuntimeError, "Expect a 1D vector, but got shape")],
    "diag": [(Sample(CUBE), RuntimeError, "diag(): Supports 1D or 2D tensors. Got 3D")],
    "diag_embed": [(Sample(A34, 0, 0, 0), RuntimeError, "diagonal dimensions cannot be identical")],
    "diagonal": [
        (Sample(A34, 0, 0, 0), RuntimeError, "diagonal dimensions cannot be identical 0, 0"),
        (Sample(A34, 0, 0, 5), IndexError, "Dimension out of range"),
    ],
    "expand": [
        (Sample(A34, 4), RuntimeError, "the number of sizes provided"),
        (Sample(A34, 5, 4), RuntimeError,
         "The expanded size of the tensor (5) must match the existing size (3)"),
        (Sample(A34, -1, 3, 4), RuntimeError,
         "isn't allowed in a leading, non-existing dimension 0"),
    ],
    "flatten": [
        (Sample(A34, 1, 0), RuntimeError, "start_dim cannot come after end_dim"),
        (Sample(A34, 5), IndexError, "Dimension out of range"),
    ],
    "flip": [
        (Sample(A34, (5,)), IndexError, "Dimension out of range"),
        (Sample(A34, (0, 0)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
    ],
    "hsplit": [(Sample(A34, 3), RuntimeError, "is not divisible by the split_size 3!")],
    "item": [(Sample(A34), RuntimeError, "a Tensor with 12 elements cannot be converted to Scala")],
    "meshgrid": [
        (Sample(A34, indexing="ij"), RuntimeError, "Expected 0D or 1D tensor in the tensor list"),
        (Sample(VECTOR, indexing="zz"), RuntimeError, "indexing must be one of"),
    ],
    "movedim": [(Sample(A34, (0, 0), (0, 1)), RuntimeError, "repeated dim in `source`")],
    "narrow": [
        (Sample(A34, 0, 1, 5), RuntimeError, "start (1) + length (5) exceeds dimension size (3)"),
        (Sample(A34, 0, 7, 1), IndexError, "start out of range"),
        (Sample(A34, 0, 0, -1), RuntimeError, "length must be non-negative"),
    ],
    "permute": [
        (Sample(A34, (0,)), RuntimeError,
         "number of dimensions in the tensor input does not match"),
        (Sample(A34, (0, 0)), RuntimeError, "duplicate dims are not allowed"),
    ],
    "repeat": [
        (Sample(A34, 2), RuntimeError, "Number of dimensions of repeat dims can not be smalle"),
        (Sample(A34, -1, 2), RuntimeError, "Trying to create tensor with negative dimension"),
    ],
    "reshape": [
        (Sample(A34, (5,)), RuntimeError, "shape '[5]' is invalid for input of size 12"),
        (Sample(A34, (-1, -1)), RuntimeError, "only one dimension can be inferred"),
        (Sample(A34, (-2, 6)), RuntimeError, "invalid shape dimension -2"),
        (Sample(EMPTY, (0, -1)), RuntimeError, "cannot reshape tensor of 0 elements into shape"),
    ],
    "roll": [(Sample(A34, (1, 2)), RuntimeError, "shifts and dimensions must align. shifts: 2")],
    "rot90": [
        (Sample(A34, 1, (0, 0)), RuntimeError, "expected rotation dims to be different"),
        (Sample(A34, 1, (0,)), RuntimeError, "expected total rotation dims == 2, but got dims = 1"),
    ],
    "select": [
        (Sample(A34, 0, 5), IndexError, "select(): index 5 out of range for tensor of size [3, 4]"),
        (Sample(SCALAR, 0, 0), IndexError, "cannot be applied to a 0-dim tenso"),
    ],
    "split": [
        (Sample(A34, 0), RuntimeError, "split_size can only be 0 if dimension size is 0"),
        (Sample(A34, -1), RuntimeError, "split expects split_size be non-negative"),
        (Sample(A34, [1, 1]), RuntimeError, "expects split_sizes to sum exactly to 3"),
    ],
    "squeeze": [
        (Sample(A34, 5), IndexError, "Dimension out of range"),
        (Sample(A34, (0, 0)), RuntimeError, "appears multiple times in the list of dims"),
    ],
    "stack": [
        (Sample([]), RuntimeError, "stack expects a non-empty TensorList"),
        (Sample([A34, VECTOR]), RuntimeError, "stack expects each tensor to be equal size"),
    ],
    "t": [(Sample(CUBE), RuntimeError, "expects a tensor with <= 2 dimensions, but self is 3D")],
    "tensor_split": [(Sample(A34, 0), RuntimeError, "number of sections must be larger than 0")],
    "transpose": [(Sample(A34, 0, 5), IndexError, "Dimension out of range")],
    "tril": [(Sample(VECTOR), RuntimeError, "input tensor must have at least 2 dimensions")],
    "triu": [(Sample(VECTOR), RuntimeError, "input tensor must have at least 2 dimensions")],
    "unbind": [(Sample(A34, 4), IndexError, "Dimension out of range")],
    "unflatten": [(Sample(A34, 0, (2,)), RuntimeError, "don't multiply up to the size of dim 0")],
    "unfold": [
        (Sample(A34, 0, 5, 1), RuntimeError,
         "maximum size for tensor at dimension 0 is 3 but size is 5"),
        (Sample(A34, 0, 1, 0), RuntimeError, "step is 0 but must be > 0"),
    ],
    "unsqueeze": [(Sample(A34, 5), IndexError, "Dimension out of range")],
    "view": [(Sample(A34, 5), RuntimeError, "is invalid for input of size 12")],
    "view_as_complex": [(Sample(A34), RuntimeError, "Tensor must have a last dimension of size 2")],
    "view_as_real": [(Sample(A34), RuntimeError, "only supported for complex tensors")],
    "vsplit": [(Sample(VECTOR, 1), RuntimeError, "requires a tensor with at least 2 dimension")],
}  # fmt: skip
