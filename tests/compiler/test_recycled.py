"""Large results take the memory of those that were dropped, and of no others."""

import threading

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.runtime import recycled
from chainrule.compiler.runtime.recycled import Recycled

F4 = np.dtype("f4")


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch):
    monkeypatch.setattr(recycled, "LEAST_BYTES", 1)


def test_a_dropped_result_is_used_again():
    make = Recycled([((5,), F4), ((2, 2), F4)]).arrays
    addresses = [a.ctypes.data for a in make()]
    assert [a.ctypes.data for a in make()] == addresses


@pytest.mark.parametrize(
    "hold",
    [lambda a: a, lambda a: a[1:], memoryview, lambda a: torch.from_numpy(a)],
    ids=["array", "view", "memoryview", "tensor"],
)
def test_a_result_that_somebody_holds_is_not(hold):
    make = Recycled([((5,), F4)]).arrays
    held = hold(make()[0])
    (other,) = make()
    assert not np.may_share_memory(np.asarray(held), other)


def test_small_results_and_what_is_beyond_the_room_are_new(monkeypatch):
    monkeypatch.setattr(recycled, "LEAST_BYTES", 100)
    monkeypatch.setattr(recycled, "MOST_BYTES", 1000)
    kinds = [((5,), F4), ((200,), F4), ((200,), F4)]
    made = Recycled(kinds)
    made.arrays()
    assert list(made._kept) == [1]


@pytest.mark.jit
def test_results_of_earlier_calls_keep_their_values():
    double = torch.compile(lambda x: x * 2)
    inputs = [torch.full((50,), float(k)) for k in range(12)]
    results = [double(x) for x in inputs]
    views = [double(x)[10:20] for x in inputs]
    for k, (result, view) in enumerate(zip(results, views, strict=True)):
        assert set(result.tolist()) == set(view.tolist()) == {2.0 * k}


@pytest.mark.jit
def test_threads_do_not_share_a_result():
    double = torch.compile(lambda x: x * 2)
    for _ in range(4):
        double(torch.ones(5000))
    wrong = []

    def work(k):
        for _ in range(200):
            result = double(torch.full((5000,), float(k)))
            if set(result.tolist()) != {2.0 * k}:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
