"""Loading runs nothing: what a file would have run is said, and the file is refused."""

import io
import os
import pickle
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

import chainrule as torch
from saving.cases import numbers
from saving.test_archives import RECORDED, Net, saved


class Calls:
    """Pickles as a call of any function."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def archive_with(text: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("archive/data.pkl", text)
    file.seek(0)
    return file


@pytest.fixture(autouse=True)
def nothing_allowed_stays_allowed():
    yield
    torch.serialization.clear_safe_globals()


def test_a_command_is_shown_and_not_run(tmp_path):
    touched = tmp_path / "touched"
    file = saved({"weights": numbers(torch, 2), "x": Calls(os.system, f"touch {touched}")})
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
        torch.load(file)
    text = str(caught.value)
    assert f"would run\n    os.system('touch {touched}')" in text
    assert "was not an allowed global by default" in text and "weights_only=False" in text
    assert "test_refusals.py" in text
    assert not touched.exists()
    file.seek(0)
    torch.load(file, weights_only=False)
    assert touched.exists()


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (Calls(eval, "1 + 1"), "eval('1 + 1')"),
        (Calls(exec, "x"), "exec('x')"),
        (Calls(getattr, 3, "real"), "getattr(3, 'real')"),
        (Calls(__import__, "os"), "__import__('os')"),
        (Calls(open, "/etc/passwd"), "open('/etc/passwd')"),
        (Calls(bytearray, Calls(eval, "2")), "eval('2')"),
        (Path("/a"), "PosixPath("),
        (os.path.join, "import posixpath.join"),
        (int, "import int"),
        ({"deep": [(print,)]}, "import print"),
        (Fraction(1, 2), "fractions.Fraction("),
    ],
)
def test_every_way_to_reach_a_name_is_refused(made, shown):
    with pytest.raises(pickle.UnpicklingError) as caught:
        torch.load(saved(made))
    assert shown in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        b"\x80\x02cos\nsystem\n(X\x02\x00\x00\x00lstR.",  # REDUCE
        b"(cos\nsystem\nX\x02\x00\x00\x00lso.",  # OBJ
        b"(X\x02\x00\x00\x00lsios\nsystem\n.",  # INST
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.",  # STACK_GLOBAL
        b"\x80\x02cos\nsystem\n)\x81.",  # NEWOBJ
        b"\x80\x04cos\nsystem\n)}\x92.",  # NEWOBJ_EX
        b"\x80\x02cos\nsystem\n}b.",  # BUILD
        b"\x80\x02]cos\nsystem\na.",  # kept in a list
        b"\x80\x02ccollections\nOrderedDict\n]cos\nsystem\na\x85R.",  # handed to an allowed one
    ],
)
def test_every_instruction_that_could_run_something_is_refused(text):
    with pytest.raises(pickle.UnpicklingError, match=r"os\.system|(GLOBAL os.system)"):
        torch.load(archive_with(text))


@pytest.mark.parametrize(
    "text",
    [
        b"\x80\x02ctorch\nTensor\n)R.",  # calls a class that only files older than 0.4 build
        b"\x80\x02ctorch\nfloat32\n)R.",
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}b.",  # sets attributes of a function
        b"\x80\x02]}b.",  # sets the state of a list
        b"\x80\x02}K\x01a.",  # appends to a dict
        b"\x80\x02K\x05Q.",  # a storage id that is a number
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00rot13\x86R.",
        b"\x80\x02cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",  # two gigabytes of zeros
        b"\x82\x01.",  # the extension registry
        b"\x80\x02N",  # no end
        b"a.",
        b"",
    ],
)
def test_nonsense_is_an_error_that_names_the_file(text, tmp_path):
    (tmp_path / "odd.pt").write_bytes(archive_with(text).getvalue())
    with pytest.raises(pickle.UnpicklingError, match=r"odd\.pt"):
        torch.load(tmp_path / "odd.pt")


@pytest.mark.parametrize(
    ("size", "stride", "offset"), [((9,), (1,), 0), ((2, 2), (1, 3), 1), ((3,), (1,), 10**30)]
)
def test_a_tensor_cannot_reach_outside_its_storage(size, stride, offset, tmp_path):
    from chainrule.serialization import rebuild

    class Lies:
        def __reduce__(self):
            storage = torch.ones(4).storage()
            return rebuild._rebuild_tensor_v2, (storage, offset, size, stride, False, None)

    with pytest.raises(pickle.UnpicklingError, match="does not fit into its storage of 16 bytes"):
        torch.load(saved(Lies()))


def test_a_whole_module_is_refused_with_the_way_to_save_its_weights():
    with pytest.raises(pickle.UnpicklingError) as caught:
        torch.load(RECORDED / "module.pt")
    text = str(caught.value)
    assert "GLOBAL torch.nn.modules.container.Sequential was not an allowed global" in text
    assert "save model.state_dict() instead" in text and "module.pt" in text


def test_tensors_that_do_not_exist_here_are_refused_as_such():
    with pytest.raises(NotImplementedError, match=r"quant\.pt' holds quantised tensors"):
        torch.load(RECORDED / "quant.pt")


# ---- what the user allows ------------------------------------------------------------------------


def test_allowed_classes_are_loaded():
    serialization = torch.serialization
    file = saved({"half": Fraction(1, 2)})
    with serialization.safe_globals([Fraction]):
        assert torch.load(file) == {"half": Fraction(1, 2)}
        assert serialization.get_safe_globals() == [Fraction]
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    file.seek(0)
    serialization.add_safe_globals([(Fraction, "fractions.Fraction")])
    assert torch.load(file) == {"half": Fraction(1, 2)}
    serialization.clear_safe_globals()
    assert serialization.get_safe_globals() == []


def test_allowed_classes_of_a_module_are_loaded_with_their_state():
    net = Net()
    file = saved(net)
    unsafe = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    assert "torch.nn.modules.linear.Linear" in unsafe and len(unsafe) == 3
    file.seek(0)
    with torch.serialization.safe_globals([Net, torch.nn.Linear, torch.nn.functional.relu]):
        found = torch.load(file)
    assert torch.equal(found(torch.ones(2)), net(torch.ones(2)))


def test_what_is_not_allowed_stays_refused_beside_what_is():
    with torch.serialization.safe_globals([Fraction]):
        with pytest.raises(pickle.UnpicklingError, match="eval"):
            torch.load(saved([Fraction(1, 2), Calls(eval, "1")]))


def test_the_old_names_of_types_are_saved_without_importing_anything():
    import sys

    for kind in (torch.FloatTensor, torch.ByteTensor):
        assert torch.load(saved({"kind": kind})) == {"kind": kind}
    assert "torch" not in sys.modules or sys.modules["torch"] is torch
