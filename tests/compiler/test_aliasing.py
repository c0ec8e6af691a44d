"""What a compiled call returned stays as it was, however it is held, while the function runs on."""

import copy
import warnings
import weakref

import numpy as np
import pytest

import chainrule as torch

nn = torch.nn
pytestmark = pytest.mark.jit

HOLDERS = {
    "the tensor": lambda t: t,
    "a detached tensor": lambda t: t.detach(),
    "its data": lambda t: t.data,
    "a view": lambda t: t[0],
    "a view of a view": lambda t: t.view(-1)[1:].reshape(-1, 1),
    "a transpose": lambda t: t.t(),
    "an array": lambda t: t.detach().numpy(),
    "a part of an array": lambda t: t.detach().numpy()[1:],
    "a buffer": lambda t: memoryview(t.detach().numpy()),
    "an exported array": lambda t: np.from_dlpack(t.detach()),
    "a list": lambda t: [t],
    "an eager result": lambda t: (t * 1,),
}


def seen(thing):
    while isinstance(thing, list | tuple):
        thing = thing[0]
    if isinstance(thing, torch.Tensor):
        thing = thing.detach().numpy()
    return np.array(thing)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("how", HOLDERS)
def test_results_are_never_overwritten(how, mode):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4))
    run = torch.compile(model, fullgraph=True)
    held, want = [], []
    with mode():
        for k in range(12):
            out = run(torch.full((4, 3), float(k)))
            held.append(HOLDERS[how](out))
            want.append(seen(held[-1]))
            del out
    for have, then in zip(held, want, strict=True):
        np.testing.assert_array_equal(seen(have), then)
    assert len({w.tobytes() for w in want}) == 12


def test_what_backward_needs_stays():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Sigmoid())
    run = torch.compile(model, fullgraph=True)
    for _ in range(4):
        run(torch.ones(4, 3))

    def gradients(function):
        model.zero_grad()
        total = sum(function(torch.full((4, 3), float(k))).pow(2).sum() for k in range(5))
        for _ in range(3):
            function(torch.zeros(4, 3))  # its results go at once
        total.backward()
        return [p.grad.numpy().copy() for p in model.parameters()]

    for have, want in zip(gradients(run), gradients(model), strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-6)


def test_a_result_that_is_changed_changes_nothing_else():
    run = torch.compile(lambda x: (x + 1, x * 2), fullgraph=True)
    for k in range(8):
        a, b = run(torch.full((3,), float(k)))
        a.zero_()
        b.add_(100)
        assert b.tolist() == [2 * k + 100.0] * 3
        again, _ = run(torch.full((3,), float(k)))
        assert again.tolist() == [k + 1.0] * 3 and a.tolist() == [0.0] * 3


def test_results_that_go_back_in_as_arguments():
    run = torch.compile(lambda x: x * 2 + 1, fullgraph=True)
    x = torch.zeros(3)
    for k in range(10):
        x = run(x)
        assert x.tolist() == [2.0 ** (k + 1) - 1] * 3


