"""Arrays as pictures: to height, width and three channels, and then to PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def png(pixels: np.ndarray) -> bytes:
    """Pixels (height, width, channels) of uint8 as a PNG file."""
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row starts with "no filter"
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)


def as_pixels(array: np.ndarray, form: str, columns: int = 8) -> np.ndarray:
    """A picture, or a batch of pictures as one grid, as uint8 (height, width, 3 or 4)."""
    form = form.upper()
    if len(set(form)) != len(form) or not set(form) <= set("NCHW") or len(form) != array.ndim:
        raise ValueError(
            f"dataformats {form!r} does not describe an array of shape {list(array.shape)}: it has "
            "one letter per dimension, out of N, C, H and W"
        )
    bytes_already = array.dtype == np.uint8
    if "N" in form:
        ordered = _ordered(array, form, "NCHW")
        pixels = grid(ordered, columns).transpose(1, 2, 0)
    else:
        pixels = _ordered(array, form, "HWC")
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    if bytes_already:
        return pixels.astype(np.uint8)
    return (pixels.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)


def _ordered(array: np.ndarray, form: str, wanted: str) -> np.ndarray:
    """The array with its dimensions in the wanted order; a missing one has length 1."""
    for letter in wanted:
        if letter not in form:
            array, form = array[..., None], form + letter
    return array.transpose([form.index(letter) for letter in wanted])


def grid(pictures: np.ndarray, columns: int = 8) -> np.ndarray:
    """Pictures (number, channels, height, width) beside and below each other."""
    count, channels, height, width = pictures.shape
    if channels == 1:
        pictures, channels = np.repeat(pictures, 3, axis=1), 3
    columns = min(count, columns)
    rows = -(-count // columns)
    canvas = np.zeros((channels, rows * height, columns * width), pictures.dtype)
    for number, picture in enumerate(pictures):
        top, left = number // columns * height, number % columns * width
        canvas[:, top : top + height, left : left + width] = picture
    return canvas


def resized(pixels: np.ndarray, scale: float) -> np.ndarray:
    """Pixels of a picture whose sides are `scale` times as long."""
    if scale == 1:
        return pixels
    picture = _pillow().fromarray(pixels)
    size = int(picture.width * scale), int(picture.height * scale)
    return np.array(picture.resize(size, _pillow().Resampling.LANCZOS))


def with_boxes(pixels: np.ndarray, boxes: np.ndarray, labels: Sequence[str] | None) -> np.ndarray:
    """Pixels with red rectangles (left, top, right, bottom), each with its label inside."""
    from PIL import ImageDraw, ImageFont  # pyright: ignore[reportMissingImports]

    picture = _pillow().fromarray(pixels.copy())
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default()
    for number, (left, top, right, bottom) in enumerate(boxes.tolist()):
        around = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        pen.line(around, width=2, fill="Red")
        if labels is not None:
            word = labels[number]
            begin, above, end, below = font.getbbox(word)
            width, height = end - begin, below - above
            margin = np.ceil(0.05 * height)
            ground = [(left, bottom - height - 2 * margin), (left + width, bottom)]
            pen.rectangle(ground, fill="Red")
            pen.text((left + margin, bottom - height - margin), word, fill="black", font=font)
    return np.asarray(picture)


def _pillow() -> Any:
    try:
        from PIL import Image  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ImportError(
            "drawing on pictures and resizing them needs the package Pillow: pip install pillow"
        ) from None
    return Image
