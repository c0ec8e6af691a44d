"""A headless Chromium for the tests of the page, and a server for it to look at."""

import base64
import contextlib
import json
import shutil
import time
from pathlib import Path

import pytest

from chainrule.studio.server import Server, Studio
from chainrule.studio.start import starting_point
from chainrule.studio.workbench import Limits

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="Chromium and its driver are not installed"
)
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: run `make studio`")


@contextlib.contextmanager
def served(file="", function="", at=None, folder=None, limits=None):
    """A server over a file (or the example), as the command starts it."""
    start = starting_point(str(file), function, at or {}, 1)
    place = Path(folder or (Path(file).parent if file else "."))
    with Server(Studio(start, place.resolve(), limits or Limits(30, 4096))) as server:
        yield server


def encoded(state):
    """A state as it stands in the address."""
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


class Page:
    """What a user does on the page, and what it shows."""

    def __init__(self, driver):
        self.driver = driver
        self.touch = False  # a finger on a phone, not a mouse

    def open(self, url, width=1280, height=900):
        self.driver.set_window_size(width, height)
        self.driver.get("about:blank")
        self.driver.get(url)
        return self

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def text(self, selector):
        found = "return document.querySelector(arguments[0])?.textContent ?? ''"
        return self.run(found, selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector, nth=0):
        from selenium.webdriver.common.by import By

        element = self.driver.find_elements(By.CSS_SELECTOR, selector)[nth]
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        if not self.touch:
            element.click()
            return
        place = self.centre(element)
        over = "const [e, x, y] = arguments, found = document.elementFromPoint(x, y);"
        assert self.run(f"{over} return e.contains(found)", element, *place), (
            f"{selector} is hidden"
        )
        self.finger("touchStart", place)
        self.finger("touchEnd")

    def centre(self, element):
        """Where the middle of an element lies in the window."""
        return self.run(
            "const r = arguments[0].getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]",
            element,
        )

    def finger(self, kind, *places):
        """One or several fingers touch, move, or leave."""
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        self.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
        )

    def drag(self, selector, by, start=(0, 0)):
        """Press in the middle of an element (or beside it by `start`), move, and let go."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.by import By

        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        if not self.touch:
            moves = ActionChains(self.driver).move_to_element_with_offset(element, *start)
            moves.click_and_hold().move_by_offset(*by).release().perform()
            return
        x, y = (c + s for c, s in zip(self.centre(element), start, strict=True))
        self.finger("touchStart", (x, y))
        for share in (0.3, 0.6, 1.0):
            self.finger("touchMove", (x + share * by[0], y + share * by[1]))
        self.finger("touchEnd")

    def keys(self, *keys, selector="body"):
        from selenium.webdriver.common.by import By

        self.driver.find_element(By.CSS_SELECTOR, selector).send_keys(*keys)

    def keys_here(self, *keys):
        """Keys where the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def put(self, selector, value):
        """A value in a control, as typing or dragging it would set it."""
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}));"
            "e.dispatchEvent(new Event('change', {bubbles: true}))",
            selector,
            str(value),
        )

    def wait(self, condition, *args, seconds=30):
        """Until a JavaScript expression is true; its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(f"return {condition}", *args)
            if value:
                return value
            if time.monotonic() > end:
                problem = self.text("[role=alert]")
                raise AssertionError(f"never came true: {condition}; the page says: {problem!r}")
            time.sleep(0.02)

    def wait_text(self, selector, part, **options):
        look = "(document.querySelector(arguments[0])?.textContent ?? '').includes(arguments[1])"
        return self.wait(look, selector, part, **options)

    def fits(self):
        """Whether nothing is wider than the window; a phone's `innerWidth` grows with what is."""
        return self.run(
            "const page = document.documentElement; return page.scrollWidth <= page.clientWidth"
        )

    def colours(self, scheme):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def phone(self, on=True):
        self.touch = on
        if on:
            size = {"width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": True}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def accessibility(self):
        """What axe-core finds, serious or worse."""
        self.run(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(r => done(r.violations.map("
            "v => [v.impact, v.id, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary])))"
        )
        return [v for v in found if v[0] in ("serious", "critical")]

    def complaints(self):
        """Errors of the page's program."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]

    def picture(self, path):
        self.driver.save_screenshot(str(path))


def start_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
                 "hide-scrollbars"):  # fmt: skip
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))
