"""What the page lets one do, on a desktop and a phone; its numbers are the engine's."""

import json
import re
import time

import pytest

import chainrule as torch
from chainrule.run import installed
from chainrule.studio.playground.presets import PRESETS
from chainrule.studio.playground.script import checked, script
from chainrule.studio.playground.training import Training

from .browser import encoded, needs_axe, needs_browser, served
from .test_live import TRAINING, short
from .test_model_page import GPT
from .test_playground_page import begun, downloaded

pytestmark = [needs_browser, pytest.mark.slow]
TIMES = "\N{MULTIPLICATION SIGN}"
PROGRAM = """import torch

def f(x=2.0, w=3.0, b=1.0):
    z = x * w + b
    y = z ** 2
    up = 3 * y
    down = 3 * y
    return y + (up - down)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interactions")
    for name, text in {"f.py": PROGRAM, "gpt.py": GPT, "train.py": TRAINING}.items():
        (folder / name).write_text(text)
    with served(folder / "f.py") as made:
        made.studio.warm_up()
        yield made


def opened(page, site):
    page.open(site.url)
    page.wait("document.querySelectorAll('#graph g').length > 3")
    return page


def last_step(page):
    return int(page.run("return document.querySelector('#time').max"))


def panels(page):
    """What every step says, by its title."""
    said = {}
    for step in range(1, last_step(page) + 1):
        page.put("#time", step)
        said[page.text("#where").split(": ", 1)[1]] = page.text("#panel")
    return said


def engine():
    """The gradients of the program's tensors, by name."""
    x, w, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (2.0, 3.0, 1.0))
    z = x * w + b
    y = z**2
    result = y + (3 * y - 3 * y)
    for t in (z, y):
        t.retain_grad()
    result.backward()
    return {name: _slope(t) for name, t in {"x": x, "w": w, "b": b, "z": z, "y": y}.items()}


def _slope(t):
    return t.grad.item()  # pyright: ignore[reportOptionalMemberAccess]


def test_every_step_has_formula_arriving_product_and_sum_with_the_engines_numbers(page, site):
    opened(page, site)
    said, truth = panels(page), engine()
    for name in ("x", "w", "b"):
        (leaf,) = (t for where, t in said.items() if where.endswith(f"AccumulateGrad of {name}"))
        assert "goes to .grad" in leaf and short(truth[name]) in leaf
    square = said["backward, PowBackward0 of y"]
    assert "The gradient that arrives" in square and short(truth["y"]) in square
    assert "∂ y / ∂ z = 2*z = 2 * 7 = 14" in square
    product = f"arriving {TIMES} local = 1 {TIMES} 14 = {short(truth['z'])}"
    assert product in square
    assert "the first to arrive" in square
    assert "Freed" in square and "bytes" in square
    assert "Saved for backward" in said["forward, pow makes y"]
    assert "z = x * w + b" in said["forward, add makes z"]


def test_paths_that_meet_have_shares_and_it_is_said_that_they_cancel(page, site):
    opened(page, site)
    said = panels(page)
    meeting = said["backward, PowBackward0 of y"]
    assert "3 paths meet" in meeting and meeting.count("share") == 3
    assert "They cancel in part" in meeting
    assert any(
        "added to what is there: " in text and " + (-3) = " in text for text in said.values()
    )
    text = "def g(x=2.0):\n    y = x * x\n    return 3 * y - 3 * y\n"
    page.open(f"{site.url}#s={encoded({'text': text, 'function': 'g', 'at': {}})}")
    page.wait_text("#problem", "Read it first")
    page.click("#trust")
    page.wait_text("#where", "Step 0 of")
    assert any("They cancel." in text for text in panels(page).values())


def test_runs_stop_at_a_node_both_ways_and_without_one_go_to_the_end(page, site):
    opened(page, site)
    last = last_step(page)
    page.click("#last")
    assert page.text("#where").startswith(f"Step {last} of {last}")
    page.click("#first")
    assert page.text("#where").startswith(f"Step 0 of {last}")
    node = page.run(
        "return [...document.querySelectorAll('#graph g')].find("
        "g => g.querySelector('text').textContent.trim() == 'y').dataset.node"
    )
    page.click(f"#graph g[data-node='{node}']")
    page.click("#panel .stopper")
    assert page.run("return document.querySelector('#panel .stopper').ariaPressed") == "true"
    stops = []
    for button in ("#last", "#last", "#last", "#first", "#first", "#first"):
        page.click(button)
        stops.append(page.text("#where").split(": ", 1)[1])
    back = "backward, PowBackward0 of y"
    assert stops[:2] == ["forward, pow makes y", back] and "AccumulateGrad" in stops[2]
    assert stops[3:] == [back, "forward, pow makes y", "before the first op"]
    page.click("#next")
    page.click("#next")
    page.click("#previous")
    assert page.text("#where").startswith("Step 1 of")


