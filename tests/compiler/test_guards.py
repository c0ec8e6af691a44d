"""Whatever a function can read and somebody changes: compiled calls notice, as eager ones do.

Every case changes something in the middle of a loop; the compiled loop must give the eager one's
results, whether by another plan or by running eagerly.
"""

import copy
import enum
import functools
import pickle
import random
import types
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.capture.tracer import CaptureError

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.jit
CASES = {}
SCALE = 2.0


def case(function):
    """`function(wrap)` is a program; `wrap` compiles a function or leaves it as it is."""
    CASES[function.__name__] = function
    return function


def changing(call, change, at=6, count=10):
    """Results of calls, with a change before one of them."""
    found = []
    for k in range(count):
        if k == at:
            change()
        found.append(call(torch.full((3,), 1.0 + k)).sum().item())
    return found


@case
def an_attribute_of_an_argument(wrap):
    settings = types.SimpleNamespace(scale=2.0)
    run = wrap(lambda x, given: x * given.scale)
    return changing(lambda x: run(x, settings), lambda: setattr(settings, "scale", 3.0))


@case
def the_mode_of_a_module_that_is_an_argument(wrap):
    module = nn.Dropout(0.5)
    run = wrap(lambda module, x: module(x))
    return changing(lambda x: run(module, x), module.eval)


@case
def a_constant_of_a_class(wrap):
    class Settings:
        scale = 2.0

    return changing(wrap(lambda x: x * Settings.scale), lambda: setattr(Settings, "scale", 3.0))


@case
def a_constant_of_an_objects_class(wrap):
    class Model(nn.Module):
        scale = 2.0

        def forward(self, x):
            return x * self.scale

    return changing(wrap(Model()), lambda: setattr(Model, "scale", 3.0))


@case
def a_name_in_another_file(wrap):
    file = types.ModuleType("settings_of_mine")
    file.scale = 2.0
    return changing(wrap(lambda x: x * file.scale), lambda: setattr(file, "scale", 3.0))


@case
def a_global_that_a_method_reads(wrap):
    class Model(nn.Module):
        def forward(self, x):
            return self.inner(x)

        def inner(self, x):
            return x * SCALE

    try:
        return changing(wrap(Model()), lambda: globals().update(SCALE=3.0))
    finally:
        globals().update(SCALE=2.0)


@case
def a_slot(wrap):
    class Settings:
        __slots__ = ("scale",)

    settings = Settings()
    settings.scale = 2.0
    return changing(wrap(lambda x: x * settings.scale), lambda: setattr(settings, "scale", 3.0))


@case
def a_set(wrap):
    flags = set()
    return changing(wrap(lambda x: x * 2 if "on" in flags else x * 1), lambda: flags.add("on"))


@case
def a_key_of_a_dict(wrap):
    options = {}
    return changing(
        wrap(lambda x: x * 2 if "on" in options else x * 1), lambda: options.update(on=None)
    )


@case
def an_attribute_that_appears(wrap):
    thing = types.SimpleNamespace()
    return changing(
        wrap(lambda x: x * getattr(thing, "scale", 1.0)), lambda: setattr(thing, "scale", 5.0)
    )


@case
def a_list_that_grows(wrap):
    weights = [torch.ones(3)]

    def f(x):
        for w in weights:
            x = x * w + 1
        return x

    return changing(wrap(f), lambda: weights.append(torch.full((3,), 2.0)))


@case
def a_function_in_a_dict(wrap):
    functions = {"f": torch.relu}
    return changing(wrap(lambda x: functions["f"](x)), lambda: functions.update(f=torch.tanh))


@case
def a_function_of_a_module(wrap):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.activation = torch.relu

        def forward(self, x):
            return self.activation(x)

    model = Model()
    return changing(wrap(model), lambda: setattr(model, "activation", torch.tanh))


@case
def a_method_of_a_class(wrap):
    class Model(nn.Module):
        def forward(self, x):
            return x * 2

    return changing(wrap(Model()), lambda: setattr(Model, "forward", lambda self, x: x * 3))


