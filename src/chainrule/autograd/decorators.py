"""Context managers that are decorators as well."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .source import warn_user


def context_decorator(ctx: Callable[[], Any], func: Any) -> Any:
    """The function, each call (each step of a generator) inside a context of its own."""
    if inspect.isclass(func):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all "
            "methods should have the context manager applied; additionally, decorating a class at "
            "definition-site will prevent use of the identifier as a conventional type. To specify "
            "which methods to decorate, decorate each of them individually."
        )
    if inspect.isgeneratorfunction(func):

        @functools.wraps(func)
        def generating(*args: Any, **kwargs: Any) -> Any:
            steps = func(*args, **kwargs)
            send: Any = functools.partial(next, steps)
            try:
                while True:
                    with ctx():
                        found = send()
                    try:
                        answer = yield found  # pyright: ignore[reportUnknownVariableType]
                    except GeneratorExit:
                        with ctx():
                            steps.close()
                        raise
                    except BaseException as problem:
                        send = functools.partial(steps.throw, problem)
                    else:
                        send = functools.partial(steps.send, answer)
            except StopIteration as end:
                return end.value

        return generating

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with ctx():
            return func(*args, **kwargs)

    return wrapped


class _DecoratorContextManager:
    """A context manager whose objects decorate: each call gets a fresh one by `clone`."""

    __slots__ = ("__dict__", "__weakref__")

    def __call__(self, orig_func: Any) -> Any:
        if inspect.isclass(orig_func):
            warn_user(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                f"should only decorate functions or methods: of {orig_func.__name__} only the "
                f"construction runs in {type(self).__name__}, and its name is a function now.",
                FutureWarning,
            )

            def construct(*args: Any, **kwargs: Any) -> Any:
                return orig_func(*args, **kwargs)

            return context_decorator(self.clone, construct)
        return context_decorator(self.clone, orig_func)

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> Any:
        raise NotImplementedError

    def clone(self) -> Any:
        """Another one with the same settings."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One that takes no settings: `@name` decorates as `@name()` does."""

    __slots__ = ()

    def __new__(cls, orig_func: Any = None) -> Any:
        if orig_func is None:
            return super().__new__(cls)
        return cls()(orig_func)
