"""Reading and writing pictures for `torchvision.io`, through Pillow."""

from __future__ import annotations

import contextlib
import functools
import io
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..serialization.files import open_regular, writing
from ..serialization.limits import reason
from . import registry
from .schema import FunctionSchema

# torchvision's ImageReadMode, as Pillow's modes.
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_ROWS = 256  # of a picture, computed on at once


def _pillow() -> Any:
    try:
        return import_module("PIL.Image")
    except ModuleNotFoundError:
        raise RuntimeError(
            "torchvision.io decodes and encodes pictures through Pillow, which is not installed\n"
            "  Fix: pip install pillow."
        ) from None


def _tensor(array: np.ndarray) -> Any:
    return import_module("chainrule").from_numpy(np.ascontiguousarray(array))


def read_file(filename: str) -> Any:
    """The bytes of a file."""
    with open_regular(filename) as file:
        return _tensor(np.frombuffer(file.read(), np.uint8).copy())


def write_file(filename: str, data: Any) -> None:
    """Write bytes to a file."""
    with writing(filename) as file:
        file.write(data.numpy().tobytes())


def _reading(decode: Callable[..., Any]) -> Callable[..., Any]:
    """What goes wrong in a picture's bytes is one error, whatever Pillow met there."""

    @functools.wraps(decode)
    def decoded(data: Any, *options: Any) -> Any:
        if data.ndim != 1 or data.dtype.name != "uint8" or not data.numel():
            raise RuntimeError("Expected a non empty 1-dimensional tensor of dtype torch.uint8")
        pillow = _pillow()
        try:
            return decode(pillow, data, *options)
        except (RuntimeError, MemoryError):
            raise
        except Exception as problem:
            raise RuntimeError(
                "Unsupported image file. Only jpeg, png, webp and gif are currently supported: "
                f"{type(problem).__name__}: {reason(problem)}"
            ) from None

    return decoded


def _opened(pillow: Any, data: Any, formats: tuple[str, ...]) -> Any:
    """The picture, if it is no larger than Pillow thinks sensible, with all that move in it."""
    picture = pillow.open(io.BytesIO(data.numpy().tobytes()), formats=formats)
    most, (width, height) = pillow.MAX_IMAGE_PIXELS, picture.size
    if most is not None and width * height > most:
        raise _too_large(data, f"{width} x {height} pixels", most)
    count = getattr(picture, "n_frames", 1) if picture.format == "GIF" else 1
    if most is not None and width * height * count > most:
        raise _too_large(data, f"{count} pictures of {width} x {height} pixels", most)
    return picture


def _too_large(data: Any, what: str, most: int) -> RuntimeError:
    return RuntimeError(
        f"its {data.numel()} bytes describe {what}, more than the {most} that Pillow takes for "
        "sensible: a decompression bomb?\n  Fix, if you trust it: PIL.Image.MAX_IMAGE_PIXELS = "
        "the number of pixels, or None."
    )


def _decoded(pillow: Any, data: Any, mode: int, exif: bool, formats: tuple[str, ...]) -> Any:
    picture = _opened(pillow, data, formats)
    if picture.format == "GIF":
        return _frames(picture)
    if picture.format == "JPEG" and mode == 1:
        picture.draft("L", picture.size)  # the file's own brightness, not one made of its colours
    if exif:
        with contextlib.suppress(Exception):  # what a broken note says of the picture is left out
            picture = import_module("PIL.ImageOps").exif_transpose(picture)
    wanted = _MODES.get(mode, "")
    if wanted in ("L", "LA") and picture.mode in ("RGB", "RGBA", "P"):
        return _tensor(_brightness(picture.convert("RGBA"), wanted == "LA"))
    if wanted and picture.mode != wanted:
        picture = picture.convert(wanted)
    elif not wanted and picture.mode in ("P", "1", "CMYK"):
        picture = picture.convert("RGB" if picture.mode != "1" else "L")
    values = np.asarray(picture)
    if values.dtype == np.int32:  # 16-bit grey of older Pillow
        values = values.astype(np.uint16)
    return _tensor(values[None] if values.ndim == 2 else values.transpose(2, 0, 1))


