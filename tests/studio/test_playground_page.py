"""The playground in a browser."""

import json
import time

import pytest

from chainrule.run import installed
from chainrule.studio.playground.training import Training

from .browser import encoded, needs_axe, needs_browser, served

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(folder=tmp_path_factory.mktemp("site")) as made:
        yield made


STEP = "Number(/step (\\d+)/.exec(document.querySelector('#progress').textContent)[1])"


def begun(page, site):
    page.open(site.url)
    page.click("#tab-playground")
    page.click("#begin")
    page.wait_text("#progress", "Epoch 0, step 0")
    return page


def downloaded(page, folder, selector, name):
    options = {"behavior": "allow", "downloadPath": str(folder)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", options)
    page.click(selector)
    end = time.monotonic() + 20
    while not (folder / name).exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.2)
    return (folder / name).read_text()


def test_it_shows_the_engines_numbers_step_by_step(page, site):
    begun(page, site)
    with installed():
        run = Training({})
        for what in ("example", "batch", "epoch"):
            page.click(f"#one-{what}")
            frame = run.control(what)
            page.wait_text("#progress", f"step {frame['step']}: loss {frame['loss']:.6g}")
            assert f"accuracy {round(frame['accuracy'], 4):g}" in page.text("#progress")
            for layer in frame["layers"]:
                shown = f"{layer['gradient']:.1e}".replace("e-0", "e-").replace("e+0", "e+")
                assert shown in page.text("#flow")
        run.close()
    assert page.count("#units canvas") == 16
    table = page.run(
        "return [...document.querySelectorAll('#output tbody tr')].map("
        "r => [...r.cells].map(c => c.textContent))"
    )
    for row in table:
        assert float(row[4]) == pytest.approx(float(row[5]), abs=2e-5)  # p - t is the gradient


def test_run_pause_rewind_and_run_again(page, site):
    begun(page, site)
    page.click("#run")
    page.wait(f"{STEP} > 500")
    page.click("#run")
    page.wait("document.querySelector('#run').textContent == 'Run'")
    time.sleep(0.3)
    last = page.text("#progress")
    time.sleep(0.5)
    assert page.text("#progress") == last
    page.put("#rewind", 100)
    page.wait_text("#progress", "step 100:")
    with installed():
        run = Training({})
        while run.steps < 100:
            run._step(16)
        assert f"loss {run.losses[-1]:.6g}" in page.text("#progress")
        run.close()
    page.click("#one-batch")
    page.wait_text("#progress", "step 101:")
    colours = page.run(
        "const c = document.querySelector('#boundary'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; const s = new Set();"
        "for (let k = 0; k < d.length; k += 4) s.add(d[k] + ',' + d[k + 1]); return s.size"
    )
    assert colours > 20


def test_the_same_seed_again_with_one_thing_changed(page, site):
    begun(page, site)
    page.click("#one-epoch")
    page.wait_text("#progress", "step 13:")
    first = page.text("#progress")
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    assert "the numbers must be the same" in page.text("#changed")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 13:")
    assert page.text("#progress") == first
    page.put("#lr", 0.5)
    page.click("#begin")
    page.wait_text("#changed", "lr: 0.1 → 0.5")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 13:")
    assert page.text("#progress") != first
    assert page.count("#loss path.line") == 2 and page.text("#loss .legend").split() == [
        "now",
        "before",
    ]
    assert page.run("return !document.querySelector('#before').hidden")


def test_every_setting_reaches_the_run_and_the_export(page, site, tmp_path):
    begun(page, site)
    for name, value in (("data", "spiral"), ("activation", "relu"), ("init", "kaiming"),
                        ("norm", "layer"), ("optimizer", "adam"), ("layers", "5, 5, 4"),
                        ("points", 90), ("noise", 0.01), ("lr", 0.02), ("batch", 30),
                        ("seed", 7)):  # fmt: skip
        page.put(f"#{name}", value)
    page.click("#residual")
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 3:")
    text = downloaded(page, tmp_path, "#export", "playground.py")
    for part in ("SEED, POINTS, NOISE = 7, 90, 0.01", "BATCH, EPOCHS = 30", "nn.ReLU()", "Adam(",
                 "lr=0.02", "kaiming_normal_", "nn.LayerNorm(5)", "Residual(nn.Linear(5, 5)",
                 "nn.Linear(4, 3)"):  # fmt: skip
        assert part in text, part
    page.click("#settings summary")
    page.click("#own-begin")
    own = page.run("return document.querySelector('#own').value")
    assert own.startswith("class Residual") and "model = nn.Sequential" in own
    page.put("#own", "model = nn.Linear(2, 3)")
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    page.wait("document.querySelectorAll('#units canvas').length == 0")
    page.put("#own", "model = nn.Linear(2, 3")
    page.click("#begin")
    page.wait_text("#playground [role=alert]", "SyntaxError")


