"""Every error says what (with values), the user's line, why, and the fix."""

import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def message(kind, run):
    with pytest.raises(kind) as caught:
        run()
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def check(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is missing in:\n{text}"
    assert "test_errors.py:" in text, f"no user line in:\n{text}"


def test_shape_mismatch():
    text = message(RuntimeError, lambda: torch.ones(2, 3) + torch.ones(2, 4))
    check(text, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
          "dimension 1", "[2, 3] and [2, 4]", "Fix:")  # fmt: skip


def test_shape_mismatch_while_recording():
    text = message(RuntimeError, lambda: leaf(1.0, 2.0) * leaf(1.0, 2.0, 3.0))
    check(text, "The size of tensor a (2) must match the size of tensor b (3)", "[2] and [3]")


def test_matmul_mismatch():
    text = message(RuntimeError, lambda: torch.ones(2, 3) @ torch.ones(4, 5))
    check(text, "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")


def test_dtype_mismatch():
    text = message(RuntimeError, lambda: torch.ones(2, 2) @ torch.ones(2, 2).double())
    check(text, "to have the same dtype", "float")


def test_non_scalar_backward():
    text = message(RuntimeError, lambda: (leaf(1.0, 2.0) * 2).backward())
    check(text, "grad can be implicitly created only for scalar outputs", "[2]", "gradient=")


def test_backward_without_a_graph():
    text = message(RuntimeError, lambda: torch.ones(1).backward())
    check(text, "element 0 of tensors does not require grad and does not have a grad_fn", "Fix:")


def test_freed_graph():
    y = (leaf(2.0) ** 2).sum()
    y.backward()
    text = message(RuntimeError, y.backward)
    check(text, "Trying to backward through the graph a second time", "PowBackward0",
          "retain_graph=True")  # fmt: skip


def test_leaf_modified_in_place():
    text = message(RuntimeError, lambda: leaf(1.0).add_(1))
    check(text, "a leaf Variable that requires grad is being used in an in-place operation",
          "add_ on a tensor of shape [1]", "torch.no_grad()")  # fmt: skip


def test_inference_tensor_in_autograd():
    with torch.inference_mode():
        i = torch.ones(1, dtype=torch.float64)
    text = message(RuntimeError, lambda: leaf(2.0) * i)
    check(text, "Inference tensors cannot be saved for backward", "clone()")


def test_numpy_on_a_tracked_tensor():
    text = message(RuntimeError, lambda: leaf(1.0).numpy())
    check(text, "Can't call numpy() on Tensor that requires grad", "tensor.detach().numpy()")


def test_unused_input():
    text = message(RuntimeError, lambda: torch.autograd.grad(leaf(1.0).sum(), [leaf(2.0)]))
    check(text, "One of the differentiated Tensors appears to not have been used in the graph",
          "input number 0", "allow_unused=True")  # fmt: skip


def test_gradient_of_the_wrong_shape():
    y = leaf(1.0, 2.0) * 2
    text = message(RuntimeError, lambda: y.backward(torch.ones(3).double()))
    check(text, "Mismatch in shape: grad_output[0] has a shape of torch.Size([3])",
          "output[0] has a shape of torch.Size([2])")  # fmt: skip


def test_dim_out_of_range():
    text = message(IndexError, lambda: torch.ones(2, 3).sum(5))
    check(text, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")


def test_index_out_of_bounds():
    text = message(IndexError, lambda: torch.ones(3)[7])
    check(text, "index 7 is out of bounds for dimension 0 with size 3")
    text = message(IndexError, lambda: torch.ones(3)[torch.tensor([1, 9])])
    check(text, "index 9 is out of bounds for dimension 0 with size 3")


def test_too_many_indices():
    text = message(IndexError, lambda: torch.ones(3)[0, 0])
    check(text, "too many indices for tensor of dimension 1")


def test_view_of_strided_memory():
    text = message(RuntimeError, lambda: torch.ones(2, 3).t().view(6))
    check(text, "view size is not compatible with input tensor's size and stride", ".reshape(")


def test_wrong_number_of_elements():
    text = message(RuntimeError, lambda: torch.ones(6).view(4, 2))
    check(text, "shape '[4, 2]' is invalid for input of size 6")


def test_not_a_tensor():
    text = message(TypeError, lambda: torch.ones(2).mul("three"))
    check(text, "str")


def test_truth_of_many_values():
    text = message(RuntimeError, lambda: bool(torch.ones(2)))
    check(text, "Boolean value of Tensor with more than one value is ambiguous", "[2]", ".any()")


def test_item_of_many_values():
    text = message(RuntimeError, lambda: torch.ones(2).item())
    check(text, "a Tensor with 2 elements cannot be converted to Scalar")


def test_out_does_not_differentiate():
    out = torch.empty(2, dtype=torch.float64)
    text = message(RuntimeError, lambda: torch.add(leaf(1.0, 2.0), 1, out=out))
    check(text, "functions with out=... arguments don't support automatic differentiation")


def test_other_devices_are_refused():
    text = message(RuntimeError, lambda: torch.ones(2, device="cuda"))
    check(text, "cuda", "cpu")


def test_assigned_grad_must_fit():
    x = leaf(1.0, 2.0)

    def assign():
        x.grad = torch.ones(3).double()

    check(message(RuntimeError, assign), "attempting to assign a gradient of size '[3]'")
