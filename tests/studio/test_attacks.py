"""Attacks on the server and its processes: raw requests, and programs that start others."""

import base64
import hashlib
import http.client
import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from chainrule.studio import processes
from chainrule.studio.guard import HEADER
from chainrule.studio.workbench import Limits, Stopped, Workbench

from .browser import encoded, needs_browser, served
from .test_server import alive, ask, send

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "cost.py").write_text("def secret(x=2.0):\n    return x * x\n")
    with served(folder / "cost.py") as made:
        yield made


FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=1"
OPEN = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
REQUESTS = {
    "form of another site": (
        "POST /api/stop HTTP/1.1\r\n{host}Origin: http://evil.example\r\n" + FORM, 403),
    "form of a file": ("POST /api/stop HTTP/1.1\r\n{host}Origin: null\r\n" + FORM, 403),
    "form without origin": ("POST /api/stop HTTP/1.1\r\n{host}" + FORM, 403),
    "json without token": ("POST /api/start HTTP/1.1\r\n{host}" + OPEN, 403),
    "a form with the token": ("POST /api/start HTTP/1.1\r\n{host}{token}" + FORM, 415),
    "question before a request": (
        "OPTIONS /api/start HTTP/1.1\r\n{host}Origin: http://evil.example\r\n"
        "Access-Control-Request-Method: POST\r\n\r\n", 501),
    "name that leads here": ("GET /?token={secret} HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    "name beside a whole address": (
        "GET http://{plain}/?token={secret} HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    "folded host": (
        "POST /api/start HTTP/1.1\r\nHost: evil.example\r\n {plain}\r\n{token}" + OPEN, 403),
    "bare line ends": ("GET /?token={secret} HTTP/1.1\nHost: evil.example\n\n", 403),
    "events without token": (
        "POST /api/news HTTP/1.1\r\n{host}Accept: text/event-stream\r\n" + OPEN, 403),
    "events by address": (
        "GET /api/news?token={secret} HTTP/1.1\r\n{host}Accept: text/event-stream\r\n\r\n", 404),
    "a second request behind a refused one": (
        "POST /api/stop HTTP/1.1\r\n{host}" + OPEN + "POST /api/start HTTP/1.1\r\n{host}{token}"
        + OPEN, 403),
    "way out of the folder": ("GET /../cost.py?token={secret} HTTP/1.1\r\n{host}\r\n", 404),
    "written in percents": ("GET /%2e%2e/cost.py?token={secret} HTTP/1.1\r\n{host}\r\n", 404),
    "way out of the questions": ("POST /api/../start HTTP/1.1\r\n{host}{token}" + OPEN, 404),
    "less than nothing": (
        "POST /api/start HTTP/1.1\r\n{host}{token}Content-Type: application/json\r\n"
        "Content-Length: -1\r\n\r\n", 413),
    "endless address": ("GET /?token=" + "x" * 70_000 + " HTTP/1.1\r\n{host}\r\n", 414),
    "endless headers": ("GET / HTTP/1.1\r\n{host}" + "X: y\r\n" * 500 + "\r\n", 431),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_of_somebody_else_learns_nothing_and_changes_nothing(server, name):
    text, status = REQUESTS[name]
    secret, plain = server.guard.token, f"127.0.0.1:{server.server_address[1]}"
    text = text.replace("{secret}", secret).replace("{plain}", plain)
    text = text.replace("{host}", f"Host: {plain}\r\n").replace(
        "{token}", f"{HEADER}: {secret}\r\n"
    )
    said = b""
    with socket.create_connection(server.server_address) as raw:
        raw.settimeout(10)
        raw.sendall(text.encode("latin1"))
        while part := raw.recv(65536):
            said += part
    assert said.split(b" ", 2)[:2] == [b"HTTP/1.1", str(status).encode()]
    assert said.count(b"HTTP/1.1 ") == 1, "one answer, and the connection ends"
    assert b"secret" not in said and b"access-control" not in said.lower()


def test_many_that_never_finish_asking_keep_nobody_waiting(server):
    dripping = [socket.create_connection(server.server_address) for _ in range(100)]
    for raw in dripping:
        raw.sendall(b"POST /api/start HTTP/1.1\r\nHost: ")
    assert send(server)[0] == 200
    for raw in dripping:
        raw.close()


@on_linux
def test_a_daemon_of_a_program_ends_with_it(tmp_path):
    """In a session and a group of its own, and nobody's child any more."""
    bench = Workbench(Limits(60), str(tmp_path))
    bench.ask("hello")
    text = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0:\n        open('pid', 'w').write(str(os.getpid()))\n"
        "        os.rename('pid', 'done')\n        time.sleep(600)\n    os._exit(0)\n"
        "os.wait()\nwhile True: pass\n"
    )
    daemon = tmp_path / "done"

    def stop_then():
        while not daemon.exists():
            time.sleep(0.01)
        bench.stop()

    threading.Thread(target=stop_then, daemon=True).start()
    with pytest.raises(Stopped, match="it was stopped"):
        bench.ask("trace", text=text, name=str(tmp_path / "f.py"))
    assert ended(int(daemon.read_text()))


