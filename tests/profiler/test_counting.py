"""`FlopCounterMode`, `ModuleTracker`, `benchmark` and `summary`."""

import json
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F
from chainrule.utils.benchmark import Compare, Measurement, Timer
from chainrule.utils.flop_counter import FlopCounterMode
from chainrule.utils.module_tracker import ModuleTracker

from .flop_cases import cases

RECORDED = json.loads(
    (Path(__file__).parents[1] / "recorded" / "flops.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", RECORDED)
def test_counts_are_pytorchs(name):
    run = cases(torch)[name]
    with FlopCounterMode(display=False) as counter:
        run()
    modules = {m: sum(c.values()) for m, c in counter.get_flop_counts().items()}
    wanted = {m: n for m, n in RECORDED[name]["modules"].items() if n}
    assert counter.get_total_flops() == RECORDED[name]["total"]
    assert {m: n for m, n in modules.items() if n} == wanted


def test_attention_and_recurrent_layers_are_counted():
    q = torch.ones(2, 3, 8, 4, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        F.scaled_dot_product_attention(q, q, q).sum().backward()
    product = 2 * 2 * 3 * 8 * 8 * 4
    assert counter.get_flop_counts()["Global"] == {
        "aten.scaled_dot_product_attention": 2 * product,
        "aten.scaled_dot_product_attention_backward": 5 * product,  # the scores once more
    }
    layer = nn.LSTM(8, 16)
    with FlopCounterMode(display=False) as counter:
        layer(torch.ones(5, 4, 8))
    assert counter.get_total_flops() == 2 * 5 * 4 * (4 * 16) * (8 + 16)


def test_a_compiled_function_is_counted_as_its_ops():
    compiled = torch.compile(lambda a, b: (a @ b).relu())
    a, b = torch.ones(3, 4), torch.ones(4, 5)
    for _ in range(4):
        compiled(a, b)
    with FlopCounterMode(display=False) as counter:
        compiled(a, b)
    assert counter.get_total_flops() == 2 * 3 * 4 * 5


def test_recomputed_blocks_count_again():
    from chainrule.utils.checkpoint import checkpoint

    layers = nn.Sequential(nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 10))
    x = torch.ones(4, 10, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        checkpoint(layers, x, use_reentrant=False).sum().backward()
    # Forward, the first layer again (what comes after is not needed), two gradients of each.
    assert counter.get_total_flops() == (2 + 1 + 4) * (2 * 4 * 10 * 10)


def test_own_formulas_and_the_table(capsys):
    def of_exp(shape, *, out_shape):
        return 10 * shape[0]

    with FlopCounterMode(custom_mapping={"aten.exp": of_exp}) as counter:
        torch.ones(7).exp()
    assert counter.get_total_flops() == 70
    assert "aten.exp" in capsys.readouterr().out
    from chainrule.utils import flop_counter

    @flop_counter.register_flop_formula("aten.sin", get_raw=True)
    def of_sin(x, *, out_val):
        return 5 * out_val.numel()

    try:
        with FlopCounterMode(display=False) as counter:
            torch.ones(2, 3).sin()
    finally:
        flop_counter._REGISTERED.clear()
    assert counter.get_flop_counts()["Global"] == {"aten.sin": 30}
    model = nn.Sequential(nn.Sequential(nn.Linear(100, 100)))
    with FlopCounterMode(display=False) as counter:
        model(torch.ones(100, 100))
    assert "2.000M" in counter.get_table() and "Sequential.0.0" not in counter.get_table(2)
    assert "Sequential.0.0" in counter.get_table(3)


def test_modules_under_way_also_when_a_call_raises():
    class Fails(nn.Module):
        def forward(self, x):
            raise ZeroDivisionError

    model = nn.Sequential(nn.ReLU(), Fails())
    with ModuleTracker() as tracker:
        with pytest.raises(ZeroDivisionError):
            model(torch.ones(1))
        assert tracker.parents == {"Global"}


# ---- timing --------------------------------------------------------------------------------------


def test_a_timer_measures():
    timer = Timer(
        "y = x.exp()", setup="x = torch.ones(n)", globals={"n": 10}, label="exp", sub_label="10"
    )
    once = timer.timeit(50)
    assert once.number_per_run == 50 and len(once.times) == 1 and once.mean == once.median > 0
    blocks = timer.blocked_autorange(min_run_time=0.01)
    assert sum(blocks.raw_times) > 0.01 and blocks.median > 0
    assert "exp: 10" in repr(blocks) and "1 thread" in repr(blocks)
    adaptive = timer.adaptive_autorange(threshold=10.0, max_run_time=0.2)
    assert adaptive.meets_confidence(10.0)
    seen = []
    timer.blocked_autorange(callback=lambda n, t: seen.append(n), min_run_time=0.002)
    assert seen
    with pytest.raises(ValueError, match="only a `str` stmt"):
        Timer(lambda: 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(NotImplementedError, match="not of C"):
        Timer("x", language="c++")


def test_threads_are_set_while_it_runs():
    before = torch.get_num_threads()
    seen = []
    Timer("seen.append(torch.get_num_threads())", globals={"seen": seen}, num_threads=2).timeit(1)
    assert set(seen) == {2} and torch.get_num_threads() == before


def measurement(times, **spec):
    made = Timer("pass", **spec)
    return Measurement(1, times, made._task_spec)


def test_figures_of_a_measurement():
    m = measurement([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (m.median, m.mean, m.iqr) == (3.0, 3.0, 2.0)
    assert m.has_warnings and m.significant_figures == 1
    steady = measurement([1.0001, 1.0002, 1.0001, 1.0002])
    assert not steady.has_warnings and steady.significant_figures >= 3
    assert steady.stmt == "pass" and steady.num_threads == 1
    merged = Measurement.merge([m, steady])
    assert len(merged) == 1 and len(merged[0].times) == 9
    with pytest.raises(ValueError, match="No times"):
        _ = measurement([]).median


def test_measurements_side_by_side(capsys):
    results = [
        measurement([t * n], label="work", sub_label=str(n), description=what, num_threads=threads)
        for what, t in (("slow", 2e-3), ("fast", 1e-3))
        for n in (1, 10)
        for threads in (1, 2)
    ]
    compare = Compare(results)
    print(compare)
    lines = [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]
    assert lines[0].startswith("[---") and " work " in lines[0]
    assert lines[1].split() == ["|", "slow", "|", "fast"]
    assert lines[2].startswith("1 threads: ---") and lines[5].startswith("2 threads: ---")
    assert [line.split() for line in lines[3:5]] == [
        ["1", "|", "2.0", "|", "1.0"], ["10", "|", "20.0", "|", "10.0"],
    ]  # fmt: skip
    assert lines[-1] == "Times are in milliseconds (ms)."
    compare.colorize()
    compare.print()
    assert "\033[92m10.0\033[0m" in capsys.readouterr().out
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        compare.extend_results([1.0])  # pyright: ignore[reportArgumentType]


# ---- summary -------------------------------------------------------------------------------------


def test_a_summary_of_layers():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 64, 10)
    )
    s = torch.summary(model, (4, 3, 8, 8))
    assert [r.kind for r in s.rows] == ["Sequential", "Conv2d", "ReLU", "Flatten", "Linear"]
    assert s.rows[1].output_shape == [4, 8, 8, 8] and s.rows[1].parameters == 8 * 3 * 9 + 8
    assert s.rows[4].flops == 2 * 4 * 512 * 10
    assert s.total_params == sum(p.numel() for p in model.parameters())
    with FlopCounterMode(display=False) as counter:
        model(torch.ones(4, 3, 8, 8))
    assert s.total_flops == counter.get_total_flops()
    from chainrule import memory

    assert s.activation_bytes == memory.estimate(model, (4, 3, 8, 8)).activations
    assert "Conv2d: 0" in str(s) and "<table>" in s.to_html() and "<table>" in s._repr_html_()
    assert json.loads(s.to_json())["parameters"] == s.total_params


def test_a_layer_used_twice_and_several_inputs():
    shared = nn.Linear(5, 5)
    s = torch.summary(nn.Sequential(shared, shared), (2, 5))
    assert [r.calls for r in s.rows] == [1, 2] and s.total_params == 30
    assert s.rows[1].flops == 2 * (2 * 2 * 5 * 5)
    both = torch.summary(nn.Bilinear(3, 4, 5), (2, 3), (2, 4))
    assert both.rows[0].input_shape == [[2, 3], [2, 4]]
    with pytest.raises(TypeError, match="summary takes a module"):
        torch.summary(lambda x: x, (2,))
