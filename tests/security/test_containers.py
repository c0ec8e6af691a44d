"""Archives that lie about their records, and things that are no files."""

import io
import os
import pickle
import struct
import threading
import warnings
import zipfile

import pytest

import chainrule as torch
from security import pickles
from security.pickles import STOP, archive, tensor

CLEAN = (RuntimeError, pickle.UnpicklingError)
ONES = b"\0\0\x80?" * 4
GOOD = archive(tensor((4,), (1,)) + STOP, {"0": ONES})


def refused(data: bytes, tmp_path, phrase: str, **options):
    path = tmp_path / "odd.pt"
    path.write_bytes(data)
    with pytest.raises(CLEAN, match=r"odd\.pt") as caught:
        torch.load(path, **options)
    assert phrase in str(caught.value)


def zipped(*records: tuple[str, bytes], **options) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in records:
            opened.writestr(name, data)
    return file.getvalue()


def entry(data: bytes, name: bytes) -> int:
    """Where the directory's entry of a record starts."""
    at = data.index(b"PK\1\2")
    while data[at + 46 : at + 46 + len(name)] != name:
        at = data.index(b"PK\1\2", at + 4)
    return at


def changed(data: bytes, at: int, form: str, *values: int) -> bytes:
    new = bytearray(data)
    struct.pack_into(form, new, at, *values)
    return bytes(new)


def test_a_record_that_occurs_twice(tmp_path):
    program = ("archive/data.pkl", tensor((4,), (1,)) + STOP)
    data = zipped(program, ("archive/data/0", ONES), ("archive/data/0", bytes(16)))
    refused(data, tmp_path, "the record 'archive/data/0' occurs twice")


@pytest.mark.parametrize("options", [{}, {"mmap": True}])
def test_records_that_share_bytes(options, tmp_path):
    program = b"(" + b"".join(
        tensor((4,), (1,), block=pickles.storage(key=key)) for key in "01") + b"t."  # fmt: skip
    data = archive(program, {"0": ONES, "1": ONES})
    first = data[entry(data, b"archive/data/0") + 42 :][:4]
    same = changed(data, entry(data, b"archive/data/1") + 42, "<I", *struct.unpack("<I", first))
    refused(same, tmp_path, "start at the same place", **options)
    inside = zipped(("archive/data.pkl", program), ("archive/data/0", ONES * 3))
    longer = changed(inside, entry(inside, b"archive/data.pkl") + 20, "<II", 600, 600)
    refused(longer, tmp_path, "reaches into what follows it", **options)


def test_records_outside_the_file(tmp_path):
    at = entry(GOOD, b"archive/data/0")
    refused(changed(GOOD, at + 42, "<I", 2**31), tmp_path, "its header is damaged")
    refused(changed(GOOD, at + 20, "<II", 2**31, 2**31), tmp_path, "where 16 are expected")
    refused(changed(GOOD, at + 20, "<I", 2**31), tmp_path, "two sizes")
    refused(changed(GOOD, at + 24, "<I", 8), tmp_path, "where 16 are expected")


def test_encrypted_records_and_methods_of_packing_that_nobody_uses(tmp_path):
    at = entry(GOOD, b"archive/data/0")
    refused(changed(GOOD, at + 8, "<H", 1), tmp_path, "it is encrypted")
    refused(changed(GOOD, at + 10, "<H", 99), tmp_path, "compressed by method 99")
    refused(changed(GOOD, at + 10, "<H", 8), tmp_path, "data/0")  # stored, but called deflated


def test_a_wrong_checksum_of_a_packed_record(tmp_path):
    program = ("archive/data.pkl", tensor((4,), (1,)) + STOP)
    data = zipped(program, ("archive/data/0", ONES), compression=zipfile.ZIP_DEFLATED)
    refused(changed(data, entry(data, b"archive/data/0") + 16, "<I", 7), tmp_path, "checksum")


def test_wide_fields_comments_and_names_that_lead_elsewhere_are_only_names(tmp_path):
    path = tmp_path / "odd.pt"
    with zipfile.ZipFile(path, "w") as opened:
        for name, data in (("data.pkl", tensor((4,), (1,)) + STOP), ("data/0", ONES)):
            with opened.open(f"../../../etc/{name}", "w", force_zip64=True) as record:
                record.write(data)
        opened.comment = b"PK\5\6" + b"x" * 1000
    with pytest.raises(RuntimeError, match=r"odd\.pt"):  # its comment looks like a directory
        torch.load(path)
    with zipfile.ZipFile(path, "w") as opened:
        for name, data in (("data.pkl", tensor((4,), (1,)) + STOP), ("data/0", ONES)):
            with opened.open(f"..\\..\\archive/{name}", "w", force_zip64=True) as record:
                record.write(data)
        opened.comment = b"a comment"
    assert torch.load(path).tolist() == [1.0] * 4
    assert sorted(os.listdir(tmp_path)) == ["odd.pt"]


def test_sizes_that_follow_their_records(tmp_path):
    class Pipe(io.RawIOBase):
        """Cannot go back, so sizes are written after the data."""

        def __init__(self):
            self.data = bytearray()

        def writable(self):
            return True

        def write(self, part):
            self.data += bytes(part)
            return len(part)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as opened:
        opened.writestr("archive/data.pkl", tensor((4,), (1,)) + STOP)
        opened.writestr("archive/data/0", ONES)
    assert torch.load(io.BytesIO(bytes(pipe.data))).tolist() == [1.0] * 4


