"""A small file cannot cost much: it is refused by name, quickly, in memory in proportion to it."""

import io
import pickle
import re
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

import chainrule as torch
from security import pickles
from security.pickles import STOP, archive, bomb, call, get, legacy, name, put, tensor, text

CLEAN = (RuntimeError, pickle.UnpicklingError)
MEGABYTE = 1 << 20
ORDERED = name("collections", "OrderedDict")
REFUSED = name("os", "system")


def outcome(data: bytes, ending: str = "pt", folder=None, **options):
    """The error's text, or what was loaded; both within a second and 64 MB + 4x the file."""
    path = folder / f"hostile.{ending}"
    path.write_bytes(data)
    tracemalloc.start()
    start = time.thread_time()
    try:
        found = torch.load(path, **options)
    except CLEAN as problem:
        found = str(problem)
        assert "hostile." in found and len(found) < 2000, len(found)
    finally:
        seconds = time.thread_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert seconds < 3  # tracing costs a factor
    assert peak < 64 * MEGABYTE + 4 * len(data), peak
    return found


LISTS, TUPLES = bomb(100, 9, b"l"), bomb(100, 9, b"t")
DEEP = b"K\x01" + b"\x85" * 200_000  # tuples of one tuple
COLLIDING = [(2**61 - 1) * k for k in range(1, 30_001)]
MANY = b"(" + b"K\x01" * 50_000 + b"l" + put(0)
WORDS = text("x" * 100_000) + put(0)
LONG = text("x" * MEGABYTE)

BOMBS = {
    "lists shown with a refused call": call(REFUSED, LISTS),
    "tuples shown with a refused call": call(REFUSED, TUPLES),
    "a refused name deep inside": call(ORDERED, REFUSED + b"(" + TUPLES + REFUSED + b"t"),
    "lists as a size": call(name("torch", "Size"), LISTS),
    "tuples as a size": call(name("torch", "Size"), TUPLES),
    "lists as a tensor's size": pickles.call(
        name("torch._utils", "_rebuild_tensor_v2"), pickles.storage(), b"K\x00", LISTS, LISTS,
        b"\x89", b"N",
    ),
    "lists as a storage": b"(" + text("storage") + LISTS + LISTS + LISTS + LISTS + b"tQ",
    "a storage's key": b"(" + text("storage") + name("torch", "FloatStorage") + LISTS + text("cpu")
    + b"K\x04tQ",
    "a storage's place": b"(" + text("storage") + name("torch", "FloatStorage") + text("0") + TUPLES
    + b"K\x04tQ",
    "tuples as a key": b"}" + TUPLES + b"Ns",
    "tuples as an item": b"\x8f(" + TUPLES + b"\x90",
    "tuples in a frozen set": b"(" + TUPLES + b"\x91",
    "tuples as a name": TUPLES + LISTS + b"\x93",
    "tuples as a device": call(name("torch", "device"), TUPLES),
    "tuples as a layout": call(name("torch.serialization", "_get_layout"), TUPLES),
    "tuples as a codec": call(name("_codecs", "encode"), text("a"), TUPLES),
    "tuples as attributes": ORDERED + b")R" + TUPLES + b"b",
    "deep tuples": DEEP,
    "deep tuples as a key": b"}" + DEEP + b"Ns",
    "keys that collide": b"}(" + b"".join(pickles.number(k) + b"N" for k in COLLIDING) + b"u",
    "items that collide": b"\x8f(" + b"".join(map(pickles.number, COLLIDING)) + b"\x90",
    "colliding keys one by one": b"}" + b"".join(pickles.number(k) + b"Ns" for k in COLLIDING),
    "one list made a set many times": MANY + b"(" + b"".join(
        call(name("builtins", "set"), get(0)) for _ in range(3000)) + b"t",
    "one list made a dict many times": b"(" + b"K\x01K\x02\x86" * 4000 + b"l" + put(0) + b"("
    + call(ORDERED, get(0)) * 3000 + b"t",
    "one text encoded many times": WORDS + b"(" + call(name("_codecs", "encode"), get(0)) * 3000
    + b"t",
    "one text made bytes many times": WORDS + b"("
    + call(name("builtins", "bytearray"), get(0)) * 3000 + b"t",
    "one dict as attributes many times": b"}(" + b"".join(text(f"{k}") + b"N" for k in range(5000))
    + b"u" + put(0) + b"(" + (ORDERED + b")R" + get(0) + b"b") * 20_000 + b"t",
    "a huge number as a key": b"}" + pickles.number(2**400_000) + put(0) + b"Ns"
    + (get(0) + b"Ns") * 30_000,
    "a huge number as an offset": tensor((1,), (1,), 10**5000),
    "a name without end": name("x" * 300_000, "y" * 300_000),
    "quadratic hashing": b"(" + b"K\x01" * 30_000 + b"t" + put(0) + b"}"
    + (get(0) + b"Ns") * 30_000,
    "equal long texts as keys": LONG + put(0) + LONG + put(1) + b"}" + get(0) + b"Ns"
    + (get(1) + b"Ns") * 200_000,
    "equal long texts as attributes": LONG + put(0) + LONG + put(1) + ORDERED + b")R}" + get(0)
    + b"Nsb}" + get(1) + b"Ns" + put(2) + b"0" + (get(2) + b"b") * 200_000,
    "one long name many times": LONG + put(0) + text("n") + put(1)
    + (get(0) + get(1) + b"\x930") * 20_000,
    "numbers of values that collide": b"N" + b"".join(b"p%d\n" % k for k in COLLIDING * 2),
}  # fmt: skip


