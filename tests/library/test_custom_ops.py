"""Operators of one's own: schemas, gradients, batches, shapes, checks, `torch.ops`."""

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

import chainrule as torch
from chainrule import Tensor
from chainrule.library import (
    Library,
    custom_op,
    infer_schema,
    opcheck,
    register_autograd,
    register_fake,
)


@pytest.fixture
def sin():
    @custom_op("tests::sin", mutates_args=())
    def sin(x: Tensor) -> Tensor:
        return torch.from_numpy(np.sin(x.detach().numpy()))

    return sin


def test_schemas_are_those_of_pytorch():
    def written(x: Tensor, y: Tensor) -> None: ...

    def typed(
        x: Tensor, y: Tensor | None, k: int = 3, s: str = "abc", f: float = 1.5, b: bool = True,
        *, d: torch.dtype | None = None, xs: Sequence[Tensor], n: Sequence[int],
    ) -> tuple[Tensor, int]: ...  # fmt: skip

    assert infer_schema(written, mutates_args=("y",)) == "(Tensor x, Tensor(a1!) y) -> ()"
    assert infer_schema(written, mutates_args="unknown") == "(Tensor(a0!) x, Tensor(a1!) y) -> ()"
    assert infer_schema(typed, mutates_args=(), op_name="a::b") == (
        'a::b(Tensor x, Tensor? y, SymInt k=3, str s="abc", float f=1.5, bool b=True, *, '
        "ScalarType? d=None, Tensor[] xs, SymInt[] n) -> (Tensor, SymInt)"
    )
    with pytest.raises(ValueError, match="Parameter x must have a type annotation"):
        infer_schema(lambda x: x, mutates_args=())


def test_an_operator_is_found_under_torch_ops(sin):
    x = torch.tensor([0.5])
    assert torch.equal(torch.ops.tests.sin(x), torch.sin(x))
    assert torch.equal(torch.ops.tests.sin.default(x), sin(x))
    assert str(torch.ops.tests.sin.default._schema) == "tests::sin(Tensor x) -> Tensor"
    assert torch.ops.tests.sin.overloads() == ["default"]
    assert repr(sin) == "<CustomOpDef(tests::sin)>"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        torch.ops.tests.nothing  # noqa: B018
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'x'"):
        sin(3)


