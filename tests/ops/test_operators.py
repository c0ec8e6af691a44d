"""Python operators on tensors: what they mean, and what happens with operands of other kinds."""

import operator

import numpy as np
import pytest

import chainrule as torch

BINARY = {
    operator.add: torch.add, operator.sub: torch.sub, operator.mul: torch.mul,
    operator.truediv: torch.div, operator.floordiv: torch.floor_divide,
    operator.mod: torch.remainder, operator.pow: torch.pow, operator.eq: torch.eq,
    operator.ne: torch.ne, operator.lt: torch.lt, operator.le: torch.le, operator.gt: torch.gt,
    operator.ge: torch.ge,
}  # fmt: skip
BITS = {
    operator.and_: torch.bitwise_and, operator.or_: torch.bitwise_or,
    operator.xor: torch.bitwise_xor, operator.lshift: torch.bitwise_left_shift,
    operator.rshift: torch.bitwise_right_shift,
}  # fmt: skip
IN_PLACE = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.itruediv: operator.truediv, operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod, operator.ipow: operator.pow, operator.iand: operator.and_,
    operator.ior: operator.or_, operator.ixor: operator.xor, operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
}  # fmt: skip


def name_of(value):
    return getattr(value, "__name__", None)


def operands(symbol):
    if symbol in BITS or IN_PLACE.get(symbol) in BITS:
        return torch.tensor([5, 3, 12]), torch.tensor([1, 2, 3])
    return torch.tensor([5.0, -3.0, 0.5]), torch.tensor([2.0, 3.0, 4.0])


@pytest.mark.parametrize("symbol", [*BINARY, *BITS], ids=name_of)
def test_operator_is_the_function(symbol):
    function = {**BINARY, **BITS}[symbol]
    a, b = operands(symbol)
    assert torch.equal(symbol(a, b), function(a, b))
    assert torch.equal(symbol(a, 2), function(a, torch.tensor(2, dtype=a.dtype)))


@pytest.mark.parametrize("symbol", [*BINARY, *BITS], ids=name_of)
def test_number_on_the_left(symbol):
    function = {**BINARY, **BITS}[symbol]
    _, b = operands(symbol)
    expected = function(torch.full_like(b, 7), b)
    if symbol is operator.truediv:  # PyTorch multiplies the reciprocal, which rounds twice
        expected = b.reciprocal() * 7
    assert torch.equal(symbol(7, b), expected)


@pytest.mark.parametrize("symbol", IN_PLACE, ids=name_of)
def test_in_place_operator_writes_into_its_memory(symbol):
    a, b = operands(symbol)
    expected = IN_PLACE[symbol](a, b)
    shared = a.view(3)
    result = symbol(a, b)
    assert result is a
    assert torch.equal(shared, expected)


def test_unary_operators():
    x = torch.tensor([1.5, -2.0])
    assert (-x).tolist() == [-1.5, 2.0]
    assert (+x) is x
    assert abs(x).tolist() == [1.5, 2.0]
    assert (~torch.tensor([True, False])).tolist() == [False, True]
    assert (~torch.tensor([0, 5])).tolist() == [-1, -6]
    with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented on integer"):
        operator.invert(x)


class Foreign:
    """An object that knows how to combine itself with a tensor."""

    def __radd__(self, other):
        return "added"

    def __rmul__(self, other):
        return "multiplied"

    def __lt__(self, other):
        return "compared"


def test_foreign_operands_get_their_turn():
    x = torch.ones(2)
    assert x + Foreign() == "added"
    assert x * Foreign() == "multiplied"
    assert (x > Foreign()) == "compared"
    assert (x == None) is False  # noqa: E711 - the operator is what is tested
    assert (x != None) is True  # noqa: E711


@pytest.mark.parametrize("symbol", ["+", "-", "/", "//", "%", "&", "<<"])
def test_text_is_no_operand(symbol):
    kind = torch.ones(2, dtype=torch.int64)
    with pytest.raises(TypeError, match="unsupported operand type"):
        eval(f"x {symbol} 'text'", {"x": kind})


def test_numpy_numbers_are_numbers():
    x = torch.ones(2)
    for number in (np.float64(2.0), np.float32(2.0), np.int64(2)):
        assert (x * number).dtype is torch.float32
        assert (number * x).dtype is torch.float32
        assert (number * x).tolist() == [2.0, 2.0]
    assert (torch.ones(2, dtype=torch.int32) * np.int64(2)).dtype is torch.int32


def test_numpy_arrays_become_tensors():
    x = torch.ones(2)
    for result in (x + np.ones(2), np.ones(2) + x):
        assert isinstance(result, torch.Tensor)
        assert result.dtype is torch.float64
        assert result.tolist() == [2.0, 2.0]


def test_integers_wrap_around():
    """As in C: a number out of a type's range is taken modulo its size."""
    x = torch.tensor([255, 3], dtype=torch.uint8)
    assert (x + (-1)).tolist() == [254, 2]
    assert (x * 300).tolist() == [212, 132]
    assert (x == -1).tolist() == [True, False]
    assert (torch.tensor([127], dtype=torch.int8) + 1).tolist() == [-128]


def test_gradients_flow_through_reflected_operators():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    (1 - x).sum().backward()
    (6 / x).sum().backward()
    (2**x).sum().backward()
    expected = -1 - 6 / np.array([4.0, 9.0]) + np.log(2) * np.array([4.0, 8.0])
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)


def test_gradient_of_a_python_base_has_full_precision():
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(3**x, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == pytest.approx(np.sqrt(3) * np.log(3) ** 2, rel=1e-14)


def test_division_by_an_integer_number():
    x = torch.tensor([3.0], requires_grad=True)
    (x / 2).backward()
    assert x.grad.item() == 0.5


def test_floor_division_has_no_gradient():
    x = torch.tensor([3.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        (x // 2).backward()


def test_parts_of_complex_numbers_are_views():
    z = torch.tensor([1 + 2j, 3 - 1j])
    z.real[0] = 5.0
    z.imag = torch.tensor([7.0, 8.0])
    assert z.tolist() == [5 + 7j, 3 + 8j]
    x = torch.ones(2)
    assert x.real is x
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex"):
        _ = x.imag


def test_in_place_with_alpha_on_a_tracked_tensor():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.add_(x, alpha=3).sub_(torch.ones(2), alpha=0.5)
    y.sum().backward()
    assert y.tolist() == [3.5, 7.5]
    assert x.grad.tolist() == [4.0, 4.0]


def test_in_place_result_must_fit():
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        torch.tensor([1, 2]).add_(1.5)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast"):
        torch.ones(3).add_(torch.ones(2, 3))


def test_keywords_of_functions():
    x, y = torch.tensor([1.0, 4.0]), torch.tensor([2.0, 0.5])
    assert torch.mul(input=x, other=y).tolist() == [2.0, 2.0]
    assert torch.pow(x, exponent=2).tolist() == [1.0, 16.0]
    assert torch.tanh(input=x).tolist() == x.tanh().tolist()
    assert torch.where(condition=x > 2, input=x, other=y).tolist() == [2.0, 4.0]
    assert x.mul(other=y).tolist() == [2.0, 2.0]


def test_no_module_of_the_library_hides_a_namespace_of_ops():
    """A submodule becomes an attribute of its package when somebody imports it."""
    from pathlib import Path

    import chainrule.ops as ops
    from chainrule.ops.overloads import NAMESPACES

    modules = {path.stem for path in Path(ops.__file__).parent.glob("*.py")}
    assert not modules & set(NAMESPACES)
