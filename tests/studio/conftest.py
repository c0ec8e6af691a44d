"""One browser for all tests of the page."""

import pytest

from .browser import Page, start_browser


@pytest.fixture(scope="session")
def _driver():
    driver = start_browser()
    yield driver
    driver.quit()


@pytest.fixture
def page(_driver):
    """A page that nobody used before."""
    made = Page(_driver)
    made.phone(False)
    made.colours("light")
    made.complaints()
    yield made
    assert made.complaints() == []
    made.driver.get("about:blank")
