"""Custom functions: views, inputs returned as they are, dirty inputs, what backward is given."""

import gc
import weakref

import pytest

import chainrule as torch
from chainrule.autograd import Function

D = torch.float64


def leaf(*values):
    return torch.tensor(values, dtype=D, requires_grad=True)


class Identity(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Tail(Function):
    @staticmethod
    def forward(ctx, x):
        return x[1:]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([torch.zeros(1, dtype=D), g * 2])


class Halves(Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1], x[1:]

    @staticmethod
    def backward(ctx, g, h):
        return torch.cat([g, h])


# ---- views ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [Identity, Tail, Halves])
def test_views_that_a_function_returns_are_not_written(function):
    for write_base in (False, True):
        x = leaf(1.0, 2.0, 3.0) * 1
        y = function.apply(x)
        y = y[0] if isinstance(y, tuple) else y
        assert y._is_view() and y._base is x
        with pytest.raises(RuntimeError, match=r"Output 0 of .* is a view and .* modified inp"):
            if write_base:
                x.add_(1)
                y.sum().backward()
            else:
                y.add_(1)


def test_an_input_returned_as_it_is_gets_a_history_of_its_own():
    x = leaf(1.0)
    y = Identity.apply(x)
    assert y is not x and y.grad_fn.name() == "IdentityBackward"
    y.sum().backward()
    assert x.grad.item() == 2.0
    with torch.no_grad():
        assert not Identity.apply(x).requires_grad


def test_mark_non_differentiable_on_an_input_detaches_it():
    class Constant(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_non_differentiable(x)
            return x

    x = leaf(1.0)
    assert not Constant.apply(x).requires_grad and x.requires_grad


# ---- dirty inputs --------------------------------------------------------------------------------


def doubling(returned):
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return returned(x)

        @staticmethod
        def backward(ctx, *grads):
            return 2 * sum(grads)

    return Double


def test_dirty_inputs_must_be_returned():
    with pytest.raises(RuntimeError, match="forward method were not returned as output"):
        doubling(lambda x: x * 1).apply(leaf(1.0) * 1)


def test_dirty_views_go_with_one_output_only():
    x = leaf(1.0, 2.0)
    base = x * 1
    y = doubling(lambda x: x).apply(base[:1])
    base.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0] and y.item() == 2.0
    with pytest.raises(RuntimeError, match="cannot return more than one Tensor"):
        doubling(lambda x: (x, x + 1)).apply((x * 1)[:1])


def test_only_inputs_are_marked_dirty():
    def marking(make):
        class Marks(Function):
            @staticmethod
            def forward(ctx, x):
                y = make(x)
                ctx.mark_dirty(y)
                return y

            @staticmethod
            def backward(ctx, g):
                return g

        return Marks

    phrase = "received a tensor that was not an input"
    with pytest.warns(UserWarning, match=phrase):
        marking(lambda x: x * 2).apply(leaf(1.0))
    with pytest.raises(RuntimeError, match=phrase):
        marking(lambda x: (x * 2)[:]).apply(leaf(1.0))


def test_a_function_that_saves_what_it_modified_is_freed_at_once():
    class Saves(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x

    def run():
        x = (leaf(1.0) * 1)[:]
        Saves.apply(x)
        return weakref.ref(x)

    gc.disable()
    try:
        assert run()() is None
    finally:
        gc.enable()


# ---- saved tensors -------------------------------------------------------------------------------


def test_saved_inputs_come_back_as_the_same_objects():
    seen = []

    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(x, factor)
            return x * factor

        @staticmethod
        def backward(ctx, g):
            seen.extend(ctx.saved_tensors)
            return g * ctx.saved_tensors[1], None

    x, factor = leaf(2.0), torch.tensor([3.0], dtype=D)
    Scale.apply(x, factor).backward()
    assert seen[0] is x and seen[1] is factor
    y = x * 1
    z = Scale.apply(y, factor)
    y.detach_()
    with pytest.raises(RuntimeError, match="saved tensor that has been detached"):
        z.backward()


def test_saved_tensors_are_given_away_when_asked_for():
    class Once(Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x

    y = Once.apply(leaf(2.0))
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="can only be accessed once"):
        y.backward()


def test_the_old_name_of_saved_tensors_warns():
    class Old(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_variables[0]

    with pytest.warns(DeprecationWarning, match="use 'saved_tensors'"):
        Old.apply(leaf(2.0)).backward()


# ---- gradients -----------------------------------------------------------------------------------


def test_outputs_that_are_no_tensors_have_no_gradients():
    seen = []

    class Mixed(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, 5, None, "text", x * 3

        @staticmethod
        def backward(ctx, *grads):
            seen.extend(grads)
            return grads[0]

    Mixed.apply(leaf(1.0))[0].backward()
    assert seen[1:4] == [None, None, None]
    assert (seen[0].item(), seen[4].item()) == (1.0, 0.0)


def test_a_list_of_gradients_when_asked_for():
    class Boxed(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, grads):
            total = grads[0] * 2 + grads[1] * 3
            grads.clear()
            return total

    x = leaf(1.0)
    y, z = Boxed.apply(x)
    (y + z).backward()
    assert x.grad.item() == 5.0


@pytest.mark.parametrize(
    ("wrong", "phrase"),
    [
        (lambda g: [g, None], "returned an incorrect number of gradients"),
        (lambda g: (3.0, None), "expected Variable or None"),
        (lambda g: (g * 1j, None), "returned an invalid gradient at index 0"),
        (lambda g: (g, g), "different than None at position 2"),
    ],
)
def test_wrong_gradients_are_refused(wrong, phrase):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x, factor):
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return wrong(g)

    with pytest.raises(RuntimeError, match=phrase):
        Wrong.apply(leaf(1.0), 2).backward()


def test_backward_inside_backward_goes_deep():
    class Nest(Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.inner = x.detach().requires_grad_() - 1
            return ctx.inner.detach()

        @staticmethod
        def backward(ctx, g):
            if ctx.inner > 0:
                with torch.enable_grad():
                    Nest.apply(ctx.inner).sum().backward()
            return g

    x = torch.tensor(400.0, requires_grad=True)
    Nest.apply(x).backward()
    assert x.grad.item() == 1.0


# ---- forward mode --------------------------------------------------------------------------------


def tangent_of(function, *inputs):
    fwd = torch.autograd.forward_ad
    with fwd.dual_level():
        first = fwd.make_dual(inputs[0], torch.ones_like(inputs[0]))
        made = function.apply(first, *inputs[1:])
        outs = made if isinstance(made, tuple) else (made,)
        return [fwd.unpack_dual(o).tangent for o in outs]


def test_inputs_without_a_tangent_have_zeros():
    class Add(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def jvp(ctx, tx, ty):
            return tx + ty

    x = torch.tensor([1.0, 2.0], dtype=D)
    assert tangent_of(Add, x, x * 3)[0].tolist() == [1.0, 1.0]


def test_tangents_go_with_their_outputs():
    def returning(tangent):
        class Both(Function):
            @staticmethod
            def forward(ctx, x):
                count = x.clone()
                ctx.mark_non_differentiable(count)
                return x, count

            @staticmethod
            def jvp(ctx, t):
                return tangent(t)

        return Both

    x = torch.tensor([1.0], dtype=D)
    shown, none = tangent_of(returning(lambda t: (t.view_as(t), None)), x)
    assert shown.item() == 1.0 and none is None
    with pytest.raises(RuntimeError, match="You should return None at that position instead"):
        tangent_of(returning(lambda t: (t.view_as(t), t.clone())), x)
    with pytest.raises(RuntimeError, match=r"returning a view .or an input as-is. but the jvp"):
        tangent_of(returning(lambda t: (t * 1, None)), x)


def test_tangents_of_modified_inputs_are_modified():
    def doubling_jvp(in_place):
        class Double(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def jvp(ctx, t):
                return t.mul_(2) if in_place else t * 2

        return Double

    assert tangent_of(doubling_jvp(True), torch.ones(2, dtype=D))[0].tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="is not modifying the forward mode gradients inplace"):
        tangent_of(doubling_jvp(False), torch.ones(2, dtype=D))


def test_unpacked_duals_are_views_and_tangents_are_plain():
    fwd = torch.autograd.forward_ad
    x = torch.ones(2)
    with fwd.dual_level():
        dual = fwd.make_dual(x, torch.ones(2))
        primal = fwd.unpack_dual(dual).primal
        assert primal is not fwd.unpack_dual(dual).primal and torch.equal(primal, x)
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            fwd.make_dual(torch.ones(2), dual)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    @staticmethod
    def jvp(ctx, x_tangent, y_tangent):
        x, y = ctx.saved_tensors
        return x_tangent * y + x * y_tangent


def test_forward_over_reverse_sees_what_a_function_saved_or_refuses():
    x, u = torch.tensor([0.5, -0.7], requires_grad=True), torch.tensor([1.0, 2.0])

    def cubes(t):
        return (_Product.apply(t, t) * t).sum()

    _, right = torch.func.jvp(torch.func.grad(cubes), (x.detach(),), (u,))
    assert torch.allclose(right, 6 * x.detach() * u)
    with torch.autograd.forward_ad.dual_level():
        result = cubes(torch.autograd.forward_ad.make_dual(x, u))
        with pytest.raises(RuntimeError, match="forward over reverse"):
            torch.autograd.grad(result, x)


def test_forward_over_reverse_where_what_was_saved_has_no_tangent():
    x, u = torch.tensor([0.5, -0.7], requires_grad=True), torch.tensor([1.0, 2.0])

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x, weight):
            return x * weight

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[1])
            ctx.save_for_forward(inputs[1])

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0], None

        @staticmethod
        def jvp(ctx, x_tangent, _):
            return x_tangent * ctx.saved_tensors[0]

    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, u)
        result = (Scaled.apply(dual, torch.full((2,), 3.0)) ** 2).sum()
        (gradient,) = torch.autograd.grad(result, x)
        tangent = torch.autograd.forward_ad.unpack_dual(gradient).tangent
    assert tangent.tolist() == [18, 36]