@case
def a_layer_that_is_appended(wrap):
    model = nn.Sequential(nn.ReLU())
    return changing(wrap(model), lambda: model.append(nn.Tanh()))


@case
def a_hook_that_is_registered(wrap):
    model = nn.Sequential(nn.ReLU())
    hook = lambda module, inputs, out: out * 2  # noqa: E731
    return changing(wrap(model), lambda: model[0].register_forward_hook(hook))


@case
def a_hook_that_is_removed(wrap):
    model = nn.Sequential(nn.ReLU())
    handle = model[0].register_forward_hook(lambda module, inputs, out: out * 2)
    return changing(wrap(model), handle.remove)


@case
def an_object_of_another_class(wrap):
    class A:
        pass

    class B:
        pass

    thing = types.SimpleNamespace(kind=A())
    f = wrap(lambda x: x * 2 if isinstance(thing.kind, A) else x * 3)
    return changing(f, lambda: setattr(thing, "kind", B()))


@case
def a_member_of_an_enumeration(wrap):
    class Kind(enum.Enum):
        ONE = 1
        TWO = 2

    box = {"kind": Kind.ONE}
    f = wrap(lambda x: x * 2 if box["kind"] is Kind.ONE else x * 3)
    return changing(f, lambda: box.update(kind=Kind.TWO))


@case
def a_data_type(wrap):
    box = {"dtype": torch.float32}
    f = wrap(lambda x: (x / 3).to(box["dtype"]) * 1)
    return changing(f, lambda: box.update(dtype=torch.float16))


@case
def an_integer_that_becomes_a_float(wrap):
    box = {"n": 2}
    f = wrap(lambda x: (x.int() * box["n"] / 4).round() + (x.int() * box["n"]).element_size())
    return changing(f, lambda: box.update(n=2.5))


@case
def a_scalar_of_numpy(wrap):
    box = {"n": np.float64(2)}
    return changing(wrap(lambda x: x * box["n"]), lambda: box.update(n=np.float64(3)))


@case
def the_contents_of_an_array(wrap):
    weights = np.ones(3, "f4")
    f = wrap(lambda x: x * torch.from_numpy(weights))
    return changing(f, lambda: weights.fill(3))


@case
def a_default_argument(wrap):
    def f(x, *, k=2.0):
        return x * k

    return changing(wrap(f), lambda: f.__kwdefaults__.update(k=3.0))


@case
def an_argument_of_a_partial_function(wrap):
    scales = {"k": 2.0}
    f = functools.partial(lambda scales, x: x * scales["k"], scales)
    return changing(wrap(f), lambda: scales.update(k=3.0))


@case
def behind_a_property(wrap):
    class Settings:
        def __init__(self):
            self._scale = 2.0

        @property
        def scale(self):
            return self._scale

    settings = Settings()
    return changing(wrap(lambda x: x * settings.scale), lambda: setattr(settings, "_scale", 3.0))


@case
def a_counter_that_decides(wrap):
    class Trainer:
        def __init__(self):
            self.step_number = 0

        def step(self, x):
            return x * 2 if self.step_number > 10 else x * 1

    trainer = Trainer()
    run, found = wrap(trainer.step), []
    for trainer.step_number in range(20):
        found.append(run(torch.ones(1)).item())
    return found


@case
def random_numbers_of_python(wrap):
    random.seed(0)
    run = wrap(lambda x: x * 2 if random.random() < 0.9 else x * 1)
    return [run(torch.ones(1)).item() for _ in range(30)]


@case
def random_numbers_of_numpy(wrap):
    np.random.seed(0)
    run = wrap(lambda x: x * 2 if np.random.rand() < 0.9 else x * 1)
    return [run(torch.ones(1)).item() for _ in range(30)]


@case
def numbers_as_arguments(wrap):
    run = wrap(lambda x, n, rate: x * n + rate)
    return [run(torch.ones(3), k, 0.1 * k * k).tolist() for k in range(12)]


