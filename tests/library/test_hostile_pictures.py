"""Pictures of strangers: one kind of error, and no more pixels than are sensible."""

import os
import struct
import sys
import types
import zlib

import numpy as np
import pytest

import chainrule as torch

ANY = torch.ones(20, dtype=torch.uint8)
DECODE = [
    lambda data: torch.ops.image.decode_image(data, 0, True),
    lambda data: torch.ops.image.decode_png(data, 2, False),
    lambda data: torch.ops.image.decode_jpeg(data, 1, True),
    lambda data: torch.ops.image.decode_webp(data, 0),
    lambda data: torch.ops.image.decode_gif(data),
]


@pytest.fixture(autouse=True)
def operators():
    torch.ops.load_library("/anywhere/torchvision/_C.so")


class Picture:
    """What Pillow gives for a file whose head promises much."""

    def __init__(self, size, frames=1, problem=None, kind="GIF"):
        self.size, self.n_frames, self.problem, self.format = size, frames, problem, kind
        self.mode = "RGB"

    def seek(self, k):
        raise self.problem or AssertionError("its pixels are read")

    def convert(self, mode):
        raise self.problem or AssertionError("its pixels are read")

    draft = __array__ = convert


@pytest.fixture
def pillow(monkeypatch):
    """A Pillow that finds a given picture in every file."""
    module = types.ModuleType("PIL.Image")
    module.MAX_IMAGE_PIXELS = 10_000
    package = types.ModuleType("PIL")
    package.Image = module
    monkeypatch.setitem(sys.modules, "PIL", package)
    monkeypatch.setitem(sys.modules, "PIL.Image", module)

    def found(picture):
        module.open = lambda file, formats: picture
        return module

    return found


@pytest.mark.parametrize("decode", DECODE)
def test_more_pixels_than_are_sensible_are_refused_unread(decode, pillow):
    pillow(Picture((101, 100)))
    with pytest.raises(RuntimeError, match=r"101 x 100 pixels, more than the 10000"):
        decode(ANY)
    pillow(Picture((50, 50), frames=5))
    with pytest.raises(RuntimeError, match="5 pictures of 50 x 50 pixels"):
        decode(ANY)


def test_whoever_trusts_a_picture_says_so_to_pillow(pillow):
    module = pillow(Picture((101, 100), problem=OSError("read after all")))
    module.MAX_IMAGE_PIXELS = None
    with pytest.raises(RuntimeError, match="OSError: read after all"):
        DECODE[0](ANY)


@pytest.mark.parametrize("decode", DECODE)
@pytest.mark.parametrize(
    "problem",
    [OSError("broken"), SyntaxError("broken"), struct.error("broken"), KeyError("broken"),
     EOFError("broken"), ValueError("broken\x1b[2J"), zlib.error("broken"), TypeError("broken")],
)  # fmt: skip
def test_whatever_pillow_meets_is_one_error(decode, problem, pillow):
    pillow(Picture((5, 5), problem=problem))
    with pytest.raises(RuntimeError, match=r"Unsupported image file.*broken") as caught:
        decode(ANY)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("data", [torch.ones(0, dtype=torch.uint8), torch.ones(3), ANY[None]])
def test_what_is_no_row_of_bytes_is_refused(data, pillow):
    pillow(Picture((5, 5)))
    for decode in DECODE:
        with pytest.raises(RuntimeError, match="non empty 1-dimensional"):
            decode(data)


def test_changed_bytes_of_real_pictures():
    image = pytest.importorskip("PIL.Image")
    import io

    chance = np.random.default_rng(0)
    for kind in ("PNG", "JPEG", "GIF", "WEBP"):
        file = io.BytesIO()
        image.fromarray(chance.integers(0, 255, (12, 16, 3), dtype=np.uint8)).save(file, kind)
        good = np.frombuffer(file.getvalue(), np.uint8)
        for _ in range(40):
            bad = good.copy()
            bad[chance.integers(0, len(bad), 3)] = chance.integers(0, 255, 3)
            for decode in DECODE:
                try:
                    decode(torch.from_numpy(bad))
                except RuntimeError:
                    continue


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(OSError, match="pipe"):
        torch.ops.image.read_file(str(tmp_path / "pipe.png"))
    with pytest.raises(FileNotFoundError):
        torch.ops.image.read_file(str(tmp_path / "gone.png"))
