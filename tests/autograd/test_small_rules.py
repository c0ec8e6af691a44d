"""Saved-tensor hooks, anomaly mode, layouts and types of gradients, edges, modes: single rules."""

import warnings

import pytest

import chainrule as torch

D = torch.float64


def leaf(*values):
    return torch.tensor(values, dtype=D, requires_grad=True)


def test_pack_hooks_may_not_modify_what_they_are_given():
    def spoil(t):
        t.add_(1)
        return t

    x = leaf(1.0) * 1
    with torch.autograd.graph.saved_tensors_hooks(spoil, lambda t: t):
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
            x.exp()


def test_hooks_entered_or_left_while_unpacking_end_there():
    calls = []

    def unpack(t):
        calls.append(1)
        context.__enter__()
        return t

    context = torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack)
    with context:
        y = leaf(1.0).sin()
    y.backward()
    assert calls == [1]
    leaf(1.0).sin().backward()  # nothing is packed any more
    assert calls == [1]
    context.__exit__()  # one too many does no harm


def test_anomaly_mode_names_the_line_of_an_overwritten_value():
    x = leaf(1.0, 2.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            y = x + 1
            z = y**2
            y += 1
            with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
                z.sum().backward()
    assert "Error detected in PowBackward0" in str(seen[-1].message)
    assert "z = y**2" in str(seen[-1].message)


def test_gradients_lie_in_memory_as_their_leaves_do():
    x = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    weights = torch.arange(120.0).reshape(2, 3, 4, 5)
    (x * weights).sum().backward()
    assert x.grad.stride() == x.stride() and torch.equal(x.grad, weights)
    turned = torch.rand(3, 4).t().requires_grad_()
    turned.sum().backward()
    assert turned.grad.stride() == (1, 4)
    x.grad = None
    with torch.autograd.enforce_grad_layout_policy(False):
        (x * weights).sum().backward()
    assert x.grad.is_contiguous()


def test_leaves_may_ask_for_gradients_of_another_type():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert x.grad_dtype is torch.float32
    x.grad_dtype = torch.float16
    (x * 2).sum().backward()
    assert x.grad.dtype is torch.float16
    with pytest.raises(RuntimeError, match="because there is already a gradient"):
        x.grad_dtype = torch.float64
    x.grad = None
    with pytest.raises(RuntimeError, match=r"attempting to assign a gradient with dtype"):
        x.grad = torch.ones(2)
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=D)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and x.grad.dtype is D
    with pytest.raises(RuntimeError, match="can only be accessed on leaf tensors"):
        (x * 2).grad_dtype  # noqa: B018


def test_edges_of_single_numbers_start_a_pass_alone():
    x = leaf(3.0)
    edge = torch.autograd.graph.get_gradient_edge(x * x)
    torch.autograd.backward(edge)
    assert x.grad.tolist() == [6.0]
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        torch.autograd.backward(torch.autograd.graph.get_gradient_edge(leaf(1.0, 2.0) * 1))


def test_batched_gradients_have_one_dimension_more():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
        torch.autograd.grad(x * 2, x, torch.ones(2, dtype=D), is_grads_batched=True)


def test_modes_decorate_the_construction_of_classes():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Model:
            def __init__(self):
                self.during = torch.is_grad_enabled()

            def recording(self):
                return torch.is_grad_enabled()

    assert not Model().during and Model().recording()


def test_attributes_that_a_tensor_always_has():
    x = leaf(1.0)
    with pytest.raises(RuntimeError):
        del x.data
    with pytest.raises(RuntimeError):
        del x.requires_grad
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        x.data = torch.tensor([1])
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert not x.volatile


