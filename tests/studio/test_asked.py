"""Functions as people write them: the page's numbers are the engine's, and its three ways agree."""

import io
import sys

import pytest

import chainrule as torch
from chainrule import studio
from chainrule.run import installed
from chainrule.studio import answers
from chainrule.studio.process import _answer

ODD = {
    "loop": "def f(x=2.0):\n    for k in range(5):\n        x = x * 1.5 - k\n    return x\n",
    "recursion": (
        "def fib(n, x):\n    return x if n < 2 else fib(n - 1, x) * fib(n - 2, x) + 0.1\n\n"
        "def f(x=1.1):\n    return fib(6, x)\n"
    ),
    "itself": "def f(x=3.0):\n    return x\n",
    "a branch": "def f(x=6.0):\n    return x * x if x > 5 else 3 * x\n",
    "several results": "def f(x=3.0, y=4.0):\n    return x * y, x + y\n",
    "results by name": "def f(x=3.0, y=4.0):\n    return {'loss': x * y, 'other': x}\n",
    "a dict": "def f(p={'w': 2.0, 'b': [1.0, 4.0]}, x=3.0):\n"
              "    return p['w'] * x + (p['b'] * x).sum()\n",
    "layers": "def f(ws=[[1.0, 2.0], [3.0]], x=2.0):\n    return (ws[0] * x).sum() * ws[1].sum()\n",
    "by position": "def f(x=2.0, /, y=3.0):\n    return x * y\n",
    "by name": "def f(*more, x=2.0, y=3.0, **rest):\n    return x * y\n",
    "whole numbers": "def f(x=2.0, n=3):\n    for _ in range(n):\n        x = x * x\n"
                     "    return x\n",
    "a word": "def f(x=2.0, how='twice'):\n    return x * 2 if how == 'twice' else x\n",
    "written into": "def f(x=[1.0, 2.0, 3.0]):\n    y = x.clone()\n    y[1] *= 5\n    y.mul_(2)\n"
                    "    return y.prod()\n",
    "views": "def f(x=[[1.0, 2.0], [3.0, 4.0]]):\n"
             "    return (x.t()[0] * x.view(-1)[1:3]).sum()\n",
    "complex": "import torch\n\ndef f(a=1.0, b=2.0):\n    z = torch.complex(a, b)\n"
               "    return (z * z + z.exp()).abs() ** 2\n",
    "nothing in it": "import torch\n\ndef f(x=2.0):\n    return torch.zeros(0, 3).sum() + x * 2\n",
    "a gradient inside": "import torch\n\ndef f(x=2.0):\n"
        "    g, = torch.autograd.grad(x ** 3, x, create_graph=True)\n    return g * x\n",
    "a hook": "def f(x=2.0):\n    y = x * 3\n    y.register_hook(lambda g: g)\n    return y * x\n",
    "chance": "import torch\n\ndef f(x=[1.0, 2.0, 3.0, 4.0]):\n"
              "    return torch.nn.functional.dropout(x, 0.5).sum() * x.sum()\n",
    "names": "def kost_ü(größe=2.0, λ=3.0):\n    Δ = größe * λ\n    return Δ ** 2\n",
}  # fmt: skip


@pytest.fixture
def traced(tmp_path):
    """The page's document of a program's last function."""

    def ask(text, **given):
        with installed():
            return answers.trace(text, str(tmp_path / "odd.py"), **given)

    return ask


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_three_ways_agree_on_functions_as_people_write_them(text, traced):
    made = traced(text)
    rows = made["modes"]["rows"]
    assert rows and not any(row.get("differs") for row in rows)
    for row in rows:
        assert row["numeric"] == pytest.approx(row["automatic"], rel=1e-6, abs=1e-6)
        if "symbolic" in row:
            assert row["symbolic"] == pytest.approx(row["automatic"], rel=1e-9)


