"""Nothing that is loaded reaches outside the memory its file gave it."""

import pickle

import pytest

import chainrule as torch
from security import pickles
from security.pickles import STOP, archive, legacy, tensor

CLEAN = (RuntimeError, pickle.UnpicklingError)
FLOATS = bytes(16)

OUTSIDE = {
    "strides that wrap": ((5,), (2**60,), 0),
    "more elements than bytes": ((2**61,), (8,), 0),
    "a wrapping offset": ((1,), (1,), 2**62),
    "one element too many": ((5,), (1,), 0),
    "the last row": ((2, 2), (3, 1), 0),
    "a negative stride": ((4,), (-1,), 3),
    "a negative offset": ((1,), (1,), -1),
    "a negative size": ((-4,), (1,), 0),
    "a number without end": ((10**400,), (0,), 0),
    "repeated past counting": ((2**62, 2), (0, 0), 0),
    "a stride of no use": ((1,), (2**63,), 0),
    "an empty one past the end": ((0,), (1,), 5),
    "an empty one past counting": ((0, 2**62, 4), (1, 1, 1), 0),
    "seventy dimensions": ((1,) * 70, (1,) * 70, 0),
}


def refused(data: bytes, tmp_path, match: str = ""):
    path = tmp_path / "hostile.pt"
    path.write_bytes(data)
    with pytest.raises(CLEAN, match=r"hostile\.pt") as caught:
        torch.load(path)
    text = str(caught.value)
    assert match in text and len(text) < 2000
    return text


@pytest.mark.parametrize("layout", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("form", ["archive", "legacy"])
def test_layouts_outside_the_storage_are_refused(layout, form, tmp_path):
    program = tensor(*layout) + STOP
    if form == "archive":
        refused(archive(program, {"0": FLOATS}), tmp_path)
    else:
        refused(legacy(program, {"0": (4, FLOATS)}), tmp_path)


@pytest.mark.parametrize("size", [(1,), (5,), (2, 2), (2**40,)])
@pytest.mark.parametrize("form", ["archive", "legacy"])
def test_a_storage_of_no_bytes_has_no_elements(size, form, tmp_path):
    block = pickles.storage(count=0)
    program = tensor(size, (1,) * len(size), block=block) + STOP
    if form == "archive":
        refused(archive(program, {"0": b""}), tmp_path, "storage of 0 bytes")
    else:
        refused(legacy(program, {"0": (0, b"")}), tmp_path, "storage of 0 bytes")


def test_bytes_with_strides_that_wrap(tmp_path):
    block = pickles.storage("ByteStorage", count=16)
    program = tensor((2**61,), (8,), block=block) + STOP
    refused(archive(program, {"0": FLOATS}), tmp_path, "does not fit into its storage of 16 bytes")


@pytest.mark.parametrize("part", [(-1, 2), (0, 5), (4, 1), (2**62, 4), (3, -1)])
def test_parts_of_old_storages_stay_inside_them(part, tmp_path):
    begin, count = map(pickles.number, part)
    whole = pickles.storage()[:-2]
    view = b"(" + pickles.text("1") + begin + count + b"t"
    program = tensor((1,), (1,), block=whole + view + b"tQ") + STOP
    refused(legacy(program, {"0": (4, FLOATS)}), tmp_path, "part in an unknown form")


def test_one_storage_has_one_size(tmp_path):
    first, second = pickles.storage(), pickles.storage("DoubleStorage")
    program = b"(" + tensor((4,), (1,), block=first) + tensor((4,), (1,), block=second) + b"t."
    refused(archive(program, {"0": FLOATS}), tmp_path, "bytes in one place and 32 in another")
    refused(legacy(program, {"0": (4, FLOATS)}), tmp_path, "bytes in one place and 32 in another")


def test_indices_of_an_old_sparse_tensor_are_checked_when_they_are_there(tmp_path):
    indices = tensor((1, 1), (1, 1), block=pickles.storage("LongStorage", "0", 1))
    values = tensor((1,), (1,), block=pickles.storage("FloatStorage", "1", 1))
    parts = b"(" + indices + values + pickles.numbers((3,)) + b"\x89t"
    layout = pickles.call(
        pickles.name("torch.serialization", "_get_layout"), pickles.text("torch.sparse_coo")
    )
    made = (
        pickles.call(pickles.name("torch._utils", "_rebuild_sparse_tensor"), layout, parts) + STOP
    )
    for at in (2, 3, 2**40, -1):
        data = at.to_bytes(8, "little", signed=True)
        file = legacy(made, {"0": (1, data), "1": (1, b"\0\0\x80?")})
        if at == 2:
            (tmp_path / "good.pt").write_bytes(file)
            assert torch.load(tmp_path / "good.pt").to_dense().tolist() == [0.0, 0.0, 1.0]
        else:
            refused(file, tmp_path, "index")


def test_what_is_loaded_stays_inside_whatever_is_done_with_it(tmp_path):
    path = tmp_path / "part.pt"
    torch.save(torch.arange(8.0)[2:6], path)
    for form in ({}, {"mmap": True}):
        part = torch.load(path, **form)
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            part.as_strided((5,), (2**60,))
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            part.as_strided((4,), (2,), 2)
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            torch.empty(0).set_(part.untyped_storage(), 5, (4,), (1,))
        with pytest.raises(IndexError):
            part.untyped_storage()[32]
        empty = part[4:]
        assert empty.as_strided((8,), (1,), 0).tolist() == list(range(8))
        grown = part.clone().resize_(6)
        assert grown[:4].tolist() == [2.0, 3.0, 4.0, 5.0]


def test_numpy_windows_that_repeat_elements_do_not_count_them_as_memory():
    import numpy as np

    windows = np.lib.stride_tricks.as_strided(np.ones(4), (3, 2), (8, 8))
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
        torch.from_numpy(windows).as_strided((6,), (1,), 0)


@pytest.mark.parametrize("form", ["archive", "legacy", "safetensors"])
def test_bools_are_zero_or_one_whatever_bytes_a_file_has(form, tmp_path):
    data = bytes([2, 255, 0, 1])
    program = tensor((4,), (1,), block=pickles.storage("BoolStorage")) + STOP
    header = b'{"a":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}}'
    path = tmp_path / f"bools.{'safetensors' if form == 'safetensors' else 'pt'}"
    path.write_bytes(
        {
            "archive": archive(program, {"0": data}),
            "legacy": legacy(program, {"0": (4, data)}),
            "safetensors": len(header).to_bytes(8, "little") + header + data,
        }[form]
    )
    for mmap in (False, True)[: 1 if form == "legacy" else 2]:
        found = torch.load(path, mmap=mmap)
        found = found["a"] if form == "safetensors" else found
        assert found.view(torch.uint8).tolist() == [1, 1, 0, 1]
