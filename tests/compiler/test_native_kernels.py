"""Every native kernel computes what the NumPy form of its op computes, at all kinds of shapes."""

import os
import subprocess
import sys

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.native import catalog, library
from chainrule.ops import kernels
from chainrule.ops.kernels import fast

F = torch.nn.functional
OWN_TESTS = {  # kernels of the random stream: their draws are compared word for word
    "fill_singles", "fill_doubles", "fill_mask", "fill_normals",
}  # fmt: skip


class Watched:
    """Kernels by name, remembering which of them did a call."""

    def __init__(self, find):
        self.find, self.used = find, set()

    def __call__(self, name, compiles):
        kernel = self.find(name, compiles)

        def call(*arguments):
            done = kernel(*arguments)
            if done is not None:
                self.used.add(name)
            return done

        return None if kernel is None else call


@pytest.fixture
def both(monkeypatch):
    """Run a function by NumPy and by kernels: (results, results, names of kernels used)."""
    find = fast._find

    def run(function):
        watched = Watched(find)
        try:
            kernels.provide(lambda name, compiles: None)
            expected = function()
            kernels.provide(watched)
            found = function()
        finally:
            kernels.provide(find)
        return expected, found, watched.used

    return run


def close(found, expected, dtype):
    tolerance = 2e-5 if dtype == torch.float32 else 1e-11
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        if a is None:
            continue
        a, b = a.detach().numpy(), b.detach().numpy()
        assert a.shape == b.shape and a.dtype == b.dtype
        scale = max(1.0, float(np.max(np.abs(b[np.isfinite(b)]), initial=0)))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


def tensors(shapes, dtype, seed=0):
    random = np.random.default_rng(seed)
    made = [torch.tensor(random.normal(size=s) * 2, dtype=dtype) for s in shapes]
    return [t.requires_grad_() for t in made]


def gradients(function, inputs, seed=1):
    """The result and the gradients of all inputs for a random gradient of the result."""
    out = function(*inputs)
    g = torch.tensor(np.random.default_rng(seed).normal(size=tuple(out.shape)), dtype=out.dtype)
    return [out, *torch.autograd.grad(out, inputs, g)]