def test_a_slider_is_dragged_and_everything_follows(page, site):
    opened(page, site)
    page.wait("document.querySelector('#s-w')")
    page.drag("#s-w", (25, 0))
    page.wait("document.querySelector('#n-w').value !== '3'")
    w = float(page.run("return document.querySelector('#n-w').value"))
    page.wait_text("#recomputed", short((2 * w + 1) ** 2))
    assert short(49 + 28 * (w - 3)) in page.text("#predicted")
    page.wait_text("#modes", short(4 * (2 * w + 1)))


def test_a_recorded_page_steps_stops_and_shows_its_model(page, tmp_path):
    def loss(w, b):
        z = 2 * w + b
        return (z - 7) ** 2

    file = tmp_path / "lesson.html"
    torch.studio.trace(loss, {"w": 3.0, "b": 2.0}).to_html(file)
    page.open(f"file://{file}")
    page.wait_text("#where", "Step 0 of")
    page.click("#next")
    page.click("#next")
    assert "add makes z" in page.text("#where") and page.text(".lit")
    page.click("#previous")
    page.click("#next")
    page.click("#code li.lit button")
    page.put("#time", 0)
    page.click("#last")
    assert "mul makes" in page.text("#where")
    page.click("#last")
    assert "add makes z" in page.text("#where")
    page.click("#last")
    assert "of z" in page.text("#where") and "backward" in page.text("#where")
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")


@pytest.mark.parametrize("what", ["show", "model"])
def test_a_notebook_shows_a_result_and_a_model_without_a_server(page, tmp_path, what):
    torch.manual_seed(0)
    model, data = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()), torch.ones(5, 3)
    made = torch.studio(model, data) if what == "model" else torch.studio.read(model(data).sum())
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>n</title>{made._repr_html_()}", encoding="utf-8")
    page.open(f"file://{file}")
    page.driver.switch_to.frame(0)
    page.wait_text("#where", "Step 0 of")
    page.click("#last")
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")
    assert page.count("#modules tbody tr") >= 1
    page.driver.switch_to.default_content()


# ---- the playground ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p["name"])
def test_every_classic_runs_with_the_engines_numbers_and_exports_its_script(
    page, site, tmp_path, preset
):
    begun(page, site)
    page.put("#preset", preset["name"])
    page.wait_text("#about", preset["about"])
    page.click("#one-epoch")
    with installed():
        run = Training(preset["config"])
        frame = run.control("epoch")
        run.close()
    page.wait_text("#progress", f"step {frame['step']}: loss ")
    (shown,) = re.findall(r"loss ([-+.\de]+)", page.text("#progress"))
    assert float(shown) == pytest.approx(frame["loss"], rel=1e-5)
    assert page.count("#loss .line, #loss .mark") >= 1 and page.count("#flow tbody tr") >= 1
    text = downloaded(page, tmp_path, "#export", "playground.py")
    assert text == script(checked(preset["config"]))


DATA = ["circles", "xor", "moons", "spiral", "blobs", "line", "sine", "hills",
        "first of a sequence", "saddle"]  # fmt: skip


def test_every_data_set_is_drawn(page, site):
    begun(page, site)
    assert [*DATA, "csv"] == page.run(
        "return [...document.querySelectorAll('#data option')].map(o => o.value)"
    )
    for name in DATA:
        page.put("#data", name)
        page.click("#begin")
        page.click("#one-batch")
        page.wait_text("#progress", "step 1:")
        page.wait(f"document.querySelector('#data').value == '{name}'")
        flat = name in ("line", "sine", "first of a sequence")
        page.wait(f"document.querySelector('#boundary').hidden == {str(flat).lower()}")
        assert page.count("#line svg") == flat and page.fits()


def test_histograms_saturated_units_and_the_score(page, site):
    begun(page, site)
    for name, value in (("init", "huge"), ("layers", "6, 6, 6"), ("noise", 0.2)):
        page.put(f"#{name}", value)
    page.click("#begin")
    page.click("#one-batch")
    page.wait_text("#progress", "step 1:")
    assert page.count(".map.saturated") > 0 and "1 saturated" in page.text("#units")
    assert page.count("#flow .histogram") == 2 * page.count("#flow tbody tr") == 8
    assert page.count("#flow .size") == 4 and "accuracy" in page.text("#progress")


