"""A trainer and an evaluator with metrics, a scheduler, checkpoints and early stopping."""

import json

import torch
from ignite.contrib.handlers import PiecewiseLinear
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping, EMAHandler, ModelCheckpoint
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, Precision, Recall, RunningAverage
from ignite.utils import manual_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

manual_seed(0)
x = torch.randn(96, 6)
y = x[:, :3].argmax(1)
data = TensorDataset(x, y)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss())
metrics = {
    "accuracy": Accuracy(),
    "loss": Loss(nn.CrossEntropyLoss()),
    "precision": Precision(average=True),
    "recall": Recall(average=True),
    "confusion": ConfusionMatrix(3),
}
evaluator = create_supervised_evaluator(model, metrics=metrics)
RunningAverage(output_transform=lambda out: out).attach(trainer, "running")
rates = PiecewiseLinear(optimizer, "lr", [(0, 0.05), (6, 0.2), (18, 0.01)])
trainer.add_event_handler(Events.ITERATION_STARTED, rates)
EMAHandler(model, momentum=0.1).attach(trainer)
kept = ModelCheckpoint(
    "kept", "best", n_saved=1, score_function=lambda e: e.state.metrics["accuracy"],
    require_empty=False,
)  # fmt: skip
evaluator.add_event_handler(Events.COMPLETED, kept, {"model": model})
stopping = EarlyStopping(2, lambda e: e.state.metrics["accuracy"], trainer)
evaluator.add_event_handler(Events.COMPLETED, stopping)
losses, evaluations = [], []


@trainer.on(Events.ITERATION_COMPLETED)
def note(engine):
    losses.append(engine.state.output)


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(DataLoader(data, batch_size=32))
    found = dict(evaluator.state.metrics)
    found["confusion"] = found["confusion"].tolist()
    evaluations.append(found)


trainer.run(DataLoader(data, batch_size=16, shuffle=True), max_epochs=3)
print(
    json.dumps(
        {
            "losses": losses,
            "running": trainer.state.metrics["running"],
            "evaluations": evaluations,
            "rate": optimizer.param_groups[0]["lr"],
        }
    )
)
