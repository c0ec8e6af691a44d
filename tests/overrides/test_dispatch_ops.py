"""Ops give the same values and gradients below a mode that changes nothing, and in a wrapper."""

import builtins

import numpy as np
import pytest
from ops.harness import as_array, cases, is_tensor, run, tensor

import chainrule as torch
from chainrule.dispatcher import call_table
from chainrule.utils._python_dispatch import TorchDispatchMode
from chainrule.utils._pytree import tree_map

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Whose arguments say how long things are: their values are read, and a wrapper has none to read.
READS_VALUES = ("ctc_loss", "lstm", "gru", "rnn", "lobpcg", "one_hot")


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, held):
        made = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), storage_offset=held.storage_offset(),
            dtype=held.dtype, device=held.device,
        )  # fmt: skip
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        bare = func(*tree_map(unwrapped, args), **tree_map(unwrapped, kwargs or {}))
        return tree_map(lambda t: Wrapper(t) if isinstance(t, torch.Tensor) else t, bare)


def unwrapped(t):
    return t.held if isinstance(t, Wrapper) else t


def outcome(case, inputs):
    """Results, and the gradients of their sum."""
    torch.manual_seed(0)
    wanted = [t for t in inputs if t.dtype in (torch.float64, torch.complex128)]
    for t in wanted:
        t.requires_grad_()
    outs = run(case, inputs)
    parts = [o for o in outs if is_tensor(o) and o.requires_grad]
    if not parts or not wanted:
        return outs, []
    total = sum(((o.real if o.is_complex() else o) * 0.5).sum() for o in parts)
    try:
        return outs, torch.autograd.grad(total, wanted, allow_unused=True)
    except NotImplementedError:  # an op without a derivative
        return outs, []
    except RuntimeError as problem:
        assert "is not implemented" in str(problem)  # the same
        return outs, []


def plain_inputs(case):
    return [tensor(a) for a in case.sample.arrays()]


def check(case, have):
    expected = outcome(case, plain_inputs(case))
    for wants, haves in zip(expected, have, strict=True):
        assert len(wants) == len(haves)
        for want, got in zip(wants, haves, strict=True):
            if not is_tensor(want) or not is_tensor(got):
                # None and zeros are both "no gradient"
                assert all(not is_tensor(t) or not bool(t.any()) for t in (want, unwrapped(got)))
                continue
            got = unwrapped(got)
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            np.testing.assert_allclose(as_array(got), as_array(want), rtol=1e-6, atol=1e-9)


CASES = list(cases("value"))
WRAPPED = [c for c in CASES if not any(word in c.key for word in READS_VALUES)]


def below_a_mode(case):
    with Passing():
        return outcome(case, plain_inputs(case))


def in_a_wrapper(case):
    return outcome(case, [Wrapper(t) for t in plain_inputs(case)])


@pytest.mark.parametrize("case", CASES[::17], ids=lambda c: c.key)
def test_below_a_mode(case):
    check(case, below_a_mode(case))


@pytest.mark.parametrize("case", WRAPPED[5::17], ids=lambda c: c.key)
def test_in_a_wrapper(case):
    check(case, in_a_wrapper(case))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.key)
def test_every_op_below_a_mode(case):
    check(case, below_a_mode(case))


@pytest.mark.slow
@pytest.mark.parametrize("case", WRAPPED, ids=lambda c: c.key)
def test_every_op_in_a_wrapper(case):
    check(case, in_a_wrapper(case))


def test_calls_of_the_table_name_operands_of_their_ops():
    known = {*call_table.SPACE, *dir(builtins)}
    for op, call in [*call_table.CALLS.items(), *call_table.WRITING.items()]:
        used = call_table._written(op, call).__code__.co_names
        assert known.issuperset(used), f"{op}: {call}"
