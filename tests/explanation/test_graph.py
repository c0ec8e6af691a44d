"""The graph as text, picture, page, Mermaid and DOT; the derivation on the blackboard; commands."""

import itertools
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.explanation.layout import lay_out


def leaf(value):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, 2)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        q = self.norm(x)
        x = x + self.attention(q, q, q, need_weights=False)[0]
        return x + self.down(self.up(x).relu())


class Transformer(nn.Module):
    def __init__(self, blocks=5, width=8):
        super().__init__()
        self.embedding = nn.Embedding(10, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(blocks)])
        self.head = nn.Linear(width, 10)

    def forward(self, ids):
        return self.head(self.blocks(self.embedding(ids)))


@pytest.fixture
def transformer():
    torch.manual_seed(0)
    model = Transformer()
    ids = torch.arange(6).reshape(1, 6) % 10
    loss = nn.functional.cross_entropy(model(ids).reshape(-1, 10), ids.reshape(-1))
    return torch.graph(loss, module=model)


def test_a_transformer_is_folded_by_layer(transformer):
    titles = [b.title for b in transformer.diagram.boxes]
    assert [t for t in titles if t.startswith("blocks.")] == [
        f"blocks.{k}" for k in (4, 3, 2, 1, 0)
    ]
    assert len(titles) < 15 and "loss" in titles
    ElementTree.fromstring(transformer.to_svg())


def test_the_page_has_every_view_and_the_insides(transformer):
    page = transformer.to_html()
    views = json.loads(re.search(r'id="views">(.*?)</script>', page, re.S).group(1))
    assert {"folded by layer", "folded by module", "all nodes"} <= views.keys()
    assert page.count("<template") == len(views)
    block = next(b for b in views["folded by layer"]["boxes"] if b["title"] == "blocks.2")
    assert len(views[block["part"]]["boxes"]) > 10
    told = [{name for name, _ in b["details"]} for b in views["all nodes"]["boxes"]]
    nodes = [names for names in told if "op" in names]
    assert all({"gradient", "line"} <= names for names in nodes)
    assert sum("value" in names for names in nodes) > len(nodes) / 2


def test_hovering_tells_the_formula_with_numbers():
    x = leaf(2.0)
    u = 3 * x + 1
    g = torch.graph(u)
    details = dict(g.diagram.boxes[0].details)
    assert details["formula"] == "3 * x + 1"
    assert details["with numbers"] == "3 * 2 + 1 = 7"
    assert details["value"] == "7" and details["gradient"] == "1"


def test_mermaid_and_dot():
    x = leaf(2.0)
    y = x * x
    assert torch.graph(y).to_mermaid() == (
        'graph TD\n  n0{{"y  mul = 4"}}\n  n1(["x  = 2"])\n  n1 -->|"2 links"| n0\n'
    )
    assert 'n1 -> n0 [label="2 links"];' in torch.graph(y).to_dot()


def test_long_loops_are_folded_and_stay_acyclic():
    x = h = leaf(1.0)
    for _ in range(500):
        h = h * 0.5
        h = h.sin() + x
    g = torch.graph(h)
    assert g.diagram.folded == "line" and len(g.diagram.boxes) < 70
    assert any("steps" in b.title for b in g.diagram.boxes)
    ElementTree.fromstring(g.to_svg())
    assert len(str(g).splitlines()) < 250


def test_folding_by_module_needs_modules():
    x = leaf(1.0)
    y = x.exp()
    with pytest.raises(ValueError, match="needs modules"):
        torch.graph(y, fold="module")


@pytest.mark.parametrize("seed", range(8))
def test_boxes_do_not_overlap_and_inputs_are_above(seed):
    import random

    rng = random.Random(seed)
    count = rng.randint(2, 25)
    links = sorted({(a, rng.randint(a + 1, count - 1)) for a in range(count - 1) for _ in range(2)})
    sizes = [(rng.uniform(40, 200), rng.choice([26, 42])) for _ in range(count)]
    laid = lay_out(sizes, links)
    assert all(laid.boxes[a].y + laid.boxes[a].height < laid.boxes[b].y for a, b in links)
    for p, q in itertools.combinations(laid.boxes, 2):
        apart = abs(p.x - q.x) >= (p.width + q.width) / 2
        assert apart or p.y + p.height <= q.y or q.y + q.height <= p.y
    assert min(p.x - p.width / 2 for p in laid.boxes) >= -1e-9


def test_a_cycle_is_refused():
    with pytest.raises(ValueError, match="cycle"):
        lay_out([(10, 10), (10, 10)], [(0, 1), (1, 0)])


