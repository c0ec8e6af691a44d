"""SummaryWriter: PyTorch's calls, as records of event files."""

from __future__ import annotations

import io
import os
import socket
import time
import wave
from typing import Any

import numpy as np

import chainrule as torch

from ...autograd import refusal
from . import graphs, histograms, messages, pictures
from .records import RecordWriter

_file_count = 0


def _array(value: Any) -> np.ndarray:
    """Values as an array: of a tensor, a list or a number."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.float().numpy() if value.dtype is torch.bfloat16 else value.numpy()
    return np.asarray(value)


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
        path = os.path.join(self._log_dir, name + filename_suffix)
        self._file: Any = open(path, "ab")
        self._records = RecordWriter(self._file)
        self._records.write(messages.first_event(time.time()))
        self.flush()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._log_dir

    def add_summary(self, summary: bytes, global_step: Any = None, walltime: Any = None) -> None:
        """Append an event with an encoded summary."""
        now = time.time() if walltime is None else walltime
        step = None if global_step is None else int(global_step)
        self._records.write(messages.event(now, step, summary))
        self._waiting += 1
        if self._waiting >= self._max_queue or (
            time.monotonic() - self._written_at >= self._flush_secs
        ):
            self.flush()

    def add_graph(self, graph: bytes, walltime: Any = None) -> None:
        """Append an event with an encoded graph."""
        now = time.time() if walltime is None else walltime
        self._records.write(messages.graph_event(now, graph))
        self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._file.flush()
        self._waiting = 0
        self._written_at = time.monotonic()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._file.close()


class SummaryWriter:
    """Writes what TensorBoard shows: numbers, histograms, text, pictures, sound, trials, graphs.

    Without `log_dir` it is `runs/<date>_<host><comment>`. What TensorBoard needs more than the
    event format for (embeddings, videos, meshes) is not written.
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
        summary = _scalar(tag, scalar_value, new_style, double_precision)
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
            self._writer_of(folder).add_summary(_scalar(main_tag, value), global_step, now)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: Any = None, walltime: Any = None
    ) -> None:
        """The values of a tensor."""
        content = messages.tensor(_array(tensor), with_shape=True)
        summary = messages.summary(tag, content, messages.plugin("tensor"))
        self._add(summary, global_step, walltime)

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
        content = histograms.of_values(_array(values), bins, max_bins)
        self._add(messages.summary(tag, content), global_step, walltime)

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
        content = messages.histogram(min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(messages.summary(tag, content), global_step, walltime)

    # ---- text, pictures, sound ----

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: Any = None
    ) -> None:
        """Text in Markdown."""
        content = messages.string_tensor(text_string)
        summary = messages.summary(f"{tag}/text_summary", content, messages.plugin("text"))
        self._add(summary, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: Any = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture: floats from 0 to 1, or uint8."""
        pixels = pictures.as_pixels(_array(img_tensor), dataformats)
        content = messages.image(*pixels.shape, pictures.png(pixels))
        self._add(messages.summary(tag, content), global_step, walltime)

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
        samples = _array(snd_tensor).astype(np.float64).squeeze().reshape(-1)
        loudness = np.trunc(samples.clip(-1, 1) * np.iinfo(np.int16).max).astype("<i2")
        file = io.BytesIO()
        with wave.open(file, "wb") as made:
            made.setnchannels(1)
            made.setsampwidth(2)
            made.setframerate(sample_rate)
            made.writeframes(loudness.tobytes())
        content = messages.audio(sample_rate, len(samples), file.getvalue())
        self._add(messages.summary(tag, content), global_step, walltime)

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
        for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
            if not isinstance(given, dict):
                raise refusal.wrong_type(
                    f"parameter: {name} should be a dictionary, nothing logged. It is a "
                    f"{type(given).__name__}"
                )
        domains = hparam_domain_discrete or {}
        parameters = _plain_parameters(hparam_dict, domains)
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        with SummaryWriter(folder) as trial:
            for summary in messages.hparams_summaries(parameters, metric_dict, domains):
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
    "add_embedding": "embeddings need files that only TensorBoard's projector reads",
    "add_video": "videos need an encoder; add_images shows their frames",
    "add_mesh": "meshes need the mesh plugin; add_figure shows a drawing of one",
    "add_pr_curve": "curves of precision and recall; add_figure shows a drawing of one",
    "add_pr_curve_raw": "curves of precision and recall; add_figure shows a drawing of one",
    "add_custom_scalars": "layouts of charts; add_scalars puts curves into one chart",
    "add_custom_scalars_multilinechart": "layouts of charts; add_scalars does it",
    "add_custom_scalars_marginchart": "layouts of charts; add_scalars puts curves into one chart",
    "add_image_with_boxes": "boxes are not drawn; draw them and call add_image",
    "add_onnx_graph": "graphs are not written",
}


def _scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> bytes:
    number = _array(value).squeeze()
    if number.ndim:
        raise refusal.assertion(
            f"Tensor should contain one element (0 dimensions). Was given size: {number.size} and "
            f"{number.ndim} dimensions.",
            f"{tag!r}",
        )
    if not new_style:
        return messages.summary(tag, messages.simple_value(float(number)))
    stored = number.astype(np.float64 if double_precision else np.float32)
    content = messages.tensor(stored, with_shape=False)
    return messages.summary(tag, content, messages.plugin("scalars"))


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


def _drawn(figure: Any, close: bool) -> np.ndarray:
    """A figure as an array (height, width, 3)."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    if close:
        pyplot.close(figure)
    return pixels
