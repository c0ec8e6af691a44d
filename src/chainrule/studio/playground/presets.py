"""Runs that show the classics, each with what to look for; `pace` is in steps a second."""

from __future__ import annotations

from typing import Any

_DEEP = {
    "data": "circles", "layers": [8] * 10, "activation": "sigmoid",
    "optimizer": "adam", "lr": 0.005,
}  # fmt: skip
PRESETS: list[dict[str, Any]] = [
    {"name": "A first network", "config": {},
     "about": "Two hidden layers find a ring. Watch the boundary close and the loss fall."},
    {"name": "Vanishing gradients", "config": _DEEP,
     "about": "Ten sigmoid layers: each hands back at most a quarter. Look at the norms by "
              "layer; the first ones learn nothing."},
    {"name": "The cure: residuals and norms",
     "config": {**_DEEP, "residual": True, "norm": "layer"},
     "about": "The same depth, rate and seed with a way around every layer: the gradient reaches "
              "the first one, and the ring is found in about 50 epochs."},
    {"name": "Exploding RNN",
     "config": {"data": "first of a sequence", "layers": [8], "gain": 1.6, "lr": 0.01,
                "length": 30, "batch": 200},
     "about": "The recurrent matrix multiplies by 1.6 at every step, 30 times, and the gradient "
              "by as much on its way back: take one epoch, which is one step here, and look at "
              "its size along the sequence. That step throws the weights far off; the next loss "
              "is no number any more. Set the gain to 1.0 and start again."},
    {"name": "Dead ReLU",
     "config": {"activation": "relu", "init": "negative bias", "layers": [8, 8]},
     "about": "Every unit starts below zero: no slope, no gradient, nothing moves again."},
    {"name": "Bad initialization", "config": {"init": "all equal", "layers": [6, 6]},
     "about": "Units that start alike get the same gradient and stay alike: one unit per layer."},
    {"name": "Too high a rate", "config": {"data": "line", "layers": [], "lr": 3.2, "batch": 200},
     "about": "Each step overshoots by more than the last. Halve the rate and run again."},
    {"name": "Saddle", "config": {"data": "saddle", "layers": [], "lr": 0.05, "batch": 1},
     "pace": 20,
     "about": "Plain descent slows down at the saddle and waits; momentum and Adam leave sooner."},
    {"name": "Softmax and cross-entropy: p \u2212 t",
     "config": {"data": "blobs", "layers": [], "lr": 0.5, "batch": 1},
     "about": "Step one example: the gradient that arrives at the scores is the probability minus "
              "the target, nothing else."},
]  # fmt: skip

__all__ = ["PRESETS"]
