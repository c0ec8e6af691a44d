"""Models in a browser: folded by module, coloured, searched, and smooth with thousands of nodes."""

import re
import time

import pytest

from chainrule.studio.workbench import Limits

from .browser import needs_axe, needs_browser, served

pytestmark = [needs_browser, pytest.mark.slow]
GPT = """import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        inner = 4 * width
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))

    def attend(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, t, d))

    def forward(self, x):
        x = x + self.attend(self.before(x))
        return x + self.mlp(self.between(x))


class GPT(nn.Module):
    def __init__(self, words=40, width=32, layers=3, heads=4, length=12):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


torch.manual_seed(0)
model = GPT()
ids = torch.randint(0, 40, (2, 12))
loss = F.cross_entropy(model(ids)[:, :-1].reshape(-1, 40), ids[:, 1:].reshape(-1))
loss.backward()
"""
WIDE = """import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return x + torch.tanh(self.a(x)) * torch.sigmoid(self.b(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList(Cell() for _ in range(500))

    def forward(self, x):
        total = 0
        for k in range(0, 500, 10):
            y = x
            for cell in self.cells[k : k + 10]:
                y = cell(y)
            total = total + y
        return total

model = Net()
loss = model(torch.randn(2, 3)).square().mean()
loss.backward()
"""
FRAMES = """
const done = arguments[arguments.length - 1], map = document.querySelector('#map'), times = [];
map.setPointerCapture = () => {};
const move = (kind, y) => map.dispatchEvent(new PointerEvent(
  kind, {clientX: 300, clientY: y, pointerId: 1, bubbles: true}));
move('pointerdown', 600);
let last = performance.now();
const before = map.getContext('2d').getTransform().f;
function tick() {
  const now = performance.now();
  times.push(now - last);
  last = now;
  move('pointermove', 600 - 9 * times.length);
  if (times.length < 120) return requestAnimationFrame(tick);
  move('pointerup', 0);
  times.sort((a, b) => a - b);
  done({median: times[60], moved: map.getContext('2d').getTransform().f - before});
}
requestAnimationFrame(tick);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "gpt.py").write_text(GPT)
    (folder / "wide.py").write_text(WIDE)
    with served(folder / "gpt.py", limits=Limits(180, 4096)) as made:
        made.studio.warm_up()
        yield made


def opened(page, site):
    page.open(site.url)
    page.wait_text("#where", "Step 0 of")
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")
    return page


def boxes(page):
    return int(page.text("#seen").split(" nodes, ")[1].split()[0].replace(",", ""))


def row(page, path):
    return page.run(
        "return [...document.querySelector(`[data-path='${arguments[0]}']`).closest('tr').cells]"
        ".map(c => c.textContent)",
        path,
    )


def test_a_gpt_is_folded_and_opens_on_click(page, site):
    opened(page, site)
    closed = boxes(page)
    assert closed < 25
    assert page.count("[data-path]") == 5, "the table is folded as the graph is"
    inside = 32 * 96 + 96 + 32 * 32 + 32 + 32 * 128 + 128 + 128 * 32 + 32 + 4 * 32
    assert row(page, "blocks")[1] == f"{3 * inside:,}"
    assert "KiB" in row(page, "blocks")[2] and re.search("(µs|ms|s)$", row(page, "blocks")[3])
    assert float(row(page, "blocks")[4]) > 0
    page.click("[data-path=blocks]")
    assert boxes(page) > closed
    assert row(page, "blocks.0")[1] == f"{inside:,}"
    page.click("[data-path='blocks.1']")
    assert (
        page.run("return document.querySelector(\"[data-path='blocks.1']\").ariaExpanded") == "true"
    )
    page.click("[data-path=blocks]")
    assert boxes(page) == closed
    page.click("#open-all")
    everything = boxes(page)
    assert everything == int(page.text("#seen").split()[0])
    page.click("#close-all")
    assert boxes(page) == closed


def test_search_attention_maps_and_colours(page, site):
    opened(page, site)
    page.put("#search", "softmax(self")
    assert page.text("#seen") == "nothing found"
    page.put("#search", "gelu")  # inside of closed modules
    assert page.text("#seen") == "1 of 1 found" and page.text("#details h2") == "blocks"
    assert "3 found inside" in page.text("#details")
    page.click("#open-all")
    page.put("#search", "attention")
    assert page.text("#seen") == "1 of 3 found"
    page.click("#find-next")
    assert page.text("#seen") == "2 of 3 found"
    assert page.count("#details .attention") == 8
    first = page.run(
        "return [...document.querySelectorAll('#details .attention')[0].children].slice(0, 12)"
        ".map(r => Number(r.getAttribute('fill-opacity')))"
    )
    assert first[0] == 1 and not any(first[1:])  # the first query sees itself alone
    page.put("#search", "no such thing")
    assert page.text("#seen") == "nothing found"

    def picture():
        return page.run("return document.querySelector('#map').toDataURL()")

    pictures = set()
    for measure in ("nothing", "parameters", "memory", "time", "gradient"):
        page.put("#measure", measure)
        time.sleep(0.1)
        pictures.add(picture())
    assert len(pictures) == 5


def test_zoom_pan_keys_and_a_click_on_a_box(page, site):
    from selenium.webdriver.common.keys import Keys

    opened(page, site)
    page.put("#search", "norm")
    chosen = page.text("#details h2")
    assert chosen
    closed = page.text("#modules")
    page.put("#search", "blocks")
    time.sleep(0.2)  # the box lies in the middle now
    page.drag("#map", (0, 0), start=(0, 10))
    page.wait("document.querySelector(\"[data-path='blocks']\").ariaExpanded == 'true'")
    assert page.text("#modules") != closed

    def scale():
        time.sleep(0.1)
        return page.run(
            "const t = document.querySelector('#map').getContext('2d').getTransform();"
            "return [t.a, t.e, t.f]"
        )

    start = scale()
    page.click("#zoom-in")
    closer = scale()
    assert closer[0] == pytest.approx(1.3 * start[0])
    page.keys("-", selector="#map")
    assert scale()[0] == pytest.approx(start[0])
    page.keys(Keys.ARROW_DOWN, selector="#map")
    ratio = page.run("return devicePixelRatio")
    assert scale()[2] == pytest.approx(start[2] - 80 * ratio, abs=0.5)
    page.run(
        "document.querySelector('#map').dispatchEvent(new WheelEvent('wheel', {deltaY: -200}))"
    )
    assert scale()[0] > start[0]
    page.click("#fit")


def test_five_thousand_nodes_pan_smoothly(page, site):
    """Near, and from so far that most of the graph is in sight."""
    page.open(site.url)
    page.wait_text("#where", "Step 0 of")
    page.put("#file", "wide.py")
    page.wait("Number(document.querySelector('#time').max) > 5000", seconds=180)
    page.click("#tab-model")
    page.wait_text("#seen", "5,0")
    assert boxes(page) < 100  # folded
    page.click("#open-all")
    assert boxes(page) > 5000
    for zooms in (0, 4, 4):
        for _ in range(zooms):
            page.click("#zoom-out")
        found = page.driver.execute_async_script(FRAMES)
        assert abs(found["moved"]) > 300
        assert found["median"] < 33, found


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, site, scheme):
    page.colours(scheme)
    opened(page, site)
    page.click("[data-path=blocks]")
    page.put("#search", "norm")
    assert page.accessibility() == []