@pytest.mark.parametrize("program", BOMBS.values(), ids=BOMBS)
def test_bombs_in_pickles_are_refused(program, tmp_path):
    found = outcome(archive(program + STOP, {"0": bytes(16)}), folder=tmp_path)
    assert isinstance(found, str)


PASSING = {
    "a line of a name": b"c" + b"x" * MEGABYTE + b"\xf0\x9f\x98\x80\ny\n",
    "a line of a number": b"F" + b"1" * MEGABYTE + b"\n",
    "text with one wide letter": text("x" * MEGABYTE + "\U0001f600"),
    "text with one wide letter inside": text("x" * (MEGABYTE // 2) + "\u0100" * (MEGABYTE // 4)
                                             + "\U0001f600"),
    "parts of a storage": b"B" + struct.pack("<I", MEGABYTE) + bytes(MEGABYTE) + put(0) + b"("
    + get(0) * 8 + b"tQ",
}  # fmt: skip


@pytest.mark.parametrize("what", PASSING)
def test_what_is_needed_for_a_moment_counts_too(what, tmp_path, monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    path = tmp_path / "hostile.pt"
    path.write_bytes(archive(PASSING[what] + STOP))
    tracemalloc.start()
    with pytest.raises(CLEAN, match=r"hostile\.pt"):
        torch.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * path.stat().st_size


def test_long_parts_of_storages_are_not_looked_at(tmp_path):
    parts = text("storage") + name("torch", "FloatStorage") + text("0") + text("cpu") + b"K\x04"
    long = b"B" + struct.pack("<I", MEGABYTE) + bytes(MEGABYTE) + put(0)
    many = (b"(" + parts + get(0) * 3 + b"tQ0") * 15_000
    found = outcome(archive(long + many + b"N" + STOP, {"0": bytes(16)}), folder=tmp_path)
    assert found is None


def test_a_byte_order_without_end_is_refused(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("archive/data.pkl", b"N.")
        opened.writestr("archive/byteorder", bytes(40 * MEGABYTE), zipfile.ZIP_DEFLATED)
    assert "byteorder" in outcome(file.getvalue(), folder=tmp_path)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    "what",
    [
        ORDERED + b")R}" + text("get") + b"K\x05sb.",
        call(name("torch._utils", "_rebuild_meta_tensor_no_storage"), name("torch", "float32"),
             pickles.numbers((2,)), pickles.numbers((1,)), b"\x89") + STOP,
    ],
)  # fmt: skip
def test_the_head_of_an_old_file_is_plain(what, place, tmp_path):
    parts = [pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {})]
    parts[place] = b"\x80\x02" + what
    found = outcome(b"".join([*parts, b"\x80\x02N.", pickle.dumps([], 2)]), folder=tmp_path)
    assert isinstance(found, str)


def test_bombs_of_the_old_format_are_refused(tmp_path):
    keys = b"".join(tensor((4096,), (1,), block=pickles.storage(key=f"{k}", count=4096))
                    for k in range(5000))  # fmt: skip
    found = outcome(legacy(b"(" + keys + b"t."), folder=tmp_path)
    assert "of the file are left" in found
    found = outcome(legacy(LISTS + b".")[: -len(pickle.dumps([], 2))] + b"\x80\x02" + LISTS + b"a.",
                    folder=tmp_path)  # fmt: skip
    assert isinstance(found, str)


def test_what_is_large_but_in_proportion_is_loaded(tmp_path):
    found = outcome(archive(LISTS + STOP), folder=tmp_path)
    assert found[0] is found[1] and isinstance(found, list)
    found = outcome(archive(b"(" + b"\x8f" * 100_000 + b"t."), folder=tmp_path)
    assert len(found) == 100_000 and found[7] == set()
    far = b"".join(f"p{k * 7}\n".encode() for k in range(20_000))
    assert outcome(archive(b"K\x01" + far + STOP), folder=tmp_path) == 1


FLAGS = b"}" + text("neg") + b"\x88s"


def test_negated_views_that_repeat_elements_stay_small(tmp_path):
    made = tensor((2**40,), (0,), more=FLAGS)
    found = outcome(archive(made + STOP, {"0": b"\0\0\x80?" * 4}), folder=tmp_path)
    assert found.shape == (2**40,) and found.stride() == (0,) and found[7] == -1
    windows = tensor((2000, 2000), (1, 1), block=pickles.storage(count=4000), more=FLAGS)
    program = b"(" + windows * 40 + b"t."
    found = outcome(archive(program, {"0": bytes(16_000)}), folder=tmp_path)
    assert len(found) == 40 and all(t.is_neg() and t._base is None for t in found)


@pytest.mark.parametrize("shape", [(1, 2**40), (2**40, 0)])
def test_sparse_tensors_on_repeated_elements_are_refused(shape, tmp_path):
    indices = tensor(shape, (0, 0), block=pickles.storage("LongStorage", "0", 1))
    values = tensor(shape[1:], (0,), block=pickles.storage("FloatStorage", "1", 1))
    layout = call(name("torch.serialization", "_get_layout"), text("torch.sparse_coo"))
    parts = b"(" + indices + values + pickles.numbers((3,)) + b"\x88t"
    made = call(name("torch._utils", "_rebuild_sparse_tensor"), layout, parts) + STOP
    found = outcome(archive(made, {"0": bytes(8), "1": bytes(4)}), folder=tmp_path)
    assert isinstance(found, str)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packed_records_cannot_grow_without_end(method, tmp_path):
    big = (40 if method == zipfile.ZIP_DEFLATED else 1) * MEGABYTE
    program = tensor((big // 4,), (1,), block=pickles.storage(count=big // 4)) + STOP
    found = outcome(archive(program, {"0": bytes(big)}, compression=method), folder=tmp_path)
    assert "compressed" in found and "pack the file again" in found


def test_a_packed_pickle_cannot_grow_without_end(tmp_path):
    """Two million steps in a file of 15 KB took seconds."""
    many = archive(b"\x80\4](" + b")" * 2_000_000 + b"e.", {}, compression=zipfile.ZIP_DEFLATED)
    found = outcome(many, folder=tmp_path)
    assert "data.pkl" in found and "pack the file again" in found
    names = {f"blocks.{k}.attention.weight": k for k in range(20_000)}
    honest = archive(pickle.dumps(names, 2), {}, compression=zipfile.ZIP_DEFLATED)
    assert outcome(honest, folder=tmp_path) == names


def test_packed_records_hold_what_their_tensors_need(tmp_path):
    needs_four = tensor((4,), (1,)) + STOP
    more = archive(needs_four, {"0": bytes(20 * MEGABYTE)}, compression=zipfile.ZIP_DEFLATED)
    assert "where 16 are expected" in outcome(more, folder=tmp_path)
    fits = archive(needs_four, {"0": b"\0\0\x80?" * 4}, compression=zipfile.ZIP_DEFLATED)
    assert outcome(fits, folder=tmp_path).tolist() == [1.0] * 4


def test_absurd_headers_of_safetensors_are_refused(tmp_path):
    for header in (
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":{"dtype":"F32","shape":[' + b"[]," * 500_000 + b'1],"data_offsets":[0,4]}}',
        b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,4]}}',
        b'{"__metadata__":{"a":[' + b"{}," * 100_000 + b"{}]}}",
        b'{"' + b"x" * 500_000 + b'":{"dtype":"F32","shape":[3],"data_offsets":[0,4]}}',
        b"{" + b" " * 1_000_000,
    ):
        data = len(header).to_bytes(8, "little") + header + bytes(4)
        assert isinstance(outcome(data, "safetensors", tmp_path), str)


