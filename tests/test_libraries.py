"""The table of libraries: every row is complete, and its page is what the last run said."""

import json

import pytest
from libraries import page, running, table

ROWS = table.read_table()


def plain(requirement):
    return requirement.lower().replace("_", "-")  # two spellings of one name


@pytest.mark.parametrize("library", ROWS.values(), ids=lambda one: one.name)
def test_a_row_has_all_that_a_run_needs(library):
    assert all("==" in one for one in library.requires)
    assert library.does, f"{library.job.name} begins with a docstring: the page shows it"
    pins = library.lock.read_text(encoding="utf-8").splitlines()
    assert plain(library.requires[0]) in map(plain, pins)
    assert not [pin for pin in pins if pin.startswith(("torch==", "nvidia-", "triton=="))]
    recorded = json.loads(library.recorded.read_text(encoding="utf-8"))
    assert recorded["digest"] == library.digest, "changed since it was recorded: record it again"


def test_the_page_shows_the_last_run():
    rows = page.kept_outcomes()
    assert page.PAGE.read_text(encoding="utf-8") == page.page(rows)
    assert set(rows) == set(ROWS)
    for library in ROWS.values():
        assert rows[library.name]["version"] == library.version
        assert rows[library.name]["does"] == library.does


ROW = running.Outcome("some", "1.0", "does something")


def test_numbers_are_the_same_within_the_tolerance():
    got, want = {"loss": [1.0, 200.001]}, {"loss": [1.0, 200.0]}
    seen = running.compared(ROW, 1e-5, got, want)
    assert (seen.compared, seen.failed) == (2, "")
    assert seen.difference == pytest.approx(5e-6)


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        ({"loss": 1.1}, {"loss": 1.0}, "loss: 1.1, PyTorch 1.0"),
        ({"loss": float("nan")}, {"loss": 1.0}, "loss: nan"),
        ({"tokens": [1, 2]}, {"tokens": [1, 3]}, "tokens: 2, PyTorch 3"),
        ({"tokens": [1]}, {"tokens": [1, 3]}, "tokens: 1 values"),
        ({"text": "a"}, {"text": "b"}, "text: 'a'"),
        ({"class": True}, {"class": 1.5}, "class: True"),
        ({"a": 1.0}, {"b": 1.0}, "printed ['a'], PyTorch ['b']"),
    ],
)
def test_what_is_different_is_named(got, want, said):
    assert said in running.compared(ROW, 1e-5, got, want).failed


def test_the_reason_is_the_line_that_names_the_error():
    text = "Traceback\n  File 'x'\nAttributeError: module has no attribute 'y'\n  at job.py:3\n"
    assert running.last_line(text) == "AttributeError: module has no attribute 'y'"