def test_strict_modes_refuse_what_does_not_depend_on_the_inputs():
    functional = torch.autograd.functional
    x = torch.rand(3, dtype=D)

    def apart(a):
        return torch.ones(3, dtype=D, requires_grad=True).clone()

    for call, function, phrase in (
        (functional.vjp, lambda a: a.detach(), "Output 0 of the user-provided function does not"),
        (functional.jvp, lambda a: a.detach(), "Output 0 of the user-provided function does not"),
        (functional.jacobian, apart, "Output 0 of the user-provided function is independent of"),
        (functional.vjp, apart, "The output of the user-provided function is independent of"),
        (functional.jvp, apart, "The output of the user-provided function is independent of"),
        (functional.hvp, lambda a: (3 * a).sum(), "with respect to input 0 is independent"),
        (functional.vhp, lambda a: (3 * a).sum(), "with respect to input 0 is independent"),
        (functional.hessian, lambda a: (3 * a).sum(), "with respect to input 0 is independent"),
    ):
        given = () if call in (functional.jacobian, functional.hessian) else (x,)
        with pytest.raises(RuntimeError, match=phrase):
            call(function, x, *given, strict=True)
    with pytest.raises(RuntimeError, match="not supported together"):
        functional.hessian(lambda a: (a**3).sum(), x, strict=True, vectorize=True)
    with pytest.raises(TypeError, match="The v given to vhp must be either a Tensor"):
        functional.vhp(lambda a: (a**3).sum(), x, (x, 2))
    with pytest.raises(TypeError, match="The outputs of the user-provided function given to hess"):
        functional.hessian(lambda a: (a, "text"), x)


def test_a_constant_has_no_second_derivative_of_its_deviation():
    # A quotient by the deviation, 0, was not chosen, but its slope made NaN of the other's.
    for shape in ((3,), ()):
        x = torch.full(shape, 2.0, dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(x.std(correction=0), x, create_graph=True)
        (curve,) = torch.autograd.grad(slope.sum(), x)
        assert not slope.any() and not curve.any()


def test_variances_of_a_number():
    x = torch.tensor(0.5, requires_grad=True)
    for dtype in (torch.float32, torch.float64):
        number = x.to(dtype)
        assert number.var(correction=0).tolist() == number.std(correction=0).tolist() == 0.0
        assert torch.autograd.grad(number.std(0, correction=0), x)[0].tolist() == 0.0


@pytest.mark.parametrize(
    "name", ["elu", "celu", "selu", "hardswish", "hardtanh", "relu6", "softshrink", "hardshrink"]
)
def test_activations_at_zero_and_at_nan(name):
    # As in PyTorch: no curvature at the kink; NaN goes through, or is where nothing moves.
    x = torch.tensor([0.0, float("nan")], requires_grad=True)
    (slope,) = torch.autograd.grad(
        getattr(torch.nn.functional, name)(x).sum(), x, create_graph=True
    )
    if name.endswith("elu") or name == "hardswish":
        assert slope[1].isnan()
    else:
        assert slope[1] == 0
    if name.endswith("elu"):
        assert torch.autograd.grad(slope[0], x)[0].tolist()[0] == 0.0


@pytest.mark.parametrize("size", [1, 20_000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_gelu_of_infinity(size, dtype):
    x = torch.tensor([float("inf"), float("-inf")] * size, dtype=dtype)
    assert torch.nn.functional.gelu(x)[-2:].tolist() == [float("inf"), 0.0]


def test_solving_an_empty_factorisation():
    solved = torch.linalg.ldl_solve(
        torch.ones(0, 0), torch.ones(0, dtype=torch.int32), torch.ones(0, 5)
    )
    assert solved.shape == (0, 5)


def test_means_of_no_examples_differentiate_twice():
    x = torch.ones(0, 4, 7, 6, requires_grad=True)
    y = torch.nn.functional.adaptive_avg_pool2d(x, (3, 2))
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (curve,) = torch.autograd.grad((slope * slope).sum(), x)
    assert slope.shape == curve.shape == x.shape


def test_counts_and_powers_of_zero_have_no_slope():
    x = torch.tensor([1.0, 0.0, 2.0], requires_grad=True)
    count = torch.linalg.vector_norm(x, 0)
    assert count.item() == 2
    assert torch.autograd.grad(count, x, allow_unused=True) == (None,)
    assert torch.func.grad(lambda t: torch.linalg.vector_norm(t, 0))(x.detach()).tolist() == [0] * 3
    assert not torch.vander(x, N=1).requires_grad
    assert torch.vander(x, N=0).shape == (3, 0)


def test_no_element_equals_a_largest_one_that_was_changed():
    x = torch.tensor([[1.0, 5.0], [3.0, 4.0]], requires_grad=True)
    largest = x.max()
    largest.data.add_(1)
    largest.backward()
    assert x.grad.tolist() == [[0, 0], [0, 0]]
