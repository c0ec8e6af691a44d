"""Draw the pictures of the studio in docs/images: the pages themselves, in headless Chromium.

    .venv-test/bin/python tools/draw_studio.py  (needs Chromium and its driver)

Look at each before it is committed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
sys.path.insert(0, str(ROOT))

from chainrule.studio.start import EXAMPLE  # noqa: E402
from chainrule.studio.workbench import Limits  # noqa: E402
from tests.studio.browser import Page, served, start_browser  # noqa: E402
from tests.studio.test_model_page import GPT  # noqa: E402


def main() -> None:
    """All of them; one browser."""
    driver = start_browser()
    page = Page(driver)
    page.colours("light")
    try:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "cost.py").write_text(EXAMPLE)
            (place / "gpt.py").write_text(GPT)
            draw_recorded(page, place)
            with served(place / "cost.py", limits=Limits(60, 4096)) as server:
                server.studio.warm_up()
                for draw in (draw_steps, draw_sensitivity, draw_model, draw_playground,
                             draw_exploding, draw_lesson, draw_phone):  # fmt: skip
                    page.open(server.url)
                    page.wait_text("#where", "Step 0 of")
                    draw(page)
    finally:
        driver.quit()


def save(page: Page, name: str) -> None:
    time.sleep(0.6)  # what was asked for last is drawn
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    page.picture(IMAGES / f"{name}.png")
    print(IMAGES / f"{name}.png")


def draw_recorded(page: Page, place: Path) -> None:
    program, file = place / "two_paths.py", place / "page.html"
    program.write_text(
        "def cost(w, b):\n    z = 2 * w + b\n    u = z * w\n    return (u - z) ** 2\n"
    )
    command = [sys.executable, "-m", "chainrule", "studio", f"{program}:cost", "--at", "w=3", "b=2"]
    subprocess.run([*command, "--record", str(file)], check=True)
    page.open(f"file://{file}#step=9")
    save(page, "studio")


def draw_steps(page: Page) -> None:
    page.put("#s-w", 3.5)
    page.wait_text("#recomputed", "9")
    page.put("#time", 10)
    save(page, "studio_live")


def draw_sensitivity(page: Page) -> None:
    page.click("#tab-drivers")
    page.put("#cascade", "Material price to revenue")
    page.wait_text("#chains", "Path 1 of 2")
    slider = page.run("return document.querySelector('#drivers input[type=range]').id")
    middle = page.run("return document.getElementById(arguments[0]).valueAsNumber", slider)
    page.put(f"#{slider}", 1.2 * middle)
    page.wait_text("#figure", "recomputed")
    save(page, "studio_sensitivity")


def draw_model(page: Page) -> None:
    page.put("#file", "gpt.py")
    page.wait_text("#where", "of 206", seconds=60)
    page.put("#pass", 1)  # once more: what is used for the first time is prepared as well
    time.sleep(2)
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")
    page.click("[data-path=blocks]")
    page.click("[data-path='blocks.0']")
    page.put("#search", "attention")
    page.wait("document.querySelectorAll('#details .attention').length > 0")
    save(page, "studio_model")


def steps_of_training(page: Page, least: int) -> None:
    page.click("#run")
    page.wait(
        f"Number(/step (\\d+)/.exec(document.querySelector('#progress').textContent)[1]) > {least}",
        seconds=120,
    )
    page.click("#run")
    page.wait("document.querySelector('#run').textContent == 'Run'")


def draw_playground(page: Page) -> None:
    page.click("#tab-playground")
    page.wait_text("#progress", "step 0")
    steps_of_training(page, 8000)
    page.put("#activation", "relu")
    page.click("#begin")
    page.wait_text("#progress", "step 0")
    steps_of_training(page, 1500)
    page.click("#one-batch")
    save(page, "studio_playground")


def draw_exploding(page: Page) -> None:
    page.click("#tab-playground")
    page.wait_text("#progress", "step 0")
    page.put("#preset", "Exploding RNN")
    page.wait_text("#about", "1.6")
    page.click("#one-epoch")
    page.wait_text("#progress", "step 1:")
    save(page, "studio_exploding")


def draw_lesson(page: Page) -> None:
    page.click("#tab-lessons")
    page.click("#lesson-3")
    page.wait_text("#where", "Step 0 of")
    page.put("#answer-0", 14)
    page.put("#time", 5)
    save(page, "studio_lesson")


def draw_phone(page: Page) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.put("#time", 7)
    save(page, "studio_phone")


if __name__ == "__main__":
    main()
