"""What func.* refuses, with the phrase to search for; nothing of it may pass in silence."""

import pytest

import chainrule as torch
from chainrule.autograd.graph import saved_tensors_hooks
from chainrule.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

x, s = torch.ones(3), torch.tensor(2.0)


def keeps(value):
    return value


MISUSE = {
    "grad of a vector": (lambda: grad(keeps)(x), "return a scalar Tensor"),
    "grad of a number": (lambda: grad(lambda x: 2.0)(s), "Expected f.* to return a Tensor"),
    "grad of a tuple": (lambda: grad(lambda x: (x, x))(s), "Expected f.* to return a Tensor"),
    "complex result": (lambda: grad(lambda x: x * 1j)(s), "only for real scalar outputs"),
    "argnums too large": (lambda: grad(keeps, argnums=1)(s), "only 1 positional inputs"),
    "argnums of a wrong type": (lambda: grad(keeps, argnums=0.0)(s), "argnums must be int"),
    "a list of argnums": (lambda: jacrev(keeps, argnums=[0])(s), "argnums must be int"),
    "a float among argnums": (lambda: jacfwd(keeps, argnums=(0.0,))(s), "argnum must be int"),
    "no argnums": (lambda: jacfwd(keeps, argnums=())(s), "argnums must be non-empty"),
    "argnums twice": (lambda: hessian(keeps, argnums=(0, -1))(s), "elements must be unique"),
    "an integer input": (lambda: grad(keeps)(torch.tensor(2)), "floating point dtype"),
    "aux forgotten": (lambda: grad(keeps, has_aux=True)(s), "should be a tuple"),
    "aux no tensor": (lambda: vjp(lambda x: (x, 1), s, has_aux=True), "Expected tensors, got"),
    "vjp of nothing": (lambda: vjp(lambda x: None, s), "non-empty output"),
    "vjp of a number": (lambda: vjp(lambda x: 1.0, s), "to return only tensors"),
    "vjp of integers": (lambda: vjp(lambda x: x.long(), s), "must be floating-point or complex"),
    "cotangent structure": (lambda: vjp(lambda x: (x, x), x)[1]([x, x]), "pytree structure"),
    "cotangent shape": (lambda: vjp(keeps, x)[1](torch.ones(1)), "Mismatch in shape"),
    "cotangent type": (lambda: vjp(keeps, x)[1](x + 1j), "required to have the same dtype"),
    "jacobian of complex": (lambda: jacrev(lambda x: x * 1j)(x), "all outputs to be real"),
    "jacobian at complex": (lambda: jacfwd(keeps)(x + 1j), "all inputs to be real"),
    "primals no tuple": (lambda: jvp(keeps, s, s), "Expected primals to be a tuple"),
    "tangents in a list": (lambda: jvp(keeps, (s,), [s]), "same python structure"),
    "too many tangents": (lambda: jvp(keeps, (s,), (s, s)), "same python structure"),
    "tangent shape": (lambda: jvp(keeps, (x,), (s,)), "has a different size"),
    "no primals": (lambda: jvp(lambda: s, (), ()), "at least one Tensor"),
    "primal no tensor": (lambda: jvp(keeps, (1.0,), (1.0,)), "to only contain Tensors"),
    "strict": (lambda: jvp(lambda x: s, (x,), (x,), strict=True), "independent of the inputs"),
    "linearize shape": (lambda: linearize(keeps, x)[1](s), "doesn't match the shape"),
    "linearize type": (lambda: linearize(keeps, x)[1](x.double()), "doesn't match the dtype"),
    "backward inside": (lambda: grad(lambda x: (x * x).backward())(s), "backward\\(\\) called"),
    "requires_grad_ inside": (lambda: vmap(lambda x: x.requires_grad_())(x), "functorch transform"),
    "data under vmap": (lambda: vmap(lambda x: x.data)(x), "accessing `data` under vmap"),
    "data set": (lambda: grad(lambda x: setattr(x, "data", x))(s), "with `.data`"),
}

pair = torch.arange(6.0).reshape(2, 3)
outside = torch.tensor([[3], [0]])  # one past the end of the first example: the second's first

