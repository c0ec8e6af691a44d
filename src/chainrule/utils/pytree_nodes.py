"""Which containers a tree may have: how each is taken apart and put together."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..autograd import trees
from ..tensor.size import Size


class NodeDef(NamedTuple):
    """How a container type is taken apart and put together."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None


class SerialDef(NamedTuple):
    """How a container type is written as text."""

    typ: Any
    serialized_type_name: str
    to_dumpable_context: Callable[[Any], Any] | None
    from_dumpable_context: Callable[[Any], Any] | None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, SerialDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[Any] = set()
_LOCK = threading.Lock()


# ---- steps of a path -----------------------------------------------------------------------------


class SequenceKey(NamedTuple):
    """The step to an item of a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The item."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """The step to a value of a mapping."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The value."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """The step to an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The attribute."""
        return getattr(obj, self.name)


# ---- registering ---------------------------------------------------------------------------------


def register_pytree_node(
    cls: Any,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Let trees reach into a type of yours, here and in `torch.func`.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda items, _: Pair(*items))
    >>> import chainrule.utils._pytree as pytree
    >>> pytree.tree_leaves([Pair(1, 2), 3])
    [1, 2, 3]
    >>> del SUPPORTED_NODES[Pair]
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or "
            "registered."
        )
    with _LOCK:
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        name = serialized_type_name or ""
        written = SerialDef(cls, name, to_dumpable_context, from_dumpable_context)
        SUPPORTED_SERIALIZED_TYPES[cls] = written
        if name:
            SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls
    if isinstance(cls, type) and cls not in _STANDARD:
        trees.REGISTERED[cls] = (flatten_fn, unflatten_fn)


def deregister_pytree_node(cls: Any) -> None:
    """Take a type back."""
    with _LOCK:
        del SUPPORTED_NODES[cls]
        written = SUPPORTED_SERIALIZED_TYPES.pop(cls)
        SERIALIZED_TYPE_TO_PYTHON_TYPE.pop(written.serialized_type_name, None)
        CONSTANT_NODES.discard(cls)
        trees.REGISTERED.pop(cls, None)


def register_dataclass(
    cls: Any,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Let trees reach into a dataclass, by the fields of its constructor."""
    import dataclasses

    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"register_dataclass: {cls} is not a dataclass. Fix: decorate it.")
    names = [f.name for f in dataclasses.fields(cls) if f.init]
    if field_names is not None:
        missing = set(names) - set(field_names) - set(drop_field_names or ())
        if missing or set(field_names) - set(names):
            raise ValueError(
                f"register_dataclass: the fields of {cls} are {names}; got {field_names}"
            )
        names = field_names
    names = [name for name in names if name not in (drop_field_names or ())]

    def with_keys(obj: Any) -> tuple[list[tuple[Any, Any]], Any]:
        there, absent = [], []
        for name in names:
            value = getattr(obj, name)
            if value is None:
                absent.append(name)
            else:
                there.append((GetAttrKey(name), value))
        return there, [[key.name for key, _ in there], absent]

    def without_keys(obj: Any) -> tuple[list[Any], Any]:
        pairs, context = with_keys(obj)
        return [value for _, value in pairs], context

    def rebuilt(values: Iterable[Any], context: Any) -> Any:
        there, absent = context
        return cls(**dict(zip(there, values, strict=True)), **dict.fromkeys(absent))  # pyright: ignore[reportCallIssue]

    register_pytree_node(
        cls, without_keys, rebuilt, serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=with_keys,
    )  # fmt: skip


class ConstantNode(NamedTuple):
    """The value of a type registered as a constant."""

    value: Any


def register_constant(cls: Any) -> None:
    """Make the objects of a type part of a tree's form: they hold no leaves."""
    register_pytree_node(
        cls, lambda obj: ([], ConstantNode(obj)), lambda _, context: context.value,
        flatten_with_keys_fn=lambda obj: ([], ConstantNode(obj)),
    )  # fmt: skip
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: Any) -> bool:
    """Whether a type was registered as a constant."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


# ---- named tuples and structures of the interpreter ----------------------------------------------


def is_namedtuple(obj: Any) -> bool:
    """Whether something is a named tuple, or its class."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_class(cls: Any) -> bool:
    """Whether a class was made by `namedtuple`."""
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(type(name) is str for name in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether something is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether something is a structure of the interpreter, such as `time.localtime()`."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is a structure of the interpreter."""
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(isinstance(getattr(cls, n, None), int) for n in ("n_fields", "n_sequence_fields"))
        and hasattr(cls, "n_unnamed_fields")
    )


