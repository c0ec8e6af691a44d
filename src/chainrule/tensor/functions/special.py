"""The public names of the special functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops.special import RECURRENCES
from ..api import public
from ..signatures import wrong_type
from .common import P, TensorBase

if TYPE_CHECKING:
    from ..annotations import Operand, Tensor


def _expose_polynomial(name: str) -> None:
    def function(input: Tensor, n: Operand) -> Tensor:
        return P.polynomial(input, n, family=name, order=0)

    words = name.split("_polynomial_")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {words[0].replace('_', ' ')} polynomial {words[1].upper()} of degree n at input."
    )
    public(namespace="special")(function)


for _name in RECURRENCES:
    _expose_polynomial(_name)


@public(inplace=True, aliases=("special.polygamma",))
def polygamma(*args: Any, **named: Any) -> Tensor:
    """polygamma(n, input), the n-th derivative of digamma; the method is `x.polygamma(n)`."""
    n, input = _order_and_input(args, named)
    order: Any = n
    if order < 0:
        raise refusal.runtime(f"polygamma(n, x) does not support negative n. Got n={n}")
    return P.polygamma(input, n=int(order))


def _order_and_input(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    given = [*args, *(named[n] for n in ("n", "input", "x", "a", "x1") if n in named)]
    if len(given) != 2 or len(args) + len(named) != 2:
        raise TypeError(
            f"polygamma() received an invalid combination of arguments: it takes an order n and a "
            f"tensor, got {len(args)} by position and {sorted(named)}"
        )
    n, x = given if isinstance(given[1], TensorBase) else reversed(given)
    if not isinstance(x, TensorBase):
        raise wrong_type("polygamma", "input", 2, "Tensor", x)
    return n, x


@public(inplace=True, aliases=("special.multigammaln",))
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the p-dimensional gamma function."""
    if p < 1:
        raise refusal.runtime(f"p has to be greater than or equal to 1, got {p}")
    return P.mvlgamma(input, p=int(p))
