"""Samples of creation functions, casts, filling and random draws (their stream is PyTorch's)."""

from ..sample import Sample, cplx, dtype, ints, normal, uniform

A34, VECTOR, SCALAR = normal(3, 4), normal(4), normal()
F32, F16, I64, I32 = dtype("float32"), dtype("float16"), dtype("int64"), dtype("int32")
UNINITIALISED = "the values are whatever the memory held"


def shape_only(result):
    """What can be said about uninitialised memory: zeros of its shape and type."""
    return result.new_zeros(tuple(result.shape))


def casts() -> list[Sample]:
    """A matrix, a number and integers. Rounding is a step function: no difference quotients."""
    return [Sample(A34).kink(), Sample(SCALAR).kink(), Sample(ints(3))]


def draw(*args, **kwargs) -> Sample:
    """A random function of tensors: its derivative is zero, and every call draws anew."""
    sample = Sample(*args, **kwargs).kink().dtypes("float32")
    return sample.without("batch", "strides", "inplace", because="every call draws anew")


SAMPLES = {
    "arange": [Sample(5), Sample(1, 7, 2), Sample(0, 1, 0.25), Sample(5, 0, -2), Sample(3.5),
               Sample(1, 3, dtype=F32), Sample(0), Sample(1, 2.5, 0.5, dtype=F16),
               Sample(end=3), Sample(start=1, end=4)],
    "eye": [Sample(3), Sample(2, 4), Sample(3, dtype=I64), Sample(0)],
    "full": [Sample((2, 3), 1.5), Sample((2,), 7), Sample((), True), Sample((2,), 3, dtype=F32),
             Sample((1,), 2j)],
    "full_like": [Sample(A34, 2.5), Sample(ints(3), 2.7), Sample(VECTOR, 1, dtype=I32)],
    "linspace": [Sample(0, 1, 5), Sample(0, 10, 4, dtype=I64), Sample(3, -3, 7), Sample(0, 1, 1),
                 Sample(0, 1, 0), Sample(-1, 2, 4, dtype=F16)],
    "logspace": [Sample(0, 2, 3), Sample(0, 3, 4, base=2.0), Sample(1, 1, 1)],
    "ones": [Sample(2, 3), Sample((2,)), Sample((), dtype=I64), Sample(0, 3)],
    "ones_like": [Sample(A34), Sample(ints(2, 2)), Sample(VECTOR, dtype=I32)],
    "scalar_tensor": [Sample(3), Sample(2.5)],
    "tril_indices": [Sample(3, 3), Sample(2, 4, 1), Sample(4, 2, -1), Sample(3, 2, dtype=I32)],
    "triu_indices": [Sample(3, 3), Sample(2, 4, 1), Sample(4, 2, -1)],
    "zeros": [Sample(2, 3), Sample((2,)), Sample((), dtype=I64), Sample(0, 3)],
    "zeros_like": [Sample(A34), Sample(ints(2, 2)), Sample(VECTOR, dtype=I32)],
    "empty": [
        Sample(2, 3).through(shape_only).without("out", because=UNINITIALISED),
        Sample((2,), dtype=I64).through(shape_only).without("out", because=UNINITIALISED),
    ],
    "empty_like": [Sample(A34).through(shape_only), Sample(ints(3)).through(shape_only)],
    "empty_permuted": [Sample((2, 3, 4), (2, 0, 1)).through(shape_only)],
    "empty_strided": [Sample((2, 3), (1, 2)).through(shape_only)],
    "new_empty": [Sample(A34, (2, 3)).through(shape_only)],
    "new_empty_strided": [Sample(A34, (2, 3), (1, 2)).through(shape_only)],
    "new_full": [Sample(A34, (2,), 3), Sample(ints(2), (2,), 7)],
    "new_ones": [Sample(A34, (2, 3)), Sample(ints(2), (2,))],
    "new_zeros": [Sample(A34, (2, 3)), Sample(ints(2), (2,))],
    "complex": [Sample(A34, normal(3, 4, seed=1)).dtypes("float32"),
                Sample(VECTOR, SCALAR).dtypes("float32")],
    "polar": [Sample(uniform(3, 4, low=0.5, high=2.0), A34).dtypes("float32"),
              Sample(uniform(low=0.5, high=1.0), VECTOR).dtypes("float32")],
    "fill": [Sample(A34, 2.5), Sample(A34, SCALAR), Sample(ints(3), 2)],
    "zero_": [Sample(x).prepared(lambda a: (a.clone(),)) for x in (A34, SCALAR)],
    # casts
    "to": [Sample(A34, F32).kink(), Sample(A34, dtype=I64),
           Sample(cplx(3), dtype("complex64")).kink(),
           Sample(A34, VECTOR), Sample(A34, "cpu")],
    "bool": casts(), "byte": [Sample(ints(3, 4))], "char": casts(), "short": casts(),
    "int": casts(), "long": casts(), "half": casts(), "bfloat16": casts(), "float": casts(),
    "double": casts(), "cfloat": casts(), "cdouble": casts(),
    # random draws
    "rand": [Sample(3, 4), Sample((20,), dtype=dtype("float64")), Sample(2, dtype=F16)],
    "randn": [Sample(3, 4), Sample(20), Sample((5, 5), dtype=dtype("float64"))],
    "randint": [Sample(10, (3, 4)), Sample(-5, 5, (7,)), Sample(3, (2,), dtype=F32)],
    "randperm": [Sample(7), Sample(0), Sample(5, dtype=I32)],
    "rand_like": [draw(A34)],
    "randn_like": [draw(A34), draw(normal(5, 5))],
    "randint_like": [draw(A34, 10), draw(ints(5), 2, 9)],
    "bernoulli": [draw(uniform(3, 4, low=0.1, high=0.9))],
    "multinomial": [
        draw(uniform(5, low=0.1, high=1.0), 3),
        draw(uniform(2, 4, low=0.1, high=1.0), 6, True),
    ],
    "poisson": [draw(uniform(3, 4, low=0.5, high=9.0))],
    "normal": [Sample(0.0, 1.0, (3,)), draw(A34, 0.5), draw(A34, uniform(3, 4, low=0.5, high=2.0))],
    "nn.functional.dropout": [
        Sample(A34)
        .without("batch", because="a batch draws another mask than its examples")
        .without("strides", because="masks are drawn in the order of the memory"),
        Sample(A34, 0.3, training=False),
        Sample(A34, p=1.0),
    ],
}  # fmt: skip

