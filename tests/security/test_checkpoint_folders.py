"""Folders of distributed checkpoints whose index lies: nothing outside of them is read."""

import json
import os

import pytest

import chainrule as torch
from chainrule.distributed import checkpoint


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "saved"
    checkpoint.save({"w": torch.arange(12.0).reshape(4, 3), "n": 3}, checkpoint_id=str(found))
    (tmp_path / "secret").write_bytes(bytes(48))
    return found


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
