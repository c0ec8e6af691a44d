"""What must still be so before a plan may run in place of its function, as generated code.

Each container on a path is checked once, to be the same object, and what it holds is then asked of
the container itself: `c3['lr'] is c4`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from ...autograd.value import ROOT, TensorBase
from ..graph.exact_numbers import same_number
from .facts import hooks_of
from .followed import SPACE, Condition, Expression
from .sight import Scan, contents_of, dict_of
from .versions import Versions


class Guards:
    """The conditions of one program."""

    def __init__(self, program: Any, apart: Any) -> None:
        call = program.second
        self.apart = apart
        scan: Scan = call.scan
        self.scan = scan
        sources = program.sources
        used = {id(s.what): s.what for s in sources if s.kind in ("tensor", "grad", "new grad")}
        self.tensors = list(scan.tensor_paths.items())
        self.followed = [(path, type(scan.values[path])) for path in sorted(call.followed)]
        self.values = [(path, v) for path, v in scan.values.items() if path not in call.followed]
        before = program.first.scan.objects
        renewed = {p for p, x in scan.objects.items() if before.get(p, x) is not x}
        renewed |= _tuples_around(scan, call.followed)
        self.objects = [(p, thing) for p, thing in scan.objects.items() if p not in renewed]
        self.renewed = [(p, type(scan.objects[p])) for p in sorted(renewed)]
        self.sizes = list(scan.sizes.items())
        self.sizes += [
            (p, len(scan.objects[p])) for p in sorted(renewed) if isinstance(scan.objects[p], tuple)
        ]
        self.orders = list(scan.orders.items())
        self.arrays = list(scan.arrays.items())
        found = call.follower.conditions.values()
        self.conditions = [c for c in found if not _of_arguments(c)]
        self._on_arguments = [c for c in found if _of_arguments(c)]
        conditions = [(t, "._rg" if t._rg else "._rg is False") for t in used.values()]
        conditions += [(s.what, "._grad is not None") for s in sources if s.kind == "grad"]
        conditions += [(t, "._grad is None") for t in program.without_grad]
        conditions += _of_unused(program, used)
        # Ops may have read them as parts of their bases, which are inputs in their place.
        unused = [t for _, t in scan.tensors.values() if id(t) not in used]
        self.views = [t for t in unused if t._view is not None]
        self.facts = call.facts
        numbers = [(i, x) for i, x in enumerate(call.leaves) if isinstance(x, _NUMBERS)]
        self._same_objects = [(i, x) for i, x in numbers if scan.by_identity or x != x]
        self._never_nan = [i for i in call.free if type(call.leaves[i]) is float]
        self.writer = _Writer(scan, renewed)
        self.checks = self.writer.checks(self, conditions)
        self.admits = self._written_admits(call.leaves)

    def holds(self) -> bool:
        """Whether everything the program assumed is still so."""
        try:
            return self.checks.check()
        except Exception:
            return False  # what a path led to is gone, or is something else

    def _written_admits(self, leaves: list[Any]) -> Callable[[list[Any]], bool] | None:
        """What was learnt of the arguments; None where nothing was."""
        tests = [self.writer.condition(c) for c in self._on_arguments]
        for fact in self.facts:
            if fact.argument is not None:
                read = fact.form.format(f"leaves[{fact.argument}]")
                tests.append(f"{read} == {self.writer.name(fact.value)}")
        tests += [f"leaves[{i}] is {self.writer.name(x)}" for i, x in self._same_objects]
        tests += [f"leaves[{i}] == leaves[{i}]" for i in self._never_nan]
        tests += self._of_tensors(leaves)
        if not tests:
            return None
        space = dict(self.writer.space)
        exec(
            compile(f"def admits(leaves):\n    return {' and '.join(tests)}", _FILE, "exec"), space
        )
        check = space["admits"]

        def admits(leaves: list[Any]) -> bool:
            try:
                return check(leaves)
            except Exception:
                return False  # eager code says what is wrong

        return admits

    def _of_tensors(self, leaves: list[Any]) -> list[str]:
        """Arguments that are tensors in sight stay so; others do not come to be one unnoticed."""
        tensors = self.scan.tensors
        seen, ids = {id(t._a): t for _, t in tensors.values()}, frozenset(tensors)
        views = [t for _, t in tensors.values() if t._view is not None]
        tests = []
        for i, x in enumerate(leaves):
            if not isinstance(x, TensorBase):
                continue
            known = seen.get(id(x._a))
            if known is not None:
                part = "" if self.scan.by_identity and known is x else "._a"
                tests.append(f"leaves[{i}]{part} is {self.writer.name(known)}{part}")
            elif any(_is_part(view._a, x._a) for view in views):  # and was read as such
                tests.append(f"leaves[{i}]._a.ctypes.data == {x._a.ctypes.data}")
            elif self.scan.by_identity and ids:
                tests.append(f"id(leaves[{i}]) not in {self.writer.name(ids)}")
        return tests

    def broken(self) -> tuple[str, str]:
        """Which guard failed, in words, and the path of a number that changed."""
        scan = self.scan
        for path, thing in self.tensors + self.objects:
            now = _read(scan, path)
            if now is not thing and path in scan.places:
                return f"{scan.describe(path)} is another object now", ""
        for path, kind in self.renewed:
            now = _read(scan, path)
            if type(now) is not kind:
                return f"{scan.describe(path)} is a {type(now).__name__} now", ""
        for path, value in self.values:
            now = _read(scan, path)
            if not scan.same(now, value):
                return f"{scan.describe(path)}: {value!r} -> {now!r}", path
        for path, kind in self.followed:
            now = _read(scan, path)
            if type(now) is not kind:
                return f"{scan.describe(path)}: {kind.__name__} -> {type(now).__name__}", ""
            if now != now:
                return f"{scan.describe(path)} is NaN now", ""
        for path, size in self.sizes:
            now = _read(scan, path)
            if len(now) != size:
                return f"the length of {scan.describe(path)}: {size} -> {len(now)}", ""
        for path, keys in self.orders:
            if not scan.in_order(_read(scan, path), keys):
                return f"the keys of {scan.describe(path)} changed", ""
        for path, (_, contents) in self.arrays:
            if contents_of(_read(scan, path)) != contents:
                return f"the contents of {scan.describe(path)} changed", ""
        for path, kind in scan.kinds.items():
            if type(_read(scan, path)) is not kind:
                return f"the class of {scan.describe(path)} is no longer {kind.__name__}", ""
        for path, code in scan.codes.items():
            if _read(scan, path).__code__ is not code:
                return f"{code.co_name} has other code", ""
        for (_, name), scope in scan.absent.items():
            if name in scope:
                return f"{name} is a global now", ""
        for condition in self.conditions:
            if not condition.holds(lambda leaf: _read(scan, leaf.parts[0])):
                return f"{self._in_words(condition)} is no longer {condition.expected!r}", ""
        for (_, name), thing in scan.unset.items():
            if hasattr(thing, name):
                return f".{name} is there now", ""
        return "requires_grad, hooks or .grad of a tensor changed between None and a tensor", ""

    def _in_words(self, condition: Condition) -> str:
        """A condition as a user would write it."""
        return condition.expression.write(lambda leaf: self.scan.describe(leaf.parts[0]), repr)


def _of_unused(program: Any, used: dict[int, Any]) -> list[tuple[Any, str]]:
    """What code may have asked of tensors that no op took, and of parameters without gradient."""
    call = program.second
    conditions = []
    for _, t in call.scan.tensors.values():
        if id(t) not in used:
            shape, dtype = t._a.shape, t._a.dtype
            conditions.append((t, f"._rg is {t._rg!r}"))
            conditions.append((t, f"._a.shape == {tuple(map(int, shape))!r}"))
            conditions.append((t, f"._a.dtype.num == {dtype.num}"))
    new = {id(t) for t in program.without_grad}
    if call.scan.names("zero_grad"):  # there was nothing to take away
        without = [t for _, t in call.scan.tensors.values() if id(t) not in call.grads_before]
        conditions += [(t, "._grad is None") for t in without if id(t) not in new]
    if call.scan.names("step"):
        for thing in call.scan.objects.values():
            for group in getattr(thing, "param_groups", ()):
                conditions += [
                    (p, "._grad is None")
                    for p in group["params"]
                    if id(p) not in call.grads_before and id(p) not in new
                ]
    return conditions


def _is_part(part: Any, whole: Any) -> bool:
    """Whether an array lies inside of the memory of another."""
    (first, last), (start, end) = _extent(part), _extent(whole)
    return start <= first and last <= end


def _extent(array: Any) -> tuple[int, int]:
    """Addresses of an array's first and last bytes."""
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    start = array.ctypes.data
    return (
        start + sum(min(0, s) for s in steps),
        start + sum(max(0, s) for s in steps) + array.itemsize,
    )


