"""The child's side of a workbench: answers requests, trains in between."""

from __future__ import annotations

import contextlib
import io
import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from . import answers, processes
from .programs import ProgramError

_NOT_FINITE = {
    "message": "An input of the run is NaN or infinite, and the page cannot show it. Fix: choose a "
    "number for it.",
    "line": 0,
}
MOST_PRINTED = 20_000  # characters of what a program prints


class Channel:
    """Lines of JSON over what were the standard streams; the program's own prints go elsewhere."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._in = os.fdopen(os.dup(0), "r", encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        self.requests: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message: dict[str, Any]) -> None:
        try:
            text = json.dumps(message, allow_nan=False)
        except ValueError:
            text = json.dumps({"id": message.get("id"), "problem": _NOT_FINITE})
        self._out.write(text + "\n")
        self._out.flush()

    def _read(self) -> None:
        for line in self._in:
            self.requests.put(json.loads(line))
        if os.name == "posix" and os.getpgrp() == os.getpid():
            processes.end_all(os.getpid())  # whoever asked is gone
        os._exit(0)


class Printed(io.StringIO):
    """Keeps the beginning of what is printed."""

    def write(self, text: str) -> int:
        if self.tell() < MOST_PRINTED:
            super().write(text[: MOST_PRINTED - self.tell()])
        return len(text)

    def close(self) -> None:
        """Stays open: a program may close its standard streams."""


def limit_memory(megabytes: int) -> None:
    """No more memory than this for the process, where the system can refuse it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve(megabytes: int) -> None:
    """Answer until the other side is gone."""
    channel = Channel()
    limit_memory(megabytes)
    processes.limit_processes()
    processes.adopt_orphans()
    training: Any = None
    while True:
        busy = training is not None and training.running
        try:
            request = channel.requests.get(block=not busy)
        except queue.Empty:
            training.advance(lambda frame: channel.send({"event": frame}))  # pyright: ignore[reportOptionalMemberAccess]
            continue
        if request["do"] == "play":
            if training is not None:
                training.close()
            message, training = _answer(answers.start_training, request["given"])
        elif request["do"] == "control" and training is None:
            message = {"problem": {"message": "Nothing trains: start a run first.", "line": 0}}
        else:
            do = training.control if request["do"] == "control" else answers.ANSWERS[request["do"]]  # pyright: ignore[reportOptionalMemberAccess]
            message, _ = _answer(lambda do=do, /, **given: (do(**given), None), request["given"])
        channel.send({"id": request["id"], **message})


def _answer(do: Callable[..., tuple[Any, Any]], given: dict[str, Any]) -> tuple[Any, Any]:
    printed = Printed()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            answer, made = do(**given)
        if isinstance(answer, dict) and printed.tell():
            answer["printed"] = printed.getvalue()
        return {"answer": answer}, made
    except BaseException as problem:  # whatever the program raises
        facts = problem_facts(problem, str(given.get("name", "")))
        return {"problem": {**facts, "printed": printed.getvalue()}}, None


def problem_facts(problem: BaseException, file: str) -> dict[str, Any]:
    """An error as the page shows it: its text, and the line of the user's file it came from."""
    line = 0
    if isinstance(problem, SyntaxError):
        line = problem.lineno or 0
    for frame in traceback.extract_tb(problem.__traceback__):
        if os.path.basename(frame.filename) == os.path.basename(file):
            line = frame.lineno or line
    kind = type(problem).__name__
    try:
        text = str(problem) or kind
    except Exception:
        text = "its text cannot be made"
    said = text if isinstance(problem, ProgramError) else f"{kind}: {text}"
    if isinstance(problem, SystemExit):
        said += ". The program ended itself before there was anything to show."
    elif isinstance(problem, EOFError) and "reading a line" in text:
        said += ". Fix: it has no terminal to read from here: write the value into the program."
    return {"message": said[:4000], "line": line}


def main() -> None:
    serve(int(sys.argv[1]))


__all__ = ["main", "serve"]
