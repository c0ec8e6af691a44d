"""What libraries ask the operators of `torch.ops` about themselves."""

import copy
import pickle

import pytest

import chainrule as torch


def test_an_overload_knows_its_packet_and_its_names():
    packet = torch.ops.aten.add
    overload = packet.Tensor
    assert overload._overloadpacket is packet and overload._op is overload
    assert (overload._name, overload._opname) == ("aten::add.Tensor", "add")
    assert packet._qualified_op_name == "aten::add" and "Tensor" in packet._overload_names
    assert str(packet._schemas["Tensor"]).startswith("aten::add.Tensor(Tensor self")
    assert not hasattr(packet, "_nothing")


def test_operators_are_found_in_copies_of_tables():
    packet = torch.ops.aten.mm
    table = copy.deepcopy({packet: 1, packet.default: 2})
    assert table[packet] == 1 and table[packet.default] == 2
    assert pickle.loads(pickle.dumps([packet, packet.default])) == [packet, packet.default]


@pytest.mark.parametrize(
    ("name", "is_view"),
    [
        ("view.default", True),
        ("transpose.int", True),
        ("select.int", True),
        ("split.Tensor", True),
        ("detach.default", True),
        ("add.Tensor", False),
        ("add_.Tensor", False),
        ("clone.default", False),
    ],
)
def test_views_are_known(name, is_view):
    packet, overload = name.split(".")
    assert getattr(getattr(torch.ops.aten, packet), overload).is_view is is_view