# (kernels expected, function of tensors, shapes of its inputs)
ROWS = [(1, 1), (3, 5), (4, 17), (2, 3, 33), (2, 300), (70, 501), (7,)]
CASES = [
    *(("softmax softmax_pull", lambda x: F.softmax(x, -1), [s]) for s in ROWS),
    *(("log_softmax log_softmax_pull", lambda x: F.log_softmax(x, -1), [s]) for s in ROWS),
    *(
        (
            "layer_norm layer_norm_gradient",
            lambda x, w, b: F.layer_norm(x, w.shape, w, b),
            [s, s[-1:], s[-1:]],
        )
        for s in ROWS
    ),
    ("layer_norm layer_norm_gradient", lambda x: F.layer_norm(x, (3, 4)), [(5, 3, 4)]),
    ("layer_norm layer_norm_gradient", lambda x, w: F.layer_norm(x, (4,), w), [(5, 4), (4,)]),
    *(
        ("rms_norm rms_norm_gradient", lambda x, w: F.rms_norm(x, w.shape, w), [s, s[-1:]])
        for s in ROWS
    ),
    ("rms_norm rms_norm_gradient", lambda x: F.rms_norm(x, (4,)), [(5, 4)]),
    *(
        ("thin_dots", lambda x, w, b: F.linear(x, w, b), [(rows, 131), (outputs, 131), (outputs,)])
        for rows, outputs in [(64, 1), (65, 10), (66, 5), (67, 16), (79, 7)]
    ),
    ("thin_dots", lambda x, w: x @ w.T, [(128, 70), (10, 70)]),
    *(
        ("wide_column_sums add_to_rows", lambda x, b: x.sum(0) + (x + b).sum(0), [s, s[1:]])
        for s in [(128, 512), (131, 257), (257, 300)]
    ),
    *(
        (
            "batch_norm batch_norm_gradient",
            lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
            [s, s[1:2], s[1:2]],
        )
        for s in [(2, 3, 4), (4, 2, 5, 3), (9, 33, 20, 8)]
    ),
    *(
        (
            "column_norm column_norm_gradient",
            lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
            [s, s[1:2], s[1:2]],
        )
        for s in [(5, 3), (2, 1), (64, 70), (67, 131)]
    ),
    *(
        (
            "group_norm group_norm_gradient",
            lambda x, w, b: F.group_norm(x, 3, w, b),
            [s, s[1:2], s[1:2]],
        )
        for s in [(2, 6), (1, 3, 4), (4, 6, 5, 3), (9, 33, 20, 8)]
    ),
    ("group_norm group_norm_gradient", lambda x: F.group_norm(x, 2), [(3, 4, 5)]),
    *(
        (
            f"{how}_{stem} {how}_{stem}_gradient",
            lambda x, y, f=f, how=how: f(x, y, reduction=how),
            [s, s],
        )
        for s in [(1,), (3, 5), (90, 401)]
        for how in ("mean", "sum")
        for stem, f in [
            ("mse_loss", F.mse_loss),
            ("bce_with_logits", F.binary_cross_entropy_with_logits),
        ]
    ),
    *(
        (name, function, [s])
        for s in [(), (1,), (3, 7), (40_001,)]
        for name, function in [
            ("tanh_gelu tanh_gelu_gradient", lambda x: F.gelu(x, approximate="tanh")),
            ("silu silu_gradient", F.silu),
            ("sigmoid sigmoid_gradient", torch.sigmoid),
            ("tanh_gradient", torch.tanh),
            ("relu relu_gradient", torch.relu),
        ]
    ),
    ("sum_all", lambda x: x.sum(), [(3, 5)]),
    ("sum_parts", lambda x: x.sum(), [(300, 203)]),
    ("sum_parts", lambda x: x.mean(), [(300, 203)]),
    ("row_sums", lambda x: x.sum((1, 2), keepdim=True), [(3, 4, 5)]),
    ("row_sums", lambda x: x.mean(-1), [(30, 2101)]),
    ("wide_column_sums", lambda x: x.sum((0, 1)), [(3, 4, 5)]),
    ("wide_column_sums", lambda x: x.sum(0), [(37, 70)]),
    ("middle_sums", lambda x: x.sum(1), [(3, 37, 70)]),
    ("middle_sums", lambda x: x.sum((0, 2)), [(3, 4, 5, 6)]),
    ("middle_sums row_sums", lambda x: x.sum((1, 3)), [(2, 3, 4, 5)]),
    *(("running_sums", lambda x, d=d: x.cumsum(d), [(5, 70, 67)]) for d in range(3)),
    ("running_sums", lambda x: x.cumsum(0).flip(0).cumsum(0), [(40_001,)]),
    *(
        ("running_products", lambda x, d=d: (x * 0.1 + 1).cumprod(d), [(5, 7, 67)])
        for d in range(3)
    ),
    *(("products", lambda x, d=d: (x * 0.1 + 1).prod(d), [(40, 41, 67)]) for d in range(3)),
    ("products", lambda x: (x * 0.1 + 1).prod(), [(131,)]),
    (
        "gru_step gru_step_pull",
        lambda x, h, w, v: torch.gru_cell(x, h, w, v),
        [(3, 5), (3, 7), (21, 5), (21, 7)],
    ),
    (
        "lstm_cell_step lstm_cell_pull lstm_state lstm_state_pull",
        lambda x, h, c, w, v: sum(torch.lstm_cell(x, (h, c), w, v)),
        [(3, 5), (3, 7), (3, 7), (28, 5), (28, 7)],
    ),
    *(
        (
            "ctc_alpha ctc_slopes",
            # An empty sequence, a repeated label, one with too few frames and one without any.
            lambda x, w=without: F.ctc_loss(
                x.log_softmax(-1),
                torch.tensor([[0, 0, 0], [2, 2, 1], [1, 2, 3], [1, 0, 0]]),
                torch.tensor([9, 8, 2, 0]),
                torch.tensor([0, 3, 3, 1]),
                zero_infinity=w,
            ),
            [(9, 4, 5)],
        )
        for without in (False, True)
    ),
    ("column_sums", lambda x: x.sum(0), [(301, 203)]),
    ("channel_sums", lambda x: x.sum((0, 2, 3)), [(5, 3, 7, 2)]),
    ("column_sums", lambda x, b: x + b, [(200, 203), (203,)]),
    *(
        ("max_pool_halves max_pool_halves_gradient", lambda x: F.max_pool2d(x, 2), [s])
        for s in [(1, 1, 2, 2), (2, 3, 8, 9), (3, 7, 8), (8, 9, 28, 30)]
    ),
    *(
        ("max_pool2d max_pool2d_gradient", f, [s])
        for s in [(1, 1, 5, 5), (2, 3, 8, 9), (8, 9, 28, 30), (1, 1, 3, 600)]
        for f in [
            lambda x: F.max_pool2d(x, 3, 2, 1),
            lambda x: F.max_pool2d(x, (2, 3), (1, 3), (1, 0)),
            lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True, padding=1),
            lambda x: F.max_pool2d(x, 2, 1, dilation=2),
        ]
    ),
    *(
        ("avg_pool_halves avg_pool_halves_gradient", lambda x: F.avg_pool2d(x, 2), [s])
        for s in [(1, 1, 2, 2), (2, 3, 8, 9), (8, 9, 28, 30)]
    ),
    *(
        ("avg_pool2d avg_pool2d_gradient", f, [s])
        for s in [(1, 1, 5, 5), (2, 3, 8, 9), (8, 9, 28, 30)]
        for f in [
            lambda x: F.avg_pool2d(x, 3, 2, 1),
            lambda x: F.avg_pool2d(x, (2, 3), (1, 3), (1, 0), count_include_pad=False),
            lambda x: F.avg_pool2d(x, 2, 2, ceil_mode=True, padding=1),
            lambda x: F.avg_pool2d(x, 3, 1, divisor_override=5),
        ]
    ),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("names", "function", "shapes"), CASES, ids=[f"{n.split()[0]}-{s[0]}" for n, _, s in CASES]
)
def test_kernels_compute_what_numpy_does(both, names, function, shapes, dtype):
    inputs = tensors(shapes, dtype)
    expected, found, used = both(lambda: gradients(function, inputs))
    assert set(names.split()) <= used
    close(found, expected, dtype)