def ended(pid):
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize(("text", "why"), [
    ("for _ in range(150):\n    if os.fork() == 0:\n        time.sleep(60)\n", "64 processes"),
    ("for _ in range(7):\n    os.fork()\n", "64 processes"),
    ("import numpy\nfor _ in range(3):\n    if os.fork() == 0:\n"
     "        x = numpy.ones(25_000_000)\n        time.sleep(60)\n", "400 MB together"),
], ids=["one by one", "twice as many again and again", "memory of all together"])  # fmt: skip
def test_what_a_program_starts_is_limited(tmp_path, text, why):
    bench = Workbench(Limits(60, 4096), str(tmp_path))
    bench.ask("hello")
    bench.limits = Limits(60, 400 if "MB" in why else 4096)
    pid = bench.pid
    assert pid is not None
    with pytest.raises(Stopped, match=why):
        bench.ask("trace", text=f"import os, time\n{text}time.sleep(60)\n", name="f.py")
    assert ended(pid) and not processes.descendants(pid)
    with pytest.raises(Exception, match="defines no function"):
        bench.ask("trace", text="print(1)", name="f.py")
    bench.stop()


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize("text", [
    "while True: print('x' * 10**6)\n", "while True: os.write(1, b'x' * 10**6)\n",
    "while True: os.write(2, b'x' * 10**6)\n", "9 ** 9 ** 8\n",
    "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
    "    except (OSError, ValueError): pass\nwhile True: pass\n",
], ids=["prints", "raw output", "raw errors", "in C", "deaf"])  # fmt: skip
def test_what_never_ends_is_ended(tmp_path, text):
    bench = Workbench(Limits(60), str(tmp_path))
    bench.ask("hello")
    bench.limits = Limits(1)
    pid = bench.pid
    with pytest.raises(Stopped, match="more than 1 s"):
        bench.ask("trace", text=f"import os\n{text}", name="f.py")
    assert ended(pid)


@on_linux
def test_all_that_was_started_is_found():
    import subprocess

    inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    child = subprocess.Popen([sys.executable, "-c", inner], stdin=subprocess.PIPE)
    end = time.monotonic() + 30
    while len(found := processes.descendants(child.pid)) < 1:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert child.pid in processes.descendants(os.getpid())
    assert processes.memory_of([child.pid, *found]) > 1 << 20
    assert processes.memory_of([2**22 + 1]) == 0 and Path("/proc/self").exists()
    child.communicate(b"\n")


def test_what_the_command_line_of_a_browser_shows_is_good_once(server):
    address = server.url_once()
    assert server.guard.token not in address
    path = address.partition(str(server.server_address[1]))[2]
    where = path.partition("=")[2]
    for wrong in (f"/?ticket={where}x", "/?ticket=", f"/?token={where}"):
        assert send(server, "GET", wrong, "")[0] == 403
    assert send(server, **{HEADER: where})[0] == 403
    assert send(server, "GET", path, "", Host="evil.example")[0] == 403
    assert send(server, "GET", path, "", Sec_Fetch_Site="cross-site")[0] == 403
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (303, server.url)
    connection.close()
    assert send(server, "GET", path, "")[0] == 403


