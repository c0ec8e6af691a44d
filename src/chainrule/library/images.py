"""Reading and writing pictures for `torchvision.io`, through Pillow."""

from __future__ import annotations

import io
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from . import registry
from .schema import FunctionSchema

# torchvision's ImageReadMode, as Pillow's modes.
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


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
    return _tensor(np.frombuffer(Path(filename).read_bytes(), np.uint8).copy())


def write_file(filename: str, data: Any) -> None:
    """Write bytes to a file."""
    Path(filename).write_bytes(data.numpy().tobytes())


def _opened(data: Any, formats: tuple[str, ...] | None) -> Any:
    if data.ndim != 1 or data.dtype.name != "uint8" or not data.numel():
        raise RuntimeError("Expected a non empty 1-dimensional tensor of dtype torch.uint8")
    try:
        return _pillow().open(io.BytesIO(data.numpy().tobytes()), formats=formats)
    except OSError as problem:
        raise RuntimeError(
            "Unsupported image file. Only jpeg, png, webp and gif are currently supported: "
            f"{problem}"
        ) from None


def _decoded(data: Any, mode: int, exif: bool, formats: tuple[str, ...] | None) -> Any:
    picture = _opened(data, formats)
    if picture.format == "GIF":
        return decode_gif(data)
    if picture.format == "JPEG" and mode == 1:
        picture.draft("L", picture.size)  # the file's own brightness, not one made of its colours
    if exif:
        picture = import_module("PIL.ImageOps").exif_transpose(picture)
    wanted = _MODES.get(mode, "")
    if wanted in ("L", "LA") and picture.mode in ("RGB", "RGBA", "P"):
        return _tensor(_brightness(np.asarray(picture.convert("RGBA")), wanted == "LA"))
    if wanted and picture.mode != wanted:
        picture = picture.convert(wanted)
    elif not wanted and picture.mode in ("P", "1", "CMYK"):
        picture = picture.convert("RGB" if picture.mode != "1" else "L")
    values = np.asarray(picture)
    if values.dtype == np.int32:  # 16-bit grey of older Pillow
        values = values.astype(np.uint16)
    return _tensor(values[None] if values.ndim == 2 else values.transpose(2, 0, 1))


def _brightness(values: np.ndarray, alpha: bool) -> np.ndarray:
    """Grey as libpng makes it of colours: weights of 15 bits."""
    red, green, blue = (values[..., k].astype(np.int64) for k in range(3))
    grey = (9794 * red + 19235 * green + 3739 * blue) >> 15
    grey = grey.astype(np.uint8)
    return np.stack([grey, values[..., 3]]) if alpha else grey[None]


def decode_image(data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of any picture."""
    return _decoded(data, mode, apply_exif_orientation, ("JPEG", "PNG", "GIF", "WEBP"))


def decode_png(data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of a PNG."""
    return _decoded(data, mode, apply_exif_orientation, ("PNG",))


def decode_jpeg(data: Any, mode: int, apply_exif_orientation: bool) -> Any:
    """(channels, height, width) of a JPEG."""
    return _decoded(data, mode, apply_exif_orientation, ("JPEG",))


def decode_webp(data: Any, mode: int) -> Any:
    """(channels, height, width) of a WebP."""
    return _decoded(data, mode, False, ("WEBP",))


def decode_gif(data: Any) -> Any:
    """(channels, height, width), or with the pictures first where there are several."""
    picture = _opened(data, ("GIF",))
    frames = []
    for k in range(getattr(picture, "n_frames", 1)):
        picture.seek(k)
        frames.append(np.asarray(picture.convert("RGB")).transpose(2, 0, 1))
    return _tensor(np.stack(frames) if len(frames) > 1 else frames[0])


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
