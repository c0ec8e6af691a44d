"""Folders of distributed checkpoints whose index lies: nothing outside of them is read."""

import json
import os
import shutil
import sys
import time

import pytest
from chainrule.distributed.checkpoint.format_utils import dcp_to_torch_save

import chainrule as torch
from chainrule.distributed import checkpoint

from . import pickles


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    found = tmp_path_factory.mktemp("once") / "saved"
    checkpoint.save({"w": torch.arange(12.0).reshape(4, 3), "n": 3}, checkpoint_id=str(found))
    return found


@pytest.fixture
def folder(saved, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(48))
    return shutil.copytree(saved, tmp_path / "saved")


def changed(folder, change):
    (index,) = folder.rglob(".metadata")
    held = json.loads(index.read_text())
    change(held["values"]["w"]["pieces"][0])
    index.write_text(json.dumps(held))
    return index.parent


def loaded(folder):
    state = {"w": torch.zeros(4, 3), "n": 0}
    checkpoint.load(state, checkpoint_id=str(folder))
    return state


def test_a_good_folder_loads(folder):
    assert loaded(folder)["w"].tolist()[3] == [9, 10, 11] and loaded(folder)["n"] == 3


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "..", "", None, "pipe", "link"])
def test_files_elsewhere_pipes_and_links_are_refused(folder, name):
    def elsewhere(piece):
        piece[0] = str(folder.parent / "secret") if name is None else name

    inside = changed(folder, elsewhere)
    os.mkfifo(inside / "pipe")
    os.symlink(folder.parent / "secret", inside / "link")
    with pytest.raises(checkpoint.CheckpointException, match="no such file in the folder"):
        loaded(folder)


@pytest.mark.parametrize(
    ("place", "value"), [(1, 2**40), (1, -8), (2, 2), (2, -1), (3, [2, 3]), (3, [4, 4])]
)
def test_rows_that_are_nowhere_are_not_made_up(folder, place, value):
    changed(folder, lambda piece: piece.__setitem__(place, value))
    with pytest.raises(checkpoint.CheckpointException, match="is damaged"):
        loaded(folder)


# ---- an index that says anything -----------------------------------------------------------------


def with_index(folder, change):
    """The folder with an index of other words."""
    (index,) = folder.rglob(".metadata")
    index.write_bytes(change(json.loads(index.read_text())))


@pytest.mark.parametrize(
    "words",
    [b"", b"\xff", b"[" * 100_000, b"{}", b"[]", b'{"values":[]}', b'{"values":' * 9000,
     b'{"values":{"w":' + b"[" * 100_000, b'{"values":{"w":{},"w":{}}}',
     b'{"values":{"w":{"shape":[4,3],"shape":[4,3]}}}',
     b'{"values":{"w":{"n":' + b"9" * 9000 + b"}}}"],
    ids=lambda words: words[:24].decode("latin1"),
)  # fmt: skip
def test_an_index_that_is_none_is_refused_by_name(folder, words):
    with_index(folder, lambda held: words)
    with pytest.raises(checkpoint.CheckpointException, match=r"saved is damaged|Missing key"):
        loaded(folder)


_ANYTHING = [None, True, -1, 1.5, 2**70, "x", [], [[]], {"a": 1}, [None], ["4", 3], [2**62] * 2]


_PIECE = ("file", "start", "first", "rows")


@pytest.mark.parametrize("place", ["", "shape", "dtype", "pieces", "length", *_PIECE])
def test_an_entry_that_is_none_is_refused_by_name(saved, tmp_path, place):
    for number, value in enumerate(_ANYTHING):
        folder = shutil.copytree(saved, tmp_path / f"saved{number}")

        def change(held, value=value):
            entries = held["values"]
            if not place:
                entries["w"] = value
            elif place in _PIECE:
                entries["w"]["pieces"][0][_PIECE.index(place)] = value
            else:
                entries["n" if place == "length" else "w"][place] = value
            return json.dumps(held).encode()

        with_index(folder, change)
        with pytest.raises(checkpoint.CheckpointException, match=r"is damaged|mismatch") as found:
            loaded(folder)
        assert len(str(found.value)) < 1000


