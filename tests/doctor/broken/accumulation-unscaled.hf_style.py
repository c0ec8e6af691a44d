import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class TrainingArguments:
    gradient_accumulation_steps: int = 4
    learning_rate: float = 1e-3
    max_steps: int = 8


class Trainer:
    def __init__(self, model, args, loader):
        self.model, self.args, self.loader = model, args, loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.learning_rate)

    def training_step(self, inputs):
        logits = self.model(inputs["x"])
        loss = nn.functional.cross_entropy(logits, inputs["labels"])
        loss = loss / self.args.gradient_accumulation_steps  #+
        loss.backward()  #!
        return loss.detach()

    def train(self):
        step = 0
        for i, inputs in enumerate(self.loader):
            self.training_step(inputs)
            if (i + 1) % self.args.gradient_accumulation_steps == 0:
                self.optimizer.step()  #!
                self.optimizer.zero_grad()
                step += 1
                if step >= self.args.max_steps:
                    return


torch.manual_seed(0)
batches = [{"x": torch.randn(8, 10), "labels": torch.randint(0, 3, (8,))} for _ in range(40)]
Trainer(nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3)), TrainingArguments(), batches).train()
