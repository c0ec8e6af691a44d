"""SPEC row: custom functions, old and new style."""

import gc
import weakref

import pytest

import chainrule as torch
from chainrule.autograd import Function
from chainrule.autograd.function import once_differentiable
from chainrule.func import grad, jvp, vmap


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


class NewCube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, times):
        return x * x * x * times

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, times = inputs
        ctx.times = times
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * ctx.times * g, None

    @staticmethod
    def jvp(ctx, t, _):
        (x,) = ctx.saved_tensors
        return 3 * x * x * ctx.times * t


def test_old_style_first_and_second_order():
    x = leaf(2.0)
    y = Cube.apply(x)
    assert type(y.grad_fn).__name__ == "CubeBackward" and y.grad_fn.saved_tensors[0] is x
    (g,) = torch.autograd.grad(y, x, torch.ones(1).double(), create_graph=True)
    g.backward()
    assert g.item() == 12 and x.grad.item() == 12


def test_new_style_with_a_python_argument():
    x = leaf(2.0)
    NewCube.apply(x, 5).backward()
    assert x.grad.item() == 60


def test_new_style_under_transforms():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert grad(lambda x: NewCube.apply(x, 2).sum())(x).tolist() == [6, 24]
    inner = grad(lambda x: NewCube.apply(x, 2).sum())
    assert grad(lambda x: inner(x).sum())(x).tolist() == [12, 24]
    ones = torch.ones(2).double()
    assert jvp(lambda x: NewCube.apply(x, 2), (x,), (ones,))[1].tolist() == [6, 24]
    assert vmap(lambda x: NewCube.apply(x, 2))(x).tolist() == [2, 16]
    assert vmap(grad(lambda x: NewCube.apply(x, 2)))(x).tolist() == [6, 24]


def test_old_style_under_transforms_says_what_to_do():
    with pytest.raises(RuntimeError, match="must override the setup_context staticmethod"):
        grad(lambda x: Cube.apply(x).sum())(torch.ones(2))


def test_vmap_staticmethod():
    class Double(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def vmap(info, in_dims, x):
            assert info.batch_size == 3 and in_dims == (0,)
            return x * 2, 0

    assert vmap(Double.apply)(torch.ones(3, 2)).tolist() == [[2, 2]] * 3


def test_needs_input_grad_and_none():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            _, b = ctx.saved_tensors
            return g * b, None

    x = leaf(2.0)
    Product.apply(x, torch.ones(1).double() * 7).backward()
    assert seen == [(True, False)] and x.grad.item() == 7


def test_mark_dirty_gives_the_input_new_history():
    class AddOne(Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 10

    x = leaf(2.0)
    y = x * 1
    before = y._version
    z = AddOne.apply(y)
    assert z is y and y._version > before and type(y.grad_fn).__name__ == "AddOneBackward"
    z.sum().backward()
    assert x.grad.item() == 10 and z.item() == 3


def test_dirty_must_be_returned():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x + 1

    with pytest.raises(RuntimeError, match="were not returned as output"):
        Wrong.apply(leaf(1.0) * 1)


def test_mark_non_differentiable_and_several_outputs():
    class Split(Function):
        @staticmethod
        def forward(ctx, x):
            index = x.argmax()
            ctx.mark_non_differentiable(index)
            return x * 2, index

        @staticmethod
        def backward(ctx, g, _):
            return g * 2

    x = leaf(1.0, 5.0)
    y, index = Split.apply(x)
    assert y.requires_grad and not index.requires_grad and index.item() == 1
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_missing_gradients_come_as_zeros_or_none():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            seen.append(b if b is None else b.tolist())
            return a * 2, None

    for materialize in (True, False):
        x = leaf(1.0)
        Two.apply(x, materialize)[0].backward()
    assert seen == [[0.0], None]


def test_once_differentiable():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    (g,) = torch.autograd.grad(Once.apply(x), x, torch.ones(1).double().requires_grad_(),
                               create_graph=True)  # fmt: skip
    assert g.item() == 6
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        g.backward()


def test_wrong_number_of_gradients():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            return g

    match = r"WrongBackward returned an incorrect number of gradients \(expected 2, got 1\)"
    with pytest.raises(RuntimeError, match=match):
        Wrong.apply(leaf(1.0), leaf(2.0)).backward()


def test_wrong_shape_of_gradient():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 1

        @staticmethod
        def backward(ctx, g):
            return torch.ones(3).double()

    match = r"WrongBackward returned an invalid gradient at index 0 - got \[3\] but expected shape "
    with pytest.raises(RuntimeError, match=match):
        Wrong.apply(leaf(1.0, 2.0)).sum().backward()


def test_gradient_for_a_number_is_refused():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, a, n):
            return a * n

        @staticmethod
        def backward(ctx, g):
            return g, g

    with pytest.raises(RuntimeError, match="different than None at position 2"):
        Wrong.apply(leaf(1.0), 3).backward()


def test_missing_backward_and_instantiation():
    class Forward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    with pytest.raises(NotImplementedError, match="implement either the backward or vjp"):
        Forward.apply(leaf(1.0)).backward()
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Forward()
    with pytest.raises(RuntimeError, match="non-static forward method is deprecated"):
        instance(leaf(1.0))
    with pytest.raises(TypeError, match="can only save variables"):

        class Bad(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(3)

        Bad.apply(leaf(1.0))


def test_returning_an_input_gives_a_new_tensor():
    class Identity(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = leaf(1.0)
    y = Identity.apply(x)
    assert y is not x and x.is_leaf
    y.backward()
    assert x.grad.item() == 7


def test_saving_an_output_makes_no_cycle():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0)
        y = Exp.apply(x)
        node = weakref.ref(y.grad_fn)
        (g,) = torch.autograd.grad(y, x, torch.ones(1).double(), create_graph=True)
        assert g.item() == pytest.approx(2.718281828459045)
        del y, g
        assert node() is None
    finally:
        gc.enable()


def test_a_saved_tensor_modified_in_place_is_caught():
    x = leaf(2.0)
    y = x * 1
    z = Cube.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


@pytest.mark.parametrize(
    "name", ["s", "parents", "meta", "hooks", "key", "code", "fix", "op", "multi", "function",
             "level", "materialise", "tensor_inputs"],
)  # fmt: skip
def test_attributes_of_the_context_may_have_any_name(name):
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            exec(f"ctx.{name} = 3.0")
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx, g):
            assert ctx.saved_tensors[0].tolist() == [1, 1]
            return g * eval(f"ctx.{name}")

    x = torch.ones(2, requires_grad=True)
    y = Scaled.apply(x)
    (y * y).sum().backward()
    assert x.grad.tolist() == [18, 18]
    assert getattr(y.grad_fn, name) == 3.0
