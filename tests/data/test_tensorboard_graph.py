"""`SummaryWriter.add_graph`: the file holds the graph, and the model is as it was."""

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.utils.tensorboard import SummaryWriter
from data.test_tensorboard import records


def fields(data: bytes) -> list[tuple[int, object]]:
    """The fields of a message: numbers, or bytes."""
    found, position = [], 0

    def varint() -> int:
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while position < len(data):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
            continue
        size = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
        found.append((key >> 3, data[position : position + size]))
        position += size
    return found


def parts(data: bytes, number: int) -> list:
    return [value for n, value in fields(data) if n == number]


def read_nodes(folder) -> dict[str, dict]:
    (graph,) = [g for record in records(folder) for g in parts(record, 4)]
    (versions,) = parts(graph, 4)
    assert parts(versions, 1) == [22]
    nodes = {}
    for node in parts(graph, 1):
        attributes = {}
        for entry in parts(node, 5):
            ((key,), (value,)) = parts(entry, 1), parts(entry, 2)
            attributes[key.decode()] = value
        shape = None
        if "_output_shapes" in attributes:
            (listed,) = parts(attributes["_output_shapes"], 1)
            (sizes,) = parts(listed, 7)
            shape = tuple((parts(size, 1) or [0])[0] for size in parts(sizes, 2))
        (name,) = parts(node, 1)
        assert name.decode() not in nodes
        nodes[name.decode()] = {
            "op": parts(node, 2)[0].decode(),
            "inputs": [i.decode() for i in parts(node, 3)],
            "shape": shape,
            "settings": parts(attributes.get("settings", b""), 2),
        }
    return nodes


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5))
        self.head = nn.Linear(8, 3)

    def forward(self, points):
        return self.head(self.body(points)).softmax(-1)


def written(tmp_path, model, given) -> dict[str, dict]:
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, given)
    return read_nodes(tmp_path)


def test_modules_are_scopes_and_inputs_and_outputs_are_named(tmp_path):
    nodes = written(tmp_path, Net(), torch.ones(2, 4))
    assert nodes["input/points"] == {
        "op": "IO Node", "inputs": [], "shape": (2, 4), "settings": [],
    }  # fmt: skip
    linear = nodes["Net/Sequential[body]/Linear[0]/linear"]
    assert linear["inputs"] == [
        "input/points", "Net/Sequential[body]/Linear[0]/weight",
        "Net/Sequential[body]/Linear[0]/bias",
    ]  # fmt: skip
    assert nodes["Net/Linear[head]/weight"]["shape"] == (3, 8)
    assert nodes["Net/Sequential[body]/ReLU[2]/relu"]["op"] == "relu"
    softmax = nodes["Net/softmax"]
    assert softmax["inputs"] == ["Net/Linear[head]/linear"]
    assert nodes["output/output.1"]["inputs"] == ["Net/softmax"]
    assert nodes["output/output.1"]["shape"] == (2, 3)


def test_every_input_of_a_node_is_a_node(tmp_path):
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    nodes = written(tmp_path, model, torch.ones(2, 5, 8))
    assert len(nodes) > 15
    for name, node in nodes.items():
        assert all(source.partition(":")[0] in nodes for source in node["inputs"]), name
    reached, waiting = set(), ["output/output.1"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [source.partition(":")[0] for source in nodes[name]["inputs"]]
    assert reached == set(nodes)


def test_the_model_is_as_it_was(tmp_path):
    model = Net()
    model.head.weight.requires_grad_(False)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    nodes = written(tmp_path, model, torch.randn(3, 4, generator=torch.Generator()))
    assert torch.equal(torch.rand(4), expected)
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert not model.head.weight.requires_grad and model.head.bias.requires_grad
    assert all(p.grad is None for p in model.parameters())
    assert "Net/Linear[head]/weight" in nodes  # frozen, and yet a part of the graph
    assert model.training


class Several(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 4)

    def forward(self, words, scale):
        found = self.table(words) * scale
        first, second = found.split(1)
        return {"sum": first + second, "best": found.argmax(-1), "second": second}


def test_several_inputs_and_outputs_of_all_kinds(tmp_path):
    nodes = written(tmp_path, Several(), (torch.tensor([1, 2]), torch.tensor(2.0)))
    assert nodes["input/scale"]["op"] == "IO Node"
    assert nodes["Several/Embedding[table]/embedding"]["inputs"] == [
        "Several/Embedding[table]/weight"
    ]
    assert nodes["output/output.2"]["inputs"] == []  # argmax has no derivative to follow
    assert nodes["output/output.3"]["inputs"] == ["Several/split:1"]


def test_mistakes_are_told(tmp_path):
    class Detached(nn.Module):
        def forward(self, x):
            return x.detach()

    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(ValueError, match="needs an input"):
            writer.add_graph(Net())
        with pytest.raises(ValueError, match="nothing leads from the inputs"):
            writer.add_graph(Detached(), torch.ones(2))
        with pytest.raises(RuntimeError):
            writer.add_graph(Net(), torch.ones(2, 5))
