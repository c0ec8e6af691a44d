"""SummaryWriter: PyTorch's calls, as records of event files."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...autograd.source import warn_user
from . import graphs, messages, projector
from . import summary as summaries
from .records import RecordWriter

_file_count = 0


class FileWriter:
    """One event file: events are collected and written together."""

    def __init__(
        self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = ""
    ) -> None:
        global _file_count
        self._log_dir = os.fspath(log_dir)
        os.makedirs(self._log_dir, exist_ok=True)
        host = socket.gethostname()
        name = f"events.out.tfevents.{int(time.time()):010d}.{host}.{os.getpid()}.{_file_count}"
        _file_count += 1
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._waiting = 0
        self._written_at = time.monotonic()
        self._path = os.path.join(self._log_dir, name + filename_suffix)
        self._file: Any = open(self._path, "ab")
        self._records = RecordWriter(self._file)
        self._records.write(messages.first_event(time.time()))
        self.flush()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._log_dir

    def add_summary(self, summary: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Append an event with a summary: an encoded one, or a message of the protobuf package."""
        now = time.time() if walltime is None else walltime
        step = None if global_step is None else int(global_step)
        encoded = summary if isinstance(summary, bytes) else summary.SerializeToString()
        with self._named():
            self._records.write(messages.event(now, step, encoded))
        self._waiting += 1
        if self._waiting >= self._max_queue or (
            time.monotonic() - self._written_at >= self._flush_secs
        ):
            self.flush()

    def add_graph(self, graph: bytes, walltime: Any = None) -> None:
        """Append an event with an encoded graph."""
        now = time.time() if walltime is None else walltime
        with self._named():
            self._records.write(messages.graph_event(now, graph))
        self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system."""
        with self._named():
            self._file.flush()
        self._waiting = 0
        self._written_at = time.monotonic()

    def close(self) -> None:
        """Write what is left and close the file."""
        with self._named():
            self._file.close()

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the disk say which file it is."""
        try:
            yield
        except OSError as problem:
            if problem.filename is None:
                problem.filename = self._path
            raise