ONE = b'"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
MANY_SMALL = {
    "other names of one tensor": b'"__metadata__":{'
    + b",".join(b'"%x":"w"' % k for k in range(15_000))
    + b"},"
    + ONE,
    "lines of metadata": b'"__metadata__":{'
    + b",".join(b'"%x":""' % k for k in range(30_000))
    + b"},"
    + ONE,
    "empty tensors": b",".join(
        b'"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}' % k for k in range(7_500)
    ),
    "tensors of many dimensions": b",".join(
        b'"%x":{"dtype":"F32","shape":[%s0],"data_offsets":[0,0]}' % (k, b"0," * 60)
        for k in range(3_000)
    ),
}


@pytest.mark.parametrize("what", MANY_SMALL)
def test_many_small_things_of_a_safetensors_file_are_counted(what, tmp_path, monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._MEGABYTE", (1 << 20) // 20)
    header = b"{" + MANY_SMALL[what] + b"}"
    data = len(header).to_bytes(8, "little") + header + bytes(4 if b'"w"' in header else 0)
    found = outcome(data, "safetensors", tmp_path)
    assert isinstance(found, str) and "allow_memory" in found
    with torch.serialization.allow_memory(1 << 30):
        assert torch.load(tmp_path / "hostile.safetensors")


def test_a_safetensors_file_takes_its_own_size_of_memory(tmp_path):
    path = tmp_path / "weights.safetensors"
    torch.save({f"w{k}": torch.ones(500_000) for k in range(20)}, path)
    torch.load(path)
    tracemalloc.start()
    found = torch.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 20 and peak < 1.1 * path.stat().st_size


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        b"cos\nsystem\n.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94h\x00h\x01\x93.",
        b"(X\x02\x00\x00\x00lsios\nsystem\n.",
        b"(cos\nsystem\nX\x02\x00\x00\x00lso.",
        b"cfractions\nFraction\n)R}cos\nsystem\nNsb0N.",
    ],
)
def test_names_are_found_however_a_pickle_says_them(program):
    file = io.BytesIO(archive(program))
    assert "os.system" in torch.serialization.get_unsafe_globals_in_checkpoint(file)


