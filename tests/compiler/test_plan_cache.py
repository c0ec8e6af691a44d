"""Machine code of plans on disk: another process loads it; what is damaged or foreign is not."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.machine import code_cache, host
from chainrule.compiler.runtime.plan import Plan

pytestmark = pytest.mark.jit

PROGRAM = """
import chainrule as torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
def step(x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss
run = torch.compile(step, fullgraph=True)
print([run(torch.ones(3, 4)).item() for _ in range(5)])
"""


def run_program(folder):
    environment = {**os.environ, "CHAINRULE_CACHE_DIR": str(folder), "CHAINRULE_LOG": "compile"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def test_another_process_finds_the_code_of_a_step(tmp_path):
    first, log = run_program(tmp_path)
    entries = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert entries and "machine code of" in log
    second, _ = run_program(tmp_path)
    assert second == first
    # The second process found every entry: it wrote none.
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == entries
    # The log tells passes, times and the plan.
    for part in ("trace step: ", "merge_duplicates: ", "compile step: ", "graph(", "kernels"):
        assert part in log


def times(number):
    """What a newly made plan computes."""
    graph = Graph()
    x = graph.input((3,), "f4")
    graph.outputs = [emit(graph, "mul", x, number)]
    return Plan(graph).run([np.arange(3, dtype="f4")])[0].tolist()


@pytest.mark.parametrize("damage", ["short", "changed", "empty", "of another program"])
def test_damaged_and_foreign_entries_are_compiled_again(tmp_path, monkeypatch, damage):
    times(2.0)  # what all plans share is there now
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    assert times(3.0) == [0, 3, 6]
    (other,) = tmp_path.iterdir()
    assert times(2.0) == [0, 2, 4]
    (entry,) = set(tmp_path.iterdir()) - {other}
    whole = entry.read_bytes()
    entry.write_bytes(
        {
            "short": whole[:-100],
            "changed": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
            "empty": b"",
            "of another program": other.read_bytes(),
        }[damage]
    )
    assert times(2.0) == [0, 2, 4]
    assert entry.read_bytes() == whole


def test_entries_of_other_users_are_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    code_cache.write("key", b"code")
    assert code_cache.read("key") == b"code"
    monkeypatch.setattr(os, "getuid", lambda: 12345678)
    assert code_cache.read("key") is None


def test_entries_that_others_could_have_written_are_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    code_cache.write("key", b"code")
    (entry,) = tmp_path.iterdir()
    assert entry.stat().st_mode & 0o777 == 0o600
    for mode, found in ((0o620, None), (0o602, None), (0o644, b"code")):
        entry.chmod(mode)
        assert code_cache.read("key") == found


def test_random_bytes_are_never_code(tmp_path, monkeypatch):
    times(2.0)
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    times(2.0)
    (entry,) = tmp_path.iterdir()
    whole, rng = entry.read_bytes(), np.random.default_rng(0)
    for k in range(12):
        noise = rng.bytes(int(rng.integers(0, len(whole) + 50)))
        entry.write_bytes(noise if k % 2 else whole[: len(noise)] + noise[:9])
        assert times(2.0) == [0, 2, 4]
        assert entry.read_bytes() == whole


@pytest.mark.parametrize("what", ["processor", "llvm_found", "package_stamp"])
def test_code_of_another_machine_or_version_is_not_found(tmp_path, monkeypatch, what):
    times(2.0)
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    times(2.0)
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(host, what, lambda: "another")
    keys = []
    monkeypatch.setattr(code_cache, "read", lambda key: keys.append(key))
    times(2.0)
    assert keys and all("another" in key or what != "processor" for key in keys)
    assert not any(
        tmp_path / f"{code_cache.sha256(k.encode()).hexdigest()}.o" in before for k in keys
    )


def test_a_folder_that_vanishes_or_is_read_only(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(folder))
    assert times(2.0) == [0, 2, 4]
    assert list(folder.iterdir())
    shutil.rmtree(tmp_path / "a")
    assert times(2.5) == [0, 2.5, 5]
    assert list(folder.iterdir())
    folder.chmod(0o500)
    try:
        assert times(2.75) == [0, 2.75, 5.5]
    finally:
        folder.chmod(0o700)


def test_processes_that_write_at_the_same_time(tmp_path):
    environment = {**os.environ, "CHAINRULE_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    texts = {process.communicate()[0] for process in started}
    assert len(texts) == 1 and all(process.returncode == 0 for process in started)
    assert all(path.suffix == ".o" for path in tmp_path.iterdir())  # no half-written file is left


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(blocked / "below"))
    assert times(2.0) == [0, 2, 4]


def test_old_entries_make_room(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code_cache, "_LARGEST", 500)
    for k in range(10):
        code_cache.write(f"key {k}", bytes(100))
        for path in tmp_path.iterdir():
            os.utime(path, (k, k)) if path.stat().st_mtime > 100 else None
    code_cache._trim(str(tmp_path))
    assert code_cache.read("key 9") is not None and code_cache.read("key 0") is None
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 500
