"""Sparse tensors in coordinate form: as PyTorch prints, computes and differentiates them."""

import copy
import pickle

import pytest

import chainrule as torch

INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
VALUES = torch.tensor([3.0, 4.0, 5.0, 1.0])
DENSE = torch.tensor([[0.0, 0.0, 4.0], [4.0, 0.0, 5.0]])


def sample(values=VALUES):
    return torch.sparse_coo_tensor(INDICES, values, (2, 3))


def test_prints_as_pytorch_does():
    assert repr(sample()) == (
        "tensor(indices=tensor([[0, 1, 1, 0],\n"
        "                       [2, 0, 2, 2]]),\n"
        "       values=tensor([3., 4., 5., 1.]),\n"
        "       size=(2, 3), nnz=4, layout=torch.sparse_coo)"
    )
    assert repr(torch.zeros(2, 2, dtype=torch.float64).to_sparse()) == (
        "tensor(indices=tensor([], size=(2, 0)),\n"
        "       values=tensor([], size=(0,)),\n"
        "       size=(2, 2), nnz=0, dtype=torch.float64, layout=torch.sparse_coo)"
    )
    tracked = sample(VALUES.clone().requires_grad_())
    assert repr(tracked).endswith(
        "layout=torch.sparse_coo,\n       grad_fn=<SparseCooTensorWithDimsAndTensorsBackward0>)"
    )


def test_knows_what_it_is():
    s = sample()
    assert s.is_sparse and s.layout is torch.sparse_coo and not torch.ones(1).is_sparse
    assert isinstance(s, torch.Tensor) and torch.is_tensor(s)
    assert (s.shape, s.ndim, s.dtype, s._nnz()) == ((2, 3), 2, torch.float32, 4)
    assert (s.sparse_dim(), s.dense_dim(), len(s)) == (2, 0, 2)
    hybrid = torch.sparse_coo_tensor([[0, 1]], torch.ones(2, 2), (3, 2))
    assert (hybrid.sparse_dim(), hybrid.dense_dim()) == (1, 1)
    assert torch.equal(hybrid.to_dense(), torch.tensor([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]))


def test_coalesce_adds_up_repeated_places():
    s = sample()
    assert not s.is_coalesced()
    with pytest.raises(RuntimeError, match=r"please call \.coalesce\(\) first"):
        s.indices()
    c = s.coalesce()
    assert c.is_coalesced() and c.indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert c.values().tolist() == [4.0, 4.0, 5.0]


def test_to_dense_and_back():
    assert torch.equal(sample().to_dense(), DENSE)
    assert torch.equal(DENSE.to_sparse().to_dense(), DENSE)
    assert DENSE.to_sparse(1)._values().shape == (2, 3)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x @ torch.arange(6.0).view(3, 2),
        lambda x: torch.spmm(x, torch.arange(6.0).view(3, 2)),
        lambda x: torch.mv(x, torch.arange(3.0)),
        lambda x: torch.arange(4.0).view(2, 2) @ x,
        lambda x: torch.sparse.mm(x, x.t()),
        lambda x: torch.addmm(torch.ones(2, 2), x, torch.ones(3, 2)),
        lambda x: x.t(),
        lambda x: x.transpose(0, 1),
        lambda x: x * 2 - x / 4 + -x,
        lambda x: x * x,
        lambda x: x + torch.eye(2, 3).to_sparse() if x.is_sparse else x + torch.eye(2, 3),
        lambda x: torch.ones(2, 3) + x,
        lambda x: x.sqrt() + x.pow(2),
        lambda x: x.sum(),
        lambda x: x.sum(0),
        lambda x: x.norm(),
        lambda x: x[1],
        lambda x: torch.cat([x, x]),
        lambda x: x.double(),
    ],
)
def test_computes_what_the_dense_tensor_computes(compute):
    got = compute(sample())
    want = compute(DENSE)
    assert got.dtype is want.dtype
    torch.testing.assert_close(got.to_dense(), want)


def test_gradients_flow_to_the_values_and_to_the_dense_side():
    values = VALUES.clone().requires_grad_()
    weight = torch.arange(6.0).view(3, 2).requires_grad_()
    torch.sparse.mm(sample(values), weight).sum().backward()
    assert values.grad.tolist() == [9.0, 1.0, 9.0, 9.0]
    assert weight.grad.tolist() == [[4.0, 4.0], [0.0, 0.0], [9.0, 9.0]]


