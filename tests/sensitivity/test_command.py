"""`chainrule sensitivity`, as typed in a terminal."""

import json

import pytest

from chainrule.cli import main

MODEL = """
import math
from neighbour import demand

def revenue(price, cost=2.0):
    volume = demand(price)
    return (price - cost) * volume

def words(price):
    return "many"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.py").write_text(MODEL)
    (tmp_path / "neighbour.py").write_text("def demand(price):\n    return 100 - 5 * price\n")
    return tmp_path


def run(capsys, *words):
    code = main(["sensitivity", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("model", ["prices.py:revenue", "prices:revenue"])
def test_text(folder, capsys, model):
    code, out, err = run(capsys, model, "--at", "price=10", "cost=2", "--sweep", "price=0:20",
                         "--tornado", "--what-if", "price=+5%")  # fmt: skip
    assert (code, err) == (0, "")
    assert "revenue = 400" in out
    assert "return (price - cost) * volume" in out
    assert "the strongest of 2 paths: 50 of 10" in out
    assert "-40 by price -> volume -> revenue" in out
    assert "revenue is highest at price = 11 (405)" in out
    assert "tornado: revenue" in out and "what if: revenue" in out


def test_json_and_pictures(folder, capsys):
    words = ["prices.py:revenue", "--at", "price=10", "--at", "cost=2", "--json"]
    code, out, _ = run(capsys, *words)
    data = json.loads(out)
    assert code == 0
    assert data["inputs"]["price"]["derivative"] == 10
    assert data["inputs"]["price"]["paths"][1]["links"][0]["code"] == "volume = demand(price)"
    code, out, _ = run(capsys, *words, "--sweep", "price=0:20", "--plot", "curve.svg")
    data = json.loads(out)
    assert data["sweep"]["maximum"]["x"] == pytest.approx(11)
    assert (folder / "curve.svg").read_text().startswith("<svg")
    code, out, _ = run(capsys, *words, "--tornado", "--plot", "tornado.html")
    assert code == 0
    assert (folder / "tornado.html").read_text().startswith("<!doctype html>")


def test_a_plot_by_matplotlib(folder, capsys):
    pytest.importorskip("matplotlib")
    for extra in (["--sweep", "price=0:20"], ["--tornado"], ["--what-if", "price=1"], []):
        words = ["prices.py:revenue", "--at", "price=10", "cost=2", *extra, "--plot", "out.png"]
        assert run(capsys, *words)[0] == 0
        assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")
        (folder / "out.png").unlink()


def test_observed_changes(capsys):
    words = ["material=+0.10", "cost=+1", "price=+5", "volume=-1000", "revenue=-50000"]
    code, out, _ = run(capsys, "--changes", *words)
    assert code == 0
    assert "revenue changes by -500,000 per unit of material" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a model"),
        (["prices.py", "--at", "price=1"], "names no function"),
        (["nowhere.py:f", "--at", "x=1"], "there is no file nowhere.py"),
        (["nowhere_at_all:f", "--at", "x=1"], "cannot be imported"),
        (["prices.py:profit", "--at", "price=1"], "has no 'profit'; it has demand, revenue"),
        (["prices.py:revenue", "--at", "price"], "'price' is not NAME=VALUE"),
        (["prices.py:revenue", "--at", "price=ten"], "'ten' is not a number"),
        (["prices.py:revenue", "--at", "prize=10"], "Did you mean 'price'?"),
        (["prices.py:revenue", "--at", "price=10", "--sweep", "price=3"], "--sweep price=0:20"),
        (["prices.py:revenue", "--at", "price=10", "--sweep", "cost=0:3"], "no input 'cost'"),
        (["prices.py:words", "--at", "price=10"], "returned 'many' (str)"),
    ],
)
def test_mistakes(folder, capsys, words, said):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
