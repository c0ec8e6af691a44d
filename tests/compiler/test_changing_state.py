"""Python state that changes between calls of a compiled function: generated cases.

Each case keeps numbers somewhere (from closures to context variables), uses them in some way (as
an operand, in a branch, through `min`, `%`, `round`, `math`, formatting, an index...) and changes
them over eight calls, by value, by type, by the sign of zero. The compiled function must return and
raise what the plain one does in every call. `python -m fuzz --family state` runs more.
"""

import gc
import json
import math
import types
import warnings

import pytest

import chainrule as torch
from chainrule.compiler.capture.followed import Number
from fuzz.families import state
from fuzz.running import problem_of

pytestmark = pytest.mark.jit
PARTS, PROGRAMS = 20, 100


@pytest.mark.parametrize("part", range(PARTS))
def test_compiled_calls_follow_what_changes(part):
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        program = state.generate(seed)
        problem = problem_of(state, program, {})
        assert problem in (None, "invalid"), f"{problem}\n{program.script()}"


def settings_at(values, function, x=None, captures=None):
    """Results of a compiled function that reads `settings.n`, for one value after the other."""
    settings = types.SimpleNamespace(n=values[0])
    run = torch.compile(lambda x: function(x, settings))
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is compiled for each of them
        for settings.n in values:
            found.append(run(torch.ones(2) if x is None else x))
    if captures is not None:
        made = sum(entry.captures for entry in run._entries.values())
        assert made == captures
    return found


def test_arithmetic_with_a_number_is_captured_once():
    values = [0.1 * k for k in range(1, 30)]
    found = settings_at(values, lambda x, s: x * (1 - s.n) + 2 * s.n**2, captures=1)
    assert [t[0].item() for t in found] == pytest.approx([1 - v + 2 * v * v for v in values])


def test_a_decision_has_a_plan_for_each_way_it_goes():
    values = [k / 10 for k in range(1, 30)]
    found = settings_at(values, lambda x, s: x * min(s.n, 1.0), captures=2)
    assert [t[0].item() for t in found] == pytest.approx([min(v, 1.0) for v in values])


def test_a_counter_that_decides_by_its_remainder():
    found = settings_at(list(range(40)), lambda x, s: x * 2 if s.n % 3 == 0 else x + 1)
    assert [t[0].item() for t in found] == [2.0] * 40  # 1 * 2 and 1 + 1
    found = settings_at(list(range(40)), lambda x, s: x * 3 if s.n % 3 == 0 else x * 5)
    assert [t[0].item() for t in found] == [3.0 if k % 3 == 0 else 5.0 for k in range(40)]


def test_an_integer_that_becomes_a_float_is_not_cut():
    found = settings_at([4, 3, 2, 1, 0.5, 0.25], lambda x, s: x / s.n)
    assert [t[0].item() for t in found] == pytest.approx([1 / 4, 1 / 3, 1 / 2, 1, 2, 4])


def test_a_literal_that_equals_the_learning_rate_stays():
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)

    def step(x):
        opt.zero_grad()
        loss = (w * x).sum() * 0.1
        loss.backward()
        opt.step()
        return loss.detach()

    run = torch.compile(step, fullgraph=True)
    for opt.param_groups[0]["lr"] in [0.1, 0.1, 0.1, 0.5, 0.25, 0.1, 0.0]:
        before = w.detach().clone()
        loss = run(torch.full((2,), 3.0))
        assert loss.item() == pytest.approx(float(before.sum()) * 0.3)
        moved = before - w.detach()
        assert moved.tolist() == pytest.approx([opt.param_groups[0]["lr"] * 0.3] * 2, abs=1e-7)


def test_gradients_follow_the_number_too():
    settings = {"n": 2.0}
    run = torch.compile(lambda x: (x * settings["n"]).sin().sum(), fullgraph=True)
    for n in (2.0, 2.0, 3.0, 0.5, -1.0, 7.0):
        settings["n"] = n
        x = torch.ones(1, requires_grad=True)
        run(x).backward()
        assert x.grad.item() == pytest.approx(n * math.cos(n), rel=1e-5)


def test_a_number_of_the_result_is_computed_anew():
    found = settings_at([1, 2, 3, 4, 5, 6], lambda x, s: (x, s.n + 1, [s.n * 0.5]))
    assert [(n, half) for _, n, [half] in found] == [(k + 1, k * 0.5) for k in range(1, 7)]
    assert all(type(n) is int for _, n, _ in found)


def test_stand_ins_do_not_stay_behind():
    settings, log = {"n": 0.5}, []

    def f(x):
        if settings["n"] > 3:
            log.append({"n": settings["n"], "pair": (settings["n"], 1)})
        return x * settings["n"]

    run = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it runs eagerly from the first entry of the log on
        for k in range(8):
            settings["n"] = k * 1.0
            assert run(torch.ones(1)).item() == k
    assert json.loads(json.dumps(log)) == [
        {"n": k * 1.0, "pair": [k * 1.0, 1]} for k in range(4, 8)
    ]
    assert type(settings["n"]) is float
    gc.collect()
    assert not [x for x in gc.get_objects() if issubclass(type(x), Number)]


def test_code_that_needs_real_numbers_gets_them():
    settings = {"n": 1.0}

    def f(x):
        return x * json.loads(json.dumps({"n": settings["n"]}))["n"]

    run = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(14):
            settings["n"] = k * 0.5
            assert run(torch.ones(1)).item() == k * 0.5


def test_type_of_a_number_is_its_type():
    settings = {"n": 1.0}

    def f(x):
        if type(settings["n"]) is float and settings["n"] > 2:
            return x * 10
        return x * settings["n"]

    run = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in [0.5, 0.75, 1.0, 1.5, 2.5, 3.0, 3, 4, 2.0]:
            settings["n"] = n
            want = 10 if type(n) is float and n > 2 else n
            assert run(torch.ones(1)).item() == want


def test_an_exception_leaves_the_numbers_where_they_were():
    settings = {"n": 1.0}

    def f(x):
        if settings["n"] > 3:
            raise ValueError(f"too large: {settings['n']}")
        return x * settings["n"]

    run = torch.compile(f)
    for k in range(8):
        settings["n"] = 1.0 + k
        if k > 2:
            with pytest.raises(ValueError, match=f"too large: {1.0 + k}"):
                run(torch.ones(1))
        else:
            assert run(torch.ones(1)).item() == 1.0 + k
        assert type(settings["n"]) is float and settings["n"] == 1.0 + k


def test_a_clock_is_no_constant():
    import time

    start = time.monotonic()
    run = torch.compile(lambda x: x * 2 if time.monotonic() - start > 1e9 else x)
    with pytest.warns(UserWarning, match=r"time.monotonic\(\) is in its sight"):
        for _ in range(4):
            run(torch.ones(1))