def is_structseq_instance(obj: Any) -> bool:
    """Whether something is a structure of the interpreter."""
    return is_structseq_class(type(obj))


# ---- the containers of Python --------------------------------------------------------------------


def _tuple_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), None


def _sequence_keys(d: Any) -> list[tuple[Any, Any]]:
    return [(SequenceKey(i), value) for i, value in enumerate(d)]


def _tuple_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return _sequence_keys(d), None


def _tuple_unflatten(values: Iterable[Any], context: Any) -> tuple[Any, ...]:
    return tuple(values)


_list_flatten, _list_flatten_with_keys = _tuple_flatten, _tuple_flatten_with_keys


def _list_unflatten(values: Iterable[Any], context: Any) -> list[Any]:
    return list(values)


def _dict_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def _dict_unflatten(values: Iterable[Any], context: Any) -> dict[Any, Any]:
    return dict(zip(context, values, strict=True))


_ordereddict_flatten, _ordereddict_flatten_with_keys = _dict_flatten, _dict_flatten_with_keys


def _ordereddict_unflatten(values: Iterable[Any], context: Any) -> OrderedDict[Any, Any]:
    return OrderedDict(zip(context, values, strict=True))


def _namedtuple_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), type(d)


def _namedtuple_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(GetAttrKey(n), v) for n, v in zip(d._fields, d, strict=True)], type(d)


def _namedtuple_unflatten(values: Iterable[Any], context: Any) -> Any:
    return context(*values)


def _defaultdict_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), [d.default_factory, list(d)]


def _defaultdict_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return _dict_flatten_with_keys(d)[0], [d.default_factory, list(d)]


def _defaultdict_unflatten(values: Iterable[Any], context: Any) -> Any:
    return defaultdict(context[0], zip(context[1], values, strict=True))


def _deque_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), d.maxlen


def _deque_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return _sequence_keys(d), d.maxlen


def _deque_unflatten(values: Iterable[Any], context: Any) -> Any:
    return deque(values, maxlen=context)


def _size_unflatten(values: Iterable[Any], context: Any) -> Any:
    found = tuple(values)
    return Size(found) if all(type(v) is int for v in found) else found


def _written_class(cls: Any) -> dict[str, Any]:
    return {"class_name": cls.__qualname__, "module": cls.__module__}


def _written_factory(context: Any) -> dict[str, Any]:
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _read_factory(written: dict[str, Any]) -> list[Any]:
    import importlib

    module = importlib.import_module(written["default_factory_module"])
    return [getattr(module, written["default_factory_name"]), written["dict_context"]]


def _read_class(written: Any) -> Any:
    raise NotImplementedError(f"Can't deserialize namedtuple: its class {written} is not stored")


def register_return_type(cls: Any) -> None:
    """Let trees reach into a named result such as that of `max(dim)`."""

    def with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
        return [(GetAttrKey(n), v) for n, v in zip(cls._names, d, strict=True)], None

    register_pytree_node(
        cls,
        lambda d: (list(d), None),
        lambda values, _: cls(values),
        flatten_with_keys_fn=with_keys,
    )


_STANDARD = {tuple, list, dict, OrderedDict, defaultdict, deque, Size}
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})

for _cls, _takes, _makes, _keyed, _name in (
    (tuple, _tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys, "builtins.tuple"),
    (list, _list_flatten, _list_unflatten, _list_flatten_with_keys, "builtins.list"),
    (dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys, "builtins.dict"),
    (OrderedDict, _ordereddict_flatten, _ordereddict_unflatten, _ordereddict_flatten_with_keys,
     "collections.OrderedDict"),
    (deque, _deque_flatten, _deque_unflatten, _deque_flatten_with_keys, "collections.deque"),
    (Size, _tuple_flatten, _size_unflatten, _tuple_flatten_with_keys, "torch.Size"),
):  # fmt: skip
    register_pytree_node(
        _cls, _takes, _makes, serialized_type_name=_name, flatten_with_keys_fn=_keyed
    )
register_pytree_node(
    namedtuple, _namedtuple_flatten, _namedtuple_unflatten,
    serialized_type_name="collections.namedtuple", to_dumpable_context=_written_class,
    from_dumpable_context=_read_class, flatten_with_keys_fn=_namedtuple_flatten_with_keys,
)  # fmt: skip
register_pytree_node(
    defaultdict, _defaultdict_flatten, _defaultdict_unflatten,
    serialized_type_name="collections.defaultdict", to_dumpable_context=_written_factory,
    from_dumpable_context=_read_factory, flatten_with_keys_fn=_defaultdict_flatten_with_keys,
)  # fmt: skip
BUILTIN_TYPES = frozenset({tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque})
