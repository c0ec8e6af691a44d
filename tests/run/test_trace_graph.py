"""`torch.jit._get_trace_graph`: the calls of a model, as counters of work read them."""

import subprocess
import sys

import pytest

import chainrule as torch
import chainrule.nn.functional as F
from chainrule import nn
from chainrule._C import _get_tracing_state
from chainrule.jit import _get_trace_graph

IMAGE, SEQUENCE = torch.ones(2, 3, 8, 8), torch.ones(2, 5, 8)


class Calls(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def calls(model, x):
    """Kind, number of inputs and shapes of the results, without constants and lists."""
    graph, _ = _get_trace_graph(model, (x,))
    return [
        (n.kind().removeprefix("aten::"), n.inputsSize(), *(v.type().sizes() for v in n.outputs()))
        for n in graph.nodes()
        if n.kind().startswith("aten::")
    ]


# What PyTorch 2.13 shows for the same models.
@pytest.mark.parametrize(
    ("model", "x", "expected"),
    [
        (nn.Conv2d(3, 4, 3, padding=1), IMAGE, [("_convolution", 13, [2, 4, 8, 8])]),
        (nn.ConvTranspose2d(3, 2, 3), IMAGE, [("_convolution", 13, [2, 2, 10, 10])]),
        (nn.ReLU(inplace=True), IMAGE.clone(), [("relu_", 1, [2, 3, 8, 8])]),
        (nn.MaxPool2d(2), IMAGE, [("max_pool2d", 6, [2, 3, 4, 4])]),
        (nn.AdaptiveAvgPool2d(1), IMAGE, [("adaptive_avg_pool2d", 2, [2, 3, 1, 1])]),
        (nn.Linear(8, 4), SEQUENCE, [("linear", 3, [2, 5, 4])]),
        (nn.Dropout().eval(), SEQUENCE, [("dropout", 3, [2, 5, 8])]),
        (nn.LayerNorm(8), SEQUENCE, [("layer_norm", 6, [2, 5, 8])]),
        (nn.GroupNorm(3, 3), IMAGE, [("group_norm", 6, [2, 3, 8, 8])]),
        (nn.GELU(), SEQUENCE, [("gelu", 2, [2, 5, 8])]),
        (nn.Softmax(-1), SEQUENCE, [("softmax", 3, [2, 5, 8])]),
        (nn.Upsample(scale_factor=2), IMAGE, [("upsample_nearest2d", 3, [2, 3, 16, 16])]),
        (nn.Embedding(9, 3), torch.tensor([1, 2]), [("embedding", 5, [2, 3])]),
        (nn.PReLU(), IMAGE, [("prelu", 2, [2, 3, 8, 8])]),
        (
            Calls(lambda x: (1 - x @ x.transpose(1, 2))[:, 0].reshape(-1)),
            SEQUENCE,
            [
                ("transpose", 3, [2, 8, 5]), ("matmul", 2, [2, 5, 5]), ("rsub", 3, [2, 5, 5]),
                ("slice", 5, [2, 5, 5]), ("select", 3, [2, 5]), ("reshape", 2, [10]),
            ],
        ),
        (
            Calls(lambda x: torch.cat([x, x], 1).permute(0, 2, 3, 1).mean((1, 2))),
            IMAGE,
            [("cat", 2, [2, 6, 8, 8]), ("permute", 2, [2, 8, 8, 6]), ("mean", 4, [2, 6])],
        ),
        (
            Calls(lambda x: x[..., None, 1:]),
            SEQUENCE,
            [("unsqueeze", 2, [2, 5, 1, 8]), ("slice", 5, [2, 5, 1, 7])],
        ),
        (
            Calls(lambda x: F.grid_sample(x, torch.zeros_like(x)[:, :2], align_corners=False)),
            torch.ones(1, 4, 4, 2),
            [
                ("zeros_like", 6, [1, 4, 4, 2]), ("slice", 5, [1, 4, 4, 2]),
                ("slice", 5, [1, 2, 4, 2]), ("grid_sampler", 5, [1, 4, 2, 4]),
            ],
        ),
    ],
)  # fmt: skip
def test_a_call_is_a_node_of_pytorchs_operator(model, x, expected):
    assert calls(model, x) == expected


def test_arguments_are_in_the_operators_order():
    model = nn.BatchNorm2d(3)
    graph, _ = _get_trace_graph(model, (IMAGE,))
    (node,) = graph.findAllNodes("aten::batch_norm")
    names = [value.debugName() for value in node.inputs()]
    assert names[:5] == ["input", "weight", "bias", "running_mean", "running_var"]
    assert [value.toIValue() for value in node.inputs()][5:] == [True, 0.1, 1e-5, True]
    equation = _get_trace_graph(Calls(lambda x: torch.einsum("abc,abd->acd", x, x)), (SEQUENCE,))
    (node,) = equation[0].findAllNodes("aten::einsum")
    parts = list(node.inputsAt(1).node().inputs())
    assert node.inputsAt(0).toIValue() == "abc,abd->acd"
    assert [part.type().sizes() for part in parts] == [[2, 5, 8]] * 2


@pytest.mark.parametrize("need_weights", [True, False])
def test_an_attention_layer_shows_its_products(need_weights):
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    made = Calls(lambda x: layer(x, x, x, need_weights=need_weights)[0])
    kinds = [name for name, *_ in calls(made, SEQUENCE)]
    assert kinds.count("linear") == 2
    assert kinds.count("bmm") == 2 * need_weights
    assert kinds.count("scaled_dot_product_attention") == 1 - need_weights


def test_scopes_are_those_that_were_pushed():
    model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())

    def enter(module, inputs):
        _get_tracing_state().push_scope("first")

    def leave(module, inputs, output):
        _get_tracing_state().pop_scope()

    model[0].register_forward_pre_hook(enter)
    model[0].register_forward_hook(leave)
    graph, result = _get_trace_graph(model, (SEQUENCE,))
    assert [n.scopeName() for n in graph.nodes() if n.kind() in ("aten::linear", "aten::relu")] == [
        "first", ""
    ]  # fmt: skip
    assert result.shape == (2, 5, 4)
    assert [v.type().sizes() for v in graph.outputs()] == [[2, 5, 4]]
    assert _get_tracing_state() is None


def test_the_printed_graph_names_values_and_lines():
    text = str(_get_trace_graph(nn.Linear(8, 4), (SEQUENCE,))[0])
    assert text.startswith("graph(%input : Float(2, 5, 8, strides=[40, 8, 1], requires_grad=0")
    assert "= aten::linear(%input, %weight, %bias) # " in text
    assert "test_trace_graph.py" in text


def test_importing_jit_loads_nothing_of_it():
    program = "import chainrule.jit, sys; print('chainrule.jit._graph' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert made.stdout.strip() == "False"