def _of_arguments(condition: Condition) -> bool:
    return any(leaf.form == "argument" for leaf in condition.expression.leaves())


def _tuples_around(scan: Scan, paths: set[str]) -> set[str]:
    """The tuples that hold these: others are there when a number in them changes."""
    found = set()
    for path in paths:
        place = scan.places[path]
        while isinstance(place.container, tuple):
            found.add(place.owner)
            place = scan.places[place.owner]
    return found


_NUMBERS = (int, float, complex, str)
_FILE = "<chainrule guard>"
_GONE = type("_Gone", (), {"__repr__": lambda self: "nothing", "__len__": lambda self: -1})()
# What the code of `_asked` names.
_ITEMS = {
    "get": dict.get, "gone": _GONE, "list_item": list.__getitem__, "tuple_item": tuple.__getitem__,
    "deque_item": deque.__getitem__,
}  # fmt: skip


def _read(scan: Scan, path: str) -> Any:
    """What is at a path now, whatever lies on the way; nothing is put into dictionaries that
    fill themselves."""
    place = scan.places.get(path)
    try:
        if place is None:
            return scan.reader([path])()[0]
        owner = _read(scan, place.owner)
        space = {"owner": owner, "K": scan.keys, "R": scan.roots, **_ITEMS}
        return eval(_asked("owner", place.access, type(owner)), space)
    except Exception:
        return _GONE


