"""Nested tensors do what PyTorch's do (tools/record/record_nested.py records that)."""

import io
import json
from pathlib import Path

import pytest

import chainrule as torch

from .programs import CALLS, PROGRAMS, call, run

FILE = Path(__file__).resolve().parent.parent / "recorded" / "nested.json"
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))

# PyTorch refuses with names of its operators, or does not: docs/differences.md says more.
DIFFERENT = {
    "nt+torch.ones(2,3)": "RuntimeError: cannot call binary pointwise function add",
    "nt+torch.nested.nested_tensor([a,b],layout=torch.jagged)": (
        "RuntimeError: cannot call binary pointwise function add"
    ),
    "nt[:,0]": "RuntimeError: slice(): not supported for NestedTensor on ragged dim",
}


@pytest.mark.parametrize("code", CALLS)
def test_calls_give_what_pytorch_gives(code):
    found, expected = call(code, torch), DIFFERENT.get(code, RECORDED["calls"][code])
    if "Error: " in expected:  # ours begins with the same words and says more
        kind, _, phrase = expected.partition(": ")
        assert found.startswith(f"{kind}: {phrase.rstrip('.')[:60]}")
    else:
        assert found == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_show_what_pytorch_shows(name):
    assert run(name, torch) == RECORDED["programs"][name]


def components():
    return [torch.randn(n, 4, dtype=torch.float64) for n in (2, 5, 1)]


def nested(parts=None, **options):
    return torch.nested.nested_tensor(parts or components(), layout=torch.jagged, **options)


def test_gradients_are_those_of_finite_differences():
    weight = torch.randn(3, 4, dtype=torch.float64)

    def f(*parts):
        x = torch.nested.as_nested_tensor(list(parts), layout=torch.jagged)
        y = torch.nn.functional.linear(x, weight).tanh() + x.mean(2).unsqueeze(-1)
        padded = y.softmax(1).to_padded_tensor(0.5)
        return y.sum(1), padded, (y.transpose(1, 2) @ y), y.amax(1)

    parts = [part.requires_grad_() for part in components()]
    assert torch.autograd.gradcheck(f, parts)
    assert torch.autograd.gradgradcheck(f, parts)


def test_components_are_computed_as_if_alone():
    parts = components()
    x = nested(parts).unflatten(-1, (2, 2)).transpose(1, 2)
    attended = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    for part, found in zip(parts, attended.unbind(), strict=True):
        alone = part.unflatten(-1, (2, 2)).transpose(0, 1)
        expected = torch.nn.functional.scaled_dot_product_attention(
            alone, alone, alone, is_causal=True
        )
        assert torch.allclose(found, expected)


def test_holes_between_components_count_for_nothing():
    x = torch.nested.narrow(
        torch.arange(12.0).reshape(2, 6), 1, torch.tensor([0, 1]), torch.tensor([2, 3]),
        layout=torch.jagged,
    )  # fmt: skip
    assert x.sum().item() == 1 + 24 and x.sum(1).tolist() == [1.0, 24.0]
    assert x.to_padded_tensor(-1.0).tolist() == [[0, 1, -1], [7, 8, 9]]
    assert (x + 1).contiguous().values().tolist() == [1, 2, 8, 9, 10]
    assert x.numel() == 5 and not x.is_contiguous()


def test_views_share_the_memory_of_the_values():
    values = torch.zeros(5, 2)
    x = torch.nested.nested_tensor_from_jagged(values, torch.tensor([0, 2, 5]))
    x[1].add_(1)
    x.unbind()[0][0] = 7
    assert values.tolist() == [[7, 7], [0, 0], [1, 1], [1, 1], [1, 1]]


@pytest.mark.parametrize("offsets", [[0, 3, 12], [0, 4, 3], [-1, 3, 5]])
def test_offsets_outside_the_values_are_refused(offsets):
    with pytest.raises(RuntimeError, match="do not lie within 10 values"):
        torch.nested.nested_tensor_from_jagged(torch.arange(10.0), torch.tensor(offsets))


def test_what_is_not_there_says_what_to_do():
    x = nested()
    for refused in (lambda: x.cumsum(1), lambda: torch.fft.fft(x), lambda: x.sort(2)):
        with pytest.raises(NotImplementedError, match="not supported for NestedTensor"):
            refused()
    with pytest.raises(NotImplementedError, match="jagged layout here"):
        torch.nested.nested_tensor(components())
    with pytest.raises(RuntimeError, match="is the length of a ragged dimension"):
        torch.zeros(x.shape)


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
def test_a_compiled_function_gives_the_same():
    compiled = torch.compile(lambda x: (x * 2).sum(1))
    for _ in range(4):
        x = nested()
        assert torch.equal(compiled(x), (x * 2).sum(1))


def test_hooks_and_files():
    x = nested(requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.is_nested))
    y.sum().backward()
    assert seen == [True]
    file = io.BytesIO()
    torch.save(x.detach(), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert torch.equal(loaded, x.detach())


@pytest.mark.parametrize("dim", ["x", 1j, [], slice(None)])
def test_a_dimension_that_is_no_number_is_refused(dim):
    nt = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    with pytest.raises(TypeError, match=r"whole number.*\n.*test_nested.py"):
        nt.softmax(dim)


@pytest.mark.parametrize("size", [0, torch.int8, (2, 5), (2, "x", 3)])
def test_a_size_that_is_no_shape_is_refused(size):
    nt = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    with pytest.raises(TypeError, match=r"a tuple of 3 whole numbers.*\n.*test_nested.py"):
        nt.to_padded_tensor(0.0, output_size=size)
