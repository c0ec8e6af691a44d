"""gradcheck_points: gradients at many points and batches, and how they flow."""

import itertools
import math

import pytest

import chainrule as torch
from chainrule.autograd.gradcheck import GradcheckError

from .wrong_functions import TripledSquare


def verdicts(report) -> dict[float, list[str]]:
    return {p.point: p.verdicts for p in report.points}


def test_relu_has_a_kink_at_zero_and_is_dead_below():
    report = torch.gradcheck_points(torch.relu)
    assert report
    found = verdicts(report)
    assert found[0.0] == ["kink"]
    assert found[-5.0] == found[-1.0] == ["dead"]
    assert found[1.0] == found[5.0] == found[1000.0] == []
    (kink,) = report.scan.breaks
    assert (kink.kind, kink.at, kink.left, kink.right) == ("kink", 0.0, 0.0, 1.0)
    (zone,) = report.scan.zones
    assert (zone.kind, zone.start, zone.end) == ("dead", -10.0, 0.0)


def test_relu6_has_two_kinks_and_two_dead_zones():
    report = torch.gradcheck_points(lambda x: x.clamp(0, 6))
    assert [b.at for b in report.scan.breaks] == [0.0, 6.0]
    assert [z.kind for z in report.scan.zones] == ["dead", "dead"]


def test_a_kink_between_the_grid_points_is_located():
    report = torch.gradcheck_points(lambda x: (x - math.sqrt(2)).abs())
    (kink,) = report.scan.breaks
    assert kink.at == pytest.approx(math.sqrt(2), abs=1e-8)
    assert (kink.left, kink.right) == (-1.0, 1.0)


def test_a_smooth_function_has_neither_kinks_nor_zones():
    report = torch.gradcheck_points(lambda x: x * x)
    assert report
    assert report.scan.breaks == []
    assert report.scan.zones == []
    assert verdicts(report)[0.0] == []  # a minimum is not dead


def test_sigmoid_saturates_at_both_ends():
    report = torch.gradcheck_points(torch.sigmoid)
    assert report
    low, high = report.scan.zones
    assert (low.kind, high.kind) == ("saturated", "saturated")
    # The slope is 5 % of its greatest, 0.25, at x = 4.37.
    assert low.end == pytest.approx(-4.4, abs=0.05)
    assert high.start == pytest.approx(4.4, abs=0.05)
    assert verdicts(report)[5.0] == ["saturated"]
    assert report.scan.greatest == 0.25


def test_a_jump_is_found():
    report = torch.gradcheck_points(lambda x: x.sign() + 0.1 * x)
    (jump,) = report.scan.breaks
    assert (jump.kind, jump.at) == ("jump", 0.0)
    assert (jump.left, jump.right) == (pytest.approx(-1, abs=1e-5), pytest.approx(1, abs=1e-5))
    assert "jump" in verdicts(report)[0.0]


def test_overflow_at_extreme_inputs_is_found_and_placed():
    report = torch.gradcheck_points(lambda x: torch.log(1 + torch.exp(x)))
    assert not report
    assert verdicts(report)[1000.0] == ["overflow"]
    assert any("at x = 1000 the value is inf" in p for p in report.problems)
    (limit,) = report.float32_limits
    assert limit == pytest.approx(math.log(3.4028235e38), abs=0.01)
    stable = torch.gradcheck_points(torch.nn.functional.softplus)
    assert stable
    assert stable.float32_limits == []


def test_points_may_be_chosen():
    report = torch.gradcheck_points(torch.exp, points=(-5, 0, 5))
    assert [p.point for p in report.points] == [-5.0, 0.0, 5.0]
    assert report.points[1].automatic == 1.0


def test_a_wrong_gradient_fails_and_names_the_op():
    report = torch.gradcheck_points(lambda x: TripledSquare.apply(x.sin()) + 1)
    assert not report
    text = str(report)
    assert "FAILED" in text
    assert "suspect: TripledSquareBackward, recorded at test_points.py:" in text
    assert "wrong gradient" in verdicts(report)[1.0]
    assert all(not b.agrees for b in report.batches)
    with pytest.raises(GradcheckError, match="gradcheck_points failed"):
        torch.gradcheck_points(TripledSquare.apply, raise_exception=True)


def batch_norm(x):
    return (x - x.mean(0)) / (x.var(0, unbiased=False) + 1e-5).sqrt()


def test_batch_norm_couples_examples_and_layer_norm_does_not():
    report = torch.gradcheck_points(batch_norm)
    assert report
    coupled = {b.size: b.coupling for b in report.batches}
    assert coupled[1] == 0
    assert coupled[8] > 0.1
    assert any("examples of a batch influence one another" in r for r in report.remarks)

    def layer_norm(x):
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt()

    report = torch.gradcheck_points(layer_norm)
    assert report
    assert [b.coupling for b in report.batches] == [0, 0, 0]


