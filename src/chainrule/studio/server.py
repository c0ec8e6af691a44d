"""The live page: a server for this machine alone, which runs the page's program in a process."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from . import guard
from .guard import Guard, Refused
from .page import allowed, live_page
from .workbench import Limits, ProblemThere, Stopped, Workbench

LONGEST_WAIT = 10.0  # seconds a page waits for news before it asks again
UNWATCHED = 20.0  # seconds without a page after which training pauses
RULES = (
    f"default-src 'none'; script-src {allowed('studio.js')}; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class Studio:
    """One page's program: its file, the processes it runs in, the news of its training."""

    def __init__(self, start: dict[str, Any], folder: Path, limits: Limits) -> None:
        self.start = start
        self.folder = folder
        self.runs = Workbench(limits, str(folder))
        self.training = Workbench(
            limits, str(folder), self._frame_came,
            lambda reason: self._frame_came({"ended": f"Stopped: {reason}."}),
        )  # fmt: skip
        self._news = threading.Condition()
        self._frame: Any = None
        self._count = 0
        self._looked_at = time.monotonic()

    def warm_up(self) -> None:
        """Start the process before the first question."""
        with contextlib.suppress(Stopped, ProblemThere):
            self.runs.ask("hello")

    def answer(self, what: str, given: dict[str, Any]) -> Any:
        """One request of the page."""
        if what == "start":
            return self.start
        if what == "open":
            path = guard.beside(self.folder, given.get("name"))
            return {"name": path.name, "text": guard.text_of(path)}
        if what == "stop":
            self.runs.stop()
            return {}
        if what == "quit-training":
            self.training.stop()
            return {}
        if what == "news":
            return self._wait_for_news(guard.whole(given.get("since", 0)))
        if what in ("trace", "record", "curve", "drivers"):
            return self.runs.ask(what, **self._program(given))
        if what in ("play", "control"):
            answer = self.training.ask(what, **given)
            with self._news:
                self._frame = None  # what came before is older than the answer
            return answer
        raise Refused(404, f"nothing is called {what!r}")

    def close(self) -> None:
        self.runs.stop()
        self.training.stop()

    def _program(self, given: dict[str, Any]) -> dict[str, Any]:
        """The text of the page's editor, under the name of a file of the folder."""
        if not isinstance(given.get("text"), str):
            raise Refused(400, "a program is a text")
        name = given.get("name")
        if name != self.start["name"]:  # the user's own file may be called as it likes
            name = guard.plain_name(name)
        return {**given, "name": str(self.folder / name)}  # pyright: ignore[reportOperatorIssue]

    def _frame_came(self, frame: Any) -> None:
        with self._news:
            self._frame = frame
            self._count += 1
            self._news.notify_all()
        if frame.get("running") and time.monotonic() - self._looked_at > UNWATCHED:
            self._looked_at = time.monotonic() + 1e9  # once
            threading.Thread(target=self._pause, daemon=True).start()

    def _pause(self) -> None:
        with contextlib.suppress(Stopped, ProblemThere):
            self.training.ask("control", action="pause")

    def _wait_for_news(self, since: int) -> dict[str, Any]:
        self._looked_at = time.monotonic()
        with self._news:
            self._news.wait_for(lambda: self._count > since, LONGEST_WAIT)
            return {"count": self._count, "frame": self._frame if self._count > since else None}


class Handler(BaseHTTPRequestHandler):
    """Checks every request, then lets the studio answer."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        with _answering(self):
            self._check_sender()
            path, _, query = self.path.partition("?")
            if path != "/":
                raise Refused(404, "there is only one page")
            given = urllib.parse.parse_qs(query)
            if "ticket" in given:
                self.server.guard.take_ticket(given["ticket"][0])
                self._send(303, b"", "text/plain", ("Location", self.server.url))
                return
            self.server.guard.check_token(given.get("token", [""])[0])
            self._send(200, live_page(self.server.studio.start).encode(), "text/html")

    def do_POST(self) -> None:
        with _answering(self):
            self._check_sender()
            self.server.guard.check_token(self.headers.get(guard.HEADER, ""))
            body = self._body()
            what = self.path.removeprefix("/api/")
            try:
                answer = {"answer": self.server.studio.answer(what, body)}
            except ProblemThere as problem:
                answer = {"problem": problem.facts}
            except Stopped as problem:
                answer = {"problem": {"message": f"Stopped: {problem}.", "line": 0, "stopped": 1}}
            self._send(200, json.dumps(answer, allow_nan=False).encode(), "application/json")

    def _check_sender(self) -> None:
        """Whoever writes a header twice wants it read in two ways."""
        if self.request_version == "HTTP/0.9":
            raise Refused(400, "an answer without headers could not say what it allows")
        for name in ("Host", "Origin", "Content-Length", "Content-Type", guard.HEADER):
            if len(self.headers.get_all(name, [])) > 1:
                raise Refused(400, f"{name} is given more than once")
        if "Transfer-Encoding" in self.headers:
            raise Refused(411, "a request says how long it is")
        self.server.guard.check_sender(self.headers)  # type: ignore[arg-type]

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,9}", length) or int(length) > guard.MOST_BYTES:
            raise Refused(413, f"a request has at most {guard.MOST_BYTES:,} bytes")
        data = self.rfile.read(int(length))
        if self.headers.get("Content-Type") != "application/json":
            raise Refused(415, "requests are JSON")
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            raise Refused(400, "this is no JSON, or nested without end") from None
        if not isinstance(found, dict):
            raise Refused(400, "a request is an object")
        return found

    def _send(self, status: int, body: bytes, kind: str, *more: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"), ("Content-Security-Policy", RULES),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"), *more,
        ):  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: addresses have the token in them."""


class _answering:
    """Turns what is refused into its status."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> bool:
        if isinstance(problem, ConnectionError):
            return True
        if not isinstance(problem, Exception):
            return False
        self.handler.close_connection = True  # its body may not have been read
        status = problem.status if isinstance(problem, Refused) else 500
        said = f"{problem}\n" if status != 500 else f"{type(problem).__name__}: {problem}\n"
        with contextlib.suppress(ConnectionError):  # who sends too much may not wait for it
            self.handler._send(status, said.encode(errors="replace"), "text/plain")
        return True


class Server(ThreadingHTTPServer):
    """Listens on the loopback address, on a free port unless one is given."""

    daemon_threads = True
    request_queue_size = 128  # connections that wait to be taken

    def __init__(self, studio: Studio, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.studio = studio
        self.guard = Guard(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that went away in the middle of an answer is nothing to report."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/?token={self.guard.token}"

    def url_once(self) -> str:
        """An address that leads to the page once, for the command line that starts a browser.

        All users of a machine see the command lines of its processes.
        """
        return f"http://127.0.0.1:{self.server_address[1]}/?ticket={self.guard.new_ticket()}"

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        threading.Thread(target=self.studio.warm_up, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.shutdown()
        self.server_close()
        self.studio.close()


__all__ = ["Server", "Studio"]
