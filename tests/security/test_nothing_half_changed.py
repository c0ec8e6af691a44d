"""A call that is refused has changed nothing: values, shapes, versions, random numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ops.harness import all_cases, called, is_tensor, tensor
from ops.sample import flat, resolve

import chainrule as torch


def state(t: torch.Tensor) -> tuple[Any, ...]:
    """All that a refused call could have changed of a tensor."""
    values = t.detach().numpy().tobytes()
    place = (tuple(t.shape), t.stride(), t.data_ptr(), t.untyped_storage().nbytes())
    return (*place, t.dtype, t.requires_grad, t.is_leaf, t._version, values)


def locked(like: torch.Tensor) -> torch.Tensor:
    array = np.zeros(tuple(like.shape), like.dtype.np)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.from_numpy(array)


UNFIT: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "read-only": locked,
    "read-only, resized": lambda r: locked(r)[..., :0],
    "expanded": lambda r: torch.zeros((), dtype=r.dtype).expand(r.shape),
    "truth values": lambda r: torch.zeros(r.shape, dtype=torch.bool),
    "with gradients": lambda r: torch.zeros(r.shape, dtype=r.dtype).requires_grad_(),
}


def with_out() -> list[Any]:
    """One sample of each function that takes out=, of those with several results all."""
    found: dict[str, Any] = {}
    for case in all_cases():
        if case.sample.feed is None and "out" not in case.sample.kwargs:
            found.setdefault(case.path, case)
    return list(found.values())


@pytest.mark.parametrize("unfit", UNFIT)
def test_results_that_cannot_be_written_leave_all_of_out_alone(unfit):
    refused = 0
    for case in with_out():
        results = _results(case)
        for k in range(len(results)):
            outs = [torch.zeros(r.shape, dtype=r.dtype) for r in results]
            try:
                outs[k] = UNFIT[unfit](results[k])
            except (RuntimeError, IndexError):  # integers have no gradients, numbers no part
                continue
            before = [state(t) for t in outs], torch.get_rng_state().tolist()
            try:
                _call(case, outs)
            except (RuntimeError, TypeError, ValueError, NotImplementedError):
                refused += 1
                after = [state(t) for t in outs], torch.get_rng_state().tolist()
                assert after == before, f"{case.key}, out {k}"
    assert refused > 100


def _results(case: Any) -> list[torch.Tensor]:
    """What a call returns; nothing where it does not take out=."""
    tensors = [tensor(a) for a in case.sample.arrays()]
    try:
        made = [r.detach() for r in flat(called(torch, case.path, case.sample, tensors))]
        case.several = len(made) > 1
        _call(case, [torch.empty_like(r) for r in made])
    except Exception:
        return []
    return made if all(is_tensor(r) and not r.dtype.is_complex for r in made) else []


def _call(case: Any, outs: list[torch.Tensor]) -> None:
    tensors = [tensor(a) for a in case.sample.arrays()]
    args, kwargs = case.sample.fill(tensors, lambda name: getattr(torch, name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resolve(torch, case.path)(*args, **kwargs, out=tuple(outs) if case.several else outs[0])


DRAWS: dict[str, Callable[[torch.Tensor], Any]] = {
    "normal_": lambda x: x.normal_(), "uniform_": lambda x: x.uniform_(),
    "random_": lambda x: x.random_(), "bernoulli_": lambda x: x.bernoulli_(),
    "bernoulli_ of each": lambda x: x.bernoulli_(torch.full((3, 4), 0.5)),
    "cauchy_": lambda x: x.cauchy_(), "exponential_": lambda x: x.exponential_(),
    "log_normal_": lambda x: x.log_normal_(), "geometric_": lambda x: x.geometric_(0.5),
    "rand": lambda x: torch.rand(3, 4, out=x), "randn": lambda x: torch.randn(3, 4, out=x),
    "randint": lambda x: torch.randint(5, (3, 4), out=x),
    "randperm": lambda x: torch.randperm(12, out=x),
    "bernoulli": lambda x: torch.bernoulli(torch.full((3, 4), 0.5), out=x),
    "normal": lambda x: torch.normal(torch.zeros(3, 4), 1.0, out=x),
    "multinomial": lambda x: torch.multinomial(torch.ones(3, 4), 2, out=x),
}  # fmt: skip


@pytest.mark.parametrize("unfit", ["read-only", "expanded"])
@pytest.mark.parametrize("draw", DRAWS)
def test_no_numbers_are_drawn_for_memory_that_must_not_be_written(draw, unfit):
    x = UNFIT[unfit](torch.zeros(3, 4))
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError, match=r"read-only|single memory location"):
        DRAWS[draw](x)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("draw", ["rand", "randn", "bernoulli", "normal", "multinomial"])
def test_no_numbers_are_drawn_for_another_type(draw):
    x = torch.zeros(3, 4, dtype=torch.bool)
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError, match="can't be cast"):
        DRAWS[draw](x)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("bounds", [(-(10**30),), (10**30,), (0, 2**63), (-(10**30), 5)])
def test_bounds_beyond_64_bits_are_refused_before_numbers_are_drawn(bounds):
    before = torch.get_rng_state()
    for kind in (torch.float32, torch.int64):
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            torch.zeros(3, dtype=kind).random_(*bounds)
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            torch.randint(*bounds, (3,), dtype=kind)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_diagonal_is_filled_whole_or_not_at_all():
    x = torch.zeros(3, 3)
    with pytest.raises(RuntimeError, match="ambiguous"):
        x.fill_diagonal_(1.0, wrap=torch.ones(3))
    assert not x.any()


def test_a_wrapped_diagonal_stays_within_its_view():
    whole = torch.zeros(10, 4)
    whole[:, :2].fill_diagonal_(1.0, wrap=True)
    expected = torch.zeros(10, 2).fill_diagonal_(1.0, wrap=True)
    assert torch.equal(whole[:, :2], expected)
    assert not whole[:, 2:].any()
    tall = torch.zeros(2, 10).t().fill_diagonal_(1.0, wrap=True)
    assert torch.equal(tall, expected)
    assert expected.nonzero().tolist() == [[0, 0], [1, 1], [3, 0], [4, 1], [6, 0], [7, 1], [9, 0]]


def test_out_without_memory_is_written_as_any_other():
    x = torch.empty(3, device="meta")
    out = torch.empty(0, device="meta")
    assert torch.add(x, x, out=out) is out
    assert out.shape == (3,)
    assert torch.add(x, x, out=out).shape == (3,)
