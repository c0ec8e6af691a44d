"""What the benchmarks make of their measurements: the best peer, the floor, tables and charts."""

import json
import sys

import pytest

from bench import chart, claims, fresh, tables
from bench.case import Goal, eager_goal
from bench.driver import Row, Settings

ENGINES = ["chainrule", "compiled", "torch", "jax", "floor"]


@pytest.fixture
def row():
    return Row(
        "train/net",
        "train",
        goals=(Goal(2.0), eager_goal(1.0)),
        floor=1.25,
        measured={
            "chainrule": [4.0, 3.0],
            "compiled": [1.5, 1.0],
            "torch": [6.0],
            "torch.compile": [5.0, 2.5],
            "jax": [4.0],
            "floor": [0.5],
        },
    )


def test_the_gate_compares_with_the_best_peer_and_names_it(row):
    found = {verdict.claim: verdict.holds for verdict in claims.verdicts([row])}
    assert found == {
        "train/net: compiled 2.50x torch.compile, at least 2x wanted": True,
        "train/net: chainrule 2.00x torch, at least 1x wanted": True,
        "train/net: 2.00 times its floor, at most 1.25 wanted": False,
        "train: geometric mean of chainrule 2.00x torch, at least 1.2x wanted": True,
    }


def test_the_table_shows_ratios_the_winner_and_the_floor(row):
    ((title, (headings, line)),) = tables.tables([row], ENGINES)
    assert title == "train"
    cells = list(zip(headings, line, strict=True))
    assert cells == [
        ("workload", "train/net"),
        ("chainrule", "3 s"),
        ("compiled", "1 s"),
        ("torch", "6 s"),
        ("jax", "4 s"),
        ("floor", "500 ms"),
        ("chainrule : torch", "2.00x"),
        ("wanted", "1x"),
        ("compiled : best peer", "2.50x"),
        ("best peer", "torch.compile"),
        ("wanted", "2x"),
        ("compiled : floor", "2.00"),
        ("at most", "1.25"),
    ]


def test_columns_without_content_are_left_out():
    row = Row("op/add", "op", goals=(eager_goal(1.0),), measured={"chainrule": [1e-6]})
    ((_, lines),) = tables.tables([row], ENGINES)
    assert lines == [["workload", "chainrule"], ["op/add", "1 µs"]]


def test_growth_is_the_power_of_the_last_doubling():
    rows = [
        Row(f"scale/width/{n}", "scale", measured={"chainrule": [cost]})
        for n, cost in ((128, 1.0), (256, 1.5), (512, 6.0))
    ]
    lines = dict(tables.tables(rows, ENGINES))["scale: cost grows with this power"]
    assert lines == [["size", "chainrule"], ["width", "2.00"]]


def test_attention_is_to_be_linear_and_not_slower_than_the_whole_matrix():
    def rows(memory: float, seconds: float) -> list[Row]:
        figures = {
            "attention/512/blockwise/memory": 1e6,
            "attention/1024/blockwise/memory": memory,
            "attention/1024/blockwise/time": seconds,
            "attention/1024/materialised/time": 1.0,
            "attention/1024/blockwise unmasked/time": 2 * seconds,
            "attention/1024/materialised unmasked/time": 2.0,
        }
        return [Row(n, "attention", measured={"chainrule": [f]}) for n, f in figures.items()]

    assert [verdict.holds for verdict in claims.verdicts(rows(2e6, 0.9))] == [True] * 3
    assert [verdict.holds for verdict in claims.verdicts(rows(4e6, 1.2))] == [False] * 3


def test_compiling_is_held_to_a_limit():
    row = Row("compile/net/cold", "compile", limit=("compiled", 2.0), measured={"compiled": [2.5]})
    (verdict,) = claims.verdicts([row])
    assert verdict == claims.Verdict("compile/net/cold: compiled 2.5 s, at most 2 s wanted", False)


def test_json_names_the_winner_and_no_path_of_the_machine(row):
    content = tables.as_json([row], Settings(), {}, {"jax": "not installed"})
    assert "peer_python" not in content["settings"]
    (written,) = json.loads(json.dumps(content))["rows"]
    assert written["best peer"] == "torch.compile"
    assert [(g["peer"], g["measured"], g["holds"]) for g in written["goals"]] == [
        ("torch.compile", 2.5, True),
        ("torch", 2.0, True),
    ]
    assert content["skipped"] == {"jax": "not installed"}


def test_bars_stand_on_the_side_of_the_faster(row):
    slower = Row("slow", "op", goals=(Goal(1.0),), measured={"compiled": [4.0], "torch": [1.0]})
    _, fast_bar, slow_bar = chart.as_text([row, slower]).splitlines()
    assert fast_bar.endswith("2.50x")
    assert "|####" in fast_bar
    assert "####|" in slow_bar


def test_without_matplotlib_the_chart_is_text(row, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = chart.write(str(tmp_path / "charts" / "ratios.svg"), [row])
    assert "matplotlib is not installed" in said
    assert "2.50x" in (tmp_path / "charts" / "ratios.txt").read_text()


def test_plain_text_where_no_terminal_is(row, capsys):
    for title, lines in tables.tables([row], ENGINES):
        tables.show(title, lines)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "torch.compile" in shown


def test_what_is_measured_in_new_processes_names_engines_that_exist():
    from bench.engines import ENGINES as known
    from bench.probes import PROBES

    for measurement in fresh.measurements():
        assert set(measurement.engines) <= known.keys()
        assert measurement.arguments[0] in PROBES


def test_a_peer_with_wrong_values_is_named_and_no_measure(row):
    right, wrong = [1.0, 2.0], [1.0, 3.0]
    row.values = {"chainrule": right, "compiled": right, "torch": right, "torch.compile": wrong}
    assert row.disagreement() is None
    assert row.winner(["torch", "torch.compile"]) == "torch"
    (said, *_) = tables.notes([row])
    assert said == "train/net: torch.compile does not count, its values are not those of torch"


def test_our_own_wrong_values_are_never_excused(row):
    right, wrong = [1.0, 2.0], [1.0, 3.0]
    row.values = {"chainrule": right, "compiled": wrong, "torch": right}
    assert row.disagreement() == "chainrule and compiled computed different values"
    row.values = {"chainrule": right, "jax": wrong}  # nobody else to ask
    assert row.disagreement() == "chainrule and jax computed different values"
