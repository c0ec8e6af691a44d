"""What a checkpointed function writes, it writes again in backward."""

import pytest

import chainrule as torch
from chainrule.utils.checkpoint import checkpoint


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_batch_norm_that_ends_a_checkpoint_collects_statistics_twice(reentrant):
    norm = torch.nn.BatchNorm1d(1, momentum=0.5)
    x = torch.tensor([[0.0], [8.0]], requires_grad=True)
    y = checkpoint(norm, x, use_reentrant=reentrant)
    assert (norm.running_mean.item(), norm.running_var.item()) == (2.0, 16.5)
    y.sum().backward()
    assert (norm.running_mean.item(), norm.running_var.item()) == (3.0, 24.25)


def test_hooks_on_saved_tensors_leave_statistics_alone():
    norm = torch.nn.BatchNorm1d(1, momentum=0.5)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        norm(torch.tensor([[0.0], [8.0]], requires_grad=True)).sum().backward()
    assert (norm.running_mean.item(), norm.num_batches_tracked.item()) == (2.0, 1)