@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "endless"])
def test_an_index_that_is_no_plain_file_is_refused_at_once(folder, kind):
    (index,) = folder.rglob(".metadata")
    words = index.read_bytes()
    index.unlink()
    if kind == "pipe":
        os.mkfifo(index)
    elif kind == "link":
        (folder.parent / "elsewhere").write_bytes(words)
        index.symlink_to(folder.parent / "elsewhere")
    elif kind == "endless":
        index.symlink_to("/dev/zero")
    else:
        index.mkdir()
    with pytest.raises(checkpoint.CheckpointException, match="saved is damaged"):
        loaded(folder)


def test_pieces_that_repeat_one_another_are_read_once(folder):
    """They were opened and copied one by one: five seconds for thirty thousand."""

    def change(held):
        entry = held["values"]["w"]
        entry["pieces"] = entry["pieces"] * 30_000
        return json.dumps(held).encode()

    with_index(folder, change)
    start = time.thread_time()
    assert loaded(folder)["w"].tolist()[3] == [9, 10, 11]
    assert time.thread_time() - start < 2


def test_values_that_share_their_bytes_share_one_allowance(tmp_path):
    state = {f"k{i}": i for i in range(40)}
    checkpoint.save(state, checkpoint_id=str(tmp_path / "saved"))
    data = pickles.archive(b"\x80\x04](" + b"]" * 200_000 + b"e.")
    (tmp_path / "saved" / "0.bin").write_bytes(data)

    def change(held):
        for entry in held["values"].values():
            entry.update(start=0, length=len(data))
        return json.dumps(held).encode()

    with_index(tmp_path, change)
    with pytest.raises(checkpoint.CheckpointException, match=r"more than 5. MB of memory"):
        checkpoint.load(state, checkpoint_id=str(tmp_path / "saved"))


def test_a_bool_of_a_folder_is_true_or_false(folder, tmp_path):
    place = tmp_path / "flags"
    checkpoint.save({"b": torch.tensor([True, False, True])}, checkpoint_id=str(place))
    (place / "0.bin").write_bytes(b"\x07\x00\xff")
    state = {"b": torch.zeros(3, dtype=torch.bool)}
    checkpoint.load(state, checkpoint_id=str(place))
    assert state["b"].view(torch.uint8).tolist() == [1, 0, 1]


# ---- parts without end ---------------------------------------------------------------------------


def test_parts_that_repeat_one_another_are_refused(folder):
    """Each of ten thousand parts was the whole tensor, read again."""

    def repeated(held):
        name = held["values"]["w"]["pieces"][0][0]
        columns = [[name, 0, [0, 0], [4, 2]]] * 10_000 + [[name, 0, [0, 2], [4, 1]]]
        held["values"]["w"]["pieces"] = columns
        return json.dumps(held).encode()

    with_index(folder, repeated)
    with pytest.raises(checkpoint.CheckpointException, match="repeat one another"):
        loaded(folder)


def test_tensors_that_repeat_one_another_are_refused(tmp_path):
    folder = tmp_path / "saved"
    checkpoint.save({"w": torch.ones(1000)}, checkpoint_id=str(folder))

    def repeated(held):
        held["values"] |= {f"w{k}": {**held["values"]["w"], "keys": [3]} for k in range(10, 99)}
        return json.dumps(held).encode()

    with_index(folder, repeated)
    with pytest.raises(checkpoint.CheckpointException, match="more bytes than its files"):
        dcp_to_torch_save(str(folder), str(tmp_path / "one.pt"))
    assert not (tmp_path / "one.pt").exists()


def test_values_inside_of_values_that_are_no_dicts_are_refused(folder, tmp_path):
    def inside(held):
        held["values"]["w.x"] = {**held["values"]["w"], "keys": [1, 1]}
        return json.dumps(held).encode()

    with_index(folder, inside)
    with pytest.raises(checkpoint.CheckpointException, match="no dict"):
        dcp_to_torch_save(str(folder), str(tmp_path / "one.pt"))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
def test_more_files_than_a_process_may_open(folder):
    """As many ranks wrote them: a thousand files is where systems stop."""

    def spread(held):
        rows = [[f"{k}.bin", 0, [k, 0], [1, 3]] for k in range(200)]
        held["values"]["w"] |= {"pieces": rows, "shape": [200, 3]}
        return json.dumps(held).encode()

    with_index(folder, spread)
    for k in range(1, 200):
        shutil.copy(folder / "0.bin", folder / f"{k}.bin")
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    state = {"w": torch.zeros(200, 3)}
    resource.setrlimit(resource.RLIMIT_NOFILE, (150, before[1]))
    try:
        checkpoint.load(state, checkpoint_id=str(folder))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert state["w"][199].tolist() == [0, 1, 2]
