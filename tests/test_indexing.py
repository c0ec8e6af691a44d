"""x[index] and x[index] = v do what PyTorch does: values, views, gradients, errors."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch

RECORDED = json.loads((Path(__file__).parent / "recorded" / "indexing.json").read_text())


def named(case):
    return f"{case['x']}-{case['index']}".replace("torch.", "").replace(" ", "")[:80]


def parametrized(kind):
    cases = RECORDED[kind]
    return pytest.mark.parametrize(
        "case", cases, ids=[f"{i}-{named(c)}" for i, c in enumerate(cases)]
    )


def leaf(shape):
    n = int(np.prod(shape))
    return torch.tensor(np.arange(float(n)).reshape(shape), requires_grad=True)


def weights(shape):
    n = int(np.prod(tuple(shape)))
    return torch.tensor(np.arange(1.0, n + 1.0).reshape(tuple(shape)))


def numbers(t):
    return [int(v) for v in t.detach().reshape(-1).tolist()]


def index_of(case):
    return eval(case["index"], {"torch": torch, "np": np})


def assert_says(problem, case):
    """The error has PyTorch's type and message, apart from the numbers it gives to dimensions.

    PyTorch counts dimensions of intermediate results, we those of the user's tensor.
    """
    assert type(problem).__name__ == case["error"], repr(problem)
    says, ours = case["says"].rstrip("."), str(problem)
    if says.startswith("expand("):  # it names a tensor type, our words name the shapes
        says = "the number of sizes provided"
    if says.startswith("The shape of the mask"):
        says = says[: says.index("indexed tensor")]
    if says.startswith("index "):
        says = re.sub(r"dimension( \d+)?", "dimension", says)
        ours = re.sub(r"dimension \d+", "dimension", ours)
        if says.startswith("index is"):
            ours = re.sub(r"index -?\d+", "index", ours)
    if says.startswith("The expanded size") and says not in ours:
        says = "must match the existing size"
    assert says in ours, repr(problem)


@parametrized("reads")
def test_recorded_read(case):
    x = leaf(case["x"])
    if "error" in case:
        with pytest.raises((IndexError, ValueError, TypeError, RuntimeError)) as caught:
            x[index_of(case)]
        assert_says(caught.value, case)
        return
    y = x[index_of(case)]
    assert list(y.shape) == case["shape"]
    assert numbers(y) == case["values"]
    assert y._is_view() == case["view"]
    (y * weights(y.shape)).sum().backward()
    assert numbers(x.grad) == case["grad"]


@parametrized("writes")
def test_recorded_write(case):
    x = leaf(case["x"])
    v = (weights(case["v"]) * -1.0).requires_grad_()
    y = x * 1.0
    if "error" in case:
        with pytest.raises((IndexError, ValueError, TypeError, RuntimeError)) as caught:
            y[index_of(case)] = v
        assert_says(caught.value, case)
        return
    y[index_of(case)] = v
    assert numbers(y) == case["values"]
    (y * weights(y.shape)).sum().backward()
    assert numbers(x.grad) == case["grad"]
    assert numbers(torch.zeros_like(v) if v.grad is None else v.grad) == case["value_grad"]


@parametrized("writes")
def test_a_write_without_gradients_gives_the_same_values(case):
    y = leaf(case["x"]).detach()
    if "error" in case:
        with pytest.raises((IndexError, RuntimeError)) as caught:
            y[index_of(case)] = weights(case["v"])
        assert_says(caught.value, case)
        return
    memory = y.data_ptr()
    y[index_of(case)] = weights(case["v"]) * -1.0
    assert numbers(y) == case["values"]
    assert y.data_ptr() == memory


# ---- what random indices do not reach ------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "kind", "says"),
    [
        (1.5, IndexError, "only integers, slices"),
        ({}, IndexError, "(got dict)"),
        ((0, 1j), IndexError, "(got complex)"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (slice(1.5, None), TypeError, "slice indices must be integers"),
        (torch.tensor([0.0, 1.0]), IndexError, "must be long, int, byte or bool tensors"),
        (torch.tensor([0, 1], dtype=torch.int16), IndexError, "must be long, int, byte or bool"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        ((..., -5), IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
    ],
)
def test_an_index_of_the_wrong_kind_is_refused(index, kind, says):
    x = leaf((3, 4)).detach()
    for use in (lambda: x[index], lambda: x.__setitem__(index, 1.0)):
        with pytest.raises(kind) as caught:
            use()
        assert says in str(caught.value)
        assert "test_indexing.py" in str(caught.value)


def test_a_0_dim_tensor_has_nothing_to_index():
    z = torch.tensor(5.0)
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        z[0]
    with pytest.raises(IndexError, match="slice\\(\\) cannot be applied to a 0-dim tensor"):
        z[:]
    assert z[...].item() == z[()].item() == 5.0
    assert z[None].shape == z[True].shape == (1,)
    z[...] = 3
    assert z.item() == 3.0


def test_lists_of_indices_count_as_tuples_with_a_warning():
    x = leaf((3, 4))
    with pytest.warns(UserWarning, match="non-tuple sequence") as caught:
        y = x[[[0, 1], [1, 2]]]
    assert caught[0].filename == __file__
    assert numbers(y) == [1, 6]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x[[0, 1]].shape == (2, 4)


def test_a_byte_tensor_is_a_mask_with_a_warning():
    x = leaf((3, 4))
    with pytest.warns(UserWarning, match="torch.uint8 is now deprecated"):
        assert x[torch.tensor([1, 0, 1], dtype=torch.uint8)].shape == (2, 4)


@pytest.mark.parametrize("value", [[1.0, 2.0], np.ones(4), "text", None])
def test_only_tensors_and_numbers_are_assigned(value):
    x = leaf((3, 4)).detach()
    with pytest.raises(TypeError, match="can't assign a"):
        x[0] = value


def test_assigned_numbers_take_the_type_of_the_tensor():
    x = torch.zeros(4, dtype=torch.int64)
    x[0], x[1], x[2] = 2.7, True, np.float32(3)
    assert x.tolist() == [2, 1, 3, 0]
    with pytest.raises(RuntimeError, match="cannot be converted"):
        x[0] = 1j


def test_an_index_put_needs_equal_types_a_slice_does_not():
    x = torch.zeros(3)
    x[:2] = torch.ones(2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        x[torch.tensor([0, 1])] = torch.ones(2, dtype=torch.float64)
    assert x.tolist() == [1.0, 1.0, 0.0]


def test_items_cannot_be_deleted():
    with pytest.raises(TypeError):
        del leaf((3,)).detach()[0]


def test_slices_take_tensors_and_numpy_numbers_as_bounds():
    x = leaf((4,))
    assert numbers(x[torch.tensor(1) : np.int64(3)]) == [1, 2]


def test_views_share_memory_and_copies_do_not():
    x = torch.zeros(3, 4)
    x[1][2] = 5.0
    x[[0]][0, 0] = 7.0
    x[:, 1:][0, 0] = 2.0
    assert x.tolist() == [[0, 2, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0]]


def test_augmented_assignment_through_an_index():
    x = leaf((3, 4))
    y = x * 1.0
    y[torch.tensor([0, 2])] *= 2.0
    y[1] += y[0]
    y.sum().backward()
    assert x.grad.tolist() == [[4.0] * 4, [1.0] * 4, [2.0] * 4]


def test_node_names_of_views():
    x = leaf((3, 4))
    names = [y.grad_fn.name() for y in (x[0], x[1:], x[torch.tensor([0])], x[x > 3])]
    assert names == ["SelectBackward0", "SliceBackward0", "IndexBackward0", "IndexBackward0"]


def test_second_derivatives_through_an_index():
    x = leaf((3, 4))
    rows = torch.tensor([0, 0, 2])
    (g,) = torch.autograd.grad((x[rows] ** 3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    count = np.array([2.0, 0.0, 1.0])[:, None]
    assert np.allclose(h.numpy(), 6 * x.detach().numpy() * count)


@pytest.mark.parametrize(
    "read",
    [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[i, i],
        lambda x, i: x[0, i],
        lambda x, i: x[i, :, i],
        lambda x, i: x[..., i, None],
    ],
)
def test_vmap_over_tensor_and_index(read):
    """One op for the batch gives what a loop over the examples gives."""
    xs = torch.tensor(np.random.RandomState(0).randn(5, 3, 3, 3))
    several = torch.tensor(np.random.RandomState(1).randint(-3, 3, (5, 2)))
    for xdim, idim in ((0, 0), (0, None), (None, 0)):
        x = xs if xdim == 0 else xs[0]
        i = several if idim == 0 else several[0]
        got = torch.func.vmap(read, in_dims=(xdim, idim))(x, i)
        want = [read(xs[b] if xdim == 0 else x, several[b] if idim == 0 else i) for b in range(5)]
        assert np.array_equal(got.numpy(), np.stack([w.numpy() for w in want]))


def test_vmap_of_the_gradient_of_an_index():
    xs = torch.tensor(np.random.RandomState(0).randn(4, 3, 3))
    several = torch.tensor(np.random.RandomState(1).randint(0, 3, (4, 5)))
    total = lambda x, i: (x[i, i] ** 2).sum() + (x[:, i] ** 3).sum()  # noqa: E731
    got = torch.func.vmap(torch.func.grad(total))(xs, several)
    for b in range(4):
        x = xs[b].clone().requires_grad_()
        total(x, several[b]).backward()
        assert np.allclose(got[b].numpy(), x.grad.numpy())


def test_a_mask_under_vmap():
    """A mask of its own for each example selects as many elements as it likes: that is refused."""
    xs = torch.tensor(np.arange(6.0).reshape(2, 3))
    shared = torch.tensor([True, False, True])
    got = torch.func.vmap(torch.func.grad(lambda x: (x[shared] ** 2).sum()))(xs)
    assert got.tolist() == [[0, 0, 4], [6, 0, 10]]
    with pytest.raises(RuntimeError, match="that can output dynamic shape"):
        torch.func.vmap(lambda x: x[x > 2])(xs)

    def without_large(x):
        y = x.clone()
        y[x > 2] = 0.0
        return y

    assert torch.func.vmap(without_large)(xs).tolist() == [[0, 1, 2], [0, 0, 0]]


def test_plain_writes_move_the_version_and_broadcast():
    x = torch.zeros(3, 4)
    kept = torch.ones(3, 4, requires_grad=True) * x
    x[1] = torch.ones(4)
    x[..., 2:] = torch.full((3, 2), 2.0)
    x[0] = torch.tensor(7.0)
    x[1:, 0] = 5
    assert x.tolist() == [[7, 7, 7, 7], [5, 1, 2, 2], [5, 0, 2, 2]]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()


def test_plain_writes_refuse_what_others_refuse():
    x = torch.zeros(3, 4)
    with pytest.raises(IndexError):
        x[3] = torch.ones(4)
    with pytest.raises(RuntimeError):
        x[0] = torch.ones(3)
    with pytest.raises(RuntimeError):
        x.expand(2, 3, 4)[:, 0] = torch.ones(2, 4)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[1:] = x[:2]
    assert not x.any()
