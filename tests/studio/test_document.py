"""The document's numbers are the engine's: values, gradients, order, memory."""

import json
import math

import numpy as np
import pytest

import chainrule as torch
from chainrule import memory, nn, studio
from chainrule.autograd.watching import Watcher, watching
from chainrule.studio.recording import Recorder
from chainrule.studio.tracing import _built

from .programs import PROGRAMS


def traced(program):
    """(document, result, values) of a program that ran under a recorder."""
    recorder = Recorder()
    with watching(recorder):
        y, values = program()
    return _built(y, recorder, None, {}, program.__name__), y, values


def array(value):
    return np.array(value["numbers"], dtype=value["dtype"]).reshape(value["shape"])


def same(value, expected):
    """A value of the document against an array; large ones are compared by what describes them."""
    assert value["shape"] == list(expected.shape)
    if "numbers" in value:
        np.testing.assert_allclose(array(value), expected, rtol=1e-6, atol=1e-12)
    else:
        assert value["min"] == pytest.approx(float(expected.min()))
        assert value["mean"] == pytest.approx(float(expected.mean()), rel=1e-4, abs=1e-6)
        assert value["norm"] == pytest.approx(float(np.linalg.norm(expected)), rel=1e-6)
        assert sum(value["histogram"]["counts"]) == expected.size


class Order(Watcher):
    def __init__(self):
        self.seen = []

    def node_begins(self, node, g, parents):
        self.seen.append(type(node).__name__)

    def leaf_begins(self, leaf):
        self.seen.append("AccumulateGrad")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_numbers_are_those_of_the_engine(program):
    document, y, values = traced(program)
    json.loads(json.dumps(document, allow_nan=False))
    nodes = document["nodes"]
    same(nodes[document["output"]["node"]]["outputs"][document["output"]["output"]], y._a)
    where = [_find(document, v) for v in values]
    expected = torch.autograd.grad(y, values, retain_graph=True, allow_unused=True)
    for v, place, g in zip(values, where, expected, strict=True):
        node, nr = place
        same(nodes[node]["outputs"][nr], v._a)
        steps = [s for s in document["backward"] if s["node"] == node]
        assert len(steps) == 1
        found = steps[0]["gradient"] if steps[0]["kind"] == "leaf" else steps[0]["arriving"][nr]
        same(found, g._a)
    order = Order()
    with watching(order):
        y.backward()
    assert [s["torch"] for s in document["backward"]] == order.seen