@pytest.mark.parametrize("shape", [(), (1,), (3, 7), (40_001,)])
def test_exact_gelu_of_single_floats(both, shape):
    inputs = tensors([shape], torch.float32)
    expected, found, used = both(lambda: gradients(F.gelu, inputs))
    assert {"gelu", "gelu_gradient"} <= used
    close(found, expected, torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("count", [2, 50_000])
def test_the_slope_of_gelu_at_both_zeros(both, count, dtype):
    zeros = torch.tensor([0.0, -0.0], dtype=dtype).repeat(count // 2).requires_grad_()
    expected, found, _ = both(lambda: gradients(F.gelu, [zeros]))
    seed = gradients(lambda x: x * 0.5, [zeros])[1]  # half of what comes back to gelu
    close(expected[1:], [seed], dtype)
    close(found[1:], [seed], dtype)


# ---- class numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 1), (32, 2), (3, 10), (64, 33), (70, 501)])
def test_cross_entropy(both, shape, dtype):
    inputs = tensors([shape], dtype)
    target = torch.tensor(np.random.default_rng(2).integers(0, shape[1], shape[0]))
    expected, found, used = both(
        lambda: gradients(lambda x: F.cross_entropy(x, target), inputs)
    )  # fmt: skip
    forward = "cross_entropy_rows" if shape[0] * shape[1] >= 1 << 15 else "cross_entropy_mean"
    assert {forward, "cross_entropy_mean_gradient"} <= used
    close(found, expected, dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_negative_log_likelihood(both, reduction, dtype):
    inputs, target = tensors([(40, 7)], dtype), torch.arange(40) % 7
    expected, found, used = both(
        lambda: gradients(lambda x: F.nll_loss(x, target, reduction=reduction), inputs)
    )
    assert {"picked_loss", "picked_shares"} <= used
    close(found, expected, dtype)


def test_cross_entropy_is_stable_and_cares_for_special_targets(both):
    x = torch.tensor([[1e4, -1e4], [-1e4, 1e4], [3.0, 3.0]], requires_grad=True)
    target = torch.tensor([0, 0, 1])
    expected, found, _ = both(lambda: gradients(lambda x: F.cross_entropy(x, target), [x]))
    close(found, expected, torch.float32)
    assert found[0].item() == pytest.approx((2e4 + np.log(2)) / 3)
    ignored = torch.tensor([0, -100, 1])
    expected, found, used = both(lambda: gradients(lambda x: F.cross_entropy(x, ignored), [x]))
    assert "cross_entropy_mean" not in used  # which counts every row
    close(found, expected, torch.float32)
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        F.cross_entropy(x, torch.tensor([0, 7, 1]))


def test_a_class_that_is_ignored_does_not_count(both):
    x, target = tensors([(4, 3)], torch.float32)[0], torch.tensor([0, 1, 2, 1])
    expected, found, used = both(
        lambda: gradients(lambda x: F.cross_entropy(x, target, ignore_index=1), [x])
    )
    assert "cross_entropy_mean" not in used and "cross_entropy_mean_gradient" not in used
    close(found, expected, torch.float32)


@pytest.mark.parametrize("size", [6, 40_000])
def test_gradient_of_an_embedding(both, size):
    table = tensors([(11, 5)], torch.float32)
    index = torch.tensor(np.random.default_rng(3).integers(0, 11, (2, size // 2)))
    expected, found, used = both(lambda: gradients(lambda w: F.embedding(index, w), table))
    assert "sum_by_number" in used
    close(found, expected, torch.float32)


# ---- special values and layouts ------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.softmax(x, -1), lambda x: F.log_softmax(x, -1), F.gelu, F.silu, torch.sigmoid,
        torch.relu, lambda x: F.gelu(x, approximate="tanh"), lambda x: F.layer_norm(x, x.shape[1:]),
        lambda x: x.sum(1), lambda x: x.sum(0), lambda x: x.sum(),
        lambda x: F.max_pool2d(x[None], 2), lambda x: F.max_pool2d(x[None], 3, 1, 1),
        lambda x: F.cross_entropy(x, torch.zeros(len(x), dtype=torch.int64)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("width", [6, 40])
def test_nan_and_infinities_go_where_numpy_lets_them(both, function, width):
    x = tensors([(6, width)], torch.float32)[0].detach()
    x[0, 1] = np.nan
    x[1, 1] = np.inf
    x[2, 1] = -np.inf
    x[3, 0], x[3, 1] = np.inf, -np.inf
    x[4] = -np.inf
    x.requires_grad_()
    expected, found, used = both(lambda: gradients(function, [x]))
    assert used
    for a, b in zip(found, expected, strict=True):
        a, b = a.detach().numpy(), b.detach().numpy()
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.softmax(x, -1), F.gelu, F.silu, lambda x: x.sum(0), lambda x: x.sum(1),
        lambda x: F.layer_norm(x, (x.shape[1],)), lambda x: F.max_pool2d(x[None], 2),
        lambda x: F.avg_pool2d(x[None], 2, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "view", [lambda x: x.T, lambda x: x[::2], lambda x: x[:, 1:], lambda x: x.expand(6, 9)]
)
def test_other_layouts_give_the_same_results(both, function, view):
    inputs = tensors([(1, 9) if view(torch.ones(1, 9)).shape == (6, 9) else (8, 9)], torch.float32)
    expected, found, _ = both(lambda: gradients(lambda x: function(view(x)), inputs))
    close(found, expected, torch.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.softmax(x, -1), lambda x: F.log_softmax(x, -1), F.gelu, torch.sigmoid,
        lambda x: F.layer_norm(x, (3,)), lambda x: F.rms_norm(x, (3,)), lambda x: x.sum(0),
    ],
)  # fmt: skip
def test_nothing_comes_of_nothing(both, function):
    inputs = tensors([(0, 3)], torch.float32)
    expected, found, _ = both(lambda: gradients(function, inputs))
    close(found, expected, torch.float32)


def test_sums_of_many_elements_keep_their_digits():
    x = torch.full((3_000_001,), 0.1)
    exact = 3_000_001 * float(np.float32(0.1))
    assert x.sum().item() == pytest.approx(exact, rel=1e-6)
    assert x[None].sum(1).item() == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x: F.softmax(x, -1), [(257, 301)]),
        (F.gelu, [(100_003,)]),
        (lambda x, w, b: F.layer_norm(x, (301,), w, b), [(257, 301), (301,), (301,)]),
        (lambda x, w: F.batch_norm(x, None, None, w, training=True), [(9, 33, 15, 16), (33,)]),
        (lambda x: F.cross_entropy(x, torch.arange(257)), [(257, 301)]),
        (lambda x: x.sum(), [(300, 301)]),
        (lambda x: x.sum(0), [(300, 301)]),
        (lambda x: x.sum(0), [(5000, 301)]),
        (lambda x, w, b: F.linear(x, w, b), [(300, 301), (10, 301), (10,)]),
        (lambda w: F.embedding(torch.arange(3000) % 11, w), [(11, 50)]),
        (lambda x: F.max_pool2d(x, 3, 2, 1), [(7, 9, 30, 30)]),
    ],
)
def test_results_do_not_depend_on_the_number_of_threads(function, shapes):
    inputs, before = tensors(shapes, torch.float32), torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = gradients(function, inputs)
        for threads in (2, 3):
            torch.set_num_threads(threads)
            together = gradients(function, inputs)
            for a, b in zip(alone, together, strict=True):
                assert a.detach().numpy().tobytes() == b.detach().numpy().tobytes()
    finally:
        torch.set_num_threads(before)


# ---- random numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [15, 16, 17, 1000, 5001, 70_000])
@pytest.mark.parametrize(
    "draw",
    [
        lambda n: torch.randn(n), lambda n: torch.randn(n, dtype=torch.float64),
        lambda n: torch.empty(n).normal_(1.5, 0.3), lambda n: torch.rand(n),
        lambda n: torch.rand(n, dtype=torch.float64), lambda n: F.dropout(torch.ones(n), 0.3),
        lambda n: F.dropout(torch.ones(n, dtype=torch.float64), 0.1),
    ],
)  # fmt: skip
def test_draws_are_the_same_bits_and_leave_the_stream_at_the_same_place(both, draw, size):
    def twice():
        torch.manual_seed(5)
        return [draw(size).numpy(), draw(3).numpy(), torch.get_rng_state().numpy()]

    expected, found, used = both(twice)
    assert used & OWN_TESTS
    for a, b in zip(found, expected, strict=True):
        assert a.tobytes() == b.tobytes()


# ---- without kernels -----------------------------------------------------------------------------

SCRIPT = """
import sys
if "{blocked}": sys.modules["llvmlite"] = None
import chainrule as torch
x = torch.tensor([[1.0, 2.0], [3.0, 1.0]], requires_grad=True)
loss = torch.nn.functional.cross_entropy(torch.nn.functional.gelu(x), torch.tensor([0, 1]))
loss.backward()
from chainrule.ops.kernels import fast
print(round(loss.item(), 5), fast.cross_entropy_mean(x.detach().numpy(), None))
"""


@pytest.mark.parametrize("blocked", ["llvmlite", ""])
def test_without_llvmlite_or_by_choice_numpy_does_the_work(tmp_path, blocked):
    variables = {**os.environ, "CHAINRULE_CACHE_DIR": str(tmp_path)}
    if not blocked:
        variables["CHAINRULE_KERNELS"] = "0"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("{blocked}", blocked)],
        env=variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.split() == ["1.83077", "None"]
    assert not list(tmp_path.iterdir())


def test_a_damaged_cache_entry_is_compiled_again(tmp_path):
    code = """
import numpy as np
from chainrule.ops.kernels import fast
import chainrule
print(fast.relu(np.array([-1.0, 2.0])))
"""
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "CHAINRULE_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        assert run.stdout.strip() == "[0. 2.]"
        for entry in tmp_path.iterdir():
            entry.write_bytes(entry.read_bytes()[:-9] + b"???")


def test_code_does_not_go_by_the_digest_of_files_that_changed_meanwhile(monkeypatch, tmp_path):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    x = np.array([-1.0, 2.0], np.float32)
    monkeypatch.setattr(library, "_BEGIN", 0.0)  # every file is newer than that
    assert library.load("relu")(x).tolist() == [0, 2]
    assert len(list(tmp_path.iterdir())) == 1  # kept by its text only
    monkeypatch.setattr(library, "_BEGIN", 1e12)
    assert library.load("relu")(x).tolist() == [0, 2]
    assert len(list(tmp_path.iterdir())) == 2


def test_every_kernel_of_the_catalog_is_there():
    for name in catalog.NAMES:
        assert catalog.kernel(name).name == name
    with pytest.raises(KeyError, match="no native kernel 'nonsense'"):
        catalog.kernel("nonsense")


def test_a_change_of_the_number_of_threads_reaches_kernels_that_ran_before():
    x, before = torch.ones(300, 301), torch.get_num_threads()
    from chainrule.compiler.native import library
    from chainrule.compiler.native.language.slots import SLOTS

    try:
        for threads in (2, 1, 3):
            torch.set_num_threads(threads)
            assert torch.relu(x).sum().item() == x.numel()
            used = [t[SLOTS["threads"]] for t in library._tables if t[SLOTS["settled"]]]
            assert used and set(used) == {threads}
    finally:
        torch.set_num_threads(before)
