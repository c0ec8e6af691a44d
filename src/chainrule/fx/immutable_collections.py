"""Lists and dicts of a node's arguments: read-only, since edges of the graph are made from them."""

from __future__ import annotations

from typing import Any, NoReturn

_HOW = (
    " If you are attempting to modify the kwargs or args of a torch.fx.Node object, instead create "
    "a new copy of it and assign the copy to the node:\n"
    "    new_args = ...  # copy and mutate args\n    node.args = new_args\n"
)


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation.{_HOW}")


class immutable_list(list[Any]):
    """A list that cannot be changed.

    >>> immutable_list([1, 2])
    [1, 2]
    """

    __delitem__ = __iadd__ = __imul__ = __setitem__ = append = clear = extend = insert = pop = (  # type: ignore[assignment]
        remove
    ) = reverse = sort = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[Any, Any]):
    """A dict that cannot be changed."""

    __delitem__ = __ior__ = __setitem__ = clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)


__all__ = ["immutable_dict", "immutable_list"]
