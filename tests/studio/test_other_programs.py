"""Programs as they lie around: in packages, beside `html.py`, slow, single precision, failing."""

import re
import sys
import time

import pytest

import chainrule as torch
from chainrule import studio
from chainrule.cli import main
from chainrule.run import installed
from chainrule.studio import answers, modes
from chainrule.studio.process import problem_facts
from chainrule.studio.programs import ProgramError, read_program, trace_program
from chainrule.studio.workbench import Limits, Stopped, Workbench

from .browser import needs_browser, served
from .test_model_page import GPT

MODEL = (
    "import torch\n\nmodel = torch.nn.Linear(4, 2)\n\n"
    "def f(x=[1.0, 2.0, 3.0, 4.0]):\n    return model(x).sum()\n"
)


def traced(text, tmp_path, **given):
    with installed():
        return answers.trace(text, str(tmp_path / "f.py"), **given)


def test_numbers_meet_a_model_in_its_own_precision(tmp_path):
    made = traced(MODEL, tmp_path)
    assert made["nodes"][made["output"]["node"]]["outputs"][0]["dtype"] == "float32"
    assert "single precision" in made["notes"][-1]
    rows = made["modes"]["rows"]
    assert len(rows) == 4 and not any(r.get("differs") for r in rows)
    at = {"x": [1.0, 2.0, 3.0, 5.0]}
    moved = traced(MODEL, tmp_path, at=at, base={"x": [1.0, 2.0, 3.0, 4.0]})
    assert moved["prediction"]["predicted"] == pytest.approx(
        moved["prediction"]["recomputed"], rel=1e-5
    )
    with installed():
        curve = answers.curve(MODEL, str(tmp_path / "f.py"), "f", at, "x[3]", 0, 8)
    assert curve["here"]["slope"] == pytest.approx(rows[3]["automatic"])


def test_an_error_that_single_precision_does_not_heal_is_the_first_one(tmp_path):
    text = "import torch\n\ndef f(x=[1.0]):\n    return x @ torch.ones(1, dtype=torch.int64)\n"
    with pytest.raises(RuntimeError, match=r"Double|float64"):
        traced(text, tmp_path)


def test_differences_in_single_precision_take_a_step_that_can_be_seen():
    def f(x):
        big = torch.linspace(-1, 1, 1000) * x
        return (big.sin() * big).mean()

    (row,) = studio.trace(f, {"x": 1.0}).document["modes"]["rows"]
    assert row["numeric"] == pytest.approx(row["automatic"], rel=1e-3) and "differs" not in row


def test_a_slow_function_is_drawn_by_few_points_and_not_moved_by_many(tmp_path, monkeypatch):
    text = "def f(x=2.0):\n    return x ** 2\n"
    given = (text, str(tmp_path / "f.py"), "f", {"x": 2.0}, "x", 0.0, 4.0)
    monkeypatch.setattr(answers, "CURVE_SECONDS", 0.0)
    with installed():
        made = answers.curve(*given)
    assert made["x"] == [0.0, 2.0, 4.0] and made["values"] == [0.0, 4.0, 16.0]
    monkeypatch.setattr(modes, "MOST_SECONDS", 0.0)
    made = traced(text, tmp_path)
    assert made["modes"]["rows"] == [] and "would take too long" in made["modes"]["reason"]


def test_numbers_that_are_not_finite_are_plugged_in_without_quotes():
    def f(x, y):
        b = torch.log(y)
        return x + b * y

    nodes = studio.trace(f, {"x": float("nan"), "y": 0.0}).document["nodes"]
    assert [n["numbers"] for n in nodes if n["kind"] == "op"][1:] == ["-inf * 0", "nan + -inf * 0"]


def test_one_value_of_a_long_line_has_its_name():
    def f(x):
        big = torch.linspace(-1, 1, 100).reshape(10, 10).reshape(100) * x * 1.0000000001 + x * 0
        return big.mean()

    names = [n["name"] for n in studio.trace(f, {"x": 1.0}).document["nodes"]]
    assert names.count("big") == 1


