"""`Trainer.fit` with a data module, callbacks, a CSV logger and checkpoints; then test, resume."""

import csv
import json

import lightning as L
import torch
from lightning.pytorch.callbacks import (
    Callback,
    EarlyStopping,
    LearningRateMonitor,
    ModelCheckpoint,
)
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Data(L.LightningDataModule):
    def setup(self, stage):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(120, 10, generator=generator)
        y = (x[:, :5].sum(1) > x[:, 5:].sum(1)).long()
        self.parts = random_split(TensorDataset(x, y), [80, 20, 20], generator=generator)

    def train_dataloader(self):
        return DataLoader(self.parts[0], batch_size=16, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts[1], batch_size=20)

    def test_dataloader(self):
        return DataLoader(self.parts[2], batch_size=20)


class Classifier(L.LightningModule):
    def __init__(self, hidden: int = 16, rate: float = 1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, hidden), nn.ReLU(), nn.Linear(hidden, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def evaluate(self, batch, name):
        x, y = batch
        out = self.net(x)
        self.log(f"{name}_loss", nn.functional.cross_entropy(out, y))
        self.log(f"{name}_accuracy", (out.argmax(1) == y).float().mean())

    def validation_step(self, batch, batch_idx):
        self.evaluate(batch, "val")

    def test_step(self, batch, batch_idx):
        self.evaluate(batch, "test")

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": schedule, "interval": "step"},
        }


class Norms(Callback):
    def __init__(self):
        self.seen = []

    def on_before_optimizer_step(self, trainer, module, optimizer):
        norm = sum(p.grad.square().sum() for p in module.parameters()).sqrt()
        self.seen.append(norm.item())


L.seed_everything(7)
norms = Norms()
best = ModelCheckpoint("kept", filename="best", monitor="val_loss", save_last=True)
logger = CSVLogger("logs", name="run", version=0)
common = {"accelerator": "cpu", "enable_progress_bar": False, "enable_model_summary": True}
trainer = L.Trainer(
    max_epochs=3,
    callbacks=[best, norms, EarlyStopping("val_loss", patience=3), LearningRateMonitor()],
    logger=logger,
    gradient_clip_val=0.5,
    log_every_n_steps=1,
    **common,
)
model = Classifier()
trainer.fit(model, datamodule=Data())
tested = trainer.test(model, datamodule=Data(), verbose=False)[0]
with open("logs/run/version_0/metrics.csv") as file:
    rows = list(csv.DictReader(file))
loaded = Classifier.load_from_checkpoint("kept/best.ckpt")
resumed = L.Trainer(max_epochs=4, logger=False, enable_checkpointing=False, **common)
resumed.fit(Classifier(), datamodule=Data(), ckpt_path="kept/last.ckpt")
print(
    json.dumps(
        {
            "train": [float(row["train_loss_step"]) for row in rows if row["train_loss_step"]],
            "validation": [float(row["val_loss"]) for row in rows if row["val_loss"]],
            "rates": [float(row["lr-AdamW"]) for row in rows if row.get("lr-AdamW")],
            "norms": norms.seen,
            "test": tested,
            "hidden": loaded.hparams.hidden,
            "best": best.best_model_score.item(),
            "resumed": {name: value.item() for name, value in resumed.callback_metrics.items()},
            "steps": [trainer.global_step, resumed.global_step],
        }
    )
)