def _asked(owner: str, access: str, kind: type) -> str:
    """Code for what a container holds. No code of its class runs: a `defaultdict` fills itself."""
    if access.startswith("[") and issubclass(kind, dict) and kind not in (dict, OrderedDict):
        return f"get({owner}, {access[1:-1]}, gone)"
    for base in (list, tuple, deque):
        if access.startswith("[") and issubclass(kind, base):
            if kind.__getitem__ is not base.__getitem__:
                return f"{base.__name__}_item({owner}, {access[1:-1]})"
    return f"{owner}{access}"


class _Writer:
    """Writes the function that checks: an expression, each part of which is cheap."""

    def __init__(self, scan: Scan, replaced: set[str]) -> None:
        self.scan = scan
        self.replaced = replaced  # paths of containers that are other ones in every call
        self.space: dict[str, Any] = {
            "K": scan.keys, "R": scan.roots, "same": same_number, "contents": contents_of,
            "same_order": scan.in_order, "hooks_of": hooks_of, **_ITEMS, **SPACE,
        }  # fmt: skip
        self.names: dict[int, str] = {}
        self.linked: set[str] = set()
        self.tests: list[str] = []

    def name(self, thing: Any) -> str:
        found = self.names.get(id(thing))
        if found is None:
            found = self.names[id(thing)] = f"c{len(self.names)}"
            self.space[found] = thing
        return found

    def _read(self, path: str) -> str:
        """Code for what is at a path now, after tests that its container is where it was."""
        place = self.scan.places.get(path)
        if place is None:  # a root, or a key: the scan itself holds it
            return path
        if place.owner in self.replaced:
            return _asked(self._read(place.owner), place.access, type(place.container))
        self._link(place.owner, place.container)
        return _asked(self.name(place.container), place.access, type(place.container))

    def _link(self, path: str, container: Any) -> None:
        if path in self.linked:
            return
        self.linked.add(path)
        place = self.scan.places.get(path)
        if place is None:
            return
        self._link(place.owner, place.container)
        if place.access not in (".__dict__", ".__self__", ".__func__"):  # they stay
            read = _asked(self.name(place.container), place.access, type(place.container))
            self.tests.append(f"{read} is {self.name(container)}")

    def _is(self, path: str, thing: Any) -> None:
        if path in self.linked or path not in self.scan.places:
            return  # tested on the way to something else; or a root
        self.linked.add(path)
        self.tests.append(f"{self._read(path)} is {self.name(thing)}")

    def checks(self, guards: Guards, conditions: list[tuple[Any, str]]) -> Versions:
        self.tests += [f"{self.name(thing)}{code}" for thing, code in conditions]
        self.space["still_apart"] = guards.apart.look
        for tensor in guards.apart.tensors:
            here = f"{self.name(tensor)}._a is {self.name(tensor._a)}"
            self.tests.append(f"({here} or still_apart())")
        bases = {id(base): base for base in (t._view[ROOT] for t in guards.views)}
        for tensor in (*guards.views, *bases.values()):
            self.tests.append(f"{self.name(tensor)}._a is {self.name(tensor._a)}")
        first: dict[int, Any] = {}
        for _, tensor in self.scan.tensors.values():  # one array of two tensors is one input
            known = first.setdefault(id(tensor._a), tensor)
            if known is not tensor:
                self.tests.append(f"{self.name(tensor)}._a is {self.name(known)}._a")
        for path, kind in guards.renewed:
            self.tests.append(f"{self._read(path)}.__class__ is {self.name(kind)}")
        for path, value in guards.values:
            if not self._is_fixed(path):
                self._value(self._read(path), value)
        for path, size in guards.sizes:
            container = self._contents(path)
            self.tests.append(f"len({container}) == {size}" if size else f"not {container}")
        for path, thing in guards.tensors + guards.objects:
            self._is(path, thing)
        self._classes_and_code()
        for path, keys in guards.orders:
            container, wanted = self._contents(path), self.name(keys)
            texts = all(type(key) is str for key in keys) and not self.scan.by_identity
            found = f"[*{container}] == {wanted}" if texts else f"same_order({container}, {wanted})"
            self.tests.append(found)
        for path, (_, contents) in guards.arrays:
            self.tests.append(f"contents({self._contents(path)}) == {self.name(contents)}")
        for path, kind in guards.followed:
            read = self._read(path)
            self.tests.append(f"{read}.__class__ is {self.name(kind)}")
            if kind is float:  # containers find a NaN by identity
                self.tests.append(f"{read} == {read}")
        self.tests += [self.condition(c) for c in guards.conditions]
        for fact in guards.facts:
            if fact.argument is None:
                read = fact.form.format(self.name(fact.tensor))
                self.tests.append(f"{read} == {self.name(fact.value)}")
        return Versions(self.tests, self.space)

    def _classes_and_code(self) -> None:
        """An object may be given another class or dictionary, a function other code."""
        for path, kind in self.scan.kinds.items():
            thing = self.scan.objects[path]
            if path not in self.replaced:
                self.tests.append(f"type({self.name(thing)}) is {self.name(kind)}")
                if isinstance(getattr(thing, "__dict__", None), dict):
                    fields = self.name(thing.__dict__)
                    self.tests.append(f"{self.name(thing)}.__dict__ is {fields}")
        for path, code in self.scan.codes.items():
            function = self.name(self.scan.objects[path])
            self.tests.append(f"{function}.__code__ is {self.name(code)}")
        for _, tensor in self.scan.tensors.values():
            name, hooks = self.name(tensor), hooks_of(tensor)
            self.tests.append(f"type({name}) is {self.name(type(tensor))}")
            none = f"({name}._rare is None or not hooks_of({name}))"
            self.tests.append(f"hooks_of({name}) == {self.name(hooks)}" if hooks else none)
        for (path, name), thing in self.scan.unset.items():
            if path not in self.replaced:
                self.tests.append(f"not hasattr({self.name(thing)}, {name!r})")
        for (_, name), scope in self.scan.absent.items():
            self.tests.append(f"{name!r} not in {self.name(scope)}")

    def _is_fixed(self, path: str) -> bool:
        """Whether a tuple holds it that is the same object: it cannot change."""
        place = self.scan.places.get(path)
        return (
            place is not None
            and isinstance(place.container, tuple)
            and place.owner not in self.replaced
            and self._link(place.owner, place.container) is None
        )

    def _value(self, read: str, value: Any) -> None:
        if value is None or isinstance(value, bool):
            self.tests.append(f"{read} is {value!r}")
        else:
            wanted = self.name(value)
            if self.scan.by_identity or value != value:  # containers find a NaN by identity
                self.tests.append(f"{read} is {wanted}")
                return
            self.tests.append(f"({read} is {wanted} or same({read}, {wanted}))")

    def condition(self, condition: Condition) -> str:
        """Code for what was learnt of numbers."""
        text = condition.expression.write(self.number, self.name)
        expected = condition.expected
        if isinstance(expected, bool | type):
            return f"{text} is {self.name(expected)}"
        return f"same({text}, {self.name(expected)})"

    def number(self, leaf: Expression) -> str:
        """Code that reads a number that is followed."""
        where = leaf.parts[0]
        return f"leaves[{where}]" if leaf.form == "argument" else self._read(where)

    def reader(self, expressions: list[Expression]) -> Callable[[list[Any]], tuple[Any, ...]]:
        """A function that evaluates these."""
        inside = "".join(f"{e.write(self.number, self.name)}, " for e in expressions)
        space = self.space
        exec(compile(f"def read(leaves):\n    return ({inside})", _FILE, "exec"), space)
        return space.pop("read")

    def _contents(self, path: str) -> str:
        """The container at a path, by itself, after a test that it is still there."""
        if path in self.replaced:
            return self._read(path)
        thing = self.scan.objects.get(path)
        if thing is None:  # the dict of an object, which it keeps
            place = self.scan.places[path]
            self._link(place.owner, place.container)
            return self.name(dict_of(place.container))
        self._link(path, thing)
        return self.name(thing)
