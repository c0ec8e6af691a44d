"""torchaudio's operators are ours: filters, the transducer's loss and alignment as defined."""

import itertools

import numpy as np
import pytest

import chainrule as torch


@pytest.fixture(autouse=True)
def operators():
    torch.ops.load_library("/anywhere/torchaudio/lib/libtorchaudio.abi3.so")


def test_a_filter_goes_on_from_the_outputs_before_it():
    x = torch.randn(2, 3, 20, dtype=torch.float64)
    flipped = torch.tensor([[0.2, -0.5, 1.0], [0.1, 0.3, 1.0], [-0.4, 0.0, 1.0]]).double()
    padded = torch.cat([torch.randn(2, 3, 2).double(), torch.zeros(2, 3, 20).double()], -1)
    want = padded.clone().numpy()
    for t in range(20):
        fed_back = (want[:, :, t : t + 2] * flipped.numpy()[:, :2]).sum(-1)
        want[:, :, t + 2] = x.numpy()[:, :, t] - fed_back
    given = torch.ops.torchaudio._lfilter_core_loop(x, flipped, padded)
    assert given is padded
    np.testing.assert_allclose(padded.numpy(), want, rtol=1e-12)


def test_a_filter_of_order_one_copies():
    padded = torch.zeros(1, 1, 5)
    torch.ops.torchaudio._lfilter_core_loop(torch.ones(1, 1, 5), torch.ones(1, 1), padded)
    assert padded.tolist() == [[[1.0] * 5]]


def test_overdrive_leaves_the_state_of_the_last_step():
    wave, temp = torch.randn(2, 6).double(), torch.randn(2, 6).double()
    last_in, last_out = torch.randn(2).double(), torch.randn(2).double()
    want, before, after = [], last_in.numpy().copy(), last_out.numpy().copy()
    for t in range(6):
        after = temp.numpy()[:, t] - before + 0.995 * after
        before = temp.numpy()[:, t]
        want.append(wave.numpy()[:, t] * 0.5 + after * 0.75)
    result = torch.zeros(2, 6).double()
    torch.ops.torchaudio._overdrive_core_loop(wave, temp, last_in, last_out, result)
    np.testing.assert_allclose(result.numpy(), np.stack(want, 1), rtol=1e-12)
    np.testing.assert_allclose(last_out.numpy(), after, rtol=1e-12)
    np.testing.assert_allclose(last_in.numpy(), before)


def transducer_by_paths(logits, labels, blank, fused):
    """Minus the log of the sum over all orders of blanks (one ends a step) and labels."""
    logs = logits.log_softmax(-1) if fused else logits
    steps = logits.shape[0]
    paths = []
    for moves in itertools.combinations(range(steps - 1 + len(labels)), len(labels)):
        t = u = 0
        total = logs[steps - 1, len(labels), blank]
        for k in range(steps - 1 + len(labels)):
            if k in moves:
                total = total + logs[t, u, labels[u]]
                u += 1
            else:
                total = total + logs[t, u, blank]
                t += 1
        paths.append(total)
    return -torch.logsumexp(torch.stack(paths), 0)


@pytest.mark.parametrize("fused", [True, False])
def test_the_transducer_sums_over_all_paths(fused):
    logits = torch.randn(2, 4, 3, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[1, 1], [3, 0]], dtype=torch.int32)
    lengths = torch.tensor([4, 3], dtype=torch.int32), torch.tensor([2, 1], dtype=torch.int32)
    costs, gradients = torch.ops.torchaudio.rnnt_loss_forward(
        logits, targets, *lengths, 2, -1.0, fused
    )
    parts = [
        transducer_by_paths(logits[0], [1, 1], 2, fused),
        transducer_by_paths(logits[1, :3, :2], [3], 2, fused),
    ]
    assert torch.allclose(costs, torch.stack(parts))
    (want,) = torch.autograd.grad(sum(parts), logits)
    assert torch.allclose(gradients, want, atol=1e-12)
    bounded = torch.ops.torchaudio.rnnt_loss_forward(logits, targets, *lengths, 2, 0.1, fused)[1]
    assert torch.equal(bounded, gradients.clamp(-0.1, 0.1))


def test_the_transducer_refuses_lengths_that_are_not_there():
    logits = torch.randn(1, 4, 3, 5)
    targets = torch.ones(1, 2, dtype=torch.int32)
    with pytest.raises(RuntimeError, match="output length mismatch: the longest is 9"):
        torch.ops.torchaudio.rnnt_loss_forward(
            logits, targets, torch.tensor([9]), torch.tensor([2]), 0, -1.0, True
        )


def test_alignment_is_the_best_of_all_paths():
    scores = torch.randn(1, 6, 4).log_softmax(-1)
    labels = [2, 2, 1]
    best = max(
        (path for path in itertools.product(range(4), repeat=6)
         if [k for k, _ in itertools.groupby(path) if k != 0] == labels),
        key=lambda path: sum(float(scores[0, t, k]) for t, k in enumerate(path)),
    )  # fmt: skip
    path, given = torch.ops.torchaudio.forced_align(
        scores, torch.tensor([labels]), torch.tensor([6]), torch.tensor([3]), 0
    )
    assert path.tolist() == [list(best)] and torch.equal(given, scores)


def test_alignment_says_what_does_not_fit():
    with pytest.raises(RuntimeError, match="targets length is too long for CTC"):
        torch.ops.torchaudio.forced_align(
            torch.randn(1, 2, 4), torch.tensor([[2, 2]]), torch.tensor([2]), torch.tensor([2]), 0
        )


def test_other_compiled_libraries_are_refused():
    with pytest.raises(OSError, match="compiled against PyTorch"):
        torch.ops.load_library("/anywhere/torchsomething/_C.so")