def test_names_of_a_bomb_are_found_quickly(tmp_path):
    start = time.thread_time()
    for bad in (call(REFUSED, TUPLES), b"}" + REFUSED + b")R" + b"Ns" + call(REFUSED, LISTS)):
        file = io.BytesIO(archive(bad + STOP))
        assert torch.serialization.get_unsafe_globals_in_checkpoint(file) == ["os.system"]
    assert time.thread_time() - start < 1


def test_long_names_are_not_kept_by_the_survey():
    many = b"".join(get(0) + text(f"{k}") + b"\x930" for k in range(2000))
    file = io.BytesIO(archive(LONG + put(0) + b"0" + many + b"N."))
    tracemalloc.start()
    with pytest.raises(pickle.UnpicklingError, match="characters for a name"):
        torch.serialization.get_unsafe_globals_in_checkpoint(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * MEGABYTE


def test_names_cannot_write_to_the_terminal(tmp_path):
    found = outcome(archive(name("os\x1b[2J", "sys\rtem") + b")R."), folder=tmp_path)
    assert "\x1b" not in found and "\r" not in found


# ---- Python objects ------------------------------------------------------------------------------

OBJECTS = {
    "empty lists": b"(" + b"]" * (1 << 20) + b"l.",
    "empty sets": b"(" + b"\x8f" * (1 << 19) + b"l.",
    "tuples": b"(" + b"N\x85" * (1 << 20) + b"l.",
    "tuples in tuples": b"(" + b"N\x85\x85\x85\x85" * (1 << 18) + b"l.",
    "characters": b"(" + b"\x8c\4\xf0\x90\x80\x80" * 1_200_000 + b"l.",
    "items of a set": b"\x8f("
    + b"".join(b"J" + struct.pack("<i", k) for k in range(700_000))
    + b"\x90.",
}


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
@pytest.mark.parametrize("name", OBJECTS)
def test_python_objects_take_memory_in_proportion(name, tmp_path):
    file = tmp_path / "objects.pt"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\4" + OBJECTS[name])
        archive.writestr("a/version", "3\n")
    program = """
import sys
import chainrule as torch
from fuzz.files.watch import peak, reset_peak
torch.zeros(1)
before = reset_peak()
try:
    torch.load(sys.argv[1])
except Exception as problem:
    print(problem)
print(peak() - before)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(file)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    *said, taken = run.stdout.splitlines()
    assert int(taken) <= (64 << 20) + 4 * file.stat().st_size
    assert "allow_memory" in "\n".join(said)


HONEST = {
    "a vocabulary": lambda: {f"word{k}": 1_000_000 + k for k in range(11_000)},
    "merges": lambda: {(f"left{k}", f"right{k}"): 1_000_000 + k for k in range(4_500)},
    "words": lambda: [f"word{k}" for k in range(20_000)],
    "whole numbers": lambda: [1_000_000 + k for k in range(30_000)],
    "losses": lambda: [k + 0.5 for k in range(60_000)],
    "a log": lambda: [{"loss": k + 0.5, "step": 1_000_000 + k} for k in range(4_500)],
    "pairs": lambda: [(1_000_000 + k, k + 0.5) for k in range(10_000)],
}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("what", HONEST)
def test_honest_objects_load_up_to_some_number(what, protocol, monkeypatch):
    """550,000 words, three million losses, ...: here a fiftieth of all."""
    monkeypatch.setattr("chainrule.serialization.limits._MEGABYTE", (1 << 20) // 50)
    written = HONEST[what]()
    file = io.BytesIO()
    torch.save(written, file, pickle_protocol=protocol)
    file.seek(0)
    assert torch.load(file) == written


def test_indices_of_tokens_load_whatever_their_number(monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    tokens = [30_000, 50_257, 199_997] * 300_000
    file = io.BytesIO()
    torch.save(tokens, file)
    file.seek(0)
    assert torch.load(file) == tokens


def test_tensors_make_room_for_the_words_beside_them(monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    words = {f"word{k}": 1000 + k for k in range(5_000)}
    file = io.BytesIO()
    torch.save({"words": words, "embedding": torch.ones(5_000, 32)}, file)
    file.seek(0)
    assert torch.load(file)["words"] == words


def test_the_error_says_how_much_to_allow(monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    written = {f"word{k}": 1_000_000 + k for k in range(5_000)}
    file = io.BytesIO()
    torch.save(written, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="allow_memory") as caught:
        torch.load(file)
    allowed = re.search(r"allow_memory\((\d+)\)", str(caught.value))
    file.seek(0)
    with torch.serialization.allow_memory(int(allowed[1])):
        assert torch.load(file) == written


PADDED = {
    "one long text": b"X" + (1 << 20).to_bytes(4, "little") + bytes(1 << 20) + b"0",
    "frames": b"\x95" + bytes(8),
    "memo numbers": b"N" + b"r\0\0\0\0" * 1000 + b"0",
}


@pytest.mark.parametrize("padding", PADDED)
def test_padding_earns_nothing(padding, monkeypatch):
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    sets = (4 * len(PADDED[padding]) + 1_000) // 200 + 1_000
    program = PADDED[padding] + b"(" + b"\x8f" * sets + b"l."
    with pytest.raises(pickle.UnpicklingError, match="allow_memory"):
        torch.load(io.BytesIO(archive(program)))


def test_what_a_directory_lists_counts_with_the_objects(monkeypatch):
    """Each is within its limit, both together are not."""
    monkeypatch.setattr("chainrule.serialization.limits._MEGABYTE", (1 << 20) // 20)
    program = b"(" + b"\x8f" * 10_000 + b"l."
    assert len(torch.load(io.BytesIO(archive(program)))) == 10_000
    many = {f"{k:06}": b"" for k in range(2_000)}
    assert torch.load(io.BytesIO(archive(b"K\1.", many))) == 1
    with pytest.raises(pickle.UnpicklingError, match="allow_memory"):
        torch.load(io.BytesIO(archive(program, many)))


def test_a_directory_of_too_many_records_is_refused_unread(monkeypatch, tmp_path):
    def entry(number: int) -> bytes:
        name = b"a/%06d" % number
        return struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name),
                           0, 0, 0, 0, 0, number) + name  # fmt: skip

    count = 200_000
    directory = b"".join(map(entry, range(count)))
    head = b"PK\3\4" + bytes(26)
    data = head + directory
    data += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count,
                        len(directory), len(head))  # fmt: skip
    data += struct.pack("<4sLQL", b"PK\6\7", 0, len(head) + len(directory), 1)
    data += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), len(head), 0)
    assert "too many records" in outcome(data, folder=tmp_path)


def test_many_empty_containers_load_when_they_are_allowed_to(tmp_path, monkeypatch):
    empty = [set() for _ in range(5_000)]
    torch.save(empty, tmp_path / "empty.pt", pickle_protocol=4)
    assert torch.load(tmp_path / "empty.pt") == empty
    monkeypatch.setattr("chainrule.serialization.limits._COUNTED_MEGABYTES", 0)
    with pytest.raises(pickle.UnpicklingError, match="allow_memory"):
        torch.load(tmp_path / "empty.pt")
    with torch.serialization.allow_memory(1 << 30):
        assert torch.load(tmp_path / "empty.pt") == empty
    with pytest.raises(pickle.UnpicklingError, match="allow_memory"):
        torch.load(tmp_path / "empty.pt")
    with pytest.raises(TypeError, match="a number of bytes"):
        torch.serialization.allow_memory(1.5).__enter__()  # type: ignore[arg-type]
