"""The recorded page: one file, the bundle of these sources, and what it shows in a browser."""

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import studio
from chainrule.cli import main

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
PROGRAM = "def cost(w, b):\n    z = 2 * w + b\n    return (z - 7) ** 2\n"


@pytest.mark.parametrize("name", ["page.js", "studio.js"])
def test_the_bundle_is_built_from_the_sources_beside_it(name):
    web = ROOT / "web"
    names = [f"src/{p.name}" for p in (web / "src").iterdir()] + ["build.mjs", "package-lock.json"]
    digest = hashlib.sha256()
    for source in sorted(names):
        digest.update(source.encode() + b"\n" + (web / source).read_bytes())
    bundle = (ROOT / "src/chainrule/studio/static" / name).read_text(encoding="utf-8")
    assert bundle.startswith(f"/* {digest.hexdigest()} */"), "run `make studio`"


def test_the_page_asks_for_nothing_and_its_data_cannot_escape():
    def sneaky(x):
        return x * 2  # </script><script>alert(1)</script>

    text = studio.trace(sneaky, {"x": 1.0}).to_html()
    assert text.count("<script") == 2 and "alert(1)\\u003c" in text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    program = text.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in policy


def test_a_recorded_lesson_has_its_text_and_tasks(tmp_path):
    import json
    import sys

    page = tmp_path / "lesson.html"
    command = [sys.executable, "-m", "chainrule", "studio", "--lesson", "3", "--record", str(page)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    found = re.search('id="document">(.*?)</script>', page.read_text(), re.DOTALL)
    lesson = json.loads(found[1])["lesson"]
    assert (lesson["number"], lesson["title"]) == (3, "The chain rule")
    assert len(lesson["tasks"]) == 3 and lesson["text"]


@pytest.mark.parametrize("target", ["model.txt", "f.py:", "f.pyc", "f.py:a:b", "f.py:a.b"])
def test_the_command_says_what_a_target_looks_like(target, capsys):
    assert main(["studio", target, "--no-browser"]) == 2
    assert "file.py:function" in capsys.readouterr().err


def test_a_folder_may_be_called_like_a_python_file(tmp_path, capsys):
    (tmp_path / "old.pyproject").mkdir()
    missing = tmp_path / "old.pyproject" / "no.py"
    assert main(["studio", f"{missing}:f", "--record", str(tmp_path / "out.html")]) == 2
    assert f"there is no file {missing}" in capsys.readouterr().err


class Frames(HTMLParser):
    def handle_starttag(self, tag, attributes):
        self.found = tag, dict(attributes)


def test_a_notebook_gets_the_page_in_a_sandbox():
    x = torch.tensor(2.0, requires_grad=True)
    parser = Frames()
    parser.feed(studio.read(x * x)._repr_html_())
    tag, attributes = parser.found
    assert tag == "iframe" and attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"].startswith("<!doctype html>")


def test_the_command_says_what_it_cannot_record(tmp_path, capsys):
    file = tmp_path / "f.py"
    file.write_text(PROGRAM)
    out = str(tmp_path / "lesson.html")
    assert main(["studio", str(tmp_path / "no.py"), "--record", out]) == 2
    assert "there is no file" in capsys.readouterr().err


def recorded(tmp_path):
    """The page as another process wrote it: the command changes what `torch` means in its own."""
    import sys

    (tmp_path / "f.py").write_text("import torch\n" + PROGRAM)
    page = tmp_path / "lesson.html"
    command = [sys.executable, "-m", "chainrule", "studio", str(tmp_path / "f.py:cost")]
    command += ["--at", "w=3", "b=2", "--record", str(page)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    return page


def open_to_scripts(page):
    """The page without its policy, which lets no script of a test run."""
    text, policies = re.subn(
        '<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text()
    )
    assert policies == 1
    return text


def dom(page, profile, fragment="", width=1280, scheme=1):
    made = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
         f"--window-size={width},900", "--virtual-time-budget=8000", "--dump-dom",
         f"--blink-settings=preferredColorScheme={scheme}",
         f"file://{page}{fragment}"],
        check=True, timeout=300, capture_output=True, text=True,
    )  # fmt: skip
    return made.stdout.split("<script")[0]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_steps_in_a_real_browser(tmp_path):
    page = recorded(tmp_path)
    shown = dom(page, tmp_path / "p", "#step=2")
    assert "Step 2 of 10: forward, add makes z" in shown
    assert re.search(r'class="lit".{0,200}z = 2 \* w \+ b', shown)
    assert "z = 2 * w + b = 2 * 3 + 2 = 8" in shown
    shown = dom(page, tmp_path / "p", "#step=5")
    assert "= 2*(z - 7) = 2 * (8 - 7) = 2" in shown
    assert "arriving \u00d7 local = 1 \u00d7 2 = 2" in shown
    assert "Three ways to the derivative" in shown


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_keys_breakpoints_and_a_narrow_window(tmp_path):
    page = recorded(tmp_path)
    keys = (
        "const press=(key)=>document.dispatchEvent(new KeyboardEvent('keydown',{key}));"
        "press('ArrowRight');press('ArrowRight');press('ArrowLeft');const a=where.textContent;"
        "document.querySelectorAll('#code li button')[3].click();press('End');"
        "const b=where.textContent;press('Home');press('Home');press('End');press('End');"
        "document.querySelectorAll('#graph g')[0].dispatchEvent(new MouseEvent('click'));"
        "document.title=[a,b,document.documentElement.scrollWidth<=innerWidth,"
        "panel.textContent.slice(0,5)].join(' | ')"
    )
    page.write_text(open_to_scripts(page).replace("</body>", f"<script>{keys}</script></body>"))
    title = re.search("<title>(.*?)</title>", dom(page, tmp_path / "p", width=500)).group(1)
    first, second, fits, looked_at = title.split(" | ")
    assert first.startswith("Step 1 of 10") and second.startswith("Step 3 of 10")
    assert fits == "true" and looked_at


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: run `make studio`")
@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
def test_axe_finds_nothing(tmp_path, scheme):
    page = recorded(tmp_path)
    check = (
        "axe.run().then(r=>{document.title='axe: '+r.violations.map(v=>v.id).join(' ')+"
        "' of '+r.passes.length})"
    )
    inside = f"<script>{AXE.read_text()}</script><script>{check}</script></body>"
    page.write_text(open_to_scripts(page).replace("</body>", inside))
    shown = dom(page, tmp_path / "p", "#step=5", scheme=scheme)
    title = re.search("<title>(.*?)</title>", shown).group(1)
    assert re.fullmatch(r"axe:  of \d+", title), title


def test_show_opens_the_browser_or_the_notebook(monkeypatch, capsys):
    import sys
    import webbrowser
    from types import SimpleNamespace
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    x = torch.tensor(2.0, requires_grad=True)
    made = studio.show(x * x)
    assert made.document["output"] and len(opened) == 1
    page = Path(url2pathname(urlsplit(opened[0]).path))
    assert page.read_text(encoding="utf-8") == made.to_html()
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    made.show()
    assert "the page is" in capsys.readouterr().out
    shown = []
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=shown.append))
    assert studio.show(x * x) is shown[0] and len(opened) == 1


def test_a_model_opens_only_where_somebody_sits(monkeypatch):
    import sys
    import webbrowser
    from types import SimpleNamespace

    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    model, data = torch.nn.Linear(2, 1), torch.ones(3, 2)
    studio(model, data)
    assert not opened
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert studio(model, data).document["title"] == "Linear" and len(opened) == 1
