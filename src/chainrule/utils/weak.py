"""Weak references and dictionaries that go by which object it is, not by equality.

`==` of tensors is a tensor, so they cannot be keys of ordinary weak dictionaries.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

from ..tensor import Tensor


class WeakIdRef(weakref.ref):
    """A weak reference that equals another one to the same object."""

    __slots__ = ("_id",)

    def __new__(cls, key: Any, callback: Any = None) -> Any:
        return super().__new__(cls, key, callback)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)  # pyright: ignore[reportCallIssue]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        theirs = other() if isinstance(other, WeakIdRef) else None
        if mine is not None and theirs is not None:
            return mine is theirs
        return self is other


class _WeakHashRef(weakref.ref):
    """A weak reference by equality."""


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary that forgets an entry when its key is gone.

    >>> import chainrule as torch
    >>> names = WeakTensorKeyDictionary()
    >>> x = torch.ones(2)
    >>> names[x] = "x"
    >>> names[x], len(names)
    ('x', 1)
    >>> del x
    >>> len(names)
    0
    """

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:  # noqa: A002
        self.data: Any = {}
        self.ref_type = ref_type
        mine = weakref.ref(self)

        def forget(reference: Any) -> None:
            found = mine()
            if found is not None:
                found.data.pop(reference, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # nothing can refer to it weakly
            return False

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            found = reference()
            if found is not None:
                yield found

    def keyrefs(self) -> list[Any]:
        """The weak references to the keys."""
        return list(self.data)

    def copy(self) -> Any:
        """Another dictionary with the same entries."""
        return type(self)(dict(self._pairs()))

    def _pairs(self) -> Iterator[tuple[Any, Any]]:
        return ((key, self.data[reference]) for reference in self.keyrefs()
                if (key := reference()) is not None)  # fmt: skip

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        made = type(self)()
        for key, value in self._pairs():
            made[key] = deepcopy(value, memo)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        made.update(other)
        return made


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor: calling it gives the tensor, or None."""

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()


__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]