def test_a_file_of_a_package_imports_its_neighbours(tmp_path, monkeypatch):
    package = tmp_path / "outer_of_studio" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "near.py").write_text("two = 2.0\n")
    (package.parent / "far.py").write_text("three = 3.0\n")
    text = "from ..far import three\nfrom .near import two\n\ndef f(x=1.0):\n"
    text += "    return x * two * three\n"
    monkeypatch.setattr(sys, "path", [*sys.path])
    made = trace_program(text, str(package / "f.py"), "f").document
    assert made["nodes"][made["output"]["node"]]["outputs"][0]["numbers"] == [6.0]


def test_a_file_is_read_in_the_encoding_that_it_declares(tmp_path):
    file = tmp_path / "f.py"
    file.write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe4'\n")
    assert "\xe4" in read_program(file)
    file.write_bytes(b"\xef\xbb\xbfx = 1\n")
    assert read_program(file) == "x = 1\n"
    file.write_bytes(b"x = '\xe4'\n")
    with pytest.raises(ProgramError, match=r"f\.py cannot be read as text"):
        read_program(file)


def test_a_script_may_end_itself(tmp_path):
    text = (
        "import sys\n\ndef g(x=3.0):\n    return x * x\n\n"
        "if __name__ == '__main__':\n    sys.exit(0)\n"
    )
    assert trace_program(text, str(tmp_path / "f.py")).document["function"] == "g"
    with pytest.raises(SystemExit) as left:
        trace_program(text.replace("exit(0)", "exit(3)"), str(tmp_path / "f.py"))
    said = problem_facts(left.value, "f.py")["message"]
    assert said.startswith("SystemExit: 3") and "before there was anything to show" in said
    said = problem_facts(EOFError("EOF when reading a line"), "f.py")["message"]
    assert "no terminal" in said


PROBLEMS = {
    "def f(x=1.0):\n    raise KeyError('odd')\n": "line 2: KeyError: 'odd'",
    "import nothing_of_this_name\n": "line 1: ModuleNotFoundError",
    "import sys\nsys.exit('enough')\n": "line 2: SystemExit: enough",
    "def f(x=1.0)\n": "line 1: SyntaxError",
}


@pytest.mark.parametrize("text", PROBLEMS, ids=range(len(PROBLEMS)))
def test_the_command_says_the_line_of_an_error(text, tmp_path, capsys):
    file = tmp_path / "f.py"
    file.write_text(text)
    with installed():
        assert main(["studio", str(file), "--record", str(tmp_path / "out.html")]) == 2
    assert PROBLEMS[text] in capsys.readouterr().err
    assert not (tmp_path / "out.html").exists()


def test_the_command_refuses_inputs_that_the_function_lacks(tmp_path, capsys):
    file = tmp_path / "f.py"
    file.write_text("def f(p={'w': 1.0}, x=1.0):\n    return p['w'] * x\n")
    out = str(tmp_path / "out.html")
    with installed():
        assert main(["studio", f"{file}:f", "--at", "y=2", "--record", out]) == 2
        assert "f has no input 'y'; it has: p, x" in capsys.readouterr().err
        assert main(["studio", f"{file}:f", "--at", "p_w=3", "x=2", "--record", out]) == 0
    assert main(["studio", str(tmp_path / "book.ipynb")]) == 2
    assert "studio.trace(f" in capsys.readouterr().err


def test_a_recorded_run_draws_the_same_numbers_each_time(tmp_path):
    file = tmp_path / "f.py"
    file.write_text("import torch\n\ndef f(x=1.0):\n    return torch.randn(3).sum() * x\n")
    pages = []
    for k in range(2):
        with installed():
            main(["studio", str(file), "--record", str(tmp_path / f"{k}.html")])
        page = (tmp_path / f"{k}.html").read_text()
        pages.append(re.sub(r'"micros": [\d.]+', "", page))
    assert pages[0] == pages[1]


NAMES = ("html", "csv", "json", "random", "types", "queue", "copy", "code", "string", "token",
         "secrets", "glob", "numbers", "inspect", "test", "hashlib", "statistics")  # fmt: skip


