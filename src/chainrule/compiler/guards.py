"""What must still be so before a plan may run in place of its function, as generated code.

Each container on a path is checked once, to be the same object, and what it holds is then asked of
the container itself: `c3['lr'] is c4`.
"""

from __future__ import annotations

from typing import Any

from .calls import same_number
from .scan import Scan
from .versions import Versions


class Guards:
    """The conditions of one program."""

    def __init__(self, program: Any) -> None:
        scan: Scan = program.second.scan
        self.scan = scan
        sources = program.sources
        used = {id(s.what): s.what for s in sources if s.kind in ("tensor", "grad", "new grad")}
        self.tensors = [(path, t) for path, t in scan.tensors.values() if id(t) in used]
        varying = program.varying
        self.values = [
            (path, v)
            for path, v in scan.values.items()
            if path not in program.numbers and path not in varying
        ]
        self.objects = [(p, thing) for p, thing in scan.objects.items() if p not in varying]
        self.sizes = [(path, n) for path, n in scan.sizes.items() if path not in varying]
        self.sets = list(scan.sets.items())
        self.arrays = list(scan.arrays.items())
        self.alike = program.alike
        conditions = [(t, "._rg" if t._rg else "._rg is False") for t in used.values()]
        conditions += [(s.what, "._grad is not None") for s in sources if s.kind == "grad"]
        conditions += [(t, "._grad is None") for t in program.without_grad]
        self.checks = _Writer(scan, varying).checks(self, conditions)

    def holds(self) -> bool:
        """Whether everything the program assumed is still so."""
        try:
            return self.checks.check()
        except Exception:
            return False  # what a path led to is gone, or is something else

    def broken(self) -> tuple[str, str]:
        """Which guard failed, in words, and the path of a number that changed."""
        scan = self.scan
        for path, thing in self.tensors + self.objects:
            now = _read(scan, path)
            if now is not thing and path in scan.places:
                return f"{scan.describe(path)} is another object now", ""
        for path, value in self.values:
            now = _read(scan, path)
            if not same_number(now, value):
                return f"{scan.describe(path)}: {value!r} -> {now!r}", path
        for path, size in self.sizes:
            now = _read(scan, path)
            if len(now) != size:
                return f"the length of {scan.describe(path)}: {size} -> {len(now)}", ""
        for path, _ in self.sets + self.arrays:
            if not self._same_contents(path):
                return f"the contents of {scan.describe(path)} changed", ""
        for paths in self.alike:
            if len({_read(scan, path) for path in paths}) > 1:
                return f"{scan.describe(paths[0])} is no longer the same everywhere", ""
        return "requires_grad or .grad of a tensor changed between None and a tensor", ""

    def _same_contents(self, path: str) -> bool:
        now = _read(self.scan, path)
        if path in self.scan.sets:
            return now == self.scan.sets[path]
        return now.tobytes() == self.scan.arrays[path][1]


_GONE = type("_Gone", (), {"__repr__": lambda self: "nothing", "__len__": lambda self: -1})()


def _read(scan: Scan, path: str) -> Any:
    try:
        return scan.reader([path])()[0]
    except Exception:
        return _GONE


class _Writer:
    """Writes the function that checks: an expression, each part of which is cheap."""

    def __init__(self, scan: Scan, replaced: set[str]) -> None:
        self.scan = scan
        self.replaced = replaced  # paths of containers that are other ones in every call
        self.space: dict[str, Any] = {"K": scan.keys, "R": scan.roots, "same": same_number}
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
            return f"{self._read(place.owner)}{place.access}"
        self._link(place.owner, place.container)
        return f"{self.name(place.container)}{place.access}"

    def _link(self, path: str, container: Any) -> None:
        if path in self.linked:
            return
        self.linked.add(path)
        place = self.scan.places.get(path)
        if place is None:
            return
        self._link(place.owner, place.container)
        if place.access not in (".__dict__", ".__self__", ".__func__"):  # they stay
            read = f"{self.name(place.container)}{place.access}"
            self.tests.append(f"{read} is {self.name(container)}")

    def _is(self, path: str, thing: Any) -> None:
        if path in self.linked or path not in self.scan.places:
            return  # tested on the way to something else; or a root
        self.linked.add(path)
        self.tests.append(f"{self._read(path)} is {self.name(thing)}")

    def checks(self, guards: Guards, conditions: list[tuple[Any, str]]) -> Versions:
        self.tests += [f"{self.name(thing)}{code}" for thing, code in conditions]
        for path, value in guards.values:
            read = self._read(path)
            if value is None or isinstance(value, bool):
                self.tests.append(f"{read} is {value!r}")
            else:
                wanted = self.name(value)
                self.tests.append(f"({read} is {wanted} or same({read}, {wanted}))")
        for path, size in guards.sizes:
            container = self._contents(path)
            self.tests.append(f"len({container}) == {size}" if size else f"not {container}")
        for path, thing in guards.tensors + guards.objects:
            self._is(path, thing)
        for path, members in guards.sets:
            self.tests.append(f"{self._contents(path)} == {self.name(members)}")
        for path, (_, contents) in guards.arrays:
            self.tests.append(f"{self._contents(path)}.tobytes() == {self.name(contents)}")
        for first, *others in guards.alike:
            self.tests += [f"{self._read(first)} == {self._read(path)}" for path in others]
        return Versions(self.tests, self.space)

    def _contents(self, path: str) -> str:
        """The container at a path, by itself, after a test that it is still there."""
        thing = self.scan.objects.get(path)
        if thing is None:  # the dict of an object, which it keeps
            place = self.scan.places[path]
            self._link(place.owner, place.container)
            return self.name(place.container.__dict__)
        self._link(path, thing)
        return self.name(thing)
