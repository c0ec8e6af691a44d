"""Products with sparse results, and methods that sparse tensors have and dense ones refuse."""

import pytest

import chainrule as torch

SPARSE = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
DENSE = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def test_products_with_sparse_results():
    s = SPARSE.to_sparse()
    rows = torch.hspmm(s, DENSE)
    assert rows.sparse_dim() == 1 and torch.equal(rows.to_dense(), SPARSE @ DENSE)
    for out in (torch.smm(s, DENSE), s.smm(DENSE)):
        assert out.is_sparse and torch.equal(out.to_dense(), SPARSE @ DENSE)
    sum_ = torch.sspaddmm(s, s, DENSE, beta=2, alpha=3)
    assert sum_._nnz() == 6 and torch.equal(sum_.to_dense(), 2 * SPARSE + 3 * (SPARSE @ DENSE))


def test_a_product_with_sparse_result_gives_gradients():
    values = torch.tensor([1.0, 2.0], requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 1], [1, 0]], values, (2, 2))
    torch.hspmm(s, DENSE).to_dense().sum().backward()
    assert values.grad.tolist() == [7.0, 3.0]


def test_sizes_of_sparse_tensors_change_without_losing_values():
    s = SPARSE.to_sparse()
    assert s.clone().sparse_resize_((3, 4), 2, 0).to_dense().sum() == 3
    with pytest.raises(RuntimeError, match="would lose values"):
        s.clone().sparse_resize_((1, 2), 2, 0)
    cleared = s.clone().sparse_resize_and_clear_((1, 5), 2, 0)
    assert cleared.shape == (1, 5) and cleared._nnz() == 0
    empty = torch.sparse_coo_tensor(size=(1, 1))
    assert torch.resize_as_sparse_(empty, s).shape == (2, 2)


def test_elements_at_the_places_of_a_sparse_tensor():
    found = DENSE.sparse_mask(SPARSE.to_sparse())
    assert found.values().tolist() == [2.0, 3.0]


def test_dense_tensors_say_that_they_are_not_sparse():
    with pytest.raises(RuntimeError, match="coalesce expected sparse coordinate tensor layout"):
        DENSE.coalesce()
    with pytest.raises(RuntimeError, match="crow_indices expected sparse row compressed"):
        DENSE.crow_indices()
    with pytest.raises(NotImplementedError, match="q_scale is for quantized tensors"):
        DENSE.q_scale()
    assert DENSE.dequantize() is DENSE


def test_rows_of_sparse_tensors_are_sparse():
    s = SPARSE.to_sparse()
    assert [row.to_dense().tolist() for row in s] == SPARSE.tolist()
    assert s.select(1, 0).is_sparse and s[0, 1].item() == 1.0
    both = torch.stack([s, 2 * s])
    assert both.is_sparse and torch.equal(both.to_dense(), torch.stack([SPARSE, 2 * SPARSE]))
    assert torch.equal(s.unsqueeze(2).to_dense(), SPARSE.unsqueeze(2))
    assert torch.equal(torch.bmm(both, torch.stack([DENSE, DENSE]))[1], 2 * SPARSE @ DENSE)
    assert torch.equal(s.sum(1, keepdim=True).to_dense(), SPARSE.sum(1, keepdim=True))
    assert torch.equal((s * torch.tensor([1.0, 3.0])).to_dense(), SPARSE * torch.tensor([1.0, 3.0]))
    assert s.any() and s.signbit().to_dense().sum() == 0


def test_rows_of_sparse_tensors_give_gradients():
    values = torch.tensor([1.0, 2.0], requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 1], [1, 0]], values, (2, 2))
    (s.unbind()[1].to_dense() * torch.tensor([3.0, 5.0])).sum().backward()
    assert values.grad.tolist() == [0.0, 3.0]


def test_matrices_of_diagonals():
    rows = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
    made = torch.sparse.spdiags(rows, torch.tensor([0, 1]), (3, 3))
    assert made.to_dense().tolist() == [[1, 5, 0], [0, 2, 6], [0, 0, 3]]
    with pytest.raises(ValueError, match="duplicate"):
        torch.sparse.spdiags(rows, torch.tensor([1, 1]), (3, 3))