def test_a_run_that_is_begun_last_is_the_one_that_is_shown(page, site, monkeypatch):
    """However long the server takes over those that were begun before."""
    begun(page, site)
    whole, slow = site.studio.training.ask, [0.6]

    def ask(what, /, **given):
        if what == "play" and slow:
            time.sleep(slow.pop())
        return whole(what, **given)

    monkeypatch.setattr(site.studio.training, "ask", ask)
    page.click("#begin")
    page.put("#preset", "Dead ReLU")
    page.wait("document.querySelectorAll('.map.dead').length > 0")
    time.sleep(0.8)
    assert whole("control", action="look")["config"]["activation"] == "relu"
    assert page.count(".map.dead") == 16


def test_settings_of_the_playground_come_with_a_link_and_a_file(page, site, tmp_path):
    begun(page, site)
    page.put("#lr", 0.25)
    page.put("#layers", "5, 3")
    page.wait("location.hash.startsWith('#s=')")
    time.sleep(0.4)
    link = page.run("return location.href")
    saved = json.loads(downloaded(page, tmp_path, "#save", "lesson.json"))
    assert saved["play"]["lr"] == 0.25 and saved["play"]["layers"] == [5, 3]
    page.open(link)
    page.wait_text("#progress", "step 0")
    assert page.run("return document.querySelector('#lr').value") == "0.25"
    page.wait("document.querySelectorAll('#units canvas').length == 8")


# ---- every view ----------------------------------------------------------------------------------

READY = {
    "step": "document.querySelector('#along')",
    "drivers": "document.querySelectorAll('#sweep svg').length == 2",
    "model": "document.querySelector('#seen').textContent.includes('boxes shown')",
    "playground": "document.querySelector('#progress').textContent.includes('step 0')",
    "lessons": "document.querySelector('#lesson-10')",
}


def seen(page, site, view):
    opened(page, site)
    page.click(f"#tab-{view}")
    page.wait(READY[view])


@pytest.mark.parametrize("view", READY)
def test_nothing_of_a_table_is_out_of_sight(page, site, view):
    """On a phone every row is a card; on a desktop there is room."""
    seen(page, site, view)
    if view == "playground":
        page.click("#one-batch")
        page.wait_text("#progress", "step 1:")
    cut = page.run(
        "return [...document.querySelectorAll('.headed')].filter(e => e.offsetParent)"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-label'))"
    )
    assert cut == []


OPEN = (
    "const seen = e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0;"
    "return [...document.querySelectorAll('main button, main select, main input, main summary,"
    " main textarea, main canvas[tabindex], header button')].filter(seen)"
)


@pytest.mark.parametrize("view", ["drivers", "model", "playground", "lessons"])
def test_every_control_of_a_view_is_reached_by_keyboard_and_has_a_name(page, site, view):
    from selenium.webdriver.common.keys import Keys

    seen(page, site, view)
    page.run(f"const es = (() => {{ {OPEN} }})(); es.forEach((e, k) => e.dataset.nr = k);")
    count = page.run(f"return (() => {{ {OPEN} }})().length")
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    reached = set()
    for _ in range(count + 40):
        page.keys_here(Keys.TAB)
        reached.add(page.run("return document.activeElement.dataset.nr"))
    missing = [k for k in range(count) if str(k) not in reached]
    names = page.run(
        f"const es = (() => {{ {OPEN} }})(); return arguments[0].map(k => es[k].outerHTML)",
        missing,
    )
    assert not missing, names
    page.run(f"document.querySelector('#tab-{view}').focus()")
    page.keys_here(Keys.TAB)
    page.run("document.querySelector('#tab-step').focus()")
    page.keys_here(Keys.ENTER)
    page.wait("document.querySelector('#tab-step').matches('[aria-current=page]')")


@pytest.mark.parametrize("page", ["desktop"], indirect=True)
@pytest.mark.parametrize("view", READY)
def test_a_view_fits_a_projector_at_twice_the_type(page, site, view):
    seen(page, site, view)
    page.driver.set_window_size(1024, 768)
    try:
        for _ in range(4):
            page.click("#type")
            assert page.fits()
    finally:
        page.run("localStorage.clear()")


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_a_recorded_page(page, tmp_path, scheme):
    page.colours(scheme)
    file = tmp_path / "lesson.html"
    torch.studio.trace(lambda w, b: (2 * w + b) ** 2, {"w": 3.0, "b": 2.0}).to_html(file)
    page.open(f"file://{file}")
    for step in (2, 5):
        page.put("#time", step)
        assert page.accessibility() == []
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")
    assert page.accessibility() == []
