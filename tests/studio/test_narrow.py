"""What a phone alone has: controls that stay in sight, steps that fit one by one, two fingers.

Everything else that the page does is tried on a phone by the tests of each view.
"""

import time

import pytest

from chainrule.studio.start import EXAMPLE

from .browser import needs_browser, served
from .test_lessons import LESSONS
from .test_model_page import GPT

pytestmark = [
    needs_browser,
    pytest.mark.slow,
    pytest.mark.parametrize("page", ["phone"], indirect=True),
]


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
    page.open(site.url)
    page.wait_text("#where", "Step 0 of 12")
    return page


def test_the_controls_stay_in_sight_and_every_step_fits(phone):
    phone.click("#graph g[data-node='6']")
    phone.wait("document.querySelector('#panel h2').textContent != 'cost'")
    for _ in range(12):
        phone.click("#next")
        assert phone.fits(), phone.text("#where")
    bar = phone.run(
        "scrollTo(0, document.body.scrollHeight / 2);"
        "return document.querySelector('#next').getBoundingClientRect().top"
    )
    assert 0 <= bar < 200, "the controls stay in sight while one reads on"


@pytest.mark.parametrize("number", range(1, 11))
def test_lessons(phone, number):
    phone.click("#tab-lessons")
    assert phone.fits()
    phone.click(f"#lesson-{number}")
    phone.wait_text(".cm-content", LESSONS[number - 1]["program"].split("\n")[0])
    phone.wait("!document.querySelector('[aria-busy]')")
    last = int(phone.run("return document.querySelector('#time').max"))
    for step in {1, last // 2, last}:
        phone.put("#time", step)
        assert phone.fits(), phone.text("#where")


def test_two_fingers_zoom(phone):
    phone.put("#file", "gpt.py")
    phone.wait_text("#where", "of 206", seconds=60)
    phone.click("#tab-model")
    phone.wait_text("#seen", "boxes shown")

    def scale():
        time.sleep(0.15)
        return phone.run("return document.querySelector('#map').getContext('2d').getTransform().a")

    phone.run("document.querySelector('#map').scrollIntoView({block: 'center'})")
    x, y = phone.run(
        "const r = document.querySelector('#map').getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]"
    )
    before = scale()
    phone.finger("touchStart", (x - 30, y), (x + 30, y))
    for wider in (40, 50, 60):
        phone.finger("touchMove", (x - wider, y), (x + wider, y))
    phone.finger("touchEnd")
    assert scale() == pytest.approx(2 * before, rel=0.1)
