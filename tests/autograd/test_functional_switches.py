"""autograd.functional: strict, create_graph, vectorize, strategy and what they refuse."""

import pytest

import chainrule as torch
from chainrule.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
NOT_FROM_INPUTS = "Output 0 of the user-provided function does not require gradients"


def cubes(x):
    return (x**3).sum()


STRICT = {
    "vjp constant": (lambda: vjp(torch.ones_like, x, x, strict=True), NOT_FROM_INPUTS),
    "jvp constant": (lambda: jvp(torch.ones_like, x, x, strict=True), NOT_FROM_INPUTS),
    "jacobian constant": (lambda: jacobian(torch.ones_like, x, strict=True), NOT_FROM_INPUTS),
    "hessian constant": (lambda: hessian(lambda x: y.sum(), x, strict=True), NOT_FROM_INPUTS),
    "hvp constant": (lambda: hvp(lambda x: y.sum(), x, x, strict=True), NOT_FROM_INPUTS),
    "vjp of one input": (
        lambda: vjp(lambda x, y: x, (x, y), x, strict=True), "is independent of input 1"),
    "jvp of one input": (
        lambda: jvp(lambda x, y: x * 2, (x, y), (x, y), strict=True), "is independent of input 1"),
    "jacobian of one input": (
        lambda: jacobian(lambda x, y: x * 2, (x, y), strict=True),
        "Output 0 of the user-provided function is independent of input 1"),
    "hessian of linear": (
        lambda: hessian(torch.sum, x, strict=True), "While computing the hessian"),
    "vhp of linear": (lambda: vhp(torch.sum, x, x, strict=True), "While computing the hessian"),
    "jacobian of linear, with graph": (
        lambda: jacobian(lambda x: x * 2, x, strict=True, create_graph=True),
        "when create_graph=True"),
    "vectorized": (
        lambda: jacobian(torch.sin, x, strict=True, vectorize=True), "not supported together"),
    "forward": (
        lambda: jacobian(torch.sin, x, strict=True, vectorize=True, strategy="forward-mode"),
        "not supported together"),
    "hvp of two": (lambda: hvp(lambda x: (x, x), x, x), "hvp should return a single Tensor"),
    "vhp of a vector": (lambda: vhp(torch.sin, x, x), "should contain a single element"),
    "v missing": (lambda: jvp(torch.sin, x), "can only be None if the input"),
    "v of another size": (lambda: vjp(torch.sin, x, x[:1]), "v has invalid size"),
    "two v": (lambda: hvp(cubes, x, (x, x)), "should contain a single Tensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", STRICT)
def test_it_refuses(name):
    run, phrase = STRICT[name]
    with pytest.raises(RuntimeError, match=phrase):
        run()


def test_only_tensors_and_tuples_of_them():
    with pytest.raises(TypeError, match="The inputs given to jvp must be either"):
        jvp(torch.sin, [x], x)
    with pytest.raises(TypeError, match="function given to hessian must be either"):
        hessian(lambda x: 1.0, x)
    with pytest.raises(TypeError, match="The v given to vhp must be either"):
        vhp(cubes, x, [x])


def test_the_forward_strategy_is_vectorized_and_makes_no_graph():
    square = jacobian(torch.square, x, vectorize=True, strategy="forward-mode")
    assert square.tolist() == [[2, 0], [0, 4]]
    for switches in ({"create_graph": True, "vectorize": True}, {}):
        with pytest.raises(NotImplementedError, match="forward"):
            jacobian(torch.square, x, strategy="forward-mode", **switches)
    both = hessian(cubes, x, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert both.tolist() == hessian(cubes, x).tolist() == [[6, 0], [0, 12]]


def test_strict_passes_what_depends_on_everything():
    assert jvp(torch.mul, (x, y), (x, y), strict=True)[1].tolist() == [6, 16]
    assert hvp(lambda x, y: (x**2 * y).sum(), (x, y), (x, y), strict=True)[1][1].tolist() == [2, 8]
    value, made = jvp(cubes, x, x, create_graph=True, strict=True)
    assert value.requires_grad and made.requires_grad
