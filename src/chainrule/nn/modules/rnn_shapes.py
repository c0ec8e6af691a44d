"""The inputs and states that recurrent layers take, and what they say about others."""

from __future__ import annotations

from typing import Any

from ... import Tensor, zeros
from ...autograd import refusal, source


class StateShapes:
    """The part of a recurrent layer that knows the shapes of its input and states."""

    input_size: int
    hidden_size: int
    proj_size: int
    num_layers: int
    bidirectional: bool
    batch_first: bool
    _flat_weights_names: list[str]

    def _state_widths(self) -> tuple[int, ...]:
        return (self.hidden_size,)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input of another type, rank or width than the layer's."""
        weight = getattr(self, self._flat_weights_names[0])
        if input.dtype is not weight.dtype:
            raise refusal.value(
                f"RNN input dtype ({input.dtype!r}) does not match weight dtype "
                f"({weight.dtype!r}). Convert input: input.to({weight.dtype!r}), or convert "
                f"model: model.to({input.dtype!r})",
                f"in {self!r}",
            )
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise refusal.runtime(
                f"input must have {rank} dimensions, got {input.dim()}", f"in {self!r}"
            )
        if input.shape[-1] != self.input_size:
            raise refusal.runtime(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.shape[-1]}",
                f"in {self!r}",
                fix=f"input_size={input.shape[-1]}, or put the features, not the time steps, into "
                "the last dimension.",
            )

    def _state_shape(self, batch: int, width: int) -> tuple[int, int, int]:
        return self.num_layers * (2 if self.bidirectional else 1), batch, width

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """The shape of the hidden state for this input."""
        return self._state_shape(
            self._batch(input, batch_sizes), self.proj_size or self.hidden_size
        )

    def _batch(self, input: Tensor, batch_sizes: Tensor | None) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.shape[0 if self.batch_first else 1]

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:  # fmt: skip
        """Refuse a state of another shape than expected."""
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(
                msg.format(expected_hidden_size, list(hx.shape))
                + f"\n  (layers and directions, batch, features) of {self!r}, at {source.here()}"
            )

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with its batch reordered."""
        if permutation is None:
            return hx
        if isinstance(hx, tuple):
            return tuple(h.index_select(1, permutation) for h in hx)
        return hx.index_select(1, permutation)

    def _first_state(self, input: Tensor, hx: Any, sizes: Tensor | None, batched: bool) -> Any:
        if hx is None:
            self.check_input(input, sizes)
            batch = self._batch(input, sizes)
            made = tuple(
                zeros(self._state_shape(batch, w), dtype=input.dtype) for w in self._state_widths()
            )
            return made if len(made) > 1 else made[0]  # pyright: ignore[reportGeneralTypeIssues]
        states = hx if isinstance(hx, tuple | list) else (hx,)
        if len(states) != len(self._state_widths()):
            raise refusal.index(
                f"index 1 is out of bounds for dimension 0 with size 1: {type(self).__name__} "
                f"takes {len(self._state_widths())} states, got {len(states)}",
                fix="an LSTM's state is (h, c).",
            )
        rank = 3 if batched else 2
        if any(s.dim() != rank for s in states):
            raise RuntimeError(self._wrong_rank(states, rank) + f"\n  at {source.here()}")
        if not batched:
            states = tuple(s.unsqueeze(1) for s in states)
        hx = tuple(states) if len(self._state_widths()) > 1 else states[0]
        self.check_forward_args(input, hx, sizes)
        return hx

    def _wrong_rank(self, states: Any, rank: int) -> str:
        kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
        if len(states) > 1:
            got = ", ".join(f"{s.dim()}-D" for s in states)
            return f"For {kind} input, hx and cx should also be {rank}-D but got ({got}) tensors"
        return f"For {kind} input, hx should also be {rank}-D but got {states[0].dim()}-D tensor"