def test_a_function_that_hands_back_its_input_has_one_box_and_a_gradient_of_one(traced):
    made = traced(ODD["itself"])
    assert [n["label"] for n in made["nodes"]] == ["x"] and made["forward"] == []
    (step,) = made["backward"]
    assert step["kind"] == "leaf" and step["gradient"]["numbers"] == [1.0]


def test_one_of_several_results_is_chosen(traced):
    made = traced(ODD["several results"])
    assert (made["results"], made["result"]) == (["[0]", "[1]"], "[0]")
    assert [r["automatic"] for r in made["modes"]["rows"]] == [4.0, 3.0]
    made = traced(ODD["several results"], result="[1]", base={"x": 2.0, "y": 4.0})
    assert [r["automatic"] for r in made["modes"]["rows"]] == [1.0, 1.0]
    assert made["prediction"]["recomputed"] == made["prediction"]["predicted"] == 7.0
    assert traced(ODD["results by name"])["results"] == ["loss", "other"]
    trace = studio.trace(lambda x: (x * 2, [x * 3]), {"x": 1.0}, result="[1][0]")
    assert trace.document["modes"]["rows"][0]["automatic"] == 3.0


def test_a_curve_follows_the_chosen_result_and_parts_of_a_dict(traced, tmp_path):
    given = {"name": str(tmp_path / "odd.py"), "low": 0.0, "high": 4.0}
    with installed():
        found = answers.curve(ODD["several results"], function="f", at={"x": 3.0, "y": 4.0},
                              along="y", result="[1]", **given)  # fmt: skip
        assert found["here"] == {"x": 4.0, "value": 7.0, "slope": 1.0}
        at = {i["name"]: i["value"] for i in traced(ODD["a dict"])["inputs"]}
        assert at == {"p_w": 2.0, "p_b": [1.0, 4.0], "x": 3.0}
        found = answers.curve(ODD["a dict"], function="f", at=at, along="p_b[1]", **given)
        assert found["here"] == {"x": 4.0, "value": 21.0, "slope": 3.0}
        whole = answers.curve(ODD["whole numbers"], function="f", at={"x": 2.0}, along="x", **given)
        assert whole["here"]["value"] == 256.0


def test_numbers_that_move_keep_the_type_of_a_default(traced):
    text = "import torch\n\ndef f(x=torch.tensor([1.0, 2.0])):\n    return x.exp().sum()\n"
    for at in ({}, {"x": [1.0, 2.0]}):
        assert traced(text, at=at)["nodes"][0]["outputs"][0]["dtype"] == "float32"


def test_where_the_ways_must_differ_it_is_said(traced):
    made = traced("def f(x=2.0):\n    return x.detach() * x\n")
    (row,) = made["modes"]["rows"]
    assert row["differs"] and row["automatic"] == 2.0 and row["numeric"] == pytest.approx(4.0)
    made = traced("def f(x=6.0):\n    return x * x if x > 5 else 3 * x\n")
    assert "x > 5" in made["modes"]["reason"].replace("x - 5 > 0", "x > 5")


def test_an_input_that_is_no_number_is_shown_and_given_back(traced):
    text = "def f(x=[1.0, float('nan'), 3.0], y=float('inf')):\n    return (x * 2).sum() + y\n"
    made = traced(text)
    at = {i["name"]: i["value"] for i in made["inputs"]}
    assert at == {"x": [1.0, "nan", 3.0], "y": "inf"}
    again = traced(text, at=at)
    assert [n["outputs"] for n in again["nodes"]] == [n["outputs"] for n in made["nodes"]]
    healed = traced(text, at={"x": [1.0, 2.0, 3.0], "y": 0.0})
    output = healed["output"]
    assert healed["nodes"][output["node"]]["outputs"][0]["numbers"] == [12.0]


def test_a_dict_of_tensors_stays_as_it_is():
    base = torch.tensor(2.0, requires_grad=True)
    given = {"w": base * 3, "deep": ({"b": 1.0},)}
    made = studio.trace(lambda p: p["w"] * 2 + p["deep"][0]["b"], {"p": given}).document
    assert [i["name"] for i in made["inputs"]] == ["p_w", "p_deep_0_b"]
    assert given["w"].grad_fn is not None and given["deep"] == ({"b": 1.0},)
    names = {n["name"]: n["id"] for n in made["nodes"]}
    assert made["nodes"][names["p_deep_0_b"]]["kind"] == "input"


