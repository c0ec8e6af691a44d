"""What a SummaryWriter writes, as encoded summaries: one function for each kind of content."""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Sequence
from typing import Any

import numpy as np

import chainrule as torch

from ...autograd import refusal
from . import histograms, messages, pictures


class Summary(bytes):
    """An encoded summary."""

    def SerializeToString(self) -> bytes:
        """The bytes, by the name that messages of the protobuf package have."""
        return bytes(self)


def as_array(value: Any) -> np.ndarray:
    """Values as an array: of a tensor, a list or a number."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.float().numpy() if value.dtype is torch.bfloat16 else value.numpy()
    return np.asarray(value)


# ---- numbers -------------------------------------------------------------------------------------


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False,
    double_precision: bool = False,
) -> Summary:  # fmt: skip
    """One number of a curve."""
    number = as_array(tensor).squeeze()
    if number.ndim:
        raise refusal.assertion(
            f"Tensor should contain one element (0 dimensions). Was given size: {number.size} and "
            f"{number.ndim} dimensions.",
            f"{name!r}",
        )
    if not new_style:
        return Summary(messages.summary(name, messages.simple_value(float(number))))
    stored = number.astype(np.float64 if double_precision else np.float32)
    content = messages.tensor(stored, with_shape=False)
    return Summary(messages.summary(name, content, messages.plugin("scalars")))


def tensor_proto(tag: str, tensor: Any) -> Summary:
    """The values of a tensor."""
    content = messages.tensor(as_array(tensor), with_shape=True)
    return Summary(messages.summary(tag, content, messages.plugin("tensor")))


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """How values are distributed."""
    content = histograms.of_values(as_array(values), bins, max_bins)
    return Summary(messages.summary(name, content))


def histogram_raw(
    name: str, min: float, max: float, num: int, sum: float, sum_squares: float,  # noqa: A002
    bucket_limits: Any, bucket_counts: Any,
) -> Summary:  # fmt: skip
    """A histogram that is counted already."""
    content = messages.histogram(min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
    return Summary(messages.summary(name, content))


# ---- text, pictures, sound -----------------------------------------------------------------------


def text(tag: str, text: str) -> Summary:
    """Text in Markdown."""
    content = messages.string_tensor(text)
    return Summary(messages.summary(f"{tag}/text_summary", content, messages.plugin("text")))


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """A picture, or a batch of pictures as one: floats from 0 to 1, or uint8."""
    return _picture(tag, pictures.as_pixels(as_array(tensor), dataformats), rescale)


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW",
    labels: Sequence[str] | None = None,
) -> Summary:  # fmt: skip
    """A picture with rectangles (left, top, right, bottom) drawn on it, and labels beside them."""
    pixels = pictures.as_pixels(as_array(tensor_image), dataformats)
    boxes = as_array(tensor_boxes)
    if labels is not None and len(labels) != len(boxes):
        labels = None  # as PyTorch does
    return _picture(tag, pictures.with_boxes(pixels, boxes, labels), rescale)


def _picture(tag: str, pixels: np.ndarray, rescale: float) -> Summary:
    pixels = pictures.resized(pixels, rescale)
    height, width, channels = pixels.shape
    content = messages.image(height, width, channels, pictures.png(pixels))
    return Summary(messages.summary(tag, content))


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """Sound: values from -1 to 1."""
    samples = as_array(tensor).astype(np.float64).squeeze().reshape(-1)
    loudness = np.trunc(samples.clip(-1, 1) * np.iinfo(np.int16).max).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(sample_rate)
        made.writeframes(loudness.tobytes())
    content = messages.audio(sample_rate, len(samples), file.getvalue())
    return Summary(messages.summary(tag, content))


# ---- precision and recall ------------------------------------------------------------------------

_MOST_THRESHOLDS = 127


def pr_curve(
    tag: str, labels: Any, predictions: Any, num_thresholds: int = _MOST_THRESHOLDS,
    weights: Any = None,
) -> Summary:  # fmt: skip
    """Precision and recall of a classifier into two classes at evenly spaced thresholds."""
    count = min(num_thresholds, _MOST_THRESHOLDS)
    weights = None if weights is None else as_array(weights)
    rows = compute_curve(as_array(labels), as_array(predictions), count, weights)
    return _curve(tag, rows, count)


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any,
    num_thresholds: int = _MOST_THRESHOLDS, weights: Any = None,
) -> Summary:  # fmt: skip
    """A curve of precision and recall that is computed already."""
    rows = np.stack([as_array(row) for row in (tp, fp, tn, fn, precision, recall)])
    return _curve(tag, rows, min(num_thresholds, _MOST_THRESHOLDS))


def _curve(tag: str, rows: np.ndarray, thresholds: int) -> Summary:
    content = messages.tensor(rows.astype(np.float32), with_shape=True)
    about = messages.plugin("pr_curves", messages.integer(2, thresholds))
    return Summary(messages.summary(tag, content, about))


def compute_curve(
    labels: np.ndarray, predictions: np.ndarray, num_thresholds: int = _MOST_THRESHOLDS,
    weights: Any = None,
) -> np.ndarray:  # fmt: skip
    """Six rows: true and false positives, true and false negatives, precision and recall."""
    weights = 1.0 if weights is None else weights
    place = np.floor(predictions * (num_thresholds - 1)).astype(np.int32)

    def at_least(amount: np.ndarray) -> np.ndarray:
        """How much of it is predicted at each threshold or above."""
        edges = (0, num_thresholds - 1)
        counted, _ = np.histogram(place, bins=num_thresholds, range=edges, weights=amount)
        return counted[::-1].cumsum()[::-1]

    truth = labels.astype(np.float64)
    tp, fp = at_least(truth * weights), at_least((1.0 - truth) * weights)
    tn, fn = fp[0] - fp, tp[0] - tp
    smallest = 1e-7  # a count that is none
    precision = tp / np.maximum(smallest, tp + fp)
    return np.stack([tp, fp, tn, fn, precision, tp / np.maximum(smallest, tp + fn)])


# ---- charts, meshes, trials ----------------------------------------------------------------------


def custom_scalars(layout: dict[str, dict[str, Any]]) -> Summary:
    """Which curves share a chart: {category: {title: ["Multiline" or "Margin", [tags]]}}."""
    categories = b""
    for category, charts in layout.items():
        content = messages.text(1, category)
        for title, (kind, tags) in charts.items():
            content += messages.block(2, messages.text(1, title) + _chart(kind, tags))
        categories += messages.block(2, content)
    content = messages.string_tensor(categories, of_one=False)
    return Summary(
        messages.summary("custom_scalars__config__", content, messages.plugin("custom_scalars"))
    )


def _chart(kind: str, tags: Sequence[str]) -> bytes:
    if kind != "Margin":
        return messages.block(2, b"".join(messages.block(1, tag.encode()) for tag in tags))
    if len(tags) != 3:
        raise refusal.assertion(
            f"a margin chart takes three tags, got {len(tags)}",
            f"{list(tags)}: the value, its lower and its upper bound",
        )
    series = b"".join(messages.text(n, tag) for n, tag in enumerate(tags, 1))
    return messages.block(3, messages.block(1, series))


def mesh(
    tag: str, vertices: Any, colors: Any, faces: Any, config_dict: dict[str, Any] | None,
    display_name: str | None = None, description: str | None = None,
) -> Summary:  # fmt: skip
    """Points in space (batch, number, 3), with colors, and with faces of three points each."""
    vertex, face, color = 1, 2, 3
    parts = ((vertex, "VERTEX", vertices), (face, "FACE", faces), (color, "COLOR", colors))
    parts = [part for part in parts if part[2] is not None]
    components = sum(1 << kind for kind, _, _ in parts)
    settings = json.dumps(config_dict or {}, sort_keys=True)
    made = b""
    for kind, word, given in parts:
        values = as_array(given).astype(np.float32)
        shape = b"".join(messages.varint(size) for size in values.shape)
        about = messages.plugin(
            "mesh",
            messages.text(2, tag) + messages.integer(3, kind) + messages.text(5, settings)
            + messages.block(6, shape) + messages.integer(7, components),
        )  # fmt: skip
        more = messages.text(2, display_name or "") + messages.text(3, description or "")
        content = messages.tensor(values, with_shape=True)
        made += messages.summary(f"{tag}_{word}", content, about + more)
    return Summary(made)


def hparams(
    hparam_dict: dict[str, Any] | None = None, metric_dict: dict[str, Any] | None = None,
    hparam_domain_discrete: dict[str, list[Any]] | None = None,
) -> tuple[Summary, Summary, Summary]:  # fmt: skip
    """The three summaries of a trial: what there is, how it starts, that it ended well."""
    given = (("hparam_dict", hparam_dict), ("metric_dict", metric_dict))
    for name, value in given:
        if not isinstance(value, dict):
            raise refusal.wrong_type(
                f"parameter: {name} should be a dictionary, nothing logged. It is a "
                f"{type(value).__name__}"
            )
    domains = hparam_domain_discrete or {}
    parameters = _plain_parameters(hparam_dict or {}, domains)
    first, second, third = messages.hparams_summaries(parameters, metric_dict or {}, domains)
    return Summary(first), Summary(second), Summary(third)


def _plain_parameters(given: dict[str, Any], domains: dict[str, list[Any]]) -> dict[str, Any]:
    """Settings as numbers and texts; None is left out."""
    for name, choices in domains.items():
        fits = name in given and isinstance(choices, list)
        if not fits or not all(isinstance(c, type(given[name])) for c in choices):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )
    plain = {}
    for name, value in given.items():
        if isinstance(value, torch.Tensor):
            value = value.item()
        if isinstance(value, str | int | float):
            plain[name] = value
        elif value is not None:
            raise ValueError(
                "value should be one of int, float, str, bool, or torch.Tensor: "
                f"{name!r} is a {type(value).__name__}"
            )
    return plain