def test_a_sparse_leaf_gets_a_sparse_gradient():
    s = torch.sparse_coo_tensor(INDICES, VALUES, (2, 3), requires_grad=True)
    (s @ torch.ones(3, 1)).sum().backward()
    assert s.grad.is_sparse and s.grad._values().tolist() == [1.0] * 4


def test_softmax_is_over_what_is_stored():
    out = torch.sparse.softmax(sample(), dim=1)
    torch.testing.assert_close(out.values(), torch.tensor([1.0, 0.2689414, 0.7310586]))


def test_copies_and_pickles():
    for made in (pickle.loads(pickle.dumps(sample())), copy.deepcopy(sample()), sample().clone()):
        assert made.is_sparse and torch.equal(made.to_dense(), DENSE)


def test_what_cannot_be_done_says_so():
    with pytest.raises(NotImplementedError, match=r"Could not run 'exp'.*SparseCPU") as error:
        sample().exp()
    assert "test_sparse.py" in str(error.value) and "to_dense()" in str(error.value)
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        sample().numpy()
    with pytest.raises(RuntimeError, match="Use add\\(dense, sparse\\) instead"):
        sample() + DENSE
    with pytest.raises(RuntimeError, match=r"size is inconsistent with indices.*found index 1"):
        torch.sparse_coo_tensor(INDICES, VALUES, (1, 3))
    with pytest.raises(RuntimeError, match=r"must have same nnz.*indices: 4.*values: 2"):
        torch.sparse_coo_tensor(INDICES, VALUES[:2], (2, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        sample() @ torch.ones(2, 2)


def test_an_embedding_with_sparse_gradients_says_which_rows_it_used():
    table = torch.nn.Embedding(5, 2, sparse=True)
    table(torch.tensor([1, 1, 3])).sum().backward()
    grad = table.weight.grad
    assert grad.is_sparse and grad.coalesce()._indices().tolist() == [[1, 3]]
    assert grad._values().tolist() == [[2.0, 2.0], [1.0, 1.0]]
    table(torch.tensor([2])).sum().backward()
    assert table.weight.grad._indices().tolist() == [[1, 2, 3]]
    table.zero_grad()
    before = table.weight.detach().clone()
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    table(torch.tensor([4])).sum().backward()
    optimizer.step()
    moved = (table.weight.detach() != before).any(dim=1)
    assert moved.tolist() == [False, False, False, False, True]


class Spread(torch.autograd.Function):
    """A product whose sparse factor stays as it is."""

    @staticmethod
    def forward(ctx, factor, x):
        ctx.save_for_backward(factor)
        return torch.sparse.mm(factor, x)

    @staticmethod
    def backward(ctx, gradient):
        (factor,) = ctx.saved_tensors
        return None, torch.sparse.mm(factor.t(), gradient)


def test_a_custom_function_takes_a_sparse_tensor():
    factor = torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]).to_sparse()
    x = torch.randn(3, 2, requires_grad=True)
    Spread.apply(factor, x).sum().backward()
    assert torch.equal(x.grad, factor.to_dense().sum(0)[:, None].expand(3, 2))


def test_a_custom_function_refuses_a_sparse_tensor_that_moves():
    factor = torch.eye(3).requires_grad_().to_sparse()
    with pytest.raises(NotImplementedError, match="sparse tensor that requires grad"):
        Spread.apply(factor, torch.randn(3, 2))


@pytest.mark.parametrize("stored", [torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr])
def test_a_parameter_may_be_sparse(stored):
    weight = torch.nn.Parameter(stored(torch.eye(3)))
    layer = torch.nn.ParameterList([weight])
    assert weight.requires_grad and weight.is_leaf and weight.layout is not torch.strided
    (weight.to_dense() * 2).sum().backward()
    assert weight.grad.values().tolist() == [2.0, 2.0, 2.0]
    assert "requires_grad=True" in repr(weight)
    assert torch.equal(copy.deepcopy(layer).state_dict()["0"].to_dense(), torch.eye(3))
    fixed = torch.nn.Parameter(stored(torch.eye(3)), requires_grad=False)
    assert not fixed.requires_grad
