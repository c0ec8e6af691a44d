"""audit_activation: is a function fit to stand between two layers?"""

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

from .wrong_functions import TripledSquare


@pytest.fixture(scope="module")
def relu():
    return torch.audit_activation(torch.relu)


@pytest.fixture(scope="module")
def tanh():
    return torch.audit_activation(torch.tanh)


@pytest.fixture(scope="module")
def sigmoid():
    return torch.audit_activation(torch.sigmoid)


def test_relu_is_half_dead_and_made_for_he(relu):
    assert relu
    assert relu.derivative_range == (0.0, 1.0)
    assert relu.dead_share == 0.5
    assert relu.gain == pytest.approx(math.sqrt(2), abs=1e-6)
    assert relu.best_init == "He"
    he, xavier = relu.inits[:2]
    assert (he.forward, he.backward) == pytest.approx((1.0, 1.0), rel=1e-5)
    # Half of the variance is lost per layer with Xavier.
    assert xavier.forward == pytest.approx(2**-10, rel=1e-4)
    assert relu.output_range == (0.0, math.inf)


def test_the_identity_is_made_for_xavier_but_learns_nothing_nonlinear():
    audit = torch.audit_activation(lambda x: x * 1)
    assert audit.best_init == "Xavier"
    assert audit.gain == pytest.approx(1.0, abs=1e-6)
    assert audit.overfit[2] < 1e-6
    assert audit.overfit[4] == pytest.approx(0.25, abs=0.01)  # exclusive or is not linear
    assert not audit
    assert "cannot overfit 4 examples" in audit.problems[0]


def test_sigmoid_passes_back_a_quarter_at_most(sigmoid):
    assert sigmoid
    assert sigmoid.derivative_range[1] == 0.25
    assert sigmoid.dead_share == 0.0
    assert sigmoid.mean == pytest.approx(0.5, abs=1e-9)
    assert all(fit.backward < 1e-6 for fit in sigmoid.inits)
    assert sigmoid.best_init == "neither"


def test_tanh_saturates_in_the_tails(tanh):
    assert tanh.output_range == (-1.0, 1.0)
    # The slope is below 5 % beyond |x| = 2.18: 2.9 % of a standard normal.
    assert tanh.saturated_share == pytest.approx(0.029, abs=0.001)
    assert tanh.derivative_error < 1e-8


def test_output_ranges_are_held_against_the_domains_of_losses(relu, tanh, sigmoid):
    assert sigmoid.losses["BCELoss"] == ""
    assert relu.losses["BCELoss"].startswith("no: outputs reach [0, inf]")
    assert relu.losses["PoissonNLLLoss(log_input=False)"] == ""
    assert tanh.losses["PoissonNLLLoss(log_input=False)"].startswith("no: outputs reach [-1, 1]")
    # Logits between -1 and 1 cannot be surer than this.
    floor = math.log1p(math.exp(-2))
    assert (
        f"keep the two-class loss above {floor:.3g}"
        in tanh.losses["CrossEntropyLoss, BCEWithLogitsLoss"]
    )
    assert tanh.losses["MSELoss, L1Loss"] == "only for targets in [-1, 1]"


def test_the_loss_that_follows_counts_for_the_verdict():
    assert torch.audit_activation(torch.sigmoid, loss="bce")
    audit = torch.audit_activation(torch.tanh, loss="BCELoss")
    assert not audit
    assert audit.problems == [
        "as input of BCELoss: outputs reach [-1, 1]: log of a negative number; probabilities are "
        "needed"
    ]
    with pytest.raises(ValueError, match="loss='hinge' is not known"):
        torch.audit_activation(torch.tanh, loss="hinge")


def test_a_wrong_derivative_is_found_with_its_place():
    audit = torch.audit_activation(TripledSquare.apply)
    assert not audit
    assert audit.problems[0].startswith("wrong derivative: at x = ")
    assert audit.derivative_error > 0.1


def test_a_step_is_dead_and_jumps():
    audit = torch.audit_activation(torch.sign)
    assert not audit
    assert audit.dead_share == 1.0
    text = " ".join(audit.problems)
    assert "dead for 100% of standard normal inputs" in text
    assert "jumps at x = 0 from -1 to 1" in text


def test_overflow_in_float32_is_placed():
    audit = torch.audit_activation(lambda x: torch.log(1 + torch.exp(x)))
    assert audit.float32_limits == [pytest.approx(88.72, abs=0.01)]
    assert torch.audit_activation(F.softplus).float32_limits == []


def test_softmax_is_not_an_activation_of_single_values():
    audit = torch.audit_activation(lambda x: torch.softmax(x, -1))
    assert not audit
    assert "not element-wise" in str(audit)


def test_the_audit_reads_as_tables(relu):
    text = str(relu)
    assert "activation relu: fit" in text
    assert "dead for 50.0% of standard normal inputs" in text
    assert "He             2 / fan_in" in text
    assert "can a small network overfit?" in text
