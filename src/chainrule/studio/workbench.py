"""The process in which a page's program runs: with limits, and stopped at any time.

The parent's side. Requests and answers are lines of JSON over the process's standard streams; a
process that takes too long, or that somebody stops, is killed and a new one starts with the next
request.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import processes

ENTRY = "chainrule.run.studio_process"
LOOK_EVERY, LOOK_CLOSER_EVERY = 0.25, 2.0  # seconds between looks at what a program started


class Stopped(RuntimeError):
    """The program was ended before it answered; says why."""


@dataclass(frozen=True)
class Limits:
    """What one run may use."""

    seconds: float = 20.0
    megabytes: int = 4096


class Workbench:
    """A child process that is there when it is asked."""

    def __init__(
        self, limits: Limits, folder: str = "", on_event: Callable[[Any], None] | None = None,
        on_end: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.limits = limits
        self.folder = folder or None
        self._on_event = on_event or (lambda event: None)
        self._on_end = on_end or (lambda reason: None)  # of a process that nobody stopped
        self._process: subprocess.Popen[str] | None = None
        self._asking = threading.Lock()  # one question at a time
        self._changing = threading.Lock()
        self._answers: queue.Queue[Any] = queue.Queue()
        self._number = 0
        self._reason = ""

    def ask(self, what: str, /, **given: Any) -> Any:
        """The answer of the process; raises `Stopped`, or `ProblemThere` with its own error."""
        with self._asking:
            process = self._running()
            self._number += 1
            request = {"id": self._number, "do": what, "given": given}
            try:
                assert process.stdin is not None
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            except (OSError, ValueError):
                pass  # it ended: its reader says so below
            return self._answer_to(process, self._number)

    def _answer_to(self, process: subprocess.Popen[str], number: int) -> Any:
        while True:
            try:
                came_from, message = self._answers.get(timeout=self.limits.seconds)
            except queue.Empty:
                limit = f"{self.limits.seconds:g} s"
                self.stop(f"it ran for more than {limit}, the limit of one run")
                continue
            if came_from is not process:
                continue
            if message is None:
                raise Stopped(self._reason)
            if message.get("id") == number:
                if "problem" in message:
                    raise ProblemThere(message["problem"])
                return message["answer"]

    def stop(self, reason: str = "it was stopped") -> None:
        """End the process now, whatever it does."""
        with self._changing:
            process, self._process = self._process, None
            self._reason = reason
        if process is not None:
            _end(process)
            # Said here: the reader cannot, while something that the program started lives on.
            self._answers.put((process, None))

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def _running(self) -> subprocess.Popen[str]:
        with self._changing:
            if self._process is None or self._process.poll() is not None:
                self._reason = ""
                self._process = self._start()
            return self._process

    def _start(self) -> subprocess.Popen[str]:
        environment = {  # plots open no window that would wait to be closed
            "MPLBACKEND": "Agg", **os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1",
        }  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", ENTRY, str(self.limits.megabytes)],  # no html.py of theirs
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", errors="replace", cwd=self.folder, env=environment,
            start_new_session=os.name == "posix",
        )  # fmt: skip
        words = _LastWords(process)
        threading.Thread(target=self._read, args=(process, words), daemon=True).start()
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()
        return process

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """End a program that starts too many processes, or whose processes use too much memory."""
        tasks, looked = processes.count_tasks(), 0.0
        while tasks and process.poll() is None:
            time.sleep(LOOK_EVERY)
            now, present = time.monotonic(), processes.count_tasks()
            if present <= tasks + processes.MOST_PROCESSES and now - looked < LOOK_CLOSER_EVERY:
                continue
            looked, tasks = now, present  # others start processes as well
            reason = self._excess(process.pid)
            if reason and self._process is process:
                self.stop(reason)
                self._on_end(reason)

    def _excess(self, pid: int) -> str:
        """What a program's processes take too much of, if they do."""
        started = processes.descendants(pid)
        if len(started) > processes.MOST_PROCESSES:
            return f"it started more than {processes.MOST_PROCESSES} processes"
        megabytes = self.limits.megabytes
        if started and processes.memory_of([pid, *started]) > megabytes << 20:
            return f"its processes use more than {megabytes:,} MB together"
        return ""

    def _read(self, process: subprocess.Popen[str], words: _LastWords) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                message = _message(line)
                if message is None:
                    reason = "it wrote into the stream that its answers go through"
                    self.stop(reason)
                    self._on_end(reason)
                    break
                if "event" in message:
                    self._on_event(message["event"])
                else:
                    self._answers.put((process, message))
        process.wait()
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        by_itself, reason = self._process is process, _ending(process, words)
        if by_itself:
            self._reason = reason
        self._answers.put((process, None))
        if by_itself:
            self._on_end(reason)


def _message(line: str) -> dict[str, Any] | None:
    """What the process says; None if it was not the studio's part of it that spoke."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    if isinstance(found.get("event"), dict):
        return found
    answered = "answer" in found or isinstance(found.get("problem"), dict)
    return found if type(found.get("id")) is int and answered else None


class ProblemThere(Exception):
    """An error of the program: what the page shows, with its line."""

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts.get("message", ""))
        self.facts = facts


def _end(process: subprocess.Popen[str]) -> None:
    """Kill it, and what it started itself."""
    if os.name == "posix":
        processes.end_all(process.pid)
    else:
        process.kill()
    process.wait()


class _LastWords:
    """The end of what a process writes as errors; all of it is read, so that it need not wait."""

    MOST = 2000  # bytes

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self._stream = process.stderr
        self._said = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self._stream as stream, contextlib.suppress(OSError, ValueError):
            while part := os.read(stream.fileno(), 1 << 16):
                self._said = (self._said + part)[-self.MOST :]

    def last_line(self) -> str:
        """What it said last of all, once it has ended."""
        self._reader.join(0.5)  # something that the program started may still hold the stream
        lines = self._said.decode(errors="replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _ending(process: subprocess.Popen[str], words: _LastWords) -> str:
    code = process.wait()
    if code > 0:
        said = words.last_line()
        return f"its process ended with code {code}" + (f": {said}" if said else "")
    return f"its process was ended by signal {-code}; it may have used more memory than it may have"


__all__ = ["Limits", "ProblemThere", "Stopped", "Workbench"]
