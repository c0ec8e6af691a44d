"""Bools in differences, and the factors alpha and beta: what PyTorch refuses, and what it takes."""

import numpy as np
import pytest

import chainrule as torch

X = torch.ones(2)
N = torch.ones(2, dtype=torch.int64)
MASK = torch.tensor([True, False])

DIFFERENCES = {
    "x - mask": lambda: X - MASK,
    "mask - x": lambda: MASK - X,
    "x - True": lambda: X - True,
    "True - x": lambda: True - X,
    "n - True": lambda: N - True,
    "1 - mask": lambda: 1 - MASK,
    "mask - 1.0": lambda: MASK - 1.0,
    "x - 0-dim": lambda: X - torch.tensor(True),
    "sub": lambda: torch.sub(X, MASK),
    "sub alpha": lambda: torch.sub(X, MASK, alpha=2),
    "rsub": lambda: torch.rsub(X, MASK),
    "rsub of a mask": lambda: torch.rsub(MASK, 1),
    "sub_": lambda: X.clone().sub_(MASK),
    "sub_ alpha": lambda: X.clone().sub_(MASK, alpha=2),
    "-=": lambda: X.clone().__isub__(True),
    "half": lambda: X.half().sub(MASK, alpha=2),
    "recorded": lambda: X.clone().requires_grad_() - MASK,
    "vmap": lambda: torch.vmap(lambda x, m: x - m)(X, MASK),
    "grad": lambda: torch.func.grad(lambda x: (x - MASK).sum())(X),
    "jvp": lambda: torch.func.jvp(lambda x: x - MASK, (X,), (X,)),
    "compiled": lambda: torch.compile(lambda x: x - MASK)(X),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_a_bool_is_not_subtracted(case):
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with a bool tensor"):
        DIFFERENCES[case]()


def test_numbers_of_numpy_count_as_zero_and_one():
    assert (X - np.bool_(True)).tolist() == [0, 0]  # PyTorch 2.13's value


@pytest.mark.parametrize("function", ["add", "sub", "rsub", "add_", "sub_"])
@pytest.mark.parametrize(
    ("x", "alpha", "phrase"),
    [
        (X, True, "Boolean alpha only supported for Boolean results"),
        (N, True, "Boolean alpha only supported for Boolean results"),
        (X, torch.tensor(True), "Boolean alpha only supported for Boolean results"),
        (X, 1j, "argument alpha must not be a complex number"),
        (X, torch.tensor(2j), "argument alpha must not be a complex number"),
        (N, 1j, "argument alpha must not be a floating point number"),
        (N, 2.5, "argument alpha must not be a floating point number"),
        (N, torch.tensor(2.5), "argument alpha must not be a floating point number"),
        (X, 1e39, "value cannot be converted to type float without overflow"),
        (X.to(torch.complex64), 1e39, "without overflow"),
        (N.int(), 2**40, "value cannot be converted to type int without overflow"),
        (N.to(torch.uint8), 300, "value cannot be converted to type uint8_t without overflow"),
    ],
)
def test_the_type_of_the_result_must_hold_alpha(function, x, alpha, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        if function[-1] == "_":
            getattr(x.clone(), function)(x, alpha=alpha)
        else:
            getattr(torch, function)(x, x, alpha=alpha)


def test_factors_that_the_type_holds():
    assert torch.add(X, X, alpha=float("inf")).tolist() == [float("inf")] * 2
    assert torch.add(X.double(), X, alpha=1e39).tolist() == [1e39 + 1] * 2
    assert torch.add(N, N.to(torch.int8), alpha=1000).tolist() == [1001, 1001]
    assert torch.add(MASK, MASK, alpha=2).tolist() == [True, False]  # PyTorch 2.13's value
    assert torch.add(MASK, MASK, alpha=True).tolist() == [True, False]
    assert torch.add(N, X, alpha=2.5).tolist() == [3.5, 3.5]
    assert torch.add(X, X, alpha=torch.tensor(2.0)).tolist() == [3, 3]
    assert torch.add(X.to(torch.complex64), X, alpha=1j).tolist() == [1 + 1j, 1 + 1j]


M = torch.ones(2, 2)
PRODUCTS = {
    "addmm": lambda m, **factors: torch.addmm(m, m, m, **factors),
    "addmv": lambda m, **factors: torch.addmv(m[0], m, m[0], **factors),
    "addbmm": lambda m, **factors: torch.addbmm(m, m[None], m[None], **factors),
    "baddbmm": lambda m, **factors: torch.baddbmm(m[None], m[None], m[None], **factors),
    "addr": lambda m, **factors: torch.addr(m, m[0], m[0], **factors),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_factors_of_products_may_be_tensors_of_one_number(name):
    for m in (M, M.half(), M.bfloat16(), M.double()):
        found = PRODUCTS[name](m, beta=torch.tensor(2.0), alpha=torch.tensor(0.5))
        assert found.dtype is m.dtype
        assert torch.equal(found, PRODUCTS[name](m, beta=2.0, alpha=0.5))
    leaf = M.clone().requires_grad_()
    PRODUCTS[name](leaf, beta=torch.tensor(2)).sum().backward()
    with_number = M.clone().requires_grad_()
    PRODUCTS[name](with_number, beta=2).sum().backward()
    assert torch.equal(leaf.grad, with_number.grad)


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("factor", [1e39, 1j, torch.tensor(1j)], ids=str)
def test_factors_of_products_that_the_type_does_not_hold(name, factor):
    for which in ("beta", "alpha"):
        with pytest.raises(RuntimeError, match="without overflow"):
            PRODUCTS[name](M, **{which: factor})


def test_factors_of_products_are_numbers():
    for wrong in (torch.ones(2), torch.tensor(1.0, requires_grad=True)):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            torch.addmm(M, M, M, beta=wrong)
    cut = torch.addmm(M.long(), M.long(), M.long(), beta=torch.tensor(1.5))
    assert cut.tolist() == [[3, 3], [3, 3]]  # PyTorch 2.13's value