def test_a_function_that_refuses_single_examples_is_checked_on_more():
    def picky(x):
        if x.shape[0] < 2:
            raise ValueError("Expected more than 1 value per channel")
        return batch_norm(x)

    report = torch.gradcheck_points(picky)
    assert report
    assert report.batches[0].error == "ValueError: Expected more than 1 value per channel"
    assert any("a single example is refused" in r for r in report.remarks)


def test_a_random_function_is_said_to_be_random():
    report = torch.gradcheck_points(lambda x: x * torch.rand(()), points=())
    assert all("random: two calls differ" in b.verdicts[0] for b in report.batches)


def test_vanishing_norms_are_flagged_per_layer():
    def sigmoids(x):
        for _ in range(14):
            x = torch.sigmoid(x)
        return x

    rows = torch.gradcheck_points(sigmoids).layers
    assert [r.name for r in rows] == ["input"] + ["Sigmoid"] * 14
    assert rows[0].verdict == "vanishing"
    assert rows[-1].verdict == ""
    norms = [r.norm for r in rows]
    assert norms == sorted(norms)  # each layer passes back at most a quarter
    assert all(a <= 0.25 * b for a, b in itertools.pairwise(norms))
    assert "in sigmoids: x = torch.sigmoid(x)" in rows[1].where


def test_exploding_norms_are_flagged():
    def explode(x):
        for _ in range(50):
            x = 1.5 * x
        return x

    report = torch.gradcheck_points(explode, points=(0, 1))
    assert report.layers[0].verdict == "exploding"
    assert any(r.startswith("exploding gradient at input") for r in report.remarks)


class TwoLayers:
    """A module as far as the check is concerned: parameters that can be converted."""

    def __init__(self):
        self.in_features = 4
        self.first = torch.nn.Parameter(torch.randn(4, 5))
        self.second = torch.nn.Parameter(torch.randn(5, 2) * 1e-9)

    def modules(self):
        return [self]

    def named_parameters(self):
        return [("first", self.first), ("second", self.second)]

    def _to(self, dtype):
        self.first = torch.nn.Parameter(self.first.detach().to(dtype))
        self.second = torch.nn.Parameter(self.second.detach().to(dtype))
        return self

    def double(self):
        return self._to(torch.float64)

    def float(self):
        return self._to(torch.float32)

    def __call__(self, x):
        return torch.tanh(x @ self.first) @ self.second


def test_parameters_of_a_module_are_listed_and_the_module_is_left_alone():
    net = TwoLayers()
    report = torch.gradcheck_points(net)
    assert report
    rows = {r.name: r for r in report.layers}
    assert rows["first"].verdict == "vanishing"
    assert rows["second"].verdict == ""
    assert net.first.dtype is torch.float32
    assert net.first.grad is None


def test_a_wrong_shape_is_answered_with_the_argument_to_pass():
    w = torch.randn(7, 2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="pass shape=, the shape of one example"):
        torch.gradcheck_points(lambda x: x @ w)
    assert torch.gradcheck_points(lambda x: x @ w, shape=(7,))


def test_the_report_reads_as_tables():
    text = str(torch.gradcheck_points(torch.relu))
    assert "slopes at points" in text
    assert "kink at x = 0: slope 0 before, 1 after" in text
    assert "dead for x in [-10, 0]" in text
    assert "gradient check at 9 points: passed" in text


class TripledSlope(torch.autograd.Function):
    """The slope is three times too large; `scale` and `offset` hide it from differences."""

    @staticmethod
    def forward(ctx, x, scale, offset):
        ctx.scale = scale
        return x * scale + offset

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.scale, None, None


@pytest.mark.parametrize(("scale", "offset", "why"), [(1e-6, 0.0, "below atol"),
                                                      (3.0, 1e12, "rounding")])  # fmt: skip
def test_ok_never_stands_beside_a_large_error(scale, offset, why):
    report = torch.gradcheck_points(lambda x: TripledSlope.apply(x, scale, offset))
    rows = [line for line in str(report).splitlines() if line.split()[:1] in (["1"], ["5"], ["8"])]
    assert len(rows) >= 3
    assert not any(line.rstrip().endswith("ok") for line in rows)
    assert any(f"not resolved ({why}): off by" in line for line in rows)
    assert "differences cannot tell whether the slope is right" in str(report)


def test_points_where_differences_are_not_finite_are_not_ok():
    report = torch.gradcheck_points(lambda x: torch.sqrt(x - 1), points=[1.0000001, 4.0])
    near, far = report.points
    assert any("not finite" in v or v in ("kink", "overflow") for v in near.verdicts)
    assert far.verdicts == []