def test_gradients_come_from_the_formula(sin):
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        sin(x).sum().backward()
    register_autograd(
        "tests::sin",
        lambda ctx, g: g * ctx.saved_tensors[0].cos(),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    assert torch.autograd.gradcheck(sin, (x,))
    _, grad = torch.func.vjp(sin, x.detach())
    assert torch.allclose(grad(torch.ones(3, dtype=torch.float64))[0], x.detach().cos())
    compiled = torch.compile(lambda x: sin(x).sum() * 2)
    for _ in range(4):
        x.grad = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the reason for running eagerly, where there is one
            compiled(x).backward()
        assert torch.allclose(x.grad, 2 * x.detach().cos())


def test_lists_and_keywords_and_several_results():
    @custom_op("tests::mixed", mutates_args=())
    def mixed(xs: Sequence[Tensor], k: int, *, scale: float = 2.0) -> tuple[Tensor, Tensor]:
        total = xs[0] * 1
        for x in xs[1:]:
            total = total + x
        return total * scale, total * k

    def setup(ctx, inputs, keyword_only_inputs, output):
        ctx.n, ctx.k, ctx.scale = len(inputs[0]), inputs[1], keyword_only_inputs["scale"]

    def backward(ctx, a, b):
        assert ctx.needs_input_grad == ([True, False], False, False)
        return [a * ctx.scale + b * ctx.k] * ctx.n, None

    mixed.register_autograd(backward, setup_context=setup)
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    a, b = mixed([x, y], 3, scale=5.0)
    (a + b).sum().backward()
    assert a.tolist() == [10.0, 10.0] and b.tolist() == [6.0, 6.0]
    assert x.grad.tolist() == [8.0, 8.0]


def test_mutation_is_declared_and_checked():
    @custom_op("tests::fill", mutates_args={"x"})
    def fill(x: Tensor, value: float) -> None:
        x.fill_(value)

    x = torch.zeros(2)
    version = x._version
    fill(x, 3.0)
    assert x.tolist() == [3.0, 3.0] and x._version > version
    with pytest.raises(RuntimeError, match="writes into 'x', which requires grad"):
        fill(torch.zeros(1, requires_grad=True), 1.0)
    with pytest.raises(RuntimeError, match="non-functional operator"):
        fill.register_autograd(lambda ctx: None)

    @custom_op("tests::same", mutates_args=())
    def same(x: Tensor) -> Tensor:
        return x.view(-1)

    with pytest.raises(RuntimeError, match="may not alias any inputs"):
        same(x)


def test_shapes_without_values(sin):
    meta = torch.ones(2, device="meta")
    with pytest.raises(RuntimeError, match="no fake impl registered"):
        sin(meta)
    register_fake("tests::sin")(lambda x: torch.empty_like(x))
    assert sin(meta).shape == (2,) and sin(meta).is_meta


def test_batches(sin):
    x = torch.randn(3, 2)
    assert torch.allclose(torch.vmap(sin)(x), torch.sin(x))
    seen = []

    @sin.register_vmap
    def _(info, in_dims, x):
        seen.append((info.batch_size, in_dims))
        return sin(x), in_dims[0]

    assert torch.allclose(torch.vmap(sin, in_dims=1, out_dims=1)(x), torch.sin(x))
    assert seen == [(2, (1,))]


def test_libraries_define_and_implement():
    lib = Library("tests_lib", "DEF")
    assert lib.define("scale(Tensor x, float by=2.0) -> Tensor") == "tests_lib::scale"
    with pytest.raises(NotImplementedError, match="no function is registered"):
        torch.ops.tests_lib.scale(torch.ones(1))
    lib.impl("scale", lambda x, by: x * by, "CompositeImplicitAutograd")
    x = torch.ones(1, requires_grad=True)
    torch.ops.tests_lib.scale(x, by=3.0).backward()
    assert x.grad.tolist() == [3.0]
    with pytest.raises(NotImplementedError, match="cannot be overridden"):
        Library("aten", "IMPL").impl("mm", lambda a, b: a, "CPU")
    torch.library.define("tests_lib::half", "(Tensor x) -> Tensor", lib=lib)
    torch.library.impl("tests_lib::half", "cpu")(lambda x: x / 2)
    assert torch.ops.tests_lib.half(torch.ones(1)).item() == 0.5


def test_opcheck_finds_what_does_not_fit():
    @custom_op("tests::wrong", mutates_args=())
    def wrong(x: Tensor) -> Tensor:
        x += 1
        return x * 2

    wrong.register_fake(lambda x: torch.empty(7, device="meta"))
    found = opcheck(wrong, (torch.ones(2),), raise_exception=False)
    assert "mutated" in str(found["test_schema"])
    assert "shape (7,)" in str(found["test_faketensor"])
    with pytest.raises(torch.library.checks.OpCheckError, match="test_schema failed"):
        opcheck(wrong, (torch.ones(2),))


def test_custom_operators_stay_one_node_in_graphs(sin):
    traced = torch.fx.symbolic_trace(lambda x: sin(x) + 1)
    node = list(traced.graph.nodes)[1]
    assert node.target is torch.ops.tests.sin.default and node.name == "sin_default"
    assert torch.equal(traced(torch.ones(1)), sin(torch.ones(1)) + 1)


@pytest.mark.parametrize(
    ("name", "args", "wanted"),
    [
        ("add.Tensor", lambda x, y: (x, y), lambda x, y: x + y),
        ("mm.default", lambda x, y: (x, y.t()), lambda x, y: x @ y.t()),
        ("sum.dim_IntList", lambda x, y: (x, [0], True), lambda x, y: x.sum(0, keepdim=True)),
        ("view.default", lambda x, y: (x, [3, 2]), lambda x, y: x.view(3, 2)),
        ("slice.Tensor", lambda x, y: (x, 1, 0, 2), lambda x, y: x[:, :2]),
        ("index.Tensor", lambda x, y: (x, [None, torch.tensor([0])]), lambda x, y: x[:, [0]]),
        ("_softmax.default", lambda x, y: (x, -1, False), lambda x, y: x.softmax(-1)),
        ("t.default", lambda x, y: (x,), lambda x, y: x.t()),
        ("linalg_vector_norm.default", lambda x, y: (x,), lambda x, y: x.norm()),
        ("gelu.default", lambda x, y: (x,), lambda x, y: torch.nn.functional.gelu(x)),
        ("mul_.Tensor", lambda x, y: (x.clone(), y), lambda x, y: x * y),
        ("_to_copy.default", lambda x, y: (x,), lambda x, y: x),
        ("select.int", lambda x, y: (x, 0, 1), lambda x, y: x[1]),
    ],
)
def test_operators_of_pytorchs_core_are_callable(name, args, wanted):
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload)
    assert torch.equal(operator(*args(x, y)), wanted(x, y))
    assert str(operator._schema).startswith(f"aten::{packet}")


def test_schemas_of_the_core():
    schema = torch.ops.aten.add.Tensor._schema
    assert str(schema) == (
        "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    )
    assert [(a.name, a.default_value, a.kwarg_only) for a in schema.arguments] == [
        ("self", None, False), ("other", None, False), ("alpha", 1, True),
    ]  # fmt: skip
    assert torch.ops.aten.add_.Tensor._schema.is_mutable and not schema.is_mutable
    assert "Tensor" in torch.ops.aten.add.overloads()
    assert torch.ops.aten.add(torch.ones(1), 2).item() == 3
    with pytest.raises(NotImplementedError, match="has no function for this operator"):
        torch.ops.aten.made_up_operator.default(torch.ones(1))


@pytest.mark.parametrize("text", ["a);b#", "", "Tensr", "1a", "torch.nothing"])
def test_an_annotation_that_is_no_type_is_named(text):
    def function(x):
        return x

    function.__annotations__.update(x=text, **{"return": torch.Tensor})
    with pytest.raises(ValueError, match=r"Unsupported type annotation .* It is not a type"):
        torch.library.infer_schema(function, mutates_args=())
