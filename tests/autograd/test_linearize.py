"""linearize: the map that jvp applies, recorded once."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.func import grad, jvp, linearize, vmap

X = [0.3, -1.2, 2.0]
C = [1.0, 0.5, -2.0]


def t(values):
    return torch.tensor(values, dtype=torch.float64)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g

    @staticmethod
    def jvp(ctx, tangent):
        return 2 * ctx.saved_tensors[0] * tangent


def partly_without_grad(x):
    with torch.no_grad():
        n = x * 3
    return x * n


def written_without_grad(x):
    y = x * x
    with torch.no_grad():
        y.mul_(2)
        y[0] = x[1]
    return y


def in_inference(x):
    with torch.no_grad():
        return Square.apply(x).sin()


FUNCTIONS = {
    f.__name__: f
    for f in (partly_without_grad, written_without_grad, in_inference, Square.apply, torch.sin)
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_map_is_the_one_of_jvp(name):
    f = FUNCTIONS[name]
    value, push = linearize(f, t(X))
    wanted, tangent = jvp(f, (t(X),), (t(C),))
    for _ in range(2):
        np.testing.assert_allclose(push(t(C)).numpy(), tangent.numpy(), rtol=1e-12)
    np.testing.assert_allclose(value.numpy(), wanted.numpy())


def test_no_grad_does_not_stop_tangents():
    # PyTorch: linearize(f, x)[1](c) is 2 * 3 * x * c.
    made = linearize(partly_without_grad, t(X))[1](t(C))
    np.testing.assert_allclose(made.numpy(), 6 * np.array(X) * C)


def test_an_argument_may_be_written():
    def f(x):
        x.mul_(2)
        return x * x

    x = t(X)
    value, push = linearize(f, x)
    np.testing.assert_allclose(x.numpy(), 2 * np.array(X))
    np.testing.assert_allclose(value.numpy(), 4 * np.array(X) ** 2)
    np.testing.assert_allclose(push(t(C)).numpy(), 8 * np.array(X) * C)


def test_draws_are_those_of_the_value():
    torch.manual_seed(0)
    x = torch.ones(50, dtype=torch.float64)
    value, push = linearize(lambda x: torch.nn.functional.dropout(x, 0.5), x)
    assert set(value.tolist()) == {0.0, 2.0}
    np.testing.assert_array_equal(push(x).numpy(), value.numpy())


def test_within_other_transforms():
    inner = lambda x: linearize(torch.cos, x)[1](t(C)).sum()  # noqa: E731
    np.testing.assert_allclose(grad(inner)(t(X)).numpy(), -np.cos(X) * C)
    rows = t([X, C])
    made = vmap(lambda x: linearize(torch.sin, x)[1](x))(rows)
    np.testing.assert_allclose(made.numpy(), np.cos(rows.numpy()) * rows.numpy())


def test_a_function_without_jvp_is_refused():
    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 1

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        linearize(Plain.apply, t(X))