def test_a_csv_file(page, site, tmp_path):
    from selenium.webdriver.common.by import By

    file = tmp_path / "own.csv"
    file.write_text("x,y\n" + "".join(f"{k / 10},{k * k / 100}\n" for k in range(20)))
    begun(page, site)
    page.click("#csv")
    page.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
    page.wait_text("#progress", "mean squared error")
    assert page.count("#line circle") == 20


def test_words_of_a_csv_are_classes_and_a_large_one_stays_out_of_the_address(page, site, tmp_path):
    from selenium.webdriver.common.by import By

    def choose(name, text):
        (tmp_path / name).write_text(text)
        page.click("#csv")
        box = page.driver.find_element(By.CSS_SELECTOR, "input[type=file]")
        box.send_keys(str(tmp_path / name))

    begun(page, site)
    kinds = ("<b>setosa</b>", "virginica")
    rows = "".join(f"{k};{k % 5},5;{k % 7};{kinds[k % 2]}\n" for k in range(30))
    choose("flowers.csv", "a;b;c;kind\n" + rows)
    page.wait_text("#line table", "class <b>setosa</b>")
    assert "says virginica" in page.text("#line thead") and page.count("#line b") == 0
    assert page.run("return document.querySelector('#too-large').hidden")
    choose("large.csv", "x,y\n" + "".join(f"{k},{k}.5{'0' * 400}\n" for k in range(1500)))
    page.wait_text("#progress", "mean squared error")
    page.wait("!document.querySelector('#too-large').hidden")
    assert page.run("return location.hash") == ""
    saved = json.loads(downloaded(page, tmp_path, "#save", "lesson.json"))
    assert len(saved["play"]["csv"]) > 500_000
    choose("broken.csv", "a,b\n1,2\nx,3\n4,5\n6,7\n")
    page.wait_text("#playground [role=alert]", "row 3 of the CSV is 'x,3'")
    page.wait("document.querySelector('#too-large').hidden")


def test_presets_and_what_the_doctor_says(page, site):
    begun(page, site)
    page.put("#preset", "Dead ReLU")
    page.wait("document.querySelectorAll('.map.dead').length > 0")
    page.click("#run")
    page.wait_text("#findings", "dead-relu")
    page.put("#preset", "Exploding RNN")
    page.wait_text("#progress", "step 0")
    page.wait("document.querySelectorAll('#line circle').length == 200")
    page.click("#one-batch")
    page.wait_text("#progress", "step 1:")
    assert page.count("#times path.line") == 1
    assert "No answer is a finite number" in page.text("#line")
    page.click("#run")
    page.wait_text("#findings", "exploding-gradient")
    page.wait_text("#playground [role=alert]", "no finite number")
    page.put("#preset", "Saddle")
    page.wait_text("#progress", "step 0")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 1:")
    assert "saddle" in page.text("#about")


def test_many_columns_and_a_model_that_fails_later(page, site):
    begun(page, site)
    rows = "\n".join(f"{k},{k * 3 % 7},{k * 5 % 11},{k % 3}" for k in range(30))
    play = {"data": "csv", "csv": rows, "layers": [6]}
    page.open(f"{site.url}#s={encoded({'view': 'playground', 'play': play})}")
    page.wait_text("#progress", "accuracy")
    cells = page.run("return [...document.querySelectorAll('#line td')].map(c => +c.textContent)")
    assert len(cells) == 9 and sum(cells) == 30
    assert page.count("#units canvas") == 6
    own = (
        "import os\n\nclass Late(nn.Linear):\n    left = 40\n\n    def forward(self, x):\n"
        "        self.left -= self.training\n        if not self.left:\n            os._exit(3)\n"
        "        return super().forward(x)\n\nmodel = Late(2, 2)"
    )
    begun(page, site)
    page.click("#settings summary")
    page.put("#own", own)
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    page.click("#run")
    page.wait_text("#playground [role=alert]", "its process ended with code 3")
    assert page.text("#run") == "Run"
    page.put("#own", "model = nn.Linear(2, 2)")
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    assert page.text("#playground [role=alert]") == ""


def test_training_ends_when_nobody_looks_and_can_be_ended(page, site):
    begun(page, site)
    page.click("#run")
    page.wait(f"{STEP} > 50")
    page.click("#quit")
    time.sleep(0.3)
    assert site.studio.training.pid is None


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, site, scheme):
    page.colours(scheme)
    begun(page, site)
    page.put("#preset", "Dead ReLU")
    page.wait("document.querySelectorAll('.map.dead').length > 0")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 13:")
    assert page.accessibility() == []
