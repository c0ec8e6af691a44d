"""Event files: the records are those of PyTorch's SummaryWriter, byte for byte."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch
from chainrule.utils.tensorboard import SummaryWriter
from chainrule.utils.tensorboard.records import crc32c, masked
from data.board_cases import TIME, calls, charts, embeddings, hparams, plugins

RECORDED = json.loads((Path(__file__).parents[1] / "recorded" / "tensorboard.json").read_text())
CLOCK = 9  # the bytes of an event's time


def records(folder) -> list[bytes]:
    """The records of a folder's one file, with their checksums checked."""
    (path,) = Path(folder).glob("events.out.tfevents.*")
    data, found, position = path.read_bytes(), [], 0
    while position < len(data):
        length, checked = struct.unpack_from("<QI", data, position)
        assert checked == masked(crc32c(data[position : position + 8]))
        record = data[position + 12 : position + 12 + length]
        (checked,) = struct.unpack_from("<I", data, position + 12 + length)
        assert checked == masked(crc32c(record))
        found.append(record)
        position += length + 16
    return found


def test_every_record_is_pytorchs(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        calls(writer, torch)
    first, *rest = records(tmp_path)
    expected_first, *expected = [bytes.fromhex(text) for text in RECORDED["."]]
    assert first[CLOCK:] == expected_first[CLOCK:]
    assert rest == expected


def test_trials_are_pytorchs(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        hparams(writer)
    for run in ("trial", "text", "flag"):
        made = [record[CLOCK:].hex() for record in records(tmp_path / run)]
        assert made == [text[2 * CLOCK :] for text in RECORDED[run]]


def test_curves_and_meshes_are_pytorchs(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        plugins(writer, torch)
    assert [record.hex() for record in records(tmp_path)[1:]] == RECORDED["plugins"][1:]


def test_layouts_of_charts_are_pytorchs(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        charts(writer)
    made = [record[CLOCK:].hex() for record in records(tmp_path)]
    assert made == [text[2 * CLOCK :] for text in RECORDED["charts"]]
    with pytest.raises(AssertionError, match="a margin chart takes three tags, got 2"):
        writer.add_custom_scalars_marginchart(["a", "b"])


def test_embeddings_are_the_files_that_the_projector_reads(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        embeddings(writer, torch)
        made = {
            path.relative_to(tmp_path).as_posix(): path.read_text()
            for path in sorted(tmp_path.rglob("*"))
            if path.suffix in (".tsv", ".pbtxt")
        }
        assert made == RECORDED["projector"]
        sprite = pixels_of((tmp_path / "00003" / "first" / "sprite.png").read_bytes())
        assert sprite.shape == (8, 8, 3) and sprite[:4].min() == 85 and sprite[4:].max() == 0
        with pytest.warns(UserWarning, match="exists already and is replaced"):
            writer.add_embedding(torch.ones(2, 2))
        with pytest.raises(AssertionError, match="#labels should equal with #data points"):
            writer.add_embedding(torch.ones(2, 2), ["a"], tag="few")
        with pytest.raises(AssertionError, match="mat should be 2D"):
            writer.add_embedding(torch.ones(2), tag="flat")


def test_boxes_are_drawn_on_pictures(tmp_path):
    pytest.importorskip("PIL")
    with SummaryWriter(tmp_path) as writer:
        boxes = torch.tensor([[2.0, 2.0, 9.0, 9.0]])
        writer.add_image_with_boxes("boxes", torch.zeros(3, 12, 12), boxes)
        writer.add_image_with_boxes("half", torch.zeros(3, 12, 12), boxes, rescale=0.5)
    _, drawn, half = records(tmp_path)
    red = pixels_of(drawn)
    assert (red[2, 2:9, 0] == 255).all() and red[5, 5].max() == 0 and red[..., 1:].max() == 0
    assert pixels_of(half).shape == (6, 6, 3)


def test_summaries_made_by_hand_can_be_written(tmp_path):
    from chainrule.utils.tensorboard import summary

    with SummaryWriter(tmp_path) as writer:
        files = writer._get_file_writer()
        for made in summary.hparams({"lr": 0.1}, {"loss": 1.0}):
            files.add_summary(made)
        files.add_summary(summary.scalar("x", 2.0), 3)
    *_, last = records(tmp_path)
    assert summary.scalar("x", 2.0).SerializeToString() in last


def test_the_checksum_is_castagnolis():
    assert crc32c(b"") == 0 and crc32c(b"123456789") == 0xE3069283


def test_several_curves_of_one_chart_are_runs(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalars("loss/all", {"train": 1.0, "test": 2.0}, 3)
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == [
        "loss_all_test", "loss_all_train",
    ]  # fmt: skip
    assert b"loss/all" in records(tmp_path / "loss_all_train")[1]


def pixels_of(record: bytes) -> np.ndarray:
    """The pixels of the PNG file in an event."""
    data = record[record.index(b"\x89PNG") :]
    width, height, depth, colour = struct.unpack_from(">IIBB", data, 16)
    assert depth == 8 and colour == 2
    start = data.index(b"IDAT")
    (length,) = struct.unpack_from(">I", data, start - 4)
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + length]), np.uint8)
    rows = rows.reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


@pytest.mark.parametrize(
    ("shape", "form"),
    [((3, 4, 5), "CHW"), ((4, 5, 3), "HWC"), ((4, 5), "HW"), ((1, 4, 5), "CHW")],
)
def test_pictures(shape, form, tmp_path):
    values = torch.arange(float(np.prod(shape))).reshape(shape) / np.prod(shape)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("picture", values, 1, dataformats=form)
        writer.add_image("bytes", (values * 255).to(torch.uint8), 1, dataformats=form)
    array = values.numpy()
    array = array[None] if form == "HW" else array
    expected = array if form == "HWC" else array.transpose(1, 2, 0)
    expected = np.broadcast_to((expected * 255).astype(np.uint8), (4, 5, 3))
    _, first, second = records(tmp_path)
    assert np.array_equal(pixels_of(first), expected)
    assert np.array_equal(pixels_of(second), expected)


def test_a_batch_of_pictures_is_a_grid(tmp_path):
    batch = torch.arange(10.0).reshape(10, 1, 1, 1).expand(10, 1, 2, 3) / 20
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("pictures", batch, 1)
    pixels = pixels_of(records(tmp_path)[1])
    assert pixels.shape == (4, 24, 3)
    assert pixels[0, 3, 0] == int(255 / 20) and pixels[3, 3, 0] == int(9 * 255 / 20)
    assert pixels[3, 6, 0] == 0


def test_values_are_on_disk_after_flush_and_files_go_on_after_close(tmp_path):
    writer = SummaryWriter(tmp_path)
    for step in range(12):
        writer.add_scalar("loss", step, step)
    assert len(records(tmp_path)) == 11  # written by tens
    writer.flush()
    assert len(records(tmp_path)) == 13
    writer.close()
    writer.add_scalar("loss", 1.0, 12)
    writer.close()
    assert len(list(tmp_path.glob("events.*"))) == 2


def test_a_folder_is_chosen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_try") as writer:
        assert writer.get_logdir() == writer.log_dir
    (made,) = (tmp_path / "runs").iterdir()
    assert made.name.endswith("_try") and len(records(made)) == 1


def test_bad_values_are_refused(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(AssertionError, match="Tensor should contain one element"):
            writer.add_scalar("loss", torch.ones(2), 1, TIME)
        with pytest.raises(ValueError, match="The input has no element"):
            writer.add_histogram("empty", torch.zeros(0))
        with pytest.raises(ValueError, match="does not describe an array of shape"):
            writer.add_image("odd", torch.zeros(2, 2))
        with pytest.raises(TypeError, match="hparam_dict should be a dictionary"):
            writer.add_hparams([1], {})
        with pytest.raises(TypeError, match="should be a list of same type as"):
            writer.add_hparams({"a": 1}, {}, {"a": ["x"]})
        with pytest.raises(ValueError, match="value should be one of int, float, str, bool"):
            writer.add_hparams({"a": [1]}, {})
        with pytest.raises(NotImplementedError, match="add_video is not supported"):
            writer.add_video("film", torch.ones(1, 2, 3, 4, 4))
        with pytest.raises(TypeError, match=r"draws an nn\.Module, got NoneType"):
            writer.add_graph(None)
