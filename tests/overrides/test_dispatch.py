"""`__torch_dispatch__`: details that a recorded program does not show."""

import copy
import pickle

import numpy as np
import pytest

import chainrule as torch
from chainrule.autograd.state import STATE
from chainrule.utils import _python_dispatch as python_dispatch
from chainrule.utils._pytree import tree_map


class Names(python_dispatch.TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Doubled(torch.Tensor):
    """Holds half of its value."""

    @staticmethod
    def __new__(cls, half, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(
            cls, half.shape, dtype=half.dtype, requires_grad=requires_grad
        )
        made.half = half
        return made

    def __tensor_flatten__(self):
        return ["half"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Doubled(inner["half"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return Doubled(args[0].half)
        if func is torch.ops.aten.clone.default:
            return Doubled(args[0].half.clone())
        args = tree_map(lambda t: t.half * 2 if isinstance(t, Doubled) else t, args)
        return func(*args, **(kwargs or {}))


def test_nothing_is_left_behind_when_a_handler_raises():
    class Failing(python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError("no")

    x = torch.ones(2)
    with pytest.raises(ValueError, match="no"), Failing():
        x + 1
    assert (x + 1).tolist() == [2.0, 2.0]
    assert not STATE.dispatch_modes and not STATE.below_autograd and not STATE.function_modes
    assert torch.is_grad_enabled()


def test_modes_nest_and_each_sees_what_the_inner_one_calls():
    with Names() as outer, Names() as inner:
        torch.ones(2) * 3
    assert inner.seen == outer.seen == ["aten.ones.default", "aten.mul.Tensor"]


def test_a_handler_may_change_what_an_op_does_and_gradients_are_those_of_the_op():
    class Shifted(python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return out + 100 if func is torch.ops.aten.mul.Tensor else out

    x = torch.tensor(3.0, requires_grad=True)
    with Shifted():
        y = x * 2
    assert y.item() == 106 and y.grad_fn.name() == "MulBackward0"
    y.backward()
    assert x.grad.item() == 2


def test_nothing_in_a_handler_is_recorded():
    class Asking(python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.inside = (args[0] * 2).requires_grad
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, requires_grad=True)
    with Asking() as asking:
        y = x.exp()
    assert asking.inside is False and y.requires_grad


def test_a_graph_recorded_under_a_mode_runs_backward_without_it():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with Names():
        y = (x.exp() * x).sum()
    y.backward()
    assert np.allclose(x.grad.numpy(), np.exp([1, 2]) * [2, 3])


def test_views_made_under_a_mode_can_be_written():
    x = torch.zeros(2, 3)
    with Names() as names:
        x[0].add_(1)
        x.view(6)[5] = 7.0
    assert x.tolist() == [[1, 1, 1], [0, 0, 7]]
    assert "aten.add_.Tensor" in names.seen and "aten.copy_.default" in names.seen
    w = torch.ones(2, requires_grad=True)
    with Names():
        base = w * 1
        base[0].mul_(3)
    base.sum().backward()
    assert w.grad.tolist() == [3, 1]


def test_a_mode_inside_transforms_sees_the_ops_at_the_bottom():
    with Names() as names:
        torch.vmap(lambda v: (v * 2).sum())(torch.ones(3, 4))
        torch.func.grad(lambda v: v.sin())(torch.tensor(0.5))
    assert "aten.mul.Tensor" in names.seen and "aten.cos.default" in names.seen


def test_gradients_flow_through_a_wrapper_that_becomes_plain():
    w = Doubled(torch.tensor([1.0, 2.0]), requires_grad=True)
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    y = (w * x).sum()
    assert type(y) is torch.Tensor and y.item() == 2 * 3 + 4 * 4
    y.backward()
    assert x.grad.tolist() == [2, 4] and w.grad.tolist() == [3, 4]


def test_a_custom_function_on_a_wrapper():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    w = Doubled(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = Cube.apply(w).sum()
    y.backward()
    assert y.item() == 8 + 64 and w.grad.tolist() == [12, 48]


def test_wrappers_are_copied_and_pickled_by_what_they_hold():
    w = torch.nn.Parameter(Doubled(torch.tensor([1.0, 2.0])))
    other = copy.deepcopy(w)
    assert type(other) is Doubled and isinstance(other, torch.nn.Parameter)
    assert other.half is not w.half and other.half.tolist() == [1, 2] and other.requires_grad
    again = pickle.loads(pickle.dumps(Doubled(torch.ones(3))))
    assert type(again) is Doubled and again.half.tolist() == [1, 1, 1] and again.shape == (3,)


def test_a_wrapper_has_the_shape_and_place_it_was_made_with():
    class Empty(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    made = torch.Tensor._make_wrapper_subclass(
        Empty, (2, 3), strides=(1, 2), dtype=torch.float64, device="meta", requires_grad=True
    )
    assert made.shape == (2, 3) and made.stride() == (1, 2) and made.dtype is torch.float64
    assert str(made.device) == "meta" and made.requires_grad and type(made) is Empty
    assert "Empty(..., size=(2, 3)" in repr(made)
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        made.exp()
    large = torch.Tensor._make_wrapper_subclass(Empty, (1 << 20, 1 << 20))
    assert large.numel() == 1 << 40


def test_transform_subclass_goes_through_what_a_wrapper_says_it_holds():
    made = python_dispatch.transform_subclass(
        Doubled(torch.ones(2)), lambda name, t: t + (name == "half")
    )
    assert made.half.tolist() == [2, 2]
    assert python_dispatch.is_traceable_wrapper_subclass(made)


def test_questions_about_modes():
    assert not python_dispatch.is_in_torch_dispatch_mode()
    with Names() as names:
        assert python_dispatch._get_current_dispatch_mode() is names
        assert python_dispatch._len_torch_dispatch_stack() == 1
        with python_dispatch._disable_current_modes():
            torch.ones(2) + 1
        assert names.seen == []
    assert torch.overrides._get_current_function_mode_stack() == []


def test_operators_without_a_public_function_can_be_called():
    aten = torch.ops.aten
    g, x = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, 1.0])
    assert aten.threshold_backward.default(g, x, 0).tolist() == [0, 2]
    out, mean, rstd = aten.native_layer_norm.default(x, [2], None, None, 0.0)
    assert out.tolist() == [-1, 1] and mean.item() == 0 and rstd.item() == 1
    back = aten.convolution_backward.default(
        torch.ones(1, 1, 1), torch.ones(1, 1, 3), torch.ones(1, 1, 3), [1], [1], [0], [1], False,
        [0], 1, [True, True, True],
    )  # fmt: skip
    assert [t.flatten().tolist() for t in back] == [[1, 1, 1], [1, 1, 1], [1]]


def test_optimizers_step_wrapped_parameters():
    class Pair(torch.Tensor):
        @staticmethod
        def __new__(cls, held):
            made = torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
            made.held = held
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            def bare(t):
                return t.held if isinstance(t, Pair) else t

            out = func(*tree_map(bare, args), **tree_map(bare, kwargs or {}))
            out = tree_map(lambda t: Pair(t) if isinstance(t, torch.Tensor) else t, out)
            return python_dispatch.return_and_correct_aliasing(func, args, kwargs or {}, out)

    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        held = torch.tensor([1.0, -2.0])
        wrapped = torch.nn.Parameter(Pair(held.clone()))
        plain = torch.nn.Parameter(held.clone())
        for p in (wrapped, plain):
            step = kind([p], lr=0.1)
            for _ in range(3):
                step.zero_grad()
                (p * p).sum().backward()
                step.step()
        assert torch.allclose(wrapped.held, plain.detach()), kind


def test_compiled_functions_run_eagerly_under_a_mode():
    compiled = torch.compile(lambda x: (x * 2).sin().sum())
    x = torch.ones(3)
    expected = compiled(x)
    with Names() as names:
        found = compiled(x)
    assert torch.equal(found, expected)
    assert names.seen == ["aten.mul.Tensor", "aten.sin.default", "aten.sum.default"]
