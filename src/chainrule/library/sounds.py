"""The operators that torchaudio's compiled part registers, in NumPy and SciPy.

torchaudio wraps them in `autograd.Function`s of its own: here are values, and the gradients that
`rnnt_loss_forward` hands back beside its costs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..ops import interrupts
from . import registry
from .schema import FunctionSchema

_OVERDRIVE_DECAY, _DRY, _WET = 0.995, 0.5, 0.75


def _torch() -> Any:
    return import_module("chainrule")


def _operator(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        registry.define(FunctionSchema(schema)).kernels["CPU"] = function
        return function

    return register


@_operator("_torchaudio::cuda_version() -> int?")
def cuda_version() -> int | None:
    return None


@_operator("_torchaudio::is_align_available() -> bool?")
def is_align_available() -> bool:
    return True


# ---- filters: a recurrence along time, in double so that its rounding does not build up ----------


@_operator(
    "torchaudio::_lfilter_core_loop(Tensor input_signal_windows, Tensor a_coeff_flipped, "
    "Tensor(a!) padded_output_waveform) -> Tensor(a!)"
)
def lfilter_core_loop(x: Any, a_coeff_flipped: Any, padded_output_waveform: Any) -> Any:
    """y[t] = x[t] - sum of a[k] y[t-k], behind the outputs that the padding holds already."""
    interrupts.load("scipy.signal")
    from scipy import signal

    order = a_coeff_flipped.shape[1]
    result = padded_output_waveform.detach().double().numpy()
    signals = x.detach().double().numpy()
    for channel, flipped in enumerate(a_coeff_flipped.detach().double().numpy()):
        poles = np.concatenate([[1.0], flipped[::-1][1:]])
        for k, wave in enumerate(signals[:, channel]):
            before = result[k, channel, : order - 1][::-1]
            state = signal.lfiltic([1.0], poles, before) if order > 1 else None
            got = signal.lfilter([1.0], poles, wave, zi=state)
            result[k, channel, order - 1 :] = got if state is None else got[0]
    padded_output_waveform.copy_(_torch().from_numpy(result))
    return padded_output_waveform


@_operator(
    "torchaudio::_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, "
    "Tensor(b!) last_out, Tensor(c!) output_waveform) -> (Tensor(a!), Tensor(b!), Tensor(c!))"
)
def overdrive_core_loop(wave: Any, temp: Any, last_in: Any, last_out: Any, output: Any) -> Any:
    """The distorted signal without its mean, mixed with the clean one."""
    interrupts.load("scipy.signal")
    from scipy import signal

    torch = _torch()
    driven, before = temp.detach().double().numpy(), last_in.detach().double().numpy()
    state = (_OVERDRIVE_DECAY * last_out.detach().double().numpy() - before)[:, None]
    wet, _ = signal.lfilter([1.0, -1.0], [1.0, -_OVERDRIVE_DECAY], driven, axis=-1, zi=state)
    if driven.shape[-1]:
        last_in.copy_(torch.from_numpy(driven[:, -1]))
        last_out.copy_(torch.from_numpy(wet[:, -1]))
    output.copy_(torch.from_numpy(_DRY * wave.detach().double().numpy() + _WET * wet))
    return last_in, last_out, output


# ---- the transducer's loss -----------------------------------------------------------------------


@_operator(
    "torchaudio::rnnt_loss_forward(Tensor logits, Tensor targets, Tensor logit_lengths, "
    "Tensor target_lengths, int blank, float clamp, bool fused_log_softmax) -> (Tensor, Tensor)"
)
def rnnt_loss_forward(
    logits: Any, targets: Any, logit_lengths: Any, target_lengths: Any,
    blank: int, clamp: float, fused_log_softmax: bool,
) -> Any:  # fmt: skip
    """Costs of the samples, and their gradients with respect to `logits`."""
    _check_transducer(logits, targets, logit_lengths, target_lengths, blank)
    values = logits.detach().double().numpy()
    costs, gradients = np.zeros(len(values)), np.zeros_like(values)
    for k, scores in enumerate(values):
        steps, labels = int(logit_lengths[k]), int(target_lengths[k])
        chosen = targets[k, :labels].numpy()
        part = scores[:steps, : labels + 1]
        costs[k], gradients[k, :steps, : labels + 1] = _transducer(
            part, chosen, blank, fused_log_softmax
        )
    if clamp > 0:
        gradients = np.clip(gradients, -clamp, clamp)
    torch = _torch()
    return torch.from_numpy(costs).to(logits.dtype), torch.from_numpy(gradients).to(logits.dtype)


def _check_transducer(
    logits: Any, targets: Any, logit_lengths: Any, target_lengths: Any, blank: int
) -> None:
    if logits.dim() != 4:
        raise RuntimeError(
            f"logits must be 4-D (batch, time, target, class), got {logits.dim()} dimensions"
        )
    count, steps, places, classes = logits.shape
    if targets.dim() != 2 or targets.shape[0] != count:
        raise RuntimeError(
            "batch dimension mismatch between logits and targets: logits have the shape "
            f"{tuple(logits.shape)}, targets {tuple(targets.shape)}"
        )
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be within [0, logits.shape[-1]): {blank} of {classes}")
    for name, lengths, most in (
        ("output", logit_lengths, steps),
        ("target", target_lengths, places - 1),
    ):
        if tuple(lengths.shape) != (count,):
            raise RuntimeError(
                f"batch dimension mismatch between logits and {name} lengths: {count} samples, "
                f"lengths of shape {tuple(lengths.shape)}"
            )
        longest = int(lengths.max()) if count else most
        if longest != most:
            raise RuntimeError(
                f"{name} length mismatch: the longest is {longest}, and logits of shape "
                f"{tuple(logits.shape)} have room for {most}"
            )
    if targets.shape[1] != places - 1:
        raise RuntimeError(
            f"target length mismatch: targets have {targets.shape[1]} places, logits {places} - 1"
        )


def _transducer(
    scores: np.ndarray, chosen: np.ndarray, blank: int, fused: bool
) -> tuple[float, np.ndarray]:
    """Of one sample: the cost, and its gradient with respect to its scores (time, place, class)."""
    steps, places, _ = scores.shape
    logs = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True) if fused else scores
    row = np.arange(places - 1)
    stay, move = logs[:, :, blank], logs[:, row, chosen]
    forward = _lattice(stay[:-1], move)
    # Seen from the end it is the same lattice, and the last blank ends every path.
    backward = _lattice(stay[-2::-1, ::-1], move[::-1, ::-1])[::-1, ::-1] + stay[-1, -1]
    total = backward[0, 0]
    reached = forward - total
    gradient = np.exp(reached + backward)[:, :, None] * np.exp(logs) if fused else 0 * logs
    after = np.full((steps, places), -np.inf)
    after[:-1] = backward[1:]
    after[-1, -1] = 0.0
    gradient[:, :, blank] -= np.exp(reached + stay + after)
    gradient[:, row, chosen] -= np.exp(reached[:, :-1] + move + backward[:, 1:])
    return -total, gradient


def _lattice(stay: np.ndarray, move: np.ndarray) -> np.ndarray:
    """Log-sums of the paths to (time, place): `stay` leads to the next step, `move` to a place."""
    steps, places = move.shape[0], move.shape[1] + 1
    sums = np.full((steps, places), -np.inf)
    sums[0, 0] = 0.0
    for t in range(steps):
        if t:
            sums[t] = sums[t - 1] + stay[t - 1]
        for u in range(1, places):
            sums[t, u] = np.logaddexp(sums[t, u], sums[t, u - 1] + move[t, u - 1])
    return sums


# ---- alignment -----------------------------------------------------------------------------------


@_operator(
    "torchaudio::forced_align(Tensor log_probs, Tensor targets, Tensor input_lengths, "
    "Tensor target_lengths, int blank) -> (Tensor, Tensor)"
)
def forced_align(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int
) -> Any:
    """The most probable path of labels and blanks (CTC), and the scores it was found in."""
    if log_probs.shape[0] != 1 or targets.shape[0] != 1:
        raise RuntimeError(
            "The batch dimension for log_probs must be 1 at the current version, and is "
            f"{log_probs.shape[0]}; that of targets {targets.shape[0]}"
        )
    scores, labels = log_probs[0].detach().double().numpy(), targets[0].numpy()
    steps, repeats = len(scores), int((labels[1:] == labels[:-1]).sum())
    if len(labels) != int(target_lengths[0]) or steps != int(input_lengths[0]):
        raise RuntimeError(
            f"lengths mismatch: {steps} steps and {len(labels)} labels, and the lengths say "
            f"{int(input_lengths[0])} and {int(target_lengths[0])}"
        )
    if steps < len(labels) + repeats:
        raise RuntimeError(
            f"targets length is too long for CTC. Found log_probs length: {steps}, targets "
            f"length: {len(labels)}, and number of repeats: {repeats}"
        )
    path = _best_path(scores, labels, blank)
    found = _torch().from_numpy(path).to(targets.dtype)
    return found.unsqueeze(0), log_probs.detach()


def _best_path(scores: np.ndarray, labels: np.ndarray, blank: int) -> np.ndarray:
    states = np.full(2 * len(labels) + 1, blank, np.int64)
    states[1::2] = labels
    may_skip = np.zeros(len(states), bool)  # the blank between two labels that differ
    may_skip[3::2] = labels[1:] != labels[:-1]
    best = np.full(len(states), -np.inf)
    best[:2] = scores[0, states[:2]]
    came_from = np.zeros((len(scores), len(states)), np.int64)
    for t in range(1, len(scores)):
        choices = np.full((3, len(states)), -np.inf)
        choices[0] = best
        choices[1, 1:] = best[:-1]
        choices[2, 2:] = np.where(may_skip[2:], best[:-2], -np.inf)
        came_from[t] = choices.argmax(axis=0)
        best = choices.max(axis=0) + scores[t, states]
    at = len(states) - 1 if len(states) == 1 or best[-1] > best[-2] else len(states) - 2
    path = np.empty(len(scores), np.int64)
    for t in range(len(scores) - 1, -1, -1):
        path[t] = states[at]
        at -= came_from[t, at]
    return path
