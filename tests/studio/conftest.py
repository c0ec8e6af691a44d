"""One browser for all tests of the page; each test on a desktop and, by touch, on a phone."""

import pytest

from .browser import Page, start_browser


@pytest.fixture(scope="session")
def _driver():
    driver = start_browser()
    yield driver
    driver.quit()


@pytest.fixture(params=["desktop", pytest.param("phone", marks=pytest.mark.slow)])
def page(_driver, request):
    """A page that nobody used before."""
    used = _driver.current_window_handle
    _driver.switch_to.new_window("tab")  # what a tab let run once it trusts
    fresh = _driver.current_window_handle
    _driver.switch_to.window(used)
    _driver.close()
    _driver.switch_to.window(fresh)
    _driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    made = Page(_driver)
    made.phone(request.param == "phone")
    made.colours("light")
    made.complaints()
    yield made
    assert made.complaints() == []
    if made.touch:
        assert made.fits(), "something is wider than a phone of 320 pixels"
    made.driver.get("about:blank")
