"""Writes in place on which the fuzzer found a wrong gradient."""

import math

import pytest

import chainrule as torch
from chainrule.func import grad, jvp, vmap


def test_an_operand_that_is_another_view_of_the_memory_written_to():
    # y - y is zero whatever x is. The operand's view went on with the history from before.
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    doubled = x * 2
    row = doubled.flatten()
    row[...].sub_(row)
    row.sin().sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_tensor_times_itself_in_place():
    # The rule read the operand after it had been overwritten. (PyTorch refuses in backward.)
    for operand in (lambda t: t, lambda t: t[...], lambda t: t.view(2)):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        doubled = x * 2
        doubled.mul_(operand(doubled))  # 4 x²
        doubled.sum().backward()
        assert x.grad.tolist() == [8.0, 16.0]


def test_a_view_of_what_was_multiplied_by_it():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    doubled = x * 2
    part = doubled[...]
    doubled.mul_(part)
    part.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_views_that_were_made_without_recording_end_gradients_of_any_shape():
    # The pass added up what reached them, and their shapes did not fit.
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    with torch.no_grad():
        row, column = y[0], y[:, 0]
    (row.sum() + (column * column).sum() + y.sum()).backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_views_of_a_tensor_whose_shape_is_changed_in_place_inside_a_transform():
    # The views were derived again from the new shape as if it were the old one.
    def f(x):
        base = x * 1
        row, columns = base[0], base[:, 1:]
        base.t_()
        base.unsqueeze_(1)
        columns.mul_(3)
        return (row * torch.tensor([1.0, 2.0, 4.0])).sum() + (base * base).sum()

    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    want = [[3.0, 42.0, 66.0], [8.0, 90.0, 108.0]]  # 2 s² x, and s times the weight in row 0
    assert f(x).item() == (1 + 12 + 36) + (1 + 36 + 81 + 16 + 225 + 324)
    assert grad(f)(x).tolist() == want
    assert vmap(grad(f))(x[None])[0].tolist() == want
    assert jvp(f, (x,), (torch.ones(2, 3),))[1].item() == sum(map(sum, want))


@pytest.mark.parametrize("shape", [(), (3,)])
def test_renorm_needs_rows(shape):
    with pytest.raises(RuntimeError, match="renorm: input needs at least 2 dimensions"):
        torch.ones(shape).renorm_(2, 0, 0.9)


def test_indexed_assignment_in_nested_transforms():
    # Refused as a write to a leaf: the tensor of the inner transform has no node of its own.
    def f(x):
        y = x * 2
        y[torch.tensor([True, False])] = 0.25
        y[torch.tensor([1])] = y[1:] * 3
        return y.sum()

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    want = [0.0, 6.0]
    assert grad(lambda x: vmap(f)(x).sum())(x).tolist() == [want, want]
    assert vmap(grad(f))(x).tolist() == [want, want]
    assert grad(lambda x: jvp(f, (x,), (x,))[1])(x[0]).tolist() == want  # of x · its own gradient


def test_gradient_of_a_directional_derivative_of_a_function_that_writes():
    # Refused: the old tangent, which the outer gradient needs, was overwritten.
    def f(x):
        y = x * x
        y[1:].tanh_()
        return y.sum()

    x = torch.tensor([0.5, 0.25], dtype=torch.float64)
    u = math.tanh(0.0625)
    slope = 1 - u * u
    second = 2 * slope - 8 * 0.0625 * u * slope  # of tanh(x²)
    found = grad(lambda x: jvp(f, (x,), (torch.ones(2, dtype=x.dtype),))[1])(x)
    assert found.tolist() == pytest.approx([2.0, second], rel=1e-12)


def test_gradient_through_a_flat_view_of_a_tensor_in_another_layout():
    # "not viewable": the gradient lies in memory as it likes.
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    flat = y.flatten()
    flat.permute(0).mul_(3)
    y.transpose_(0, 1)
    (y.expand(2, -1, -1) * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0.0, 24.0, 48.0], [12.0, 36.0, 60.0]]  # 2 · 2 · 3 times the weight


def test_a_write_to_the_imaginary_part_discards_nothing_in_backward():
    # NumPy warned of complex values that become real; a warning is an error in the tests.
    x = torch.tensor([1.0 + 2.0j], requires_grad=True)
    y = x * 2
    y.imag.mul_(3)
    (y * y.conj()).real.sum().backward()  # 4 a² + 36 b²
    assert x.grad.tolist() == [8.0 + 144.0j]


def test_the_same_elements_are_no_overlap_whatever_the_strides_of_single_ones():
    y = torch.arange(6.0).reshape(2, 3, 1)
    y.transpose_(0, 1)
    y.view_as(torch.zeros(3, 2, 1)).add_(y)
    assert y[..., 0].tolist() == [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]


