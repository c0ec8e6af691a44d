"""Sparse matrices compressed by rows (CSR) and by columns (CSC)."""

import copy
import io
import pickle

import pytest

import chainrule as torch

DENSE = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
CROW, COL, VALUES = torch.tensor([0, 2, 3]), torch.tensor([0, 2, 1]), torch.tensor([1.0, 2.0, 3.0])


def csr(values=VALUES):
    return torch.sparse_csr_tensor(CROW, COL, values, (2, 3))


def test_is_printed_as_pytorch_prints_it():
    assert repr(csr()) == (
        "tensor(crow_indices=tensor([0, 2, 3]),\n"
        "       col_indices=tensor([0, 2, 1]),\n"
        "       values=tensor([1., 2., 3.]), size=(2, 3), nnz=3,\n"
        "       layout=torch.sparse_csr)"
    )
    assert repr(csr().to_sparse_csc()) == (
        "tensor(ccol_indices=tensor([0, 1, 2, 3]),\n"
        "       row_indices=tensor([0, 1, 0]),\n"
        "       values=tensor([1., 3., 2.]), size=(2, 3), nnz=3,\n"
        "       layout=torch.sparse_csc)"
    )


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc, torch.sparse_coo])
def test_conversions_keep_the_matrix(layout):
    x = DENSE.to_sparse(layout=layout)
    assert x.layout is layout and x.is_sparse is (layout is torch.sparse_coo)
    for other in (torch.sparse_csr, torch.sparse_csc, torch.sparse_coo):
        assert torch.equal(x.to_sparse(layout=other).to_dense(), DENSE)


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc])
def test_products_are_those_of_the_dense_matrix(layout):
    x, m = DENSE.to_sparse(layout=layout), torch.arange(6.0).reshape(3, 2)
    assert torch.equal(x @ m, DENSE @ m)
    assert torch.equal(torch.mv(x, m[:, 1]), DENSE @ m[:, 1])
    assert torch.equal(torch.sparse.mm(x, m), DENSE @ m)
    c = torch.ones(2, 2)
    assert torch.equal(torch.addmm(c, x, m, beta=2, alpha=3), 2 * c + 3 * (DENSE @ m))
    square = x @ x.t()
    assert square.layout is layout and torch.equal(square.to_dense(), DENSE @ DENSE.t())
    assert torch.equal(torch.ones(2, 2) @ x, torch.ones(2, 2) @ DENSE)


def test_ops_keep_the_layout_and_transposing_turns_it():
    x = csr()
    for made in (x * 2, -x, x.sin(), x + x, x.clone(), x.to(torch.float64), x.detach()):
        assert made.layout is torch.sparse_csr
    assert torch.equal((x + x).to_dense(), 2 * DENSE)
    assert x.t().layout is torch.sparse_csc and torch.equal(x.t().to_dense(), DENSE.t())


def test_gradients_flow_to_values_and_matrices():
    values = VALUES.clone().requires_grad_()
    m = torch.arange(6.0).reshape(3, 2).requires_grad_()
    (csr(values) @ m).pow(2).sum().backward()
    dense, other = DENSE.clone().requires_grad_(), m.detach().clone().requires_grad_()
    (dense @ other).pow(2).sum().backward()
    assert torch.equal(values.grad, dense.grad[[0, 0, 1], [0, 2, 1]])
    assert torch.equal(m.grad, other.grad)


def test_second_derivatives():
    values, m = VALUES.double().requires_grad_(), torch.rand(3, 2, dtype=torch.float64)
    assert torch.autograd.gradgradcheck(lambda v: (csr(v) @ m).pow(3).sum(), (values,))


@pytest.mark.parametrize("x", [csr(), csr().to_sparse_csc()])
def test_copies_and_files(x):
    buffer = io.BytesIO(pickle.dumps(x))
    for made in (copy.copy(x), copy.deepcopy(x), pickle.load(buffer)):
        assert made.layout is x.layout and torch.equal(made.to_dense(), DENSE)


@pytest.mark.parametrize(
    ("crow", "col", "size", "phrase"),
    [
        ([0, 2, 4], [0, 2, 1], (2, 3), r"`crow_indices\[..., -1\] == nnz` is not satisfied"),
        ([1, 2, 3], [0, 2, 1], (2, 3), r"`crow_indices\[..., 0\] == 0` is not satisfied"),
        ([0, 4, 3], [0, 2, 1], (2, 3), "is not satisfied"),
        ([0, 2, 3], [0, 5, 1], (2, 3), "`0 <= col_indices < 3` is not satisfied"),
        ([0, 2, 3], [0, 2, 1], (4, 3), "one element more"),
        ([0, 2, 2], [0, 2], (2, 3), "same nnz"),
    ],
)
def test_wrong_indices_are_refused(crow, col, size, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        torch.sparse_csr_tensor(crow, col, VALUES, size)


def test_what_it_is_not_is_said():
    with pytest.raises(RuntimeError, match="indices expected sparse coordinate tensor layout"):
        csr().indices()
    with pytest.raises(RuntimeError, match="ccol_indices expected sparse column compressed"):
        csr().ccol_indices()
    with pytest.raises(NotImplementedError, match="not by blocks"):
        DENSE.to_sparse_bsr((1, 1))
    with pytest.raises(TypeError, match="can't convert SparseCsr layout tensor to numpy"):
        csr().numpy()
    with pytest.raises(RuntimeError, match="compressed form is for matrices"):
        torch.ones(2, 2, 2).to_sparse_csr()
