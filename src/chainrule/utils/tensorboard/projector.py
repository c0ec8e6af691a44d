"""Embeddings as the files that TensorBoard's projector reads."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd import refusal
from . import pictures
from .summary import as_array

_WIDEST = 8192  # pixels of a sprite, more is not drawn


def write_embedding(
    folder: str, place: str, mat: Any, metadata: Any, label_img: Any, header: Any
) -> str:
    """Write the files of one embedding below `folder/place`; what lists them is returned."""
    rows = as_array(mat)
    if rows.ndim != 2:
        raise refusal.assertion(
            f"mat should be 2D, where mat.size(0) is the number of data points. It has {rows.ndim}"
        )
    os.makedirs(os.path.join(folder, place), exist_ok=True)
    listed = [f'tensor_name: "{_name_of(place)}"']
    if metadata is not None:
        _check_count("labels", len(metadata), len(rows))
        _write_table(os.path.join(folder, place, "metadata.tsv"), metadata, header)
        listed.append(f'metadata_path: "{place}/metadata.tsv"')
    if label_img is not None:
        images = as_array(label_img)
        _check_count("images", len(images), len(rows))
        with open(os.path.join(folder, place, "sprite.png"), "wb") as file:
            file.write(pictures.png(_sprite(images)))
        size = images.shape[3], images.shape[2]
        listed += [
            "sprite {",
            f'  image_path: "{place}/sprite.png"',
            *(f"  single_image_dim: {n}" for n in size),
            "}",
        ]
    with open(os.path.join(folder, place, "tensors.tsv"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(str(x) for x in row) + "\n" for row in rows.tolist())
    listed.append(f'tensor_path: "{place}/tensors.tsv"')
    return "embeddings {\n" + "".join(f"  {line}\n" for line in listed) + "}\n"


def _name_of(place: str) -> str:
    step, _, tag = place.partition("/")
    return f"{tag}:{step}"


def _check_count(what: str, given: int, wanted: int) -> None:
    if given != wanted:
        raise refusal.assertion(
            f"#{what} should equal with #data points", f"there are {given} and {wanted}"
        )


def _write_table(path: str, metadata: Sequence[Any], header: Sequence[Any] | None) -> None:
    """One row for each point: a text, or with a header as many cells as it has."""
    rows = [[str(one)] for one in metadata]
    if header:
        if any(len(row) != len(header) for row in metadata):
            raise refusal.assertion(
                "len of header must be equal to the number of columns in metadata",
                f"the header has {len(header)}",
            )
        rows = [[str(x) for x in row] for row in (header, *metadata)]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


def _sprite(images: np.ndarray) -> np.ndarray:
    """Pictures in a square, row by row."""
    count, _, height, width = images.shape
    side = math.ceil(math.sqrt(count))
    if height != width:
        raise refusal.assertion(f"Image should be square: it is {height} x {width}")
    if side * height > _WIDEST:
        raise refusal.assertion(
            f"Sprite too large, see add_embedding: {side * height} pixels wide, at most {_WIDEST}"
        )
    drawn = pictures.as_pixels(images, "NCHW", columns=side)
    whole = np.zeros((side * height, side * width, drawn.shape[2]), np.uint8)
    whole[: drawn.shape[0], : drawn.shape[1]] = drawn
    return whole
