"""Distributions given by probabilities or by their logits: what these share."""

from __future__ import annotations

from typing import Any

from .utils import lazy_property, logits_to_probs, probs_to_logits


class BinaryParameter:
    """`probs` or `logits` (log-odds), whichever is given; the other follows when asked for."""

    def _choose(self, probs: Any, logits: Any) -> tuple[str, Any]:
        """The name and value of the one that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("probs", probs) if logits is None else ("logits", logits)

    @property
    def _param(self) -> Any:
        """The one that was given."""
        given = self.__dict__
        return given["probs"] if self._given == "probs" else given["logits"]

    _given: str

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._given = self._given

    @lazy_property
    def logits(self) -> Any:
        """Log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        """Probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)


class OfCategorical:
    """A distribution around a Categorical: its parameters are that one's."""

    _categorical: Any

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._categorical = self._categorical.expand(batch_shape)

    _param = property(lambda self: self._categorical._param)

    @property
    def probs(self) -> Any:
        """Probabilities of the categories."""
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        """Log-probabilities of the categories."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._categorical.param_shape

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._categorical._new(*args, **kwargs)
