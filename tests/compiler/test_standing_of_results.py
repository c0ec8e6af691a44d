"""Results of compiled functions stand as eager ones do: leaf or not, in which mode, of what class.

Each function is called plain and compiled, in each mode; what can be seen of its results, and the
gradients that they give, must be the same in every call.
"""

import sys
import warnings
from collections import defaultdict, deque

import pytest

import chainrule as torch
from fuzz.script import code_generation

pytestmark = pytest.mark.jit
weight = torch.nn.Parameter(torch.ones(3))


def leaf(x):
    return (x * 2).detach().requires_grad_()


def leaf_and_use(x):
    y = (x * 2).detach().requires_grad_()
    return y, y * 3


def new_leaf(x):
    return torch.zeros(3, requires_grad=True)


def parameter(x):
    return torch.nn.Parameter(x * 2)


def recorded_inside(x):
    with torch.enable_grad():
        return weight * x


def unrecorded_inside(x):
    with torch.no_grad():
        return weight * x, weight.view(3), weight.detach()


def inference_inside(x):
    with torch.inference_mode():
        y = x * 2
    return y, x * 3


def retained(x):
    y = x * weight
    y.retain_grad()
    return y


def retained_and_used(x):
    y = x * weight
    if y.requires_grad:
        y.retain_grad()
        y.sum().backward()
    return y


def named(x):
    y = x * weight
    y.note = 3
    return y


def used_inside(x):
    y = (x * 2).requires_grad_()
    z = y * y
    if z.requires_grad:
        z.sum().backward()
    return y, y.grad, z


def used_and_not(x):
    y, z = weight**2, weight.sin() * x
    if y.requires_grad:
        y.sum().backward()
    return y, z


def data(x):
    return x.detach(), weight.data, (weight * x).data


def view_of_a_leaf(x):
    y, w = x.detach().requires_grad_(), weight.detach().requires_grad_()
    return y.unsqueeze(0), w.view(3)[1:], weight[1:]


def view_of_a_leaf_under_a_view(x):
    return weight.view(3, 1).detach().requires_grad_()[:2] if weight.is_leaf else x


def standing(t):
    return (
        type(t).__name__, t.requires_grad, t.is_leaf, t.is_inference(), t._is_view(),
        t.retains_grad, t.grad is None, {**vars(t)}, t.tolist(),
    )  # fmt: skip


def calls(function, mode):
    found = []
    for _ in range(5):
        weight.grad = None
        with mode():
            got = function(torch.ones(3))
        results = [t for t in (got if isinstance(got, tuple) else (got,)) if t is not None]
        seen = [standing(t) for t in results]
        for t in results:
            if t.requires_grad and not t.is_leaf:
                try:
                    t.sum().backward()
                except RuntimeError as problem:
                    seen.append(str(problem)[:40])
        grads = [weight, *(t for t in results if t.is_leaf or t.retains_grad)]
        found.append((seen, [None if t.grad is None else t.grad.tolist() for t in grads]))
    return found


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("function", [
    leaf, leaf_and_use, new_leaf, parameter, recorded_inside, unrecorded_inside, inference_inside,
    retained, retained_and_used, named, used_inside, used_and_not, data,
    view_of_a_leaf, view_of_a_leaf_under_a_view,
])  # fmt: skip
def test_results_stand_as_in_eager_code(function, mode):
    if function is retained and mode is not torch.enable_grad:
        return  # nothing to retain
    with warnings.catch_warnings(), code_generation(False):
        warnings.simplefilter("ignore")
        assert calls(torch.compile(function), mode) == calls(function, mode)


def test_guards_put_nothing_into_dictionaries_that_fill_themselves():
    table = defaultdict(list, a=[2.0])

    class Counting(dict):
        asked = 0

        def __getitem__(self, key):
            Counting.asked += 1
            return super().__getitem__(key)

    counting = Counting(b=3.0)
    run = torch.compile(lambda x: x * (table["a"][0] if "a" in table else 5.0) * len(counting))
    for _ in range(4):
        assert run(torch.ones(1)).item() == 2.0
    del table["a"]
    assert run(torch.ones(1)).item() == 5.0
    assert not table and not Counting.asked


def test_an_optimizer_that_is_replaced_gets_no_state_it_does_not_need():
    optimizer = torch.optim.Adam([weight], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        (weight * x).sum().backward()
        optimizer.step()

    run = torch.compile(step)
    for _ in range(5):
        run(torch.ones(3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(5):
        run(torch.ones(3))
        assert not optimizer.state


@pytest.mark.parametrize("lazy", ["conj", "imag"])
@pytest.mark.parametrize("take", ["split", "chunk", "unbind"])
def test_parts_of_a_lazy_view_show_its_memory(take, lazy):
    z = (torch.arange(4.0) + 1j).requires_grad_() * 1
    view = z.conj() if lazy == "conj" else z.conj().imag
    parts = getattr(view, take)(*(() if take == "unbind" else (2,)))
    assert all(p.is_conj() == view.is_conj() and p.is_neg() == view.is_neg() for p in parts)
    assert parts[0].data_ptr() == view.data_ptr()


def test_inference_mode_wins_over_enable_grad():
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled()
        y = weight * 2
        assert not y.requires_grad and y.is_inference()
        assert torch.func.grad(lambda x: (x**2).sum())(torch.ones(2)).tolist() == [2.0, 2.0]
        with torch.inference_mode(False):
            assert (weight * 2).requires_grad
    assert (weight * 2).requires_grad


def test_writes_are_counted_as_in_eager_code():
    total = torch.zeros(4)

    def f(x):
        for part in x.split(2):
            part.relu_()
        x.mul_(2)
        x[0] = 3
        total.add_(1).mul_(0.5)
        return x.sum()

    def counts(run):
        start = total._version
        found = []
        for _ in range(5):
            x = torch.ones(4)
            run(x)
            found.append((x._version, total._version - start))
        return found

    assert counts(torch.compile(f)) == counts(f)


def functions_entered(results):
    """How many functions in Python a training step enters once it is compiled."""
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile
    def step(x):
        optimizer.zero_grad()
        y = model(x)
        loss = y.square().sum()
        loss.backward()
        optimizer.step()
        return results(loss, y)

    x, entered = torch.ones(4, 3), []
    for _ in range(4):
        step(x)
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: event == "call" and entered.append(frame.f_code))
    try:
        step(x)
    finally:
        sys.setprofile(before)
    return len(entered)


def test_results_that_were_differentiated_inside_cost_little():
    plain = functions_entered(lambda loss, y: loss.detach())
    assert plain < 30  # it is compiled
    assert functions_entered(lambda loss, y: loss) <= plain + 1
    assert functions_entered(lambda loss, y: (loss, y)) <= plain + 3


@pytest.mark.parametrize("base", [dict, list, deque])
def test_numbers_in_a_container_that_gives_others_stay_as_they_are(base):
    class Scaled(base):
        factor = 1.0

        def __getitem__(self, key):
            return super().__getitem__(key) * 3.0 * self.factor

    held = Scaled({0: 2.0} if base is dict else [2.0])
    run = torch.compile(lambda x: x * held[0])
    for k in range(12):
        if k in (4, 7):
            held[0] = float(k)
        raw = base.__getitem__(held, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may stay eager and say why
            assert run(torch.ones(1)).item() == raw * 3
        assert base.__getitem__(held, 0) == raw