ERRORS = {
    "arange": [
        (Sample(0, 5, -1), RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        (Sample(0, 5, 0), RuntimeError, "step must be nonzero"),
    ],
    "complex": [
        (Sample(ints(2), ints(2)), RuntimeError,
         "Expected both inputs to be Half, Float or Double tensors but got Long and Long"),
        (Sample(A34, ints(3, 4)), RuntimeError, "Expected both inputs to be Half, Float or Double"),
    ],
    "empty_strided": [(Sample((2,), (1, 1)), RuntimeError, "must match dimensionality of strides")],
    "fill": [(Sample(A34, VECTOR), RuntimeError, "only supports 0-dimension value tensor but got")],
    "linspace": [(Sample(0, 1, -1), RuntimeError, "number of steps must be non-negative")],
    "multinomial": [
        (Sample(uniform(2, low=0.1, high=1.0), 3), RuntimeError,
         "cannot sample n_sample > prob_dist.size"),
    ],
    "nn.functional.dropout": [
        (Sample(A34, 1.5), ValueError,
         "dropout probability has to be between 0 and 1, but got 1.5"),
    ],
    "ones": [(Sample(-1), RuntimeError, "Trying to create tensor with negative dimension -1")],
    "randint": [(Sample(5, 5, (2,)), RuntimeError, "random_ expects 'from' to be less than 'to'")],
    "zeros": [
        (Sample(-1), RuntimeError, "zeros: Dimension size must be non-negative."),
        (Sample(2.5), TypeError, "must be tuple of ints, not float"),
    ],
}  # fmt: skip
