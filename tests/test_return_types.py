"""Functions with several results return named tuples that print as PyTorch's."""

import pickle

import pytest

import chainrule as torch

X = torch.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])


def test_text():
    assert repr(X.max(dim=1)) == (
        "torch.return_types.max(\nvalues=tensor([5., 6.]),\nindices=tensor([1, 2]))"
    )
    assert repr(torch.aminmax(X)) == (
        "torch.return_types.aminmax(\nmin=tensor(1.),\nmax=tensor(6.))"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: X.max(0),
        lambda: X.min(dim=0, keepdim=True),
        lambda: X.sort(),
        lambda: X.topk(2),
        lambda: X.median(1),
        lambda: X.nanmedian(1),
        lambda: X.mode(1),
        lambda: X.kthvalue(2),
        lambda: X.cummax(0),
        lambda: X.cummin(1),
    ],
)
def test_values_and_indices(call):
    pair = call()
    values, indices = pair
    assert pair.values is pair[0] is values
    assert pair.indices is pair[1] is indices
    assert indices.dtype is torch.int64
    assert isinstance(pair, tuple)
    assert type(pair) is getattr(torch.return_types, type(pair).__name__)


def test_built_from_one_sequence_and_pickled():
    pair = torch.return_types.max((X, X))
    assert pair.values is X
    again = pickle.loads(pickle.dumps(X.max(1)))
    assert type(again) is torch.return_types.max
    assert again.values.tolist() == [5.0, 6.0]


def test_histogram_names_its_edges():
    made = torch.histogram(X, 2)
    assert made.hist.tolist() == [3.0, 3.0]
    assert made.bin_edges.tolist() == [1.0, 3.5, 6.0]


def test_gradient_flows_to_the_chosen_elements():
    x = X.clone().requires_grad_()
    x.max(1).values.sum().backward()
    x.sort(descending=True).values[:, 1].sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    assert x.max(1).values.grad_fn.name() == "MaxBackward0"
    assert not x.max(1).indices.requires_grad