@pytest.mark.jit
def test_a_compiled_write_to_a_view_of_a_tensor_whose_shape_was_changed():
    # The view was looked for in the new shape as if it were the old one.
    def f(x):
        base = -x
        places = base.diagonal(1)
        base.t_()
        torch.nn.functional.hardswish(places.unsqueeze(0), inplace=True)
        return places.sin().sum() + (base * base).sum()

    def gradient(function):
        x = torch.tensor([[0.5, 0.75], [-1.0, 0.25], [-0.5, -1.25]], requires_grad=True)
        return torch.autograd.grad(function(x), x)[0].tolist()

    compiled, want = torch.compile(f), gradient(f)
    for _ in range(4):
        assert gradient(compiled) == [pytest.approx(row, rel=1e-5) for row in want]


def test_a_refused_operand_leaves_the_tensor_as_it_was():
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    row = x.unbind(0)[0]
    with torch.no_grad():
        row.mul_(2)
    y = torch.ones(2, requires_grad=True) * 3
    with pytest.raises(RuntimeError, match="is a view and its base"):
        y -= row
    assert y.tolist() == [3.0, 3.0]
    assert y._version == 0


def _squares_of_a_strided_part(x):
    # The diagonal shows 0, 2, 4, 7, 9 and 11; elements 5 and 6 belong to the root alone.
    y = x * x
    y.diagonal(0, 0, 2).as_strided((4,), (1,), 4).square_()
    return y.sum()


def _exponentials_of_views_of_a_strided_view(x):
    y = x * x
    part = y[1].as_strided((4,), (1,), 2).view(2, 2).t()
    part[0].exp_()  # elements 2 and 4
    return y.sum() + part[1].sum()  # and once more 3 and 5


def _strided_view_of_numbers_as_pairs(x):
    y = x * x
    parts = torch.view_as_real(torch.view_as_complex(y))[0]
    parts.as_strided((4,), (1,), 5).mul_(torch.arange(1.0, 5.0, dtype=torch.float64))
    return y.sum()


def _strided_view_of_a_composite_write(x):
    y = x * x
    y[1].as_strided((3,), (1,), 2).logit_(eps=None)
    return y.sum()


_STRIDED_WRITES = [
    _squares_of_a_strided_part,
    _exponentials_of_views_of_a_strided_view,
    _strided_view_of_numbers_as_pairs,
    _strided_view_of_a_composite_write,
]


@pytest.mark.parametrize("f", _STRIDED_WRITES)
def test_as_strided_of_a_view_reaches_elements_that_the_view_does_not_show(f):
    # Gradients of elements outside of the view in between were lost.
    x = (torch.arange(12, dtype=torch.float64) * 0.07 + 0.1).reshape(2, 3, 2)
    step = 1e-6
    expected = []
    for k in range(12):
        bump = torch.zeros(12, dtype=torch.float64)
        bump[k] = step
        bump = bump.reshape(2, 3, 2)
        expected.append((f(x + bump).item() - f(x - bump).item()) / (2 * step))
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    compiled = x.clone().requires_grad_()
    torch.compile(f)(compiled).backward()
    for found in (leaf.grad, compiled.grad, grad(f)(x)):
        assert found.flatten().tolist() == pytest.approx(expected, rel=1e-6)
    tangent = jvp(f, (x,), (torch.ones_like(x),))[1].item()
    assert tangent == pytest.approx(sum(expected), rel=1e-6)


def test_tangents_of_what_as_strided_shows_outside_of_a_view():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    shown = jvp(lambda x: (x * x)[2:].as_strided((3,), (1,), 0), (x,), (torch.ones(4),))[1]
    assert shown.tolist() == [2.0, 4.0, 6.0]


def test_as_strided_does_not_read_other_examples_inside_vmap():
    rows = torch.arange(24.0).reshape(4, 6)[:3]
    assert vmap(lambda x: x.as_strided((3,), (2,), 1))(rows).tolist()[1] == [7.0, 9.0, 11.0]
    with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
        vmap(lambda x: x.as_strided((8,), (1,), 0))(rows)


@pytest.mark.parametrize("name", ["logical_and_", "logical_or_", "logical_xor_", "logical_not_"])
def test_logical_writes_leave_history_and_tangent_alone_at_every_level(name):
    # Transforms cut them off, the tape did not.
    other = torch.tensor([1.0, 0.0, 0.0])

    def f(x):
        y = x * 3
        getattr(y, name)(*(() if name == "logical_not_" else (other,)))
        return y * y  # the gradient is 2 y 3, of the y that was written

    x = torch.tensor([2.0, -1.0, 0.0])
    leaf = x.clone().requires_grad_()
    f(leaf).sum().backward()
    expected = [6 * (v > 0) for v in f(x).tolist()]
    assert any(expected)
    assert leaf.grad.tolist() == expected
    assert grad(lambda x: f(x).sum())(x).tolist() == expected
    assert jvp(f, (x,), (torch.ones(3),))[1].tolist() == expected
    assert vmap(grad(lambda x: f(x).sum()))(x[None]).tolist() == [expected]
    assert grad(lambda x: vmap(f)(x).sum())(x[None]).tolist() == [expected]


def _filled(y):
    with torch.no_grad():
        y.fill_(3)
    return y


def _part_written(y):
    y = y * 1
    with torch.no_grad():
        y[0].mul_(y[1])
    return y * y


