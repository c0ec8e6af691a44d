"""More places that a compiled function may read a number from: those that are easy to overlook.

What no name leads to (a function in a set, an `__init__`), what hides something else (a class's
attribute, a builtin), what is asked in other ways than by `.` and `[]`.
"""

from __future__ import annotations

from .state_places import Place


def _object(definition: str, read: str, write: str, floats_only: bool = False) -> Place:
    return Place(definition, read, write, floats_only=floats_only)


OVERLOOKED: dict[str, Place] = {
    "attribute getter": _object(
        "import operator\nclass Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}\n"
        "get_{n} = operator.attrgetter('value')",
        "get_{n}({n})", "{n}.value = {v}",
    ),
    "method caller": _object(
        "import operator\nclass Box_{n}:\n    def give(self):\n        return self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}\ncall_{n} = operator.methodcaller('give')",
        "call_{n}({n})", "{n}.hidden = {v}",
    ),
    "object made inside": _object(
        "{n} = {v}\nclass Box_{n}:\n    def __init__(self):\n        self.value = {n}",
        "Box_{n}().value", "{n} = {v}",
    ),
    "dataclass made inside": _object(
        "import dataclasses\n{n} = {v}\n@dataclasses.dataclass\nclass Data_{n}:\n"
        "    value: object = dataclasses.field(default_factory=lambda: {n})",
        "Data_{n}().value", "{n} = {v}",
    ),
    "__repr__": _object(
        "class Box_{n}:\n    def __repr__(self):\n        return repr(float(self.hidden))\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "float(str({n}))", "{n}.hidden = {v}", floats_only=True,
    ),
    "__float__": _object(
        "class Box_{n}:\n    def __float__(self):\n        return float(self.hidden)\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "float({n})", "{n}.hidden = {v}", floats_only=True,
    ),
    "__iter__": _object(
        "class Box_{n}:\n    def __iter__(self):\n        yield self.hidden\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "[*{n}][0]", "{n}.hidden = {v}",
    ),
    "__enter__": _object(
        "class Box_{n}:\n    def __enter__(self):\n        return self.hidden\n"
        "    def __exit__(self, *problem):\n        return None\n"
        "def read_{n}():\n    with {n} as value:\n        return value\n"
        "{n} = Box_{n}()\n{n}.hidden = {v}",
        "read_{n}()", "{n}.hidden = {v}",
    ),
    "context manager": _object(
        "import contextlib\n{n} = {v}\n@contextlib.contextmanager\ndef give_{n}():\n    yield {n}\n"
        "def read_{n}():\n    with give_{n}() as value:\n        return value",
        "read_{n}()", "{n} = {v}",
    ),
    "descriptor": _object(
        "class Field_{n}:\n    def __get__(self, owner, kind):\n        return self.hidden\n"
        "class Box_{n}:\n    value = Field_{n}()\n{n} = Box_{n}()\n"
        "vars(Box_{n})['value'].hidden = {v}",
        "{n}.value", "vars(Box_{n})['value'].hidden = {v}",
    ),
    "property replaced": _object(
        "class Box_{n}:\n    value = property(lambda self: {v})\n{n} = Box_{n}()",
        "{n}.value", "Box_{n}.value = property(lambda self: {v})",
    ),
    "static method replaced": _object(
        "class Box_{n}:\n    value = staticmethod(lambda: {v})\n{n} = Box_{n}()",
        "{n}.value()", "Box_{n}.value = staticmethod(lambda: {v})",
    ),
    "method replaced": _object(
        "class Box_{n}:\n    value = lambda self: {v}\n{n} = Box_{n}()",
        "{n}.value()", "Box_{n}.value = lambda self: {v}",
    ),
    "method of the object": _object(
        "class Box_{n}:\n    value = lambda self: {v}\n{n} = Box_{n}()",
        "{n}.value()", "{n}.value = lambda: {v}",
    ),
    "class of the object": _object(
        "class Box_{n}:\n    value = {v}\n{n} = Box_{n}()",
        "{n}.value", "{n}.__class__ = type('Box', (), dict(value={v}))",
    ),
    "attribute of a subclass": _object(
        "class Base_{n}:\n    value = {v}\nclass Box_{n}(Base_{n}):\n    pass\n{n} = Box_{n}()",
        "{n}.value", "Box_{n}.value = {v}",
    ),
    "bases": _object(
        "class Base_{n}:\n    value = {v}\nclass Box_{n}(Base_{n}):\n    pass\n{n} = Box_{n}()",
        "{n}.value", "Box_{n}.__bases__ = (type('Base', (), dict(value={v})),)",
    ),
    "metaclass": _object(
        "class Meta_{n}(type):\n    value = property(lambda kind: kind.hidden)\n"
        "class Box_{n}(metaclass=Meta_{n}):\n    hidden = {v}",
        "Box_{n}.value", "Box_{n}.hidden = {v}",
    ),
    "code of a helper": _object(
        "def read_{n}():\n    return {v}", "read_{n}()",
        "read_{n}.__code__ = (lambda: {v}).__code__",
    ),
    "new dictionary of an object": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}",
        "{n}.value", "{n}.__dict__ = dict(value={v})",
    ),
    "attribute that appears": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()", "getattr({n}, 'value', 0.5)", "{n}.value = {v}"
    ),
    "global that appears": _object(
        "def read_{n}():\n    try:\n        return new_{n}\n    except NameError:\n"
        "        return 0.5",
        "read_{n}()", "new_{n} = {v}",
    ),
    "builtin's name": _object(
        "def read_{n}():\n    return ascii(0)\ntext_{n} = {v}", "(read_{n}(), text_{n})[1]",
        "text_{n} = {v}\nascii = lambda x: text_{n}",
    ),
    "slot that is filled": _object(
        "class Box_{n}:\n    __slots__ = ('value',)\n{n} = Box_{n}()",
        "getattr({n}, 'value', 0.5)", "{n}.value = {v}",
    ),
    "slots of a dataclass": _object(
        "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass Data_{n}:\n"
        "    value: object\n{n} = Data_{n}({v})",
        "{n}.value", "{n}.value = {v}",
    ),
    "fields of a dataclass": _object(
        "import dataclasses\n@dataclasses.dataclass(eq=False)\nclass Data_{n}:\n    value: object\n"
        "{n} = Data_{n}({v})",
        "dataclasses.astuple({n})[0]", "{n}.value = {v}",
    ),
    "pattern": _object(
        "class Box_{n}:\n    pass\n{n} = Box_{n}()\n{n}.value = {v}\n"
        "def read_{n}():\n    match {n}:\n        case Box_{n}(value=found):\n"
        "            return found",
        "read_{n}()", "{n}.value = {v}",
    ),
    "typed named tuple": _object(
        "import typing\nclass Data_{n}(typing.NamedTuple):\n    other: int\n    value: object\n"
        "{n} = Data_{n}(1, {v})",
        "{n}.value", "{n} = {n}._replace(value={v})",
    ),
    "attribute of an enum's member": _object(
        "import enum\nclass Kind_{n}(enum.Enum):\n    A = 1\nKind_{n}.A.factor = {v}",
        "Kind_{n}.A.factor", "Kind_{n}.A.factor = {v}",
    ),
    "order of a dict": _object(
        "{n} = dict(a=0.5)\n{n}['b'] = {v}",
        "[*{n}.values()][-1]", "{n}['b'] = {v}\n{n}['a'] = {n}.pop('a')",
    ),
    "keys of a dict": _object("{n} = {{'a': 1}}", "[*{n}][-1]", "{n}.clear()\n{n}[{v}] = 1"),
    "members of a set": _object("{n} = {{1}}", "[*{n}][-1]", "{n}.clear()\n{n}.add({v})"),
    "functions in a set": _object(
        "{n} = {v}\ndef give_{n}():\n    return {n}\nall_{n} = {{give_{n}}}",
        "[q() for q in all_{n}][0]", "{n} = {v}",
    ),
    "counter": _object(
        "import collections\n{n} = collections.Counter()\n{n}['a'] = {v}",
        "{n}['a']", "{n}['a'] = {v}",
    ),
    "user list": _object(
        "import collections\n{n} = collections.UserList([{v}])", "{n}[0]", "{n}[0] = {v}"
    ),
    "subclass of a dict": _object(
        "class Dict_{n}(dict):\n    __getattr__ = dict.__getitem__\n{n} = Dict_{n}(value={v})",
        "{n}.value", "{n}['value'] = {v}",
    ),
    "attribute of a number": _object(
        "class Number_{n}(float):\n    pass\n{n} = Number_{n}(1.0)\n{n}.value = {v}",
        "{n}.value", "{n}.value = {v}",
    ),
    "single dispatch": _object(
        "import functools\n@functools.singledispatch\ndef give_{n}(q):\n    return 0.25\n"
        "give_{n}.register(int, lambda q: {v})",
        "give_{n}(3)", "give_{n}.register(int, lambda q: {v})",
    ),
    "wrapped helper": _object(
        "import functools\n{n} = {v}\ndef wrap_{n}(inner):\n    @functools.wraps(inner)\n"
        "    def outer():\n        return inner()\n    return outer\n"
        "@wrap_{n}\ndef read_{n}():\n    return {n}",
        "read_{n}()", "{n} = {v}",
    ),
    "remembered": _object(
        "import functools\n{n} = {v}\ndef inner_{n}():\n    return {n}\n@functools.lru_cache\n"
        "def read_{n}():\n    return inner_{n}()",
        "read_{n}()", "{n} = {v}\nread_{n}.cache_clear()",
    ),
    "cached property": _object(
        "import functools\nclass Box_{n}:\n    @functools.cached_property\n    def value(self):\n"
        "        return self.hidden\n{n} = Box_{n}()\n{n}.hidden = {v}",
        "{n}.value", "{n}.hidden = {v}\nvars({n}).pop('value', None)",
    ),
    "context variable with a default": _object(
        "import contextvars\n{n} = contextvars.ContextVar('{n}', default=0.5)",
        "{n}.get()", "{n}.set({v})",
    ),
    "weak value": _object(
        "import weakref\nclass Box_{n}:\n    def __init__(self, value):\n"
        "        self.value = value\nbox_{n} = Box_{n}({v})\n"
        "{n} = weakref.WeakValueDictionary(box=box_{n})",
        "{n}['box'].value", "box_{n} = Box_{n}({v})\n{n}['box'] = box_{n}",
    ),
    "weak reference that dies": _object(
        "import weakref\nclass Box_{n}:\n    def __init__(self, value):\n"
        "        self.value = value\nbox_{n} = Box_{n}({v})\n{n} = weakref.ref(box_{n})",
        "getattr({n}(), 'value', 0.5)", "box_{n} = None",
    ),
    "iterator": _object(
        "import itertools\n{n} = itertools.repeat({v})", "next({n})", "{n} = itertools.repeat({v})"
    ),
    "count": _object(
        "import itertools\n{n} = itertools.count({v})", "next({n})", "{n} = itertools.count({v})",
        floats_only=True,
    ),
    "random state": _object(
        "import random\nrandom.seed(1)", "random.random()", "random.seed(1)", floats_only=True
    ),
    "logging level": _object(
        # Loggers outlive a program: it begins by setting its own.
        "import logging\n"
        "logging.getLogger('fuzz.{n}').setLevel(int(abs({v})) if abs({v}) < 9 else 9)",
        "logging.getLogger('fuzz.{n}').level",
        "logging.getLogger('fuzz.{n}').setLevel(int(abs({v})) if abs({v}) < 9 else 9)",
        floats_only=True,
    ),
    "a library's function replaced": _object(
        "import statistics\nstatistics.fuzz_{n} = lambda: {v}",
        "statistics.fuzz_{n}()", "statistics.fuzz_{n} = lambda: {v}",
    ),
    "flag of the library": _object(
        "torch.backends.cudnn.fuzz_{n} = {v}",
        "torch.backends.cudnn.fuzz_{n}", "torch.backends.cudnn.fuzz_{n} = {v}",
    ),
    "decimal": _object(
        "import decimal\n{n} = decimal.Decimal(repr(float({v})))",
        "float({n})", "{n} = decimal.Decimal(repr(float({v})))", floats_only=True,
    ),
    "text": _object(
        "{n} = repr(float({v}))", "float({n})", "{n} = repr(float({v}))", floats_only=True
    ),
    "bytes": _object(
        "{n} = bytearray(str(float({v})), 'ascii')",
        "float(bytes({n}))", "{n}[:] = str(float({v})).encode()", floats_only=True,
    ),
    "structured array": _object(
        "{n} = np.zeros(2, dtype=[('value', 'f8')])\n{n}['value'][0] = {v}",
        "float({n}['value'][0])", "{n}['value'][0] = {v}", floats_only=True,
    ),
    "scalar array": _object(
        "{n} = np.array(float({v}))", "{n}", "{n}[()] = {v}", floats_only=True
    ),
    "NumPy scalar": _object(
        "{n} = np.float64({v})", "{n}", "{n} = np.float64({v})", floats_only=True
    ),
    "array of a tensor": _object(
        "array_{n} = np.array([float({v})])\n{n} = torch.from_numpy(array_{n})",
        "{n}[0]", "array_{n}[0] = {v}", floats_only=True,
    ),
    "parameter": _object(
        "{n} = torch.nn.Module()\n{n}.value = torch.nn.Parameter(torch.tensor(float({v})))",
        "{n}.value", "{n}.value.data = torch.tensor(float({v}))", floats_only=True,
    ),
    "hook of a layer": _object(
        "{n} = torch.nn.Identity()\nhandle_{n} = None",
        "{n}(torch.tensor(1.0))",
        "if handle_{n}:\n    handle_{n}.remove()\n"
        "handle_{n} = {n}.register_forward_hook(lambda m, given, out, q=float({v}): out * q)",
        floats_only=True,
    ),
    "gradient": _object(
        "{n} = torch.zeros(1, requires_grad=True)\n{n}.grad = torch.tensor([float({v})])",
        "{n}.grad[0]", "{n}.grad = torch.tensor([float({v})])", floats_only=True,
    ),
    "longest a deque may be": _object(
        "import collections\n{n} = collections.deque([1], maxlen=3)",
        "{n}.maxlen", "{n} = collections.deque([1], maxlen=3 + (float({v}) > 1))", floats_only=True,
    ),
    "another context": _object(
        "import contextvars\nvar_{n} = contextvars.ContextVar('{n}', default=0.5)\n"
        "{n} = contextvars.copy_context()\n{n}.run(var_{n}.set, {v})",
        "{n}.run(var_{n}.get)", "{n}.run(var_{n}.set, {v})",
    ),
    "pointer": _object(
        "import ctypes\nnumber_{n} = ctypes.c_double({v})\n{n} = ctypes.pointer(number_{n})",
        "{n}.contents.value", "number_{n}.value = {v}", floats_only=True,
    ),
    "database": _object(
        "import sqlite3\n{n} = sqlite3.connect(':memory:')\n{n}.execute('create table t (v)')\n"
        "{n}.execute('insert into t values (?)', (float({v}),))",
        "({n}.execute('select v from t').fetchone()[0] or 0.5)",
        "{n}.execute('update t set v = ?', (float({v}),))", floats_only=True,
    ),
    "getenv by itself": _object(
        "import os\nfrom os import getenv\nos.environ['STATE_{n}'] = str({v})",
        "float(getenv('STATE_{n}', '0'))", "os.environ['STATE_{n}'] = str({v})", floats_only=True,
    ),
    "subclasses": _object(
        "class Base_{n}:\n    pass\nkept_{n} = []",
        "len(Base_{n}.__subclasses__())", "kept_{n}.append(type('Sub', (Base_{n},), {{}}))",
    ),
    "attribute of a partial": _object(
        "import functools\n{n} = functools.partial(lambda: {n}.value)\n{n}.value = {v}",
        "{n}()", "{n}.value = {v}",
    ),
    "attribute of a compiled function": _object(
        "{n} = compiled(lambda: None)\n{n}.value = {v}", "{n}.value", "{n}.value = {v}",
    ),
    "dictionary of a tensor": _object(
        "{n} = torch.zeros(1)\n{n}.value = {v}", "{n}.__dict__['value']", "{n}.value = {v}",
    ),
    "rule of a Function": _object(
        "{n} = {v}\nclass Rule_{n}(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, q):\n        return q.clone()\n    @staticmethod\n"
        "    def backward(ctx, g):\n        return g * {n}\n"
        "def read_{n}():\n    q = torch.ones(1, requires_grad=True)\n"
        "    with torch.enable_grad():\n        Rule_{n}.apply(q).backward()\n    return q.grad",
        "read_{n}()", "{n} = {v}", floats_only=True,
    ),
    "object made in C": _object(
        "import zlib\n{n} = zlib.compressobj()", "len({n}.copy().flush())",
        "{n}.compress(str({v}).encode() * 9)",
    ),
    "method of a library's object": _object(
        "import calendar\ncalendar.setfirstweekday(0)", "calendar.firstweekday()",
        "calendar.setfirstweekday(int(bool({v} == {v} and {v})) * 3)", floats_only=True,
    ),
    "environment through a library": _object(
        "import os\nos.environ['STATE_{n}'] = str({v})",
        "float(os.path.expandvars('$STATE_{n}'))", "os.environ['STATE_{n}'] = str({v})",
        floats_only=True,
    ),
}  # fmt: skip
