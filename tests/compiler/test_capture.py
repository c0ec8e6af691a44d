"""What `compile` captures, what it refuses, and what it says: as a user sees it."""

import subprocess
import sys
import warnings
from itertools import count
from typing import Any

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.capture.tracer import CaptureError

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.jit


def entries(compiled):
    return list(compiled._entries.values())


# ---- arguments -----------------------------------------------------------------------------------


def test_slices_of_a_data_set_are_arguments_like_others():
    images = torch.arange(24.0).reshape(8, 3)
    run = torch.compile(lambda x: x.sum() + x[0].sum(), fullgraph=True)
    for k in range(6):
        batch = images[k : k + 2]
        assert run(batch).item() == batch.sum().item() + batch[0].sum().item()
    assert [e.captures for e in entries(run)] == [1]


def test_a_write_through_a_view_of_a_sliced_argument():
    whole = torch.zeros(6, 2)

    def bump(x):
        x.t()[0].add_(1)

    run = torch.compile(bump, fullgraph=True)
    for k in range(5):
        run(whole[k : k + 2])
    assert whole[:, 0].tolist() == [1, 2, 2, 2, 2, 1] and not whole[:, 1].any()


def test_one_tensor_for_two_arguments():
    run = torch.compile(lambda a, b: a - b, fullgraph=True)
    x, y = torch.ones(2), torch.full((2,), 3.0)
    for _ in range(4):
        assert run(x, x).tolist() == [0.0, 0.0]
        assert run(x, y).tolist() == [-2.0, -2.0]
    assert len(entries(run)) == 2


def test_arguments_that_share_memory_with_a_written_one():
    def shift(a, b):
        a.add_(1)
        return b * 1

    run = torch.compile(shift, fullgraph=True)
    for _ in range(4):
        run(torch.zeros(2), torch.zeros(2))
    memory = torch.zeros(4)
    assert run(memory[:2], memory[1:3]).tolist() == [1.0, 0.0]


def test_objects_are_told_apart_even_when_memory_is_used_again():
    run = torch.compile(lambda x, settings: x * settings.factor, fullgraph=True)

    class Settings:
        def __init__(self, factor):
            self.factor = factor

    for factor in (1.0, 2.0, 3.0):
        settings = Settings(factor)
        for _ in range(4):
            assert run(torch.ones(1), settings).item() == factor
        del settings


# ---- results -------------------------------------------------------------------------------------


def test_views_of_arguments_stay_views():
    def f(x):
        return x.t(), x[0], x.detach(), x + 1

    run = torch.compile(f, fullgraph=True)
    for _ in range(5):
        x = torch.zeros(2, 3)
        turned, row, same, new = run(x)
        x.fill_(7)
        assert turned.tolist() == [[7.0, 7.0]] * 3 and row.tolist() == [7.0] * 3
        assert same.tolist() == x.tolist() and new.tolist() == [[1.0] * 3] * 2
        assert turned._base is x and row._base is x


def test_a_result_named_twice_is_one_tensor():
    def f(x):
        y = x * 2
        return {"y": y, "again": [y]}

    run = torch.compile(f, fullgraph=True)
    for _ in range(5):
        out = run(torch.ones(2))
        assert out["y"] is out["again"][0]


def test_named_tuples_and_ordered_dicts():
    from collections import OrderedDict, namedtuple

    Pair = namedtuple("Pair", "a b")
    run = torch.compile(lambda x: (Pair(x + 1, 2), OrderedDict(c=x * 2)), fullgraph=True)
    for _ in range(5):
        pair, ordered = run(torch.ones(1))
        assert type(pair) is Pair and pair.a.item() == 2 and pair.b == 2
        assert type(ordered) is OrderedDict and ordered["c"].item() == 2


# ---- numbers and settings ------------------------------------------------------------------------


def test_a_number_that_changes_after_the_capture_is_captured_once_more():
    settings = {"scale": 1.5}
    run = torch.compile(lambda x: x * settings["scale"], fullgraph=True)
    for k in range(30):
        if k >= 6:
            settings["scale"] += 1.0
        assert run(torch.ones(1)).item() == settings["scale"]
    assert [e.captures for e in entries(run)] == [2]


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("dtype", (None, torch.int64, torch.int8, torch.bool, torch.float16))
@pytest.mark.parametrize("numbers", ([0.5, 1.5, 2.5, 3.5, 4.5], [1, 2, 3, 2**62, 2**70, 300]))
def test_a_number_that_changes_becomes_a_tensor_of_the_type_asked_for(dtype, numbers):
    class Box:
        number: Any = 0

    def make(x):
        return x * 1, torch.tensor(Box.number, dtype=dtype)

    compiled = torch.compile(make)
    for number in numbers:
        Box.number = number
        found = []
        for run in (make, compiled):
            try:
                made = run(torch.ones(2))[1]
                found.append((made.dtype, made.item()))
            except (RuntimeError, ValueError, OverflowError) as problem:
                found.append(type(problem))
        assert found[0] == found[1]


