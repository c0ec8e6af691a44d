"""Quick figures for a layer or a transformer, by formula.

These are estimates on the back of an envelope, to be known before a model exists. `estimate` looks
at the model itself; the two are different functions.
"""

from __future__ import annotations

from typing import Any

from ..autograd.accidents import explain_module
from ..ops import dtypes
from ..ops.allocation import in_units
from ..reading.terminal import Block, Report, Table

# Bytes that each token, channel and layer of a transformer keep in half precision, all in all.
BYTES_PER_TOKEN_AND_CHANNEL = 20


class RuleOfThumb(Report):
    """Bytes by a formula, with its terms."""

    def __init__(self, title: str, total: int, formula: str, terms: dict[str, int]) -> None:
        self.title = title
        self.bytes = total
        self.formula = formula
        self.terms = terms  # of the term-by-term count, which is another figure than `bytes`

    def __int__(self) -> int:
        return self.bytes

    def __index__(self) -> int:
        return self.bytes

    @property
    def scores(self) -> int:
        """Bytes of the attention scores of all layers, if they were held; 0 without attention."""
        return self.terms.get("scores N*H*S*S", 0)

    def blocks(self) -> list[Block]:
        rows = [(name, in_units(n)) for name, n in self.terms.items()]
        notes = []
        if self.scores:
            notes.append(
                f"the scores are {in_units(self.scores)} only where they are materialised; "
                "scaled_dot_product_attention never holds them"
            )
        head = f"{self.title}: about {in_units(self.bytes)} ({self.formula})"
        return [Table(head, ("term by term, all layers", "bytes"), rows, notes)]


def rule_of_thumb(
    *,
    batch: int,
    width: int,
    layers: int = 1,
    sequence: int | None = None,
    heads: int | None = None,
    dtype: Any = None,
) -> RuleOfThumb:
    """Activation memory of dense layers, or with `sequence` of a transformer.

    A dense layer keeps its result: batch x width numbers. A transformer keeps about 20 bytes per
    token, channel and layer in half precision, twice that in single. `terms` has the figures of a
    count term by term, attention scores included: with `heads` they show what materialised scores
    would take.

    >>> from chainrule import memory
    >>> memory.rule_of_thumb(batch=32, width=4096).bytes
    524288
    >>> memory.rule_of_thumb(batch=32, width=4096, layers=96).bytes / 1e6
    50.331648
    >>> import chainrule as torch
    >>> t = memory.rule_of_thumb(
    ...     batch=8, sequence=2048, width=768, heads=12, layers=12, dtype=torch.float16
    ... )
    >>> round(t.bytes / 1e9, 2), round(t.scores / 1e9, 1)
    (3.02, 9.7)
    """
    for name, value in (("batch", batch), ("width", width), ("layers", layers)):
        if value < 1:
            raise ValueError(f"rule_of_thumb: {name} is {value}, expected at least 1")
    kind = dtype or dtypes.get_default_dtype()
    size = kind.itemsize
    if sequence is None:
        if heads is not None:
            raise ValueError("rule_of_thumb: heads are those of a transformer: give sequence= too")
        each = batch * width * size
        return RuleOfThumb(
            f"{layers} dense layer{'s' if layers > 1 else ''} of width {width}, batch {batch}",
            each * layers, f"batch x width x {size} bytes x layers",
            {"results N*D": each * layers},
        )  # fmt: skip
    tokens = batch * sequence * width
    per = BYTES_PER_TOKEN_AND_CHANNEL * size // 2
    one = tokens * size * layers
    terms = {
        "norms 2*N*S*D": 2 * one,
        "queries, keys, values 3*N*S*D": 3 * one,
        "scores N*H*S*S": batch * heads * sequence * sequence * size * layers if heads else 0,
        "attention output N*S*D": one,
        "projection N*S*D": one,
        "feed-forward, widened 4*N*S*D": 4 * one,
        "its activation 4*N*S*D": 4 * one,
    }
    title = f"{layers} transformer layers, N={batch} S={sequence} D={width}"
    terms = {name: n for name, n in terms.items() if n}
    return RuleOfThumb(title, tokens * layers * per, f"N*S*D*layers*{per} bytes", terms)


explain_module(globals())
