"""A pickle reader that runs nothing.

A pickle is a program: it can name any function and have it called. This machine knows the
instructions that build data; a name is looked up in a list instead of being imported. Anything
else is kept as a `Refused` value until the pickle tries to use it, because only then it is known
what it would have run, with which arguments.
"""

from __future__ import annotations

import _compat_pickle
import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from ..autograd.value import TensorBase
from ..tensor.parameter import Parameter
from . import allowed

_MARK = object()
_INSTRUCTIONS: dict[int, Callable[[Any], None]] = {}


class Damaged(Exception):
    """The bytes are no pickle, or not a whole one."""


class RefusedGlobal(Exception):
    """The pickle wanted to use something that is not allowed."""

    def __init__(self, full_name: str, action: str) -> None:
        super().__init__(full_name, action)
        self.full_name = full_name
        self.action = action


class AbsentFeature(Exception):
    """The pickle needs something harmless that does not exist here."""


class Refused:
    """A name that is not allowed, or what would have come out of calling it."""

    def __init__(self, full_name: str, shown: str) -> None:
        self.full_name = full_name
        self.shown = shown

    def __repr__(self) -> str:
        return self.shown


def _instruction(code: bytes) -> Callable[[Any], Any]:
    def register(method: Any) -> Any:
        _INSTRUCTIONS[code[0]] = method
        return method

    return register


class Machine:
    """Reads one pickle from a stream; `persistent_load` turns storage ids into storages."""

    def __init__(self, stream: Any, persistent_load: Callable[[Any], Any]) -> None:
        self.stream = stream
        self.persistent_load = persistent_load
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.names: set[str] = set()
        self.result: Any = None
        self.running = True
        self.refused_any = False
        self.outside = False  # whether an error is not the pickle's own
        here = stream.tell()
        self.size = stream.seek(0, 2)
        stream.seek(here)

    def load(self) -> Any:
        """The object that the pickle describes."""
        while self.running:
            code = self.read(1)[0]
            run = _INSTRUCTIONS.get(code)
            if run is None:
                raise Damaged(f"byte {code:#04x} is not an instruction of a pickle of data")
            try:
                run(self)
            except (Damaged, RefusedGlobal, AbsentFeature):
                raise
            except Exception as problem:
                if self.outside:
                    raise
                raise Damaged(f"its pickle makes no sense ({problem})") from problem
        return self.result

    # ---- reading ----

    def read(self, count: int) -> bytes:
        data = self.stream.read(count) if 0 <= count <= self.size else b""
        if len(data) != count:
            raise Damaged("it ends in the middle of its pickle")
        return data

    def line(self) -> str:
        text = self.stream.readline()
        if not text.endswith(b"\n"):
            raise Damaged("it ends in the middle of its pickle")
        return text[:-1].decode()

    def number(self, form: str) -> int:
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def sized(self, form: str) -> bytes:
        return self.read(self.number(form))

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        value = self.stack.pop()
        if value is _MARK:
            raise Damaged("its pickle makes no sense (a mark is taken for a value)")
        return value

    def since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise Damaged("its pickle makes no sense (a mark is missing)")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    # ---- names, and what may be done with them ----

    def find(self, module: str, name: str) -> Any:
        """What a name means: an allowed object, or a refusal that waits to be used."""
        if (module, name) in _compat_pickle.NAME_MAPPING:
            module, name = _compat_pickle.NAME_MAPPING[module, name]
        else:
            module = _compat_pickle.IMPORT_MAPPING.get(module, module)
        full_name = f"{module}.{name}"
        self.names.add(full_name)
        found = allowed.find(full_name)
        if found is not None:
            return found
        missing = allowed.absent(full_name)
        if missing is not None:
            raise AbsentFeature(missing)
        self.refused_any = True
        shown = "os." + name if module in ("posix", "nt") else full_name
        return Refused(full_name, shown.removeprefix("builtins."))

    def call(self, function: Any, args: Any, kwargs: Any = None) -> Any:
        if isinstance(function, Refused):
            raise RefusedGlobal(function.full_name, f"{function.shown}({_shown(args, kwargs)})")
        self.refuse_inside((args, kwargs), function)
        if not allowed.may_call(function):
            raise Damaged(f"its pickle calls {function!r}, which is not a function of the list")
        return function(*args, **(kwargs or {}))

    def refuse_inside(self, values: Any, user: Any) -> None:
        """Stop when something refused is handed to an allowed function, however deep."""
        found = _first_refused(values) if self.refused_any else None
        if found is not None:
            name = getattr(user, "__name__", str(user))
            raise RefusedGlobal(found.full_name, f"{name}({found.shown}, ...)")

    def persistent(self, identity: Any) -> Any:
        """The storage that an id stands for."""
        self.refuse_inside(identity, "persistent_load")
        if not isinstance(identity, tuple):
            raise Damaged("its pickle names a storage in an unknown form")
        self.outside = True
        found = self.persistent_load(identity)
        self.outside = False
        return found

    def set_state(self, target: Any, state: Any) -> None:
        if isinstance(target, Refused):
            raise RefusedGlobal(target.full_name, f"{target.shown}.__setstate__(...)")
        self.refuse_inside(state, type(target))
        kind = type(target)
        if kind is OrderedDict:
            target.__dict__.update(state)
        elif kind is Parameter or isinstance(target, TensorBase):
            _set_tensor_state(target, state)
        elif allowed.may_build(kind):
            _set_object_state(target, state)
        else:
            raise Damaged(f"its pickle sets the state of a {kind.__name__}")


