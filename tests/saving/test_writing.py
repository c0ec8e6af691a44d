"""A named file is the old one or the new one, whole, whatever happens while it is written."""

import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


KILL_EVERYWHERE = """
import os, signal, sys
import chainrule as torch
import chainrule.serialization.archive as archive
path = sys.argv[1]
steps = [(os, name) for name in ("fsync", "replace", "fchmod", "open", "scandir")]
steps.append((archive.ArchiveWriter, "_write"))
def save_killed_at(kill_at):
    left = [kill_at]
    def counted(call):
        def wrapped(*args, **kwargs):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)
        return wrapped
    for home, name in steps:
        setattr(home, name, counted(getattr(home, name)))
    torch.save({"w": torch.full((50_000,), 2.0)}, path)
    os._exit(0)
for kill_at in range(100):
    torch.save({"w": torch.full((50_000,), 1.0)}, path)
    child = os.fork()
    if not child:
        save_killed_at(kill_at)
    status = os.waitpid(child, 0)[1]
    found = torch.load(path)["w"]
    print(found.min().item(), found.max().item(), status, flush=True)
    if not status:
        break
"""


def test_killing_at_every_step_of_a_save_leaves_the_old_or_the_new_file(tmp_path):
    path = tmp_path / "model.pt"
    done = subprocess.run(
        [sys.executable, "-c", KILL_EVERYWHERE, str(path)], capture_output=True, text=True
    )
    assert not done.stderr
    *killed, last = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(killed) > 20 and {status for *_, status in killed} == {signal.SIGKILL}
    assert all(low == high for low, high, _ in killed)
    assert {low for low, *_ in killed} == {1.0, 2.0} and last == (2.0, 2.0, 0)
    left = [name for name in os.listdir(tmp_path) if name != "model.pt"]
    assert left and all(name.endswith(".chainrule.tmp") for name in left)
    long_ago = time.time() - 3600
    for name in left:
        os.utime(tmp_path / name, (long_ago, long_ago))
    torch.save(1, path)
    assert os.listdir(tmp_path) == ["model.pt"]


def test_unfinished_files_of_living_writers_stay(tmp_path):
    import fcntl

    written, fresh = tmp_path / ".a.x.1.chainrule.tmp", tmp_path / ".b.x.1.chainrule.tmp"
    for path in (written, fresh):
        path.write_bytes(b"half")
    os.utime(written, (1, 1))
    with open(written, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        torch.save(1, tmp_path / "c.pt")
        assert written.exists() and fresh.exists()
    torch.save(1, tmp_path / "c.pt")
    assert not written.exists() and fresh.exists()


FULL_DISK = """
import resource, signal, sys
import chainrule as torch
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
torch.save({"w": torch.ones(100_000)}, sys.argv[1])
"""


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_a_full_disk_is_an_error_that_names_the_file(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    torch.save({"w": torch.zeros(2)}, path)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True
    )
    said = done.stderr.splitlines()[-1]
    assert "nothing was saved; the file of this name that was there is unchanged" in said
    assert f"a.{ending}" in said
    assert os.listdir(tmp_path) == [path.name] and torch.load(path)["w"].sum() == 0


READ_ONLY = """
import os, sys
import chainrule as torch
torch.save(1, sys.argv[2])  # everything is imported now
if os.getuid() == 0:
    os.setuid(65534)
torch.save(1, sys.argv[1])
"""


@pytest.fixture
def seen_by_all():
    """A folder that other users may look into; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        yield Path(made)


def test_a_folder_that_cannot_be_written_to_is_an_error_that_names_the_file(seen_by_all):
    folder = seen_by_all / "closed"
    folder.mkdir(0o555)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(folder / "a.pt"), str(seen_by_all / "b.pt")],
        capture_output=True, text=True,
    )  # fmt: skip
    said = done.stderr.splitlines()[-1]
    assert said.startswith("PermissionError") and "nothing was saved" in said
    assert "closed/a.pt" in said and not os.listdir(folder)


def test_names_as_long_as_the_system_takes(tmp_path):
    path = tmp_path / ("x" * 250 + ".pt")
    torch.save(1, path)
    assert torch.load(path) == 1


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