def test_nothing_and_words_are_handed_on_as_they_are():
    def f(x, mask, edge="inf"):
        assert mask is None and edge == "inf"
        return x * 2

    for at in ({"x": 1.0, "mask": None}, {"x": 1.0, "mask": None, "edge": "inf"}):
        made = studio.trace(f, at).document
        assert made["modes"]["rows"][0]["automatic"] == 2.0


def test_what_was_there_before_a_sum_is_told_for_complex_and_infinite_numbers(traced):
    for text in (ODD["complex"], "import torch\n\ndef f(x=1000.0):\n    return torch.exp(x) * x\n"):
        links = [k for s in traced(text)["backward"] for k in s.get("links", []) if "sum" in k]
        again = [k for k in links if k["part"] > 1]
        assert again and all(k["before"]["numbers"] for k in again)
        assert all("before" not in k for k in links if k["part"] == 1)


def test_what_a_program_prints_is_shown_once(tmp_path):
    text = (
        "import sys\n\ndef f(x=1.0, y=2.0):\n    print('out')\n"
        "    print('err', file=sys.stderr)\n    return x * y\n"
    )
    given = {"text": text, "name": str(tmp_path / "f.py"), "base": {"x": 1.0, "y": 1.0}}
    with installed():
        said, _ = _answer(lambda **g: (answers.trace(**g), None), given)
    printed = said["answer"]["printed"]
    assert [printed.count(word) for word in ("out", "err")] == [1, 1]


REFUSED = {
    "def f(x=1.0):\n    pass\n": "returned NoneType",
    "import torch\n\ndef f(x=1.0):\n    return torch.tensor(3.0)\n": "does not require grad",
    "def f(x=1.0):\n    return x.detach()\n": "does not require grad",
    "def f(x=1.0):\n    raise BaseException('odd')\n": "BaseException: odd",
    "class E(Exception):\n    def __str__(self):\n        raise ValueError\n\n"
    "def f(x=1.0):\n    raise E\n": "E: its text cannot be made",
    "def f(x=1.0):\n    return input('n? ')\n": "EOFError",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_errors_reach_the_page(text, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    given = {"text": text, "name": str(tmp_path / "f.py")}
    with installed():
        said, _ = _answer(lambda **g: (answers.trace(**g), None), given)
    assert REFUSED[text] in said["problem"]["message"]


def test_a_script_reads_no_arguments_of_the_studios_own(traced):
    text = (
        "import argparse, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--lr', type=float, default=0.5)\nlr = p.parse_args().lr\n"
        "x = torch.tensor(2.0, requires_grad=True)\n(x * lr).backward()\n"
    )
    made = traced(text)
    assert made["nodes"][made["output"]["node"]]["outputs"][0]["numbers"] == [1.0]


def test_a_gradient_that_backward_was_given_is_told_of(traced):
    text = (
        "import torch\nx = torch.ones(3, requires_grad=True)\n"
        "(x * 2).backward(torch.tensor([1.0, 2.0, 3.0]))\n"
    )
    made = traced(text)
    assert "what backward() was given" in made["notes"][-1]
    assert made["backward"][-1]["gradient"]["numbers"] == [2.0, 4.0, 6.0]


def test_values_that_no_square_holds_have_a_norm_and_a_picture():
    x = torch.full((100,), 1e300, dtype=torch.float64, requires_grad=True)
    trace = studio.read((x * 1.0).sum())
    trace.to_json()
    shown = next(n for n in trace.document["nodes"] if n["kind"] == "parameter")["outputs"][0]
    assert shown["norm"] == pytest.approx(1e301)
    edge = studio.trace(lambda x: x.sum(), {"x": [1.7e308, -1.7e308] * 50})
    edge.to_json()
    edge.to_html()
