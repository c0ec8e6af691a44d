"""Machine code on disk is read and written only where nobody else can put any."""

import logging
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from chainrule.compiler.machine import code_cache, trusted_folders

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="users of POSIX systems")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A trusted folder that is the cache."""
    for above in (tmp_path, *tmp_path.parents[:2]):
        above.chmod(0o700)
    made = tmp_path / "cache"
    made.mkdir(0o700)
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(made))
    trusted_folders._said.clear()
    code_cache._swept.clear()
    return made


def entry_of(key: str, folder):
    return folder / code_cache._name(key)


def unused(folder, caplog) -> str:
    """Nothing is written or read; returns what was said, once."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, "chainrule"):
        for _ in range(3):
            code_cache.write("key", b"code")
            assert code_cache.read("key") is None
    (said,) = caplog.messages
    assert str(folder) in said and "CHAINRULE_CACHE_DIR" in said
    return said


def test_a_trusted_folder_serves(folder, caplog):
    code_cache.write("key", b"code")
    assert code_cache.read("key") == b"code" and not caplog.messages


@pytest.mark.parametrize("mode", [0o722, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used(folder, caplog, mode):
    folder.chmod(mode)
    assert "does not belong to this user alone" in unused(folder, caplog) or mode != 0o1777
    assert not list(folder.iterdir())


def test_a_folder_below_one_that_others_can_write_to_is_not_used(folder, caplog):
    folder.parent.chmod(0o777)
    assert f"others can write to {folder.parent}" in unused(folder, caplog)
    folder.parent.chmod(0o1777)  # sticky, as /tmp: others cannot replace the folder
    code_cache.write("key", b"code")
    assert code_cache.read("key") == b"code"


@pytest.mark.skipif(os.getuid() != 0, reason="gives folders to somebody else")
@pytest.mark.parametrize("whose", ["folder", "parent", "link"])
def test_a_folder_of_somebody_else_is_not_used(folder, caplog, monkeypatch, whose):
    if whose == "link":
        link = folder.parent / "link"
        link.symlink_to(folder)
        os.lchown(link, 12345, 12345)
        monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(link))
        assert "belongs to somebody else" in unused(link, caplog)
    else:
        os.chown(folder if whose == "folder" else folder.parent, 12345, 12345)
        assert "belongs to somebody else" in unused(folder, caplog)
        os.chown(folder.parent, 0, 0)


def test_own_links_are_followed(folder, monkeypatch):
    link = folder.parent / "link"
    link.symlink_to("cache")
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(link / ".." / "link" / "deeper"))
    code_cache.write("key", b"code")
    assert code_cache.read("key") == b"code" and entry_of("key", folder / "deeper").exists()
    (folder.parent / "loop").symlink_to("loop")
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(folder.parent / "loop"))
    assert code_cache.read("key") is None


def test_relative_folders_are_not_used(folder, caplog, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", "cache")
    assert "not an absolute path" in unused("cache", caplog)
    monkeypatch.delenv("CHAINRULE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert code_cache.folder() == str(tmp_path / ".cache" / "chainrule")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # neither HOME nor a user's entry
    assert "not an absolute path" in unused("~", caplog)
    assert not (tmp_path / "~").exists()


def test_nothing_is_made_below_a_folder_that_others_can_write_to(tmp_path, monkeypatch, caplog):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(shared / "a" / "\x1b[31m"))
    trusted_folders._said.clear()
    with caplog.at_level(logging.WARNING, "chainrule"):
        code_cache.write("0" * 64, b"code")
    assert list(shared.iterdir()) == []
    assert f"others can write to {shared}" in caplog.text


def test_new_folders_are_for_the_user_alone(folder, monkeypatch):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(folder / "a" / "b"))
    before = os.umask(0)
    try:
        code_cache.write("key", b"code")
    finally:
        os.umask(before)
    assert code_cache.read("key") == b"code"
    assert (folder / "a").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("what", ["pipe", "link", "folder", "device"])
def test_entries_that_are_no_files_are_not_read_and_do_not_block(folder, what, tmp_path):
    code_cache.write("key", b"code")
    entry, aside = entry_of("key", folder), tmp_path / "aside"
    entry.rename(aside)
    if what == "pipe":
        os.mkfifo(entry, 0o600)
    elif what == "link":
        entry.symlink_to(aside)
    elif what == "folder":
        entry.mkdir(0o700)
    else:
        entry.symlink_to("/dev/zero")
    assert code_cache.read("key") is None
    code_cache.write("key", b"code")
    if what != "folder":
        assert code_cache.read("key") == b"code" and not entry.is_symlink()


def test_a_huge_entry_is_not_read(folder):
    code_cache.write("key", b"code")
    os.truncate(entry_of("key", folder), code_cache._LARGEST + 1)
    assert code_cache.read("key") is None


def test_what_killed_writers_left_is_removed(folder):
    code_cache.write("key", b"code")
    old, new = (folder / f"{code_cache._name('other')}.{k}.aa" for k in (1, 2))
    for path in (old, new):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * code_cache._ABANDONED
    os.utime(old, (long_ago, long_ago))
    code_cache._swept.clear()  # as in another process
    code_cache.write("key", b"code")
    assert not old.exists() and new.exists() and code_cache.read("key") == b"code"


WRITE_FOR_EVER = """
import itertools
from chainrule.compiler.machine import code_cache
print("started", flush=True)
for number in itertools.count():
    code_cache.write(f"key {number % 5}", bytes([number % 5]) * 300_000)
"""


def test_killing_writers_leaves_whole_entries(folder):
    chance = random.Random(0)
    for _ in range(4):
        running = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER], stdout=subprocess.PIPE)
        assert running.stdout.readline() == b"started\n"
        time.sleep(chance.uniform(0.01, 0.06))
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        for number in range(5):
            path = entry_of(f"key {number}", folder)
            found = code_cache.read(f"key {number}")
            assert found == bytes([number]) * 300_000 or not path.exists()