def test_settings_that_come_back_find_their_plan():
    settings = {"double": False}
    run = torch.compile(lambda x: x * 2 if settings["double"] else x * 1, fullgraph=True)
    for k in range(40):
        settings["double"] = k // 5 % 2 == 1
        assert run(torch.ones(1)).item() == 1 + settings["double"]
    assert [e.captures for e in entries(run)] == [2]


def test_guards_that_never_hold_end_in_eager_code():
    settings = {"name": "0"}
    run = torch.compile(lambda x: x + len(settings["name"]))
    with pytest.warns(UserWarning, match=r"name: .* and other guards failed 8 times; it stays"):
        for k in range(40):
            settings["name"] = "x" * (k // 3)
            assert run(torch.zeros(1)).item() == k // 3


def test_another_data_type_behind_a_parameter_is_noticed():
    w = torch.ones(2)
    run = torch.compile(lambda x: x * w, fullgraph=True)
    for _ in range(4):
        run(torch.ones(2))
    w.data = torch.full((3, 2), 2.0)
    for _ in range(4):
        assert run(torch.ones(2)).tolist() == [[2.0, 2.0]] * 3


def test_another_generator_is_noticed():
    draws = {"from": torch.Generator().manual_seed(1)}
    run = torch.compile(lambda: torch.rand(3, generator=draws["from"]), fullgraph=True)
    for seed in (1, 2):
        draws["from"] = torch.Generator().manual_seed(seed)
        want = torch.Generator().manual_seed(seed)
        for _ in range(5):
            assert run().tolist() == torch.rand(3, generator=want).tolist()


# ---- random numbers ------------------------------------------------------------------------------


def draws(x):
    a = torch.bernoulli(torch.full((3,), 0.5) * x.mean())
    torch.rand(2)  # unused, but it moves the stream
    b, c = torch.randn(20), torch.randn(20)  # equal calls, other numbers
    order = torch.randperm(5)
    chosen = torch.multinomial(torch.ones(4), 2)
    noise = F.dropout(x, 0.4) + torch.empty(4).uniform_(1, 2) + torch.rand_like(x)
    return a, b - c, order, chosen, noise, torch.randint(0, 9, (3,)), torch.normal(x, 2.0)


def test_every_draw_keeps_its_place_in_the_stream():
    run = torch.compile(draws, fullgraph=True)
    streams = []
    for f in (run, draws):
        torch.manual_seed(5)
        found = [[t.tolist() for t in f(torch.ones(4))] for _ in range(6)]
        streams.append((found, torch.get_rng_state().tolist()))
    for have, want in zip(*streams[0][0:1], *streams[1][0:1], strict=True):
        for a, b in zip(have, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    assert streams[0][1] == streams[1][1]
    assert "draw_mask" in run.explain()


def test_seeding_inside_is_part_of_the_program():
    def f(x):
        a = torch.rand(2)
        torch.manual_seed(3)
        return a + x, torch.rand(2)

    run = torch.compile(f, fullgraph=True)
    found = [run(torch.zeros(2)) for _ in range(5)]
    torch.manual_seed(3)
    first, second = torch.rand(2).tolist(), torch.rand(2).tolist()
    assert all(b.tolist() == first for _, b in found)
    assert all(a.tolist() == second for a, _ in found[1:])


def test_looking_at_the_state_of_a_generator_runs_eagerly():
    def f(x):
        with torch.random.fork_rng():
            return x + torch.rand(1)

    run = torch.compile(f)
    with pytest.warns(UserWarning, match=r"get_state\(\) of a random generator is called at"):
        found = {run(torch.zeros(1)).item() for _ in range(5)}
    assert len(found) == 1


# ---- what cannot be captured ---------------------------------------------------------------------


def reading(x):
    return x * x.sum().item()


def to_numpy(x):
    return x + torch.from_numpy(np.sign(x.numpy()))


def printing(x):
    print(x, file=open_nothing)
    return x * 2


class open_nothing:
    @staticmethod
    def write(text):
        pass

    @staticmethod
    def flush():
        pass


@pytest.mark.parametrize(
    "function, reason",
    [(reading, "item.* needs the value"), (to_numpy, "numpy.* needs the value"),
     (printing, "printing needs the value")],
)  # fmt: skip
def test_functions_that_ask_for_values_run_eagerly(function, reason):
    run = torch.compile(function)
    with pytest.warns(UserWarning, match=f"{function.__name__} runs eagerly: .*{reason}") as said:
        for _ in range(5):
            x = torch.tensor([1.0, 2.0])
            np.testing.assert_array_equal(run(x).numpy(), function(x).numpy())
    assert len(said) == 1
    assert run.explain().startswith("eager: ")
    strict = torch.compile(function, fullgraph=True)
    strict(x)
    with pytest.raises(CaptureError, match=r"test_capture.py:\d+ in " + function.__name__):
        strict(x)


def test_an_attribute_that_gets_another_tensor():
    class Cell:
        def __init__(self):
            self.state = torch.zeros(1)

        def __call__(self, x):
            self.state = self.state + x
            return self.state * 1

    cell = Cell()
    run = torch.compile(cell)
    with pytest.warns(UserWarning, match="puts another tensor in the place of .state"):
        found = [run(torch.ones(1)).item() for _ in range(5)]
    assert found == [1, 2, 3, 4, 5]


def test_an_iterator_counts_every_call_because_its_state_cannot_be_guarded():
    numbers = count()

    def f(x):
        return x + next(numbers)

    run = torch.compile(f)
    with pytest.warns(UserWarning, match="an iterator .count. is in its sight"):
        assert [run(torch.ones(1)).item() for _ in range(10)] == list(range(1, 11))


def test_an_error_that_appears_later_leaves_the_function_usable():
    settings = {"fail": False}

    def f(x):
        if settings["fail"]:
            raise KeyError("asked for")
        return x + 1

    run = torch.compile(f, fullgraph=True)
    for _ in range(4):
        run(torch.ones(1))
    settings["fail"] = True
    for _ in range(3):
        with pytest.raises(KeyError, match="asked for"):
            run(torch.ones(1))
    settings["fail"] = False
    assert run(torch.ones(1)).item() == 2


# ---- the ways to call it -------------------------------------------------------------------------


def test_signature_and_decorators():
    @torch.compile(fullgraph=True, dynamic=True, backend="inductor", mode="reduce-overhead")
    def f(x):
        """Doubles."""
        return x * 2

    assert f.__name__ == "f" and f.__doc__ == "Doubles."
    for _ in range(4):
        assert f(torch.ones(1)).item() == 2
    assert entries(f)[0].captures == 1

    def g(x):
        return x

    assert torch.compile(g, disable=True) is g
    assert torch.compile(g, backend="eager") is g
    assert torch.compile(g, options={"epilogue_fusion": True})(torch.ones(1)).item() == 1
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast, should be one of"):
        torch.compile(g, mode="fast")
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        torch.compile(g, mode="default", options={})
    with pytest.raises(RuntimeError, match="Invalid backend: 'gpu'"):
        torch.compile(g, backend="gpu")
    with pytest.raises(RuntimeError, match="Model can't be compiled"):
        torch.compile(3)


def test_methods_are_compiled_with_their_object():
    class Model:
        def __init__(self, factor):
            self.factor = torch.tensor(factor)

        @torch.no_grad()
        def predict(self, x):
            return x * self.factor

    one, two = Model(1.0), Model(2.0)
    first, second = torch.compile(one.predict), torch.compile(two.predict)
    for _ in range(4):
        assert first(torch.ones(1)).item() == 1 and second(torch.ones(1)).item() == 2


def test_a_compiled_module_is_a_module():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    compiled = torch.compile(model, fullgraph=True)
    assert [id(p) for p in compiled.parameters()] == [id(p) for p in model.parameters()]
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert len(compiled) == 2
    compiled.eval()
    assert not model.training and not compiled.training
    for _ in range(4):
        np.testing.assert_allclose(
            compiled(torch.ones(1, 2)).detach(), model(torch.ones(1, 2)).detach(), rtol=1e-6
        )
    compiled.load_state_dict({k: torch.ones_like(v) for k, v in compiled.state_dict().items()})
    assert compiled(torch.ones(1, 2)).tolist() == [[3.0, 3.0, 3.0]]


def test_hooks_of_modules_run_where_they_are_traced():
    model = nn.Linear(2, 2, bias=False)
    model.register_forward_hook(lambda module, inputs, out: out * 10)
    run = torch.compile(model, fullgraph=True)
    x = torch.ones(1, 2)
    for _ in range(5):
        np.testing.assert_allclose(run(x).detach(), (x @ model.weight.t() * 10).detach(), rtol=1e-6)


def test_explain_shows_graph_loops_externs_and_memory(capsys):
    run = torch.compile(lambda x: F.dropout(x, 0.5).exp().sum(), explain=True)
    assert run.explain() == "never called"
    run(torch.ones(3))
    assert run.explain() == "not compiled yet: called 1 time(s) of 3"
    for _ in range(2):
        run(torch.ones(3))
    printed = capsys.readouterr().out.strip()
    assert printed == run.explain()
    for part in ("graph(%0: f32[3] 'arg0')", "extern draw_mask", "loop over [3]", "arena"):
        assert part in printed


def test_without_llvmlite_plans_are_interpreted():
    program = """
import sys
sys.modules["llvmlite"] = None
import chainrule as torch
def train(wrap):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss
    run = wrap(step)
    losses = [run(torch.ones(3, 4)).item() for _ in range(8)]
    forward = torch.compile(model, fullgraph=True)
    for _ in range(5):
        model.zero_grad()
        forward(torch.ones(3, 4)).sum().backward()
    return losses + model[0].weight.grad.sum(1).tolist(), run
have, run = train(lambda f: torch.compile(f, fullgraph=True))
want, _ = train(lambda f: f)
assert max(abs(a - b) for a, b in zip(have, want, strict=True)) < 1e-6, (have, want)
assert "interpreted: llvmlite is not installed" in run.explain()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_warning_where_all_is_well():
    run = torch.compile(lambda x: x + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            run(torch.ones(2))
