"""SPEC row: anomaly mode. `detect_anomaly(forward=True)` names the beginning of a NaN."""

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn.functional as F
from chainrule import nn, optim
from chainrule.utils.checkpoint import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
NAN, INF = float("nan"), float("inf")


def told(program) -> str:
    """The message of the error a program ends in under forward anomaly mode."""
    with torch.autograd.detect_anomaly(forward=True), pytest.raises(RuntimeError) as caught:
        program()
    return str(caught.value)


def leaf(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


# ---- data ----------------------------------------------------------------------------------------


def nan_data():
    rows = np.arange(30, dtype=np.float32).reshape(10, 3)
    rows[4, 2] = rows[7, 0] = NAN
    return torch.from_numpy(rows)


def test_nan_in_the_data_is_named_with_its_variable_rows_and_line():
    x = nan_data()  # the data
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    message = told(lambda: F.mse_loss(model(x), torch.zeros(10, 1)).backward())
    assert message.startswith("nan values in the data: `x` (float32 [10, 3])")
    assert "2 nan among 30 values, in rows 4, 7, first at [4, 2]" in message
    assert "made at" in message and "# the data" in message
    assert "in linear at" in message and "in 0 (Linear)" in message
    assert "Function '" not in message  # no fault of backward's


def test_nan_in_the_target_is_named_as_data():
    target = torch.tensor([[0.0], [NAN]])
    message = told(lambda: F.mse_loss(nn.Linear(3, 1)(torch.ones(2, 3)), target))
    assert "in the data: `target`" in message and "row 1" in message and "mse_loss" in message


def test_without_forward_checks_nan_data_is_still_told_from_a_fault_of_backward():
    x = nan_data()
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError) as caught:
        (x @ w).square().sum().backward()
    message = str(caught.value)
    assert "returned nan values in its 0th output" in message  # PyTorch's phrase
    assert "nan values in the data: `x`" in message and "rows 4, 7" in message


def test_data_that_is_moved_and_converted_first_keeps_its_origin():
    raw = nan_data()
    w = torch.ones(3, requires_grad=True, dtype=torch.float64)
    message = told(lambda: (torch.stack([raw, raw]).double()[0] @ w).sum())
    assert "They began" not in message  # the data is where it begins
    assert "nan values in the data" in message and "rows 4, 7" in message


def test_nan_in_a_parameter_is_named_by_its_path():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    with torch.no_grad():
        model[1].weight[0, 1] = NAN
    message = told(lambda: model(torch.ones(1, 2)))
    assert message.startswith("nan values in a parameter: 1.weight (float32 [1, 2])")


def test_a_nan_loss_of_rules_that_keep_nothing_is_caught_when_backward_starts():
    w = leaf(1.0, 2.0)
    message = told(lambda: (w - torch.tensor([NAN, 1.0])).sum().backward())
    assert "backward starts from holds nan values" in message
    assert "nan values in the data" in message and "first at [0]" in message


@pytest.mark.parametrize(
    "use",
    [
        lambda x, w: ((w - x)[~x.isnan()]).square().sum().backward(),
        lambda x, w: (torch.nan_to_num(x) * w).sum().backward(),
        lambda x, w: torch.where(x.isnan(), w, x).sum().backward(),
        lambda x, w: ((x - x.nanmean()) / 2).nansum() * w.sum(),
    ],
    ids=["masked loss", "nan_to_num", "where", "imputation"],
)
def test_nan_in_data_that_the_program_takes_care_of_is_no_anomaly(use):
    x, w = torch.tensor([1.0, NAN, 3.0]), leaf(1.0, 1.0, 1.0)
    with torch.autograd.detect_anomaly(forward=True):
        use(x, w)
    assert w.grad is None or torch.isfinite(w.grad).all()


# ---- operations ----------------------------------------------------------------------------------

