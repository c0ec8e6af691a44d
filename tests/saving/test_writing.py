"""A named file is the old one or the new one, whole, whatever happens while it is written."""

import os
import random
import signal
import stat
import subprocess
import sys
import time

import pytest

import chainrule as torch

SAVE_FOR_EVER = """
import sys
import chainrule as torch
path = sys.argv[1]
for number in range(1, 1_000_000):
    value = {"number": number, "weights": torch.full((60_000,), float(number))}
    if path.endswith("safetensors"):
        del value["number"]
    torch.save(value, path)
    if number == 1:
        print("started", flush=True)
"""


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_killing_a_process_that_saves_leaves_a_whole_file(tmp_path, ending):
    path = tmp_path / f"model.{ending}"
    chance = random.Random(0)
    for _ in range(3 if ending == "pt" else 1):
        running = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOR_EVER, str(path)], stdout=subprocess.PIPE
        )
        assert running.stdout.readline() == b"started\n"
        time.sleep(chance.uniform(0.0, 0.03))
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        found = torch.load(path)
        assert torch.equal(found["weights"], found["weights"][:1].expand(60_000))
        assert found["weights"][0] >= 1
        if ending == "pt":
            assert found["number"] == found["weights"][0]


class Fails:
    def __reduce__(self):
        raise ZeroDivisionError


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.pt"
    torch.save({"x": 1}, path)
    with pytest.raises(ZeroDivisionError):
        torch.save({"x": torch.ones(3), "y": Fails()}, path)
    assert torch.load(path) == {"x": 1}
    assert os.listdir(tmp_path) == ["a.pt"]


def test_saving_through_a_link_replaces_the_file_it_leads_to(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.pt", tmp_path / "link.pt"
    torch.save(1, target)
    link.symlink_to(target)
    torch.save(2, link)
    assert link.is_symlink() and torch.load(target) == 2


def test_permissions_are_kept_and_otherwise_usual(tmp_path):
    path = tmp_path / "a.pt"
    torch.save(1, path)
    usual = tmp_path / "usual"
    usual.touch()
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    torch.save(2, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_saving_to_a_device_writes_to_it():
    torch.save({"x": torch.ones(3)}, os.devnull)
    assert not os.path.isfile(os.devnull)
