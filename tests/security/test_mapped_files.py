"""Files as memory: only plain files, only bytes that are there, nothing changed by a refusal."""

import os
import subprocess
import sys

import pytest

import chainrule as torch

MAPPERS = [
    lambda name, shared, size: torch.UntypedStorage.from_file(str(name), shared, size),
    lambda name, shared, size: torch.from_file(str(name), shared, size, dtype=torch.uint8),
]


@pytest.mark.parametrize("mapped", MAPPERS)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("size", [-1, -(2**62), 2**62, 2**63, 2**80])
def test_absurd_sizes_are_refused_and_change_nothing(mapped, shared, size, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(64)))
    with pytest.raises(RuntimeError, match=r"unable to (mmap|resize)"):
        mapped(path, shared, size)
    assert path.read_bytes() == bytes(range(64))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("mapped", MAPPERS)
@pytest.mark.parametrize("shared", [False, True])
def test_what_is_no_file_is_refused_without_waiting(mapped, shared, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero", "/dev/null"):
        with pytest.raises(RuntimeError, match=r"a pipe or a device|Is a directory"):
            mapped(path, shared, 4)
    with pytest.raises(RuntimeError, match=r"unable to open file .*No such file"):
        mapped(tmp_path / "gone" / "bytes", shared, 4)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
def test_a_disk_without_room_is_an_error_and_the_file_as_it_was(tmp_path):
    """A signal that ends the process would come later otherwise, with the first write."""
    path = tmp_path / "bytes"
    path.write_bytes(b"old" * 100)
    program = """
import resource, sys
import chainrule as torch
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for share in (lambda: torch.from_file(sys.argv[1], True, 1 << 20),
              lambda: torch.ones(1 << 20).share_memory_()):
    try:
        share()
    except RuntimeError as problem:
        print(str(problem).splitlines()[0])
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    first, second = run.stdout.splitlines()
    assert "unable to resize file" in first and "unable to share" in second
    assert path.read_bytes() == b"old" * 100
