import torch
import torch.nn as nn
from dataclasses import dataclass


@dataclass
class TrainingArguments:
    learning_rate: float = 1e-3
    num_train_epochs: int = 3
    max_grad_norm: float = 1.0


class Callback:
    def on_step_end(self, trainer):
        pass


class LogCallback(Callback):
    def on_step_end(self, trainer):
        if trainer.global_step % 10 == 0:
            print(trainer.global_step, trainer.last_loss)


class Trainer:
    def __init__(self, model, args, train_dataset, callbacks=()):
        self.model, self.args, self.data, self.callbacks = model, args, train_dataset, list(callbacks)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
        self.global_step = 0

    def training_step(self, inputs):
        self.model.train()
        outputs = self.model(**inputs)
        loss = outputs["loss"]
        loss.backward()  #!
        return loss.detach()

    def train(self):
        loader = torch.utils.data.DataLoader(self.data, batch_size=16, shuffle=True)
        for _ in range(int(self.args.num_train_epochs)):
            for inputs in loader:
                self.last_loss = self.training_step(inputs).item()
                nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
                self.optimizer.step()  #!
                self.model.zero_grad()  #+
                self.global_step += 1
                for cb in self.callbacks:
                    cb.on_step_end(self)


class Classifier(nn.Module):
    def __init__(self, vocab=50, dim=16, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.enc = nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True)
        self.out = nn.Linear(dim, classes)

    def forward(self, input_ids, labels=None):
        logits = self.out(self.enc(self.emb(input_ids)).mean(1))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


torch.manual_seed(0)
ids = torch.randint(0, 50, (160, 7))
data = [{"input_ids": row, "labels": row[0] % 3} for row in ids]
Trainer(Classifier(), TrainingArguments(), data, [LogCallback()]).train()
