"""torch.hub: files from a server, models from a folder; no code from anywhere."""

import hashlib
import http.server
import os
import threading
from urllib.error import HTTPError

import pytest

import chainrule as torch

HUBCONF = '''
dependencies = ["numpy"]
from beside import width


def layer(rows, bias=True):
    """A layer."""
    import chainrule as torch
    return torch.nn.Linear(width, rows, bias=bias)


def _hidden():
    pass
'''


@pytest.fixture
def home(tmp_path):
    before = torch.hub.get_dir()
    torch.hub.set_dir(tmp_path / "hub")
    yield tmp_path / "hub"
    torch.hub.set_dir(before)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "hubconf.py").write_text(HUBCONF)
    (folder / "beside.py").write_text("width = 3\n")
    return folder


@pytest.fixture
def server(tmp_path):
    """A server of the files in `tmp_path / "served"`: its address and what it was asked for."""
    folder, asked = tmp_path / "served", []
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)

        def log_message(self, *args):
            asked.append(self.path)

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}", folder, asked
    made.shutdown()
    thread.join()
    made.server_close()


def test_parameters_are_downloaded_once(server, home, capsys):
    address, folder, asked = server
    torch.save({"w": torch.arange(3.0)}, folder / "net.pth")
    for _ in range(2):
        found = torch.hub.load_state_dict_from_url(f"{address}/net.pth", progress=False)
        assert found["w"].tolist() == [0.0, 1.0, 2.0]
    assert asked == ["/net.pth"] and (home / "checkpoints" / "net.pth").exists()
    assert "Downloading" in capsys.readouterr().err


def test_a_file_that_is_not_what_its_name_says_is_not_kept(server, home):
    address, folder, _ = server
    torch.save({"w": torch.ones(1)}, folder / "good.pth")
    digest = hashlib.sha256((folder / "good.pth").read_bytes()).hexdigest()
    good, bad = f"net-{digest[:8]}.pth", "net-0123abcd.pth"
    for name in (good, bad):
        (folder / name).write_bytes((folder / "good.pth").read_bytes())
    torch.hub.load_state_dict_from_url(f"{address}/{good}", check_hash=True, progress=False)
    with pytest.raises(RuntimeError, match=r'invalid hash value \(expected "0123abcd"'):
        torch.hub.load_state_dict_from_url(f"{address}/{bad}", check_hash=True, progress=False)
    assert [path.name for path in (home / "checkpoints").iterdir()] == [good]


def test_a_missing_file_leaves_nothing_behind(server, tmp_path):
    address, _, _ = server
    with pytest.raises(HTTPError, match="404"):
        torch.hub.download_url_to_file(f"{address}/none.pth", str(tmp_path / "none.pth"))
    assert not list(tmp_path.glob("*none*")) and not list(tmp_path.glob("*.partial"))


def test_a_pipe_in_place_of_a_file_is_refused_at_once(home):
    (home / "checkpoints").mkdir(parents=True)
    os.mkfifo(home / "checkpoints" / "net-0123abcd.pth")
    for check in (True, False):
        with pytest.raises(OSError, match="this is a pipe"):
            torch.hub.load_state_dict_from_url("http://x/net-0123abcd.pth", check_hash=check)


def test_an_address_that_is_no_text_is_named():
    with pytest.raises(TypeError, match="the URL is None, not a str"):
        torch.hub.load_state_dict_from_url(None)


def test_what_a_downloaded_file_says_is_not_run(server, home):
    address, folder, _ = server
    torch.save(torch.nn.Linear(1, 1), folder / "whole.pth")
    with pytest.raises(Exception, match="weights_only"):
        torch.hub.load_state_dict_from_url(f"{address}/whole.pth", progress=False)


def test_models_of_a_folder(repository):
    made = torch.hub.load(str(repository), "layer", 2, source="local", bias=False)
    assert tuple(made.weight.shape) == (2, 3) and made.bias is None
    with pytest.raises(RuntimeError, match="Cannot find callable none in hubconf"):
        torch.hub.load(str(repository), "none", source="local")
    with pytest.raises(ValueError, match='Unknown source: "web"'):
        torch.hub.load(str(repository), "layer", source="web")
    (repository / "hubconf.py").write_text("dependencies = ['not_there_at_all']\n")
    with pytest.raises(RuntimeError, match="Missing dependencies: not_there_at_all"):
        torch.hub.load(str(repository), "layer", source="local")


def test_code_is_taken_from_the_folder_of_downloads_and_from_nowhere_else(repository, home):
    with pytest.raises(RuntimeError, match=r"downloads no code[\s\S]*source='local'"):
        torch.hub.load("owner/name", "layer", 2)
    home.mkdir()
    repository.rename(home / "owner_name_main")
    assert torch.hub.list("owner/name") == ["layer"]
    assert torch.hub.help("owner/name:main", "layer") == "A layer."
    assert tuple(torch.hub.load("owner/name", "layer", 2).weight.shape) == (2, 3)
