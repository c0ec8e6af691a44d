"""Samples of functions that draw random numbers: every call starts from the seed 0.

Equal results mean that the stream is PyTorch's, draw for draw. The mask is the same at every
evaluation of a difference quotient, so derivatives are checked as for any other function.
"""

from ..sample import Sample, normal, uniform

_DRAWN = "each example draws its own numbers, or refuses to: see the tests of vmap's randomness"


def drawn(*args, **kwargs) -> Sample:
    """A sample whose batched form is not a loop over equal draws."""
    return Sample(*args, **kwargs).dtypes("float32").without("batch", because=_DRAWN)


def shaped(*shape: int) -> list[Sample]:
    """In training, kept as it is, with everything dropped, and in evaluation."""
    x = normal(*shape)
    return [
        drawn(x, 0.4, True),
        drawn(x, p=0.0, training=True),
        drawn(x, p=1.0, training=True),
        Sample(x, p=0.4, training=False),
    ]


def masked(*args, **kwargs) -> Sample:
    """A sample of a mask with an element for each of the input's."""
    return drawn(*args, **kwargs).without(
        "strides", because="masks are drawn in the order of the memory, as the tests of layers show"
    )


SAMPLES = {
    "nn.functional.dropout": [
        masked(normal(3, 4), 0.4, True),
        *shaped(3, 4)[1:],
        drawn(normal(40), 0.4, True),
    ],
    "nn.functional.dropout1d": shaped(2, 3, 4),
    "nn.functional.dropout2d": shaped(2, 3, 2, 2),
    "nn.functional.dropout3d": shaped(2, 3, 2, 2, 2),
    "nn.functional.alpha_dropout": [masked(normal(3, 4), 0.4, True), *shaped(3, 4)[1:]],
    "nn.functional.feature_alpha_dropout": shaped(2, 3, 4),
    "dropout": [masked(normal(3, 4), 0.4, True), Sample(normal(3, 4), 0.4, False)],
    "feature_dropout": [drawn(normal(2, 3, 4), 0.4, True), Sample(normal(2, 3, 4), 0.4, False)],
    "nn.functional.gumbel_softmax": [
        drawn(normal(3, 4), dim=-1),
        drawn(normal(3, 4), tau=0.5, dim=0),
        drawn(normal(3, 4), hard=True).kink(),
    ],
    "nn.functional.rrelu": [drawn(normal(3, 4), training=True), Sample(normal(3, 4))],
    "bernoulli": [
        drawn(uniform(3, 4, low=0.1, high=0.9)).without(
            "inplace", because="bernoulli_ takes the probabilities as an argument, not from itself"
        )
    ],
    "binomial": [
        drawn(uniform(3, low=1.0, high=30.0).round(), uniform(3, low=0.1, high=0.9)).kink()
    ],
}