def _added_across(y):
    wide = torch.stack([y, y]).t()  # its tangent may lie in memory in another order
    with torch.no_grad():
        wide.add_(1)
    return wide * wide


@pytest.mark.parametrize(
    ("f", "expected"),  # PyTorch 2.13's values
    [(_filled, [1.5, 1.5]), (_part_written, [16.0, 10.0]), (_added_across, [18.0, 26.0])],
)
def test_tangents_written_without_recording_keep_their_history(f, expected):
    # As the value does: the gradient of the tangent was lost.
    def both(y):
        return sum(part.sum() for part in jvp(f, (y,), (y * 0.5 + 1,)))

    y = torch.tensor([1.0, 2.0])
    assert grad(both)(y.clone()).tolist() == expected
    leaf = y.clone().requires_grad_()
    both(leaf * 1).backward()
    assert leaf.grad.tolist() == expected


def test_a_resized_out_counts_one_change():
    for out in (torch.empty(0), torch.empty(3, 0), torch.ones(2)):
        shared = out.detach()
        torch.mul(torch.ones(2), 3, out=out)
        assert (out._version, shared._version) == (1, 1)


def test_a_retained_gradient_has_the_shape_it_was_asked_for():
    # As in PyTorch; the gradient by the tensor itself has the shape it has now.
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    for whole in (True, False):
        y = x * x if whole else (x * x)[...]
        y.retain_grad()
        y.transpose_(0, 1)
        y.retain_grad()  # once is enough
        (by_y,) = torch.autograd.grad((y * y).sum(), y, retain_graph=True)
        assert y.grad is None
        (y * y).sum().backward()
        assert y.grad.tolist() == [[0.0, 2.0, 8.0], [18.0, 32.0, 50.0]]
        assert by_y.tolist() == y.grad.t().tolist()


def test_a_retained_gradient_follows_writes_after_a_change_of_shape():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * x
    y.retain_grad()
    y.t_().mul_(2)
    (y * y).sum().backward()
    assert y.grad.tolist() == [[0.0, 36.0], [4.0, 64.0], [16.0, 100.0]]


@pytest.mark.parametrize(
    ("write", "slope"),
    [
        (lambda y: y.imag.unfold(0, 1, 1).mul_(2), (2, 8)),
        (lambda y: y.unfold(0, 1, 1).real.mul_(2), (8, 2)),
        (lambda y: torch.view_as_real(y).unfold(0, 1, 1).mul_(2), (8, 8)),
    ],
)
def test_windows_of_the_parts_of_complex_numbers_are_written(write, slope):
    # Which elements a chain of views selects was counted in whole numbers, which have no parts.
    x = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    y = x * 1
    write(y)
    (y * y.conj()).real.sum().backward()
    assert x.grad.real.tolist() == [slope[0] * 1, slope[0] * 3]
    assert x.grad.imag.tolist() == [slope[1] * 2, slope[1] * 4]


def test_complex_views_of_windows_are_written():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    torch.view_as_complex(y.unfold(0, 2, 2)).mul_(1j)  # (a, b) becomes (-b, a)
    (by_x,) = torch.autograd.grad((y * torch.arange(4.0)).sum(), x)
    assert y.tolist() == [-2.0, 1.0, -4.0, 3.0]
    assert by_x.tolist() == [1.0, -0.0, 3.0, -2.0]


def test_a_part_of_a_split_tensor_is_written_into_the_whole():
    # The part is read before its base changes; only afterwards it is stale.
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * x
    part = y.split(1)[0]
    y[...] = part
    y.sum().backward()
    assert x.grad.tolist() == [[4.0, 8.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="another view of its base has been modified inplace"):
        part.sin()


def test_a_stale_part_cannot_be_set():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    part = y.split(1)[0]
    y.mul_(2)
    with pytest.raises(RuntimeError, match="another view of its base has been modified inplace"):
        (x * 3).set_(part)


def test_views_without_history_of_two_shapes_in_one_pass():
    # Their gradients, which nobody wants, were added up.
    x, y = torch.ones(2, 3, 4, requires_grad=True), torch.ones(4, requires_grad=True)
    doubled = y * 2
    with torch.no_grad():
        views = (x.split(1, 1)[0], doubled.chunk(2)[0])
    kept = doubled.narrow(0, 0, 3)
    kept.retain_grad()
    total = sum((view.sin().sum() for view in views), kept.sum())
    total.backward()
    assert kept.grad.tolist() == [1.0, 1.0, 1.0]
    assert y.grad.tolist() == [2.0, 2.0, 2.0, 0.0]
    assert x.grad is None


def test_sgn_uses_what_is_written_behind_its_back_as_pytorch_does():
    # Of two formulas that agree for unit numbers, PyTorch's.
    x = torch.tensor([3 + 4j], dtype=torch.complex128, requires_grad=True)
    y = x.sgn()
    y.data.mul_(2)
    y.backward(torch.tensor([0.6 + 0.8j], dtype=torch.complex128))
    assert torch.allclose(x.grad, torch.tensor([-0.18 - 0.24j], dtype=torch.complex128))