ARISING = {
    "0/0": (lambda: torch.tensor([1.0, 0.0]) / torch.tensor([1.0, 0.0]), "div(0.0, 0.0) = nan"),
    "log": (lambda: leaf(-2.0).log(), "log(-2.0) = nan at [0]: the logarithm of a negative"),
    "sqrt": (lambda: leaf(4.0, -1e-9).sqrt(), "sqrt(-1e-09) = nan at [1]"),
    "acos": (lambda: leaf(1.0000001).acos(), "outside [-1, 1]"),
    "power": (lambda: leaf(-8.0) ** (1 / 3), "a negative number to a fractional power"),
    "0 * inf": (lambda: leaf(0.0) * INF, "0 · inf"),
    "empty mean": (lambda: torch.empty(0).mean(), "the mean of no values"),
    "std of one": (lambda: torch.ones(1, 1).std(dim=1), "correction 1"),
    "all ignored": (
        lambda: F.cross_entropy(torch.zeros(2, 3), torch.tensor([-100, -100])),
        "no target counts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ARISING)
def test_nan_names_the_operands_that_made_it(name):
    program, words = ARISING[name]
    message = told(program)
    assert words in message
    assert "returned nan values" in message and "test_anomaly_origins.py" in message


def test_an_overflow_in_exp_is_named_where_it_happened_not_where_it_became_nan():
    x = leaf([1.0, 1000.0])

    def softmax_by_hand():
        e = x.exp()  # it begins here
        return e / e.sum()

    message = told(softmax_by_hand)
    assert "div(inf, inf) = nan" in message
    assert "began earlier: exp at" in message and "# it begins here" in message
    assert "exp(1000.0) = inf at [0, 1]: overflows float32 (largest 3.40282e+38)" in message


def test_infinity_minus_infinity_names_both_beginnings():
    x = leaf(3e38)

    def program():
        a = x * 10  # first
        b = x * 100  # second
        return a - b

    message = told(program)
    assert "inf - inf" in message and "# first" in message and "# second" in message
    assert "mul(3e+38, 10.0) = inf" in message


def test_an_overflow_of_half_precision_under_autocast():
    x, w = torch.full((4, 512), 30.0), torch.full((512, 8), 30.0, requires_grad=True)

    def program():
        with torch.autocast("cpu", dtype=torch.float16):
            h = x @ w  # too large
            return h - h.mean()

    message = told(program)
    assert "# too large" in message and "float16 (largest 65504.0)" in message


def test_a_cast_that_overflows_names_the_value():
    message = told(lambda: torch.tensor([1e5, 1.0]).half() * 0)
    assert "100000.0 became inf at [0]: does not fit into float16 (largest 65504.0)" in message


def test_a_row_that_is_masked_everywhere():
    scores = torch.zeros(3, 3, requires_grad=True)
    seen = torch.tensor([[True, False, False], [False] * 3, [True] * 3])
    message = told(lambda: scores.masked_fill(~seen, -INF).softmax(-1))
    assert "row [1] of the input holds only -inf" in message
    assert "put there on purpose: masked_fill at" in message


def test_infinity_written_in_place_is_followed_through_memory():
    x = torch.zeros(4)

    def program():
        x[2:3].add_(1e38).mul_(100)  # in place
        return x - x

    assert "# in place" in told(program)


def test_a_custom_function_that_computes_on_arrays_is_named():
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch.from_numpy(np.log(x.detach().numpy()))

        @staticmethod
        def backward(ctx, g):
            return g

    assert told(lambda: Bad.apply(leaf(-1.0))).startswith("Bad returned nan values")


# ---- backward ------------------------------------------------------------------------------------


@pytest.mark.parametrize("forward", [True, False])
def test_the_root_at_zero_is_named_not_the_product_where_it_became_nan(forward):
    x = leaf(0.0, 3.0)
    with torch.autograd.detect_anomaly(forward=forward), pytest.raises(RuntimeError) as caught:
        squares = x * x
        squares.sqrt().sum().backward()  # the root
    message = str(caught.value)
    assert "Function 'MulBackward0' returned nan values in its 0th output" in message
    assert "became infinite in the backward of sqrt" in message and "# the root" in message
    assert "the slope of sqrt at 0 is infinite" in message
    assert "incoming gradient inf, b 0.0, a 0.0" in message


def test_second_order_and_hooks_end_in_the_same_words():
    x = leaf(0.0)
    x.register_hook(lambda g: g * 2)

    def program():
        (g,) = torch.autograd.grad((x * x).sqrt().sum(), x, create_graph=True)
        return g

    message = told(program)
    assert "became infinite in the backward of sqrt" in message


def test_nan_behind_a_checkpoint_names_the_line_inside():
    x = leaf(0.0, 1.0)

    def block(t):
        return (t * t).sqrt()  # inside

    message = told(lambda: checkpoint(block, x, use_reentrant=False).sum().backward())
    assert "# inside" in message and "slope of sqrt at 0" in message


def test_a_gradient_that_is_not_finite_is_stopped_before_the_step():
    w = leaf(0.0, 1.0)
    optimizer = optim.Adam([w], lr=0.1)

    def program():
        w.sqrt().sum().backward()
        optimizer.step()

    message = told(program)
    assert "gradient of parameter `w`" in message and "step 1 of Adam" in message
    assert "backward of sqrt" in message
    assert w.tolist() == [0.0, 1.0]


# ---- optimizer steps -----------------------------------------------------------------------------


def test_a_step_that_blew_up_names_step_parameter_rate_and_gradient():
    model = nn.Linear(1, 1)
    optimizer = optim.SGD(model.parameters(), lr=1e3)

    def program():
        for _ in range(30):
            optimizer.zero_grad()
            model(torch.ones(4, 1)).square().mean().backward()
            optimizer.step()

    message = told(program)
    assert "of SGD left inf values in parameter `weight`" in message
    assert "step 1" in message and "lr 1000.0, norm of its gradient" in message
    assert "gradient norms of the last steps" in message


def test_a_parameter_is_found_in_the_model_of_a_trainer():
    class Trainer:
        def __init__(self):
            self.model = nn.Sequential(nn.Linear(1, 1))
            self.optimizer = optim.SGD(self.model.parameters(), lr=1e39)

        def fit(self):
            self.model(torch.ones(1, 1)).square().sum().backward()
            self.optimizer.step()

    assert "values in parameter `0.weight`" in told(Trainer().fit)


def test_a_sparse_gradient_is_checked_too():
    table = nn.Embedding(5, 2, sparse=True)
    optimizer = optim.SGD(table.parameters(), lr=0.1)

    def program():
        (table(torch.tensor([3])) * 1e38 * torch.tensor(1e38)).sum().backward()
        optimizer.step()

    assert "the gradient of parameter `weight`" in told(program)


def test_without_check_nan_nothing_raises():
    w = leaf(0.0)
    with torch.autograd.detect_anomaly(check_nan=False, forward=True):
        (w / w).sum().backward()
        optim.SGD([w], lr=0.1).step()
    assert w.isnan().all()


def test_nan_in_a_forward_pass_after_steps_that_grew_tells_of_the_steps():
    model = nn.Linear(1, 1)
    optimizer = optim.SGD(model.parameters(), lr=1e3)

    def program():
        for _ in range(30):
            optimizer.zero_grad()
            out = model(torch.ones(4, 1))
            (out.square() / (out.square().detach() + 1) * out.square()).mean().backward()
            optimizer.step()

    assert "The training had blown up before" in told(program)


def test_a_scaler_that_skips_its_step_is_no_anomaly():
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
    with torch.autograd.detect_anomaly(forward=True):
        scaler.scale((w * 100).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert w.tolist() == [1.0, 1.0] and scaler.get_scale() == 2.0**126


def test_nan_handed_back_by_a_distribution_is_named_where_the_program_goes_on():
    from chainrule.distributions import Normal

    scale = leaf(-1.0)
    normal = Normal(torch.zeros(1), scale, validate_args=False)
    message = told(lambda: (normal.log_prob(torch.ones(1)) * 2).square().sum().backward())
    assert "They began with log at" in message and "logarithm of a negative number" in message


# ---- what is healthy -----------------------------------------------------------------------------


def attention():
    q = torch.randn(2, 4, 8, requires_grad=True)
    mask = torch.ones(4, 4).tril().log()  # 0 and -inf
    F.scaled_dot_product_attention(q, q, q, attn_mask=mask).sum().backward()


def masked_softmax():
    s = torch.randn(4, 4, requires_grad=True)
    seen = torch.ones(4, 4).tril().bool()
    s.masked_fill(~seen, -INF).softmax(-1).square().sum().backward()
    scores = torch.where(seen, s, -INF).log_softmax(-1)
    scores[seen].sum().backward()


def running_best():
    best = torch.tensor(INF)
    for value in (3.0, 1.0, 2.0):
        best = torch.minimum(best, torch.tensor(value))
    torch.tensor([INF, -INF, 2.0]).clamp(-1, 1)
    torch.full((3,), -INF).logsumexp(0)


def selected():
    x = leaf(0.0, 2.0)
    torch.where(x > 0, torch.where(x > 0, x, 1.0).log(), 0.0).sum().backward()


def recurrent():
    """Their working memory is never written in places: it holds what lay there before."""
    before = [np.full((15, n), np.nan, np.float32) for n in (4, 5, 10, 20)]
    del before
    for kind in (nn.RNN, nn.LSTM, nn.GRU):
        out, _ = kind(4, 5, num_layers=2, bidirectional=True)(torch.randn(5, 3, 4))
        out.sum().backward()


def empty_batch():
    assert nn.BatchNorm1d(3)(torch.randn(0, 3)).shape == (0, 3)


def transformer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5).isinf()
    padding = torch.tensor([[False] * 5, [False, False, True, True, True]])
    layer(torch.randn(2, 5, 8), mask, padding).sum().backward()


def distributions():
    """Modes and moments are chosen after all cases were computed."""
    from chainrule.distributions import Beta, StudentT

    assert Beta(torch.tensor([2.0, 1.0]), torch.tensor([0.5, 1.0])).mode[0] == 1
    assert StudentT(torch.tensor([0.5, 3.0])).variance[1] == 3


HEALTHY = [
    attention, masked_softmax, running_best, selected, recurrent, empty_batch, transformer,
    distributions,
]  # fmt: skip


@pytest.mark.parametrize("program", HEALTHY)
def test_healthy_infinities_are_not_flagged(program):
    with torch.autograd.detect_anomaly(forward=True):
        program()


def test_blocks_nest_and_leave_nothing_on():
    from chainrule.autograd.state import STATE

    with torch.autograd.detect_anomaly(forward=True):
        with torch.autograd.detect_anomaly():
            with pytest.raises(RuntimeError, match="logarithm of a negative"):
                torch.tensor(-1.0).log()
        with pytest.raises(RuntimeError, match="returned nan"):
            torch.tensor(-1.0).log()
    assert STATE.anomaly_log is None and STATE.w == 0
    with torch.autograd.set_detect_anomaly(True, forward=True):
        with pytest.raises(RuntimeError, match="returned nan"):
            torch.tensor(-1.0).log()
    assert torch.tensor(-1.0).log().isnan()
