"""`chainrule.compile`: the same behaviour as the function, for whole training steps."""

import gc
import warnings
from itertools import pairwise

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.capture.tracer import CaptureError
from chainrule.compiler.graph.interpreter import interpret

F = torch.nn.functional
pytestmark = pytest.mark.jit


def network(sizes, seed=0):
    rng = np.random.default_rng(seed)
    parameters = []
    for inputs, outputs in pairwise(sizes):
        weight = rng.standard_normal((outputs, inputs)) / inputs**0.5
        parameters.append(torch.tensor(weight.astype("f4"), requires_grad=True))
        parameters.append(torch.tensor(np.zeros(outputs, "f4"), requires_grad=True))
    return parameters


def forward(parameters, x, activation=torch.relu):
    for i in range(0, len(parameters) - 2, 2):
        x = activation(F.linear(x, parameters[i], parameters[i + 1]))
    return F.linear(x, parameters[-2], parameters[-1])


class SGD:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = parameters, lr

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p in self.parameters:
            p.sub_(p.grad * self.lr)


class Adam(SGD):
    def __init__(self, parameters, lr):
        super().__init__(parameters, lr)
        self.m = [torch.zeros_like(p) for p in parameters]
        self.v = [torch.zeros_like(p) for p in parameters]
        self.count = torch.zeros(())

    @torch.no_grad()
    def step(self):
        self.count += 1
        for p, m, v in zip(self.parameters, self.m, self.v, strict=True):
            m.mul_(0.9).add_(p.grad * 0.1)
            v.mul_(0.99).add_(p.grad * p.grad * 0.01)
            mean, square = m / (1 - 0.9**self.count), v / (1 - 0.99**self.count)
            p.sub_(self.lr * mean / (square.sqrt() + 1e-8))


