"""Every view on a phone: nothing is wider than the window, and all of it can be used by touch."""

import time

import pytest

from chainrule.studio.start import EXAMPLE

from .browser import needs_browser, served
from .test_lessons import LESSONS
from .test_model_page import GPT

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("narrow")
    (folder / "cost.py").write_text(EXAMPLE)
    (folder / "gpt.py").write_text(GPT)
    with served(folder / "cost.py") as made:
        made.studio.warm_up()
        yield made


@pytest.fixture
def phone(page, site):
    page.phone()
    page.open(site.url)
    page.wait_text("#where", "Step 0 of 12")
    return page


def tap(page, selector):
    """A finger, not a mouse."""
    page.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
    x, y = page.run(
        "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]",
        selector,
    )
    send = page.driver.execute_cdp_cmd
    send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_stepping_breaking_and_changing(phone):
    tap(phone, "#next")
    phone.wait_text("#where", "Step 1 of 12")
    tap(phone, "#previous")
    phone.wait_text("#where", "Step 0 of 12")
    tap(phone, "#graph g[data-node='6']")
    phone.wait("document.querySelector('#panel h2').textContent != 'cost'")
    looked_at = phone.text("#panel h2")
    tap(phone, ".stopper")
    tap(phone, "#last")
    phone.wait_text("#where", f"makes {looked_at}")
    for _ in range(12):
        phone.click("#next")
        assert phone.fits(), phone.text("#where")
    phone.put("#n-w", 4)
    phone.wait_text("#recomputed", "16")
    assert phone.fits()
    bar = phone.run(
        "scrollTo(0, document.body.scrollHeight / 2);"
        "return document.querySelector('#next').getBoundingClientRect().top"
    )
    assert 0 <= bar < 200, "the controls stay in sight while one reads on"


@pytest.mark.parametrize("number", range(1, 11))
def test_lessons(phone, number):
    phone.click("#tab-lessons")
    assert phone.fits()
    tap(phone, f"#lesson-{number}")
    phone.wait_text(".cm-content", LESSONS[number - 1]["program"].split("\n")[0])
    phone.wait("!document.querySelector('[aria-busy]')")
    last = int(phone.run("return document.querySelector('#time').max"))
    for step in {1, last // 2, last}:
        phone.put("#time", step)
        assert phone.fits(), phone.text("#where")


def test_sensitivity(phone):
    tap(phone, "#tab-drivers")
    phone.wait("document.querySelectorAll('#sweep svg').length == 2")
    assert phone.fits()
    for name in ("Material price to revenue", "Chip shortage", "Quality to followers"):
        before = phone.text("#drivers h2")
        phone.put("#cascade", name)
        phone.wait("document.querySelector('#drivers h2').textContent != arguments[0]", before)
        phone.wait("document.querySelectorAll('#sweep svg').length == 2")
        assert phone.fits() and phone.text("#drivers [role=alert]") == ""
        phone.run("document.querySelector('#drivers h2').textContent = ''")


def test_models_by_finger(phone):
    phone.put("#file", "gpt.py")
    phone.wait_text("#where", "of 206", seconds=60)
    tap(phone, "#tab-model")
    phone.wait_text("#seen", "boxes shown")
    assert phone.fits()
    tap(phone, "[data-path=blocks]")
    phone.wait("document.querySelector('[data-path=blocks]').ariaExpanded == 'true'")
    phone.put("#search", "attend")
    assert phone.fits()

    def scale():
        time.sleep(0.15)
        return phone.run("return document.querySelector('#map').getContext('2d').getTransform().a")

    phone.run("document.querySelector('#map').scrollIntoView({block: 'center'})")
    x, y = phone.run(
        "const r = document.querySelector('#map').getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]"
    )
    before = scale()

    def touch(kind, *points):
        places = [{"x": px, "y": py, "id": k} for k, (px, py) in enumerate(points)]
        phone.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": places}
        )

    touch("touchStart", (x - 30, y), (x + 30, y))
    for wider in (40, 50, 60):
        touch("touchMove", (x - wider, y), (x + wider, y))
    touch("touchEnd")
    assert scale() == pytest.approx(2 * before, rel=0.1)


def test_training(phone):
    tap(phone, "#tab-playground")
    phone.wait_text("#progress", "step 0")
    for button, done in (("#one-example", 1), ("#one-batch", 2), ("#one-epoch", 14)):
        tap(phone, button)
        phone.wait_text("#progress", f"step {done}:")
        assert phone.fits()
    for preset in ("Vanishing gradients", "Exploding RNN", "Dead ReLU", "Saddle"):
        phone.put("#preset", preset)
        phone.wait_text("#progress", "step 0")
        tap(phone, "#one-epoch")
        phone.wait("!document.querySelector('#progress').textContent.includes('step 0:')")
        assert phone.fits(), preset
