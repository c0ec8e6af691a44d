"""Weights and state after 1, 2, 3 and 10 steps are PyTorch's, for every class and option."""

import json
from pathlib import Path

import numpy as np
import optim_cases
import pytest

import chainrule as torch

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "optim_steps.npz"


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as file:
        index = json.loads(str(file["index"]))
        flat = {kind: file[kind] for kind in file.files if kind != "index"}
    found: dict[str, dict[str, np.ndarray]] = {}
    for label, (kind, start, shape) in index.items():
        key, _, rest = label.partition("/")
        size = int(np.prod(shape))
        found.setdefault(key, {})[rest] = flat[kind][start : start + size].reshape(shape)
    return found


CASES = optim_cases.all_cases()
# Compiling the kernel of every option would take long: these stand for the others, which
# test_forms.py shows to be the same program.
NATIVE = [c for c in CASES if c[0].endswith(("-0", "-flag1")) or c[0] == "AdamW-2"]


def compare(found, expected, dtype):
    assert sorted(found) == sorted(expected)
    tolerance = 1e-12 if dtype == "float64" else 2e-6
    for label, value in found.items():
        assert value.dtype == expected[label].dtype, label
        np.testing.assert_allclose(
            value, expected[label], rtol=tolerance, atol=tolerance / 10, err_msg=label
        )


@pytest.mark.parametrize(("key", "name", "options", "dtype"), CASES, ids=[c[0] for c in CASES])
def test_steps_are_those_of_pytorch(recorded, numpy_only, key, name, options, dtype):
    compare(optim_cases.run(torch, name, options, dtype), recorded[key], dtype)


@pytest.mark.parametrize(
    ("i", "name", "options"), [(i, *c) for i, c in enumerate(optim_cases.SPARSE)]
)
def test_steps_by_sparse_gradients_are_those_of_pytorch(recorded, numpy_only, i, name, options):
    found = optim_cases.run_sparse(torch, name, options)
    compare(found, recorded[f"sparse{i}"], "float32")


@pytest.mark.parametrize(("key", "name", "options", "dtype"), NATIVE, ids=[c[0] for c in NATIVE])
def test_steps_in_machine_code_are_those_of_pytorch(recorded, key, name, options, dtype):
    compare(optim_cases.run(torch, name, options, dtype), recorded[key], dtype)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.RMSprop])
def test_sparse_gradients_are_refused_in_later_steps_too(kind):
    table = torch.nn.Embedding(5, 4)
    opt = kind(table.parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        table(torch.tensor([1, 2])).sum().backward()
        opt.step()
    table.sparse = True
    opt.zero_grad()
    table(torch.tensor([1, 2])).sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        opt.step()


def test_a_sparse_gradient_added_to_a_dense_one_is_dense():
    table = torch.nn.Embedding(5, 4, sparse=True)
    table.weight.grad = torch.zeros(5, 4)
    table(torch.tensor([1, 2, 1])).sum().backward()
    assert not table.weight.grad.is_sparse
    assert table.weight.grad.sum(1).tolist() == [0, 8, 4, 0, 0]
    table.weight.grad = None
    table(torch.tensor([1, 2, 1])).sum().backward()
    assert table.weight.grad.is_sparse