@pytest.mark.slow
def test_files_called_like_parts_of_python_disturb_nothing(tmp_path):
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise ImportError('the {name}.py of the user')\n")
    text, name = "def f(x=2.0, y=3.0):\n    return (x * y) ** 2\n", str(tmp_path / "f.py")
    at = {"x": 2.0, "y": 3.0}
    bench = Workbench(Limits(60), str(tmp_path))
    made = bench.ask("trace", text=text, name=name, base=at)
    assert made["prediction"]["predicted"] == 36.0
    assert "<!doctype html>" in bench.ask("record", text=text, name=name)["page"]
    bench.ask("curve", text=text, name=name, function="f", at=at, along="x", low=0, high=1)
    bench.ask("drivers", text=text, name=name, sweep={"input": "x", "low": 0, "high": 1})
    assert bench.ask("play", config={})["step"] == 0
    assert bench.ask("control", action="epoch")["epoch"] == 1
    bench.stop()


def test_a_process_that_ends_says_why(tmp_path):
    bench = Workbench(Limits(60), str(tmp_path))
    text = "import os\nos.write(2, b'out of luck\\n')\nos._exit(5)\n"
    with pytest.raises(Stopped, match="ended with code 5: out of luck"):
        bench.ask("trace", text=text, name="f.py")
    bench.stop()


def test_plots_open_no_window(tmp_path):
    bench = Workbench(Limits(60), str(tmp_path))
    text = "import os\nraise ValueError(os.environ['MPLBACKEND'])\n"
    with pytest.raises(Exception, match="ValueError: Agg"):
        bench.ask("trace", text=text, name="f.py")
    bench.stop()


# ---- in the browser ------------------------------------------------------------------------------

