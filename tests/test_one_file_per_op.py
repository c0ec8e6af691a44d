"""A new op is one declaration: everything else follows from it, in every world."""

import importlib.util
import sys

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops.schema import TABLE
from chainrule.tensor import API

# All that somebody writes who adds a pointwise op and a reduction.
SCRATCH = '''
import numpy as np

from chainrule import ir
from chainrule.ops.batching import Front
from chainrule.ops.schema import helper, op
from chainrule.ops.sums import summed


@op(
    partials={"x": lambda x, sharpness: scratch_bell_slope(x, sharpness)},
    promote="float",
    lower=ir.pointwise(lambda x, *, sharpness: ir.exp(-sharpness * x * x)),
)
def scratch_bell(x, *, sharpness):
    """exp(-sharpness x^2)."""
    return np.exp(-sharpness * x * x)


@helper
def scratch_bell_slope(x, sharpness):
    return -2 * sharpness * x * scratch_bell(x, sharpness=sharpness)


@op(partials={"x": lambda x: 2 * x}, lower=ir.square, public={"aliases": ("scratch_quadrat",)})
def scratch_square(x):
    """x times x."""
    return np.square(x)


@op(
    vjp={"x": lambda g, x, axis, keepdims: scratch_spread(g, x, axis, keepdims)},
    jvp={"x": lambda t, x, axis, keepdims: reduce_sum(2 * x * t, axis=axis, keepdims=keepdims)},
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis, keepdims: reduce_sum(x * x, axis=axis, keepdims=keepdims)),
    public={},
)
def scratch_energy(x, *, axis, keepdims):
    """The sum of squares over `axis`."""
    return summed(np.square(x), axis, keepdims=keepdims)


@helper
def scratch_spread(g, x, axis, keepdims):
    for a in () if keepdims else axis:
        g = unsqueeze(g, axis=a)
    return 2 * x * g
'''


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """The functions that users would see of a module with these declarations."""
    from chainrule.autograd.dispatch import P
    from chainrule.ops.schema import HELPERS
    from chainrule.tensor.functions.elementwise import expose_op

    before, helpers, public = set(TABLE), set(HELPERS), set(API)
    path = tmp_path_factory.mktemp("ops") / "scratch_ops.py"
    path.write_text(SCRATCH, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("scratch_ops", path)
    module = sys.modules["scratch_ops"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in set(TABLE) - before:
        if TABLE[name].public is not None:
            expose_op(TABLE[name])
    yield {
        "bell": lambda x: P.scratch_bell(x, sharpness=0.5),
        "square": API["scratch_square"].function,
        "energy": lambda x: API["scratch_energy"].function(x, dim=-1),
    }
    for table, kept in ((TABLE, before), (HELPERS, helpers), (API, public)):
        for name in set(table) - kept:
            del table[name]
    del sys.modules["scratch_ops"]


PLAIN = {
    "bell": lambda x: torch.exp(-0.5 * x * x),
    "square": lambda x: x * x,
    "energy": lambda x: (x * x).sum(-1),
}
WORLDS = {
    "eager": lambda f, x: f(x),
    "vjp": lambda f, x: torch.func.grad(lambda x: f(x).sin().sum())(x),
    "jvp": lambda f, x: torch.func.jvp(f, (x,), (x.cos(),))[1],
    "second order": lambda f, x: torch.func.hessian(lambda x: f(x).sin().sum())(x),
    "vmap": lambda f, x: torch.func.vmap(f, in_dims=1)(x),
    "gradients of examples": lambda f, x: torch.func.vmap(torch.func.grad(lambda x: f(x).sum()))(x),
    "tape": lambda f, x: torch.autograd.grad(f(x.requires_grad_()).sum(), x)[0],
    "meta": lambda f, x: torch.ones(f(x.to("meta")).shape),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", PLAIN)
def test_every_world_follows_from_the_declaration(scratch, name, world):
    x = torch.tensor(np.random.default_rng(0).normal(size=(3, 4)))
    got, want = (WORLDS[world](f[name], x.clone()) for f in (scratch, PLAIN))
    torch.testing.assert_close(got, want)


@pytest.mark.jit
@pytest.mark.parametrize("name", PLAIN)
def test_compiled_it_is_loops_with_their_gradients(scratch, name):
    def step(x):
        y = scratch[name](x)
        return y.detach(), *torch.autograd.grad(y.sum(), x)

    compiled = torch.compile(step, fullgraph=True)
    for seed in range(4):
        x = torch.tensor(np.random.default_rng(seed).normal(size=(3, 4)), requires_grad=True)
        for have, want in zip(compiled(x), step(x), strict=True):
            torch.testing.assert_close(have, want)
    assert "extern" not in compiled.explain()


def test_the_public_forms_follow_too(scratch):
    square, energy = API["scratch_square"], API["scratch_energy"]
    assert square.inplace and square.method and square.aliases == ("scratch_quadrat",)
    assert energy.method and not energy.inplace
    x = torch.ones(2, 3)
    assert energy.function(x).item() == 6
    assert energy.function(x, (0, 1), keepdim=True).shape == (1, 1)


def test_a_helper_of_others_is_not_replaced():
    from chainrule.ops.schema import helper

    def spread(g):
        """Named as a helper of the reductions."""

    with pytest.raises(
        TypeError, match=r"spread is declared twice: rules of chainrule\.ops\.reduce"
    ):
        helper(spread)
