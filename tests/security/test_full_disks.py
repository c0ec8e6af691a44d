"""A system that gives no more (disk, threads): a clear error, and what was there before stays."""

import errno
import io
import os
import subprocess
import sys

import pytest

import chainrule as torch
from chainrule.compiler.machine import worker_threads

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")

HEAD = """
import resource, sys, os
import chainrule as torch
folder = sys.argv[1]
def full():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
def tried(f):
    try:
        f()
    except Exception as problem:
        print(type(problem).__name__, str(problem).replace(chr(10), " "))
"""


def run(program, folder):
    done = subprocess.run(
        [sys.executable, "-c", HEAD + program, str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


SAVES = {
    "archive": ("a.pt", "torch.save(torch.ones(5000), path)"),
    "safetensors": ("a.safetensors", "torch.save({'w': torch.ones(5000)}, path)"),
    "onnx": ("a.onnx", "torch.onnx.export(torch.nn.Linear(90, 90), (torch.ones(1, 90),), path)"),
    "page": ("a.html", "w = torch.ones(3, requires_grad=True); "
             "torch.explain((w * w).sum(), w).to_html(path)"),
    "studio": ("b.html", "torch.studio.trace(lambda x: x * x, {'x': 2.0}).to_html(path)"),
    "figures": ("c.html", "torch.sensitivity(cost, at={'x': 2.0}).to_html(path)"),
}  # fmt: skip


@pytest.mark.parametrize("what", SAVES)
def test_a_full_disk_leaves_the_old_file(what, tmp_path):
    name, save = SAVES[what]
    path = tmp_path / name
    path.write_bytes(b"old")
    (tmp_path / "figures.py").write_text("def cost(x):\n    return x * x\n")
    program = (
        f"sys.path.insert(0, folder); from figures import cost\npath = {str(path)!r}\nfull()\n"
        f"def save():\n    {save}\ntried(save)\n"
    )
    (said,) = run(program, tmp_path)
    assert said.startswith("OSError") and "nothing was saved" in said and str(path) in said
    assert path.read_bytes() == b"old"
    left = {p.name for p in tmp_path.iterdir()} - {name, "figures.py", "__pycache__"}
    assert not left


def test_a_full_disk_leaves_the_old_checkpoint_and_nothing_else(tmp_path):
    program = """
from chainrule.distributed import checkpoint
checkpoint.save({"w": torch.arange(9.0)}, checkpoint_id=folder + "/saved")
full()
tried(lambda: checkpoint.save({"w": torch.ones(9000)}, checkpoint_id=folder + "/saved"))
state = {"w": torch.zeros(9)}
checkpoint.load(state, checkpoint_id=folder + "/saved")
print(state["w"].sum().item(), sorted(os.listdir(folder)))
"""
    said, left = run(program, tmp_path)
    assert "CheckpointException" in said and "What was saved there before is as it was" in said
    assert left == "36.0 ['saved']"


def test_a_diagnosis_is_shown_although_it_cannot_be_written(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "chainrule", "doctor", "--html", str(tmp_path / "no" / "a.html"),
         str(script)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert "doctor:" in done.stdout and "1 backward passes" in done.stdout
    assert done.returncode == 2 and "a.html" in done.stderr and "Traceback" not in done.stderr


def test_without_more_threads_the_work_is_done_and_nothing_piles_up(monkeypatch):
    pool = worker_threads.Workers(worker_threads.shared()._compiled)
    monkeypatch.setattr(pool, "_hire", lambda thread, start: 11)  # EAGAIN
    monkeypatch.setattr(worker_threads, "_workers", pool)
    for _ in range(5):
        pool.hire(3)
    assert not pool._belongings and pool._workers == 0
    pool.dismiss()


def test_an_event_file_names_itself(tmp_path):
    program = """
from chainrule.utils.tensorboard import SummaryWriter
writer = SummaryWriter(folder)
full()
def many():
    for k in range(100):
        writer.add_text("words", "x" * 500, k)
tried(many)
"""
    (said,) = run(program, tmp_path)
    (name,) = os.listdir(tmp_path)
    assert "OSError" in said and name in said


def test_reports_go_to_what_cannot_be_replaced(tmp_path):
    w = torch.ones(3, requires_grad=True)
    torch.explain((w * w).sum(), w).to_html("/dev/null")
    assert os.path.exists("/dev/null") and not os.path.isfile("/dev/null")


def test_a_disk_that_fails_in_the_middle_is_named(tmp_path, monkeypatch):
    path = tmp_path / "weights.pt"
    torch.save(torch.ones(3), path)

    class Failing(io.FileIO):
        def read(self, count=-1):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("chainrule.serialization.open_regular", lambda f: Failing(f))
    with pytest.raises(OSError, match=r"weights\.pt' cannot be read, loaded at"):
        torch.load(path)