@case
def numbers_as_arguments_that_python_computes_with(wrap):
    run = wrap(lambda x, rate: x * (1 - rate) + rate)
    return [run(torch.ones(3) * 2, 0.1 * k).tolist() for k in range(12)]


@case
def a_number_that_chooses(wrap):
    run = wrap(lambda x, k: x * 2 if k % 3 else x * 1)
    return [run(torch.ones(1), k).item() for k in range(20)]


@case
def the_structure_of_arguments(wrap):
    run = wrap(lambda batch: batch["x"] * 2 + batch["y"])
    one, two = torch.ones(1), torch.full((1,), 10.0)
    orders = [{"x": one, "y": two}, {"y": one, "x": two}]
    return [run(orders[k // 5 % 2]).item() for k in range(20)]


@case
def lists_and_tuples_of_arguments(wrap):
    run = wrap(lambda a, b: (len(a) * a[0] + len(b) * b[-1]) * (2 if isinstance(a, list) else 1))
    x, y, z = torch.ones(1), torch.ones(1) * 10, torch.ones(1) * 100
    shapes = [([x, y], (z,)), ([x], (y, z)), ((x, y), (z,))]
    return [run(*shapes[k // 5 % 3]).item() for k in range(30)]


@case
def a_container_that_is_filled(wrap):
    def f(x, out):
        out.append(x * 2)
        return x + 1

    run, collected = wrap(f), []
    for k in range(8):
        run(torch.ones(1) * k, collected)
    return [t.item() for t in collected]


@case
def an_object_that_is_written(wrap):
    def f(batch):
        batch.y = batch.x * 2
        return batch.x + 1

    run, found = wrap(f), []
    for k in range(8):
        batch = types.SimpleNamespace(x=torch.ones(1) * k, y=None)
        found += [run(batch).item(), batch.y.item()]
    return found


@case
def a_batch_in_a_dataclass(wrap):
    @dataclass
    class Batch:
        x: object
        scale: float

    run = wrap(lambda batch: batch.x * batch.scale)
    return [run(Batch(torch.ones(1) * k, k // 4 + 0.5)).item() for k in range(12)]


def constant_at_first(function):
    """Calls with a tensor that is the same while it is traced, and another one later."""

    def program(wrap):
        run = wrap(function)
        return [run(torch.arange(6.0), torch.tensor(1 + (k > 5))).tolist() for k in range(9)]

    return program


CASES |= {
    "a tensor as an index": constant_at_first(lambda x, i: x[i] * 1),
    "a tensor that names what is filled": constant_at_first(
        lambda x, i: x.index_fill(0, i.view(1), 9.0)
    ),
    "a tensor in a slice": constant_at_first(lambda x, i: x[i : i + 2] * 1),
    "a tensor in a list": constant_at_first(lambda x, i: x + torch.tensor([i, 0, 0, 0, 0, 1])),
    "a tensor of a tensor": constant_at_first(lambda x, i: x + torch.tensor(i)),
    "a tensor as a fill value": constant_at_first(lambda x, i: x + torch.full((6,), i)),
    "a number of classes": constant_at_first(lambda x, i: F.one_hot(i.view(1)).sum() + x.sum()),
    "a copy": constant_at_first(lambda x, i: x * copy.deepcopy(i)),
    "a pickle": constant_at_first(lambda x, i: x * pickle.loads(pickle.dumps(i))),
    "a number of bins": constant_at_first(lambda x, i: torch.bincount(i.view(1)).numel() + x),
}


@case
def a_tensor_of_the_closure_that_is_asked(wrap):
    scale = torch.tensor(2.0)
    return changing(wrap(lambda x: x * scale.item()), lambda: scale.add_(1))


@case
def a_place_that_a_tensor_names(wrap):
    place = torch.tensor(1)

    def f(x):
        y = x * 2
        y[place] = 0.0
        return y * torch.arange(3)

    return changing(wrap(f), lambda: place.add_(1))


@pytest.mark.parametrize("name", CASES)
def test_changes_are_noticed(name):
    torch.manual_seed(0)
    want = CASES[name](lambda f: f)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # running eagerly is right too; the next tests tell
        have = CASES[name](torch.compile)
    for a, b in zip(have, want, strict=True):  # shapes may change
        np.testing.assert_allclose(a, b, rtol=1e-6)


def compiles(function, *batches):
    run = torch.compile(function, fullgraph=True)
    found = [run(*batch) for batch in batches]
    assert sum(len(e.runners) for e in run._entries.values()) > 0
    return run, found


def test_numbers_among_the_arguments_become_inputs():
    """A learning rate or a step counter as an argument does not compile once per value."""
    x = torch.ones(3)
    run, found = compiles(lambda x, n, rate: x * n + rate, *((x, k, k / 8) for k in range(20)))
    assert [f[0].item() for f in found] == [k * 1.125 for k in range(20)]
    captured = [e for e in run._entries.values() if e.runners]
    assert len(run._entries) <= 4 and [e.captures for e in captured] == [1]


def test_a_new_batch_object_in_every_call_is_one_kind_of_call():
    @dataclass
    class Batch:
        x: object

    run, _ = compiles(lambda b: b.x * 2, *((Batch(torch.ones(2)),) for _ in range(9)))
    assert len(run._entries) == 1


def test_attributes_that_no_code_reads_are_no_settings():
    class Trainer:
        def __init__(self):
            self.weights, self.losses, self.epoch, self.best = torch.ones(3), [], 0, None

        def step(self, x):
            return (x * self.weights).sum()

        def log(self, loss):
            self.losses.append(loss)
            self.epoch += 1
            self.best = min(self.losses)

    trainer = Trainer()
    run = torch.compile(trainer.step, fullgraph=True)
    for k in range(12):
        trainer.log(run(torch.full((3,), float(k))).item())
    assert trainer.losses == [3.0 * k for k in range(12)]
    assert [e.captures for e in run._entries.values()] == [1]


def test_many_kinds_of_calls_end_in_eager_code():
    run = torch.compile(lambda x: x + 1)
    with pytest.warns(UserWarning, match="more than 64 combinations of argument types"):
        for k in range(1, 70):
            assert run(torch.zeros(k)).sum().item() == k
    assert len(run._entries) == 64


@pytest.mark.parametrize(
    "function, reason",
    [
        (lambda x: x * random.random(), "random numbers are drawn"),
        (lambda x, out=[]: out.append(1) or x * 1, "changes the length of a container"),
    ],
)
def test_reasons_are_given_in_every_call_of_a_full_graph(function, reason):
    run = torch.compile(function, fullgraph=True)
    run(torch.ones(1))
    for _ in range(2):
        with pytest.raises(CaptureError, match=reason):
            run(torch.ones(1))


def test_every_recapture_says_why(monkeypatch, capsys):
    monkeypatch.setenv("CHAINRULE_LOG", "compile")
    settings = {"scale": 2.0, "flag": True}

    def f(x, y=None):
        return x * settings["scale"] if settings["flag"] else x

    run = torch.compile(f, fullgraph=True)
    said = []

    def call(*args, times=3, **kwargs):
        for _ in range(times):
            run(*args, **kwargs)
        said.append(capsys.readouterr().err)

    call(torch.ones(8, 3))
    call(torch.ones(7, 3))
    call(torch.ones(7, 3, requires_grad=True))
    call(torch.ones(7, 3, dtype=torch.float64))
    settings["scale"] = 3.0
    call(torch.ones(7, 3))
    settings["flag"] = False
    call(torch.ones(7, 3))
    with torch.no_grad():
        call(torch.ones(7, 3))
    for text, why in zip(
        said[1:],
        ["`x` went f32[8,3] -> f32[7,3]", "`x` went f32[7,3] -> f32[7,3] with grad",
         "`x` went f32[7,3] with grad -> f64[7,3]",
         "again: scale: 2.0 -> 3.0", "again: flag: True -> False",
         "`gradients` went on -> off"],
        strict=True,
    ):  # fmt: skip
        assert why in text
