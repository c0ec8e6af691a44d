"""Names and lines of others in reports, pictures and errors: shown as they are, never obeyed."""

import io
import linecache
import re
import sys
import xml.dom.minidom
from html.parser import HTMLParser

import pytest

import chainrule as torch
from chainrule.autograd.printable import printable
from chainrule.fx.passes.graph_drawer import FxGraphDrawer

EVIL = (
    "<img src=x onerror=alert(1)>\"'&\x1b[2J]]>--></script><script>alert(2)</script>"
    '[/red]{{x}}`${1}\\"\r\x07\u202e\udc80\n'
)
FILE = "/tmp/evil\x1b[31m\"'&<i>.py"
PROGRAM = """
def forward(model, x, w):
    h = model(x); "</script><script>alert(3)</script><img src=x onerror=alert(4)>\x1b[2J"
    return (h * w).sum()

def cost(price, units):
    total = price * units; s = "<img src=x onerror=alert(5)>\x1b[2J"
    return total - 0.1 * units ** 2
"""


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module(EVIL.replace(".", "_"), torch.nn.Linear(3, 3))
        self.register_parameter(EVIL + "p", torch.nn.Parameter(torch.ones(3)))
        self.last = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.last(next(self.children())(x)) * next(iter(self._parameters.values()))


class Elements(HTMLParser):
    """Finds what only the names could have put into a page."""

    def __init__(self):
        super().__init__()
        self.found, self.script = [], ""

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "i") or any(name.startswith("on") for name, _ in attrs):
            self.found.append((tag, attrs))

    def handle_data(self, data):
        if re.fullmatch(r"\s*alert\(\d\)\s*", data) and self.lasttag == "script":
            self.found.append(data)


@pytest.fixture(scope="module")
def programs():
    linecache.cache[FILE] = (len(PROGRAM), None, PROGRAM.splitlines(True), FILE)
    space = {}
    exec(compile(PROGRAM, FILE, "exec"), space)
    return space


@pytest.fixture(scope="module")
def reports(programs):
    """Every report about a model and a program whose names are hostile."""
    net, x, w = Net(), torch.ones(2, 3), torch.ones(3, requires_grad=True)
    with torch.doctor.watch(net) as watch:
        optimizer = torch.optim.SGD(net.parameters(), lr=1e9)
        for _ in range(30):
            programs["forward"](net, torch.randn(2, 3), w).backward()
            optimizer.step()
    y = programs["forward"](net, x, w)
    found = {
        "explain": torch.explain(y, next(net.parameters()), module=net),
        "graph": torch.graph(y, module=net),
        "whole graph": torch.graph(y, module=net, fold="none"),
        "chain rule": torch.chain_rule(y, w, module=net),
        "sensitivity": torch.sensitivity(programs["cost"], at={"price": 3.0, "units": 4.0}),
        "summary": torch.summary(net, (2, 3)),
        "memory": torch.memory.saved(y),
        "flow": torch.gradient_flow(net),
        "doctor": watch.diagnosis,
    }
    with torch.profiler.profile() as profiled, torch.profiler.record_function(EVIL):
        programs["forward"](net, x, w).backward()
    found["profiler"] = profiled.key_averages()
    return found


FORMS = ("to_html", "to_svg", "_repr_html_", "to_dot", "to_mermaid", "to_json", "__str__", "table")


def forms_of(report):
    for name in FORMS:
        method = getattr(report, name, None)
        if callable(method):
            yield name, str(method())


NAMES = ("explain", "graph", "whole graph", "chain rule", "sensitivity", "summary", "memory",
         "flow", "doctor", "profiler")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_report_is_obeyed(name, reports):
    seen = 0
    for form, text in forms_of(reports[name]):
        seen += 1
        for sign in "\x1b\x07\r\u202e\udc80":
            assert sign not in text, (form, sign)
        if "html" in form or "svg" in form:
            elements = Elements()
            elements.feed(text)
            assert not elements.found, form
            for picture in re.findall(r"<svg.*?</svg>", text, re.S):
                xml.dom.minidom.parseString(picture.encode())
    assert seen


def test_a_page_of_the_studio_shows_its_names(programs):
    trace = torch.studio.trace(programs["cost"], {"price": 3.0, "units": 2.0}, title=EVIL)
    for text in (trace.to_html(), trace._repr_html_()):
        elements = Elements()
        elements.feed(text)
        assert not elements.found and "\x1b" not in text
        text.encode()


def test_graphviz_reads_every_name_as_one():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.add_module('a\\"]; evil [label="x', torch.nn.Linear(2, 2))

        def forward(self, x):
            return next(self.children())(x)

    text = FxGraphDrawer(torch.fx.symbolic_trace(Inner()), 'my "graph" {').to_dot()
    for line in text.splitlines():
        # Outside of quoted texts there is nothing but our own words.
        rest = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert '"' not in rest and "evil [" not in rest and "\\" not in rest, line
    assert text.startswith('digraph "my \\"graph\\" {" {')


def test_errors_show_the_names_of_a_file(tmp_path):
    torch.save({"weight": torch.ones(2, 2), EVIL: torch.ones(1)}, tmp_path / "hostile.pt")
    with pytest.raises(RuntimeError, match="Unexpected key") as caught:
        torch.nn.Linear(2, 2).load_state_dict(torch.load(tmp_path / "hostile.pt"))
    assert "\\x1b[2J" in str(caught.value) and "\x1b" not in str(caught.value)
    assert "\x1b" not in repr(torch.nn.ModuleDict({"a\x1b[2J": torch.nn.Identity()}))
    assert "\x1b" not in str(torch.fx.symbolic_trace(Net()).graph)


def test_names_without_end_are_shown_in_part():
    layer, long = torch.nn.Linear(2, 2), {"x" * 10**6: torch.ones(1)}
    with pytest.raises(RuntimeError, match=r'"x{400}\.\.\."') as caught:
        layer.load_state_dict(layer.state_dict() | long)
    assert len(str(caught.value)) < 1000
    many = {f"k{i}": torch.ones(1) for i in range(5000)}
    with pytest.raises(RuntimeError, match='"k1999" and 3000 more') as caught:
        layer.load_state_dict(layer.state_dict() | many)


def test_options_that_a_file_names_are_shown_and_not_obeyed():
    optimizer = torch.optim.SGD([torch.ones(2)])
    state = optimizer.state_dict()
    state["param_groups"][0] |= {EVIL: 1, 5: EVIL}
    optimizer.load_state_dict(state)
    assert "\\x1b[2J" in repr(optimizer) and "\x1b" not in repr(optimizer)


def test_tables_in_colour_take_names_as_they_are(monkeypatch):
    pytest.importorskip("rich")
    from chainrule.checking.tables import Report, Section

    class Made(Report):
        def sections(self):
            return [Section("[/red]", ("[/b]",), [("[red]x[/blue]\x1b[2J",)], ["[/note]"])]

    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    Made().show()
    text = shown.getvalue()
    assert "[red]x[/blue]\\x1b[2J" in text and "[/red]" in text and "[/b]" in text
    assert "\x1b" not in str(Made())


def test_what_can_be_read_stays():
    assert printable("größe 日本 😀 a\tb\n") == "größe 日本 😀 a\tb\n"
    assert printable("a\u202eb\u2028c\x85") == "a\\u202eb\\u2028c\\x85"
