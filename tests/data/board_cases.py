"""Calls of a SummaryWriter whose records are PyTorch's, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np

TIME = 1700000000.25


def calls(writer: Any, torch: Any) -> None:
    """Everything whose bytes do not depend on an image encoder or on the clock."""
    writer.add_scalar("loss", 0.5, 1, TIME)
    writer.add_scalar("loss/train set", torch.tensor(2.0), global_step=10, walltime=TIME)
    writer.add_scalar("numpy", np.float64(1.25), 0, TIME)
    writer.add_scalar("no step", 3, walltime=TIME)
    writer.add_scalar("negative", -1.5, -3, TIME)
    writer.add_scalar("nan", float("nan"), 2, TIME)
    writer.add_scalar("new", 0.5, 1, TIME, new_style=True)
    writer.add_scalar("double", 0.1, 1, TIME, new_style=True, double_precision=True)
    writer.add_histogram("weights", torch.arange(20.0) / 7 - 1, 3, "tensorflow", TIME)
    writer.add_histogram("few", np.array([1.0, 1.0, 2.0]), 3, bins=4, walltime=TIME)
    writer.add_histogram("auto", torch.arange(50.0) ** 2, 3, "auto", TIME)
    writer.add_histogram("cut", torch.arange(100.0), 3, bins=50, walltime=TIME, max_bins=7)
    writer.add_histogram_raw(
        "raw", min=0.0, max=2.0, num=3, sum=4.0, sum_squares=5.0, bucket_limits=[1.0, 2.0],
        bucket_counts=[1, 2], global_step=5, walltime=TIME,
    )  # fmt: skip
    writer.add_text("note", "some **text** ✓", 4, TIME)
    writer.add_tensor("numbers", torch.arange(6.0).reshape(2, 3), 4, TIME)
    writer.add_audio("tone", torch.arange(8.0) / 8 - 0.5, 1, 8000, TIME)


def hparams(writer: Any) -> None:
    """Hyperparameters: written to a run of their own."""
    writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9}, run_name="trial", global_step=2)
    writer.add_hparams({"name": "adam"}, {"a": 1}, {"name": ["adam", "sgd"]}, run_name="text")
    writer.add_hparams({"fast": True}, {"b": 2.0}, run_name="flag")


def plugins(writer: Any, torch: Any) -> None:
    """What other parts of TensorBoard than its charts show."""
    labels, predictions = torch.tensor([0, 1, 1, 0]), torch.tensor([0.1, 0.5, 0.9, 0.3])
    writer.add_pr_curve("curve", labels, predictions, 2, 5, walltime=TIME)
    writer.add_pr_curve("weighted", labels, predictions, 2, weights=np.ones(4) / 3, walltime=TIME)
    writer.add_pr_curve_raw(
        "counted", [1, 2], [3, 4], [5, 6], [7, 8], [0.1, 0.2], [0.3, 0.4], 1, 2, walltime=TIME
    )
    points = torch.arange(12.0).reshape(1, 4, 3)
    writer.add_mesh("points", points, global_step=1, walltime=TIME)
    writer.add_mesh(
        "solid", points, torch.zeros(1, 4, 3, dtype=torch.int), torch.tensor([[[0, 1, 2]]]),
        {"lights": {"one": 1}, "a": 2}, 3, TIME,
    )  # fmt: skip


def charts(writer: Any) -> None:
    """Layouts of charts: the clock is read for them."""
    layout = {
        "A": {"lines": ["Multiline", ["a", "b"]], "band": ["Margin", ["x", "y", "z"]]},
        "B": {"more": ["Multiline", ["c"]]},
    }
    writer.add_custom_scalars(layout)
    writer.add_custom_scalars_multilinechart(["a", "b"], "category", "title")
    writer.add_custom_scalars_marginchart(["a", "b", "c"])


def embeddings(writer: Any, torch: Any) -> None:
    """Files that TensorBoard's projector reads."""
    points, pictures = torch.arange(6.0).reshape(2, 3) / 7, torch.ones(2, 3, 4, 4) / 3
    writer.add_embedding(points, ["a", "b"], pictures, 3, "first")
    writer.add_embedding(points, [["a", 1], ["b", 2]], tag="second", metadata_header=["n", "v"])
    writer.add_embedding(points)
