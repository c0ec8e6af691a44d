"""What gradcheck asks beyond the Jacobians: inputs as forward mode gets them, outputs that stay
alike."""

import pytest

import chainrule as torch
from chainrule.autograd import Function, gradcheck

D = torch.float64


def leaf(n):
    return torch.rand(n, dtype=D, requires_grad=True)


def test_forward_mode_runs_without_recording():
    seen = []

    class Pass(Function):
        @staticmethod
        def forward(ctx, x, y):
            seen.append((x.requires_grad, y.requires_grad))
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx, tx, ty):
            return tx, ty

    assert gradcheck(Pass.apply, (leaf(1), leaf(1)), check_forward_ad=True,
                     check_backward_ad=False)  # fmt: skip
    assert (False, False) in seen


@pytest.mark.parametrize("fast", [False, True])
def test_outputs_stay_alike_when_the_inputs_move(fast):
    x = torch.ones(1, dtype=D, requires_grad=True)
    grows = lambda t: torch.cat([t, t]) if (t >= 1).all() else t  # noqa: E731
    widens = lambda t: t.float() if (t >= 1).all() else t  # noqa: E731
    with pytest.raises(AssertionError, match="outputs with the same shape when inputs are pert"):
        gradcheck(grows, (x,), fast_mode=fast)
    with pytest.raises(AssertionError, match="outputs with the same dtype when inputs are pert"):
        gradcheck(widens, (x,), fast_mode=fast)


def test_entries_decide_where_the_projection_of_fast_mode_is_off():
    z = torch.tensor([6.5e-4 + 4.5e-4j, 8.1e-3 + 8.7e-3j], dtype=torch.complex128)
    z.requires_grad_()
    for fast in (False, True):
        assert gradcheck(lambda t: 1.0 / torch.linalg.vector_norm(t), (z,), atol=1e-5, rtol=1e-9,
                         fast_mode=fast)  # fmt: skip