class SummaryWriter:
    """Writes what TensorBoard shows: numbers, histograms, text, pictures, sound, trials, graphs,
    curves of precision and recall, meshes, embeddings.

    Without `log_dir` it is `runs/<date>_<host><comment>`. Videos are not written.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            moment = time.strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] = {}
        self._embeddings: dict[str, str] = {}  # what the projector's list says, by place
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        """The writer of the main file; after `close` a new file begins."""
        if self.file_writer is None:
            self.file_writer = self._writer_of(self.log_dir)
        return self.file_writer

    def _writer_of(self, folder: str) -> FileWriter:
        if folder not in self.all_writers:
            self.all_writers[folder] = FileWriter(
                folder, self.max_queue, self.flush_secs, self.filename_suffix
            )
        return self.all_writers[folder]

    def get_logdir(self) -> str:
        """The folder of the main file."""
        return self.log_dir

    def _add(self, summary: bytes, global_step: Any, walltime: Any) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    # ---- numbers ----

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: Any = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """One number of a curve."""
        summary = summaries.scalar(
            tag, scalar_value, new_style=new_style, double_precision=double_precision
        )
        self._add(summary, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: Any = None,
        walltime: Any = None,
    ) -> None:
        """One number of several curves that are shown in one chart: each is a run of its own."""
        now = time.time() if walltime is None else walltime
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            self._writer_of(folder).add_summary(summaries.scalar(main_tag, value), global_step, now)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: Any = None, walltime: Any = None
    ) -> None:
        """The values of a tensor."""
        self._add(summaries.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: Any = None,
        max_bins: int | None = None,
    ) -> None:
        """How values are distributed."""
        self._add(summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,  # noqa: A002 - PyTorch's name
        max: float,  # noqa: A002 - PyTorch's name
        num: int,
        sum: float,  # noqa: A002 - PyTorch's name
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: Any = None,
    ) -> None:
        """A histogram that is counted already: right limits of its bins, and what is in them."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError(
                "len(bucket_limits) != len(bucket_counts), see the document: "
                f"{len(bucket_limits)} and {len(bucket_counts)}"
            )
        made = summaries.histogram_raw(
            tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts
        )
        self._add(made, global_step, walltime)

    # ---- text, pictures, sound ----

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: Any = None
    ) -> None:
        """Text in Markdown."""
        self._add(summaries.text(tag, text_string), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: Any = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture: floats from 0 to 1, or uint8."""
        self._add(summaries.image(tag, img_tensor, 1, dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: Any = None,
        dataformats: str = "NCHW",
    ) -> None:
        """A batch of pictures, as one."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: Any = None,
    ) -> None:
        """A matplotlib figure, or several of one size, as a picture."""
        figures = figure if isinstance(figure, list) else [figure]
        drawn = np.stack([_drawn(one, close) for one in figures])
        self.add_image(tag, drawn, global_step, walltime, "NHWC")

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: Any = None,
    ) -> None:
        """Sound: values from -1 to 1."""
        self._add(summaries.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    # ---- trials ----

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """The settings of a trial and what came out, as a run of its own."""
        made = summaries.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        with SummaryWriter(folder) as trial:
            for summary in made:
                trial._add(summary, global_step, None)
            for tag, value in metric_dict.items():
                trial.add_scalar(tag, value, global_step)

    # ---- graphs ----

    def add_graph(
        self,
        model: Any,
        input_to_model: Any = None,
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """The graph of a model: its operations inside of its modules, from one forward pass.

        `input_to_model` is a tensor or a tuple of tensors. `verbose` prints the model;
        `use_strict_trace` is accepted for compatibility. Buffers and random state are put back.
        """
        if verbose:
            print(model)
        self._get_file_writer().add_graph(graphs.graph_of(model, input_to_model))

    # ---- curves, charts, points ----

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Any = None,
        walltime: Any = None, rescale: float = 1, dataformats: str = "CHW", labels: Any = None,
    ) -> None:  # fmt: skip
        """A picture with rectangles on it; labels are texts, one for each."""
        labels = [labels] if isinstance(labels, str) else labels
        made = summaries.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._add(made, global_step, walltime)

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Any = None,
        num_thresholds: int = 127, weights: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """Precision and recall of predictions from 0 to 1 for labels 0 and 1."""
        made = summaries.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any,
        true_negative_counts: Any, false_negative_counts: Any, precision: Any, recall: Any,
        global_step: Any = None, num_thresholds: int = 127, weights: Any = None,
        walltime: Any = None,
    ) -> None:  # fmt: skip
        """Precision and recall that are computed already."""
        rows = (
            true_positive_counts, false_positive_counts, true_negative_counts,
            false_negative_counts, precision, recall,
        )  # fmt: skip
        made = summaries.pr_curve_raw(tag, *rows, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_custom_scalars(self, layout: dict[str, dict[str, Any]]) -> None:
        """Say which curves share a chart: {category: {title: ["Multiline", [tags]]}}."""
        self._add(summaries.custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Several curves in one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """A curve between two others: the tags of its value, lower and upper bound."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None,
        config_dict: dict[str, Any] | None = None, global_step: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """Points in space (batch, number, 3), with colors, and with faces of three points each."""
        made = summaries.mesh(tag, vertices, colors, faces, config_dict)
        self._add(made, global_step, walltime)

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: Any = None,
        tag: str = "default", metadata_header: Any = None,
    ) -> None:  # fmt: skip
        """Points (number, dimensions) for TensorBoard's projector, with labels and pictures."""
        place = f"{int(global_step or 0):05d}/{tag}"
        if os.path.exists(os.path.join(self.log_dir, place)):
            warn_user(
                f"add_embedding: {place} exists already and is replaced. Pass a global_step for "
                "each time it is added."
            )
        listed = projector.write_embedding(
            self.log_dir, place, mat, metadata, label_img, metadata_header
        )
        self._embeddings[place] = listed
        with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "w") as file:
            file.writelines(self._embeddings.values())

    # ---- what is not written ----

    def __getattr__(self, name: str) -> Any:
        if name in _REFUSED:
            raise refusal.not_implemented(
                f"SummaryWriter.{name} is not supported: {_REFUSED[name]}"
            )
        raise AttributeError(f"'SummaryWriter' object has no attribute {name!r}")

    # ---- the end ----

    def flush(self) -> None:
        """Write everything that has been added so far."""
        for writer in self.all_writers.values():
            writer.flush()

    def close(self) -> None:
        """Close all files; what is added later goes to new ones."""
        for writer in self.all_writers.values():
            writer.close()
        self.all_writers = {}
        self.file_writer = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_REFUSED = {
    "add_video": "videos need an encoder; add_images shows their frames",
    "add_onnx_graph": "graphs of other files are not written; add_graph draws a model",
}


def _drawn(figure: Any, close: bool) -> np.ndarray:
    """A figure as an array (height, width, 3)."""
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    if close:
        pyplot.close(figure)
    return pixels


explain_module(globals())
