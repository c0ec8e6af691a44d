"""Metrics of classes, values, images, sounds and texts, in collections and over batches."""

import json

import torch
from torchmetrics import MeanMetric, MetricCollection, MetricTracker
from torchmetrics.audio import ScaleInvariantSignalDistortionRatio, SignalNoiseRatio
from torchmetrics.classification import (
    BinaryAUROC,
    BinaryAveragePrecision,
    MulticlassAccuracy,
    MulticlassCalibrationError,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MultilabelF1Score,
)
from torchmetrics.functional import pairwise_cosine_similarity
from torchmetrics.image import PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef
from torchmetrics.retrieval import RetrievalMAP
from torchmetrics.text import BLEUScore, Perplexity, WordErrorRate

torch.manual_seed(0)
classes = MetricCollection(
    {
        "accuracy": MulticlassAccuracy(5),
        "f1": MulticlassF1Score(5, average="macro"),
        "confusion": MulticlassConfusionMatrix(5),
        "calibration": MulticlassCalibrationError(5),
    }
)
values = MetricCollection([MeanSquaredError(), R2Score(), PearsonCorrCoef(), SpearmanCorrCoef()])
area, precision, labels = BinaryAUROC(), BinaryAveragePrecision(thresholds=20), MultilabelF1Score(4)
ranking, mean = RetrievalMAP(), MeanMetric()
for _ in range(3):
    classes.update(torch.randn(40, 5).softmax(1), torch.randint(0, 5, (40,)))
    truth = torch.randn(40)
    values.update(truth + 0.3 * torch.randn(40), truth)
    scores, hits = torch.rand(40), torch.randint(0, 2, (40,))
    area.update(scores, hits)
    precision.update(scores, hits)
    labels.update(torch.rand(40, 4), torch.randint(0, 2, (40, 4)))
    ranking.update(scores, hits, indexes=torch.randint(0, 6, (40,)))
    mean.update(truth, weight=truth.abs())

picture = torch.rand(2, 3, 32, 32)
blurred = (picture + 0.05 * torch.randn_like(picture)).clamp(0, 1).requires_grad_()
similarity = StructuralSimilarityIndexMeasure(data_range=1.0)(blurred, picture)
similarity.backward()
signal = torch.randn(2, 400)
tracker = MetricTracker(MeanSquaredError(), maximize=False)
for _ in range(3):
    tracker.increment()
    tracker.update(torch.randn(10), torch.randn(10))
printed = {
    **{name: value.flatten().tolist() for name, value in classes.compute().items()},
    **{name: value.item() for name, value in values.compute().items()},
    "area": area.compute().item(),
    "precision": precision.compute().item(),
    "labels": labels.compute().item(),
    "ranking": ranking.compute().item(),
    "mean": mean.compute().item(),
    "similarity": [similarity.item(), blurred.grad.norm().item()],
    "noise": PeakSignalNoiseRatio(data_range=1.0)(blurred.detach(), picture).item(),
    "audio": [
        ScaleInvariantSignalDistortionRatio()(signal + 0.1 * signal.roll(1, 1), signal).item(),
        SignalNoiseRatio()(signal * 0.9, signal).item(),
    ],
    "text": [
        BLEUScore(n_gram=2)(["the cat sat down"], [["the cat sat on it"]]).item(),
        WordErrorRate()(["this is right"], ["this was right"]).item(),
        Perplexity()(torch.randn(2, 6, 9), torch.randint(0, 9, (2, 6))).item(),
    ],
    "best": [float(part) for part in tracker.best_metric(return_step=True)],
    "pairs": pairwise_cosine_similarity(signal[:, :7]).flatten().tolist(),
}
print(json.dumps(printed))
