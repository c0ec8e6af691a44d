"""Gradients that know which rows they touch."""

from __future__ import annotations

from typing import Any

import chainrule as cr


class RowGradient(cr.Tensor):
    """A gradient of few rows of a large matrix, such as an embedding's with `sparse=True`.

    It is an ordinary tensor that also knows its rows, and looks like a sparse one to optimizers.

    >>> import chainrule as torch
    >>> from chainrule.optim.row_gradient import RowGradient
    >>> table = torch.zeros(4, 2, requires_grad=True)
    >>> table.grad = RowGradient.of(torch.ones(4, 2), [1, 3, 1])
    >>> table.grad.is_sparse, table.grad._indices()
    (True, tensor([[1, 3]]))
    """

    made = False  # whether there ever was one: until then no optimizer need look for them

    @classmethod
    def of(cls, dense: Any, rows: Any) -> Any:
        """The gradient with the rows that were used, repeated or not."""
        RowGradient.made = True
        made = dense.detach()
        made.__class__ = cls
        made.__dict__["rows"] = cr.unique(cr.as_tensor(rows, dtype=cr.int64).flatten())
        return made

    @property
    def is_sparse(self) -> bool:
        return True

    def coalesce(self) -> Any:
        """Itself: its rows are listed once."""
        return self

    def to_dense(self, *args: Any, **kwargs: Any) -> Any:
        """The same memory as an ordinary tensor."""
        dense = self.detach()
        dense.__class__ = cr.Tensor
        return dense

    def _indices(self) -> Any:
        return self.__dict__["rows"].unsqueeze(0)

    def _values(self) -> Any:
        return self.to_dense()[self.__dict__["rows"]]
