"""float8 tensors store numbers: copies, files, transforms; nothing is computed in them."""

import copy
import io
import pickle

import numpy as np
import pytest

import chainrule as torch

TYPES = [
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
    torch.float8_e8m0fnu,
]  # fmt: skip
VALUES = [1.0, 2.0, 64.0, 0.5]


def saved_and_loaded(x):
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    return torch.load(file)["x"]


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_copies_keep_type_and_values(kind):
    x = torch.tensor(VALUES).to(kind)
    again = torch.from_numpy(np.array(VALUES, kind.np))
    for made in (x, copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)),
                 saved_and_loaded(x), x.detach(), x.data, again):  # fmt: skip
        assert made.dtype is kind and made.tolist() == VALUES
        with pytest.raises(NotImplementedError, match="stores numbers"):
            made + made


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_no_way_of_making_one_gives_a_tensor_that_computes(kind):
    x = torch.tensor(VALUES).to(kind)
    made = [
        torch.tensor(VALUES, dtype=kind), torch.zeros(4, dtype=kind), torch.ones_like(x), x[1:],
        torch.empty(4, dtype=kind), x.new_ones(4), torch.cat([x, x]), x.reshape(2, 2)[0],
        x.unbind()[0], torch.zeros(4, dtype=torch.uint8).view(kind), torch.eye(2, dtype=kind),
        torch.full((2,), 2.0, dtype=kind), torch.arange(1, 3, dtype=kind), x.expand(2, 4),
        x.clone(), torch.where(x == x, x, x), x.to(torch.float32).to(kind), x.contiguous(),
    ]  # fmt: skip
    for t in made:
        assert t.dtype is kind
        for compute in (lambda t: t.sum(), lambda t: t * 2, lambda t: torch.ones(1).add_(t)):
            with pytest.raises((NotImplementedError, RuntimeError)):
                compute(t)


def test_views_share_memory():
    x = torch.tensor(VALUES).to(torch.float8_e4m3fn)
    x[1:3].fill_(8)
    assert x.tolist() == [1.0, 8.0, 8.0, 0.5]
    x.view(torch.uint8).zero_()
    assert x.tolist() == [0.0] * 4


def test_casts_within_transforms():
    x = torch.tensor([[1.1, 2.3], [3.7, 300.0]])

    def rounded(row):
        return row.to(torch.float8_e4m3fn).to(torch.float32)

    expected = rounded(x)
    assert torch.equal(torch.func.vmap(rounded)(x), expected)
    compiled = torch.compile(rounded)
    for _ in range(4):
        assert torch.equal(compiled(x), expected)


def test_a_leaf_cannot_require_gradients():
    with pytest.raises(RuntimeError, match="cannot be a leaf that requires grad"):
        torch.ones(2).to(torch.float8_e5m2).requires_grad_()


def test_numpy_is_refused_as_by_pytorch():
    with pytest.raises(TypeError, match="Got unsupported ScalarType Float8_e5m2"):
        torch.ones(2).to(torch.float8_e5m2).numpy()