def _find(document, tensor):
    """The node and output that hold these very numbers."""
    for n in reversed(document["nodes"]):
        for nr, value in enumerate(n["outputs"]):
            try:
                same(value, tensor._a)
            except (AssertionError, KeyError):
                continue
            if n["tracked"]:
                return n["id"], nr
    raise AssertionError(f"no node holds {tensor}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_products_add_up_to_what_arrives(program):
    document, _, _ = traced(program)
    arriving = {}
    for step in document["backward"]:
        slots = [step["gradient"]] if step["kind"] == "leaf" else step["arriving"]
        for nr, slot in enumerate(slots):
            last = arriving.get((step["node"], nr))
            if last is not None and slot is not None:
                assert last["sum"] == slot
        for link in step.get("links", ()):
            if "product" in link:
                arriving[link["to"], link["output"]] = link
                local, g = link.get("derivative"), step["arriving"][0]
                if isinstance(local, float):
                    assert local * g["numbers"][0] == pytest.approx(link["product"]["numbers"][0])


def test_formulas_with_numbers_evaluate_to_the_derivative():
    document, _, _ = traced(PROGRAMS[0])
    names = {"sin": math.sin, "cos": math.cos, "exp": math.exp, "sqrt": math.sqrt}
    names |= {n["name"]: n["outputs"][0]["numbers"][0] for n in document["nodes"] if n["name"]}
    checked = 0
    for step in document["backward"]:
        for link in step.get("links", ()):
            for text in (link["formula"], link.get("numbers", link["formula"])):
                if ").exp" in text or ".sin" in text or ".sqrt" in text:
                    continue  # an expression of the user's, as it stands in the code
                assert eval(text, {}, names) == pytest.approx(link["derivative"], rel=1e-4)
                checked += 1
    assert checked > 15


def test_a_formula_is_shown_with_its_numbers():
    def area(x, w, b):
        z = x * w + b
        return z**2

    document = studio.trace(area, {"x": 2, "w": 3, "b": 1}).document
    top = document["backward"][0]["links"][0]
    assert (top["of"], top["formula"], top["numbers"]) == ("d area / d z", "2*z", "2 * 7")
    assert top["derivative"] == 14
    node = next(n for n in document["nodes"] if n["label"] == "x * w")
    assert (node["formula"], node["numbers"]) == ("x * w", "2 * 3")


def test_shares_of_paths_that_meet_and_cancel():
    document, _, _ = traced(PROGRAMS[1])
    u = next(n["id"] for n in document["nodes"] if n["name"] == "u")
    (merge,) = next(s for s in document["backward"] if s["node"] == u)["merges"]
    assert merge["alignment"] == 0 and merge["norm"] == 0
    assert sorted(p["value"]["numbers"][0] for p in merge["parts"]) == [-3, 3]
    leaf = document["backward"][-1]
    (merge,) = leaf["merges"]
    assert sum(p["share"] for p in merge["parts"]) == pytest.approx(1)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_what_is_kept_is_what_the_memory_report_says_and_all_of_it_is_freed(program):
    document, y, _ = traced(program)
    expected = sum(e.bytes for e in memory.saved(y).entries if e.kind != "parameter")
    kept = max([n["kept"] for n in document["nodes"] if "kept" in n])
    freed = sum(size for s in document["backward"] for _, size in s.get("freed", ()))
    assert kept == freed
    if program.__name__ in ("attention", "several_outputs"):
        assert kept < expected  # a view of a leaf keeps memory that the program keeps anyway
    else:
        assert kept == expected


def test_three_modes_side_by_side():
    def f(x, w):
        return torch.sin(x * w) + w**2

    rows = studio.trace(f, {"x": 0.5, "w": 2.0}).document["modes"]["rows"]
    for row in rows:
        assert row["numeric"] == pytest.approx(row["automatic"], rel=1e-7)
        assert row["symbolic"] == pytest.approx(row["automatic"], rel=1e-12)
    assert rows[0]["formula"] == "w*cos(w*x)"


def test_modes_of_a_vector_and_of_a_random_function():
    torch.manual_seed(1)

    def f(x):
        return (nn.functional.dropout(x, 0.5) * x).sum()

    found = studio.trace(f, {"x": [1.0, 2.0, 3.0, 4.0]}).document["modes"]
    assert "tensor" in found["reason"]
    assert [row["input"] for row in found["rows"]] == ["x[0]", "x[1]", "x[2]", "x[3]"]


def test_a_model_is_told_by_module_and_parameter():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    document = studio(model, torch.ones(5, 3)).document
    assert {n["module"] for n in document["nodes"] if n["kind"] == "op"} == {"0", "1", "2"}
    names = {n["name"] for n in document["nodes"] if n["kind"] == "parameter"}
    assert names == {"model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"}
    assert "shape [5, 2]" in document["notes"][0]


def test_large_arrays_are_described():
    x = torch.zeros(100, 300, dtype=torch.float64)
    x[0, 0], x[1, 1] = math.nan, math.inf
    value = studio.values.summary(x._a)
    assert "numbers" not in value and value["nonfinite"] == 2 and value["zeros"] == 29998
    assert (value["heat"]["rows"], value["heat"]["columns"]) == (24, 24)
    ramp = studio.values.summary(np.arange(4800.0).reshape(48, 100))
    assert ramp["heat"]["values"][0] == pytest.approx(np.mean([0, 1, 2, 3, 100, 101, 102, 103]))


def test_numbers_json_has_no_word_for_are_strings():
    x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    document = studio.read(1 / x).document
    text = json.dumps(document, allow_nan=False)
    assert '"inf"' in text and '"-inf"' in text


def test_reading_a_result_changes_nothing():
    x = torch.tensor(2.0, requires_grad=True)
    y = (x * x).sin()
    first = studio.read(y).document
    assert x.grad is None and studio.read(y).document == first
    y.backward()
    assert first["backward"][-1]["gradient"]["numbers"][0] == x.grad.item()
    with pytest.raises(RuntimeError, match="second time"):
        studio.read(y)


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match="needs a value for 'x'"):
        studio.trace(lambda x: x)
    with pytest.raises(TypeError, match="has no input q; its inputs are: x"):
        studio.trace(lambda x: x * 2, {"x": 1, "q": 2})
    with pytest.raises(TypeError, match="returned float"):
        studio.trace(lambda x: x.item(), {"x": 1})
    with pytest.raises(RuntimeError, match="grad"):
        studio.trace(lambda x: x.detach() * 2, {"x": 1})


@pytest.mark.parametrize("fused", [True, False])
def test_attention_weights_are_shown_by_head_a_row_per_query(fused):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 5, 4, dtype=torch.float64) for _ in range(3))
    scores = q @ k.transpose(-1, -2) / 2
    scores = scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -math.inf)
    expected = torch.softmax(scores, -1)

    def attend(query):
        if fused:
            f = nn.functional.scaled_dot_product_attention
            return f(query, k, v, is_causal=True).sum()
        s = query @ k.transpose(-1, -2) / 2
        s = s.masked_fill(torch.ones(5, 5).triu(1).bool(), -math.inf)
        return (torch.softmax(s, -1) @ v).sum()

    document = studio.trace(attend, {"query": q.clone()}).document
    (maps,) = [n["maps"] for n in document["nodes"] if "maps" in n]
    assert (maps["count"], maps["rows"], maps["columns"]) == (6, 5, 5)
    for shown, head in zip(maps["values"], expected.reshape(6, 25).tolist(), strict=True):
        assert shown == pytest.approx(head, rel=1e-2, abs=1e-6)


def test_ops_have_their_time():
    document = studio.trace(lambda x: (x * 2).sin(), {"x": [1.0] * 9}).document
    assert all(n["micros"] > 0 for n in document["nodes"] if n["kind"] == "op")
