"""State that no name leads to, that hides other state, or that is asked in unusual ways.

A compiled function reads a number from each place of the fuzzer's tables; the number changes after
the function has been compiled. What guards cannot see must end the capture.
"""

import gc
import importlib
import threading
import warnings
import weakref

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.passes.partition import without
from fuzz.families import state
from fuzz.families.state_overlooked import OVERLOOKED
from fuzz.families.state_places import PLACES
from fuzz.running import problem_of
from fuzz.script import Script

pytestmark = pytest.mark.jit
EVERYWHERE = PLACES | OVERLOOKED


@pytest.mark.parametrize("place", EVERYWHERE)
def test_a_number_changes_after_it_was_compiled(place):
    where = EVERYWHERE[place]
    values = ["0.5"] * 5 + ["2.0", "3.0", "0.5"]
    names = {"a": where}
    plans = {"a": values}
    body = ["y = x * " + where.read.format(n="a"), "return y"]
    chunks = [state.HEADER]
    chunks += [where.setup.format(n="a", v="0.5")] if where.setup else []
    chunks += state._definition(body, names, plans)
    for k, value in enumerate(values):
        if where.write and value != values[k - 1]:
            write = "set_{n}({v})" if where.inside else where.write
            chunks.append(write.format(n="a", v=value))
        given = [where.argument.format(n="a", v=value)] if where.argument else []
        chunks.append(f"show(f({', '.join(['torch.ones(2)', *given])}))")
    program = Script("state", 1, tuple(chunks))
    problem = problem_of(state, program, {"machine_code": False})
    assert problem is None, f"{problem}\n{program.script()}"


def results(function, changes, given=lambda k: (torch.ones(2),)):
    """What a function and its compiled form return while changes happen; they must be equal."""
    found = []
    for wrap in (lambda f: f, torch.compile):
        run, seen = wrap(function), []
        changes[0]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some stay eager and say why
            for k in range(9):
                changes[0 if k < 5 else (k - 5) % len(changes)]()
                seen.append(run(*given(k)))
        found.append(seen)
        changes[0]()
    return found


def assert_followed(function, *changes, given=lambda k: (torch.ones(2),)):
    eager, compiled = results(function, changes, given)
    as_lists = [[t.tolist() for t in r] if isinstance(r, tuple) else r.tolist() for r in eager]
    assert as_lists[5:] != [as_lists[0]] * 4  # there is something to follow
    for got, want in zip(compiled, as_lists, strict=True):
        have = [t.tolist() for t in got] if isinstance(got, tuple) else got.tolist()
        assert have == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (torch, "sin", lambda x: torch.sin(x)),
        (torch.nn.functional, "relu", lambda x: torch.nn.functional.relu(x)),
        (torch.Tensor, "cos", lambda x: x.cos()),
        (np, "tanh", lambda x: x * float(np.tanh(1.0))),
    ],
)
def test_a_function_of_a_library_is_replaced(owner, name, call):
    known = getattr(owner, name)
    assert_followed(
        call,
        lambda: setattr(owner, name, known),
        lambda: setattr(owner, name, lambda x: x * 5),
    )


@pytest.mark.parametrize("keys", [(1, True), (1, 1.0), (0.0, -0.0), ("a", "b")])
@pytest.mark.parametrize("kind", [dict, set])
def test_keys_that_are_equal_are_not_the_same(kind, keys):
    held = kind()

    def put(key):
        held.clear()
        held.update({key: 1} if kind is dict else {key})

    def f(x):
        found = str(next(iter(held)))
        return x * (2 if found == str(keys[1]) else 3)

    assert_followed(f, lambda: put(keys[0]), lambda: put(keys[1]))


def test_a_layer_gets_another_forward():
    layer, known = torch.nn.Tanh(), torch.nn.Tanh.forward
    assert_followed(
        lambda x: layer(x),
        lambda: setattr(torch.nn.Tanh, "forward", known),
        lambda: setattr(torch.nn.Tanh, "forward", lambda self, x: x * 5),
    )


def test_hooks_on_all_modules():
    layer = torch.nn.Tanh()
    handles = []

    def add():
        handles.append(
            torch.nn.modules.module.register_module_forward_hook(lambda m, i, out: out * 2)
        )

    def remove():
        while handles:
            handles.pop().remove()

    assert_followed(lambda x: layer(x), remove, add)


@pytest.mark.parametrize("register", ["register_hook", "register_post_accumulate_grad_hook"])
def test_a_hook_on_a_parameter_that_the_function_differentiates_by(register):
    w = torch.ones(2, requires_grad=True)
    handles = []

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        return w.grad.clone()

    def double(t):
        if register == "register_hook":
            return t * 2
        t.grad.mul_(2)

    def remove():
        while handles:
            handles.pop().remove()

    assert_followed(step, remove, lambda: handles.append(getattr(w, register)(double)))


@pytest.mark.parametrize(
    "shape", [lambda: torch.ones(3, 3), lambda: torch.ones(2, 2), lambda: torch.ones(4).double()]
)
@pytest.mark.parametrize("way", ["data", "set_"])
def test_a_tensor_gets_other_memory(shape, way):
    w = torch.ones(2, 3)

    def put(t):
        if way == "data":
            w.data = t
        elif t.dtype == w.dtype:
            w.set_(t)

    put(torch.ones(2, 3))
    changed = shape()
    if way == "set_" and changed.dtype != w.dtype:
        pytest.skip("set_ keeps the type")
    assert_followed(
        lambda x: (w.sum() * x.sum().to(w.dtype), w.new_tensor(w.shape[0])),
        lambda: put(torch.ones(2, 3)),
        lambda: put(changed.clone()),
    )


