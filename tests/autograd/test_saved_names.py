"""What a node shows of its saved values: the names are PyTorch's, the values what was saved."""

import pytest

import chainrule as torch
import chainrule.nn.functional as F

X = [[0.5, 1.5], [2.0, 3.0]]

# Program, what PyTorch 2.13's `grad_fn` has under `_saved_`: shapes of tensors, or the value.
CASES = {
    "mul": (lambda x, w: x * w, {"self": "x", "other": "w"}),
    "div": (lambda x, w: x / w, {"self": "x", "other": "w"}),
    "add": (lambda x, w: x + w, {"alpha": 1}),
    "pow": (lambda x, w: x**2, {"self": "x", "exponent": 2}),
    "exp": (lambda x, w: x.exp(), {"result": "out"}),
    "sin": (lambda x, w: x.sin(), {"self": "x"}),
    "mm": (
        lambda x, w: x @ w,
        {"self": "x", "mat2": "w", "mat2_sym_sizes": (2, 2), "self_sym_strides": (2, 1)},
    ),
    "addmm": (
        lambda x, w: torch.addmm(x, x, w),
        {"mat1": "x", "mat2": "w", "alpha": 1, "beta": 1},
    ),
    "sum": (lambda x, w: x.sum(1), {"dim": (1,), "keepdim": False, "self_sym_sizes": (2, 2)}),
    "mean": (lambda x, w: x.mean(), {"self_sym_numel": 4, "self_sym_sizes": (2, 2)}),
    "softmax": (lambda x, w: x.softmax(1), {"dim": 1, "result": "out"}),
    "transpose": (lambda x, w: x.transpose(0, 1), {"dim0": 0, "dim1": 1}),
    "permute": (lambda x, w: x.permute(1, 0), {"dims": (1, 0)}),
    "cat": (lambda x, w: torch.cat([x, w]), {"dim": 0}),
    "clamp": (lambda x, w: x.clamp(0, 1), {"self": "x", "min": 0, "max": 1}),
    "leaky_relu": (lambda x, w: F.leaky_relu(x), {"self": "x", "negative_slope": 0.01}),
    "hardtanh": (lambda x, w: F.hardtanh(x), {"min_val": -1.0, "max_val": 1.0}),
    "mse_loss": (lambda x, w: F.mse_loss(x, w), {"self": "x", "target": "w", "reduction": 1}),
    "gelu": (lambda x, w: F.gelu(x), {"self": "x", "approximate": "none"}),
    "flip": (lambda x, w: x.flip(0), {"dims": (0,)}),
    "tril": (lambda x, w: x.tril(), {"diagonal": 0}),
    "dot": (lambda x, w: x[0] @ w[0], {"self": "x0", "tensor": "w0"}),
    "inverse": (lambda x, w: torch.inverse(x), {"inverse": "out"}),
}


@pytest.mark.parametrize("name", CASES)
def test_names_and_values_are_pytorchs(name):
    program, expected = CASES[name]
    x = torch.tensor(X, requires_grad=True)
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = program(x, w)
    known = {"x": x, "w": w, "out": y, "x0": x[0], "w0": w[0]}
    for attribute, value in expected.items():
        found = getattr(y.grad_fn, f"_saved_{attribute}")
        if isinstance(value, str) and value in known:
            assert torch.equal(found, known[value])
        else:
            assert found == value
            assert type(found) is type(value)
        if not attribute.endswith(("_sym_sizes", "_sym_strides", "_sym_numel")):
            assert f"_saved_{attribute}" in dir(y.grad_fn)


def test_an_unknown_name_is_an_error_that_lists_the_known_ones():
    x = torch.tensor(X, requires_grad=True)
    with pytest.raises(AttributeError, match="it saves _saved_mat2, _saved_self"):
        _ = (x @ x).grad_fn._saved_other
    with pytest.raises(AttributeError, match="it saves nothing"):
        _ = (-x).grad_fn._saved_self


def test_a_shape_is_not_given_for_the_tensor_itself():
    x = torch.tensor(X, requires_grad=True)
    with pytest.raises(AttributeError, match="_saved_self_sym_sizes"):
        _ = x.sum().grad_fn._saved_self