VMAP_MISUSE = {
    "a list of in_dims": (lambda: vmap(torch.add, in_dims=[0, 0])(x, x), ValueError, "in_dims"),
    "too few in_dims": (lambda: vmap(torch.add, in_dims=(0,))(x, x), ValueError, "structure"),
    "no mapped input": (lambda: vmap(keeps, in_dims=(None,))(x), ValueError, "at least one Tensor"),
    "in_dim too large": (lambda: vmap(keeps, in_dims=1)(x), ValueError, "Got in_dim=1"),
    "a number mapped": (lambda: vmap(torch.mul)(x, 2), ValueError, "Got in_dim=0 for an input"),
    "sizes": (lambda: vmap(torch.add)(x, x[:2]), ValueError, "same size in the mapped dimension"),
    "out_dims": (lambda: vmap(keeps, out_dims="a")(x), ValueError, "`out_dims` must be an int"),
    "no tensor": (lambda: vmap(lambda x: 1)(x), ValueError, "must only return Tensors"),
    "batched out None": (lambda: vmap(keeps, out_dims=None)(x), ValueError, "out_dim is None"),
    "chunks of None": (
        lambda: vmap(lambda x: s, out_dims=None, chunk_size=2)(x), TypeError, "must be int"),
    "a branch": (lambda: vmap(lambda x: x if x > 0 else -x)(x), RuntimeError, "control flow"),
    "item": (lambda: vmap(lambda x: x.item())(x), RuntimeError, "calling .item"),
    "index": (lambda: vmap(lambda x, i: x[i])(pair, outside), IndexError, "out of bounds"),
    "index 0-d": (lambda: vmap(lambda x, i: x[i[0]])(pair, outside), IndexError, "out of bounds"),
    "gather": (
        lambda: vmap(lambda x, i: x.gather(0, i))(pair, outside), RuntimeError, "out of bounds"),
    "index_add": (
        lambda: vmap(lambda x, i: x.index_add(0, i, s[None]))(pair, outside),
        IndexError, "out of"),
    "classes": (
        lambda: vmap(torch.nn.functional.cross_entropy)(pair, outside[:, 0]),
        IndexError, "out of bounds"),
    "embedding": (
        lambda: vmap(torch.nn.functional.embedding)(outside - 1, pair[..., None]),
        IndexError, "out of range"),
}  # fmt: skip


@pytest.mark.parametrize("name", VMAP_MISUSE)
def test_misuse_of_vmap_raises(name):
    run, kind, phrase = VMAP_MISUSE[name]
    with pytest.raises(kind, match=phrase):
        run()


def test_no_examples_give_no_results_of_the_right_shape():
    assert vmap(torch.linalg.eigh)(torch.zeros(0, 3, 3))[1].shape == (0, 3, 3)
    solved = vmap(lambda m: torch.linalg.lstsq(m, m).solution)(torch.zeros(0, 3, 3))
    assert solved.shape == (0, 3, 3)


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_raises(name):
    run, phrase = MISUSE[name]
    with pytest.raises(RuntimeError, match=phrase):
        run()


def test_lists_of_dimensions_do_not_stand_for_tuples():
    with pytest.raises(ValueError, match="in_dims is not compatible"):
        vmap(lambda both: both[0], in_dims=([0, 0],))((x, x))
    with pytest.raises(ValueError, match="out_dims is not compatible"):
        vmap(lambda x: (x, x), out_dims=[0, 0])(x)
    assert vmap(lambda both: both[0], in_dims=([0, 0],))([x, x]).shape == (3,)


def test_values_of_a_wrong_kind_are_value_errors():
    with pytest.raises(ValueError, match="must be Tensor, got"):
        grad(keeps)(2.0)
    with pytest.raises(ValueError, match="Expected tangent to be floating point"):
        jvp(keeps, (x,), (x.long(),))
    with pytest.raises(ValueError, match="should be greater than 0"):
        jacrev(keeps, chunk_size=0)


@pytest.mark.parametrize("inside", [True, False])
def test_saved_tensor_hooks_and_reverse_mode_refuse_each_other(inside):
    hooks = saved_tensors_hooks(keeps, keeps)

    def f(x):
        with hooks:
            return x.sin().sum()

    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        if inside:
            grad(f)(x)
        else:
            with hooks:
                grad(lambda x: x.sum())(x)
    assert torch.allclose(jvp(f, (x,), (x,))[1], x.cos().sum())


def test_cotangents_are_taken_in_the_type_of_the_output():
    assert vjp(lambda x: x * 2, x)[1](x.double())[0].dtype is torch.float32


def test_a_vjp_function_records_as_the_mode_at_its_call_says():
    leaf = torch.tensor(3.0, requires_grad=True)
    with torch.no_grad():
        _, back = vjp(lambda x: x * x, leaf)
    assert torch.autograd.grad(back(s)[0], leaf)[0] == 4
    with torch.no_grad():
        assert not back(s)[0].requires_grad
