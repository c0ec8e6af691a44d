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
