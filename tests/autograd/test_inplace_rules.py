"""In-place methods where gradients are recorded, and where they are not: what keeps its history,
what becomes zero, what is refused. Values are PyTorch 2.13's unless they are plain mathematics."""

import pytest

import chainrule as torch

D = torch.float64


def leaf(values):
    return torch.tensor(values, dtype=D, requires_grad=True)


MATRIX = [[1.0, 2.0], [3.0, 4.0]]


# ---- shapes --------------------------------------------------------------------------------------

SHAPES = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "swapaxes_": lambda x: x.swapaxes_(0, 1),
    "swapdims_": lambda x: x.swapdims_(0, 1),
    "squeeze_": lambda x: x.squeeze_(),
    "squeeze_ one": lambda x: x.squeeze_(0),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "as_strided_": lambda x: x.as_strided_((2, 2), (1, 2)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_changes_of_shape_without_recording_keep_the_graph(name):
    x = leaf(MATRIX)
    y = x * 3
    with torch.no_grad():
        SHAPES[name](y)
        SHAPES[name](x)
    assert y.requires_grad and y.grad_fn is not None and y._version == 1
    assert x.is_leaf and x.requires_grad
    y.sum().backward(retain_graph=True)
    assert x.grad.reshape(-1).tolist() == [3.0] * 4
    x.grad = None
    (x * 5).sum().backward()
    assert x.grad.shape == x.shape and x.grad.reshape(-1).tolist() == [5.0] * 4


def test_a_gradient_that_no_longer_fits_is_refused():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x * 1
    with torch.no_grad():
        y.t_()
    with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0"):
        y.sum().backward()


def test_views_follow_when_their_base_changes_shape():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x * 1
    row = y[0]
    y.t_()
    (row * torch.tensor([1.0, 10.0, 100.0], dtype=D)).sum().backward(retain_graph=True)
    assert x.grad.tolist() == [[1.0, 10.0, 100.0], [0.0, 0.0, 0.0]]
    x.grad = None
    row.mul_(7)
    assert y.tolist() == [[7.0, 4.0], [14.0, 5.0], [21.0, 6.0]]
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=D)).sum().backward()
    assert x.grad.tolist() == [[7.0, 21.0, 35.0], [2.0, 4.0, 6.0]]


# ---- writes without a derivative -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_"])
def test_comparisons_in_place_have_zero_gradients(name):
    x, other = leaf(MATRIX), leaf([2.0, 2.0])
    y = x * 1
    getattr(y, name)(other)
    (y * 3).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert other.grad.tolist() == [0.0, 0.0]
    plain = torch.ones(2, dtype=D)
    assert getattr(plain, name)(other).requires_grad
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(x, name)(1)


def test_logical_writes_leave_the_history_alone():
    x = leaf(MATRIX)
    y = x * 3
    y.logical_not_()
    y.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    x.logical_not_()
    assert x.is_leaf and x.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x // 2,
        lambda x: (x * 1).floor_divide_(2),
        lambda x: torch.ones(2, 2, dtype=D).floor_divide_(x),
        lambda x: torch.heaviside(x, torch.zeros(1, dtype=D)),
        lambda x: (x * 1).heaviside_(x),
    ],
)
def test_functions_without_a_derivative_say_so(use):
    y = use(leaf(MATRIX))
    assert y.requires_grad
    with pytest.raises(RuntimeError, match=r"derivative for aten::.* is not implemented"):
        y.sum().backward()


def test_copy_gives_the_old_value_a_zero_gradient():
    x, w = leaf(MATRIX), leaf(MATRIX)
    y = x * 1
    y.copy_(w)
    (y * 2).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert w.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


# ---- leaves and views ----------------------------------------------------------------------------


def test_a_leaf_that_is_a_view_is_not_overwritten():
    part = torch.zeros(4, dtype=D)[1:].requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        part.mul_(2)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        part[0] = 1.0