def test_pipes_and_devices_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.pt")
    for path in (tmp_path / "pipe.pt", "/dev/zero", "/dev/null"):
        with pytest.raises(
            OSError, match=r"this is a pipe, a socket or a device.*" + str(path)[-4:]
        ):
            torch.load(path)
    with pytest.raises(IsADirectoryError, match="load needs a file"):
        torch.load(tmp_path)


def test_a_mapped_file_that_is_saved_over_keeps_its_old_content(tmp_path):
    path = tmp_path / "weights.pt"
    torch.save(torch.ones(100_000), path)
    mapped = torch.load(path, mmap=True)
    torch.save(torch.zeros(10), path)
    assert mapped.sum() == 100_000 and torch.load(path).sum() == 0
    torch.save({"w": torch.ones(1000)}, tmp_path / "w.safetensors")
    mapped = torch.load(tmp_path / "w.safetensors", mmap=True)["w"]
    torch.save({"w": mapped * 2}, tmp_path / "w.safetensors")
    assert mapped.sum() == 1000 and torch.load(tmp_path / "w.safetensors")["w"].sum() == 2000


def test_files_are_counted_each_for_itself_in_threads(tmp_path):
    path = tmp_path / "weights.pt"
    torch.save([torch.ones(3)] * 50, path)
    failed = []

    def many():
        try:
            for _ in range(20):
                assert len(torch.load(path)) == 50
        except Exception as problem:
            failed.append(problem)

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# ---- bools ---------------------------------------------------------------------------------------

ODD = b"\xff\x02" * 8


def as_bools(storage: bytes) -> bytes:
    place = storage, pickles.number(0), pickles.numbers((16,)), pickles.numbers((1,))
    return pickles.call(pickles.name("torch._utils", "_rebuild_tensor_v3"), *place, b"\x89", b"N",
                        pickles.name("torch", "bool"))  # fmt: skip


def typed(kind: str, count: int = 16) -> bytes:
    return pickles.tensor((count,), (1,), block=pickles.storage(kind, "0", count))


BOOLS = {
    "a storage of bools": typed("BoolStorage"),
    "bytes that become bools": b"(" + typed("ByteStorage") + typed("BoolStorage") + b"t",
    "bytes as bools": as_bools(pickles.storage("ByteStorage", "0", 16)),
    "numbers as bools": as_bools(pickles.storage("FloatStorage", "0", 4)),
    "memory as bools": as_bools(pickles.storage("UntypedStorage", "0", 16)),
}


@pytest.mark.parametrize("form", ["archive", "legacy"])
@pytest.mark.parametrize("what", BOOLS)
def test_bools_are_zeros_and_ones_however_they_come(what, form):
    if form == "archive":
        data = pickles.archive(BOOLS[what] + pickles.STOP, {"0": ODD})
    else:
        count = 4 if "numbers" in what else 16
        data = pickles.legacy(BOOLS[what] + pickles.STOP, {"0": (count, ODD)})
    found = torch.load(io.BytesIO(data))
    found = found[1] if isinstance(found, tuple) else found
    assert found.dtype is torch.bool and found.view(torch.uint8).tolist() == [1] * 16


@pytest.mark.parametrize("name", ["detach", "numel", "__class__", "shape", "_values", "backward"])
@pytest.mark.parametrize("way", ["rebuilt", "built"])
def test_attributes_of_a_file_hide_nothing_that_tensors_can_do(way, name, tmp_path):
    state = b"}" + pickles.text(name) + b"K\x05s" + pickles.text("note") + b"K\x07s"
    program = tensor((4,), (1,)) + state + b"b"
    if way == "rebuilt":
        place = pickles.storage() + b"K\0" + pickles.numbers([4]) + pickles.numbers([1])
        program = pickles.call(
            pickles.name("torch._tensor", "_rebuild_from_type_v2"),
            pickles.name("torch._utils", "_rebuild_tensor_v2"), pickles.name("torch", "Tensor"),
            b"(" + place + b"\x89Nt", state,
        )  # fmt: skip
    path = tmp_path / "named.pt"
    path.write_bytes(archive(program + STOP, {"0": ONES}))
    loaded = torch.load(path)
    assert vars(loaded) == {"note": 7}
    assert (loaded.detach() + 1).sum().item() == 8


@pytest.mark.parametrize("name", ["_is_param", "_is_buffer"])
def test_attributes_of_a_file_answer_no_question_of_modules_with_a_tensor(name, tmp_path):
    made = torch.ones(2)
    made.__dict__[name] = torch.ones(3)  # whose truth is ambiguous
    torch.save(made, tmp_path / "made.pt")
    found = torch.load(tmp_path / "made.pt")
    assert not isinstance(found, torch.nn.Parameter | torch.nn.Buffer)
    torch.nn.Module().register_buffer("found", found)
    made.__dict__[name] = True
    torch.save(made, tmp_path / "made.pt")
    found = torch.load(tmp_path / "made.pt")
    assert isinstance(found, torch.nn.Parameter | torch.nn.Buffer)


def test_attributes_of_a_file_hide_nothing_that_dicts_can_do(tmp_path):
    made = pickles.call(pickles.name("collections", "OrderedDict"))
    state = b"}" + pickles.text("items") + b"K\x05s" + pickles.text("_metadata") + b"}sb"
    path = tmp_path / "named.pt"
    path.write_bytes(archive(made + state + STOP))
    loaded = torch.load(path)
    assert list(loaded.items()) == []
    assert vars(loaded) == {"_metadata": {}}