def _brightness(picture: Any, alpha: bool) -> np.ndarray:
    """Grey as libpng makes it of colours: weights of 15 bits; some rows at a time."""
    values = np.asarray(picture)
    made = np.empty((2 if alpha else 1, *values.shape[:2]), np.uint8)
    for first in range(0, len(values), _ROWS):
        rows = slice(first, first + _ROWS)
        red, green, blue = (values[rows, :, k].astype(np.int32) for k in range(3))
        made[0, rows] = (9794 * red + 19235 * green + 3739 * blue) >> 15
    if alpha:
        made[1] = values[..., 3]
    return made


def _frames(picture: Any) -> Any:
    """(channels, height, width), or with the pictures first where there are several."""
    count = getattr(picture, "n_frames", 1)
    made = np.empty((count, 3, *picture.size[::-1]), np.uint8)
    for k in range(count):
        picture.seek(k)
        made[k] = np.asarray(picture.convert("RGB")).transpose(2, 0, 1)
    return _tensor(made if count > 1 else made[0])


@_reading
def decode_image(pillow: Any, data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of any picture."""
    formats = ("JPEG", "PNG", "GIF", "WEBP")
    return _decoded(pillow, data, mode, apply_exif_orientation, formats)


@_reading
def decode_png(pillow: Any, data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of a PNG."""
    return _decoded(pillow, data, mode, apply_exif_orientation, ("PNG",))


@_reading
def decode_jpeg(pillow: Any, data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of a JPEG."""
    return _decoded(pillow, data, mode, apply_exif_orientation, ("JPEG",))


@_reading
def decode_webp(pillow: Any, data: Any, mode: int) -> Any:
    """(channels, height, width) of a WebP."""
    return _decoded(pillow, data, mode, False, ("WEBP",))


@_reading
def decode_gif(pillow: Any, data: Any) -> Any:
    """(channels, height, width), or with the pictures first where there are several."""
    return _frames(_opened(pillow, data, ("GIF",)))


def _encoded(image: Any, **options: Any) -> Any:
    if image.dtype.name != "uint8" or image.ndim != 3 or image.shape[0] not in (1, 3):
        raise RuntimeError(
            "Expected a uint8 picture of shape (1 or 3, height, width), got "
            f"{image.dtype} of shape {tuple(image.shape)}"
        )
    values = image.numpy().transpose(1, 2, 0)
    picture = _pillow().fromarray(values[:, :, 0] if values.shape[2] == 1 else values)
    buffer = io.BytesIO()
    picture.save(buffer, **options)
    return _tensor(np.frombuffer(buffer.getvalue(), np.uint8).copy())


def encode_png(image: Any, compression_level: int) -> Any:
    """The bytes of a PNG."""
    level = compression_level if 0 <= compression_level <= 9 else zlib.Z_DEFAULT_COMPRESSION
    return _encoded(image, format="PNG", compress_level=level)


def encode_jpeg(image: Any, quality: int) -> Any:
    """The bytes of a JPEG."""
    return _encoded(image, format="JPEG", quality=quality)


_READ = "Tensor data, int mode, bool apply_exif_orientation=False"
_SCHEMAS = {
    "read_file(str filename) -> Tensor": read_file,
    "write_file(str filename, Tensor data) -> ()": write_file,
    f"decode_image({_READ}) -> Tensor": decode_image,
    f"decode_png({_READ}) -> Tensor": decode_png,
    f"decode_jpeg({_READ}) -> Tensor": decode_jpeg,
    "decode_webp(Tensor data, int mode) -> Tensor": decode_webp,
    "decode_gif(Tensor data) -> Tensor": decode_gif,
    "encode_png(Tensor data, int compression_level) -> Tensor": encode_png,
    "encode_jpeg(Tensor data, int quality) -> Tensor": encode_jpeg,
}


def register() -> None:
    """Make them `torch.ops.image.*`."""
    for schema, function in _SCHEMAS.items():
        registry.define(FunctionSchema(f"image::{schema}")).kernels["CPU"] = function
