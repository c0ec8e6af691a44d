"""A TestCase that compares tensors, and tests for each value of a parameter."""

from __future__ import annotations

import functools
import itertools
import unittest
from collections.abc import Callable, Iterable
from typing import Any

import chainrule as torch

from ..comparison import assert_close
from ..creation import make_tensor

IS_CI = IS_FBCODE = IS_MACOS = IS_WINDOWS = TEST_CUDA = TEST_MPS = TEST_WITH_ROCM = False
TEST_NUMPY = TEST_SCIPY = True


class TestCase(unittest.TestCase):
    """Python's, whose `assertEqual` compares tensors by their values, within tolerances."""

    def setUp(self) -> None:
        super().setUp()
        torch.manual_seed(1234)

    def assertEqual(
        self, x: Any, y: Any, msg: Any = None, *, atol: float | None = None,
        rtol: float | None = None, equal_nan: bool = True, exact_dtype: bool = True,
        exact_device: bool = False, exact_stride: bool = False,
    ) -> None:  # fmt: skip
        """Both are equal; numbers and tensors, also in lists and dicts, within tolerances."""
        options = {
            "atol": atol, "rtol": rtol, "equal_nan": equal_nan, "exact_dtype": exact_dtype,
            "exact_device": exact_device, "exact_stride": exact_stride,
        }  # fmt: skip
        if isinstance(x, dict) and isinstance(y, dict):
            super().assertEqual(set(x), set(y), msg)
            for key in x:
                self.assertEqual(x[key], y[key], msg, **options)
        elif isinstance(x, list | tuple) and isinstance(y, list | tuple):
            super().assertEqual(len(x), len(y), msg)
            for one, other in zip(x, y, strict=True):
                self.assertEqual(one, other, msg, **options)
        elif _is_number(x) and _is_number(y):
            _assert_close(x, y, msg, **options)
        else:
            super().assertEqual(x, y, msg)

    def assertNotEqual(self, x: Any, y: Any, msg: Any = None, **options: Any) -> None:
        """They differ by more than `assertEqual` allows."""
        with self.assertRaises(AssertionError, msg=msg):
            self.assertEqual(x, y, **options)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | complex) and not isinstance(value, bool)
    return number or isinstance(value, torch.Tensor) or hasattr(value, "__array_interface__")


def _assert_close(
    x: Any, y: Any, msg: Any, atol: float | None, rtol: float | None, equal_nan: bool,
    exact_dtype: bool, exact_device: bool, exact_stride: bool,
) -> None:  # fmt: skip
    if (atol is None) != (rtol is None):  # one of them alone: the other is 0
        atol, rtol = atol or 0.0, rtol or 0.0
    typed = isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)
    assert_close(
        torch.as_tensor(x), torch.as_tensor(y), atol=atol, rtol=rtol, equal_nan=equal_nan,
        check_dtype=exact_dtype and typed, check_device=exact_device, check_stride=exact_stride,
        msg=msg,
    )  # fmt: skip


class parametrize:
    """A test for each value: `@parametrize("x", [1, 2])`, or "x,y" and pairs."""

    def __init__(
        self, arg_str: str, arg_values: Iterable[Any], name_fn: Callable[..., str] | None = None
    ) -> None:
        self.names = [name.strip() for name in arg_str.split(",")]
        self.values = list(arg_values)
        self.name_fn = name_fn

    def __call__(self, test: Any) -> Any:
        test.parametrized = [*getattr(test, "parametrized", []), self]
        return test

    def cases(self) -> list[tuple[str, dict[str, Any]]]:
        """The end of a test's name and its arguments, for each value."""
        found = []
        for value in self.values:
            inside = value.arg_values if isinstance(value, subtest) else value
            values = [inside] if len(self.names) == 1 else list(inside)
            ending = value.name if isinstance(value, subtest) and value.name else None
            if ending is None and self.name_fn is not None:
                ending = self.name_fn(*values)
            pairs = zip(self.names, values, strict=True)
            ending = ending or "_".join(f"{name}_{_in_a_name(v)}" for name, v in pairs)
            found.append((ending, dict(zip(self.names, values, strict=True))))
        return found


class subtest:
    """A value of `parametrize` with a name of its own."""

    def __init__(self, arg_values: Any, name: str | None = None, decorators: Any = ()) -> None:
        self.arg_values, self.name, self.decorators = arg_values, name, decorators


def _in_a_name(value: Any) -> str:
    text = getattr(value, "__name__", None) or str(value)
    return "".join(c if c.isalnum() else "_" for c in text)


def instantiate_parametrized_tests(generic_cls: type) -> type:
    """Replace the tests of a class that have parameters by one for each value."""
    for name, test in list(vars(generic_cls).items()):
        if not hasattr(test, "parametrized"):
            continue
        delattr(generic_cls, name)
        for chosen in itertools.product(*(each.cases() for each in reversed(test.parametrized))):
            given = {key: value for _, part in chosen for key, value in part.items()}
            ending = "_".join(text for text, _ in chosen)
            setattr(generic_cls, f"{name}_{ending}", _with(test, given))
    return generic_cls


def _with(test: Any, given: dict[str, Any]) -> Any:
    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return test(self, *args, **given, **kwargs)

    for name in ("parametrized", "__wrapped__"):  # pytest would take the parameters for fixtures
        delattr(run, name)
    return run


def run_tests(argv: list[str] | None = None) -> None:
    """Run the tests of the module that is the program."""
    unittest.main(argv=argv)


__all__ = [
    "TestCase", "instantiate_parametrized_tests", "make_tensor", "parametrize", "run_tests",
    "subtest",
]  # fmt: skip