def test_a_state_that_is_written_and_returned():
    state = torch.zeros(3)

    def f(x):
        state.add_(x)
        return state * 1, state

    run, copies = torch.compile(f, fullgraph=True), []
    for _ in range(8):
        fresh, same = run(torch.ones(3))
        assert same is state and fresh is not state
        copies.append(fresh)
    assert [c[0].item() for c in copies] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_gradients_that_somebody_holds_stay():
    w = torch.ones(3, requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()

    run, held, arrays = torch.compile(step, fullgraph=True), [], []
    for k in range(10):
        run(torch.full((3,), float(k)))
        if k % 2:
            held.append(w.grad)
        else:
            arrays.append(w.grad.numpy())
    assert [h[0].item() for h in held] == [1, 3, 5, 7, 9]
    assert [a[0] for a in arrays] == [0, 2, 4, 6, 8]


def test_weak_references_and_copies_of_results():
    run = torch.compile(lambda x: x + 1, fullgraph=True)
    for k in range(8):
        out = run(torch.full((3,), float(k)))
        shallow, deep, watcher = copy.copy(out), copy.deepcopy(out), weakref.ref(out)
        del out
        run(torch.zeros(3))
        assert shallow.tolist() == deep.tolist() == [k + 1.0] * 3
        assert watcher() is None


def test_an_argument_that_is_a_parameter_in_sight_detached():
    p = torch.nn.Parameter(torch.ones(2))
    run = torch.compile(lambda z: p * z)
    for _ in range(5):
        p.grad = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(p.detach()).sum().backward()
        assert p.grad.tolist() == [1.0, 1.0]


def test_writes_into_an_argument_that_overlaps_itself():
    def f(x):
        x[0] = 3.0
        return x * 1

    run = torch.compile(f)
    for k in range(5):
        found = []
        for function in (f, run):
            x = (torch.arange(10.0) + k).as_strided((4, 4), (2, 1))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append((function(x).tolist(), x.tolist()))
        assert found[1] == found[0]


def test_a_read_only_argument_is_not_written():
    def f(x):
        x.add_(1)
        return x * 1

    run = torch.compile(f)
    for _ in range(5):
        run(torch.zeros(2))
    fixed = np.zeros(2, np.float32)
    fixed.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.from_numpy(fixed)
    with pytest.raises(RuntimeError, match="read-only"):
        run(x)
    assert fixed.tolist() == [0.0, 0.0]


def test_one_of_several_results_of_split_cannot_be_written():
    run = torch.compile(lambda x: (x * 2).split(1))
    for _ in range(5):
        parts = run(torch.ones(2, requires_grad=True))
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            parts[0].mul_(2)


def test_an_operand_that_overlaps_what_is_written_is_refused_in_every_call():
    run = torch.compile(lambda x: x.add_(x[:1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(5):
            with pytest.raises(RuntimeError, match="refer to a single memory location"):
                run(torch.ones(2, 2))


def test_results_have_the_strides_of_eager_code():
    # `reshape` is a view or a copy by them, and `view` possible or not.
    arguments = (
        torch.arange(12.0).reshape(3, 4).t(),
        torch.arange(4.0).expand(3, 4),
        torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
        torch.arange(48.0).reshape(2, 2, 3, 4).to(memory_format=torch.channels_last),
    )
    functions = (
        lambda x: x.clone(),
        lambda x: x.sin() * 2,
        lambda x: x.contiguous(),
        lambda x: x * 1,
        lambda x: (x.exp(), x.double()),
    )
    for f in functions:
        run = torch.compile(f)
        for x in arguments:
            want = f(x)
            for _ in range(4):
                got = run(x)
            assert torch.utils._pytree.tree_map(torch.Tensor.stride, got) == (
                torch.utils._pytree.tree_map(torch.Tensor.stride, want)
            )


def test_views_of_one_result_fit_its_strides():
    for f in (lambda x: (x.view(-1), x), lambda x: (x[1:], x.t().contiguous().view(-1))):
        run = torch.compile(lambda x, f=f: f(x.clone()))
        for _ in range(5):
            parts = run(torch.arange(4.0).expand(3, 4))
            assert [p.tolist() for p in parts] == [
                p.tolist() for p in f(torch.arange(4.0).expand(3, 4).clone())
            ]


def test_gradients_of_results_that_are_not_in_c_order():
    run = torch.compile(lambda x: x.exp() * x)
    for _ in range(5):
        leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
        y = run(leaf.t())
        assert y.stride() == (1, 3)
        y.sum().backward()
        assert torch.allclose(leaf.grad, leaf.exp() * (leaf + 1))


def test_an_argument_that_is_the_tensor_a_function_closes_over_only_at_first():
    kept = torch.zeros(2)

    @torch.compile
    def step(x):
        kept.add_(1)
        return x * 1

    for _ in range(5):
        step(kept)
    other = torch.zeros(2)
    assert step(other).tolist() == other.tolist() == [0.0, 0.0]
    assert kept.tolist() == [6.0, 6.0]


@pytest.mark.filterwarnings("ignore:chainrule.compile")
def test_an_argument_that_comes_to_be_the_tensor_a_function_asks_for():
    kept = torch.ones(2)
    run = torch.compile(lambda x: x * 2 if x is kept else x * 3)
    fresh = [(torch.ones(2), 3) for _ in range(5)]
    for x, factor in [*fresh, (kept, 2), *fresh, *[(kept, 2)] * 5, *fresh]:
        assert run(x).tolist() == [factor, factor]


@pytest.mark.filterwarnings("ignore:chainrule.compile")
def test_a_part_of_a_complex_tensor_that_was_transposed_in_place():
    def parts(x):
        y = x * 2
        y.t_()
        return y.real, y

    run = torch.compile(parts)
    for k in range(5):
        x = torch.arange(4.0).reshape(2, 2) + 1j * k
        assert [p.tolist() for p in run(x)] == [p.tolist() for p in parts(x)]


def _shared(kind):
    """Two tensors that show one piece of memory."""
    if kind == "array":
        array = np.full(2, 3, np.float32)
        return torch.from_numpy(array), torch.from_numpy(array)
    buffer = bytearray(np.full(2, 3, np.float32).tobytes())
    made = torch.frombuffer(buffer, dtype=torch.float32)
    return made, torch.frombuffer(buffer, dtype=torch.float32) if kind == "buffer" else made[:]


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("kind", ("array", "buffer", "view"))
@pytest.mark.parametrize("target", ("argument", "other"))
def test_a_tensor_that_comes_to_show_the_memory_of_another(kind, target):
    def calls(wrap):
        kept, other = torch.ones(2), torch.full((2,), 2.0)

        @wrap
        def step(x):
            kept.add_(1)
            return x * 2, other * 2

        for _ in range(5):
            step(torch.ones(2))
        x, kept.data = torch.zeros(2), torch.zeros(2)
        if target == "argument":
            x, kept.data = _shared(kind)
        else:
            other.data, kept.data = _shared(kind)
        found = [[part.tolist() for part in step(x)] for _ in range(3)]
        x, kept.data, other.data = torch.ones(2), torch.ones(2), torch.ones(2)
        return found + [[part.tolist() for part in step(x)] for _ in range(3)]

    assert calls(torch.compile) == calls(lambda f: f)


def test_a_part_of_an_argument_in_sight_stays_where_it_is():
    whole = torch.arange(16.0).reshape(4, 4)
    part = whole[1:]
    run = torch.compile(lambda x, z: part.sum() * x)
    for k in range(8):
        z = whole if k < 5 else torch.full((4, 4), 7.0)
        assert run(torch.ones(1), z).item() == 114.0


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_views_that_were_written_in_a_mode_without_history(mode):
    def f(x):
        first = x.view(-1)
        first[0] = 7
        return first, x * 1

    results = []
    for g in (f, torch.compile(f)):
        for _ in range(4):
            x = torch.ones(2, 2).requires_grad_()
            with warnings.catch_warnings(), mode():
                warnings.simplefilter("ignore")
                first, second = g(x)
                results.append([x.tolist(), first.tolist(), second.tolist(), first.requires_grad])
    assert results == [results[0]] * 8
