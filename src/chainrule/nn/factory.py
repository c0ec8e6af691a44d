"""What is passed on to the functions that make parameters: `device`, `dtype`, `memory_format`."""

from __future__ import annotations

from typing import Any

_SIMPLE = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """These keywords out of a layer's, or those under `factory_kwargs`; others are an error.

    >>> factory_kwargs({"dtype": None, "factory_kwargs": {"device": "cpu"}})
    {'device': 'cpu', 'dtype': None}
    """
    if kwargs is None:
        return {}
    unknown = kwargs.keys() - {*_SIMPLE, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in _SIMPLE:
        if name in kwargs:
            if name in found:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            found[name] = kwargs[name]
    return found
