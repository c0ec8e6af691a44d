"""Sequences of different lengths as one tensor: padded, or packed step after step.

A packed sequence holds the rows of step 0 of all sequences, then those of step 1 of the sequences
that are longer than one, and so on; sequences are in the order of falling length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ... import Tensor, as_tensor, full, int64, tensor
from ...autograd import refusal, source
from ...autograd.accidents import explain_module

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence",
    "pad_packed_sequence", "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence_(NamedTuple):
    """The four parts of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """Rows of all sequences, step after step, and how many sequences have each step.

    Made by `pack_padded_sequence` and `pack_sequence`; every recurrent layer takes and returns it.

    >>> import chainrule as torch
    >>> pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
    PackedSequence(data=tensor([1, 4, 2, 5, 3]), batch_sizes=tensor([2, 2, 1]), \
sorted_indices=None, unsorted_indices=None)
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> PackedSequence:  # fmt: skip
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise refusal.assertion(
                    "Expected data to be a list or tuple of length 2, (data, batch_sizes), where "
                    "batch_sizes is not given"
                )
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data: Tensor) -> PackedSequence:
        return self if data is self.data else type(self)(data, *self[1:])

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence with its data converted; itself where nothing changes."""
        return self._with(self.data.to(*args, **kwargs))

    def pin_memory(self) -> PackedSequence:
        """The sequence itself: all memory is the CPU's."""
        return self

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence on the CPU."""
        return self.to("cpu", *args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence on the GPU, where there is one."""
        return self._with(self.data.cuda(*args, **kwargs))

    def double(self) -> PackedSequence:
        """The data as float64."""
        return self._with(self.data.double())

    def float(self) -> PackedSequence:
        """The data as float32."""
        return self._with(self.data.float())

    def half(self) -> PackedSequence:
        """The data as float16."""
        return self._with(self.data.half())

    def long(self) -> PackedSequence:
        """The data as int64."""
        return self._with(self.data.long())

    def int(self) -> PackedSequence:
        """The data as int32."""
        return self._with(self.data.int())

    def short(self) -> PackedSequence:
        """The data as int16."""
        return self._with(self.data.short())

    def char(self) -> PackedSequence:
        """The data as int8."""
        return self._with(self.data.char())

    def byte(self) -> PackedSequence:
        """The data as uint8."""
        return self._with(self.data.byte())

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether the data is in pinned memory: never here."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another one.

    >>> import chainrule as torch
    >>> invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return permutation.argsort()