# ---- the blackboard ------------------------------------------------------------------------------


def test_the_derivation_of_the_supply_chain():
    supply = leaf(5.0)
    chips = 1000 - 50 * supply
    phones = 0.1 * chips
    revenue = 800 * phones - 0.01 * phones**2
    d = torch.chain_rule(revenue, wrt=supply)
    assert d.forward[0] == "chips = 1000 - 50 * supply = 1000 - 50 * 5 = 750"
    assert d.steps == [
        "d revenue / d phones = 800 - 0.02*phones = 800 - 0.02 * 75 = 798.5"
        "    (product so far 798.5)",
        "d phones / d chips = 0.1    (product so far 79.85)",
        "d chips / d supply = -50    (product so far -3992.5)",
    ]
    assert d.result == "d revenue / d supply = 798.5 · 0.1 · (-50) = -3992.5"
    assert "798.5" in d.to_html() and d._repr_html_().startswith("<div")


def test_one_line_is_derived_by_its_parts():
    x, w, b = leaf(2.0), leaf(3.0), leaf(1.0)
    y = (x * w + b) ** 2
    d = torch.chain_rule(y, wrt=w)
    assert [s.multiplier for s in d.chain] == [14, 1, 2]
    assert "2*(x * w + b) = 2 * (2 * 3 + 1) = 14" in d.steps[0]


def test_paths_that_meet_are_added():
    x = leaf(2.0)
    a = x * 3
    b = x.exp()
    y = a * b
    text = str(torch.chain_rule(y, wrt=x))
    assert "a*b + 3*b = 6 * 7.38906 + 3 * 7.38906 = 66.5015" in text
    assert "a sum over 2 ways" in text and "y -> a -> x: 7.38906 · 3 = 22.1672" in text


def test_tensors_are_derived_by_gains():
    m = torch.ones(2, 2, requires_grad=True)
    loss = (m @ m).tanh().sum()
    text = str(torch.chain_rule(loss, wrt=m))
    assert "the rule of tanh (TanhBackward0)" in text and "has shape [2, 2]" in text


# ---- commands ------------------------------------------------------------------------------------

MODEL = """
def revenue(supply, share=0.1):
    chips = 1000 - 50 * supply
    phones = share * chips
    return 800 * phones - 0.01 * phones ** 2

def lost(x):
    return 3.0
"""


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path / "model.py"


def run(capsys, *arguments):
    from chainrule.cli import main

    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_explain_from_the_command_line(model, capsys):
    code, out, _ = run(capsys, "explain", f"{model}:revenue", "--at", "supply=5", "--wrt", "supply")
    assert code == 0 and "-3992.5" in out and "phones = share * chips" in out
    code, out, _ = run(capsys, "explain", f"{model}:revenue", "--at", "supply=5", "--json")
    assert json.loads(out)["supply"]["gradient"] == pytest.approx(-3992.5)
    code, out, _ = run(capsys, "explain", f"{model}:revenue", "--at", "supply=5")
    assert code == 0 and "share" in out


def test_graph_from_the_command_line(model, capsys, tmp_path):
    code, out, _ = run(capsys, "graph", f"{model}:revenue", "--at", "supply=5")
    assert code == 0 and "chips" in out and "supply  = 5" in out
    target = tmp_path / "g.html"
    code, out, _ = run(capsys, "graph", f"{model}:revenue", "--at", "supply=5", "--out", target)
    assert code == 0 and "<svg" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{}:revenue"], "needs a value for 'supply'"),
        (["{}:revenue", "--at", "supply=5", "cost=3"], "no input cost"),
        (["{}:revenue", "--at", "supply=much"], "takes name=number"),
        (["{}:income"], "has no 'income'; it has revenue, lost"),
        (["nowhere.py:f"], "there is no file nowhere.py"),
        (["{}:lost", "--at", "x=1"], "returned float"),
        (["revenue"], "names no function"),
        (["{}:revenue", "--at", "supply=5", "--out", "x.docx"], "--out takes"),
    ],
)
def test_mistakes_on_the_command_line(model, capsys, arguments, says):
    code, _, err = run(capsys, "explain", *[a.replace("{}", str(model)) for a in arguments])
    assert code == 2 and says in err


def test_the_reports_cost_nothing_until_they_are_used():
    code = (
        "import sys, chainrule\n"
        "chainrule.ones(2, requires_grad=True).sum().backward()\n"
        "print([m for m in sys.modules if m.startswith(('chainrule.reading', "
        "'chainrule.explanation'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