FILES = {
    "good.py": "def good(x=2.0, y=3.0):\n    z = x * y\n    return z ** 2\n\n"
               "def worse(x=1.0):\n    return x.nothing()\n",
    "wrong.py": "def wrong(x=1.0)\n    return x\n",
    "many.py": "def many(x=[0.1] * 40):\n    return (x * x).sum()\n",
    "nan.py": "import torch\n\ndef nan(x=-5.0):\n    return torch.sqrt(-1 - x * x)\n",
    "latin.py": "",
    "gpt.py": GPT,
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a folder of ümläuts")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "latin.py").write_bytes(b"x = '\xe4'\n")
    with served(folder / "good.py", "good") as made:
        made.studio.warm_up()
        yield made


def opened(page, site, file="good.py"):
    page.open(site.url)
    page.wait_text("#plot", "d good")
    if file != "good.py":
        page.put("#file", file)
        page.wait_text("#code h2", file)
        page.wait("!document.querySelector('[aria-busy]')")
    return page


@needs_browser
@pytest.mark.slow
def test_nothing_of_another_run_stands_beside_a_program_that_fails(page, site):
    opened(page, site)
    page.put("#time", 3)
    page.click("#tab-model")
    page.wait_text("#seen", "boxes shown")
    page.click("#tab-step")
    page.put("#file", "wrong.py")
    page.wait_text("#problem", "Line 1: SyntaxError")
    assert page.text("#where") == "There is no run to show."
    for part in ("#graph", "#panel", "#modes", "#numbers", "#plot", "#prediction"):
        assert page.text(part) == "", part
    page.click("#next")
    assert page.text("#where") == "There is no run to show."
    page.click("#tab-model")
    page.wait_text("#seen", "Nothing has run yet")
    assert page.text("#details") == page.text("#modules") == ""
    page.click("#tab-step")
    page.put("#file", "good.py")
    page.wait_text("#problem", "nothing")  # its last function is asked first, and fails
    page.put("#function", "good")
    page.wait_text("#plot", "d good / d x = 36")
    assert page.text("#where").startswith("Step 0 of")


@needs_browser
@pytest.mark.slow
def test_a_function_that_fails_leaves_the_way_back_to_the_others(page, site):
    opened(page, site)
    page.put("#function", "worse")
    page.wait_text("#problem", "nothing")
    assert page.text("#graph") == page.text("#plot") == ""
    page.put("#function", "good")
    page.wait_text("#plot", "d good / d x = 36")
    assert page.text("#problem") == ""


@needs_browser
@pytest.mark.slow
def test_a_file_that_cannot_be_read_leaves_the_one_that_is_open(page, site):
    opened(page, site)
    page.put("#file", "latin.py")
    page.wait_text("#problem", "latin.py cannot be read as text")
    assert page.run("return document.querySelector('#file').value") == "good.py"
    page.complaints()  # the browser notes the 400


@needs_browser
@pytest.mark.slow
def test_of_many_numbers_the_first_are_listed_and_all_when_asked_for(page, site):
    opened(page, site, "many.py")
    page.wait_text("#numbers", "Show all 40 numbers")
    assert page.count("#numbers input[type=range]") == 16
    page.click("#all-numbers")
    assert page.count("#numbers input[type=range]") == 40
    assert page.run("return document.activeElement.id") == "s-x[16]"
    page.put("[id='n-x[39]']", 2)
    page.wait_text("#recomputed", "4.39")


@needs_browser
@pytest.mark.slow
def test_a_chart_without_a_finite_number_says_so(page, site):
    opened(page, site, "nan.py")
    page.put("#n-x", -6)
    page.wait_text("#slope", "nan at -6")
    page.wait_text("#plot svg", "no finite number here")
    page.click("#tab-playground")
    page.wait_text("#loss svg", "no step yet")


@needs_browser
@pytest.mark.slow
def test_an_example_that_is_chosen_at_once_is_the_one_that_is_shown(page, site, monkeypatch):
    """While the server still works on the function that was there before."""
    whole, slow = site.studio.runs.ask, [0.8]

    def ask(what, /, **given):
        if what == "drivers" and slow:
            time.sleep(slow.pop())
        return whole(what, **given)

    monkeypatch.setattr(site.studio.runs, "ask", ask)
    opened(page, site)
    page.click("#tab-drivers")
    page.put("#cascade", "Material price to revenue")
    page.wait_text("#chains", "Path 1 of 2 gives")
    page.wait("document.querySelectorAll('#sweep svg').length == 2")
    assert page.text("#drivers [role=alert]") == "" and page.text("#figure h2") == "revenue"


CROSSINGS = """
const done = arguments[0], proto = CanvasRenderingContext2D.prototype, kept = {};
const lines = [], boxes = [];
for (const name of ["moveTo", "lineTo", "roundRect", "rect"]) kept[name] = proto[name];
proto.moveTo = function (x, y) { lines.push([[x, y]]); return kept.moveTo.call(this, x, y); };
proto.lineTo = function (x, y) { lines.at(-1).push([x, y]); return kept.lineTo.call(this, x, y); };
for (const name of ["roundRect", "rect"]) proto[name] = function (...at) {
  boxes.push(at); return kept[name].apply(this, at);
};
document.querySelector("#zoom-out").click();
requestAnimationFrame(() => requestAnimationFrame(() => {
  Object.assign(proto, kept);
  let hidden = 0;
  const inside = (x, y) => boxes.some(([a, b, w, h]) =>
    x > a + 2 && x < a + w - 2 && y > b + 2 && y < b + h - 2);
  for (const line of lines) for (let k = 1; k < line.length; k++) {
    const [from, to] = [line[k - 1], line[k]];
    for (let t = 0.02; t < 1; t += 0.02)
      hidden += inside(from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]));
  }
  done([lines.length, boxes.length, hidden, Math.max(...lines.map((l) => l.length))]);
}));
"""


@needs_browser
@pytest.mark.slow
def test_links_of_a_model_run_between_its_boxes(page, site):
    opened(page, site, "gpt.py")
    page.wait_text("#where", "of 206", seconds=60)
    page.click("#tab-model")
    page.click("[data-path=blocks]")
    page.click("[data-path='blocks.1']")
    page.click("#fit")
    lines, boxes, hidden, longest = page.driver.execute_async_script(CROSSINGS)
    assert lines > 30 and boxes > 30 and longest > 10, "a residual link leads past many boxes"
    assert hidden == 0
