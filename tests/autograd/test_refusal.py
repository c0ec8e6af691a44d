"""What is refused is said in one form, at the user's line."""

import pytest

import chainrule as torch
from chainrule.autograd import refusal


def test_the_parts_come_in_order() -> None:
    error = refusal.value("got 2.0", "dropout", why="A chance is at most 1.", fix="pass p=0.5.")
    lines = str(error).split("\n")
    assert type(error) is ValueError
    assert lines[0] == "got 2.0"
    assert lines[1].startswith("  dropout at test_refusal.py:")
    assert lines[2:] == ["  A chance is at most 1.", "  Fix: pass p=0.5."]


def test_what_is_not_given_takes_no_line() -> None:
    error = refusal.of_kind(KeyError, "no such name")
    first, second = str(error.args[0]).split("\n")
    assert first == "no such name"
    assert second.startswith("  at test_refusal.py:")


def test_a_context_manager_names_the_line_that_enters_it(tmp_path) -> None:
    with pytest.raises(RuntimeError, match=r"does not exist(.|\n)*at test_refusal\.py:\d+ in"):
        torch.save(1, tmp_path / "missing" / "file.pt")


def test_the_line_is_found_however_deep_the_stack_is() -> None:
    def nested(depth: int) -> None:
        if depth:
            nested(depth - 1)
        else:
            torch.ones(2, 3) @ torch.ones(2, 3)

    for depth in (0, 3):
        with pytest.raises(RuntimeError, match=r"test_refusal\.py:\d+ in nested: torch\.ones"):
            nested(depth)
