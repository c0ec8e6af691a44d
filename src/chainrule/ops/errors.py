"""Errors that forward functions raise for values, not for types or shapes."""

from .schema import Refused

# PyTorch's names of the types that functions of real numbers refuse.
_WORDS = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def need_real(x, kernel):
    """Refuse integers and complex numbers, for functions of real numbers."""
    if x.dtype.kind in "biuc":
        word = _WORDS.get(x.dtype.name, x.dtype.name)
        raise Refused(
            NotImplementedError,
            f"\"{kernel}\" not implemented for '{word}': it is a function of real numbers. Fix: "
            f"{'take x.real, x.imag or x.abs()' if x.dtype.kind == 'c' else 'x.float()'} first.",
        )


MANY_STEPS = 100_000


def check_steps(count, what, fix):
    """Refuse a number that asks for as many steps, one after the other, when it is absurd."""
    if count > MANY_STEPS:
        raise Refused(
            RuntimeError, f"{what}: more than {MANY_STEPS} steps are not taken. Fix: {fix}"
        )


class LinAlgError(RuntimeError):
    """A matrix without the property an algorithm needs (regular, positive definite, ...)."""


class Refusal(RuntimeError, ValueError):
    """A value that an op does not take: what is wrong, and the fix. Callers add the line."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(f"{what}\n  Fix: {fix}" if fix else what)
        self.what = what
        self.fix = fix
