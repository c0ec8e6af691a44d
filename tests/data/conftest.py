"""Workers of these tests are forked on every Python, so that classes inside tests reach them."""

import multiprocessing

import pytest


@pytest.fixture(scope="package", autouse=True)
def forked_workers():
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("fork", force=True)
    yield
    multiprocessing.set_start_method(before, force=True)
