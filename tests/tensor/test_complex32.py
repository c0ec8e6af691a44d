"""complex32: numbers are stored, moved and cast; a little is computed, in complex64."""

import copy
import io
import pickle

import pytest

import chainrule as torch

VALUES = [1 + 2j, 3 - 1j, 0.5 + 0.25j]


def made():
    return torch.tensor(VALUES).to(torch.complex32)


def test_it_is_made_printed_and_read():
    x = made()
    assert x.dtype is torch.complex32 is torch.chalf and x.element_size() == 4
    assert x.tolist() == VALUES and x[1].item() == 3 - 1j
    assert repr(torch.ones(1, dtype=torch.complex32)) == "tensor([1.+0.j], dtype=torch.complex32)"
    assert torch.full((2,), 1j, dtype=torch.chalf).tolist() == [1j, 1j]
    assert torch.tensor([1j], dtype=torch.chalf).tolist() == [1j]
    assert torch.ones(2).chalf().dtype is torch.complex32
    assert torch.finfo(torch.complex32).max == 65504


def test_parts_are_views():
    x = made()
    assert torch.view_as_real(x).tolist() == [[1, 2], [3, -1], [0.5, 0.25]]
    x.real[0] = 7.0
    x.imag[2] = -1.0
    assert x.tolist() == [7 + 2j, 3 - 1j, 0.5 - 1j]
    pairs = torch.view_as_complex(torch.tensor([[1.0, 2.0]]).half())
    assert pairs.dtype is torch.complex32 and pairs.tolist() == [1 + 2j]


@pytest.mark.parametrize("other, kind", [
    ("float16", "complex32"), ("float32", "complex64"), ("float64", "complex128"),
    ("bfloat16", "complex64"), ("int64", "complex32"), ("complex64", "complex64"),
])  # fmt: skip
def test_types_promote(other, kind):
    kind, other = getattr(torch, kind), getattr(torch, other)
    assert torch.promote_types(torch.complex32, other) is kind
    out = made() + torch.ones(3, dtype=other)
    assert out.dtype is kind and out.tolist() == [v + 1 for v in VALUES]


def test_what_is_computed_is_rounded_once():
    x = made()
    assert (x * x).tolist() == [v * v for v in VALUES] and (x * 2j).dtype is torch.complex32
    assert (-x).tolist() == [-v for v in VALUES]
    assert x.abs().dtype is torch.float16 and x.abs()[1].item() == 3.162109375
    assert x.conj().tolist() == [v.conjugate() for v in VALUES]
    assert x.add_(1).tolist() == [v + 1 for v in VALUES]
    assert (torch.tensor(65504.0).to(torch.chalf) * 2).isinf()


def test_values_move():
    x = made()
    assert torch.cat([x, x]).shape == (6,) and torch.stack([x, x])[1].tolist() == VALUES
    assert x[torch.tensor([True, False, True])].tolist() == [VALUES[0], VALUES[2]]
    assert x.masked_fill(torch.tensor([True, False, False]), 0).tolist() == [0, *VALUES[1:]]
    assert x.roll(1).tolist() == [VALUES[2], *VALUES[:2]]
    assert torch.outer(x, x).diagonal().tolist() == [v * v for v in VALUES]
    assert x.to(torch.float16).tolist() == [1.0, 3.0, 0.5]


@pytest.mark.parametrize("ask", [
    torch.sum, torch.exp, torch.sqrt, torch.var, torch.all, torch.angle, torch.isreal,
    torch.fft.fft, lambda x: x @ x, lambda x: x / x, lambda x: torch.norm(x), lambda x: x**2,
])  # fmt: skip
def test_the_rest_is_refused(ask):
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexHalf'"):
        ask(made())
    with pytest.raises(TypeError, match="unsupported ScalarType ComplexHalf"):
        made().numpy()


def test_gradients_pass_casts_and_products():
    x = made().requires_grad_()
    (x.to(torch.complex64) * 2).sum().abs().backward()
    assert x.grad.dtype is torch.complex32
    wide = torch.tensor(VALUES, requires_grad=True)
    (wide * 2).sum().abs().backward()
    assert torch.allclose(x.grad.to(torch.complex64), wide.grad, atol=1e-3)


def test_it_is_saved_and_copied():
    x, file = made(), io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    for again in (torch.load(file)["x"], copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert again.dtype is torch.complex32 and again.tolist() == VALUES
        with pytest.raises(NotImplementedError):
            again.exp()


@pytest.mark.parametrize("cast", [lambda x: x.chalf(), lambda x: x.to(torch.complex32)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.complex64])
def test_casts_are_differentiable_from_every_type(dtype, cast):
    x = torch.tensor([1.5, -2.0], dtype=dtype, requires_grad=True)
    assert cast(x).grad_fn.name() == "ToCopyBackward0"
    (cast(x).to(torch.complex64) * (2 + 3j)).real.sum().backward()
    assert x.grad.dtype is dtype
    assert x.grad.tolist() == [2 - 3j if dtype.is_complex else 2.0] * 2


MOVES = {
    "clone": (lambda c: c.clone(), [2, 1, 4]),
    "alias": (lambda c: c[:], [2, 1, 4]),
    "index": (lambda c: c[[2, 1, 0]], [4, 1, 2]),
    "view": (lambda c: c.view(3, 1).t()[0], [2, 1, 4]),
    "cat": (lambda c: torch.cat([c[:1], c[1:]]), [2, 1, 4]),
    "stack": (lambda c: torch.stack(c.unbind()), [2, 1, 4]),
    "index_select": (lambda c: c.index_select(0, torch.tensor([1, 1, 2])), [0, 3, 4]),
    "where": (lambda c: torch.where(torch.tensor([True, False, True]), c, c * 2), [2, 2, 4]),
    "parts": (lambda c: torch.view_as_complex(torch.view_as_real(c)), [2, 1, 4]),
}


@pytest.mark.parametrize("name", MOVES)
def test_gradients_go_through_moves(name):
    move, expected = MOVES[name]
    x = torch.tensor([1.5, -2.0, 0.25]).half().requires_grad_()
    moved = move(x.chalf())
    assert moved.dtype is torch.complex32
    (moved.to(torch.complex64).real * torch.tensor([2.0, 1.0, 4.0])).sum().backward()
    assert x.grad.tolist() == expected


def test_complex_numbers_are_made_of_halves():
    re, im = (torch.tensor(v).half().requires_grad_() for v in ([1.5, 2.0], [0.5, -2.0]))
    z = torch.complex(re, im)
    assert z.dtype is torch.complex32 and z.tolist() == [1.5 + 0.5j, 2 - 2j]
    assert z.grad_fn.name() == "ComplexBackward0"
    (z.to(torch.complex64) * (2 + 3j)).real.sum().backward()
    assert re.grad.tolist() == [2.0, 2.0] and im.grad.tolist() == [-3.0, -3.0]
    out = torch.empty(2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="Expected"):
        torch.complex(re.detach(), im.detach(), out=out)
