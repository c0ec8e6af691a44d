"""Stores: small values by name, which processes share to find each other."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import socket
import socketserver
import stat
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.accidents import explain_module
from .errors import DistNetworkError, DistStoreError

_PATIENCE = datetime.timedelta(minutes=5)
_POLL = 0.01
_LONGEST = 1 << 30  # bytes of one message


class Store:
    """Values (bytes) by name; `get` waits until there is one."""

    def __init__(self, timeout: datetime.timedelta = _PATIENCE) -> None:
        self.timeout = timeout

    def __reduce__(self) -> Any:
        raise TypeError(
            f"cannot pickle 'torch.distributed.{type(self).__name__}' object: it belongs to this "
            "process. Fix: make one in the other process, with the same address or file."
        )

    def _change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        """Run a function on all values while nobody else does."""
        raise NotImplementedError

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """How long `get` and `wait` wait."""
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Write a value."""
        data = value.encode() if isinstance(value, str) else bytes(value)
        self._change(_Set(key, data))

    def get(self, key: str) -> bytes:
        """A value, as soon as there is one."""
        self.wait([key])
        return self._change(_Get(key))

    def add(self, key: str, amount: int) -> int:
        """Add to a number (0 before the first time); the sum."""
        return self._change(_Add(key, int(amount)))

    def append(self, key: str, value: str | bytes) -> None:
        """Write at the end of a value."""
        data = value.encode() if isinstance(value, str) else bytes(value)
        self._change(_Append(key, data))

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Write if the value is the expected one ("": if there is none); what is there now."""
        return self._change(_Exchange(key, expected_value.encode(), desired_value.encode()))

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all these have values."""
        return self._change(_Has(tuple(keys)))

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        """Wait until all these have values."""
        seconds = (timeout or self.timeout).total_seconds()
        end = time.monotonic() + seconds
        while not self.check(keys):
            if time.monotonic() > end:
                raise DistStoreError(
                    f"wait timeout after {round(seconds * 1000)}ms, keys: {', '.join(keys)}"
                )
            time.sleep(_POLL)

    def delete_key(self, key: str) -> bool:
        """Remove a value; whether there was one."""
        return self._change(_Delete(key))

    def num_keys(self) -> int:
        """How many values there are."""
        return self._change(_Count())

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Several values."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        """Write several values."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)


# What each request brings along.
_PARTS: dict[str, tuple[type, ...]] = {
    "_Set": (str, bytes), "_Get": (str,), "_Add": (str, int), "_Append": (str, bytes),
    "_Exchange": (str, bytes, bytes), "_Has": (tuple,), "_Delete": (str,), "_Count": (),
}  # fmt: skip


def _are_parts(name: str, parts: Any) -> bool:
    """Whether a request of that name can have these."""
    if not isinstance(parts, tuple) or tuple(map(type, parts)) != _PARTS.get(name):
        return False
    return name != "_Has" or all(type(key) is str for key in parts[0])


class _Request:
    """What a client asks of the values; made of plain data, so that it can be sent."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        if not _are_parts(type(self).__name__, parts):
            raise TypeError(f"a store has text for keys and bytes or text for values, got {parts}")

    def __call__(self, values: dict[str, bytes]) -> Any:
        return _ACTS[type(self).__name__](values, *self.parts)


class _Set(_Request): ...


class _Get(_Request): ...


class _Add(_Request): ...


class _Append(_Request): ...


class _Exchange(_Request): ...


class _Has(_Request): ...


class _Delete(_Request): ...


class _Count(_Request): ...


def _set(values: dict[str, bytes], key: str, value: bytes) -> None:
    values[key] = value


def _add(values: dict[str, bytes], key: str, amount: int) -> int:
    try:
        total = int(values.get(key, b"0")) + amount
    except ValueError:
        raise ValueError(f"add() needs a number, and the value of {key!r} is none") from None
    values[key] = str(total).encode()
    return total


def _exchange(values: dict[str, bytes], key: str, expected: bytes, desired: bytes) -> bytes:
    if (key not in values and not expected) or values.get(key) == expected:
        values[key] = desired
    return values.get(key, expected)


_ACTS: dict[str, Callable[..., Any]] = {
    "_Set": _set,
    "_Get": lambda values, key: values.get(key),
    "_Add": _add,
    "_Append": lambda values, key, data: _set(values, key, values.get(key, b"") + data),
    "_Exchange": _exchange,
    "_Has": lambda values, keys: all(key in values for key in keys),
    "_Delete": lambda values, key: values.pop(key, None) is not None,
    "_Count": len,
}


class HashStore(Store):
    """Within one process.

    >>> store = HashStore()
    >>> store.set("a", "1")
    >>> store.get("a"), store.add("n", 2), store.add("n", 3)
    (b'1', 2, 5)
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def _change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        with self._lock:
            return act(self._values)


