"""The studio's server: who is refused, what a program may use, and that its numbers are right."""

import http.client
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import chainrule as torch
from chainrule.studio.guard import HEADER, MOST_BYTES, Refused, beside
from chainrule.studio.server import Server
from chainrule.studio.workbench import Limits, ProblemThere, Stopped, Workbench, _message

from .browser import served

PROGRAM = """import torch

def cost(w=3.0, b=2.0):
    z = 2 * w + b
    return torch.sin(z) * w ** 2
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "cost.py").write_text(PROGRAM)
    (folder / "other.py").write_text("x = 1\n")
    with served(folder / "cost.py", limits=Limits(60, 4096)) as made:
        yield made


def send(server, method="POST", path="/api/start", body="{}", drop=(), **headers):
    """A request as the page sends it, except for what is changed: (status, body)."""
    port = server.server_address[1]
    sent = {
        "Host": f"127.0.0.1:{port}", "Content-Type": "application/json",
        HEADER: server.guard.token, "Origin": f"http://127.0.0.1:{port}",
    }  # fmt: skip
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for name, value in sent.items():
        if name not in drop:
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body.encode())))
    connection.endheaders()
    connection.send(body.encode())
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def ask(server, what, /, **given):
    status, text = send(server, path=f"/api/{what}", body=json.dumps(given))
    assert status == 200, text
    return json.loads(text)


def test_the_page_opens_with_its_token_only(server):
    token = server.guard.token
    status, text = send(server, "GET", f"/?token={token}", "")
    assert status == 200 and "<!doctype html>" in text and "def cost" in text
    for path in (
        "/",
        "/?token=",
        f"/?token={token[:-1]}",
        f"/?token={token}x",
        "/?token=%00%C3%A9",
    ):
        status, text = send(server, "GET", path, "")
        assert (status, "def cost" in text) == (403, False)
    assert send(server, "GET", f"/static/../cost.py?token={token}", "")[0] == 404
    assert send(server, "GET", f"/api/start?token={token}", "")[0] == 404


def test_every_request_needs_the_token_in_its_header(server):
    assert send(server)[0] == 200
    assert send(server, drop=(HEADER,))[0] == 403
    assert send(server, **{HEADER: "wrong"})[0] == 403
    assert send(server, path=f"/api/start?token={server.guard.token}", drop=(HEADER,))[0] == 403


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:{other}", "",
             "0.0.0.0:{port}", "localhost.example.org:{port}", "127.0.0.1:{port}.example.org"],
)  # fmt: skip
def test_other_hosts_are_refused(server, host):
    port = server.server_address[1]
    name = host.format(port=port, other=port + 1)
    assert send(server, Host=name)[0] == 403
    assert send(server, "GET", f"/?token={server.guard.token}", "", Host=name)[0] == 403


def test_a_request_without_host_is_refused(server):
    assert send(server, drop=("Host",))[0] == 403


@pytest.mark.parametrize(
    "origin", ["null", "https://example.org", "http://127.0.0.1", "http://127.0.0.1:{other}",
               "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.example.org"],
)  # fmt: skip
def test_other_origins_are_refused(server, origin):
    port = server.server_address[1]
    name = origin.format(port=port, other=port + 1)
    assert send(server, Origin=name)[0] == 403
    assert send(server, drop=("Origin",), Sec_Fetch_Site="cross-site")[0] == 403


def test_only_json_of_a_bounded_size_is_read(server):
    assert send(server, Content_Type="text/plain")[0] == 415
    assert send(server, Content_Type="application/x-www-form-urlencoded")[0] == 415
    assert send(server, body="[1]")[0] == 400
    assert send(server, body="{")[0] == 400
    with socket.create_connection(server.server_address) as raw:
        port = server.server_address[1]
        lines = [
            "POST /api/start HTTP/1.1", f"Host: 127.0.0.1:{port}", 
            f"{HEADER}: {server.guard.token}",
            "Content-Type: application/json", f"Content-Length: {MOST_BYTES + 1}", "", "",
        ]  # fmt: skip
        raw.sendall("\r\n".join(lines).encode())
        assert b" 413 " in raw.recv(200)
    assert send(server, path="/api/nothing")[0] == 404
    assert send(server, "PUT")[0] == 501


def raw_answer(server, *lines, host=None):
    """The first bytes that come back for a request written by hand."""
    port = server.server_address[1]
    with socket.create_connection(server.server_address, timeout=20) as raw:
        head = [lines[0], f"Host: {host or f'127.0.0.1:{port}'}", *lines[1:], "", ""]
        raw.sendall("\r\n".join(head).encode("latin1"))
        return raw.recv(400)


def test_upgrades_to_other_protocols_are_not_taken(server):
    token = server.guard.token
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")  # fmt: skip
    for target in ("/", "/api/news", f"/api/news?token={token}"):
        got = raw_answer(server, f"GET {target} HTTP/1.1", *upgrade)
        assert b" 101 " not in got and got.split()[1] in (b"403", b"404")
    # With its token the page is sent as ever: the wish to upgrade is left alone.
    got = raw_answer(server, f"GET /?token={token} HTTP/1.1", *upgrade)
    assert got.split()[1] == b"200" and b"Upgrade" not in got
    got = raw_answer(server, "CONNECT example.org:443 HTTP/1.1")
    assert got.split()[1] == b"501"
    elsewhere = ("Origin: http://example.org", *upgrade)
    assert raw_answer(server, f"GET /?token={token} HTTP/1.1", *elsewhere).split()[1] == b"403"


def test_a_site_that_lets_its_name_lead_here_learns_nothing(server):
    """DNS rebinding: the browser thinks the site itself answers, so Origin and Host agree."""
    port = server.server_address[1]
    name = f"rebound.example.org:{port}"
    for what in ("start", "trace", "open", "play", "record"):
        status, text = send(server, path=f"/api/{what}", Host=name, Origin=f"http://{name}")
        assert status == 403 and "def cost" not in text and server.guard.token not in text
    status, text = send(server, "GET", "/", "", Host=name, drop=("Origin", HEADER))
    assert status == 403 and server.guard.token not in text
    got = raw_answer(server, f"GET http://{name}/?token={server.guard.token} HTTP/1.1", host=name)
    assert got.split()[1] == b"403"


def test_two_hosts_or_a_body_in_pieces_are_refused(server):
    token, port = server.guard.token, server.server_address[1]
    ask_for = ("POST /api/start HTTP/1.1", f"{HEADER}: {token}", "Content-Type: application/json")
    got = raw_answer(server, *ask_for, "Transfer-Encoding: chunked", "Content-Length: 2")
    assert got.split()[1] == b"411"
    got = raw_answer(server, *ask_for, "Host: example.org", "Content-Length: 2")
    assert got.split()[1] == b"400"
    got = raw_answer(server, *ask_for, f"Host: 127.0.0.1:{port}", "Content-Length: 2",
                     host="example.org")  # fmt: skip
    assert got.split()[1] in (b"400", b"403")
    got = raw_answer(server, *ask_for, "Content-Length: 2", "Content-Length: 90000000")
    assert got.split()[1] in (b"400", b"413")


def test_the_page_may_not_be_framed_nor_ask_elsewhere(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    connection.request("GET", f"/?token={server.guard.token}")
    headers = connection.getresponse().headers
    rules = headers["Content-Security-Policy"]
    assert "default-src 'none'" in rules and "connect-src 'self'" in rules
    assert "frame-ancestors 'none'" in rules and headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in headers
    connection.close()


def test_an_old_protocol_without_headers_is_refused(server):
    for line in ("GET /?token={}", "GET /?token={} HTTP/0.9"):
        got = raw_answer(server, line.format(server.guard.token))
        assert b"doctype" not in got and b"without headers" in got


def test_a_training_process_that_ends_is_told_of(server):
    own = (
        "import os\n\nclass Late(nn.Linear):\n    left = 30\n\n    def forward(self, x):\n"
        "        self.left -= self.training\n        if not self.left:\n            os._exit(3)\n"
        "        return super().forward(x)\n\nmodel = Late(2, 2)"
    )
    assert ask(server, "play", config={"own": own})["answer"]["step"] == 0
    since = ask(server, "news", since=-1)["answer"]["count"]
    ask(server, "control", action="run")
    frame, end = None, time.monotonic() + 30
    while not (frame or {}).get("ended") and time.monotonic() < end:
        got = ask(server, "news", since=since)["answer"]
        since, frame = got["count"], got["frame"]
    assert "ended with code 3" in frame["ended"]
    assert ask(server, "play", config={})["answer"]["step"] == 0


def test_a_file_that_is_too_large_is_not_read(server):
    with open(server.studio.folder / "large.py", "wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert send(server, path="/api/open", body='{"name": "large.py"}')[0] == 413


def test_those_who_say_half_of_a_request_keep_nobody_waiting(server):
    held = [socket.create_connection(server.server_address) for _ in range(60)]
    for raw in held[::2]:
        raw.sendall(b"GET / HT")
    for raw in held[1::2]:
        head = f"POST /api/start HTTP/1.1\r\nHost: 127.0.0.1:{server.server_address[1]}\r\n"
        raw.sendall(
            f"{head}{HEADER}: {server.guard.token}\r\nContent-Length: 99\r\n\r\n{{".encode()
        )
    began = time.monotonic()
    assert send(server)[0] == 200 and time.monotonic() - began < 5
    for raw in held:
        raw.close()


DEEP = "[" * 100_000
NONSENSE = [
    ("news", '{"since": "x"}'), ("news", '{"since": [1]}'), ("news", '{"since": NaN}'),
    ("news", '{"since": 1e999}'), ("news", '{"since": true}'), ("start", DEEP),
    ("start", '{"a":' * 100_000), ("open", '{"name": "latin.py"}'),
]  # fmt: skip


@pytest.mark.parametrize(("what", "body"), NONSENSE)
def test_nonsense_is_refused_and_nothing_is_printed(server, what, body, capfd):
    (server.studio.folder / "latin.py").write_bytes(b"x = '\xe9'\n")
    assert send(server, path=f"/api/{what}", body=body)[0] == 400
    assert capfd.readouterr().err == ""
    assert send(server)[0] == 200


@pytest.mark.parametrize("line", [
    "GET http://[::1 HTTP/1.1", "GET //[x?token=1 HTTP/1.1",
    "POST /api/start HTTP/1.1\r\nContent-Length: \xb2",
    "POST /api/start HTTP/1.1\r\nContent-Length: " + "9" * 5000,
])  # fmt: skip
def test_broken_requests_are_answered_and_nothing_is_printed(server, line, capfd):
    with socket.create_connection(server.server_address) as raw:
        port = server.server_address[1]
        lines = [line, f"Host: 127.0.0.1:{port}", f"{HEADER}: {server.guard.token}", "", ""]
        raw.sendall("\r\n".join(lines).encode("latin1"))
        assert raw.recv(200).split()[1] in (b"404", b"413")
    assert capfd.readouterr().err == ""


def test_keys_of_a_request_are_data(server):
    for what in ("trace", "play", "control"):
        for key in ("what", "self", "do"):
            got = ask(server, what, name="cost.py", text=PROGRAM, **{key: 1})
            assert got["problem"]["message"]


def test_numbers_that_json_lacks_are_told_of(server):
    given = {"name": "cost.py", "text": PROGRAM, "function": "cost", "along": "w"}
    for low in (float("nan"), float("inf")):
        said = ask(server, "curve", **given, at={"w": 1.0}, low=low, high=1)["problem"]
        assert "NaN or infinite" in said["message"]
        said = ask(server, "trace", name="cost.py", text=PROGRAM, at={"w": low})
        assert "problem" not in said or "NaN or infinite" in said["problem"]["message"]


@pytest.mark.parametrize(
    "line", ["no json", "[1]", "5", '{"id": 1}', '{"event": 1}', '{"id": "1", "answer": 1}',
             '{"id": true, "answer": 1}', '{"id": 1, "problem": "x"}', "[" * 100_000],
)  # fmt: skip
def test_what_no_process_of_the_studio_would_say_is_no_message(line):
    assert _message(line) is None


def test_a_program_that_writes_into_the_studios_stream_is_stopped(tmp_path):
    bench = Workbench(Limits(60), str(tmp_path))
    for data in (b"\xff\xfe", b'{"id": 1}'):
        text = (
            "import os\nfor k in range(3, 50):\n    try: os.write(k, %r)\n"
            "    except OSError: pass\nwhile True: pass" % (data + b"\n")
        )
        with pytest.raises(Stopped, match="wrote into the stream"):
            bench.ask("trace", text=text, name="f.py")
    with pytest.raises(ProblemThere, match="defines no function"):
        bench.ask("trace", text="import sys\nsys.stdout.close()", name="f.py")
    bench.stop()


def test_a_page_that_goes_away_is_not_reported(server, capfd):
    """A connection that is reset while it is answered, or while its next request is awaited."""
    for wait in (0.0, 0.3):
        raw = socket.create_connection(server.server_address)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line = f"GET /?token={server.guard.token} HTTP/1.1\r\n"
        raw.sendall(f"{line}Host: 127.0.0.1:{server.server_address[1]}\r\n\r\n".encode())
        time.sleep(wait)
        raw.close()
    time.sleep(0.5)
    assert send(server)[0] == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "name", ["../other.py", "/etc/passwd", "..\\other.py", "other.py\0", "sub/other.py", "", ".py",
             "-other.py", "other.pyc", "..py", "a..py", None, 5, ["other.py"], "x" * 500 + ".py"],
)  # fmt: skip
def test_hostile_file_names_are_refused(server, name):
    for what in ("open", "trace", "record", "curve", "drivers"):
        body = json.dumps({"name": name, "text": PROGRAM})
        assert send(server, path=f"/api/{what}", body=body)[0] == 400


def test_files_of_the_folder_open_and_links_out_of_it_do_not(server, tmp_path):
    assert ask(server, "open", name="other.py")["answer"]["text"] == "x = 1\n"
    assert send(server, path="/api/open", body='{"name": "gone.py"}')[0] == 404
    secret = tmp_path / "secret.py"
    secret.write_text("password = 1\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    os.symlink(secret, folder / "link.py")
    with pytest.raises(Refused, match="leads out"):
        beside(folder, "link.py")


def test_it_listens_on_loopback_alone(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert isinstance(server, Server) and len(server.guard.token) >= 32


def test_numbers_are_those_of_the_engine(server):
    w = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(-1.0, dtype=torch.float64, requires_grad=True)
    y = torch.sin(2 * w + b) * w**2
    y.backward()
    given = {"name": "cost.py", "text": PROGRAM, "function": "cost", "at": {"w": 2.5, "b": -1.0}}
    got = ask(server, "trace", **given, base={"w": 2.0, "b": -1.0})["answer"]
    rows = {row["input"]: row["automatic"] for row in got["modes"]["rows"]}
    assert rows == {"w": w.grad.item(), "b": b.grad.item()}
    told = got["prediction"]
    w.grad = None
    at = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    before = torch.sin(2 * at - 1.0) * at**2
    before.backward()
    assert told["recomputed"] == y.item()
    assert told["predicted"] == pytest.approx(before.item() + 0.5 * at.grad.item(), rel=1e-14)
    curve = ask(server, "curve", **given, along="w", low=0, high=4)["answer"]
    assert curve["here"] == {"x": 2.5, "value": y.item(), "slope": rows["w"]}
    assert len(curve["x"]) == len(curve["slopes"]) == 121


def test_what_drives_a_figure(server):
    text = "def revenue(price=10.0, sold=3.0):\n    sum = price * sold\n    return sum - price**2\n"
    sweep = {"input": "price", "low": 0, "high": 3}
    given = {"name": "cost.py", "text": text, "sweep": sweep, "changes": {"price": 1.0}}
    got = ask(server, "drivers", **given)["answer"]
    assert got["sensitivity"]["inputs"]["price"]["derivative"] == 3 - 20
    assert got["what_if"]["recomputed"] == 33 - 121 and got["what_if"]["predicted"] == -87
    assert got["sweep"]["maximum"]["x"] == pytest.approx(1.5)
    assert {s["name"] for s in got["tornado"]["swings"]} == {"price", "sold"}


def test_errors_of_the_program_name_its_line_and_prints_are_kept(server):
    wrong = "def f(x):\n    print('here', x.item())\n    return x * y\n"
    said = ask(server, "trace", name="cost.py", text=wrong)["problem"]
    assert said["line"] == 3 and "'y' is not defined" in said["message"]
    assert said["printed"] == "here 1.0\n"
    assert ask(server, "trace", name="cost.py", text="def f(:\n")["problem"]["line"] == 1
    said = ask(server, "trace", name="cost.py", text="import sys\nsys.exit(3)\n")["problem"]
    assert "SystemExit" in said["message"]
    fine = ask(server, "trace", name="cost.py", text=PROGRAM)["answer"]
    assert fine["function"] == "cost"


def test_a_run_can_be_stopped_and_the_next_one_works(server):
    forever = {"name": "cost.py", "text": "while True: pass\n"}
    timer = threading.Timer(0.5, lambda: ask(server, "stop"))
    timer.start()
    began = time.monotonic()
    said = ask(server, "trace", **forever)["problem"]
    assert "it was stopped" in said["message"] and time.monotonic() - began < 20
    assert ask(server, "trace", name="cost.py", text=PROGRAM)["answer"]["function"] == "cost"


def test_time_and_memory_are_limited(tmp_path):
    bench = Workbench(Limits(seconds=60, megabytes=2048), str(tmp_path))
    bench.ask("hello")
    first = bench.pid
    if sys.platform == "linux":
        big = "import numpy\ndef f(x):\n    return x * numpy.ones(10 ** 9).sum()\n"
        with pytest.raises(ProblemThere, match="MemoryError"):
            bench.ask("trace", text=big, name="f.py")
    bench.limits = Limits(seconds=0.5, megabytes=2048)
    with pytest.raises(Stopped, match=r"more than 0\.5 s"):
        bench.ask("trace", text="while True: pass", name="f.py")
    assert bench.pid is None and not os.path.exists(f"/proc/{first}")
    bench.stop()


def alive(pid):
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_a_program_started_ends_with_it(tmp_path):
    bench = Workbench(Limits(60), str(tmp_path))
    bench.ask("hello")
    text = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pid', 'w').write(str(child.pid))\nwhile True: pass\n"
    )
    threading.Timer(1.0, bench.stop).start()
    with pytest.raises(Stopped, match="it was stopped"):
        bench.ask("trace", text=text, name=str(tmp_path / "f.py"))
    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 10
    while alive(pid):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_program_ends_with_the_server_that_was_killed(tmp_path):
    """Also one that computes for ever."""
    (tmp_path / "f.py").write_text("while True: pass\n")
    program = (
        "import os, sys, threading\n"
        "from chainrule.studio.workbench import Limits, Workbench\n"
        "bench = Workbench(Limits(600), sys.argv[1])\n"
        "bench.ask('hello')\n"
        "asking = threading.Thread(target=bench.ask, args=('trace',),\n"
        "                          kwargs={'text': 'while True: pass', 'name': 'f.py'})\n"
        "asking.start()\n"
        "print(bench.pid, flush=True)\n"
        "asking.join()\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    pid = int(server.stdout.readline())
    assert alive(pid)
    time.sleep(0.5)
    server.kill()
    server.wait()
    server.stdout.close()
    end = time.monotonic() + 20
    while alive(pid):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_program_that_ends_its_process_is_told_of(tmp_path):
    bench = Workbench(Limits(60), str(tmp_path))
    with pytest.raises(Stopped, match="ended with code 7"):
        bench.ask("trace", text="import os\nos._exit(7)\n", name="f.py")
    with pytest.raises(ProblemThere, match="defines no function"):
        bench.ask("trace", text="print(1)", name="f.py")
    bench.stop()


def test_nothing_of_the_process_is_left_when_the_server_ends(tmp_path):
    with served(folder=tmp_path) as made:
        made.studio.runs.ask("hello")
        pid = made.studio.runs.pid
    assert made.studio.runs.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