def test_nothing_but_its_own_program_may_run_in_the_page(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    connection.request("GET", f"/?token={server.guard.token}")
    answer = connection.getresponse()
    text, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
    connection.close()
    program = text.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy and "unsafe-eval" not in policy


# ---- a page that others prepared -----------------------------------------------------------------

HOSTILE = {
    "views of every object": {"view": "constructor"},
    "more views": {"view": "__proto__", "name": "__proto__", "function": "constructor"},
    "settings of other kinds": {"view": "playground", "play": {
        "layers": 5, "lr": "x", "data": {}, "own": 7, "csv": [], "seed": None,
        "__proto__": {"x": 1}}},
    "settings of the kind, without sense": {"view": "playground", "play": {
        "layers": ["<b>", None], "data": "nothing", "activation": "constructor", "lr": -5}},
    "moves": {"view": "drivers", "drivers": {"moved": 5, "along": {}, "share": "x"}},
    "more moves": {"view": "drivers", "drivers": {"moved": {"x": "<b>"}, "share": None}},
    "points": {"at": {"x": {"__proto__": 1}}},
    "words as numbers": {"at": {"x": "/etc/passwd"}},
    "endless numbers": {"at": {"x": 1e308}, "step": 9e15, "pass": 9e15},
    "lessons": {"lesson": 3, "done": ["0.0", "<b>", "9.9"], "view": "lessons"},
    "a lesson of none": {"lesson": 4e9, "name": "lesson.py"},
    "stops": {"stops": ["<img src=x onerror=alert(1)>", ":"]},
    "names": {"name": "<img src=x onerror=alert(1)>.py", "result": "<b>"},
}  # fmt: skip


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("state", HOSTILE.values(), ids=HOSTILE)
def test_a_prepared_address_breaks_no_view(page, server, state):
    page.open(f"{server.url}#s={encoded(state)}")
    page.wait("document.querySelectorAll('nav [aria-current=page]').length == 1")
    for view in ("drivers", "model", "playground", "lessons", "step"):
        page.click(f"#tab-{view}")
    page.wait("document.querySelector('#where').textContent.includes('Step') || "
              "document.querySelector('#problem').textContent")  # fmt: skip
    assert page.count("#studio img") == page.count("#studio b") == 0
    page.wait("!document.querySelector('[aria-busy]')")
    page.run("history.replaceState(null, '', location.pathname + location.search)")
    said = page.complaints()  # names that are refused are noted as 400
    assert all("status of 400" in line for line in said), said


@needs_browser
@pytest.mark.slow
def test_what_gets_into_the_page_does_not_run(page, server):
    page.open(server.url)
    page.wait_text("#where", "Step 0 of")
    page.run(
        "const d = document.createElement('div'); document.body.append(d);"
        "d.innerHTML = '<img src=x onerror=\"document.title = 1\">';"
        "const s = document.createElement('script'); s.textContent = 'document.title = 2';"
        "d.append(s); const a = document.createElement('a'); d.append(a);"
        "a.href = 'javascript:document.title = 3'; a.click()"
    )
    page.wait("document.images[0].complete")
    assert page.run("return document.title") == "chainrule studio"
    assert page.complaints()


@needs_browser
@pytest.mark.slow
def test_a_strangers_program_hides_nothing_from_its_reader(page, server):
    hidden = "def f(x=2.0):\n    # harmless \u202e\u2066 nothing\u200b here\n    return x * x\n"
    page.open(f"{server.url}#s={encoded({'text': hidden})}")
    page.wait_text("#problem", "Read it first")
    assert "4 lines." in page.text("#problem") and "cannot be seen" in page.text("#problem")
    assert page.count(".cm-specialChar") == 3
    far = "def f(x=2.0):\n    return x * x" + " " * 900 + "; import os\n"
    page.open(f"{server.url}#s={encoded({'text': far})}")
    page.wait_text("#problem", "the longest of 927 characters")
    own = f"model = nn.Linear(2, 2)  # \u202e\n{'#' * 400}"
    page.open(f"{server.url}#s={encoded({'view': 'playground', 'play': {'own': own}})}")
    page.wait_text("#playground [role=alert]", "the longest of 400 characters")
    assert "cannot be seen" in page.text("#playground [role=alert]")


@needs_browser
@pytest.mark.slow
def test_a_prepared_file_hands_no_words_to_a_function_of_ones_own(page, server):
    """Which runs unasked: its text is known."""
    state = {"function": "secret", "at": {"x": "/etc/passwd"}}
    page.open(f"{server.url}#s={encoded(state)}")
    page.wait_text("#modes", "automatic")
    assert page.run("return document.querySelector('#n-x').value") == "2"


def test_the_page_still_answers_after_all_of_it(server):
    assert ask(server, "start")["answer"]["name"] == "cost.py"
