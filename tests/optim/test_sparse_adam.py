"""SparseAdam moves the places that have a gradient, and no others."""

import chainrule as torch


def test_gradients_may_be_sparse_in_several_dimensions():
    weight = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
    optimizer = torch.optim.SparseAdam([weight], lr=0.1)
    for i in range(3):
        weight.grad = torch.tensor([[0.0, 1, 0], [2, 0, i]]).to_sparse()
        optimizer.step()
    expected = torch.tensor([[0.0, 0.7, 2.0], [2.7, 4.0, 4.84273]])  # PyTorch's
    torch.testing.assert_close(weight.detach(), expected)
