"""Stores of process groups: strangers at their port, files of others, writers that are killed."""

import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest

from chainrule import distributed as dist


def said(message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("!q", len(data)) + data


STRANGERS = {
    "a length below zero": struct.pack("!q", -1) + b"x",
    "a length without end": struct.pack("!q", 2**62) + b"x",
    "no JSON": said(b"{{{"),
    "lists without end": said(b"[" * 100_000),
    "another request": said(["os.system", ["ls"]]),
    "too little": said(["_Set", []]),
    "other types": said(["_Set", [{"bytes": "a"}, 5]]),
    "a value that is none": said(["_Set", ["a", 7]]),
    "text that is no number": said(["_Add", ["a", "x"]]),
    "a number without end": said(b'["_Add",["a",' + b"9" * 5000 + b"]]"),
    "letters that are no bytes": said(["_Set", ["a", {"bytes": "\u1234"}]]),
    "no request": said([1]),
    "a browser": b"GET / HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("what", STRANGERS)
def test_strangers_are_left_alone_and_nothing_is_printed(what, capfd):
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)
    with socket.create_connection(("127.0.0.1", store.port)) as stranger:
        stranger.settimeout(20)
        stranger.sendall(STRANGERS[what])
        assert stranger.recv(100) == b""
    store.set("a", "1")
    assert store.get("a") == b"1" and store.num_keys() == 1
    store.close()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", ["hash", "file", "tcp"])
def test_a_wrong_request_leaves_the_store_in_order(kind, tmp_path):
    store = {
        "hash": dist.HashStore,
        "file": lambda: dist.FileStore(str(tmp_path / "store")),
        "tcp": lambda: dist.TCPStore("127.0.0.1", 0, is_master=True),
    }[kind]()
    store.set("word", "abc")
    with pytest.raises(ValueError, match="the value of 'word' is none"):
        store.add("word", 1)
    with pytest.raises(TypeError, match="text for keys"):
        store.set(5, "x")
    assert store.get("word") == b"abc" and store.add("n", 2) == 2
    assert store.delete_key("word") and store.num_keys() == 1


@pytest.mark.parametrize("data", [b"my thesis", b"\xff" * 40, struct.pack("!q", -8) * 2])
def test_files_of_others_are_left_as_they_are(data, tmp_path):
    path = tmp_path / "thesis"
    path.write_bytes(data)
    with pytest.raises(dist.DistStoreError, match="no file of a store"):
        dist.FileStore(str(path)).set("a", "b")
    assert path.read_bytes() == data


def test_a_pipe_is_no_file_of_a_store(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(dist.DistStoreError, match="is a pipe or a device"):
        dist.FileStore(str(tmp_path / "pipe")).set("a", "1")


def test_a_damaged_file_is_told_of(tmp_path):
    path = tmp_path / "store"
    dist.FileStore(str(path)).set("a", "b")
    path.write_bytes(path.read_bytes() + struct.pack("!qq", -8, -8))
    with pytest.raises(dist.DistStoreError, match="is damaged"):
        dist.FileStore(str(path)).get("a")


WRITER = """
import sys
from chainrule.distributed import FileStore
store = FileStore(sys.argv[1])
print("ready", flush=True)
while True:
    n = store.add("count", 1)
    store.set("last", b"x" * 20_000 + str(n).encode())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="locks of POSIX")
def test_a_killed_writer_loses_nothing(tmp_path):
    path, chance, before = str(tmp_path / "store"), random.Random(3), 0
    for _ in range(4):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.05, 0.2))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        count = dist.FileStore(path).add("count", 0)
        last = int(dist.FileStore(path).get("last").lstrip(b"x"))
        assert count >= before and last in (count, count - 1)
        before = count
    cut = (tmp_path / "store").read_bytes()[:-5]  # as if it had been killed in the middle
    (tmp_path / "store").write_bytes(cut)
    assert dist.FileStore(path).add("count", 0) in (before, before - 1)
    dist.FileStore(path).set("more", "1")
    assert dist.FileStore(path).get("more") == b"1"
