"""Objects that lie about their memory: what can be measured is, before a byte is read."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import chainrule as torch


class Shown:
    """An object that says of 16 bytes whatever it is told to."""

    def __init__(self, **said):
        self.__array_interface__ = {
            "shape": (4,),
            "typestr": "<f4",
            "data": np.arange(4, dtype="f4").tobytes(),
            "version": 3,
        } | said


LIES = {
    "more elements": {"shape": (4000,)},
    "more than numbers hold": {"shape": (2**62, 4)},
    "a length below zero": {"shape": (-4,)},
    "steps beyond": {"strides": (2**40,)},
    "steps that wrap": {"shape": (5,), "strides": (2**62,)},
    "steps backwards": {"strides": (-4,)},
    "a start beyond": {"offset": 2**40},
    "a start before": {"offset": -8},
}


READERS = [torch.tensor, torch.as_tensor, torch.asarray, torch.ones(4).__matmul__]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_bytes_that_there_are_not_are_never_read(read, lie):
    with pytest.raises(ValueError, match=r"reaches from byte .* of 16 bytes"):
        read(Shown(**lie))
    with pytest.raises(ValueError, match=r"reaches from byte .* of 16 bytes"):
        torch.tensor([Shown(**lie)])


def test_what_is_true_is_read():
    assert torch.tensor(Shown()).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert torch.tensor(Shown(shape=(2, 2))).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert torch.tensor(Shown(shape=(4,), strides=(-4,), offset=12)).tolist() == [
        3.0,
        2.0,
        1.0,
        0.0,
    ]
    assert torch.tensor(Shown(shape=(), offset=8)).item() == 2.0
    assert torch.tensor(Shown(shape=(0, 7), strides=(2**62, 8))).shape == (0, 7)
    assert (torch.ones(4) @ Shown()).item() == 6.0


def test_pointers_to_objects_are_not_followed():
    with pytest.raises(TypeError, match="shows no numbers"):
        torch.tensor(Shown(shape=(2,), typestr="|O"))


def test_steps_backwards_are_refused_from_capsules_as_from_arrays():
    with pytest.raises(ValueError, match="stride in the given numpy array is negative"):
        torch.from_dlpack(np.arange(4.0)[::-1])


@pytest.mark.parametrize(
    "pivots", [(1, 2, -3), (-1, 2, 3), (1, -2, 3), (-1, -2, -3), (0, 2, 3), (1, 2, 4), (1, 2)]
)
def test_row_exchanges_that_lead_outside_of_the_matrix_are_refused(pivots):
    factors = torch.linalg.ldl_factor(torch.eye(3) + 0.1)[0]
    with pytest.raises(RuntimeError, match="Pivots given to ldl_solve must all satisfy"):
        torch.linalg.ldl_solve(factors, torch.tensor(pivots, dtype=torch.int32), torch.ones(3, 1))


def test_row_exchanges_in_pairs_are_taken():
    hollow = torch.tensor([[0.0, 1, 0], [1, 0, 0], [0, 0, 2]])
    factors, pivots = torch.linalg.ldl_factor(hollow)
    assert (pivots < 0).sum() == 2
    solved = torch.linalg.ldl_solve(factors, pivots, torch.tensor([[1.0], [2], [4]]))
    torch.testing.assert_close(solved, torch.tensor([[2.0], [1], [2]]))


HELD = np.arange(4, dtype="f4")
ADDRESS = HELD.__array_interface__["data"][0]
NOWHERE = {
    "an address below zero": {"data": (-1, False)},
    "the first page": {"data": (8, False)},
    "more elements": {"shape": (2**40,)},
    "steps beyond": {"strides": (2**44,)},
    "steps that wrap": {"strides": (2**62,)},
    "steps backwards": {"strides": (-(2**44),)},
}


@pytest.mark.skipif(sys.platform != "linux", reason="others cannot be asked what is mapped")
@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("lie", NOWHERE.values(), ids=NOWHERE)
def test_addresses_without_memory_are_refused(read, lie):
    said = {"data": (ADDRESS, False)} | lie
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        read(Shown(**said))


@pytest.mark.skipif(sys.platform != "linux", reason="others cannot be asked what is mapped")
def test_an_address_without_memory_is_named():
    with pytest.raises(ValueError, match=r"Shown reaches from address 0x.* there is no memory"):
        torch.tensor(Shown(data=(ADDRESS, False), strides=(2**44,)))


def test_an_address_with_memory_is_read():
    assert torch.tensor(Shown(data=(ADDRESS, False))).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert torch.as_tensor(Shown(data=(ADDRESS, True), strides=(8,), shape=(2,))).tolist() == [0, 2]


class Handed:
    """An object that hands over four elements far from one another, by DLPack."""

    def __dlpack__(self, **asked):
        return np.lib.stride_tricks.as_strided(HELD, strides=(2**44,)).__dlpack__()

    def __dlpack_device__(self):
        return HELD.__dlpack_device__()


@pytest.mark.skipif(sys.platform != "linux", reason="others cannot be asked what is mapped")
@pytest.mark.parametrize("read", [torch.tensor, torch.as_tensor, torch.asarray, torch.from_dlpack])
def test_capsules_that_reach_where_there_is_no_memory_are_refused(read):
    with pytest.raises(ValueError, match=r"capsule of Handed reaches from .* there is no memory"):
        read(Handed())
