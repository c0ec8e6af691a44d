"""The tour: what a newcomer sees first."""

import io
import os
import pty
import re
import subprocess
import sys
import time

from chainrule import tour

COMMAND = [sys.executable, "-m", "chainrule", "tour"]


def test_it_shows_the_tape_trains_saves_and_explains_within_seconds():
    started = time.perf_counter()
    ran = subprocess.run(COMMAND, capture_output=True, text=True, check=True, timeout=60)
    assert time.perf_counter() - started < 15  # 1 s alone, 3 s when kernels are compiled first
    text = ran.stdout
    assert ran.stderr == "" and "\033" not in text and "\r" not in text
    assert [int(n) for n in re.findall(r"^(\d)\. ", text, re.M)] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert "prediction 0.6295, loss 0.4629" in text
    assert "d loss / d w = [-0.2223, -0.1112, 0.1482, 0.0741]" in text
    assert re.search(r"^SigmoidBackward0 +tour\.py:\d+ +out \[\] +AddBackward0$", text, re.M)
    assert "at t = 1.5: f' = -1.88452" in text
    assert "needed by:   exp (ExpBackward0) at tour.py:" in text
    learned = re.search(r"320 steps in [\d.]+ s, ([\d.]+)% of the points are right", text)
    assert float(learned[1]) > 95
    assert text.count("##] 40/40  loss ") == 1
    assert f"after loading: {learned[1]}% right" in text
    assert f"a new model before loading: {learned[1]}% right" not in text


def test_in_a_terminal_one_bar_moves_and_headings_are_bold():
    ours, theirs = pty.openpty()
    with subprocess.Popen(COMMAND, stdout=theirs, env={**os.environ, "NO_COLOR": ""}) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # how Linux says that the other side is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    text = shown.decode()
    assert "\033[1m\r\n1. A network" in text
    assert len(re.findall(r"\r\[[#.]{30}\] [ \d]\d/40  loss \d\.\d{4}", text)) == 40


def test_the_curve_is_drawn_on_a_logarithmic_axis():
    assert tour.curve([10.0, 1.0, 0.1], height=3).splitlines() == [
        " 10.0000 |*",
        "  1.0000 | *",
        "  0.1000 |  *",
        "         +---",
    ]
    assert tour.curve([2.0, 2.0], height=2).count("*") == 2


def test_the_bar_speaks_now_and_then_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert list(tour.progress(range(8), lambda: "fine", width=4)) == list(range(8))
    assert sys.stdout.getvalue().splitlines() == [
        "[....]  1/8  fine", "[#...]  2/8  fine", "[##..]  4/8  fine", "[###.]  6/8  fine",
        "[####]  8/8  fine",
    ]  # fmt: skip