class FileStore(Store):
    """In a file that all processes see.

    Changes are added at its end: a process that is killed while it writes leaves a piece that the
    next one takes away.
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self.path = file_name
        self.world_size = world_size

    def _change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        import fcntl

        with self._opened() as opened:
            fcntl.flock(opened, fcntl.LOCK_EX)
            opened.seek(0)
            values, whole = _read_changes(opened.read(), self.path)
            before = dict(values)
            result = act(values)
            if values != before:
                opened.truncate(whole)
                opened.write((b"" if whole else _MAGIC) + _changes(before, values))
            return result

    def _opened(self) -> Any:
        """The file, made if there is none; a pipe would wait for somebody at its other end."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(self.path, flags, 0o666)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return os.fdopen(handle, "a+b")
        os.close(handle)
        raise DistStoreError(f"{self.path} is a pipe or a device. Fix: give the name of a new file")


_MAGIC = b"chainrule store 2\n"
_LENGTHS = struct.Struct("!qq")
_REMOVED = -1


def _changes(before: dict[str, bytes], values: dict[str, bytes]) -> bytes:
    """What turns one table into the other: keys and values after their lengths."""
    parts: list[bytes] = []
    for key, value in values.items():
        if before.get(key) != value:
            parts += [_LENGTHS.pack(len(key.encode()), len(value)), key.encode(), value]
    for key in before.keys() - values.keys():
        parts += [_LENGTHS.pack(len(key.encode()), _REMOVED), key.encode()]
    return b"".join(parts)


def _read_changes(data: bytes, path: Any) -> tuple[dict[str, bytes], int]:
    """The values, and how many bytes hold whole changes."""
    if data[: len(_MAGIC)] != _MAGIC:
        if _MAGIC.startswith(data):  # nobody has written yet, or whoever began was killed
            return {}, 0
        raise DistStoreError(f"{path} is no file of a store. Fix: give the name of a new file")
    values: dict[str, bytes] = {}
    at = len(_MAGIC)
    while len(data) - at >= _LENGTHS.size:
        key_length, length = _LENGTHS.unpack_from(data, at)
        if key_length < 0 or length < _REMOVED:
            raise DistStoreError(f"{path} is damaged. Fix: remove it and start all processes again")
        end = at + _LENGTHS.size + key_length + max(length, 0)
        if end > len(data):
            break
        start = at + _LENGTHS.size
        key = data[start : start + key_length].decode(errors="replace")
        if length == _REMOVED:
            values.pop(key, None)
        else:
            values[key] = data[start + key_length : end]
        at = end
    return values, at


