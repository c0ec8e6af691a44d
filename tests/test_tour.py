"""The tour: what a newcomer sees first."""

import io
import os
import pty
import re
import subprocess
import sys
import time

import pytest

import chainrule as torch
from chainrule import tour

COMMAND = [sys.executable, "-m", "chainrule", "tour"]


@pytest.fixture(scope="module")
def shown():
    """What the tour prints into a pipe, and how long it took."""
    started = time.perf_counter()
    ran = subprocess.run(COMMAND, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stderr == "" and "\033" not in ran.stdout and "\r" not in ran.stdout
    return ran.stdout, time.perf_counter() - started


def test_it_has_ten_stops_and_takes_seconds(shown):
    text, seconds = shown
    assert [int(n) for n in re.findall(r"^(\d+)\. ", text, re.M)] == list(range(1, 11))
    assert seconds < 30  # 4 s alone, some more when kernels are compiled first


def test_it_shows_a_graph_and_its_gradients(shown):
    text, _ = shown
    assert "prediction 0.6295, loss 0.4629" in text
    assert "d loss / d w = [-0.2223, -0.1112, 0.1482, 0.0741]" in text
    assert re.search(r"└── prediction +sigmoid = 0\.629483", text)


def test_it_explains_a_gradient_with_the_lines_of_the_tour(shown):
    text, _ = shown
    assert "d revenue / d supply = -3992.5" in text
    assert re.search(r'd phones / d chips +0\.1 +79\.85 .*"phones = 0\.1 \* chips"', text)
    assert re.search(r"biggest multiplier: .798\.5 from phones to revenue", text)
    assert "sum of all paths against backward: ok" in text


def test_it_names_the_biggest_multiplier_of_the_cascade(shown):
    text, _ = shown
    assert re.search(r"price -> volume .* -200 +-10,000 +<- biggest", text)
    assert "revenue changes by -500,000 per unit of material" in text


def test_it_derives_three_ways(shown):
    text, _ = shown
    assert "df/dt = 2*t*cos(t**2)" in text
    assert "at t = 1.5: f' = -1.88452, f'' = -8.25901" in text
    assert "hessian of x^2 y at (2, 3): [6.0, 4.0, 4.0, 0.0]" in text


def test_it_trains_a_model_and_shows_how_gradients_flowed(shown):
    text, _ = shown
    learned = re.search(r"320 steps in [\d.]+ s, ([\d.]+)% of the points are right", text)
    assert float(learned[1]) > 95
    assert text.count("##] 40/40  loss ") == 1
    assert "gradient flow over 320 steps, every 80 measured" in text
    assert f"after loading: {learned[1]}% right" in text
    assert f"a new model before loading: {learned[1]}% right" not in text


def test_it_compiles_the_step_and_checkpoints_the_memory(shown):
    text, _ = shown
    faster = re.search(r"eager \d+ µs, compiled \d+ µs: ([\d.]+) times as fast", text)
    assert float(faster[1]) > 1
    saved = re.search(r"six blocks computed again in backward keep (\d+)% less", text)
    assert int(saved[1]) >= 80


def test_it_ends_with_an_error_and_what_to_try(shown):
    text, _ = shown
    assert "needed by:   exp (ExpBackward0) at tour.py:" in text
    for command in re.findall(r"^  torch\.([\w.]+)\(", text, re.M):
        found = torch
        for part in command.split("."):
            found = getattr(found, part)
        assert callable(found)


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