def test_masked_writes_to_leaves_are_refused_whatever_the_mask():
    x = leaf(MATRIX)
    for mask in (x > 2, x > 100):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            x[mask] = 0.0
    with torch.no_grad():
        x[x > 2] = 0.0
    assert x.tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_a_view_made_without_recording_becomes_a_leaf_of_its_own():
    x = leaf(MATRIX)
    with torch.no_grad():
        row, other = x[0], x[1]
    assert row.requires_grad and row.grad_fn is None
    log = []
    other.register_hook(lambda g: log.append("other"))
    row.register_hook(lambda g: log.append("row"))
    row.requires_grad_()
    (row * 2 + other).sum().backward()
    assert row.grad.tolist() == [2.0, 2.0]
    assert x.grad is None and log == ["row"]
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        other.backward(torch.ones(2, dtype=D))
    x.requires_grad_(False)
    assert row.requires_grad and not other.requires_grad


def test_flags_of_computed_tensors_stay():
    y = leaf(MATRIX) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
        y.requires_grad = True
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
        y.requires_grad_(False)
    assert y.requires_grad_() is y


def test_views_are_not_detached_in_place():
    for base in (torch.zeros(3, 2), leaf(MATRIX) * 1, leaf(MATRIX)):
        for view in (base[0], base.t()[1:]):
            with pytest.raises(RuntimeError, match="Can't detach views in-place"):
                view.detach_()
    hidden = leaf(MATRIX) @ torch.ones(2, dtype=D)  # however the product is computed
    assert not hidden.detach_().requires_grad
    x = leaf(MATRIX)
    y = x * 2
    with torch.no_grad():
        part = y[0]
    y.detach_()
    assert not y.requires_grad and not part.requires_grad


def test_retained_gradients_are_those_of_the_latest_value():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    assert y.retains_grad
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]
    base = x * 2
    part = base[:1]
    part.retain_grad()
    base.retain_grad()
    part.mul_(7)
    (base * 3).sum().backward()
    assert base.grad.tolist() == [3.0, 3.0] and base.retains_grad


# ---- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "windows", [lambda t: t.unfold(0, 2, 1), lambda t: t.as_strided((2, 3), (1, 1))]
)
def test_overlapping_windows_are_written_only_with_one_value(windows):
    for change in (lambda v: v.add_(1), lambda v: v.copy_(v * 2), lambda v: v.sin_()):
        x = torch.arange(5, dtype=D)
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            change(windows(x))
        assert x.tolist() == [0, 1, 2, 3, 4]
    base = leaf([1.0, 2.0, 3.0, 4.0]) * 1
    windows(base).zero_()
    base.sum().backward()
    assert base.tolist() == [0.0] * 4
    windows(x)[...] = 9.0
    assert x.tolist() in ([9.0] * 5, [9.0] * 4 + [4.0])


def test_windows_that_do_not_overlap_are_written():
    x = torch.arange(8, dtype=D)
    x.unfold(0, 2, 3).add_(100)
    x.as_strided((2, 2), (3, 2), 1).mul_(2)  # places 1, 3, 4, 6: each once, in no plain order
    assert x.tolist() == [100.0, 202.0, 2.0, 206.0, 208.0, 5.0, 212.0, 107.0]


def test_set_shows_other_memory_and_has_no_derivative():
    p = leaf([1.0, 2.0, 3.0])
    square = p * p
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        p.set_(torch.zeros(2, dtype=D))
    with torch.no_grad():
        p.set_(torch.tensor([5.0, 6.0], dtype=D))
    (p * 2).sum().backward()
    assert p.tolist() == [5.0, 6.0] and p.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.sum().backward()
    with pytest.raises(
        RuntimeError, match="Could not set tensor of type float to a tensor of type double"
    ):
        torch.zeros(2, dtype=D).set_(torch.zeros(2))
    y = p * 1
    y.set_(torch.zeros(2, dtype=D))
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        y.sum().backward()


def test_whole_numbers_take_values_without_history():
    x = leaf([1.0, 2.0])
    counts = torch.zeros(2, dtype=torch.int64)
    counts[0] = x[1]
    counts.copy_(x)
    assert counts.tolist() == [1, 2] and not counts.requires_grad


def test_leaves_that_no_longer_want_a_gradient_get_none():
    x = leaf([1.0, 2.0])
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward(retain_graph=True)
    assert x.grad is None
    x.add_(y)
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        y.sum().backward()


def test_windows_of_one_place_have_memory_of_their_own():
    image = torch.arange(4, dtype=D).reshape(1, 1, 2, 2)
    torch.nn.functional.unfold(image, 1).add_(1)
    assert image.tolist() == [[[[0.0, 1.0], [2.0, 3.0]]]]