def test_an_argument_that_shares_memory_with_what_the_function_writes():
    base = torch.zeros(4)
    which = {"view": False}

    def f(x):
        base.add_(1)
        return x * 2

    def given(k):
        if k == 0:
            base.zero_()
        return (base[:2] if which["view"] else torch.ones(2),)

    assert_followed(
        f, lambda: which.update(view=False), lambda: which.update(view=True), given=given
    )


def test_a_parameter_is_not_just_a_tensor_that_requires_grad():
    kinds = []

    def f(x):
        return x.detach() * (2 if isinstance(x, torch.nn.Parameter) else 3)

    def given(k):
        t = torch.ones(2, requires_grad=True)
        return (torch.nn.Parameter(t.detach()) if kinds else t,)

    assert_followed(f, kinds.clear, lambda: kinds.append(1), given=given)


def test_each_thread_has_its_own():
    own = threading.local()
    own.rate = 1.0
    run = torch.compile(lambda x: x * own.rate)
    for _ in range(5):
        assert run(torch.ones(1)).item() == 1.0
    seen = []

    def elsewhere():
        own.rate = 7.0
        seen.append(run(torch.ones(1)).item())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [7.0]
    assert run(torch.ones(1)).item() == 1.0


def test_a_guard_keeps_nothing_alive_that_is_only_weakly_held():
    class Box:
        rate = 2.0

    box = Box()
    reference = weakref.ref(box)

    def f(x):
        found = reference()
        return x if found is None else x * found.rate

    run = torch.compile(f)
    with pytest.warns(UserWarning, match="a weak reference"):
        for _ in range(5):
            assert run(torch.ones(1)).item() == 2.0
    del box
    gc.collect()
    assert run(torch.ones(1)).item() == 1.0


def test_what_a_call_runs_unnamed_is_looked_at_from_then_on():
    rate = [2.0]

    class Scale:
        def __init__(self):
            self.rate = rate[0]

    run = torch.compile(lambda x: x * Scale().rate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is compiled
        for rate[0] in (2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 2.0):
            assert run(torch.ones(1)).item() == rate[0]
    assert sum(entry.captures for entry in run._entries.values()) <= 2


def test_a_profiler_is_left_alone():
    import sys

    events = []

    def profile(frame, event, argument):
        events.append(event)

    run = torch.compile(lambda x: x * 2)
    sys.setprofile(profile)
    try:
        for _ in range(5):
            run(torch.ones(1))
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert events


CODE_WITHOUT_A_MODULE = """
def scaled(x):
    return sum([t * rate[0] for t in x]) + sum(t * rate[0] for t in x)

class Model(torch.nn.Module):
    def forward(self, x):
        return sum(map(lambda t: t * rate[0], [scaled(t) for t in x]))
"""


def test_functions_written_inside_of_code_that_was_not_seen():
    space, rate = {"torch": torch}, [2.0]
    space["rate"] = rate
    exec(CODE_WITHOUT_A_MODULE, space)  # classes say they are from `builtins`
    run = torch.compile(space["Model"](), fullgraph=True)
    x = torch.ones(2, 3)
    assert [run(x).item() for rate[0] in (2.0, 2.0, 3.0, 1.0)] == [48.0, 48.0, 108.0, 12.0]


def test_a_function_that_was_stored_and_is_gone_is_not_taken_for_one_of_its_writer():
    def multiplier(n):
        return lambda x: x * n

    def last(x):
        return waiting[-1](x) if len(waiting) == 1 else waiting.pop()(x)

    found = []
    for wrap in (lambda f: f, torch.compile):
        waiting = [multiplier(k) for k in (7.0, 6.0, 5.0, 4.0, 3.0, 2.0)]
        run = wrap(last)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it pops: it stays eager
            found.append([run(torch.ones(1)).item() for _ in range(9)])
    assert found[1] == found[0]


@pytest.mark.parametrize("library", ["cProfile", "profile"])
def test_what_ran_unseen_is_guarded_while_somebody_profiles(library):
    rate, rates = [2.0], (2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 2.0)

    class Scale:
        def __init__(self):
            self.rate = rate[0]

    def scaled(x):
        return x * Scale().rate

    def calls():
        run = torch.compile(scaled)
        return [run(torch.ones(1)).item() for rate[0] in rates]

    profiler = importlib.import_module(library).Profile()
    assert profiler.runcall(calls) == [*rates]
    profiler.create_stats()
    assert any("scaled" in name for _, _, name in profiler.stats)


@pytest.mark.parametrize("graph", [False, True])
def test_a_result_without_gradient_takes_no_part(graph):
    def f(x, w):
        y = x * 2
        return y, y * float("inf"), w * x

    run = torch.compile(f)
    for wanted in [(0,)] * 4 + [(0, 2), (2,), (0, 1, 2)]:
        grads = []
        for function in (f, run):
            x = torch.tensor([0.5, -1.0], requires_grad=True)
            w = torch.tensor([2.0, 3.0], requires_grad=True)
            results = function(x, w)
            loss = sum(results[k].sum() for k in wanted)
            found = torch.autograd.grad(loss, [x, w], create_graph=graph, allow_unused=True)
            grads.append([None if g is None else g.tolist() for g in found])
        np.testing.assert_equal(grads[1], grads[0])


def test_a_backward_program_without_some_gradients():
    run = torch.compile(lambda x: (x.sin(), x.cos()))
    for _ in range(4):
        x = torch.ones(2, requires_grad=True)
        run(x)[0].sum().backward()
    runner = next(iter(run._entries.values())).runners[0]
    whole = runner.partition.backward
    graph, there = without(whole, whole.inputs[-1:])
    assert there == [True] and len(graph.inputs) < len(whole.inputs)
    graph, there = without(whole, whole.inputs[-2:])
    assert there == [False] and not graph.outputs
