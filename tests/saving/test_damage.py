"""Truncated, changed and wrong files: an error that names the file and what is wrong with it."""

import io
import pickle
import random

import pytest

import chainrule as torch
from saving.cases import CASES, described, numbers
from saving.test_archives import RECORDED

CLEAN = (RuntimeError, pickle.UnpicklingError, EOFError)


def contents() -> dict:
    return {"weights": numbers(torch, 8, 8), "bias": numbers(torch, 8), "epoch": 3}


def written(path) -> bytes:
    torch.save(contents(), path)
    return path.read_bytes()


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_a_file_cut_anywhere_is_refused_by_name(tmp_path, ending):
    path = tmp_path / f"whole.{ending}"
    tensors = {k: v for k, v in contents().items() if k != "epoch"}
    torch.save(tensors, path)
    whole = path.read_bytes()
    short = tmp_path / f"short.{ending}"
    for length in range(0, len(whole), 7):
        short.write_bytes(whole[:length])
        with pytest.raises(CLEAN, match=f"short.{ending}"):
            torch.load(short)


@pytest.mark.parametrize("weights_only", [True, False])
def test_a_file_of_the_old_format_cut_anywhere_is_refused_by_name(tmp_path, weights_only):
    whole = (RECORDED / "checkpoint_legacy.pt").read_bytes()
    short = tmp_path / "short.pt"
    for length in range(0, len(whole), 11):
        short.write_bytes(whole[:length])
        with pytest.raises(CLEAN, match=r"short\.pt"):
            torch.load(short, weights_only=weights_only)


def test_a_changed_byte_is_noticed_or_harmless(tmp_path):
    path = tmp_path / "changed.pt"
    whole = written(path)
    expected = described(contents())
    refused = 0
    for at in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        try:
            found = torch.load(path)
        except CLEAN as problem:
            refused += 1
            assert "changed.pt" in str(problem)
        else:
            assert described(found) == expected, f"byte {at} changed what was loaded"
    assert refused > 200  # the rest is padding, dates and notes


def test_a_changed_byte_of_a_weight_is_found_by_its_checksum(tmp_path):
    path = tmp_path / "changed.pt"
    whole = bytearray(written(path))
    at = whole.index(numbers(torch, 8, 8).numpy().tobytes())
    whole[at + 5] ^= 4
    path.write_bytes(whole)
    with pytest.raises(RuntimeError, match="failed reading file data/0") as caught:
        torch.load(path)
    assert "checksum" in str(caught.value) and "changed.pt" in str(caught.value)


def test_random_bytes_never_do_more_than_fail(tmp_path):
    chance = random.Random(0)
    path = tmp_path / "noise.pt"
    starts = (b"", b"PK\3\4", b"\x80\x02", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
    for number in range(200):
        path.write_bytes(starts[number % 4] + chance.randbytes(chance.randrange(1, 300)))
        with pytest.raises(CLEAN, match=r"noise\.pt"):
            torch.load(path)


def test_changed_bytes_of_the_old_format_never_do_more_than_fail(tmp_path):
    whole = (RECORDED / "views_legacy.pt").read_bytes()
    path = tmp_path / "changed.pt"
    for at in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        try:
            torch.load(path)
        except (*CLEAN, NotImplementedError) as problem:
            assert "changed.pt" in str(problem)


@pytest.mark.parametrize(
    ("content", "error", "phrase"),
    [
        (b"", EOFError, "Ran out of input"),
        (b"hello, this is text", pickle.UnpicklingError, "starts with the bytes"),
        (b"PK\3\4 but not a zip file", RuntimeError, "failed finding central directory"),
        (pickle.dumps(3, 2), RuntimeError, "Invalid magic number"),
        (pickle.dumps({"a": 1}, 4), RuntimeError, "Invalid magic number"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, error, phrase):
    path = tmp_path / "other.pt"
    path.write_bytes(content)
    with pytest.raises(error, match=phrase) as caught:
        torch.load(path)
    assert "other.pt" in str(caught.value) and "test_damage.py" in str(caught.value)


def test_missing_files_folders_and_odd_arguments(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.pt"):
        torch.load(tmp_path / "none.pt")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        torch.load(tmp_path)
    with pytest.raises(IsADirectoryError, match="Fix: name a file in it"):
        torch.save({}, tmp_path)
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        torch.save({}, tmp_path / "no" / "folder" / "a.pt")
    with pytest.raises(AttributeError, match="with a 'write' attribute"):
        torch.save({}, 3)
    with pytest.raises(AttributeError, match="from a file that is seekable"):
        torch.load(3)
    with pytest.raises(ValueError, match="must be a file path in order to use the mmap"):
        torch.load(io.BytesIO(), mmap=True)
    with pytest.raises(NotImplementedError, match=r"before 1\.6 can be read but is not written"):
        torch.save({}, tmp_path / "a.pt", _use_new_zipfile_serialization=False)


def test_mapping_an_old_file_is_refused():
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        torch.load(RECORDED / "views_legacy.pt", mmap=True)


def test_torchscript_archives_are_refused_as_such(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "script.pt", "w") as opened:
        opened.writestr("script/data.pkl", b"N.")
        opened.writestr("script/constants.pkl", b"N.")
    with pytest.raises(RuntimeError, match="TorchScript archive"):
        torch.load(tmp_path / "script.pt")


def test_a_missing_record_is_named(tmp_path):
    import zipfile

    torch.save(CASES["one_tensor"](torch), tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as whole:
        with zipfile.ZipFile(tmp_path / "b.pt", "w") as less:
            for info in whole.infolist():
                if info.filename != "a/data/0":
                    less.writestr(info.filename, whole.read(info))
    with pytest.raises(RuntimeError, match="failed locating file data/0: file not found"):
        torch.load(tmp_path / "b.pt")
