"""Where a compiled function may read a number from, and how its user changes it there.

`{n}` is the name of this piece of state, `{v}` the text of a value. `setup` runs before the
function is defined; `read` is the expression inside it; `write` runs between two calls.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """One way to hold a number."""

    setup: str = ""
    read: str = "{n}"
    write: str = "{n} = {v}"
    parameter: str = ""  # what it adds to the function's signature
    argument: str = ""  # what it adds to every call
    inside: bool = False  # the function is defined inside of `make`, whose variable it is
    floats_only: bool = False  # the place turns what it holds into a float
    later: str = ""  # runs after the function is defined


def _object(definition: str, read: str, write: str, floats_only: bool = False) -> Place:
    return Place(definition, read, write, floats_only=floats_only)


PLACES: dict[str, Place] = {
    "global": Place("{n} = {v}"),
    "closure": Place(inside=True),
    "helper's closure": Place(
        "def make_{n}(value):\n    def read():\n        return value\n    def write(new):\n"
        "        nonlocal value\n        value = new\n    return read, write\n"
        "read_{n}, write_{n} = make_{n}({v})",
        "read_{n}()", "write_{n}({v})",
    ),
    "helper's global": Place("{n} = {v}\ndef read_{n}():\n    return {n}", "read_{n}()"),
    "helper's default": Place(
        "def read_{n}(value={v}):\n    return value", "read_{n}()", "read_{n}.__defaults__ = ({v},)"
    ),
    "helper replaced": Place("read_{n} = lambda: {v}", "read_{n}()", "read_{n} = lambda: {v}"),
    "helper's attribute": Place(
        "def read_{n}():\n    return read_{n}.value\nread_{n}.value = {v}",
        "read_{n}()", "read_{n}.value = {v}",
    ),
    "default": Place(
        parameter="{n}={v}", write="original.__defaults__ = ({v},)"
    ),
    "keyword default": Place(
        parameter="*, {n}={v}", write="original.__kwdefaults__ = dict({n}={v})"
    ),
    "function attribute": Place(
        read="original.{n}", write="original.{n} = {v}", later="original.{n} = {v}"
    ),
    "argument": Place(parameter="{n}", argument="{v}", write=""),
    "keyword argument": Place(parameter="*, {n}", argument="{n}={v}", write=""),
    "argument in a list": Place(parameter="{n}", argument="[{v}]", read="{n}[0]", write=""),
    "argument in a dict": Place(
        parameter="{n}", argument="dict(value={v})", read="{n}['value']", write=""
    ),
    "argument in an object": Place(
        "import types", parameter="{n}", argument="types.SimpleNamespace(value={v})",
        read="{n}.value", write="",
    ),
    "arguments": Place(parameter="*{n}", argument="{v}", read="{n}[-1]", write=""),
    "keyword arguments": Place(
        parameter="**{n}", argument="value={v}", read="{n}['value']", write=""
    ),
    "partial": Place(
        "import functools\ndef pick_{n}(value):\n    return value\n"
        "read_{n} = functools.partial(pick_{n}, {v})",
        "read_{n}()", "read_{n} = functools.partial(pick_{n}, {v})",
    ),
    "attribute": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}", "{n}.value", "{n}.value = {v}"
    ),
    "namespace": _object(
        "import types\n{n} = types.SimpleNamespace(value={v})", "{n}.value", "{n}.value = {v}"
    ),
    "new object": _object(
        "import types\n{n} = types.SimpleNamespace(value={v})",
        "{n}.value", "{n} = types.SimpleNamespace(value={v})",
    ),
    "attribute of an attribute": _object(
        "import types\n{n} = types.SimpleNamespace(inner=types.SimpleNamespace(value={v}))",
        "{n}.inner.value", "{n}.inner.value = {v}",
    ),
    "slot": _object(
        "class Slots_{n}:\n    __slots__ = ('value',)\n{n} = Slots_{n}()\n{n}.value = {v}",
        "{n}.value", "{n}.value = {v}",
    ),
    "property": _object(
        "class Box_{n}:\n    @property\n    def value(self):\n        return self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "{n}.value", "{n}.hidden = {v}",
    ),
    "method": _object(
        "class Box_{n}:\n    def value(self):\n        return self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "{n}.value()", "{n}.hidden = {v}",
    ),
    "__getattr__": _object(
        "class Box_{n}:\n    def __init__(self):\n        self.items = dict(value={v})\n"
        "    def __getattr__(self, name):\n        return self.items[name]\n{n} = Box_{n}()",
        "{n}.value", "{n}.items['value'] = {v}",
    ),
    "__call__": _object(
        "class Box_{n}:\n    def __call__(self):\n        return self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "{n}()", "{n}.hidden = {v}",
    ),
    "__getitem__": _object(
        "class Box_{n}:\n    def __getitem__(self, key):\n        return self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "{n}[0]", "{n}.hidden = {v}",
    ),
    "__dict__": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}",
        "{n}.__dict__['value']", "{n}.__dict__['value'] = {v}",
    ),
    "getattr": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}",
        "getattr({n}, 'val' + 'ue')", "setattr({n}, 'value', {v})",
    ),
    "class attribute": _object(
        "class Box_{n}:\n    value = {v}", "Box_{n}.value", "Box_{n}.value = {v}"
    ),
    "class attribute by the object": _object(
        "class Box_{n}:\n    value = {v}\n{n} = Box_{n}()", "{n}.value", "Box_{n}.value = {v}"
    ),
    "inherited class attribute": _object(
        "class Base_{n}:\n    value = {v}\nclass Box_{n}(Base_{n}):\n    pass\n{n} = Box_{n}()",
        "{n}.value", "Base_{n}.value = {v}",
    ),
    "attribute over the class's": _object(
        "class Box_{n}:\n    value = 0.25\n{n} = Box_{n}()", "{n}.value", "{n}.value = {v}"
    ),
    "dataclass field": _object(
        "import dataclasses\n@dataclasses.dataclass\nclass Data_{n}:\n    value: object\n"
        "{n} = Data_{n}({v})",
        "{n}.value", "{n}.value = {v}",
    ),
    "frozen dataclass": _object(
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Data_{n}:\n"
        "    value: object\n{n} = Data_{n}({v})",
        "{n}.value", "{n} = Data_{n}({v})",
    ),
    "named tuple": _object(
        "import collections\nData_{n} = collections.namedtuple('Data_{n}', 'value')\n"
        "{n} = Data_{n}({v})",
        "{n}.value", "{n} = Data_{n}({v})",
    ),
    "tuple": _object("{n} = (1, {v})", "{n}[1]", "{n} = (1, {v})"),
    "dict item": _object("{n} = dict(value={v})", "{n}['value']", "{n}['value'] = {v}"),
    "dict get": _object("{n} = dict(value={v})", "{n}.get('value')", "{n}['value'] = {v}"),
    "dict values": _object(
        "{n} = dict(value={v})", "sum({n}.values())", "{n}['value'] = {v}"
    ),
    "dict in a dict": _object(
        "{n} = dict(outer=dict(value={v}))", "{n}['outer']['value']", "{n}['outer']['value'] = {v}"
    ),
    "default dict": _object(
        "import collections\n{n} = collections.defaultdict(int)\n{n}['value'] = {v}",
        "{n}['value']", "{n}['value'] = {v}",
    ),
    "ordered dict": _object(
        "import collections\n{n} = collections.OrderedDict(value={v})",
        "{n}['value']", "{n}['value'] = {v}",
    ),
    "chain map": _object(
        "import collections\nlower_{n} = dict(value={v})\n"
        "{n} = collections.ChainMap(dict(), lower_{n})",
        "{n}['value']", "lower_{n}['value'] = {v}",
    ),
    "mapping proxy": _object(
        "import types\nbehind_{n} = dict(value={v})\n{n} = types.MappingProxyType(behind_{n})",
        "{n}['value']", "behind_{n}['value'] = {v}",
    ),
    "list item": _object("{n} = [1, {v}]", "{n}[1]", "{n}[1] = {v}"),
    "last of a list": _object("{n} = [{v}]", "{n}[-1]", "{n}.append({v})"),
    "new list": _object("{n} = [{v}]", "{n}[0]", "{n} = [{v}]"),
    "sum of a list": _object("{n} = [0, {v}]", "sum({n})", "{n}[1] = {v}"),
    "list in a list": _object("{n} = [[{v}]]", "{n}[0][0]", "{n}[0][0] = {v}"),
    "deque item": _object(
        "import collections\n{n} = collections.deque([{v}], maxlen=3)", "{n}[-1]", "{n}.append({v})"
    ),
    "user dict": _object(
        "import collections\n{n} = collections.UserDict(value={v})",
        "{n}['value']", "{n}['value'] = {v}",
    ),
    "globals()": Place("{n} = {v}", "globals()['{n}']"),
    "module attribute": _object(
        "import types\n{n} = types.ModuleType('settings')\n{n}.value = {v}",
        "{n}.value", "{n}.value = {v}",
    ),
    "layer attribute": _object(
        "class Layer_{n}(torch.nn.Module):\n    def forward(self, x):\n        return self.value\n"
        "{n} = Layer_{n}()\n{n}.value = {v}",
        "{n}(None)", "{n}.value = {v}",
    ),
    "attribute of a layer": _object(
        "{n} = torch.nn.Linear(1, 1)\n{n}.value = {v}", "{n}.value", "{n}.value = {v}"
    ),
    "optimizer option": _object(
        "{n} = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)\n"
        "{n}.param_groups[0]['lr'] = {v}",
        "{n}.param_groups[0]['lr']", "{n}.param_groups[0]['lr'] = {v}",
    ),
    "attribute of a tensor": _object(
        "{n} = torch.zeros(1)\n{n}.value = {v}", "{n}.value", "{n}.value = {v}"
    ),
    "context variable": _object(
        "import contextvars\n{n} = contextvars.ContextVar('{n}')\n{n}.set({v})",
        "{n}.get()", "{n}.set({v})",
    ),
    "thread local": _object(
        "import threading\n{n} = threading.local()\n{n}.value = {v}", "{n}.value", "{n}.value = {v}"
    ),
    "weak reference": _object(
        "import weakref\nclass Box_{n}:\n    def __init__(self, value):\n"
        "        self.value = value\nbox_{n} = Box_{n}({v})\n{n} = weakref.ref(box_{n})",
        "{n}().value", "box_{n}.value = {v}",
    ),
    "generator of a helper": _object(
        "{n} = [{v}]\ndef all_{n}():\n    for item in {n}:\n        yield item",
        "next(all_{n}())", "{n}[0] = {v}",
    ),
    "comprehension": _object("{n} = [{v}]", "[item for item in {n}][0]", "{n}[0] = {v}"),
    "unpacked": _object("{n} = [{v}, 1]", "(lambda first, *rest: first)(*{n})", "{n}[0] = {v}"),
    "mapped": _object("{n} = [{v}]", "list(map(lambda item: item, {n}))[0]", "{n}[0] = {v}"),
    "copied": _object("import copy\n{n} = [{v}]", "copy.copy({n})[0]", "{n}[0] = {v}"),
    "item getter": _object(
        "import operator\nget_{n} = operator.itemgetter(0)\n{n} = [{v}]",
        "get_{n}({n})", "{n}[0] = {v}",
    ),
    "enum": _object(
        "import enum\nclass Kind_{n}(enum.Enum):\n    A = 0.5\n    B = 2.0\n    C = 3\n"
        "def as_{n}(value):\n    return [Kind_{n}.A, Kind_{n}.B, Kind_{n}.C]["
        "int(value == value and abs(value) > 1) + int(value == 1)]\n{n} = as_{n}({v})",
        "{n}.value", "{n} = as_{n}({v})",
    ),
    "environment": _object(
        "import os\nos.environ['STATE_{n}'] = str({v})",
        "float(os.environ['STATE_{n}'])", "os.environ['STATE_{n}'] = str({v})", floats_only=True,
    ),
    "getenv": _object(
        "import os\nos.environ['STATE_{n}'] = str({v})",
        "float(os.getenv('STATE_{n}', '0'))", "os.environ['STATE_{n}'] = str({v})",
        floats_only=True,
    ),
    "array element": _object(
        "{n} = np.array([0.0, float({v})])", "{n}[1]", "{n}[1] = {v}", floats_only=True
    ),
    "array item": _object(
        "{n} = np.array([float({v})])", "{n}.item()", "{n}[0] = {v}", floats_only=True
    ),
    "array sum": _object(
        "{n} = np.array([float({v}), 0.0])", "float({n}.sum())", "{n}[0] = {v}", floats_only=True
    ),
    "view of an array": _object(
        "base_{n} = np.array([[float({v})]])\n{n} = base_{n}[0]",
        "{n}[0]", "base_{n}[0, 0] = {v}", floats_only=True,
    ),
    "large array": _object(
        "{n} = np.zeros(5000)\n{n}[4000] = {v}", "{n}[4000]", "{n}[4000] = {v}", floats_only=True
    ),
    "typed array": _object(
        "import array\n{n} = array.array('d', [float({v})])", "{n}[0]", "{n}[0] = {v}",
        floats_only=True,
    ),
    "ctypes": _object(
        "import ctypes\n{n} = ctypes.c_double({v})", "{n}.value", "{n}.value = {v}",
        floats_only=True,
    ),
    "tensor": _object(
        "{n} = torch.tensor(float({v}))", "{n}", "{n} = torch.tensor(float({v}))", floats_only=True
    ),
    "tensor written in place": _object(
        "{n} = torch.tensor(float({v}))", "{n}", "{n}.fill_({v})", floats_only=True
    ),
    "buffer": _object(
        "{n} = torch.nn.Module()\n{n}.register_buffer('value', torch.tensor(float({v})))",
        "{n}.value", "{n}.value = torch.tensor(float({v}))", floats_only=True,
    ),
}  # fmt: skip