class PrefixStore(Store):
    """Another store with a prefix before every name."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__(store.timeout)
        self.prefix, self.underlying_store = prefix, store

    def _change(self, act: Any) -> Any:
        head, *rest = act.parts or (None,)
        if isinstance(head, str):
            head = f"{self.prefix}/{head}"
        elif isinstance(head, tuple):
            head = tuple(f"{self.prefix}/{key}" for key in head)
        return self.underlying_store._change(type(act)(*([head, *rest] if act.parts else ())))


class TCPStore(Store):
    """On one process that serves the others by TCP."""

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: datetime.timedelta = _PATIENCE, wait_for_workers: bool = True,
        multi_tenant: bool = False, master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(timeout)
        self.host, self.port, self.is_master = host_name, port, is_master
        self._server: Any = None
        if is_master:
            self._server = _serve(port)
            self.port = self._server.server_address[1]
        self._lock = threading.Lock()
        from ..ops.interrupts import keep_interrupts

        keep_interrupts()
        self._socket = _connected(host_name, self.port, timeout.total_seconds())
        if world_size and wait_for_workers:
            self.add("init/", 1)
            self._wait_for_workers(world_size)

    def close(self) -> None:
        """Leave the store, and end it for all if this process serves it."""
        self._socket.close()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __del__(self) -> None:
        try:
            if hasattr(self, "_socket"):
                self.close()
        except KeyboardInterrupt:  # raised here it would be lost
            from ..ops.interrupts import interrupt_afterwards

            self.close()
            interrupt_afterwards()

    def _wait_for_workers(self, count: int) -> None:
        end = time.monotonic() + self.timeout.total_seconds()
        while self.add("init/", 0) < count:
            if time.monotonic() > end:
                raise DistStoreError(f"Timed out waiting for {count} clients of the store")
            time.sleep(_POLL)

    def _change(self, act: Any) -> Any:
        with self._lock:
            _send(self._socket, (type(act).__name__, act.parts))
            try:
                answer = _received(self._socket)
            except _NoRequest:
                raise DistNetworkError(
                    f"what answers at {self.host}:{self.port} is no store"
                ) from None
        if answer is None:
            raise DistNetworkError(f"Connection reset by peer: the store at {self.host} has gone")
        result, problem = answer
        if problem is not None:
            raise ValueError(problem)
        return result


def _serve(port: int) -> Any:
    values, lock = {}, threading.Lock()

    class Handler(socketserver.BaseRequestHandler):
        """One client."""

        def handle(self) -> None:
            with contextlib.suppress(OSError, _NoRequest):  # such a client is left alone
                while (asked := _received(self.request)) is not None:
                    act, parts = _checked(asked)
                    result = problem = None
                    with lock:
                        try:
                            result = act(values, *parts)
                        except ValueError as raised:
                            problem = str(raised)
                    _send(self.request, (result, problem))

    class Server(socketserver.ThreadingTCPServer):
        """All clients."""

        allow_reuse_address = True
        daemon_threads = True

    try:
        server = Server(("", port), Handler)
    except OSError as problem:
        raise DistNetworkError(
            f"The server socket has failed to listen on any local network address. port: {port}, "
            f"{problem}"
        ) from problem
    threading.Thread(target=server.serve_forever, daemon=True, name="store").start()
    return server


class _NoRequest(Exception):
    """Whoever is connected does not speak as the processes of a group do."""


def _checked(asked: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What to do for a client, and with what."""
    if not isinstance(asked, tuple) or len(asked) != 2 or not isinstance(asked[0], str):
        raise _NoRequest
    name, parts = asked
    if not _are_parts(name, parts):
        raise _NoRequest
    return _ACTS[name], parts


def _connected(host: str, port: int, seconds: float) -> socket.socket:
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port), timeout=seconds)
        except OSError as problem:
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"The client socket has failed to connect to {host}:{port} within "
                    f"{seconds:.0f} s: {problem}"
                ) from problem
            time.sleep(0.05)


# Messages are JSON, never pickles: whoever reaches the port must not be able to run code.


def _send(connection: Any, message: Any) -> None:
    data = json.dumps(_plain(message)).encode()
    connection.sendall(struct.pack("!q", len(data)) + data)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value


def _original(value: Any) -> Any:
    if isinstance(value, dict):
        text = value.get("bytes")
        if not isinstance(text, str):
            raise _NoRequest
        return text.encode("latin-1")
    return tuple(_original(v) for v in value) if isinstance(value, list) else value


def _received(connection: Any) -> Any:
    """The next message; None when the other side has gone."""
    head = _exactly(connection, 8)
    if head is None:
        return None
    (length,) = struct.unpack("!q", head)
    if not 0 <= length <= _LONGEST:
        raise _NoRequest
    data = _exactly(connection, length)
    try:
        return None if data is None else _original(json.loads(data))
    except (ValueError, RecursionError):
        raise _NoRequest from None


def _exactly(connection: Any, count: int) -> bytes | None:
    parts = []
    while count:
        part = connection.recv(min(count, 1 << 16))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


explain_module(globals())
