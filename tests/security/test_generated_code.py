"""Graphs become source that is run: names and values in them stay names and values."""

import builtins
import enum
import warnings

import pytest

import chainrule as torch
from chainrule import fx, nn
from chainrule.fx.codegen import _PyTreeCodeGen, _PyTreeInfo

# Each would call `ran` where it is written into source as it is, in one kind of quotes or without.
TEXTS = [
    'x"), ran(), ("', "x'), ran(), ('", 'x") or ran() or (lambda x: x', "a\nran()\n", "a\r ran()",
    '\\"), ran()#', "ran()", "{ran()}", "a = ran()", "a; ran()", "\\",
]  # fmt: skip


@pytest.fixture(autouse=True)
def calls(monkeypatch):
    made = []
    monkeypatch.setattr(builtins, "ran", lambda *args: made.append(args), raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield made
    assert not made, "a text was run as code"


def result_of(op, target, args=None, kwargs=None, **more):
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.create_node(op, target, (x,) if args is None else args, kwargs, **more))
    return fx.GraphModule(nn.Module(), graph)(torch.ones(2))


def holding(kind, name, value):
    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            getattr(self, kind)[name] = value

        def forward(self, x):
            found = getattr(self, name)
            return found(x) if kind == "_modules" else found * x

    return Holder()


@pytest.mark.parametrize("text", TEXTS)
def test_names_of_modules_and_tensors(text):
    x = torch.ones(1, 2)
    for kind, value in (("_modules", nn.ReLU()), ("_buffers", x), ("_parameters", nn.Parameter(x))):
        model = holding(kind, text, value)
        assert fx.symbolic_trace(model)(x).tolist() == x.tolist()
        assert torch.export.export(model, (x,)).module()(x).tolist() == x.tolist()


@pytest.mark.parametrize("text", TEXTS)
def test_names_of_methods_arguments_and_nodes(text):
    with pytest.raises(AttributeError):
        result_of("call_method", text)
    with pytest.raises(TypeError, match="unexpected keyword"):
        result_of("call_function", torch.relu, kwargs={text: 1})
    assert result_of("call_function", lambda x, **more: list(more), kwargs={text: 1}) == [text]
    assert result_of("call_function", torch.relu, name=text).tolist() == [1, 1]
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.target = text
    graph.output(x)
    with pytest.raises(RuntimeError, match="which is no name in Python"):
        fx.GraphModule(nn.Module(), graph)
    x.target = "x"
    graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(["self", text], None, None)))
    with pytest.raises(RuntimeError, match="which is no name in Python"):
        fx.GraphModule(nn.Module(), graph)


@pytest.mark.parametrize("module", ["builtins", "torch.nn", "operator", "_operator", "torch", "a"])
def test_names_that_functions_give_themselves(module):
    for text in [*TEXTS, "add", "nn<ran()>", "print"]:

        def function(x):
            return x * 3

        function.__name__ = function.__qualname__ = text
        function.__module__ = module
        assert result_of("call_function", function).tolist() == [3, 3]


def liar(kind):
    """A class whose values show themselves as code."""
    return type("Liar", (kind,), {"__repr__": lambda self: "ran()"})


def test_values_that_show_themselves_as_code():
    values = [liar(str)("a"), liar(int)(1), liar(float)(1.5), liar(object)(), liar(bytes)(b"x")]
    values += [[v] for v in values] + [{"k": v} for v in values[:2]] + [slice(values[1])]
    values += [enum.Enum("E", {text: 1})(1) for text in TEXTS]
    for value in values:
        got = result_of("call_function", lambda x, y: y, kwargs={"y": value})
        assert type(got) is type(value) and (got == value or isinstance(got, list | slice | dict))


@pytest.mark.parametrize("text", TEXTS)
def test_annotations_and_comments(text):
    graph = fx.Graph()
    x = graph.placeholder("x", type_expr=text)
    made = graph.call_function(torch.relu, (x,), type_expr=type(text, (), {"__module__": "torch"}))
    made.stack_trace = f'File "{text}", line 1, in f\n  {text}\n'
    known = type("Known", (), {"shape": [text], "dtype": torch.float32, "device": text})
    made.meta["val"] = known
    graph.output(made, type_expr=type(text, (), {"__module__": "builtins"}))
    assert fx.GraphModule(nn.Module(), graph)(torch.ones(1)).tolist() == [1]
    code = graph.python_code("self", verbose=True, include_device=True)
    space = dict(code.globals)
    exec(code.src, space)
    assert space["forward"](None, torch.ones(1)).tolist() == [1]


@pytest.mark.parametrize("text", ["/../../out", 'a"), ran(), ("', "a/b", ".."])
def test_a_package_is_written_into_its_folder(tmp_path, text):
    inner = fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    inner._modules[text] = nn.ELU()
    inner.to_folder(tmp_path / "deep" / "package", "Made")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep"]
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["package"]
    source = (tmp_path / "deep" / "package" / "module.py").read_text()
    compile(source, "module.py", "exec")
    with pytest.raises(RuntimeError, match="no name in Python"):
        inner.to_folder(tmp_path / "other", "Made: ran()\nclass A")
