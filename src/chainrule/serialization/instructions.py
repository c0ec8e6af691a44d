"""The instructions of a pickle of data: each takes its part of the stream and changes the stack."""

from __future__ import annotations

import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from . import builders
from .limits import Damaged, decoded
from .machine import MARK, Machine, RefusedGlobal

INSTRUCTIONS: dict[int, Callable[[Machine], None]] = {}


def load(stream: Any, persistent_load: Callable[[Any], Any]) -> Any:
    """The object that the pickle in a stream describes; nothing in it is run."""
    return run(Machine(stream, persistent_load))


def run(machine: Machine) -> Any:
    """What a machine makes of its stream."""
    while machine.running:
        code = machine.read(1)[0]
        machine.step(code, INSTRUCTIONS.get(code))
    return machine.result


def _instruction(code: bytes) -> Callable[[Any], Any]:
    def register(method: Any) -> Any:
        INSTRUCTIONS[code[0]] = method
        return method

    return register


def _constants() -> None:
    fixed: dict[bytes, Callable[[], Any]] = {
        pickle.NONE: lambda: None, pickle.NEWTRUE: lambda: True, pickle.NEWFALSE: lambda: False,
        pickle.EMPTY_TUPLE: tuple, pickle.MARK: lambda: MARK,
    }  # fmt: skip
    for code, make in fixed.items():
        INSTRUCTIONS[code[0]] = lambda m, make=make: m.push(make())
    for code, make, size in ((pickle.EMPTY_LIST, list, 64), (pickle.EMPTY_DICT, dict, 64),
                             (pickle.EMPTY_SET, set, 232)):  # fmt: skip
        INSTRUCTIONS[code[0]] = lambda m, make=make, size=size: _empty(m, make, size)


def _empty(m: Machine, make: Any, size: int) -> None:
    m.spending.objects(size)
    m.push(make())


def _read_and_taken() -> None:
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
        pickle.BINUNICODE: lambda m: decoded(m.sized("<I")),
        pickle.SHORT_BINUNICODE: lambda m: decoded(m.sized("<B")),
        pickle.BINUNICODE8: lambda m: decoded(m.sized("<Q")),
        pickle.BINSTRING: lambda m: m.sized("<i").decode("latin1"),
        pickle.SHORT_BINSTRING: lambda m: m.sized("<B").decode("latin1"),
        pickle.BINBYTES: lambda m: m.sized("<I"),
        pickle.SHORT_BINBYTES: lambda m: m.sized("<B"),
        pickle.BINBYTES8: lambda m: m.sized("<Q"),
        pickle.BYTEARRAY8: lambda m: bytearray(m.sized("<Q")),
    }
    taken: dict[bytes, Callable[[Machine], Any]] = {
        pickle.TUPLE: lambda m: m.made(tuple(m.since_mark())),
        pickle.LIST: lambda m: m.made(m.since_mark()),
        pickle.FROZENSET: lambda m: builders.frozen_set(m, m.since_mark()),
        pickle.DICT: lambda m: _dict(m, _pairs(m, m.since_mark())),
        pickle.GLOBAL: lambda m: m.find(m.line(), m.line()),
        pickle.BINGET: lambda m: m.remembered(m.number("<B")),
        pickle.LONG_BINGET: lambda m: m.remembered(m.number("<I")),
        pickle.GET: lambda m: m.remembered(int(m.line())),
        pickle.BINPERSID: lambda m: m.persistent(m.pop()),
    }
    for code, value in read.items():
        INSTRUCTIONS[code[0]] = lambda m, value=value: m.push_new(value(m))
    for code, value in taken.items():
        INSTRUCTIONS[code[0]] = lambda m, value=value: m.push(value(m))


def _integer(text: str) -> int | bool:
    return text == "01" if text in ("00", "01") else int(text)


def _dict(m: Machine, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    m.spending.objects(80)
    made: dict[Any, Any] = {}
    builders.put_pairs(m, made, pairs)
    return made


def _pairs(m: Machine, items: list[Any]) -> list[tuple[Any, Any]]:
    m.passing(56 * len(items))
    return list(zip(items[::2], items[1::2], strict=True))


_constants()
_read_and_taken()


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
    found = m.first_refused(m.result)
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
        m.push(m.made(tuple(reversed(items))))

    return run


for _code, _count in ((pickle.TUPLE1, 1), (pickle.TUPLE2, 2), (pickle.TUPLE3, 3)):
    INSTRUCTIONS[_code[0]] = _tuple_of(_count)


@_instruction(pickle.APPEND)
def _append(m: Machine) -> None:
    item, target = m.pop(), m.target(list)
    m.spending.objects(16 if target else 48)  # lists that grow one by one have room to spare
    target.append(item)


@_instruction(pickle.APPENDS)
def _appends(m: Machine) -> None:
    items, target = m.since_mark(), m.target(list)
    m.spending.objects(9 * len(items) + (0 if target else 16))
    target.extend(items)


@_instruction(pickle.ADDITEMS)
def _additems(m: Machine) -> None:
    items = m.since_mark()
    target = m.target(set)
    m.spending.objects(100 * len(items))
    builders.put_members(m, target, items)


@_instruction(pickle.SETITEM)
def _setitem(m: Machine) -> None:
    value, key = m.pop(), m.pop()
    builders.put_pairs(m, m.target(dict, OrderedDict, Counter), [(key, value)])


@_instruction(pickle.SETITEMS)
def _setitems(m: Machine) -> None:
    pairs = _pairs(m, m.since_mark())
    builders.put_pairs(m, m.target(dict, OrderedDict, Counter), pairs)


@_instruction(pickle.BINPUT)
def _binput(m: Machine) -> None:
    m.remember(m.number("<B"))


@_instruction(pickle.LONG_BINPUT)
def _long_binput(m: Machine) -> None:
    m.remember(m.number("<I"))


@_instruction(pickle.PUT)
def _put(m: Machine) -> None:
    m.remember(int(m.line()))


@_instruction(pickle.MEMOIZE)
def _memoize(m: Machine) -> None:
    m.remember(len(m.memo) + len(m.memo_beyond))


@_instruction(pickle.STACK_GLOBAL)
def _stack_global(m: Machine) -> None:
    name, module = m.pop(), m.pop()
    m.push(m.find(module, name))


@_instruction(pickle.REDUCE)
def _reduce(m: Machine) -> None:
    args, function = m.pop(), m.pop()
    m.push(m.call(function, args))


@_instruction(pickle.NEWOBJ)
def _newobj(m: Machine) -> None:
    args, kind = m.pop(), m.pop()
    m.push(m.new(kind, args, {}))


@_instruction(pickle.NEWOBJ_EX)
def _newobj_ex(m: Machine) -> None:
    kwargs, args, kind = m.pop(), m.pop(), m.pop()
    m.push(m.new(kind, args, kwargs))


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