# ---- packing -------------------------------------------------------------------------------------


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences (steps, batch, ...), or (batch, steps, ...) with `batch_first`.

    >>> import chainrule as torch
    >>> padded = torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
    >>> pack_padded_sequence(padded, [2, 1, 3], batch_first=True, enforce_sorted=False).data
    tensor([4, 1, 3, 5, 2, 6])
    """
    lengths = as_tensor(lengths, dtype=int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    x = input.transpose(0, 1) if batch_first else input
    counts = lengths.numpy()
    _check_lengths(counts, x)
    sizes = _sizes_of(counts)
    data = x.reshape(-1, *x.shape[2:]).index_select(0, tensor(_places(sizes, x.shape[1])))
    return PackedSequence(data, tensor(sizes), sorted_indices, None)


def _check_lengths(lengths: np.ndarray, x: Tensor) -> None:
    where = source.here()
    if 0 in x.shape:
        raise RuntimeError(f"Cannot pack empty tensors: its shape is {list(x.shape)}\n  at {where}")
    if len(lengths) != x.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
            f"(batch_size={x.shape[1]})\n  at {where}"
        )
    if (lengths <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            f"that is <= 0: {lengths.tolist()}\n  at {where}"
        )
    if (np.diff(lengths) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            f"sidestep this requirement.\n  lengths {lengths.tolist()}, at {where}"
        )
    if lengths[0] > x.shape[0]:
        raise RuntimeError(
            f"a length of {lengths[0]} is more than the {x.shape[0]} steps of the padded input\n"
            f"  at {where}\n  Fix: give batch_first=True if the batch is the first dimension."
        )


def _sizes_of(lengths: np.ndarray) -> np.ndarray:
    """How many sequences have each step."""
    return (lengths[None, :] > np.arange(lengths[0])[:, None]).sum(1)


def _places(sizes: np.ndarray, batch: int) -> np.ndarray:
    """The packed rows' positions among the rows of the padded sequences, step after step."""
    there = np.arange(batch)[None, :] < sizes[:, None]
    return np.flatnonzero(there)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """(padded sequences, their lengths), in the order in which they were packed.

    >>> import chainrule as torch
    >>> packed = pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
    >>> pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 5, 0]]), tensor([3, 2]))
    """
    data, batch_sizes, _, unsorted = sequence
    sizes = batch_sizes.numpy()
    if not len(sizes):
        raise refusal.runtime("batch_sizes can not be empty")
    steps, batch = len(sizes), int(sizes[0])
    if total_length is not None and total_length < steps:
        raise refusal.value(
            "Expected total_length to be at least the length of the longest sequence in input, but "
            f"got total_length={total_length} and max sequence length being {steps}"
        )
    steps = steps if total_length is None else total_length
    blank = full((steps * batch, *data.shape[1:]), padding_value, dtype=data.dtype)
    rows = blank.index_copy(0, tensor(_places(sizes, batch)), data)
    padded = rows.view(steps, batch, *data.shape[1:])
    lengths = tensor((sizes[None, :] > np.arange(batch)[:, None]).sum(1))
    if batch_first:
        padded = padded.transpose(0, 1)
    if unsorted is not None:
        return padded.index_select(0 if batch_first else 1, unsorted), lengths[unsorted]
    return padded, lengths


# ---- padding -------------------------------------------------------------------------------------


def pad_sequence(
    sequences: Tensor | list[Tensor] | tuple[Tensor, ...],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (steps, ...) side by side as (longest, batch, ...), filled up at one side.

    >>> import chainrule as torch
    >>> pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not isinstance(sequences, Iterable):
        raise refusal.runtime(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise refusal.runtime("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise refusal.runtime(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    if sequences[0].dim() == 0:
        raise refusal.runtime("pad_sequence: sequences are single numbers")
    longest = max(s.shape[0] for s in sequences)
    trailing = sequences[0].shape[1:]
    for k, s in enumerate(sequences):
        if s.shape[1:] != trailing:
            raise refusal.runtime(
                f"The size of tensor a {list(trailing)} must match the size of tensor b "
                f"{list(s.shape[1:])}: sequences 0 and {k} differ in more than their length"
            )
    filled = [_filled(s, longest, padding_value, padding_side == "left") for s in sequences]
    from ... import stack

    return stack(filled, 0 if batch_first else 1)


def _filled(s: Tensor, length: int, value: float, left: bool) -> Tensor:
    missing = length - s.shape[0]
    if not missing:
        return s
    from ... import cat

    blank = full((missing, *s.shape[1:]), value, dtype=s.dtype)
    return cat([blank, s] if left else [s, blank])


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of a padded batch.

    >>> import chainrule as torch
    >>> unpad_sequence(torch.tensor([[1, 4], [2, 0]]), torch.tensor([2, 1]))
    [tensor([1, 2]), tensor([4])]
    """
    padded = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [s[:n] for s, n in zip(padded.unbind(0), lengths.tolist(), strict=True)]


def pack_sequence(
    sequences: list[Tensor] | tuple[Tensor, ...], enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a list of sequences (steps, ...).

    >>> import chainrule as torch
    >>> pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).batch_sizes
    tensor([2, 1])
    """
    lengths = tensor([s.shape[0] for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that were packed.

    >>> import chainrule as torch
    >>> unpack_sequence(pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]))
    [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


explain_module(
    globals(), "pack_padded_sequence", "pad_packed_sequence", "pad_sequence", "unpad_sequence",
    "pack_sequence", "unpack_sequence", "invert_permutation",
)  # fmt: skip
