"""The lessons: every program runs, no task is done by itself, and each is done by what it asks."""

import pytest

from chainrule.cli import main
from chainrule.run import installed
from chainrule.studio.lessons import LESSONS
from chainrule.studio.programs import trace_program

from .browser import needs_axe, needs_browser, served

# Per lesson and task what a learner does: ("type", answer), ("move", input, value), ("edit", old,
# new), ("step", how far).
SOLUTIONS = [
    [("step", 5), ("type", 2), ("move", "x", 5)],
    [("type", 3), ("type", 5), ("move", "x", -1.5)],
    [("type", 14), ("type", 28), ("move", "b", -6)],
    [("type", -1.1445), ("move", "x", 0.4163), ("edit", "sin", "cos")],
    [("type", 20), ("move", "price", 16), ("move", "price", 12)],
    [("type", -12), ("move", "b", -4), ("edit", "torch.relu", "torch.tanh")],
    [("type", -0.33476), ("type", 0.24473), ("move", "scores[0]", 5)],
    [("step", 2), ("type", 64), ("edit", "c = torch.sin(b)", "return (x * 2).sum()")],
    [("type", -6.5), ("moves", "w", 2, "b", 1), ("edit", "mean", "sum")],
    [("step", None), ("step", None), ("type", 2)],
]


def documents():
    with installed():
        return [trace_program(x["program"], "lesson.py").document for x in LESSONS]


def test_there_are_ten_and_each_runs():
    found = documents()
    assert len(found) == 10 == len(SOLUTIONS)
    sizes = [len(d["forward"]) for d in found]
    assert sizes[0] == 1 and sizes[-1] == max(sizes)
    for lesson, solutions in zip(LESSONS, SOLUTIONS, strict=True):
        assert len(lesson["tasks"]) == len(solutions) == 3
        assert lesson["text"] and lesson["title"]


def test_a_lesson_that_is_not_there(capsys):
    assert main(["studio", "--lesson", "11", "--no-browser"]) == 2
    assert "10 lessons" in capsys.readouterr().err


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(folder=tmp_path_factory.mktemp("site")) as made:
        made.studio.warm_up()
        yield made


def opened(page, site, number):
    page.open(site.url)
    page.click("#tab-lessons")
    page.click(f"#lesson-{number}")
    page.wait_text("#lesson h2", f"{number}. ")
    page.wait_text(".cm-content", LESSONS[number - 1]["program"].split("\n")[0])
    page.wait("document.querySelectorAll('#graph g').length > 1")
    page.wait("!document.querySelector('[aria-busy]')")
    return page


def done(page):
    return page.run(
        "return [...document.querySelectorAll('.tasks li')].map(e => e.dataset.done == 'true')"
    )


def solve(page, task, number, solution):
    how, *what = solution
    if how == "type":
        page.put(f"#answer-{number}", 12345.678)
        assert not done(page)[number]
        page.put(f"#answer-{number}", what[0])
    elif how == "move":
        page.put(f"[id='n-{what[0]}']", what[1])
    elif how == "moves":
        page.put(f"#n-{what[0]}", what[1])
        page.put(f"#n-{what[2]}", what[3])
    elif how == "edit":
        edit(page, *what)
    else:
        last = int(page.text("#where").split(" of ")[1].split(":")[0])
        for step in range(1, last + 1) if what[0] is None else [what[0]]:
            page.put("#time", step)
            if done(page)[number]:
                break
    page.wait(f"document.querySelectorAll('.tasks li')[{number}].dataset.done == 'true'")


def edit(page, old, new):
    """Replace the first place of a text, as a learner would: select it and type."""
    page.run(
        "document.querySelector('.cm-content').focus();"
        "const lines = [...document.querySelectorAll('.cm-line')];"
        "const line = lines.find(l => l.textContent.includes(arguments[0]));"
        "const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), at = [];"
        "let text = '', n;"
        "while ((n = walk.nextNode())) { for (let k = 0; k < n.length; k++) at.push([n, k]);"
        "  text += n.data }"
        "const from = text.indexOf(arguments[0]), to = from + arguments[0].length - 1;"
        "const r = document.createRange(); r.setStart(...at[from]);"
        "r.setEnd(at[to][0], at[to][1] + 1);"
        "getSelection().removeAllRanges(); getSelection().addRange(r)",
        old,
    )
    page.driver.switch_to.active_element.send_keys(new)


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 11))
def test_tasks_are_done_by_what_they_ask_for(page, site, number):
    opened(page, site, number)
    assert done(page) == [False] * 3
    for k, (task, solution) in enumerate(
        zip(LESSONS[number - 1]["tasks"], SOLUTIONS[number - 1], strict=True)
    ):
        solve(page, task, k, solution)
    assert done(page) == [True] * 3
    page.click("#tab-lessons")
    assert page.text(f"li:has(#lesson-{number}) .hint") == "3 of 3 tasks done"


@needs_browser
@pytest.mark.slow
def test_from_one_lesson_to_the_next_and_out(page, site):
    opened(page, site, 1)
    page.click("#next-lesson")
    page.wait_text("#lesson h2", "2. ")
    page.wait_text("#graph", "square")
    page.click("#leave-lesson")
    assert page.run("return document.querySelector('#lesson').hidden")


@needs_browser
@needs_axe
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, site, scheme):
    page.colours(scheme)
    opened(page, site, 3)
    page.put("#answer-0", 14)
    assert page.fits() and page.accessibility() == []
    page.click("#tab-lessons")
    assert page.fits() and page.accessibility() == []