def training_step(parameters, optimizer, activation=torch.relu):
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(forward(parameters, x, activation), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def batches(count, batch, sizes, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x = rng.standard_normal((batch, sizes[0])).astype("f4")
        yield torch.tensor(x), torch.tensor(rng.integers(0, sizes[-1], batch))


def values(tensors):
    return [t.detach().numpy().copy() for t in tensors]


def assert_close(have, want, rtol=2e-5):
    for a, b in zip(have, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


def entry(compiled):
    (found,) = compiled._entries.values()
    return found


# ---- whole steps -------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", [SGD, Adam])
@pytest.mark.parametrize("sizes", [(2, 16, 16, 2), (64, 128, 128, 10)], ids=str)
@pytest.mark.parametrize("activation", [torch.relu, torch.tanh], ids=["relu", "tanh"])
def test_twenty_steps_compiled_interpreted_and_eager(sizes, optimizer, activation):
    runs = []
    for mode in ("eager", "compiled", "interpreted"):
        parameters = network(sizes)
        step = training_step(parameters, optimizer(parameters, 0.05), activation)
        run = step if mode == "eager" else torch.compile(step, fullgraph=True)
        losses = []
        for k, (x, y) in enumerate(batches(20, 32, sizes)):
            if k == 3 and mode == "interpreted":
                plan = entry(run).runners[0].plan
                plan.run = lambda arrays, graph=plan.traced: interpret(graph, arrays)
            losses.append(run(x, y))
        if mode == "compiled":
            plan = entry(run).runners[0].plan
            assert (plan.segments, len(plan.steps)) == (1, 1)  # one native call per step
        runs.append(values([*losses, *parameters, *(p.grad for p in parameters)]))
    for other in runs[1:]:
        assert_close(other, runs[0])


def test_gradients_accumulate_without_zero_grad():
    results = []
    for wrap in (lambda f: f, lambda f: torch.compile(f, fullgraph=True)):
        w = torch.tensor([1.0, 2.0], requires_grad=True)

        def step(x, w=w):
            loss = (w * x).sum()
            loss.backward()
            return loss

        run = wrap(step)
        for k in range(6):
            run(torch.tensor([1.0, k]))
        results.append(w.grad.tolist())
    assert results[0] == results[1] == [6.0, 15.0]


def test_gradients_of_one_step_are_not_changed_by_the_next():
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()

    run = torch.compile(step, fullgraph=True)
    kept = []
    for k in range(6):
        run(torch.tensor([1.0, k]))
        kept.append(w.grad)
    assert [g.tolist() for g in kept] == [[1.0, float(k)] for k in range(6)]


def test_a_gradient_nobody_keeps_reuses_its_memory():
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()

    run = torch.compile(step, fullgraph=True)
    for _ in range(4):
        run(torch.ones(2))
    address = w.grad.data_ptr()
    run(torch.ones(2))
    assert w.grad.data_ptr() == address


def test_outputs_of_one_call_are_not_changed_by_the_next():
    run = torch.compile(lambda x: x * 2, fullgraph=True)
    kept = [run(torch.full((3,), float(k))) for k in range(6)]
    assert [t.tolist() for t in kept] == [[2.0 * k] * 3 for k in range(6)]


def test_views_and_writes_through_them():
    def update(x):
        y = x * 1
        row = y[1]
        row.mul_(10)
        y[:, 0] = 7
        return y, row + 1, y.t()

    run = torch.compile(update, fullgraph=True)
    for k in range(5):
        x = torch.arange(6.0).reshape(2, 3) + k
        have, want = run(x), update(x)
        assert_close(values(have), values(want))


def test_a_captured_buffer_is_updated_in_place():
    mean = torch.zeros(3)

    def track(x):
        mean.mul_(0.9).add_(x.mean(0) * 0.1)
        return x - mean

    run = torch.compile(track, fullgraph=True)
    view = mean.view(3)
    version = mean._version
    expected = np.zeros(3)
    for k in range(6):
        x = torch.full((4, 3), float(k))
        run(x)
        expected = 0.9 * expected + 0.1 * k
    assert_close([view.numpy()], [expected])
    assert mean._version > version + 4


def test_an_argument_is_updated_in_place():
    def double(x):
        x.mul_(2)

    run = torch.compile(double, fullgraph=True)
    x = torch.ones(3)
    for _ in range(5):
        assert run(x) is None
    assert x.tolist() == [32.0] * 3


def test_results_keep_their_structure_and_the_callers_own_tensors():
    weight = torch.ones(2)

    def f(x, scale):
        return {"y": [x * scale, (weight, 3)], "x": x, "name": "f"}

    run = torch.compile(f, fullgraph=True)
    for _ in range(5):
        x = torch.ones(2)
        out = run(x, 2.0)
    assert out["y"][0].tolist() == [2.0, 2.0]
    assert out["y"][1][0] is weight and out["y"][1][1] == 3
    assert out["x"] is x and out["name"] == "f"


def test_keyword_arguments_and_inference_mode():
    run = torch.compile(lambda x, *, bias: (x + bias).tanh(), fullgraph=True)
    with torch.inference_mode():
        for _ in range(5):
            out = run(torch.ones(3), bias=torch.zeros(3))
    assert_close([out.numpy()], [np.tanh(np.ones(3, "f4"))])


# ---- numbers and guards --------------------------------------------------------------------------


def test_a_learning_rate_that_changes_becomes_an_input():
    results = []
    for compiled in (False, True):
        parameters = network((2, 4, 2))
        optimizer = SGD(parameters, 0.1)
        run = training_step(parameters, optimizer)
        run = torch.compile(run, fullgraph=True) if compiled else run
        for x, y in batches(12, 8, (2, 2)):
            run(x, y)
            optimizer.lr *= 0.9
        results.append(values(parameters))
        if compiled:
            assert entry(run).captures == 1  # never compiled again
            assert "num:f64" in run.explain()
    assert_close(*results)


def test_a_learning_rate_that_changes_later_is_noticed():
    w = torch.zeros(1)
    settings = {"lr": 1.0}

    def step():
        w.add_(settings["lr"])

    run = torch.compile(step, fullgraph=True)
    for _ in range(5):
        run()
    settings["lr"] = 100.0
    for _ in range(5):
        run()
    assert w.tolist() == [505.0]


def test_another_shape_dtype_or_flag_is_compiled_separately():
    run = torch.compile(lambda x: (x * x).sum(), fullgraph=True)
    for _ in range(4):
        assert run(torch.ones(3)).item() == 3
        assert run(torch.ones(5)).item() == 5
        assert run(torch.ones(5, dtype=torch.float64)).dtype is torch.float64
    assert len(run._entries) == 3


def test_a_replaced_tensor_is_noticed():
    holder = {"w": torch.ones(2)}
    run = torch.compile(lambda x: x * holder["w"], fullgraph=True)
    for _ in range(4):
        run(torch.ones(2))
    holder["w"] = torch.full((2,), 5.0)
    assert run(torch.ones(2)).tolist() == [5.0, 5.0]


def test_a_replaced_data_array_is_read():
    w = torch.ones(2)
    run = torch.compile(lambda x: x * w, fullgraph=True)
    for _ in range(4):
        run(torch.ones(2))
    w.data = torch.full((2,), 7.0)
    assert run(torch.ones(2)).tolist() == [7.0, 7.0]


def test_a_flag_of_an_object_is_guarded():
    class Layer:
        training = True

        def __init__(self):
            self.training = True

        def __call__(self, x):
            return x * 2 if self.training else x

    layer = Layer()
    run = torch.compile(layer, fullgraph=True)
    for _ in range(4):
        assert run(torch.ones(1)).item() == 2
    layer.training = False
    for _ in range(4):
        assert run(torch.ones(1)).item() == 1


# ---- what cannot be captured ---------------------------------------------------------------------


def branch_on_value(x):
    y = x * 2
    if y.sum() > 0:  # the line that is named
        return y
    return -y


def test_a_branch_on_a_value_falls_back_and_says_so_once():
    run = torch.compile(branch_on_value)
    with pytest.warns(UserWarning, match="branch_on_value runs eagerly: item.. needs the value"):
        for _ in range(3):
            assert run(torch.ones(2)).tolist() == [2.0, 2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(-torch.ones(2)).tolist() == [2.0, 2.0]
    assert run.explain().startswith("eager: item() needs the value of a tensor")


def test_fullgraph_raises_with_the_line():
    run = torch.compile(branch_on_value, fullgraph=True)
    run(torch.ones(2))
    with pytest.raises(CaptureError, match=r"test_compile.py:\d+.*if y.sum\(\) > 0"):
        run(torch.ones(2))


def fails_with(function, reason, calls=4, make=lambda: torch.ones(2)):
    """The function keeps working and the warning gives the reason."""
    run = torch.compile(function)
    with pytest.warns(UserWarning, match=reason):
        return [run(make()) for _ in range(calls)]


def test_python_numbers_that_the_call_changes():
    class Counter:
        calls = 0

        def __init__(self):
            self.calls = 0

        def __call__(self, x):
            self.calls += 1
            return x * 2

    counter = Counter()
    fails_with(counter, r"changes a Python value \(.calls: 1 -> 2\)")
    assert counter.calls == 4


def test_lists_that_the_call_extends():
    losses = []

    def step(x):
        losses.append((x * 2).sum())

    fails_with(step, "changes the length of a container")
    assert len(losses) == 4


def test_numbers_computed_in_python_that_change():
    state = {"k": 1}

    run = torch.compile(lambda x: x * (state["k"] ** 2 + 0.5), fullgraph=True)
    for state["k"] in range(1, 12):
        assert run(torch.ones(2)).tolist() == [state["k"] ** 2 + 0.5] * 2
    assert "number0" in run.explain()


def test_random_numbers_keep_their_stream():
    def noisy(x):
        return x + torch.rand(2)

    torch.manual_seed(3)
    want = [noisy(torch.zeros(2)).tolist() for _ in range(4)]
    torch.manual_seed(3)
    run = torch.compile(noisy, fullgraph=True)
    assert [run(torch.zeros(2)).tolist() for _ in range(4)] == want


def test_an_error_in_the_function_comes_through_and_leaves_no_trace():
    def broken(x):
        return x @ torch.ones(5, 5)

    run = torch.compile(broken)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
            run(torch.ones(2, 2))


def test_a_target_out_of_bounds_is_an_error_in_compiled_steps():
    run = torch.compile(lambda x, y: F.cross_entropy(x, y), fullgraph=True)
    x, y = torch.zeros(3, 4), torch.tensor([0, 1, 3])
    for _ in range(4):
        run(x, y)
    with pytest.raises(IndexError, match="Target 4 is out of bounds"):
        run(x, torch.tensor([0, 4, 1]))
    ignored = run(x, torch.tensor([0, -100, 1]))
    assert ignored.item() == pytest.approx(np.log(4))


def test_a_compiled_function_inside_a_compiled_function():
    inner = torch.compile(lambda x: x * 2, fullgraph=True)
    outer = torch.compile(lambda x: inner(x) + 1, fullgraph=True)
    for _ in range(5):
        assert outer(torch.ones(2)).tolist() == [3.0, 3.0]
    assert "mul" in outer.explain()


def test_a_compiled_step_keeps_nothing_of_its_batches_alive():
    import weakref

    run = torch.compile(lambda x: (x * 2).sum(), fullgraph=True)
    for _ in range(4):
        run(torch.ones(10))
    batch = torch.ones(10)
    alive = weakref.ref(batch)
    run(batch)
    del batch
    gc.collect()
    assert alive() is None


def test_options_of_pytorch_are_accepted():
    run = torch.compile(mode="max-autotune", dynamic=False)(lambda x: x + 1)
    assert run(torch.ones(1)).item() == 2


def test_a_view_of_a_contiguous_copy():
    """The copy is folded away, so what `view` sees then is no longer contiguous."""

    def f(x):
        return x.transpose(0, 1).contiguous().view(-1) * 2

    compiled = torch.compile(f, fullgraph=True)
    for seed in range(5):
        x = torch.tensor(np.random.default_rng(seed).standard_normal((3, 4)))
        assert torch.equal(compiled(x), f(x))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_products_in_half_precision(dtype):
    kind = getattr(torch, dtype)
    a, b = torch.ones(8, 16).to(kind), torch.full((16, 8), 0.5).to(kind)
    step = torch.compile(lambda a, b: a @ b, fullgraph=True)
    for _ in range(5):
        result = step(a, b)
        assert result.dtype is kind
        assert torch.equal(result, torch.full((8, 8), 8.0).to(kind))