def _set_tensor_state(target: Any, state: Any) -> None:
    """How files older than PyTorch 0.4 fill tensors: (storage, offset, size, stride)."""
    if isinstance(state, tuple) and len(state) == 4:
        target.set_(*state)
    elif isinstance(state, dict):
        target.__dict__.update({k: v for k, v in state.items() if k != "_level"})
    else:
        raise Damaged("its pickle sets the state of a tensor in an unknown form")


def _set_object_state(target: Any, state: Any) -> None:
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if own:
        target.__dict__.update(own)
    for name, value in (slots or {}).items():
        setattr(target, name, value)


def _first_refused(values: Any) -> Refused | None:
    """A refusal among values; only what a pickle can nest without calls is searched."""
    waiting, seen = [values], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, Refused):
            return value
        if isinstance(value, list | tuple | set | frozenset | dict) and id(value) not in seen:
            seen.add(id(value))
            waiting.extend(value)
            if isinstance(value, dict):
                waiting.extend(value.values())
    return None


def _shown(args: Any, kwargs: Any) -> str:
    parts = [*map(repr, args if isinstance(args, tuple) else (args,))]
    parts += [f"{name}={value!r}" for name, value in (kwargs or {}).items()]
    text = ", ".join(parts)
    return text if len(text) <= 200 else text[:197] + "..."


# ---- the instructions ----------------------------------------------------------------------------


def _constants() -> None:
    fixed: dict[bytes, Callable[[], Any]] = {
        pickle.NONE: lambda: None, pickle.NEWTRUE: lambda: True, pickle.NEWFALSE: lambda: False,
        pickle.EMPTY_TUPLE: tuple, pickle.EMPTY_LIST: list, pickle.EMPTY_DICT: dict,
        pickle.EMPTY_SET: set, pickle.MARK: lambda: _MARK,
    }  # fmt: skip
    for code, make in fixed.items():
        _INSTRUCTIONS[code[0]] = lambda m, make=make: m.push(make())


def _numbers_and_text() -> None:
    read: dict[bytes, Callable[[Machine], Any]] = {
        pickle.BININT: lambda m: m.number("<i"),
        pickle.BININT1: lambda m: m.number("<B"),
        pickle.BININT2: lambda m: m.number("<H"),
        pickle.LONG1: lambda m: pickle.decode_long(m.sized("<B")),
        pickle.LONG4: lambda m: pickle.decode_long(m.sized("<I")),
        pickle.INT: lambda m: _integer(m.line()),
        pickle.LONG: lambda m: int(m.line().removesuffix("L")),
        pickle.FLOAT: lambda m: float(m.line()),
        pickle.BINFLOAT: lambda m: m.number(">d"),
        pickle.BINUNICODE: lambda m: _text(m.sized("<I")),
        pickle.SHORT_BINUNICODE: lambda m: _text(m.sized("<B")),
        pickle.BINUNICODE8: lambda m: _text(m.sized("<Q")),
        pickle.BINSTRING: lambda m: m.sized("<i").decode("latin1"),
        pickle.SHORT_BINSTRING: lambda m: m.sized("<B").decode("latin1"),
        pickle.BINBYTES: lambda m: m.sized("<I"),
        pickle.SHORT_BINBYTES: lambda m: m.sized("<B"),
        pickle.BINBYTES8: lambda m: m.sized("<Q"),
        pickle.BYTEARRAY8: lambda m: bytearray(m.sized("<Q")),
        pickle.TUPLE: lambda m: tuple(m.since_mark()),
        pickle.LIST: lambda m: m.since_mark(),
        pickle.FROZENSET: lambda m: frozenset(m.since_mark()),
        pickle.DICT: lambda m: dict(_pairs(m.since_mark())),
        pickle.GLOBAL: lambda m: m.find(m.line(), m.line()),
        pickle.BINGET: lambda m: m.memo[m.number("<B")],
        pickle.LONG_BINGET: lambda m: m.memo[m.number("<I")],
        pickle.GET: lambda m: m.memo[int(m.line())],
        pickle.BINPERSID: lambda m: m.persistent(m.pop()),
    }
    for code, value in read.items():
        _INSTRUCTIONS[code[0]] = lambda m, value=value: m.push(value(m))


def _integer(text: str) -> int | bool:
    return text == "01" if text in ("00", "01") else int(text)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _pairs(items: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(items[::2], items[1::2], strict=True))


