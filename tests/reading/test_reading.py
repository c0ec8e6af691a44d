"""The tape as reports read it: vertices, links, names, lines, modules, and gradients everywhere."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.reading import Names, Tape, cotangents, modules, track_modules
from chainrule.reading.svg import Picture, bar_chart, flame, line_chart, waterfall
from chainrule.reading.terminal import Table, Tree, plain


def by_title(tape):
    return {v.title: v for v in tape.order if v.title}


def test_vertices_are_called_by_the_variables_of_the_program():
    supply = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    tape = Tape.of(revenue).name(Names.here())
    found = by_title(tape)
    assert {"supply", "chips", "phones", "revenue"} <= found.keys()
    assert found["phones"].op == "mul"
    assert found["phones"].torch_name == "MulBackward0"
    assert found["phones"].place.text == "phones = 0.1 * chips"
    assert found["phones"].inputs[0].derivative() == 0.1
    assert found["phones"].inputs[0].parent is found["chips"]
    assert float(tape.value(found["chips"])) == 750


def test_names_come_from_the_source_where_no_variable_is_left():
    def profit(x):
        doubled = x * 2
        return doubled + x

    x = torch.tensor(1.0, requires_grad=True)
    tape = Tape.of(profit(x)).name(Names.here())
    assert by_title(tape)["doubled"].op == "mul"


def test_only_the_whole_expression_is_the_variable():
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    y = (x * w + b) ** 2
    tape = Tape.of(y).name(Names.here())
    expressions = {v.place.expression: v.title for v in tape.nodes}
    assert expressions == {"(x * w + b) ** 2": "y", "x * w + b": "", "x * w": ""}


def test_a_page_that_is_not_python_still_names_its_lines():
    import linecache

    space = {"x": torch.tensor(1.0, requires_grad=True)}
    code = compile("\n" * 3 + "if True:\n" + "    y = (x *\n         2).sin()\n", "a page", "exec")
    page = "A cell with magic:\n\n%timeit\n" + "if True:\n    y = (x *\n         2).sin()\n"
    linecache.cache["a page"] = (len(page), None, page.splitlines(keepends=True), "a page")
    exec(code, space)
    tape = Tape.of(space["y"])
    assert [v.place.expression for v in tape.nodes] == ["(x * 2).sin()", "x * 2"]
    assert [v.place.target for v in tape.nodes] == ["y", ""]


def test_two_uses_by_one_op_are_two_links():
    x = torch.tensor(3.0, requires_grad=True)
    tape = Tape.of(x * x)
    assert [link.derivative() for link in tape.links()] == [3.0, 3.0]


def test_gradients_at_every_vertex_are_those_of_backward():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LSTM(4, 2))
    out, _ = model(torch.randn(5, 3))
    loss = (out**2).sum()
    tape = Tape.of(loss)
    grads = cotangents(tape)
    found = {id(v.leaf): grads.of(v) for v in tape.leaves}
    loss.backward()
    for p in model.parameters():
        np.testing.assert_allclose(found[id(p)], p.grad.numpy(), rtol=1e-6)


def test_reading_changes_nothing():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    x.register_hook(seen.append)
    y = x.exp().sum()
    cotangents(Tape.of(y))
    assert x.grad is None and seen == []
    y.backward()
    assert len(seen) == 1


def test_a_chain_of_many_nodes_is_read_without_recursion():
    x = y = torch.tensor(1.0, requires_grad=True)
    for _ in range(30_000):
        y = y + 1
    tape = Tape.of(y)
    assert len(tape.nodes) == 30_000
    assert cotangents(tape).of(tape.leaves[0]) == 1
    assert tape.find(x) is not None


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


def paths_of(tape):
    return [(v.op, v.module) for v in reversed(tape.order) if v.node is not None]


EXPECTED = [
    ("linear", "0.up"), ("relu", "0"), ("linear", "0.down"), ("add", "0"),
    ("linear", "1.up"), ("relu", "1"), ("linear", "1.down"), ("add", "1"), ("sum", ""),
]  # fmt: skip


def test_module_paths_are_tracked():
    model = nn.Sequential(Block(), Block())
    with track_modules(model) as calls:
        loss = model(torch.ones(2, 4)).sum()
    tape = Tape.of(loss)
    calls.assign(tape)
    assert paths_of(tape) == EXPECTED
    assert not nn.modules.module_hooks._global_forward_hooks


def test_module_paths_are_inferred_from_parameters():
    model = nn.Sequential(Block(), Block())
    tape = Tape.of(model(torch.ones(2, 4)).sum()).name(Names.here())
    assert modules.assign(tape)
    assert paths_of(tape) == EXPECTED
    assert "model.0.up.weight" in by_title(tape)


def test_calls_of_one_module_are_counted_and_those_that_raise_end():
    layer = nn.Linear(2, 2)

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x, fail=False):
            y = self.layer(self.layer(x))
            if fail:
                raise ValueError("on purpose")
            return y

    model = Twice()
    with track_modules(model) as calls:
        with pytest.raises(ValueError):
            model(torch.ones(1, 2), fail=True)
        outside = layer.weight.sum()
        y = model(torch.ones(1, 2))
    assert calls.path_of(outside.grad_fn) == ""
    assert (calls.call_of(y.grad_fn).path, calls.call_of(y.grad_fn).number) == ("layer", 3)


def test_bad_input_is_refused():
    with pytest.raises(RuntimeError, match="does not require grad"):
        Tape.of(torch.ones(2))
    with pytest.raises(TypeError, match="expected a tensor"):
        Tape.of(3.0)
    x = torch.tensor(1.0, requires_grad=True)
    y = x.exp()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        Tape.of(y).require_saved()


def test_pictures_escape_what_they_show():
    p = Picture("<b>")
    p.text(0, 10, "a < b & c", tip="<script>")
    assert "a &lt; b &amp; c" in p.svg() and "<script>" not in p.svg() and "<b>" not in p.svg()


@pytest.mark.parametrize(
    "svg",
    [
        bar_chart([("up", 2.0), ("down", -1.0), ("nothing", 0.0), ("lost", float("nan"))]),
        line_chart([("f", [0, 1, 2], [1.0, float("inf"), 3.0])], marks=[(2, 3.0, "top")]),
        line_chart([("f", [0, 1], [1e-9, 1e3])], log_y=True),
        waterfall([("a", 2.0, 2.0), ("b", 0.0, 0.0)]),
        flame([(0, 0.0, 2.0, "forward", ""), (1, 0.0, 1.0, "linear", "")]),
    ],
)
def test_charts_are_well_formed(svg):
    from xml.etree import ElementTree

    ElementTree.fromstring(svg)
    assert "nan" not in svg.replace("lost: nan", "").replace(">nan<", "")


def test_plain_text_of_tables_and_trees():
    table = Table("links", ("op", "times"), [("mul", "10"), ("add", "1")], ["sum checked"])
    tree = Tree("y", [Tree("mul", [Tree("x")]), Tree("b")])
    assert plain([table, tree]) == (
        "links\n  op   times\n  ---  -----\n  mul     10\n  add      1\n  sum checked\n\n"
        "y\n├── mul\n│   └── x\n└── b"
    )