_constants()
_numbers_and_text()


@_instruction(pickle.PROTO)
def _proto(m: Machine) -> None:
    if m.number("<B") > pickle.HIGHEST_PROTOCOL:
        raise Damaged("its pickle has a protocol that this Python does not know")


@_instruction(pickle.FRAME)
def _frame(m: Machine) -> None:
    m.number("<Q")


@_instruction(pickle.STOP)
def _stop(m: Machine) -> None:
    m.result = m.pop()
    found = _first_refused(m.result)
    if found is not None:
        raise RefusedGlobal(found.full_name, f"import {found.shown}")
    m.running = False


@_instruction(pickle.POP)
def _pop(m: Machine) -> None:
    m.stack.pop()


@_instruction(pickle.POP_MARK)
def _pop_mark(m: Machine) -> None:
    m.since_mark()


def _tuple_of(count: int) -> Callable[[Machine], None]:
    def run(m: Machine) -> None:
        items = [m.pop() for _ in range(count)]
        m.push(tuple(reversed(items)))

    return run


for _code, _count in ((pickle.TUPLE1, 1), (pickle.TUPLE2, 2), (pickle.TUPLE3, 3)):
    _INSTRUCTIONS[_code[0]] = _tuple_of(_count)


def _of_kind(m: Machine, *kinds: type) -> Any:
    """The container on top of the stack, if a pickle may add to it."""
    target = m.stack[-1]
    if isinstance(target, Refused):
        raise RefusedGlobal(target.full_name, f"{target.shown}.append(...)")
    if type(target) not in kinds and not allowed.may_build(type(target)):
        raise Damaged(f"its pickle adds items to a {type(target).__name__}")
    return target


@_instruction(pickle.APPEND)
def _append(m: Machine) -> None:
    item = m.pop()
    _of_kind(m, list).append(item)


@_instruction(pickle.APPENDS)
def _appends(m: Machine) -> None:
    items = m.since_mark()
    _of_kind(m, list).extend(items)


@_instruction(pickle.ADDITEMS)
def _additems(m: Machine) -> None:
    items = m.since_mark()
    _of_kind(m, set).update(items)


@_instruction(pickle.SETITEM)
def _setitem(m: Machine) -> None:
    value, key = m.pop(), m.pop()
    _of_kind(m, dict, OrderedDict, Counter)[key] = value


@_instruction(pickle.SETITEMS)
def _setitems(m: Machine) -> None:
    pairs = _pairs(m.since_mark())
    target = _of_kind(m, dict, OrderedDict, Counter)
    for key, value in pairs:
        target[key] = value


@_instruction(pickle.BINPUT)
def _binput(m: Machine) -> None:
    m.memo[m.number("<B")] = m.stack[-1]


@_instruction(pickle.LONG_BINPUT)
def _long_binput(m: Machine) -> None:
    m.memo[m.number("<I")] = m.stack[-1]


@_instruction(pickle.PUT)
def _put(m: Machine) -> None:
    m.memo[int(m.line())] = m.stack[-1]


@_instruction(pickle.MEMOIZE)
def _memoize(m: Machine) -> None:
    m.memo[len(m.memo)] = m.stack[-1]


@_instruction(pickle.STACK_GLOBAL)
def _stack_global(m: Machine) -> None:
    name, module = m.pop(), m.pop()
    m.push(m.find(str(module), str(name)))


@_instruction(pickle.REDUCE)
def _reduce(m: Machine) -> None:
    args, function = m.pop(), m.pop()
    m.push(m.call(function, args))


@_instruction(pickle.NEWOBJ)
def _newobj(m: Machine) -> None:
    args, kind = m.pop(), m.pop()
    m.push(_new(m, kind, args, {}))


@_instruction(pickle.NEWOBJ_EX)
def _newobj_ex(m: Machine) -> None:
    kwargs, args, kind = m.pop(), m.pop(), m.pop()
    m.push(_new(m, kind, args, kwargs))


def _new(m: Machine, kind: Any, args: Any, kwargs: Any) -> Any:
    if isinstance(kind, Refused) or kind is Parameter:
        return m.call(kind, args, kwargs)
    m.refuse_inside((args, kwargs), kind)
    if not isinstance(kind, type) or not allowed.may_call(kind):
        raise Damaged(f"its pickle makes an object of {kind!r}")
    return kind.__new__(kind, *args, **kwargs)


@_instruction(pickle.BUILD)
def _build(m: Machine) -> None:
    state = m.pop()
    m.set_state(m.stack[-1], state)


@_instruction(pickle.INST)
def _inst(m: Machine) -> None:
    found = m.find(m.line(), m.line())
    m.push(m.call(found, tuple(m.since_mark())))


@_instruction(pickle.OBJ)
def _obj(m: Machine) -> None:
    kind, *args = m.since_mark()
    m.push(m.call(kind, tuple(args)))
